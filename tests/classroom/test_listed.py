"""Who is on the class's list is known from a roster alone, and what Canvas's roster says goes back to Canvas."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.classroom.classroom import Classroom, known_roster
from autograder.unit.assignment import Course

from ..cli.test_cli import Said, run  # noqa: F401  the fixture of commands

pytestmark = pytest.mark.usefixtures("bubblewrap")
Run = Callable[..., Said]
ROSTER = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Mini (99881)\n"
    '    Points Possible,,,,,5\nAda,1,,lovelace,"CS 101-01",\n{rest}'
)
CYD = "Cyd,3,,cyd,CS 101-02,\n"


@pytest.fixture
def course(handed_in: Callable[..., Course]) -> Course:
    """A class of two in a Canvas archive."""
    return handed_in("ada_1_11_mini.ipynb", "bob_2_12_mini.ipynb")


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_without_a_roster_nobody_is_missing_and_nobody_can_say_that_all_are_there(
    course: Course,
    run: Run,  # noqa: F811
) -> None:
    for command in (("collect", "all.zip"), ("grade", "mini"), ("grade", "mini"), ("collect", "all.zip")):
        said = run(*command, cwd=course.root)
        assert said.code == 0, said
        assert "Everybody has handed in" not in said.out
        assert "roster" not in said.out
    (course.root / "roster.csv").write_text(ROSTER.format(rest="Bob,2,,bob,,\n"))
    run("students", "import", "roster.csv", cwd=course.root)
    for command in (("collect", "all.zip"), ("grade", "mini")):
        assert "Everybody has handed in." in run(*command, cwd=course.root).out


def test_who_is_not_in_the_roster_is_told_by_collect_and_export(
    course: Course,
    run: Run,  # noqa: F811
) -> None:
    (course.root / "roster.csv").write_text(ROSTER.format(rest=CYD))
    run("students", "import", "roster.csv", cwd=course.root)
    said = run("collect", "all.zip", cwd=course.root)
    assert "not in the roster, and collected all the same" in said.out
    assert "adds students): bob-2\n" in said.out
    assert "missing  cyd" in said.out
    run("grade", "mini", cwd=course.root)
    said = run("export", "--to", "canvas", "--out", course.root / "c.csv", cwd=course.root)
    assert "Left out, since the gradebook has no number of Canvas's (its ID) for them: bob-2." in said.out
    assert "bob-2" not in (course.root / "c.csv").read_text()
    said = run("export", "--to", "moodle", "--out", course.root / "m.csv", cwd=course.root)
    assert "Not in the roster, and in the file all the same: bob-2." in said.out


@pytest.mark.parametrize("to", ["canvas", "moodle"])
def test_who_needs_a_look_is_named_where_the_platform_has_no_column_for_it(
    course: Course,
    run: Run,  # noqa: F811
    to: str,
) -> None:
    run("collect", "all.zip", cwd=course.root)
    cut, whole = sorted((course.root / "submitted").glob("*/mini/mini.ipynb"))
    cut.write_bytes(cut.read_bytes()[:3000])
    run("grade", "mini", cwd=course.root)
    said = run("export", "--to", to, "--out", course.root / "c.csv", cwd=course.root)
    assert f"mini: look at 1 of 2 scores before students see them: {cut.parts[-3]}." in said.out
    assert whole.parts[-3] not in said.out
    assert "look at" not in run("export", "--to", "csv", "--out", course.root / "t.csv", cwd=course.root).out


def test_section_login_and_the_assignment_s_name_go_back_as_canvas_has_them(
    course: Course,
    run: Run,  # noqa: F811
) -> None:
    run("collect", "all.zip", cwd=course.root)
    run("grade", "mini", cwd=course.root)
    (course.root / "roster.csv").write_text(ROSTER.format(rest=CYD))
    run("students", "import", "roster.csv", cwd=course.root)
    out = course.root / "c.csv"
    name = ("--unit", "mini", "--assignment", "Mini (99881)")
    assert run("export", "--to", "canvas", *name, "--out", out, cwd=course.root).code == 0
    head, _, *students = rows(out)
    assert head == ["Student", "ID", "SIS Login ID", "Section", "Mini (99881)"]
    assert students == [
        ["Ada", "1", "lovelace", "CS 101-01", "5"],
        ["Cyd", "3", "cyd", "CS 101-02", ""],
    ]
    # What we export ourselves knows no section and our own ids: importing it takes nothing away.
    run("export", "--to", "csv", "--out", course.root / "own.csv", cwd=course.root)
    run("students", "import", "own.csv", cwd=course.root)
    run("export", "--to", "canvas", *name, "--out", out, cwd=course.root)
    assert rows(out)[2] == ["Ada", "1", "lovelace", "CS 101-01", "5"]


@pytest.mark.parametrize("options", [("--to", "csv", "--unit", "mini"), ("--to", "canvas")])
def test_the_name_of_an_assignment_is_one_unit_s_and_canvas_s(
    options: tuple[str, ...],
    course: Course,
    run: Run,  # noqa: F811
) -> None:
    said = run("export", *options, "--assignment", "Mini (99881)", cwd=course.root)
    told = "--assignment names one unit's column for Canvas: give --to canvas and --unit UNIT, too."
    assert (said.code, said.err) == (2, f"autograder: {told}\n")


def test_a_roster_of_user_names_alone_is_a_roster(course: Course, run: Run) -> None:  # noqa: F811
    (course.root / "roster.csv").write_text("Username\nada\nbob\n")
    run("students", "import", "roster.csv", "--dry-run", cwd=course.root)
    assert known_roster(Classroom(course)) == set()
    run("students", "import", "roster.csv", cwd=course.root)
    assert known_roster(Classroom(course)) == {"ada", "bob"}
