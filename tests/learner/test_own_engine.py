"""The learner's own engine: the curves of the reference, its gaps filled and named, and no say in grading."""

from __future__ import annotations

import copy
import operator
import re
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import autograd_ref as reference
from autograd_ref import detect_anomaly, no_grad
from autograd_ref.data.digits import load_digits
from autograd_ref.data.toy import sine, xor
from autograder import mine
from autograder.errors import UserError
from autograder.learner import progress as learner
from autograder.learner.own_engine.parts import PARTS
from autograder.lesson import logbook
from autograder.unit.assignment import Assignment, Course
from autograder.unit.cell import grade_id, kind
from autograder.unit.notebook import Node, write_text

from ..conftest import REPOSITORY
from .test_switches import executed, switch_cell

COURSE = Course(REPOSITORY)
UNITS = (
    "03_reverse_mode",
    "05_tensors",
    "06_shapes_and_matmul",
    "07_losses",
    "08_layers",
    "09_optimizers",
)

Edit = Callable[[Node], None]


def write_units(
    root: Path, answers: Mapping[str, str] = {}, stubs: tuple[str, ...] = (), edit: Edit = lambda nb: None
) -> Path:
    """A learner's folder: notebooks with the model answers, but for those given, and stubs in the units named."""
    for name in (*UNITS, "10_training"):
        unit = COURSE.assignment(name)
        here = {n: text for n, text in answers.items() if n in {e.name for e in unit.exercises}}
        notebook = unit.solved(here, "stub" if name in stubs else "solution")
        edit(notebook)
        (root / name).mkdir(parents=True)
        (root / name / f"{unit.name}.ipynb").write_text(write_text(notebook), encoding="utf-8")
    return root


