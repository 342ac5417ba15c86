"""Due dates, times of handing in and rules change after grading: the next run makes the gradebook what it should be."""

from __future__ import annotations

import copy
import csv
import io
import random
import shutil
import sys
import types
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.plugins import LateSubmissionPlugin
from traitlets.config import Config

from autograder.classroom.classroom import Classroom
from autograder.classroom.grader import Graded
from autograder.classroom.platforms.export import export
from autograder.classroom.run import grade_class
from autograder.errors import UserError
from autograder.referee.autograded import write_notebook
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course

pytestmark = pytest.mark.usefixtures("bubblewrap")

ZERO = Config({"LateSubmissionPlugin": {"penalty_method": "zero"}})
NO_UPSTREAM = "def mul_vjp(g, a, b):\n    return b, a\n"


class Hourly(LateSubmissionPlugin):
    """A point for each hour."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float:
        return total_seconds_late / 3600


@pytest.fixture(autouse=True)
def hourly() -> Iterator[None]:
    sys.modules["hourly_course"] = types.ModuleType("hourly_course")
    sys.modules["hourly_course"].Hourly = Hourly  # type: ignore[attr-defined]
    yield
    del sys.modules["hourly_course"]


PLAIN = Config({"AssignLatePenalties": {"plugin_class": "nbgrader.plugins.LateSubmissionPlugin"}})
HOURLY = Config({"AssignLatePenalties": {"plugin_class": "hourly_course.Hourly"}})


class Klass:
    """A class of three: right, right, wrong in one exercise."""

    def __init__(self, root: Path, course: Course, sandbox: Sandbox) -> None:
        shutil.copytree(course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
        self.room = Classroom(Course(root))
        self.unit = self.room.course.assignment("mini")
        self.sandbox = sandbox
        for student in ("ada", "bob"):
            self.hand_in(student)
        self.hand_in("cyd", NO_UPSTREAM)

    def hand_in(self, student: str, answer: str | None = None, when: str | None = None) -> None:
        path = self.room.folder("submitted", student, "mini") / "mini.ipynb"
        write_notebook(path, self.unit.solved({} if answer is None else {"mul_vjp": answer}))
        if when is not None:
            self.stamp(student, when)

    def stamp(self, student: str, when: str | None) -> None:
        path = self.room.folder("submitted", student, "mini") / "timestamp.txt"
        if when is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(when)

    def due(self, when: str | None) -> None:
        with self.gradebook() as gradebook:
            gradebook.update_or_create_assignment("mini", duedate=when)

    def gradebook(self) -> Gradebook:
        return Gradebook(self.room.folders.db_url, self.room.folders.course_id)

    def rule(self, config: Config) -> None:
        self.room.config.merge(copy.deepcopy(config))

    def grade(self) -> dict[str, Graded]:
        rows = grade_class(self.room, self.unit, self.room.students("mini"), sandbox=self.sandbox, jobs=1)
        return {row.student: row for row in rows}

    def totals(self) -> dict[str, float]:
        text = export(self.room.folders.db_url, self.room.folders.course_id, "csv", None, lambda told: None)
        return {row["student"]: float(row["mini: total (of 5)"]) for row in csv.DictReader(io.StringIO(text))}


@pytest.fixture
def klass(tmp_path: Path, mini_course: Course, sandbox: Sandbox) -> Klass:
    return Klass(tmp_path / "course", mini_course, sandbox)


def test_a_rule_that_fails_or_is_not_there_is_one_sentence_and_loses_nothing(klass: Klass) -> None:
    klass.grade()
    klass.due("2026-03-02 00:00:00 UTC")
    klass.stamp("ada", "2026-03-02 03:00:00 UTC")
    klass.rule(Config({"AssignLatePenalties": {"plugin_class": "not_there.Rule"}}))
    with pytest.raises(UserError, match=r"plugin_class .* cannot be used"):
        klass.grade()
    klass.rule(HOURLY)

    def fail(*_: object) -> float:
        raise ValueError("no such day")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Hourly, "late_submission_penalty", fail)
        with pytest.raises(UserError, match=r"Hourly, fails for ada \(ValueError: no such day\)"):
            klass.grade()
    klass.grade()
    assert klass.totals() == {"ada": 2, "bob": 5, "cyd": 3}


def test_whatever_changes_between_runs_the_last_run_leaves_what_a_fresh_gradebook_has(klass: Klass) -> None:
    """The machine for all of these faults: changes at random, a run after each, against one run at the end."""
    rng = random.Random(20261122)
    klass.rule(HOURLY)
    klass.grade()
    times = [None, *(f"2026-03-0{day} {hour:02}:00:00 UTC" for day in (1, 2) for hour in (0, 1, 2, 3))]
    due: str | None = None
    for _ in range(14):
        student = rng.choice(("ada", "bob", "cyd"))
        kind = rng.randrange(4)
        if kind == 0:
            due = rng.choice(times)
            klass.due(due)
        elif kind == 1:
            klass.stamp(student, rng.choice(times))
        elif kind == 2:
            klass.hand_in(student, rng.choice((None, NO_UPSTREAM)), rng.choice(times))
        else:
            for config in rng.choice(((HOURLY,), (PLAIN, ZERO))):
                klass.rule(config)
        klass.grade()
        step = klass.totals()
        database = klass.room.course.root / "gradebook.db"
        kept = database.with_suffix(".kept")
        shutil.move(database, kept)
        klass.due(due)
        klass.grade()
        assert klass.totals() == step
        shutil.move(kept, database)


def test_an_extension_of_one_hour_is_an_hour(klass: Klass) -> None:
    klass.rule(HOURLY)
    klass.grade()
    klass.due("2026-03-02 00:00:00 UTC")
    klass.stamp("ada", "2026-03-02 02:00:00 UTC")
    with klass.gradebook() as gradebook:
        gradebook.find_submission("mini", "ada").extension = timedelta(hours=1)
        gradebook.db.commit()
    assert klass.grade()["ada"].penalty == 1.0
