"""Grades leave the gradebook as it has them, and arrive in a spreadsheet, Canvas or Moodle as they left."""

from __future__ import annotations

import csv
import io
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook

from autograder.classroom.classroom import Classroom
from autograder.classroom.platforms.export import FORMATS, Person, export, for_canvas
from autograder.classroom.platforms.table import csv_text, safe
from autograder.classroom.run import grade_class
from autograder.errors import UserError
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course
from autograder.unit.receipt import receipt_of

from ...cli.test_cli import Said, run  # noqa: F401  the fixture of commands

NO_UPSTREAM = "def mul_vjp(g, a, b):\n    return b, a\n"


@pytest.fixture(scope="module")
def klass(mini_course: Course, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A graded class, with names that harm, a score by hand, a late penalty, and one who has handed in nothing."""
    root = tmp_path_factory.mktemp("export") / "course"
    shutil.copytree(mini_course.root, root)
    course = Course(root)
    unit = course.assignment("mini")
    submissions = {
        "ada": unit.solved(),
        "bob": unit.solved({"mul_vjp": NO_UPSTREAM}),
        "cy": unit.solved({"mul_vjp": NO_UPSTREAM}, others="stub"),
        "lovelaceada-4711": unit.solved(),
    }
    for student, notebook in submissions.items():
        (root / "submitted" / student / "mini").mkdir(parents=True)
        (root / "submitted" / student / "mini" / "mini.ipynb").write_text(nbformat.writes(notebook))
    classroom = Classroom(course)
    grade_class(classroom, unit, sorted(submissions), sandbox=sandbox, jobs=1)
    with Gradebook(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        names = {
            "ada": {
                "last_name": '=cmd|"/C calc"!A0',
                "first_name": "A,\nda",
                "email": "@ada",
                "lms_user_id": "17",
            },
            "bob": {"last_name": "Bür\x1b[2J", "first_name": "Bob", "lms_user_id": "18"},
            "zoe": {"last_name": "-Zoe"},
        }
        for student, about in names.items():
            gradebook.update_or_create_student(student, **about)
        gradebook.find_submission_notebook("mini", "mini", "ada").late_submission_penalty = 1.5
        gradebook.find_submission_notebook("mini", "mini", "cy").late_submission_penalty = 99
        grade = gradebook.find_grade("mul_vjp_check", "mini", "mini", "bob")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 1.25, 0.5, True
        gradebook.find_comment("mul_vjp", "mini", "mini", "bob").manual_comment = "Half of it <is> right."
        gradebook.update_or_create_assignment("other")
        gradebook.db.commit()
    return classroom


def rows(klass: Classroom, to: str, unit: str | None = "mini") -> list[list[str]]:
    text = export(klass.folders.db_url, klass.folders.course_id, to, unit)
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def by_student(
    klass: Classroom, to: str, column: str, unit: str | None = "mini"
) -> dict[str, dict[str, str]]:
    head, *body = rows(klass, to, unit)
    assert all(len(row) == len(head) for row in body)
    return {row[head.index(column)]: dict(zip(head, row, strict=True)) for row in body}


def test_the_table_has_what_people_gave_and_what_lateness_took(klass: Classroom) -> None:
    found = by_student(klass, "csv", "student")
    columns = ("mini: mul_vjp (of 2)", "mini: unbox (of 3)", "mini: late penalty", "mini: total (of 5)")
    assert {name: [row[column] for column in columns] for name, row in found.items()} == {
        "ada": ["2", "3", "1.5", "3.5"],
        "bob": ["1.75", "3", "0", "4.75"],
        "cy": ["0", "0", "99", "0"],
        "lovelaceada-4711": ["2", "3", "0", "5"],
        "zoe": ["", "", "", ""],
    }
    assert [name for name, row in found.items() if row["mini: needs a look"]] == ["bob"]


def test_names_are_quoted_and_none_is_a_formula(klass: Classroom) -> None:
    found = by_student(klass, "csv", "student")
    assert found["ada"]["last name"] == '\'=cmd|"/C calc"!A0'
    assert found["ada"]["first name"] == "A,\nda"
    assert found["ada"]["email"] == "'@ada"
    assert found["bob"]["last name"] == "Bür[2J"
    assert found["zoe"]["last name"] == "'-Zoe"


def test_all_units_are_in_one_table_unless_one_is_named(klass: Classroom) -> None:
    assert "other: total (of 0)" in rows(klass, "csv", None)[0]
    assert "other: total (of 0)" not in rows(klass, "csv")[0]
    with pytest.raises(UserError, match="no unit 'mono'; it has mini, other"):
        rows(klass, "csv", "mono")


def test_canvas_finds_its_columns_its_students_and_what_the_unit_is_worth(klass: Classroom) -> None:
    head, points, *students = rows(klass, "canvas")
    # What Canvas' importer looks for: by place for the first columns, by word for "Section" and the row of points.
    assert head == ["Student", "ID", "SIS Login ID", "Section", "mini"]
    assert points[0].strip() == "Points Possible" and points[1:] == ["", "", "", "5"]
    assert {row[2]: (row[1], row[4]) for row in students} == {
        "ada": ("17", "3.5"),
        "bob": ("18", "4.75"),
        "lovelaceada-4711": ("4711", "5"),
    }
    assert [row[0] for row in students][1] == "Bür[2J, Bob"


def test_a_number_that_is_read_from_a_login_is_not_taken_from_who_has_it() -> None:
    people = [Person("ada", number="4711"), Person("eve-4711"), Person("bob-88"), Person("lee-1815")]
    _, _, *students = for_canvas(people, [])
    assert [row[:3] for row in students] == [["ada", 4711, "ada"], ["lee-1815", 1815, "lee-1815"]]


def test_whom_canvas_does_not_know_is_named_and_in_no_row(klass: Classroom) -> None:
    told: list[str] = []
    text = export(klass.folders.db_url, klass.folders.course_id, "canvas", "mini", told.append)
    _, _, *students = csv.reader(io.StringIO(text, newline=""))
    assert all(row[1] for row in students)
    (line,) = [line for line in told if "Left out" in line]
    assert line == (
        "Left out, since the gradebook has no number of Canvas's (its ID) for them: cy, zoe. Import Canvas's own "
        "export of its gradebook, which has them: `autograder students import ROSTER.csv`."
    )
    assert not any("in the file all the same" in line and "cy" in line for line in told)


def test_a_class_that_canvas_does_not_know_at_all_is_one_sentence(
    klass: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.classroom.platforms.export.canvas_numbers", lambda people: {})
    with pytest.raises(UserError, match=r"Of no student the gradebook has Canvas's number .*students import"):
        rows(klass, "canvas")


def test_moodle_gets_who_it_is_a_grade_and_a_feedback(klass: Classroom) -> None:
    found = by_student(klass, "moodle", "Username")
    assert list(found["ada"]) == [
        "First name", "Last name", "ID number", "Email address", "Username", "mini (Real)", "mini (Feedback)",
    ]  # fmt: skip
    assert {name: row["mini (Real)"] for name, row in found.items()} == {
        "ada": "3.5", "bob": "4.75", "cy": "0", "lovelaceada-4711": "5", "zoe": "",
    }  # fmt: skip
    receipt = receipt_of(klass.course.assignment("mini").solved())
    told = f"3.5 of 5 points.\nLate penalty: 1.5.\nReceipt of what was graded: {receipt}."
    assert found["ada"]["mini (Feedback)"] == told
    assert by_student(klass, "csv", "student")["ada"]["mini: receipt"] == receipt
    assert "mul_vjp 1.75/2: Half of it &lt;is&gt; right." in found["bob"]["mini (Feedback)"]
    told = found["cy"]["mini (Feedback)"].splitlines()
    assert told[2].startswith("mul_vjp 0/2: not right yet: ")
    assert told[2].endswith("You returned the local derivatives, but did not multiply them by g.")
    assert told[3] == "unbox 0/3: not written yet"
    assert found["zoe"]["mini (Feedback)"] == ""


def test_the_command_writes_the_file_that_it_names(
    klass: Classroom,
    run: Callable[..., Said],  # noqa: F811
    tmp_path: Path,
) -> None:
    for to in FORMATS:
        path = tmp_path / f"{to}.csv"
        said = run("export", "--to", to, "--unit", "mini", "--out", path, cwd=klass.course.root)
        assert (said.code, said.err) == (0, ""), said
        assert str(path) in said.out
        with path.open(newline="", encoding="utf-8") as file:
            assert list(csv.reader(file)) == rows(klass, to)
        before = path.read_bytes()
        assert (
            "kept as"
            not in run("export", "--to", to, "--unit", "mini", "--out", path, cwd=klass.course.root).out
        )
        path.write_text("mine")
        said = run("export", "--to", to, "--unit", "mini", "--out", path, cwd=klass.course.root)
        kept = tmp_path / f"{to}.earlier-1.csv"
        assert f"{path} was there already, with other content: that is kept as {kept}." in said.out
        assert (kept.read_text(), path.read_bytes()) == ("mine", before)
    said = run("export", "--to", "excel", cwd=klass.course.root)
    assert (said.code, said.out) == (2, "")


def test_without_a_gradebook_none_is_made(
    mini_course: Course,
    run: Callable[..., Said],  # noqa: F811
    tmp_path: Path,
) -> None:
    shutil.copytree(mini_course.root, tmp_path / "course")
    said = run("export", "--to", "csv", cwd=tmp_path / "course")
    assert (said.code, said.out) == (2, "")
    assert "no gradebook yet" in said.err
    assert not (tmp_path / "course" / "gradebook.db").exists()
    assert not (tmp_path / "course" / "grades.csv").exists()


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\x00=", "\x1b=", "＝"])
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(start: str) -> None:
    assert str(safe(f"{start}1")).startswith("'")


def test_numbers_stay_numbers() -> None:
    assert [safe(cell) for cell in (0, -1, 2.0, -0.5, 1 / 3, math.nan, math.inf, None)] == [
        0, -1, 2, -0.5, 0.333333, "", "", "",
    ]  # fmt: skip


@given(st.lists(st.lists(st.text() | st.integers() | st.floats(), min_size=1, max_size=3), max_size=4))
def test_every_table_is_read_back_with_its_cells_in_their_places(
    cells: list[list[str | int | float]],
) -> None:
    read = list(csv.reader(io.StringIO(csv_text(cells), newline=""), strict=True))
    expected = [[str(safe(cell)) for cell in row] for row in cells]
    assert [row or [""] for row in read] == expected
    assert not [
        cell
        for row, given_row in zip(read, cells, strict=True)
        for cell, given_cell in zip(row, given_row, strict=False)
        if isinstance(given_cell, str) and cell[:1] in {*"=+-@\t\r"} and cell
    ]
