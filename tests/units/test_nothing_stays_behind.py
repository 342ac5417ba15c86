"""After a wrong answer, the right one passes in the same notebook: no probe lends its own arrays to an answer.

A class has a new process for each submission, a learner's kernel goes on. What a wrong answer writes into an array of
the folded cells would refuse the right one until these cells run again.
"""

from __future__ import annotations

import random
import re
import warnings
from dataclasses import replace
from typing import Any

import matplotlib
import pytest

from autograder.authoring.explain import SEED
from autograder.lesson.probes import LocalBoundary, Session
from autograder.referee.bank import Entry, load_bank
from autograder.referee.check_cells import checking, compiled, remember, setup_names
from autograder.unit.assignment import Assignment, Course, Exercise
from autograder.unit.notebook import visible_part

from ..conftest import REPOSITORY

COURSE = Course(REPOSITORY)
#: How an answer can write into what it was given, or keep it.
IN_PLACE = re.compile(
    r"[-+*/|&@^%]=|\] *=|\.\w+ *=[^=]|\bout=|\bdel\b|\bglobal\b|\.at\(|copyto|"
    r"\.(append|pop\w*|sort|fill|clear|update|extend|insert|remove|reverse|resize|setdefault|add|put\w*|itemset)\("
)
#: Whose checks take a second or more: five of the answers to them are tried.
LONG = {"island_network", "Tensor", "project"}


class Kernel:
    """One process in which the cells of a unit ran, and one answer after the other is tried."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.checking = setup_names(assignment)
        self.names: dict[str, Any] = {"__name__": "__main__"}
        for number, cell in enumerate(assignment.trusted_cells()):
            self.run(cell.source, f"<left {assignment.unit} {number}>")
        self.at_first = dict(self.names)

    def run(self, source: str, filename: str) -> None:
        remember(filename, source)
        exec(compile(source, filename, "exec"), self.names)

    def told(self, exercise: Exercise, answer: str) -> str:
        """What the visible check says; empty when it passes."""
        filename = f"<left {exercise.name}>"
        check = visible_part(exercise.check)
        remember(filename, check)
        try:
            self.run(answer, f"<answer to {exercise.name}>")
            with checking(Session(LocalBoundary(self.names), SEED, quiet=True)):
                exec(compiled(check, filename), dict(self.checking))
        except Exception as error:  # of the check, or of the cell itself
            return f"{type(error).__name__}: {error}"
        finally:
            self.names.clear()
            self.names.update(self.at_first)
        return ""


def left_behind(assignment: Assignment) -> tuple[list[str], int]:
    """After which answers that write into something the model answer is refused, and how many of them were wrong."""
    kernel, bank = Kernel(assignment), load_bank(assignment)
    found, wrong = [], 0
    for exercise in assignment.exercises:
        assert not kernel.told(exercise, exercise.solution)
        entries = [e for e in bank if e.exercise == exercise.name and e.ends and IN_PLACE.search(e.source)]
        if exercise.name in LONG:
            entries = random.Random(1).sample(entries, min(5, len(entries)))
        for entry in entries:
            wrong += bool(kernel.told(exercise, entry.answer(exercise.solution)))
            if told := kernel.told(exercise, exercise.solution):
                found.append(f"{exercise.name}, after {entry.name}: {told}")
                kernel = Kernel(assignment)
    return found, wrong


@pytest.mark.parametrize("unit", COURSE.units())
def test_after_a_wrong_answer_the_right_one_passes(unit: str) -> None:
    matplotlib.use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, wrong = left_behind(COURSE.assignment(unit))
    assert not found
    assert wrong or unit == "00_start_here"


def test_a_list_that_a_probe_lends_is_found(mini_course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    mini = mini_course.assignment("mini")
    lends = "\n\nLENT = [1.0]\n\n\n@probe\ndef of_lent():\n    return mul_vjp(LENT, 2.0, 3.0)\n"
    cells = [replace(c, source=c.source + lends) if c.name == "imports" else c for c in mini.cells]
    monkeypatch.setattr(mini, "cells", tuple(cells))
    check = (
        "with exercise('mul_vjp') as check:\n    check.close(of_lent(), ([1.0] * 3, [1.0] * 2), 'as often')\n"
    )
    right, writes = "return g * int(b), g * int(a)", "g *= 2\n    return g * int(b), g * int(a)"
    source = "def mul_vjp(g, a, b):\n    {}"
    mini.exercises[:] = [
        replace(e, check=check, solution=source.format(right)) for e in mini.exercises if e.name == "mul_vjp"
    ]
    bank = [Entry("mul_vjp", "writes", "It writes into g.", source.format(writes), right=False)]
    monkeypatch.setitem(globals(), "load_bank", lambda assignment: bank)
    found, wrong = left_behind(mini)
    assert wrong == 1
    assert [told.startswith("mul_vjp, after writes: ") for told in found] == [True]