def solution(unit: str, exercise: str) -> str:
    return COURSE.assignment(unit).exercise(exercise).solution


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything solved."""
    return write_units(tmp_path_factory.mktemp("solved") / "course")


@pytest.fixture(scope="module")
def own(folder: Path) -> mine.Engine:
    return mine.engine(folder)


def curve(engine: Any, data: str = "XOR", steps: int = 50) -> np.ndarray:
    """The losses of some steps of a run like those of notebook 10, in float64."""
    x, y = {"XOR": xor, "digits": lambda: load_digits(flat=True), "sine": lambda: sine(100)}[data]()
    first, last, act = {"XOR": (2, 2, "Tanh"), "digits": (64, 10, "ReLU"), "sine": (1, 1, "Tanh")}[data]
    engine.nn.manual_seed(0)
    model = engine.nn.Sequential(
        engine.nn.Linear(first, 32),
        getattr(engine.nn, act)(),
        engine.nn.Dropout(0.1),
        engine.nn.Linear(32, last),
    )
    optimizer = engine.optim.AdamW(model.parameters(), lr=0.01)
    loss_fn = engine.functional.mse_loss if data == "sine" else engine.functional.cross_entropy
    rng, losses = np.random.default_rng(0), []
    for _ in range(steps):
        part = rng.permutation(len(x))[:64]
        optimizer.zero_grad()
        loss = loss_fn(model(x[part].astype(float)), y[part])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)


@pytest.mark.parametrize("data", ["XOR", "digits", "sine"])
def test_with_all_units_solved_the_curves_are_those_of_the_reference(own: mine.Engine, data: str) -> None:
    assert np.abs(curve(own, data) - curve(reference, data)).max() < 1e-8
    assert curve(own, data)[-1] < curve(own, data)[0]


OPTIMIZERS = {
    "SGD": {"weight_decay": 0.1},
    "SGD with momentum": {"momentum": 0.9},
    "SGD with Nesterov": {"momentum": 0.9, "nesterov": True},
    "RMSprop": {"alpha": 0.9},
    "Adam": {"betas": (0.8, 0.99), "weight_decay": 0.1},
    "AdamW": {"eps": 1e-3, "weight_decay": 0.1},
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_walks_the_path_of_the_reference(own: mine.Engine, name: str) -> None:
    def path(engine: Any) -> list[Any]:
        p = engine.Tensor(np.array([[1.0, -2.0], [0.5, 3.0]]), requires_grad=True)
        optimizer = getattr(engine.optim, name.split(" ")[0])([p], lr=0.05, **OPTIMIZERS[name])
        points = []
        for _ in range(5):
            optimizer.zero_grad()
            ((p * p) * np.array([1.0, 5.0])).sum().backward()
            optimizer.step()
            points.append(p.data.tolist())
        return points

    np.testing.assert_allclose(path(own), path(reference), rtol=1e-10)


OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "arithmetic": lambda f, a, b: (a + b) * 2 - a / (b * b + 1) + 1 / (a * a + 1) - (-b) - (1 - a),
    "a row": lambda f, a, b: a + b[0],
    "a power": lambda f, a, b: a**3 + (b * b + 1) ** -0.5,
    "functions": lambda f, a, b: a.exp() + (b * b + 1).log() + a.tanh() + b.sigmoid() + a.relu() + (b * b + 1).sqrt(),
    "the sine": lambda f, a, b: (a * b).sin() + b.sum(axis=0).sin() + a[0, 1].sin() + a.T.sin()[1, 0],
    "sums": lambda f, a, b: a.sum(axis=1, keepdims=True) * b.sum(axis=0) + a.sum() + b.sum((0, 1)),
    "means": lambda f, a, b: a.mean(axis=1, keepdims=True) * b.mean(axis=0) + a.mean() + b.mean(-1, keepdims=True),
    "maxima": lambda f, a, b: a.max(axis=1, keepdims=True) * b.max(axis=0) + a.max(),
    "matrices": lambda f, a, b: a @ b.T,
    "vectors": lambda f, a, b: a @ b[0] + b[0] @ a.T,
    "batches": lambda f, a, b: a.reshape(1, 3, 4) @ b.reshape(3, 4, 1),
    "moves": lambda f, a, b: a.reshape(2, 3, 2).permute(2, 0, 1) * b.reshape((2, 2, 3)),
    "an index with repeats": lambda f, a, b: a[np.array([0, 2, 0])] * b[1:, :2].sum(),
    "arrays beside tensors": lambda f, a, b: np.ones((3, 3)) @ a + np.ones(4) * b - np.arange(4.0),
    "mse": lambda f, a, b: f.mse_loss(a, np.ones((3, 4))) * b,
    "cross-entropy": lambda f, a, b: f.cross_entropy(a, np.array([3, 0, 0])) * b,
    "binary cross-entropy": lambda f, a, b: f.binary_cross_entropy_with_logits(a, np.eye(3, 4)) * b,
    "linear": lambda f, a, b: f.linear(a, b, b[:, 0]),
}  # fmt: skip


def values_and_gradients(engine: Any, f: Callable[[Any, Any, Any], Any]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    a, b = (engine.Tensor(rng.normal(size=(3, 4)), requires_grad=True) for _ in range(2))
    out = f(engine.functional, a, b)
    out.backward(np.linspace(-1, 2, out.size).reshape(out.shape))
    return out.data, a.grad.data, np.zeros(()) if b.grad is None else b.grad.data


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_the_gradient_of_the_reference(own: mine.Engine, name: str) -> None:
    ours, theirs = (values_and_gradients(engine, OPERATIONS[name]) for engine in (own, reference))
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


@pytest.fixture(scope="module")
def borrowed(tmp_path_factory: pytest.TempPathFactory) -> mine.Engine:
    """Nothing solved: all from the reference."""
    return mine.engine(write_units(tmp_path_factory.mktemp("empty"), stubs=UNITS))


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_stand_in_has_the_gradient_of_the_reference(borrowed: mine.Engine, name: str) -> None:
    ours, theirs = (values_and_gradients(engine, OPERATIONS[name]) for engine in (borrowed, reference))
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("whose", ["own", "borrowed"])
def test_every_layer_draws_and_computes_what_the_reference_does(
    whose: str, request: pytest.FixtureRequest
) -> None:
    def facts(engine: Any) -> list[Any]:
        engine.nn.manual_seed(3)
        model = engine.nn.Sequential(
            engine.nn.Embedding(5, 4),
            engine.nn.LayerNorm(4),
            engine.nn.Linear(4, 6, bias=False),
            engine.nn.Tanh(),
            engine.nn.Dropout(0.3),
            engine.nn.Linear(6, 2),
            engine.nn.ReLU(),
        )
        ids, found = np.array([[0, 2, 2], [4, 1, 0]]), []
        for training in (True, False):
            out = model.train(training)(ids)
            out.backward(np.ones(out.shape))
            found += [out.data, *(p.grad.data.copy() for p in model.parameters())]
        saved = model.state_dict()
        model[1].weight.data[...] = 7.0
        model.load_state_dict(saved)
        return [*found, model(ids).data, len(list(model.parameters())), model.training, model[4].training]

    engine = request.getfixturevalue(whose)
    for x, y in zip(facts(engine), facts(reference), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("unit", UNITS)
def test_one_unsolved_unit_is_named_and_changes_no_curve(unit: str, tmp_path: Path, capsys: Any) -> None:
    engine = mine.engine(write_units(tmp_path, stubs=(unit,)))
    told = capsys.readouterr().out
    missing = [part.exercise for part in PARTS if part.unit == unit]
    for exercise in missing:
        assert f"{exercise} " in told
    assert told.count("reference, not written yet") == len(missing)
    assert f"{len(PARTS) - len(missing)} of {len(PARTS)} parts are yours." in told
    assert np.abs(curve(engine, "digits") - curve(reference, "digits")).max() < 1e-8


def test_with_nothing_solved_all_is_the_reference_s(borrowed: mine.Engine) -> None:
    for data in ("XOR", "digits", "sine"):
        assert np.abs(curve(borrowed, data) - curve(reference, data)).max() < 1e-8


WRONG = {
    "array_functions": ("return (g * (1 - out * out),)", "return (g * (1 - out),)"),
    "send_back": ("fit(cotangent, parent.data)", "fit(cotangent**3, parent.data)"),
    "matmul_rule": ("return g @ b.T, a.T @ g", "return g @ b.T, a.T @ abs(g)"),
    "cross_entropy_rule": ("-= 1", "-= 0.9"),
    "dropout": ("return x * (keep / (1 - p))", "return x * keep"),
    "adam_step": ("(1 - b2) * g * g", "(1 - b2) * g"),
}


@pytest.mark.parametrize("exercise", WRONG)
def test_a_wrong_rule_gives_another_curve(exercise: str, tmp_path: Path) -> None:
    unit = next(part.unit for part in PARTS if part.exercise == exercise)
    right, wrong = WRONG[exercise]
    assert right in solution(unit, exercise)
    answer = solution(unit, exercise).replace(right, wrong)
    engine = mine.engine(write_units(tmp_path, {exercise: answer}))
    with np.errstate(all="ignore"):
        assert not np.allclose(curve(engine), curve(reference), rtol=1e-4)


@pytest.mark.parametrize("whose", ["own", "borrowed"])
def test_notebook_11_finds_that_the_engine_is_right(whose: str, request: pytest.FixtureRequest) -> None:
    assert judged_in_notebook_11(request.getfixturevalue(whose)) == "True"


WRONG_FOR_NOTEBOOK_11 = {
    "sin_cos": ("return (g * math.cos(a),)", "return (g * math.sin(a),)"),
    "array_functions": WRONG["array_functions"],
    "send_back": ("parent.grad + cotangent", "cotangent"),
}


@pytest.mark.parametrize("exercise", WRONG_FOR_NOTEBOOK_11)
def test_notebook_11_finds_what_is_wrong_with_the_engine(exercise: str, tmp_path: Path) -> None:
    unit = next(part.unit for part in PARTS if part.exercise == exercise)
    right, wrong = WRONG_FOR_NOTEBOOK_11[exercise]
    assert right in solution(unit, exercise)
    answer = solution(unit, exercise).replace(right, wrong)
    assert judged_in_notebook_11(mine.engine(write_units(tmp_path, {exercise: answer}))) == "False"


def judged_in_notebook_11(engine: mine.Engine) -> str:
    """What the cell of notebook 11 prints that lets the learner's test judge the learner's engine."""
    assignment = COURSE.assignment("11_testing_gradients")
    (cell,) = (
        c.source for c in assignment.release.cells if c.cell_type == "code" and "mine.engine()" in c.source
    )
    names: dict[str, Any] = {"np": np}
    for part in ("programs", "made_by"):
        (given,) = (c.source for c in assignment.notebook.cells if grade_id(c) == part)
        exec(given, names)
    for exercise in ("rule_is_right", "draw_inputs", "random_program", "engine_is_right"):
        exec(solution("11_testing_gradients", exercise), names)
    printed: list[str] = []
    names |= {"print": lambda *said: printed.append(" ".join(map(str, said)))}
    line = cell.removeprefix("# ").replace("from autograder import mine; ", "")
    assert line != cell
    exec(line, names | {"mine": SimpleNamespace(engine=lambda: engine)})
    return printed[-1]


# -- whose a part is ----------------------------------------------------------------------------------------------


def told_of(tmp_path: Path, capsys: Any, exercise: str, answer: str) -> str:
    """The line of the table for an exercise."""
    mine.engine(write_units(tmp_path, {exercise: answer}))
    (line,) = (ln for ln in capsys.readouterr().out.splitlines() if ln.startswith(f"{exercise} "))
    return str(line)


def test_an_answer_that_does_not_run_is_replaced_and_named(tmp_path: Path, capsys: Any) -> None:
    line = told_of(tmp_path, capsys, "sgd_step", "def sgd_step(p, g, lr):\n    return p -")
    assert "reference, because yours does not run: SyntaxError in line 2" in line
    line = told_of(tmp_path / "2", capsys, "sgd_step", "sgd_step = undefined\n")
    assert "reference, because yours does not run: NameError: name 'undefined' is not defined" in line


def test_of_a_half_written_cell_the_written_functions_count(tmp_path: Path, capsys: Any) -> None:
    answer = solution("05_tensors", "array_functions").replace(
        "return (g * (1 - out * out),)", 'raise NotImplementedError("your answer goes here")'
    )
    line = told_of(tmp_path, capsys, "array_functions", answer)
    assert "yours; reference for tanh_rule, not written yet" in line


def test_a_stub_line_that_was_left_behind_the_answer_does_not_count(tmp_path: Path, capsys: Any) -> None:
    answer = 'def sgd_step(p, g, lr):\n    return p - lr * g\n    raise NotImplementedError("your answer goes here")'
    assert told_of(tmp_path, capsys, "sgd_step", answer).endswith(" yours")


def test_an_empty_cell_is_not_an_answer(tmp_path: Path, capsys: Any) -> None:
    assert "reference, not written yet" in told_of(tmp_path, capsys, "optimizer", "")


def test_the_table_repeats_what_the_last_check_said(tmp_path: Path, capsys: Any) -> None:
    folder = write_units(tmp_path)
    logbook.append(folder, {"exercise": "adam_step", "passed": False})
    mine.engine(folder)
    assert "yours; its check: not right yet" in capsys.readouterr().out


def test_neither_checks_nor_examples_nor_figures_run(tmp_path: Path, capsys: Any) -> None:
    def plant(notebook: Node) -> None:
        for cell in notebook.cells:
            if cell.cell_type == "code" and kind(cell) in ("check", "figure", "demo"):
                cell.source = f"print('LOUD')\nopen({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit"
        notebook.cells[0].metadata = Node()

    mine.engine(write_units(tmp_path / "course", edit=plant))
    assert not (tmp_path / "ran").exists()
    assert "LOUD" not in capsys.readouterr().out


def test_an_answer_may_use_a_helper_from_an_added_cell(tmp_path: Path) -> None:
    def add(notebook: Node) -> None:
        source = "import numpy\nHALF = 0.5\nprint('not run')\n1 / 0\n"
        source += "def my_slope(out):\n    return 2 * HALF - numpy.square(out)"
        cell = Node(
            cell_type="code", source=source, metadata=Node(), id="a1b2c3", outputs=[], execution_count=None
        )
        notebook.cells.insert(3, cell)

    answer = solution("05_tensors", "array_functions").replace("(1 - out * out)", "my_slope(out)")
    engine = mine.engine(write_units(tmp_path, {"array_functions": answer}, edit=add))
    assert np.abs(curve(engine) - curve(reference)).max() < 1e-8


def test_a_copy_of_an_answer_cell_with_the_stub_does_not_undo_the_answer(tmp_path: Path, capsys: Any) -> None:
    def double(notebook: Node) -> None:
        for cell in list(notebook.cells):
            if grade_id(cell) == "adam_step":
                stub = COURSE.assignment("09_optimizers").exercise("adam_step").stub
                notebook.cells.append(copy.deepcopy(cell) | {"source": stub, "id": "again"})

    mine.engine(write_units(tmp_path, edit=double))
    assert f"{len(PARTS)} of {len(PARTS)} parts are yours." in capsys.readouterr().out


def test_an_answer_is_known_by_its_id_where_its_metadata_was_lost(tmp_path: Path, capsys: Any) -> None:
    def strip(notebook: Node) -> None:
        for cell in notebook.cells:
            if kind(cell) == "answer":
                cell.metadata = Node()

    mine.engine(write_units(tmp_path, edit=strip))
    assert f"{len(PARTS)} of {len(PARTS)} parts are yours." in capsys.readouterr().out


# -- an answer that raises when it is used ------------------------------------------------------------------------


def test_an_answer_that_raises_says_whose_it_is_and_where(tmp_path: Path) -> None:
    answer = solution("05_tensors", "array_functions").replace("(1 - out * out)", "(1 - out * uot)")
    engine = mine.engine(write_units(tmp_path, {"array_functions": answer}))
    x = engine.Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(NameError) as raised:
        x.tanh().sum().backward()
    (note,) = raised.value.__notes__
    first, line = note.split("\n")
    assert first == (
        "Your `tanh_rule` of unit 05_tensors (exercise `array_functions`) raised NameError: name 'uot' is not defined"
    )
    assert line.startswith("  line ") and line.endswith("of that answer:  return (g * (1 - out * uot),)")
    shown = raised.value._render_traceback_()  # type: ignore[attr-defined]
    assert first in shown[0] and line in shown[0]


def test_a_rule_that_forgot_its_tuple_is_named(tmp_path: Path) -> None:
    answer = solution("07_losses", "mse_rule").replace("size,)", "size)")
    engine = mine.engine(write_units(tmp_path, {"mse_rule": answer}))
    x = engine.Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TypeError, match="a rule gives a tuple of cotangents") as raised:
        engine.functional.mse_loss(x, np.zeros(2)).backward()
    assert "Your `mse_rule` of unit 07_losses" in raised.value.__notes__[0]


def test_methods_of_the_learner_s_classes_are_named_too(tmp_path: Path) -> None:
    answer = solution("09_optimizers", "optimizer").replace("p.copy_(new)", "p.copy(new)")
    engine = mine.engine(write_units(tmp_path, {"optimizer": answer}))
    with pytest.raises(AttributeError) as raised:
        curve(engine)
    assert "Your `step` of unit 09_optimizers (exercise `optimizer`)" in raised.value.__notes__[0]


# -- PyTorch's ways, which unit 10 relies on ----------------------------------------------------------------------


def test_gradients_add_up_until_they_are_cleared(own: mine.Engine) -> None:
    x = own.Tensor([3.0], requires_grad=True)
    (x * x).sum().backward()
    (x * x).sum().backward()
    assert x.grad.tolist() == [12.0]
    x.zero_grad()
    assert x.grad is None


def test_no_grad_and_detect_anomaly_rule_it_as_well(own: mine.Engine) -> None:
    x = own.Tensor([0.0, 1.0], requires_grad=True)
    with no_grad():
        out = x * 2
    assert not out.requires_grad and not (own.Tensor([1.0]) * 2).requires_grad
    with pytest.raises(RuntimeError, match="nothing to differentiate"):
        out.sum().backward()
    with np.errstate(all="ignore"), detect_anomaly():
        with pytest.raises(FloatingPointError, match=r"The backward pass of 'sqrt' produced an infinity"):
            x.sqrt().sum().backward()
        with pytest.raises(FloatingPointError, match="'log' produced an infinity"):
            x.log()


def test_a_change_in_place_needs_no_grad(own: mine.Engine) -> None:
    x = own.Tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="no_grad"):
        x -= 0.5
    with no_grad():
        x -= 0.5
    assert x.tolist() == [0.5]


@pytest.mark.parametrize("whose", ["own", "borrowed"])
def test_modules_name_their_parameters_in_pairs_as_the_reference_s_do(
    whose: str, request: pytest.FixtureRequest
) -> None:
    """Inner modules without a `forward`, as notebook 10's check has them, count as well."""
    engine = request.getfixturevalue(whose)

    class Held(engine.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self, **parts: Any) -> None:
            vars(self).update(parts)

    model = Held(w=engine.nn.Parameter(np.ones(2)), inner=Held(b=engine.nn.Parameter(np.zeros(3))))
    found = model.named_parameters()
    assert [(name, p.data.shape) for name, p in found] == [("w", (2,)), ("inner.b", (3,))]
    assert list(dict(model.named_parameters())) == ["w", "inner.b"]
    assert len(model.parameters()) == 2 and not hasattr(found, "items")
    model.load_state_dict({"w": np.zeros(2), "inner.b": np.ones(3)})
    assert model.state_dict()["inner.b"].tolist() == [1, 1, 1]


