"""Unit 04 on the learner's own unit 03: the numbers of the reference, gaps filled and named, no say in grading."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from autograd_ref import scalar as reference
from autograder import mine
from autograder.errors import UserError
from autograder.learner.own_engine.scalar import GIVEN, SCALAR_PARTS, UNIT
from autograder.unit.assignment import Course
from autograder.unit.cell import grade_id
from autograder.unit.notebook import Node, write_text

from ..conftest import REPOSITORY
from .test_switches import executed

COURSE = Course(REPOSITORY)
NETWORKS = "04_scalar_networks"
#: Expressions of what unit 04 uses, in a and b.
EXPRESSIONS: dict[str, Callable[..., Any]] = {
    "a sum, a product": lambda a, b, *_: a * b + a + 2 - b,
    "plain numbers on the left": lambda a, b, *_: 3 - a * 2 + 1 / b,
    "powers and quotients": lambda a, b, *_: a**3 / b - a**-1 + (-b) ** 2,
    "the loss of a margin": lambda a, b, exp, log, tanh: log(1 + exp(-a * tanh(b))) / 2,
    "used many times": lambda a, b, *_: sum([a, b, a * a, a * b, b], 0.0) * a,
    "no operation at all": lambda a, *_: a,
}


def write_units(
    root: Path,
    answers: Mapping[str, str] = {},
    others: str = "solution",
    edit: Callable[[Node], None] = lambda nb: None,
) -> Path:
    """A learner's folder with units 03 and 04: the model answers, but for those given of unit 03."""
    for name in (UNIT, NETWORKS):
        unit = COURSE.assignment(name)
        notebook = unit.solved(answers if name == UNIT else {}, others if name == UNIT else "solution")
        if name == UNIT:
            edit(notebook)
        (root / name).mkdir(parents=True)
        (root / name / f"{unit.name}.ipynb").write_text(write_text(notebook), encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_units(tmp_path_factory.mktemp("solved") / "course")


def slopes(made: Any, expression: Callable[..., Any], passes: int = 1) -> tuple[float, ...]:
    """The value of an expression at 0.7 and -1.3, and its slopes after so many passes back."""
    a, b = made.Value(0.7), made.Value(-1.3)
    out = expression(a, b, made.exp, made.log, made.tanh)
    for _ in range(passes):
        out.backward()
    return out.data, a.grad, b.grad


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("others", ["solution", "stub"])
def test_values_and_slopes_are_the_reference_s(name: str, passes: int, others: str, tmp_path: Path) -> None:
    made = mine.scalars(write_units(tmp_path / "course", others=others))
    found = slopes(made, EXPRESSIONS[name], passes)
    assert found == pytest.approx(slopes(reference, EXPRESSIONS[name], passes), rel=1e-12)


def test_plain_numbers_stay_plain_numbers(folder: Path) -> None:
    made = mine.scalars(folder)
    for name in ("exp", "log", "tanh"):
        assert getattr(made, name)(0.7) == getattr(math, name)(0.7)
    assert repr(made.Value(2)) == repr(made.Value(2.0))
    with pytest.raises(TypeError, match="data"):
        made.Value("2")


def test_a_value_keeps_the_numbers_that_it_was_computed_from(folder: Path) -> None:
    made = mine.scalars(folder)
    x, w = made.Value(3.0), made.Value(2.0)
    out = w * x
    w.data = 10.0
    out.backward()
    assert (x.grad, w.grad, out.partials) == (2.0, 3.0, (3.0, 2.0))
    out.zero_grad()
    assert (x.grad, w.grad, out.grad) == (0.0, 0.0, 0.0)


def test_the_table_says_whose_each_part_is(tmp_path: Path, capsys: Any) -> None:
    parts = len(SCALAR_PARTS)
    mine.scalars(write_units(tmp_path / "solved"))
    assert f"{parts} of {parts} parts are yours." in capsys.readouterr().out
    mine.scalars(write_units(tmp_path / "stubs", others="stub"))
    said = capsys.readouterr().out
    assert f"0 of {parts} parts are yours." in said
    assert said.count("reference, not written yet") == parts


def test_a_wrong_rule_gives_other_slopes(tmp_path: Path, capsys: Any) -> None:
    right = COURSE.assignment(UNIT).exercise("exp_log_sqrt").solution
    wrong = right.replace("return (g / a,)", "return (g * a,)")
    assert wrong != right
    made = mine.scalars(write_units(tmp_path / "course", {"exp_log_sqrt": wrong}))
    expression = EXPRESSIONS["the loss of a margin"]
    assert slopes(made, expression) != pytest.approx(slopes(reference, expression), rel=1e-3)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    write_units(tmp_path / "course")
    (tmp_path / "course" / UNIT / "reverse_mode.ipynb").unlink()
    with pytest.raises(UserError, match=r"holds no notebook of unit 03_reverse_mode.*autograder fresh 03"):
        mine.scalars(tmp_path / "course")


@pytest.mark.parametrize("given", GIVEN[UNIT])
def test_a_given_cell_that_does_not_run_is_named(given: str, tmp_path: Path) -> None:
    def spoil(notebook: Node) -> None:
        (cell,) = (c for c in notebook.cells if grade_id(c) == given)
        cell.source = "nonsense"

    with pytest.raises(UserError, match=f"given cell `{given}` of unit 03_reverse_mode does not run"):
        mine.scalars(write_units(tmp_path / "spoilt", edit=spoil))


def test_notebook_04_runs_with_the_switch_on_and_passes_every_check(folder: Path) -> None:
    notebook = executed(folder / NETWORKS / "scalar_networks.ipynb", NETWORKS, on=True)
    assert f"{len(SCALAR_PARTS)} of {len(SCALAR_PARTS)} parts are yours." in str(notebook)
    checks = [cell for cell in notebook.cells if cell.cell_type == "code" and "with exercise(" in cell.source]
    assert len(checks) == len(COURSE.assignment(NETWORKS).exercises)
    for cell in checks:
        assert "✓" in str(cell.outputs), cell.source[:60]
