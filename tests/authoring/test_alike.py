"""Mistakes that a visible check takes for one another: those that differ elsewhere are listed, and no others."""

from __future__ import annotations

from pathlib import Path

from autograder.authoring.alike import alike, behaviour, calls_of
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course

from ..conftest import make_course


def test_listed_is_what_gives_the_same_in_sight_and_something_else_elsewhere(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    course = make_course(tmp_path)
    path = course.solutions / "mini" / "mini.ipynb"
    # Of 1 and e. The 1 is a whole number, which stays as it is where the call is made again with other numbers.
    path.write_text(path.read_text().replace("sum_of_logs([1.0, math.e])", "sum_of_logs([1, math.e])"))
    (found,) = alike(course.assignment("mini"), sandbox, jobs=1)
    # `which does not look at g` is the bank's `no_upstream` itself, so its sentence is true there.
    assert (found.entry.exercise, found.entry.name) == ("unbox", "product")
    assert [other.told for other in found.others] == ["with the last round of the loop left out"]
    assert all(0 < other.differs < other.calls for other in found.others)


def test_an_answer_does_in_each_call_what_it_gives_or_raises(mini_course: Course, sandbox: Sandbox) -> None:
    assignment = mini_course.assignment("mini")
    exercise = assignment.exercise("mul_vjp")
    calls = calls_of(assignment, exercise, sandbox)
    assert len(calls) > 10

    def does(body: str) -> list[str]:
        return behaviour(assignment, exercise, f"def mul_vjp(g, a, b):\n    {body}", calls, sandbox)

    right = does("return g * b, g * a")
    assert len(right) == len(calls) and len(set(right)) > 10
    assert does("return [b * g, a * g]") == right
    assert not set(does("return b / 0, a")) & set(right)
    assert does("import os; os._exit(3)") == [""] * len(calls)
