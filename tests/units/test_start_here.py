"""Unit 00 tells the truth about what a learner sees, and a unit of practice behaves like one everywhere."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import nbformat
import pytest
from rich.console import Console
from typer.testing import CliRunner

from autograder.classroom.classroom import Classroom
from autograder.cli.app import app
from autograder.learner.progress import Unit, show
from autograder.lesson.logbook import MARKS, OPEN, RIGHT
from autograder.lesson.progress import progress
from autograder.referee.autograded import write_notebook
from autograder.unit.assignment import Course
from autograder.unit.cell import kind

from ..conftest import REPOSITORY

UNIT = "00_start_here"
COURSE = Course(REPOSITORY)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_the_failing_example_is_shown_once_and_speaks_of_no_hints_since_it_has_none() -> None:
    cells = COURSE.assignment(UNIT).notebook.cells
    (shown,) = (cell.outputs[0].text for cell in cells if cell.id == "figure_failing")
    for line in (
        "example",
        "called",
        "returned",
        "expected",
        "because",
        "likely    The number has the wrong sign.",
    ):
        assert line in shown
    assert "next" not in shown and "hint" not in shown
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert shown.splitlines()[1] not in text


def test_a_unit_of_practice_is_not_graded_and_says_so() -> None:
    assignment = COURSE.assignment(UNIT)
    assert not assignment.graded
    assert assignment.max_score == 0
    code, text = run("grade", UNIT)
    assert code == 0
    assert "for practice" in text
    assert "nothing to grade" in text


@pytest.mark.usefixtures("bubblewrap")
def test_a_score_of_a_unit_of_practice_says_which_exercises_are_right(tmp_path: Path) -> None:
    assignment = COURSE.assignment(UNIT)
    first, *rest = assignment.exercises
    half = tmp_path / "half.ipynb"
    write_notebook(half, assignment.solved({first.name: first.solution}, others="stub"))
    code, text = run("score", str(half))
    assert code == 0
    assert f"✓ {first.name}: right" in text
    assert f"✗ {rest[0].name}: not written yet" in text
    words = f"0 of 0 points: {UNIT} is for practice, and 1 of its {len(rest) + 1} exercises are right"
    assert words in " ".join(text.split())
    code, text = run("score", str(half), "--json")
    told = json.loads(text)
    assert (told["score"], told["max_score"]) == (0, 0)
    assert [exercise["status"] for exercise in told["exercises"]] == ["passed"] + ["missing"] * len(rest)


def test_the_checks_of_a_unit_of_practice_are_worth_nothing_in_nbgrader_too() -> None:
    released = nbformat.read(REPOSITORY / "course" / UNIT / "start_here.ipynb", as_version=4)
    points = {cell.metadata.nbgrader.points for cell in released.cells if kind(cell) == "check"}
    assert points == {0}


@pytest.mark.usefixtures("bubblewrap")
def test_nbgrader_releases_grades_and_returns_a_unit_of_practice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbgrader.api import Gradebook
    from nbgrader.apps.api import NbGraderAPI

    root = tmp_path / "course"
    shutil.copytree(REPOSITORY / "solutions" / UNIT, root / "solutions" / UNIT)
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    write_notebook(root / "submitted" / "ada" / UNIT / "start_here.ipynb", COURSE.assignment(UNIT).solved())
    monkeypatch.chdir(root)
    classroom = Classroom(Course(root))
    api = NbGraderAPI(classroom.folders, config=classroom.config)
    for result in (
        api.generate_assignment(UNIT, force=True),
        api.autograde(UNIT, "ada"),
        api.generate_feedback(UNIT, "ada"),
    ):
        assert result["success"], result
    generated, built = (place / "course" / UNIT / "start_here.ipynb" for place in (root, REPOSITORY))
    assert generated.read_bytes().rstrip(b"\n") == built.read_bytes().rstrip(b"\n")
    with Gradebook(classroom.folders.db_url) as gradebook:
        submission = gradebook.find_submission(UNIT, "ada")
        assert (submission.score, submission.max_score) == (0, 0)
        assert not submission.needs_manual_grade


def test_progress_in_a_unit_of_practice_counts_exercises_and_speaks_of_no_points(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress(UNIT, {"practised_first": 0, "practised_next": 0})
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.endswith("░  0 of 2 exercises (practice)")
    assert f"  {MARKS[OPEN]} practised_first" in rest


def test_the_table_of_units_says_which_one_is_practice_and_fills_its_bar_by_exercises() -> None:
    unit = Unit(UNIT, "", Path("start_here.ipynb"), {"a": 0, "b": 0}, {"a": RIGHT, "b": OPEN})
    console = Console(width=100, record=True, file=io.StringIO())
    show([unit], unit, console)
    said = console.export_text()
    assert "1 of 2  practice  ██████████░░░░░░░░░░" in said
    assert "point" not in said.replace("points", "", 1)  # the column's name alone
