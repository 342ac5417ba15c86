"""Grades a class: `submitted/*/UNIT/` into the gradebook, one student's damage never in another's way."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from . import bank
from .assignment import Assignment, Course
from .autograded import write_file
from .crew import share
from .errors import UserError
from .gradebook import one_transaction, record, register
from .grader import Graded, Grader, Job, Result, fingerprint
from .ingest import pick_file, read_bytes
from .nbgrader_plugin import read_timestamp
from .notebook import node, read_notebook
from .referee import tidy
from .sandbox import Sandbox
from .settings import configured_sandbox, load_config
from .wire import printable

# nbgrader 0.9 adds a submission's parts to the session in an order that SQLAlchemy 2 warns of; the rows are right.
warnings.filterwarnings("ignore", category=SAWarning, message="Object of type <Submitted")


class Classroom:
    """The working side of a course: nbgrader's folders, its gradebook, and the walls that its configuration sets."""

    def __init__(self, course: Course) -> None:
        self.course = course

    @cached_property
    def config(self) -> Config:
        """The settings in nbgrader_config.py. Raises UserError when that file is broken."""
        return load_config(self.course.root)

    @cached_property
    def folders(self) -> CourseDirectory:
        return CourseDirectory(config=self.config, root=str(self.course.root))

    def sandbox(self, unsandboxed: bool = False) -> Sandbox:
        """The walls as configured. Raises SandboxError when this machine has none and none was waived."""
        return configured_sandbox(self.config, self.course.root, unsandboxed)

    def folder(self, kind: str, student: str, unit: str) -> Path:
        """A student's folder of a unit, of kind "submitted", "autograded" or "feedback"."""
        return Path(self.folders.format_path(getattr(self.folders, f"{kind}_directory"), student, unit))

    def students(self, unit: str) -> list[str]:
        """Who has handed in something for the unit."""
        root = self.folder("submitted", "*", unit)
        above = Path(*root.parts[: root.parts.index("*")])
        found = [
            p.name for p in above.glob("*") if p.is_dir() and self.folder("submitted", p.name, unit).is_dir()
        ]
        return sorted(name for name in found if not name.startswith("."))


def known_students(classroom: Classroom) -> tuple[list[str], dict[str, str]]:
    """The students in the gradebook, and which of them has which number on the learning platform."""
    with Gradebook(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        students = gradebook.students
        return [s.id for s in students], {str(s.lms_user_id): s.id for s in students if s.lms_user_id}


def grade_class(
    classroom: Classroom,
    assignment: Assignment,
    students: Sequence[str],
    *,
    sandbox: Sandbox,
    force: bool = False,
    jobs: int | None = None,
    done: Callable[[Graded], None] = lambda row: None,
) -> list[Graded]:
    """Grade submissions side by side; the gradebook is written by this thread alone, one student at a time.

    A student's row is written in one transaction, and the autograded notebook, which says that all is done, after it.
    So a run that is ended at any moment leaves each student graded or not graded, and the next run does the rest.
    """
    grader = Grader.of(assignment, bank.load_bank(assignment), sandbox)
    rows: dict[str, Graded] = {}
    db_url = classroom.folders.db_url
    with Gradebook(db_url, classroom.folders.course_id) as gradebook:
        register(gradebook, assignment, db_url)
        recorded = {row["student"] for row in gradebook.submission_dicts(assignment.unit)}

        def waiting() -> Iterator[Job]:
            for student in students:
                job = _job(classroom, assignment, student)
                kept = None if force or student not in recorded else _kept(classroom, assignment, grader, job)
                if kept:
                    rows[student] = kept
                    done(kept)
                else:
                    yield job

        for result in share(grader, waiting(), jobs):
            student = result.job.student
            text = result.problem
            if result.report is not None and result.row is not None:
                try:
                    _write(classroom, gradebook, assignment, result)
                    rows[student] = result.row
                except Exception as error:  # recorded, and the class goes on
                    gradebook.db.rollback()
                    text = f"{type(error).__name__}: {error}"
            if text:
                told = f"could not be graded on this machine: {text}"
                rows[student] = Graded(student, 0, assignment.max_score, told, "failed")
            done(rows[student])
        final = {row["student"]: row["score"] for row in gradebook.submission_dicts(assignment.unit)}
    for row in rows.values():
        if row.state != "failed" and final.get(row.student, row.score) != row.score:
            row.by_hand = final[row.student]
    return [rows[student] for student in students]


def mistakes_table(rows: Sequence[Graded]) -> list[tuple[str, int]]:
    """Which mistakes how many students made, the most frequent first."""
    return Counter(mistake for row in rows for mistake in row.mistakes).most_common()


def _job(classroom: Classroom, assignment: Assignment, student: str) -> Job:
    path, note = pick_file(classroom.folder("submitted", student, assignment.unit), assignment.name)
    if path is None:
        return Job(student, None, note)
    try:
        return Job(student, read_bytes(path), note)
    except UserError as error:
        return Job(student, None, printable(str(error), 500))


def _output(classroom: Classroom, assignment: Assignment, student: str) -> Path:
    return classroom.folder("autograded", student, assignment.unit) / f"{assignment.name}.ipynb"


def _kept(classroom: Classroom, assignment: Assignment, grader: Grader, job: Job) -> Graded | None:
    try:
        about = read_notebook(_output(classroom, assignment, job.student)).metadata["autograder"]
        if about["fingerprint"] != fingerprint(grader.key, job):
            return None
        return Graded(
            job.student, about["score"], about["max_score"], about["summary"], "kept", list(about["mistakes"])
        )
    except Exception:  # none yet, not ours, or an older one: grade again
        return None


def _write(classroom: Classroom, gradebook: Gradebook, assignment: Assignment, result: Result) -> None:
    student = result.job.student
    stamp = classroom.folder("submitted", student, assignment.unit) / "timestamp.txt"
    when: dict[str, Any] = {}
    if (handed_in := read_timestamp(stamp)) is not None:
        when["timestamp"] = handed_in
    about = {"notebook": assignment.name, "assignment": assignment.unit, "student": student}
    resources = {"nbgrader": {**about, "db_url": classroom.folders.db_url}}
    assert result.report is not None
    with one_transaction(gradebook):
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(assignment.unit, student, **when)
        record(gradebook, assignment, student, result.report)
    penalties = [notebook.late_submission_penalty for notebook in submission.notebooks]
    if submission.total_seconds_late > 0 or any(penalties):  # nbgrader's step opens the gradebook anew
        gradebook.db.commit()
        AssignLatePenalties(config=classroom.config).preprocess(node(cells=[], metadata=node()), resources)
    write_file(_output(classroom, assignment, student), result.notebook)


def write_feedback(classroom: Classroom, assignment: Assignment, students: Sequence[str]) -> list[str]:
    """Write nbgrader's feedback pages; gives a sentence for each that could not be written."""
    from nbgrader.apps.api import NbGraderAPI

    api = NbGraderAPI(classroom.folders, config=classroom.config)
    problems = []
    for student in students:
        result = api.generate_feedback(assignment.unit, student, force=True)
        if not result["success"]:
            problems.append(f"{student}: {str(result.get('error', '')).strip().splitlines()[-1:]}")
    return problems


def show_score(row: Graded) -> str:
    """`12 / 24`."""
    return f"{tidy(row.score)} / {tidy(row.max_score)}"
