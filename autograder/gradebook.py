"""Into nbgrader: scores and comments in its gradebook, autograded notebooks that formgrader opens."""

from __future__ import annotations

import contextlib
import os
import sysconfig
from collections.abc import Iterator

from nbgrader.api import Gradebook, MissingEntry

from .assignment import Assignment
from .autograded import comment_text
from .checks import PASSED
from .errors import UserError
from .referee import Report

# nbgrader calls `alembic` by its bare name, which is not on the path of a virtual environment that is not activated.
if (scripts := sysconfig.get_path("scripts")) not in os.environ.get("PATH", "").split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join(filter(None, [os.environ.get("PATH"), scripts]))


def register(gradebook: Gradebook, assignment: Assignment, db_url: str) -> None:
    """Make the assignment known to the gradebook, by nbgrader's own step.

    Raises UserError when exercises have come or gone since a submission was graded: nbgrader allows it no more.
    """
    from . import nbgrader_plugin

    try:
        known = gradebook.find_notebook(assignment.name, assignment.unit)
        points = {cell.name: cell.max_score for cell in known.grade_cells}
        now = {e.check_id: e.points for e in assignment.exercises}
        if points == now:
            return
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
    nbgrader_plugin.save_cells(assignment, db_url)
    gradebook.db.expire_all()


def record(gradebook: Gradebook, assignment: Assignment, student: str, report: Report) -> None:
    """Write a report's scores and messages. A score or comment that a person gave stays."""
    notebook = gradebook.find_submission_notebook(assignment.name, assignment.unit, student)
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {comment.name: comment for comment in notebook.comments}
    for outcome, exercise in zip(report.outcomes, assignment.exercises, strict=True):
        grade = grades[exercise.check_id]
        grade.auto_score = outcome.points
        grade.needs_manual_grade = outcome.doubtful or grade.manual_score is not None
        comments[exercise.name].auto_comment = None if outcome.status == PASSED else comment_text(outcome)
    gradebook.db.commit()


@contextlib.contextmanager
def one_transaction(gradebook: Gradebook) -> Iterator[None]:
    """Let the gradebook's methods, which commit one by one, take effect together or not at all."""
    session = gradebook.db
    commit = session.commit
    session.commit = session.flush
    try:
        yield
    finally:
        session.commit = commit
    commit()