def test_float32_stays_float32(own: mine.Engine) -> None:
    own.nn.manual_seed(0)
    model = own.nn.Sequential(
        own.nn.Linear(3, 4), own.nn.ReLU(), own.nn.Dropout(0.5), own.nn.Linear(4, 2)
    ).to("float32")
    out = model(np.ones((5, 3), dtype="float32"))
    loss = own.functional.cross_entropy(out, np.zeros(5, dtype=int))
    loss.backward()
    assert {out.dtype, loss.dtype, *(p.grad.dtype for p in model.parameters())} == {np.dtype("float32")}


def test_what_the_engine_lacks_is_said(own: mine.Engine) -> None:
    with pytest.raises(
        AttributeError, match=r"your own engine has no `BatchNorm1d` here, only Module, .*Embedding"
    ):
        operator.attrgetter("BatchNorm1d")(own.nn)


# -- where the notebooks are --------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [".", "10_training"])
def test_the_units_are_found_from_the_course_and_from_the_unit(
    folder: Path, start: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(logbook, "_here", (folder / start).resolve())
    mine.engine()
    assert f"{len(PARTS)} of {len(PARTS)} parts are yours." in capsys.readouterr().out


def test_a_missing_notebook_is_named(tmp_path: Path, capsys: Any) -> None:
    folder = write_units(tmp_path)
    (notebook,) = (folder / "07_losses").glob("*.ipynb")
    notebook.unlink()
    engine = mine.engine(folder)
    assert (
        "log_softmax          07_losses             reference, there is no notebook of it here"
        in capsys.readouterr().out
    )
    assert np.abs(curve(engine) - curve(reference)).max() < 1e-8
    (notebook,) = (folder / "05_tensors").glob("*.ipynb")
    notebook.unlink()
    with pytest.raises(UserError, match=r"holds no notebook of unit 05_tensors.*autograder fresh 05"):
        mine.engine(folder)


def test_a_notebook_shows_the_sentence_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(REPOSITORY / "course" / "16_small_gpt", tmp_path / "16_small_gpt")
    shell = InteractiveShell()
    shell.user_ns["where"] = str(tmp_path)
    shell.run_cell("from autograder import mine; mine.engine(where)")
    said = capsys.readouterr().out
    assert said.strip().count("\n") == 0, said
    assert re.search(r"✗ .* holds no notebook of unit 05_tensors.*`autograder fresh 05`", said), said


@pytest.mark.parametrize(
    ("unit", "name"),
    [("05_tensors", name) for name in ("tensor", "tables", "backward")]
    + [("08_layers", name) for name in ("module", "activations")],
)
def test_a_given_cell_that_was_deleted_is_named(tmp_path: Path, unit: str, name: str) -> None:
    def delete(notebook: Node) -> None:
        notebook.cells[:] = [cell for cell in notebook.cells if grade_id(cell) != name]

    with pytest.raises(
        UserError, match=rf"`{name}` of unit {unit} does not run, it is not there: `autograder fr"
    ):
        mine.engine(write_units(tmp_path, edit=delete))


def test_a_given_cell_that_was_spoilt_is_named(tmp_path: Path) -> None:
    def spoil(notebook: Node) -> None:
        for cell in notebook.cells:
            if grade_id(cell) == "module":
                cell.source = "1 / 0"

    with pytest.raises(UserError, match=r"`module` of unit 08_layers does not run, ZeroDivisionError"):
        mine.engine(write_units(tmp_path, edit=spoil))


def test_the_learner_s_own_notebook_is_read_and_no_kept_copy(folder: Path) -> None:
    assert all(learner.KEPT not in unit.notebook.name for unit in learner.units(folder))


# -- the switch, and grading --------------------------------------------------------------------------------------


def unit_10() -> Assignment:
    return COURSE.assignment("10_training")


def test_the_reference_s_names_are_imported_in_one_cell() -> None:
    imports = [c for c in unit_10().release.cells if c.cell_type == "code" and "import Tensor" in c.source]
    assert [grade_id(c) for c in imports] == ["imports"]


def test_notebook_10_runs_in_a_kernel_with_the_switch_on(folder: Path) -> None:
    path = folder / "10_training" / "training.ipynb"
    outputs = {}
    for on in (False, True):
        started = time.monotonic()
        notebook = executed(path, "10_training", on)  # the cells assert what they reach
        assert time.monotonic() - started < 120
        outputs[on] = {
            cell.id: "".join(out.text for out in cell.outputs if out.output_type == "stream")
            for cell in notebook.cells
            if cell.cell_type == "code" and cell.id != switch_cell(notebook, "10_training").id
        }
        assert (f"{len(PARTS)} of {len(PARTS)} parts are yours." in str(notebook)) is on
    # In float32 two engines differ in the last digits, and so may a share of digits.
    different = [name for name in outputs[True] if outputs[True][name] != outputs[False][name]]
    assert set(different) <= {"honest_score_check-4", "figure_reading-2", "mended_run_check-1"}
