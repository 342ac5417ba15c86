"""Into nbgrader: scores and comments in its gradebook, autograded notebooks that formgrader opens."""

from __future__ import annotations

import contextlib
import copy
import logging
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alembic.script import ScriptDirectory
from nbformat import from_dict
from nbgrader import api
from nbgrader.api import Assignment as Registered
from nbgrader.api import (
    Grade,
    Gradebook,
    InvalidEntry,
    MissingEntry,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import func, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from ..authoring.release import release_steps
from ..errors import UserError
from ..lesson.failures import PASSED
from ..referee.autograded import comment_text
from ..referee.report import Report
from ..sandbox.walls import UNPROTECTED
from ..unit.assignment import Assignment
from .seal import SealedCells, is_sealed


def newest_version() -> str:
    """The version of nbgrader's tables.

    nbgrader asks a process that it starts as `alembic`, by its bare name, which is not on the path of a virtual
    environment that is not activated, and takes two seconds.
    """
    return str(ScriptDirectory(str(Path(api.__file__).parent / "alembic")).get_current_head())


api.get_alembic_version = newest_version


@contextlib.contextmanager
def opened(db_url: str, course_id: str) -> Iterator[Gradebook]:
    """The gradebook, made where there is none. Raises UserError when it cannot be reached, or is lost."""
    log = logging.getLogger(
        "tornado.application"
    )  # nbgrader's, which gets all statements and what students wrote
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with _open(db_url, course_id) as gradebook:
            if not inspect(gradebook.engine).has_table("alembic_version"):
                _finish_tables(gradebook)
            yield gradebook
    except (SQLAlchemyError, InvalidEntry) as error:
        raise UserError(
            f"The gradebook cannot be used any more ({reason(error)}); mend that and go on."
        ) from None
    finally:
        log.setLevel(level)


def _open(db_url: str, course_id: str) -> Gradebook:
    for left in reversed(range(3)):
        try:
            return Gradebook(db_url, course_id)
        except (
            Exception
        ) as error:  # drivers have their own; two that make the tables at once get in each other's way
            if not left:
                where = make_url(db_url).render_as_string() if "://" in db_url else db_url
                raise UserError(f"The gradebook {where} cannot be opened: {reason(error)}.") from None
            time.sleep(0.2)
    raise AssertionError


def _finish_tables(gradebook: Gradebook) -> None:
    """Note the version, which nbgrader does last of all when it makes the tables, and a run that is ended then not."""
    if gradebook.db.query(SubmittedAssignment).first() is None:  # else it is a very old gradebook
        gradebook.db.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        gradebook.db.execute(
            text("INSERT INTO alembic_version (version_num) VALUES (:version)"),
            {"version": newest_version()},
        )
        gradebook.db.commit()


def reason(error: BaseException) -> str:
    """What a database's error says, without the statement and the parameters, which hold students' data."""
    if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("psycopg"):
        return (
            "its driver is not installed (`pip install 'autograd-course[postgres]'`, and a URL that begins with "
            "postgresql+psycopg://)"
        )
    told = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return re.sub(r"^\((?:sqlite3|psycopg)[\w.]*\) ", "", told.splitlines()[0]).rstrip(".")


@contextlib.contextmanager
def alone(gradebook: Gradebook) -> Iterator[None]:
    """One grader at a time, where several machines share a database."""
    if gradebook.engine.dialect.name != "postgresql":
        yield
        return
    with gradebook.engine.connect() as connection:  # its end, also by a crash, ends the lock
        connection.execute(text("SELECT pg_advisory_lock(4726853361)"))
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(4726853361)"))


def auto_scores(gradebook: Gradebook, unit: str) -> dict[str, float]:
    """The students whose automatic scores of a unit are there, all of them, with their sums."""
    found = (
        gradebook.db.query(Student.id, func.sum(Grade.auto_score))
        .select_from(Student)
        .join(SubmittedAssignment)
        .join(Registered)
        .join(SubmittedNotebook)
        .join(Grade)
        .filter(Registered.name == unit)
        .group_by(Student.id)
        .having(func.count(Grade.auto_score) == func.count(Grade.id))
    )
    return {student: score or 0.0 for student, score in found}


def save_cells(assignment: Assignment, db_url: str) -> None:
    """Write the assignment's cells into the gradebook, as `nbgrader generate_assignment` does."""
    notebook = from_dict(copy.deepcopy(assignment.notebook))
    resources: dict[str, Any] = {
        "nbgrader": {
            "notebook": assignment.name,
            "assignment": assignment.unit,
            "student": ".",
            "db_url": db_url,
        }
    }
    for step in [*release_steps()[:5], SealedCells()]:
        notebook, resources = step.preprocess(notebook, resources)


def register(gradebook: Gradebook, assignment: Assignment, db_url: str) -> None:
    """Make the assignment known to the gradebook, by nbgrader's own step.

    Raises UserError when exercises have come or gone since a submission was graded: nbgrader allows it no more.
    """
    try:
        known = gradebook.find_notebook(assignment.name, assignment.unit)
        points = {cell.name: cell.max_score for cell in known.grade_cells}
        now = {e.check_id: e.points for e in assignment.exercises}
        if (
            is_sealed(known.kernelspec)
            and points == now
            and _cells(assignment) <= {cell.name for cell in known.source_cells}
        ):
            return  # the source cells are written last
        if points.keys() != now.keys() and known.submissions:
            changed = ", ".join(sorted(name.removesuffix("_check") for name in points.keys() ^ now.keys()))
            raise UserError(
                f"The gradebook has submissions of {assignment.unit} from before {changed} was added or removed: "
                "give the changed unit a new name, or remove its old grades, those given by hand too, with "
                f"`nbgrader db assignment remove {assignment.unit} --force`, and grade again."
            )
    except MissingEntry:
        pass
    gradebook.update_or_create_assignment(assignment.unit)
    save_cells(assignment, db_url)
    gradebook.db.expire_all()


def _cells(assignment: Assignment) -> set[str]:
    """The cells that nbgrader keeps the source of."""
    marks = ("grade", "solution", "locked", "task")
    return {cell.name for cell in assignment.cells if any(cell.about.get(mark) for mark in marks)}


def record(
    gradebook: Gradebook, assignment: Assignment, student: str, report: Report
) -> dict[str, float | None]:
    """Write a report's scores and messages; gives the automatic scores before. What a person gave stays."""
    notebook = gradebook.find_submission_notebook(assignment.name, assignment.unit, student)
    before = fill_in(notebook, assignment, report)
    gradebook.db.commit()
    return before


def fill_in(notebook: SubmittedNotebook, assignment: Assignment, report: Report) -> dict[str, float | None]:
    """As `record`, for a notebook that may not be in the database yet; takes effect with the next commit.

    A new one then goes there once, with its scores: to insert the rows first and change them after takes as long again.
    """
    # By the cells' ids: rows that are not in the database yet do not find their cell, which has the name.
    graded = {cell.id: cell.name for cell in notebook.notebook.grade_cells}
    answered = {cell.id: cell.name for cell in notebook.notebook.solution_cells}
    grades = {graded.get(grade.cell_id): grade for grade in notebook.grades}
    comments = {answered.get(comment.cell_id): comment for comment in notebook.comments}
    before: dict[str, float | None] = {}
    for outcome, exercise in zip(report.outcomes, assignment.exercises, strict=True):
        grade = grades[exercise.check_id]
        before[exercise.name] = grade.auto_score
        grade.auto_score = outcome.points
        grade.needs_manual_grade = outcome.doubtful or grade.manual_score is not None
        told = [] if report.protected else [UNPROTECTED]
        told += [] if outcome.status == PASSED else [comment_text(outcome)]
        comments[exercise.name].auto_comment = "\n\n".join(told) or None
    return before


@contextlib.contextmanager
def one_transaction(gradebook: Gradebook) -> Iterator[None]:
    """Let the gradebook's methods, which commit one by one, take effect together or not at all."""
    session = gradebook.db
    commit = session.commit
    session.commit = lambda: None
    try:
        yield
    finally:
        session.commit = commit
    commit()
