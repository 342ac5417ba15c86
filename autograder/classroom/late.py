"""What is taken off for lateness: by the percentage that the class has set for a unit, else as nbgrader is configured.

The percentage counts as in Canvas' late policy: for each day that has begun since the due date, so many percent of the
unit's points, and never more than was earned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Literal

from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.preprocessors import AssignLatePenalties
from traitlets import TraitError
from traitlets.config import Config

from ..errors import UserError
from .state import late_percent

DAY = 24 * 60 * 60
#: What a day of lateness costs in percent of the unit's points, or "nbgrader" for its configuration; None: as before.
LatePolicy = float | Literal["nbgrader"] | None


def deduction(percent: float, points: float, earned: float, seconds: float) -> float:
    """What a late submission loses.

    >>> [deduction(10, 20, 15, seconds) for seconds in (0, 1, DAY, DAY + 1, 99 * DAY)]
    [0.0, 2.0, 2.0, 4.0, 15.0]
    """
    days = math.ceil(seconds / DAY) if seconds > 0 else 0
    return min(float(earned), days * percent / 100 * points)


class LatePenalties(AssignLatePenalties):
    """nbgrader's step, which asks for the class's percentage first."""

    def penalise(self, gradebook: Gradebook, submissions: Sequence[SubmittedAssignment], unit: str) -> None:
        """Give submissions of a unit the penalties that they have by now. Takes effect with the next commit.

        Raises UserError when the course's own rule fails.
        """
        percent = late_percent(gradebook, unit)
        self.init_plugin()
        for submission in submissions:
            seconds = submission.total_seconds_late
            for notebook in submission.notebooks:
                penalty = self.penalty(submission.student_id, notebook, seconds, percent)
                if penalty != notebook.late_submission_penalty:
                    notebook.late_submission_penalty = penalty

    def penalty(self, student: str, notebook: Any, seconds: float, percent: float | None) -> float | None:
        """What a notebook with a `score` and a `max_score` loses; None where it is not late. Raises UserError."""
        if seconds <= 0:
            return None
        if percent is not None:
            return deduction(percent, notebook.max_score, notebook.score, seconds)
        try:
            penalty = self.plugin_inst.late_submission_penalty(student, notebook.score, seconds)
        except Exception as error:
            raise UserError(
                f"The rule for late penalties, {type(self.plugin_inst).__name__}, fails for {student} "
                f"({type(error).__name__}: {error}): mend it and grade again."
            ) from None
        return None if penalty is None else float(self._check_late_penalty(notebook, penalty))

    def preprocess(self, nb: Any, resources: Any) -> Any:
        """As a step of `nbgrader autograde`."""
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            submission = gradebook.find_submission(about["assignment"], about["student"])
            self.penalise(gradebook, [submission], about["assignment"])
            gradebook.db.commit()
        return nb, resources


def penalise(
    gradebook: Gradebook, submissions: Sequence[SubmittedAssignment], unit: str, config: Config
) -> None:
    """Give submissions of a unit their penalties, by the class's percentage or nbgrader's configuration."""
    _step(config).penalise(gradebook, submissions, unit)


def penalty_at(
    gradebook: Gradebook, unit: str, student: str, score: float, seconds: float, config: Config
) -> float:
    """What so many points would lose if they were so many seconds late."""
    if seconds <= 0:
        return 0.0
    step = _step(config)
    step.init_plugin()
    notebook = SimpleNamespace(score=score, max_score=gradebook.find_assignment(unit).max_score)
    return step.penalty(student, notebook, seconds, late_percent(gradebook, unit)) or 0.0


def _step(config: Config) -> LatePenalties:
    try:
        return LatePenalties(config=config)
    except (TraitError, ImportError) as error:
        raise UserError(
            f"c.AssignLatePenalties.plugin_class in nbgrader_config.py cannot be used ({error}): correct its name, or "
            "install what it is in."
        ) from None


def penalty_of(submission: SubmittedAssignment) -> float:
    """What is taken off a submission for lateness."""
    return sum(notebook.late_submission_penalty or 0.0 for notebook in submission.notebooks)
