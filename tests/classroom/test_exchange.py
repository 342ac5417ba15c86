"""Two files of nbgrader's exchange go on to the page of feedback, and nothing else that was handed in does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.classroom.attempts import job_of
from autograder.classroom.classroom import Classroom
from autograder.classroom.exchange import SECRET, put_beside_the_page
from autograder.unit.assignment import Course

TIME = "2026-11-19 10:00:00 UTC"


def linked(path: Path) -> None:
    (path.parent.parent / "elsewhere").write_text("ab" * 64)
    path.symlink_to(path.parent.parent / "elsewhere")


CHANGES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "as nbgrader writes them": (lambda folder: None, [SECRET, "timestamp.txt"]),
    "no secret": (lambda folder: (folder / SECRET).unlink(), []),
    "a secret that is a text": (lambda folder: (folder / SECRET).write_text("<script>"), []),
    "a secret that is long": (lambda folder: (folder / SECRET).write_text("ab" * 10_000), []),
    "a folder": (lambda folder: ((folder / SECRET).unlink(), (folder / SECRET).mkdir()), []),
    "a link": (lambda folder: ((folder / SECRET).unlink(), linked(folder / SECRET)), []),
    "no time": (lambda folder: (folder / "timestamp.txt").unlink(), []),
    "a time that is none": (lambda folder: (folder / "timestamp.txt").write_text("soon"), []),
}


@pytest.mark.parametrize("name", CHANGES)
def test_both_go_on_where_they_are_what_nbgrader_writes(name: str, tmp_path: Path) -> None:
    submitted, feedback = tmp_path / "submitted", tmp_path / "feedback"
    submitted.mkdir()
    feedback.mkdir()
    (submitted / SECRET).write_text("0f" * 64)
    (submitted / "timestamp.txt").write_text(TIME)
    (submitted / "notes.txt").write_text("mine")
    change, expected = CHANGES[name]
    change(submitted)
    put_beside_the_page(submitted, feedback)
    assert sorted(path.name for path in feedback.iterdir()) == expected


def test_what_the_exchange_puts_there_is_no_file_of_the_student_s(handed_in: Callable[..., Course]) -> None:
    course = handed_in()
    folder = course.root / "submitted" / "ada" / "mini"
    folder.mkdir(parents=True)
    (folder / "mini.ipynb").write_bytes((course.root.parent / "x.ipynb").read_bytes())
    (folder / SECRET).write_text("0f" * 64)
    (folder / "timestamp.txt").write_text(TIME)
    assert job_of(Classroom(course), course.assignment("mini"), "ada").note == ""
    (folder / "notes.txt").write_text("mine")
    assert "'notes.txt'" in job_of(Classroom(course), course.assignment("mini"), "ada").note
