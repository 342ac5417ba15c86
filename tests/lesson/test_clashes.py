"""A learner's helper with the name of a function that checks the answer, and an answer that stands in another file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.lesson.clashes import bound
from autograder.referee.bank import load_bank
from autograder.referee.report import Report
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY
from .conftest import Run

COURSE = Course(REPOSITORY)

HELPER = "def landing(x):\n    return x, 'and more'\n\n\ndef throw(x):\n    return landing(x)[0]\n"
PLAIN = "def throw(x):\n    return x\n"
PROBES = "def landing(x):\n    return x\n\n\n@probe\ndef thrown(x):\n    return landing(throw(x))\n"
CHECK = "with exercise('throw') as check:\n    check.close(thrown(2.0), 2.0, 'it lands')\n"


Cell = Callable[[str], list[str]]


@pytest.fixture
def cell(started: tuple[Run, Path]) -> Cell:
    """Runs a cell in a notebook's kernel and gives the lines that it showed, without colours."""
    run, _ = started

    def lines(source: str) -> list[str]:
        return re.sub(r"\x1b\[[0-9;]*m", "", run(source)).strip().splitlines()

    lines("from autograder import exercise, probe, yours")
    return lines


def test_a_helper_with_the_name_of_one_that_checks_is_told_and_not_judged(cell: Cell) -> None:
    """Whichever of the two was run last."""
    for cells in ((HELPER, PROBES), (PROBES, HELPER), (HELPER, PROBES, HELPER)):
        for source in cells:
            cell(source)
        lines = cell(CHECK)
        assert "`landing` is a name of your answer's, and one of a cell that checks it, too" in lines[0]
        assert lines[1].strip().startswith("next") and "give yours another name" in lines[1]


def test_with_another_name_it_is_judged(cell: Cell) -> None:
    cell(HELPER)
    cell(PROBES)
    cell(CHECK)
    cell(HELPER.replace("landing", "my_landing"))
    cell(PROBES)
    assert "right" in cell(CHECK)[0]


def test_a_function_that_checks_and_was_replaced_is_asked_for_again(cell: Cell) -> None:
    cell(PROBES)
    cell(HELPER)
    cell(HELPER.replace("landing", "my_landing"))
    lines = cell(CHECK)
    assert "`landing`, which checks the answer, was replaced by another function of this name" in lines[0]
    cell(PROBES)
    assert "right" in cell(CHECK)[0]


def test_a_helper_that_nothing_else_is_called_by_clashes_with_nothing(cell: Cell) -> None:
    cell("def landing(x):\n    return x\n")  # a learner's own cell, before the others
    cell(PLAIN)
    cell(PROBES)
    assert "right" in cell(CHECK)[0]


def test_an_answer_from_a_file_beside_the_notebook_is_told_that_only_the_notebook_is_handed_in(
    cell: Cell, started: tuple[Run, Path]
) -> None:
    _, folder = started
    (folder / "mine_alone.py").write_text("def throw(x):\n    return x\n\n\nclass Thrown:\n    pass\n")
    cell("from mine_alone import throw")
    cell(PROBES)
    assert "`throw` comes from mine_alone.py, and only this notebook is handed in" in cell(CHECK)[0]
    cell("from mine_alone import Thrown\nthrow = Thrown")
    assert "`throw` comes from mine_alone.py" in cell(CHECK)[0]


def test_what_is_pythons_or_numpys_own_may_be_an_answer(cell: Cell) -> None:
    cell("from copy import copy as throw")
    cell(PROBES)
    assert "right" in cell(CHECK)[0]


def test_a_value_clashes_as_a_function_does(cell: Cell) -> None:
    cell("STEPS = 3\n\n\ndef throw(x):\n    return x * STEPS / 3\n")
    cell("STEPS = 4\n\n\n@probe\ndef thrown(x):\n    return throw(x) * STEPS / 4\n")
    assert "`STEPS` is a name of your answer's" in cell(CHECK)[0]


@pytest.mark.parametrize("unit", COURSE.units())
def test_no_two_cells_that_check_give_the_same_name_to_two_things(unit: str) -> None:
    """Else the one that is run last replaces the other's, as a learner goes back to an exercise."""
    assignment = COURSE.assignment(unit)
    places: dict[str, list[str]] = {}
    for one in assignment.cells:
        if "@probe" in one.source:
            for name in bound(one.source):
                places.setdefault(name, []).append(f"{one.kind} {one.name}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("unit", COURSE.units())
def test_no_answer_of_ours_has_a_name_of_a_cell_that_checks(unit: str) -> None:
    assignment = COURSE.assignment(unit)
    checking = {name for one in assignment.cells if "@probe" in one.source for name in bound(one.source)}
    assert [e.name for e in assignment.exercises if bound(e.solution) & checking] == []
    assert [e.name for e in load_bank(assignment) if e.right and bound(e.source) & checking] == []


def test_in_a_class_it_is_told_too(grade_answers: Callable[..., Report]) -> None:
    helper = "def sum_of_logs(boxes):\n    return sum(math.log2(b.value) for b in boxes)\n"
    report = grade_answers(unbox=f"{helper}\n\ndef unbox(boxes):\n    return sum_of_logs(boxes)\n")
    outcome = report.outcomes[1]
    assert (outcome.points, outcome.mistake) == (0, "")
    assert outcome.diagnosis.startswith("`sum_of_logs` is a name of your answer's")
