"""`autograder demo`: the main job, from the release to the feedback."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from rich.console import Console

from autograder.cli import demo
from autograder.cli.terminal import progress_bar
from autograder.errors import UserError
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Path:
    """A folder in which the demo has run, its output in `said.txt`."""
    root = tmp_path_factory.mktemp("demo") / "course"
    with (root.parent / "said.txt").open("w", encoding="utf-8") as file:
        demo.run(root, None, Console(file=file, width=120), progress_bar())
    return root


def test_every_student_of_the_demo_gets_what_the_answers_deserve(folder: Path) -> None:
    with sqlite3.connect(folder / "gradebook.db") as database:
        found = database.execute(
            "select student.id, sum(grade.auto_score) from grade join submitted_notebook on"
            " grade.notebook_id = submitted_notebook.id join submitted_assignment on"
            " submitted_notebook.assignment_id = submitted_assignment.id join student on"
            " submitted_assignment.student_id = student.id group by student.id"
        )
        scores = dict(found.fetchall())
    exercises = Course(REPOSITORY).assignment(demo.UNIT).exercises
    everything = sum(e.points for e in exercises)
    assert scores["ada"] == scores["niels"] == everything
    assert scores["felix"] == scores["mallory"] == 0
    assert scores["blaise"] == sum(e.points for e in exercises[: len(exercises) // 2])
    assert scores["grace"] == everything - exercises[1].points
    for student in ("carl", "dorothy", "emmy"):
        assert everything - 3 <= scores[student] < everything


def test_the_demo_shows_a_row_a_student_and_where_to_look_next(folder: Path) -> None:
    said = (folder.parent / "said.txt").read_text(encoding="utf-8")
    for student in ("ada", "blaise", "carl", "dorothy", "emmy", "felix", "grace", "mallory", "niels"):
        assert f" {student} " in said
    cheat = next(line for line in said.splitlines() if " mallory " in line)
    assert "failed" in cheat
    assert "changed check cells are ignored" in " ".join(said.split())
    assert str(folder) in said
    assert "Where to look next" in said


def test_the_demo_writes_feedback_that_names_the_mistake(folder: Path) -> None:
    pages = sorted((folder / "feedback").glob(f"*/{demo.UNIT}/*.html"))
    assert len(pages) == 9
    carl = (folder / "feedback" / "carl" / demo.UNIT / "reverse_mode.html").read_text(encoding="utf-8")
    assert "likely" in carl
    assert "BEGIN HIDDEN" not in carl


def test_the_demo_does_not_write_into_a_folder_that_holds_something(folder: Path) -> None:
    with pytest.raises(UserError, match="not empty"):
        demo.run(folder, None, Console(quiet=True), progress_bar())


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for name in (file, file / "below"):
        with pytest.raises(UserError, match="cannot be made a folder"):
            demo.run(name, None, Console(quiet=True), progress_bar())
