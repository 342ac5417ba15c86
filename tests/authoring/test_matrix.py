"""The matrix of checks and wrong answers: what each check ends, also behind the first that fails."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring.matrix import Matrix, checks_of, matrix, row_of, table_of
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course, Exercise

from ..conftest import make_course

CHECK = """with exercise('mul_vjp') as check:
    check.close(yours.mul_vjp(10.0, 2.0, 3.0), (30.0, 20.0), 'the numbers')
    pair = yours.mul_vjp(1.0, 2.0, 5.0)
    check.close(len(pair), 2, 'a pair')
    ### BEGIN HIDDEN TESTS
    for g in (1.0, 2.0):
        da, db = yours.mul_vjp(g, 2.0, 5.0)
        check.close(da, g * 5.0, 'the first')
        if g > 1:
            check.close(db, g * 2.0, 'the second, times g')
    check.true(True, 'nothing')
    ### END HIDDEN TESTS
"""
#: What an answer gives, and the lines that end it.
ENDED = {
    "return g * b, g * a": set(),
    "return b, a": {2, 8, 10},
    "return g * b, a": {2, 10},
    "return g * b, g * a, 0.0": {2, 4, 8, 10},
    "return None": {2, 4, 8, 10},
    "return g / 0, 1": {2, 4, 8, 10},
}


@pytest.fixture
def unit(mini_course: Course) -> tuple[Assignment, Exercise]:
    assignment = mini_course.assignment("mini")
    exercise = replace(assignment.exercise("mul_vjp"), check=CHECK)
    assignment.exercises[:] = [exercise, assignment.exercise("unbox")]
    return assignment, exercise


def test_the_checks_of_a_cell_are_its_judging_statements(unit: tuple[Assignment, Exercise]) -> None:
    assert [(check.line, check.hidden) for check in checks_of(unit[1])] == [
        (2, False),
        (4, False),
        (8, True),
        (10, True),
        (11, True),
    ]


@pytest.mark.parametrize("body", ENDED)
def test_every_check_says_what_it_ends_also_behind_one_that_failed(
    body: str, unit: tuple[Assignment, Exercise], sandbox: Sandbox
) -> None:
    assignment, exercise = unit
    answer = f"def mul_vjp(g, a, b):\n    {body}"
    row = row_of(assignment, exercise, "it", "wrong", answer, sandbox)
    assert (set(row.ended_by), set(row.unknown)) == (ENDED[body], set())


def test_where_the_process_is_lost_what_follows_is_not_known(
    unit: tuple[Assignment, Exercise], sandbox: Sandbox
) -> None:
    assignment, exercise = unit
    answer = "import os\ndef mul_vjp(g, a, b):\n    return (g * b, g * a) if g != 1 else os._exit(3)"
    row = row_of(assignment, exercise, "it", "wrong", answer, sandbox)
    assert row.unknown == {4, 8, 10, 11}
    assert not row.ended_by


def test_a_check_that_ends_nothing_and_one_that_ends_nothing_alone_are_listed(
    unit: tuple[Assignment, Exercise], sandbox: Sandbox
) -> None:
    found = matrix(unit[0], sandbox, jobs=2)
    assert not found.faults
    assert [(check.exercise, check.line) for check in found.idle] == [("mul_vjp", 11)]
    assert ("mul_vjp", 4) in {(check.exercise, check.line) for check in found.never_alone}
    rows = list(csv.DictReader(io.StringIO(found.csv())))
    its = [row for row in rows if row["exercise"] == "mul_vjp"]
    assert len(its) == sum(row.exercise == "mul_vjp" for row in found.rows) * 5
    assert {row["kind"] for row in rows} == {"wrong", "mutant"}
    ended = {row["line"] for row in rows if row["answer"] == "no_upstream" and row["ends it"] == "1"}
    assert ended == {"2", "8", "10"}
    table = {row[1]: row for row in table_of(found.checks, found) if row[0] == "mul_vjp"}
    assert table["11"][2:] == ("hidden", "0", "0", "check.true(True, 'nothing')")


def test_a_check_that_ends_the_model_answer_is_a_fault_of_the_run(
    mini_course: Course, sandbox: Sandbox
) -> None:
    assignment = mini_course.assignment("mini")
    exercise, other = assignment.exercises
    check = CHECK.replace("True, 'nothing'", "False, 'nothing'")
    assignment.exercises[:] = [replace(exercise, check=check), other]
    found: Matrix = matrix(assignment, sandbox, jobs=2)
    assert found.faults == ["mul_vjp: line 11 ends the model answer."]


def test_the_course_s_small_unit_has_no_idle_check(sandbox: Sandbox, tmp_path: Path) -> None:
    found = matrix(make_course(tmp_path).assignment("mini"), sandbox, jobs=2)
    assert not found.faults
    assert not found.idle
