"""Partial credit: a part earns its points by itself, and the proof of a unit knows what each wrong answer may keep."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from autograder.authoring.build import Product, release
from autograder.authoring.matrix import matrix
from autograder.authoring.prove import gaps, prove
from autograder.authoring.seeds import at_seeds
from autograder.authoring.trial import run_check
from autograder.classroom.platforms.gradescope import results
from autograder.classroom.records import facts
from autograder.errors import UserError
from autograder.lesson import likely
from autograder.lesson.checks import exercise
from autograder.lesson.failures import CheckFailed, TestFault
from autograder.lesson.locked import lock, whole_digest
from autograder.lesson.parts import telling
from autograder.lesson.probes import LocalBoundary, Session, use_session, yours
from autograder.referee.bank import load_bank
from autograder.referee.judge import grade
from autograder.referee.report import Outcome
from autograder.sandbox.walls import Interrupted, Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import Submission
from autograder.unit.notebook import visible_part
from autograder.unit.parts import parts_of
from autograder.unit.source import read_source

from ..cli.test_cli import Said, run
from ..conftest import REPOSITORY

__all__ = ["run"]

PAGE = (REPOSITORY / "docs" / "authors.md").read_text(encoding="utf-8")
#: The check and the first wrong answer are those of the author's handbook.
SOURCE = '''# ---
# jupyter:
#   autograder:
#     unit: 01_spread
# ---

# %% setup="imports"
from autograder import exercise, numbers, yours

# %% [markdown]
# ### Exercise `spread` (3 points)

# %% exercise="spread"
def spread(values):
    """The mean of some numbers, and their mean distance from it."""
    ### BEGIN SOLUTION
    mean = sum(values) / len(values)
    return mean, sum(abs(v - mean) for v in values) / len(values)
    ### END SOLUTION

# %% check="spread" points=3
'''
CHECK, FIRST, *_ = re.findall(r"^```py\n(.*?)^```$", PAGE, re.M | re.S)
SOURCE += CHECK
BANK = """from autograder.referee.bank import right, wrong


@wrong("spread", "middle", "That is the number in the middle of the list.", keeps=["distance"])
def spread(values):
    mean = sum(values) / len(values)
    return values[0], sum(abs(v - mean) for v in values) / len(values)


@wrong("spread", "sums", "Sums are to be shared by how many there are.")
def spread(values):
    mean = sum(values) / len(values)
    return sum(values), sum(abs(v - mean) for v in values)


@right("spread", "twice")
def spread(values):
    n = len(values)
    return sum(values) / n, sum(abs(v - sum(values) / n) for v in values) / n
