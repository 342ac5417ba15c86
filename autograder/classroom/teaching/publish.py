"""Writes what an instructor takes into class, and nothing over a file that this has not written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat

from ...errors import UserError
from ...referee import bank
from ...referee.autograded import write_file
from ...unit.assignment import Assignment, Course
from ...unit.notebook import digest_of, read_notebook
from ..classroom import Classroom
from ..records import records_of_class
from .answers import answers_of
from .chosen import questions_of
from .export import MARK, html_of
from .items import Lesson
from .minutes import minutes_of
from .page import page
from .slides import slides

FOLDER = "teaching"


def publish(
    course: Course,
    units: Sequence[str],
    out: Path,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Write each unit's slides, as a notebook and as HTML, and its page into a folder.

    Raises UserError where a file is in the way, the folder cannot be written, or a unit does not run; units that were
    done before stay.
    """
    assignments = [course.assignment(unit) for unit in units]
    for assignment in assignments:  # before anything runs, which may take minutes
        for name in names_of(assignment.unit):
            refuse_others(out / name)
    for assignment in assignments:
        say(f"… {assignment.unit}: running it with its predictions filled in")
        for name, text in texts_of(course, assignment).items():
            try:
                if kept := keep_edited(out / name):
                    say(f"! {out / name} was edited, and is kept as {kept.name}")
                write_file(out / name, text)
            except OSError as error:
                raise UserError(f"{out / name} cannot be written: {error.strerror}.") from None
            say(f"✓ {out / name}")


def names_of(unit: str) -> tuple[str, str, str]:
    """What the files of a unit are called."""
    return f"{unit}.slides.ipynb", f"{unit}.slides.html", f"{unit}.teaching.html"


def texts_of(course: Course, assignment: Assignment) -> dict[str, str]:
    """The texts of a unit's files, by their names."""
    lesson = Lesson.of(assignment)
    minutes = minutes_of(lesson)
    notebook = slides(lesson, answers_of(lesson, {one.cell.cell.id for one in questions_of(lesson)}))
    graded = records_of_class(Classroom(course), assignment).graded
    texts = (
        nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n",
        html_of(notebook),
        page(lesson, minutes, bank.load_bank(assignment), graded),
    )
    return dict(zip(names_of(assignment.unit), texts, strict=True))


def refuse_others(path: Path) -> None:
    """Raise UserError where something stands that this command has not written."""
    try:
        if not path.exists() and not path.is_symlink():
            return
        if path.suffix == ".ipynb":
            ours = "slides_of" in read_notebook(path).metadata.get("autograder", {})
        else:
            ours = MARK in path.read_text(encoding="utf-8")[:2000]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        ours = False
    if not ours:
        raise UserError(
            f"{path} is there already, and not by `autograder teach`: name another folder with --out, or move it."
        )


def keep_edited(path: Path) -> Path | None:
    """Put slides that somebody has edited beside the new ones; gives where they are."""
    if path.suffix != ".ipynb" or not path.is_file():
        return None
    notebook = read_notebook(path)
    if notebook.metadata.autograder.get("digest") == digest_of(notebook):
        return None
    number = 1
    while (kept := path.with_name(path.name.replace(".slides.", f".edited-{number}.slides."))).exists():
        number += 1
    path.rename(kept)
    return kept
