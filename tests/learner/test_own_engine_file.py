"""`mine.engine(file="engine.py")`: unit 17's engine under notebooks 10 and 16, made of its own operations alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_ref as reference
from autograd_ref import no_grad
from autograder import mine
from autograder.errors import UserError
from autograder.learner.own_engine.from_file import OPERATIONS
from autograder.lesson import logbook
from autograder.referee import bank
from autograder.unit.cell import ANSWER, GIVEN, SETUP, kind

from .test_own_engine import COURSE, curve, write_units

UNIT = "17_from_an_empty_page"
ENGINE = "import numpy as np\n" + COURSE.assignment(UNIT).exercise("Tensor").solution
#: Engines that other right answers of the bank are, each of another design.
DESIGNS = {
    entry.name: "import numpy as np\n" + entry.source
    for entry in bank.load_bank(COURSE.assignment(UNIT))
    if entry.exercise == "Tensor" and entry.right
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_units(tmp_path_factory.mktemp("units") / "course")


def engine_of(folder: Path, tmp_path: Path, text: str = ENGINE) -> mine.Engine:
    (tmp_path / "engine.py").write_text(text, encoding="utf-8")
    return mine.engine(folder, file=tmp_path / "engine.py")


@pytest.fixture
def own(folder: Path, tmp_path: Path) -> mine.Engine:
    return engine_of(folder, tmp_path)


@pytest.mark.parametrize("data", ["XOR", "digits", "sine"])
def test_the_runs_of_unit_10_have_the_curves_of_the_reference(own: mine.Engine, data: str) -> None:
    assert np.abs(curve(own, data) - curve(reference, data)).max() < 1e-8


@pytest.mark.parametrize("design", DESIGNS)
def test_an_engine_of_any_design_will_do(design: str, folder: Path, tmp_path: Path) -> None:
    own = engine_of(folder, tmp_path, DESIGNS[design])
    assert np.abs(curve(own, "XOR", 10) - curve(reference, "XOR", 10)).max() < 1e-8


def test_the_gpt_of_unit_16_has_the_losses_of_the_reference(own: mine.Engine) -> None:
    names: dict[str, Any] = {"__name__": "unit 16"}
    for cell in COURSE.assignment("16_small_gpt").solved().cells:
        if cell.cell_type == "code" and kind(cell) in (ANSWER, GIVEN, SETUP):
            exec(cell.source, names)
            if "ten_losses" in names:
                break
    np.testing.assert_allclose(names["ten_losses"](own), names["ten_losses"](reference), rtol=1e-9)


def numbers(engine: Any, do: Any, *shapes: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    given = [engine.Tensor(rng.uniform(0.5, 1.5, shape), requires_grad=True) for shape in shapes]
    out = do(*given)
    out.backward(np.asarray(rng.uniform(0.5, 1.5, out.shape)))
    return [out.data, *(x.grad.data for x in given)]


MADE: dict[str, tuple[Any, ...]] = {
    "a number on the left": (lambda a: 2 - a / 3 + 4 / a - (-a) + 1, (2, 3)),
    "an array on the left": (lambda a: np.ones((2, 1)) - a + np.ones(3) * a + np.ones(3) / a, (2, 3)),
    "matrices, many": (lambda a, b: a @ b, (2, 3, 4, 5), (2, 3, 5, 6)),
    "matrices, stretched": (lambda a, b: a @ b, (3, 4, 5), (2, 1, 5, 6)),
    "many times one": (lambda a, b: a @ b, (2, 3, 4), (4, 5)),
    "one times many": (lambda a, b: a @ b, (3, 4), (2, 4, 5)),
    "permute": (lambda a: a.permute(2, 0, 3, 1) * np.arange(24.0).reshape(4, 2, 1, 3), (2, 3, 4, 1)),
    "T": (lambda a: a.T * np.arange(6.0).reshape(3, 2), (2, 3)),
    "max": (lambda a: a.max(axis=1, keepdims=True) * a + a.max(), (3, 4)),
    "max of ties": (lambda a: (a * 0 + 1).max(axis=-1) + a.sum(axis=-1), (3, 4)),
    "sqrt, sigmoid": (lambda a: a.sqrt() + a.sigmoid(), (3,)),
    "an index": (lambda a: a[[0, 0, 1], 1:] ** 2, (3, 4)),
}


@pytest.mark.parametrize("what", MADE)
def test_what_is_made_of_its_operations_is_what_the_reference_has(what: str, own: mine.Engine) -> None:
    do, *shapes = MADE[what]
    for ours, theirs in zip(numbers(own, do, *shapes), numbers(reference, do, *shapes), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_every_operation_is_the_file_s_own(folder: Path, tmp_path: Path) -> None:
    """With a fault in the file the curve is another one: nothing of the reference stands in."""
    for right, wrong in (
        ("g * (1 - out**2)", "g * (1 - out)"),
        ("(other, lambda g: a.T @ g)", "(other, lambda g: -a.T @ g)"),
    ):
        assert right in ENGINE
        own = engine_of(folder, tmp_path, ENGINE.replace(right, wrong))
        assert np.abs(curve(own, "XOR", 10) - curve(reference, "XOR", 10)).max() > 1e-4


def test_the_table_says_that_the_tensor_is_yours_and_what_its_check_said(
    folder: Path, tmp_path: Path, capsys: Any
) -> None:
    place = write_units(tmp_path / "course")
    (tmp_path / "engine.py").write_text(ENGINE, encoding="utf-8")
    logbook.append(place, {"exercise": "Tensor", "passed": False})
    mine.engine(place, file=tmp_path / "engine.py")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if "engine.py" in line] == [
        ["Tensor", "engine.py", "yours;", "its", "check:", "not", "right", "yet"]
    ]
    assert not [line for line in lines if "05_tensors" in line or "03_reverse" in line]


def test_gradients_add_up_can_be_cleared_and_are_not_made_inside_no_grad(own: mine.Engine) -> None:
    x = own.Tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        (x * x).sum().backward()
    np.testing.assert_allclose(x.grad.data, [4, 8])
    x.zero_grad()
    assert x.grad is None
    with no_grad():
        out = x * 3
    assert not out.requires_grad
    with pytest.raises(RuntimeError, match="nothing to differentiate"):
        out.sum().backward()


@pytest.mark.parametrize(
    ("do", "told"),
    [
        (
            lambda own: own.Tensor([1.0]).sin(),
            "engine.py has no `sin`, and it cannot be made of the operations",
        ),
        (lambda own: own.nn.MaxPool2d(2)(np.zeros((1, 1, 4, 4))), "engine.py has no `max_pool`"),
        (lambda own: own.Tensor(np.ones((2, 3))) @ np.ones(3), "a product with an array of one axis"),
    ],
)
def test_what_cannot_be_made_of_it_is_said_in_a_sentence(do: Any, told: str, own: mine.Engine) -> None:
    with pytest.raises(NotImplementedError, match=told):
        do(own)
    assert "sin" not in OPERATIONS


def test_an_error_inside_the_file_is_told_with_its_line(folder: Path, tmp_path: Path) -> None:
    own = engine_of(folder, tmp_path, ENGINE.replace("g * (1 - out**2)", "g * (1 - uot**2)"))
    with pytest.raises(NameError) as raised:
        own.Tensor([1.0], requires_grad=True).tanh().sum().backward()
    (note,) = raised.value.__notes__
    assert note.startswith("engine.py raised this in line ") and note.endswith("(1 - uot**2)))")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\n", "engine.py has no class Tensor; `autograder mine engine.py` says more"),
        ("class Tensor\n", "engine.py does not run, SyntaxError: expected ':'"),
        ("1 / 0\n", "engine.py does not run, ZeroDivisionError"),
        (
            "class Tensor:\n    def relu(self): pass\n",
            r"The Tensor of engine.py has no __add__.*backward; `autograder",
        ),
    ],
)
def test_a_file_that_is_no_engine_is_told_so_in_a_sentence(
    text: str, told: str, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=told):
        engine_of(folder, tmp_path, text)


def test_a_file_that_is_not_there_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none.py cannot be read: No such file"):
        mine.engine(folder, file=tmp_path / "none.py")
