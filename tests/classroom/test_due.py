"""A due date may be set before or after collecting and grading; where none is known, lateness is not passed over."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable

import pytest

from autograder.referee.autograded import write_notebook
from autograder.unit.assignment import Course

from ..cli.test_cli import Said, run  # noqa: F401  the fixture of commands

pytestmark = pytest.mark.usefixtures("bubblewrap")
Run = Callable[..., Said]
DUE = ("due", "mini", "2026-01-01 00:00 UTC")
NO_DATE = (
    "mini has no due date, so nothing is taken off for lateness (it concerns 1 submission (ada-1) marked as late by "
    'the platform): set it with `autograder due mini "2026-11-20 23:59 +01:00"` and grade again.'
)


@pytest.fixture
def course(handed_in: Callable[..., Course]) -> Course:
    """A class of two in a Canvas archive, one of them late."""
    return handed_in("ada_LATE_1_11_mini.ipynb", "bob_2_12_mini.ipynb")


def penalties(course: Course, run: Run) -> dict[str, str]:  # noqa: F811
    out = course.root / "grades.csv"
    assert run("export", "--to", "csv", "--out", out, cwd=course.root).code == 0
    with out.open(encoding="utf-8") as file:
        return {row["student"]: row["mini: late penalty"] for row in csv.DictReader(file)}


ORDERS = {
    "due first": [DUE, ("collect", "all.zip"), ("grade", "mini", "--late-policy", "10")],
    "due after collecting": [("collect", "all.zip"), DUE, ("grade", "mini", "--late-policy", "10")],
    "due after grading": [
        ("collect", "all.zip"),
        ("grade", "mini", "--late-policy", "10"),
        DUE,
        ("grade", "mini"),
    ],
    "by nbgrader's date, moved": [
        ("due", "mini", "2025-12-01 00:00 +0100"),
        ("collect", "all.zip"),
        ("grade", "mini", "--late-policy", "10"),
        DUE,
        ("grade", "mini"),
    ],
}


@pytest.mark.parametrize("order", ORDERS)
def test_a_late_penalty_is_the_same_whenever_the_due_date_was_set(
    order: str,
    course: Course,
    run: Run,  # noqa: F811
) -> None:
    for command in ORDERS[order]:
        said = run(*command, cwd=course.root)
        assert said.code == 0, said
    assert penalties(course, run) == {"ada-1": "0.5", "bob-2": "0"}
    stamp = course.root / "submitted/ada-1/mini/timestamp.txt"
    assert stamp.read_text() == "2026-01-01 00:00:01 UTC\n"
    assert "1 submission (ada-1) marked as late by the platform, and not by how much" in said.out


def test_a_late_policy_without_a_due_date_says_so_and_whom_it_concerns(
    course: Course,
    run: Run,  # noqa: F811
) -> None:
    said = run("collect", "all.zip", cwd=course.root)
    assert "so 1 submission (ada-1) marked as late by the platform will lose nothing" in said.out
    assert "no due date" not in run("grade", "mini", cwd=course.root).out
    assert NO_DATE in run("grade", "mini", "--late-policy", "10", cwd=course.root).out
    assert NO_DATE in run("grade", "mini", cwd=course.root).out, "it is kept for the unit"
    run("due", "mini", "2026-01-01 00:00 UTC", cwd=course.root)
    assert run("due", "mini", cwd=course.root).out == "mini is due 2026-01-01 00:00:00 UTC.\n"
    assert NO_DATE not in run("grade", "mini", cwd=course.root).out
    assert run("due", "mini", "--off", cwd=course.root).out.startswith("mini has no due date: ")
    assert NO_DATE in run("grade", "mini", cwd=course.root).out
    assert penalties(course, run) == {"ada-1": "0", "bob-2": "0"}


def test_what_an_instructor_wrote_stays_whatever_becomes_of_the_due_date(
    course: Course,
    run: Run,  # noqa: F811
) -> None:
    run("collect", "all.zip", cwd=course.root)
    stamp = course.root / "submitted/ada-1/mini/timestamp.txt"
    stamp.write_text("2026-01-03 12:00:00 UTC\n")
    run(*DUE, cwd=course.root)
    said = run("grade", "mini", "--late-policy", "10", cwd=course.root)
    assert "not by how much" not in said.out
    assert penalties(course, run)["ada-1"] == "1.5"


def test_a_hand_in_of_unknown_time_is_told_where_lateness_costs_points(
    course: Course,
    run: Run,  # noqa: F811
) -> None:
    source = course.root / "class" / "cyd" / "mini.ipynb"
    write_notebook(source, course.assignment("mini").solved())
    run("collect", "class", cwd=course.root)
    run(*DUE, cwd=course.root)
    said = run("grade", "mini", "--late-policy", "10", cwd=course.root)
    assert "1 submission (cyd) of unknown time, counted as in time: write when it came into" in said.out


@pytest.mark.parametrize(
    ("zone", "told"),
    [("UTC", "2026-11-20 22:59:00 UTC"), ("Europe/Berlin", "2026-11-20 23:59:00 CET (UTC+01:00)")],
)
def test_a_due_date_is_told_in_the_zone_that_was_given_and_later_in_this_machine_s(
    zone: str,
    told: str,
    course: Course,
    run: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        said = run("due", "mini", "2026-11-20 23:59 +01:00", cwd=course.root)
        assert said.out == "mini is due 2026-11-20 23:59:00 UTC+01:00.\n"
        assert run("due", "mini", cwd=course.root).out == f"mini is due {told}.\n"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("wrong", ["2026-11-20 23:59", "tomorrow"])
def test_a_due_date_without_a_zone_is_one_sentence(wrong: str, course: Course, run: Run) -> None:  # noqa: F811
    said = run("due", "mini", wrong, cwd=course.root)
    assert (said.code, said.out) == (2, "")
    assert f"{wrong!r} is no time with a zone" in said.err