"""
BANK += f"\n\n{FIRST}"
SIGNED = "def spread(v):\n    m = sum(v) / len(v)\n    return m, sum(x - m for x in v) / len(v)"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("parts")
    (root / "nbgrader_config.py").write_text((REPOSITORY / "nbgrader_config.py").read_text())
    source = root / "solutions" / "01_spread" / "spread.py"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE)
    (source.parent / "mistakes.py").write_text(BANK)
    notebook = read_source(source)
    source.with_suffix(".ipynb").write_text(Product(source, notebook).text)
    released = root / "course" / "01_spread" / "spread.ipynb"
    released.parent.mkdir(parents=True)
    released.write_text(Product(released, release(notebook)).text)
    return Course(root)


@pytest.fixture
def unit(course: Course) -> Assignment:
    return course.assignment("1")


def outcome(unit: Assignment, sandbox: Sandbox, answer: str, seed: int = 1) -> Outcome:
    (found,) = grade(unit, Submission(answers={"spread": answer}), sandbox, seed=seed).outcomes
    return found


def test_a_part_that_is_right_earns_its_points_and_no_more(unit: Assignment, sandbox: Sandbox) -> None:
    found = outcome(unit, sandbox, SIGNED)
    assert (found.points, found.max_points, found.status, found.kept) == (1, 3, "failed", {"mean"})
    assert found.mistake == "signed"
    first, *rest = found.text.split("\n")
    assert first == "✗ spread: mean is right, distance not yet"
    assert rest[0] == "  part      distance (2 points): not right yet"
    assert "take abs(v - mean)" in found.text and "8 / 3" not in found.text
    whole = outcome(unit, sandbox, unit.exercises[0].solution)
    assert (whole.points, whole.status, whole.kept) == (3, "passed", {"mean", "distance"})
    none = outcome(unit, sandbox, unit.exercises[0].stub)
    assert (none.points, none.status, none.kept) == (0, "missing", set())
    assert none.text.startswith("✗ spread: not written yet")


def test_a_mutant_s_sentence_is_told_though_hidden_tests_ran_after_a_part(
    unit: Assignment, sandbox: Sandbox
) -> None:
    answer = "def spread(v):\n    m = sum(v) / len(v)\n    return m + 1, sum(abs(x - m) for x in v) / len(v)"
    assert "as if 1" not in outcome(unit, sandbox, answer).text
    names: dict[str, Any] = {}
    exec(f"from autograder import exercise, numbers, yours\n{answer}", names)
    session = Session(LocalBoundary(names), quiet=True)
    with use_session(session), pytest.raises(CheckFailed):
        exec(compile(visible_part(unit.exercises[0].check), "<visible>", "exec"), names)
    digest = whole_digest("spread", [*session.calls[telling(session.parts)], *session.echoes])
    assert len(session.echoes) == 2
    path = unit.path.parent / likely.FILE
    path.write_text(json.dumps({"mutants": {digest[:16]: lock(digest, "as if 1 were added")}}))
    try:
        told = outcome(unit, sandbox, answer)
        assert told.diagnosis == "Your answer gives here what a right one would give as if 1 were added."
        assert told.kept == {"distance"}
        # What the next part gives is no sign of this mistake: it may be wrong in its own way, or random.
        later = "\n\n\ncalls = []\ndef spread(v, first=spread):\n    calls.append(v)\n    mean, distance = first(v)\n"
        later += "    import random\n    late = calls.count(v) > 1 and len(calls) > 2\n"
        later += "    return mean, random.random() if late else distance"
        found = outcome(unit, sandbox, answer + later)
        assert found.diagnosis == told.diagnosis and not found.kept
        # Another answer, of which students see other values, is not told so.
        assert "as if 1" not in outcome(unit, sandbox, answer.replace("m + 1", "m + 2")).text
    finally:
        path.unlink()


def test_general_diagnoses_of_several_parts_are_kept_for_the_class(
    unit: Assignment, sandbox: Sandbox
) -> None:
    negative = "def spread(v):\n    m = sum(v) / len(v)\n    return -m, -sum(abs(x - m) for x in v) / len(v)"
    report = grade(unit, Submission(answers={"spread": negative}), sandbox, seed=1)
    (found,) = report.outcomes
    (kept,) = facts(report, 0.0)["exercises"]
    said = [part.diagnosis for part in found.parts]
    assert all(said) and not found.diagnosis
    assert kept["diagnosis"] == f"mean: {said[0]} distance: {said[1]}"
    assert found.text.count("  likely ") == 2  # told where it stands, and once


@pytest.mark.parametrize(
    ("answer", "kept", "status"),
    [
        # What stands in no part is asked of all.
        ("m = sum(values) / len(values)\n    return [m]", set(), "failed"),
        ("return 5", set(), "failed"),
        ("return sum(values) / len(values), None", {"mean"}, "failed"),
        ("raise SystemExit", set(), "error"),
        # Each part is asked of an answer that never ends, or ends its process, in another.
        ("m = sum(values) / len(values)\n    while m < -1: pass\n    return m, 1 / 0 if m == 5 else 1", set(), "error"),
        ("import os\n    -2.0 in values and os._exit(0)\n    return sum(values) / len(values), 0", {"mean"}, "failed"),
    ],
)  # fmt: skip
def test_what_goes_wrong_in_one_part_costs_that_part(
    answer: str, kept: set[str], status: str, unit: Assignment, sandbox: Sandbox
) -> None:
    found = outcome(unit, sandbox, f"def spread(values):\n    {answer}")
    assert (found.kept, found.status) == (kept, status)
    assert found.points == sum(part.max_points for part in found.parts if part.name in kept)


def test_an_answer_without_an_end_keeps_the_other_part(unit: Assignment, sandbox: Sandbox) -> None:
    endless = "def spread(values):\n    while values == [-2.0, -2.0]: pass\n    return sum(values) / len(values), 8 / 3"
    found = outcome(unit, sandbox, endless)
    assert (found.kept, found.status) == ({"mean"}, "timeout")


def test_a_part_draws_the_same_however_far_another_came(unit: Assignment, sandbox: Sandbox) -> None:
    told = set()
    for first in ("0.0", "sum(values) / len(values)"):
        tail = "8 / 3 if 1.0 in values else 0.0 if -2.0 in values else 7.0"
        found = outcome(unit, sandbox, f"def spread(values):\n    return {first}, {tail}", seed=3)
        told.add(re.findall(r"called +(spread\(\S.*)\n", found.text)[-1])
    assert len(told) == 1 and "spread([" in told.pop()


def test_the_bank_says_which_parts_a_wrong_answer_keeps_and_the_proof_holds_it_to_them(
    course: Course, sandbox: Sandbox
) -> None:
    unit = course.assignment("1")
    assert not list(gaps(unit, load_bank(unit)))
    assert all(proof.good for proof in prove(unit, sandbox, seed=2, jobs=1))
    seeded = at_seeds(unit, sandbox, [4, 5], jobs=1)
    assert seeded.good, (seeded.slips, seeded.faults)
    bank = course.solutions / "01_spread" / "mistakes.py"
    try:
        # A part that nobody says it may keep, and one that it is said to keep and does not.
        bank.write_text(
            BANK.replace(', keeps=["mean"]', "").replace('there are."', 'there are.", keeps=["mean"]')
        )
        bad = {
            proof.trial.label: proof.said for proof in prove(unit, sandbox, seed=2, jobs=1) if not proof.good
        }
        assert set(bad) == {"signed", "sums"}
        assert "earned 1 of 3 (failed, keeps mean)" in bad["signed"]
        assert "earned 0 of 3 (failed, keeps no part)" in bad["sums"]
        told = [slip.told("1") for slip in at_seeds(unit, sandbox, [4], jobs=1).slips]
        assert sorted(told)[0].startswith("spread: signed is wrong and keeps mean at seed 4:")
        assert len(told) == 2
        bank.write_text(BANK.replace('["mean"]', '["mean", "distance"]'))
        with pytest.raises(UserError, match="keeps every part of spread, so it is not wrong"):
            load_bank(unit)
        bank.write_text(BANK.replace('["mean"]', '["median"]'))
        with pytest.raises(UserError, match="spread has the parts mean, distance"):
            load_bank(unit)
        bank.write_text(BANK.replace(', keeps=["mean"]', ""))
        assert list(gaps(unit, load_bank(unit))) == [
            "No wrong answer in mistakes.py keeps the part 'mean' of spread; it needs one."
        ]
    finally:
        bank.write_text(BANK)


def test_a_mutant_is_dead_when_it_loses_a_part_and_the_matrix_sees_every_statement(
    unit: Assignment, sandbox: Sandbox
) -> None:
    (one,) = unit.exercises
    assert not run_check(unit, one, SIGNED, one.check, sandbox).passed
    assert run_check(unit, one, one.solution, one.check, sandbox).passed
    found = matrix(unit, sandbox, jobs=1)
    assert not found.faults
    (row,) = [row for row in found.rows if row.answer == "signed"]
    second = next(i for i, line in enumerate(one.check.splitlines(), 1) if '"distance"' in line)
    assert row.ended_by and min(row.ended_by) > second


def test_whoever_reads_a_result_sees_its_parts(unit: Assignment, sandbox: Sandbox) -> None:
    report = grade(unit, Submission(answers={"spread": SIGNED}), sandbox, seed=1)
    (shown,) = report.as_json()["exercises"]
    assert shown["parts"] == [
        {"name": "mean", "points": 1, "max_points": 1, "status": "passed"},
        {"name": "distance", "points": 0, "max_points": 2, "status": "failed"},
    ]
    platform = results(report)
    assert [(t["name"], t["score"], t["max_score"], t["status"]) for t in platform["tests"]] == [
        ("spread: mean", 1, 1, "passed"),
        ("spread: distance", 0, 2, "failed"),
    ]
    assert platform["score"] == 1 == sum(t["score"] for t in platform["tests"])
    assert not platform["tests"][0]["output"] and "take abs" in platform["tests"][1]["output"]


def test_a_class_has_its_parts_in_gradebook_feedback_and_report(
    run: Callable[..., Said], course: Course, unit: Assignment, bubblewrap: None, tmp_path: Path
) -> None:
    for student, answer in (("ada", SIGNED), ("bob", unit.exercises[0].solution)):
        path = course.root / "submitted" / student / unit.unit / "spread.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(unit.solved({"spread": answer})))
    said = run("grade", "1", "-j", "1", cwd=course.root)
    assert said.code == 0 and "spread (signed, 1 of 3)" in said.out
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        grades = {
            name: gradebook.find_submission_notebook("spread", unit.unit, name) for name in ("ada", "bob")
        }
        assert [(n.score, n.max_score) for n in grades.values()] == [(1, 3), (3, 3)]
        assert not grades["ada"].grades[0].needs_manual_grade
        assert "mean is right, distance not yet" in grades["ada"].comments[0].comment
    assert run("feedback", "1", "-j", "1", cwd=course.root).code == 0
    page = (course.root / "feedback" / "ada" / unit.unit / "spread.html").read_text()
    assert "mean is right, distance not yet" in page and "distance (2 points): not right yet" in page
    table = tmp_path / "t.csv"
    assert run("report", "1", "--out", tmp_path / "r.html", "--csv", table, cwd=course.root).code == 0
    report = re.sub("<[^>]+>", " ", (tmp_path / "r.html").read_text())
    assert re.search(r"spread\s+mean\s+1\s+2\s+100%", report)
    assert re.search(r"spread\s+distance\s+2\s+1\s+50%", report)
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"))))
    assert [(row["spread: mean"], row["spread: distance"]) for row in rows] == [("1", "0"), ("1", "2")]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("points=2", "points=3", r"its parts give 1 \+ 3 points, and the check 3"),
        ('"distance"', '"mean"', "two parts have one name"),
        ("points=2", "points=two", "a part is written with a name and points"),
        ("points=2", "points=-2", "a part is written with a name and points"),
        ('    with check.part("mean', '    for _ in "ab":\n     with check.part("mean', "asked once of every"),
        ("        check.close(yours.spread([1.0, 5.0, 9.0])[0], 5.0, \"15 shared by 3\")\n", "", "that students see"),
    ],
)  # fmt: skip
def test_the_build_refuses_parts_that_are_not_what_they_say(
    old: str, new: str, told: str, tmp_path: Path
) -> None:
    assert [tuple(part) for part in parts_of(CHECK, 3, "x")] == [("mean", 1), ("distance", 2)]
    source = tmp_path / "01_spread" / "spread.py"
    source.parent.mkdir()
    assert old in SOURCE
    source.write_text(SOURCE.replace(old, new, 1))
    with pytest.raises(UserError, match=told):
        read_source(source)


def test_a_check_that_did_not_ask_its_parts_is_at_fault(unit: Assignment, sandbox: Sandbox) -> None:
    (one,) = unit.exercises
    for check in (
        one.check.replace('with check.part("mean", 1):', "if True:"),
        one.check.replace("points=2", "points=200 / 100 + 1"),
    ):
        unit.exercises[:] = [replace(one, check=check)]
        for answer in (SIGNED, one.solution):
            found = outcome(unit, sandbox, answer)
            assert (found.points, found.doubtful) == (0, True)


def session(answer: Callable[..., object]) -> Session:
    return Session(LocalBoundary({"f": answer}), quiet=True)


def ask_two_parts() -> None:
    with exercise("f") as check:
        for number, name in enumerate(("same", "double")):
            with check.part(name, 1):
                check.close(yours.f(2.0)[number], 2.0 + 2 * number, f"{name} of 2")


def ask_nested_parts() -> None:
    with exercise("f") as check, check.part("a", 1), check.part("b", 1):
        pass


def ask_an_empty_part() -> None:
    with exercise("f") as check:
        check.true(True, "it is")
        with check.part("a", 1):
            pass


def test_in_a_notebook_all_parts_are_told_at_once() -> None:
    with use_session(session(lambda x: (x, -x))) as seen:
        with pytest.raises(CheckFailed, match="f: same is right, double not yet"):
            ask_two_parts()
        assert [part.name for part in seen.parts if part.failure is None] == ["same"]
        with exercise("f") as check:  # the next one knows nothing of these parts
            check.close(yours.f(2.0)[0], 2.0, "it stays")


def ask_signs(exam: bool) -> None:
    with exercise("f", exam=exam) as check:
        for name, sign in (("a", 1), ("b", -1)):
            with check.part(name, 1):
                check.close(yours.f(2.0), 2.0, "it stays")
                check.close(yours.f(-2.0), 2.0 * sign, "the sign")


@pytest.mark.parametrize(("exam", "told"), [(False, ", after 1 check that was right"), (True, "")])
def test_how_many_of_a_part_s_checks_were_right_is_told_but_not_in_an_exam(exam: bool, told: str) -> None:
    with use_session(session(abs)), pytest.raises(CheckFailed) as ended:
        ask_signs(exam)
    assert ended.value.failure.rows[0] == ("part", f"b (1 point): not right yet{told}")


def test_the_first_part_that_is_not_right_tells_the_mistake_unless_all_that_it_did_was_to_raise() -> None:
    for f, which in ((lambda x: (x, -x), [1]), (lambda x: (-x, -x), [0]), (lambda x: 1 / 0, [])):
        with use_session(session(f)) as seen:
            with pytest.raises(CheckFailed):
                ask_two_parts()
            assert [0, 1][telling(seen.parts)] == which


@pytest.mark.parametrize(
    ("ask", "told"), [(ask_nested_parts, "stands in another part"), (ask_an_empty_part, "makes no check")]
)
def test_parts_in_parts_and_parts_without_a_check_are_faults(ask: Callable[[], None], told: str) -> None:
    with use_session(session(abs)), pytest.raises(TestFault, match=told):
        ask()


class Ended(LocalBoundary):
    """A sandbox that is ended at the second call."""

    calls = 0

    def call(self, *given: Any, **how: Any) -> Any:
        self.calls += 1
        if self.calls > 1:
            raise Interrupted("The sandbox was ended from outside.")
        return super().call(*given, **how)


def ask_one_part(in_part: bool) -> None:
    with exercise("f") as check:
        check.close(yours.f(-2.0), 2.0, "without its sign")
        if in_part:
            with check.part("a", 1):
                check.close(yours.f(-3.0), 3.0, "without its sign")
        check.close(yours.f(-3.0), 3.0, "without its sign")


@pytest.mark.parametrize("in_part", [False, True])
def test_a_sandbox_that_was_ended_from_outside_is_no_wrong_answer(in_part: bool) -> None:
    with use_session(Session(Ended({"f": abs}), quiet=True)), pytest.raises(Interrupted):
        ask_one_part(in_part)


def test_the_visible_part_of_a_check_asks_the_same_parts(unit: Assignment) -> None:
    (one,) = unit.exercises
    assert parts_of(visible_part(one.check), 3, "x") == one.parts
