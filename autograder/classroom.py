"""Grades a class: `submitted/*/UNIT/` into the gradebook, one student's damage never in another's way."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import SAWarning
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from . import bank
from .assignment import Assignment, Course
from .checks import PASSED
from .errors import UserError
from .gradebook import autograded, record, register, write_notebook
from .ingest import Submission, read_bytes, read_submission
from .nbgrader_plugin import BESIDE, pick_file, read_timestamp
from .referee import Report, grade, tidy
from .sandbox import Sandbox, SandboxError

# nbgrader 0.9 adds a submission's parts to the session in an order that SQLAlchemy 2 warns of; the rows are right.
warnings.filterwarnings("ignore", category=SAWarning, message="Object of type <Submitted")


class Classroom:
    """The working side of a course: nbgrader's folders, its gradebook, and the walls that its configuration sets."""

    def __init__(self, course: Course) -> None:
        self.course = course

    @cached_property
    def config(self) -> Config:
        """The settings in nbgrader_config.py. Raises UserError when that file is broken."""
        try:
            return PyFileConfigLoader("nbgrader_config.py", path=str(self.course.root)).load_config()
        except ConfigFileNotFound:
            return Config()
        except Exception as error:
            raise UserError(f"{self.course.root / 'nbgrader_config.py'} is broken: {error}.") from None

    @cached_property
    def folders(self) -> CourseDirectory:
        return CourseDirectory(config=self.config, root=str(self.course.root))

    def sandbox(self, unsandboxed: bool = False) -> Sandbox:
        """The walls as configured. Raises SandboxError when this machine has none and none was waived."""
        sandbox = Sandbox(config=self.config)
        sandbox.hidden_paths = [*sandbox.hidden_paths, str(self.course.root)]
        if unsandboxed:
            sandbox.unsandboxed = True
        if not sandbox.unsandboxed and (problem := sandbox.why_not()):
            raise SandboxError(problem)
        return sandbox

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


@dataclass
class Graded:
    """A student's row in the table of a class."""

    student: str
    score: float
    max_score: float
    summary: str
    #: "graded", "kept" (graded before, and the file has not changed) or "failed" (nothing was written)
    state: str = "graded"
    mistakes: list[str] = field(default_factory=list)
    #: the score in the gradebook, where a person has changed it
    by_hand: float | None = None


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
    """Grade submissions side by side; the gradebook is written by this thread alone, one student at a time."""
    entries = bank.load_bank(assignment)
    rows: dict[str, Graded] = {}
    db_url = classroom.folders.db_url
    with Gradebook(db_url, classroom.folders.course_id) as gradebook:
        register(gradebook, assignment, db_url)
        with ThreadPoolExecutor(jobs or min(8, os.cpu_count() or 1)) as pool:
            waiting = {}
            for student in students:
                kept = None if force else _kept(classroom, assignment, student)
                if kept:
                    rows[student] = kept
                    done(kept)
                else:
                    waiting[pool.submit(_grade_one, classroom, assignment, student, sandbox, entries)] = (
                        student
                    )
            for future in as_completed(waiting):
                student = waiting[future]
                try:
                    submission, report, fingerprint = future.result()
                    _write(classroom, gradebook, assignment, student, submission, report, fingerprint)
                    rows[student] = row_of(student, report)
                except Exception as error:  # recorded, and the class goes on
                    gradebook.db.rollback()
                    text = f"could not be graded on this machine: {type(error).__name__}: {error}"
                    rows[student] = Graded(student, 0, assignment.max_score, text, "failed")
                done(rows[student])
        final = {row["student"]: row["score"] for row in gradebook.submission_dicts(assignment.unit)}
    for row in rows.values():
        if row.state != "failed" and final.get(row.student, row.score) != row.score:
            row.by_hand = final[row.student]
    return [rows[student] for student in students]


def row_of(student: str, report: Report) -> Graded:
    """The row of a report."""
    bad = [outcome for outcome in report.outcomes if outcome.status != PASSED]
    mistakes = [f"{outcome.name}: {outcome.mistake}" for outcome in bad if outcome.mistake]
    missing = [outcome.name for outcome in bad if outcome.status == "missing"]
    if not bad:
        summary = "all right"
    elif all(outcome.doubtful for outcome in bad) and report.notes:
        summary = report.notes[-1]
    else:
        parts = [f"{o.name} ({o.mistake or o.status})" for o in bad if o.status != "missing"]
        if missing:
            parts.append(
                "nothing written" if len(missing) == len(report.outcomes) else f"{len(missing)} not written"
            )
        summary = ", ".join(parts)
    beside = [BESIDE + note.partition(BESIDE)[2] for note in report.notes if BESIDE in note]
    if beside and beside[0] not in summary:
        summary += f"; {beside[0][0].lower()}{beside[0][1:].rstrip('.')}"
    return Graded(student, report.score, report.max_score, summary, mistakes=mistakes)


def mistakes_table(rows: Sequence[Graded]) -> list[tuple[str, int]]:
    """Which mistakes how many students made, the most frequent first."""
    return Counter(mistake for row in rows for mistake in row.mistakes).most_common()


def _fingerprint(assignment: Assignment, path: Path | None, note: str) -> str:
    """Says whether a submission has to be graded again: its bytes, what is noted on its file, and the answer key."""
    digest = hashlib.sha256()
    for part in (assignment.path, assignment.path.parent / "mistakes.py"):
        digest.update(part.read_bytes() if part.is_file() else b"")
    digest.update(note.encode())
    try:
        digest.update(read_bytes(path) if path else b"none")
    except UserError as error:
        digest.update(str(error).encode())
    return digest.hexdigest()


def _submitted(classroom: Classroom, assignment: Assignment, student: str) -> tuple[Path | None, str]:
    return pick_file(classroom.folder("submitted", student, assignment.unit), assignment.name)


def _output(classroom: Classroom, assignment: Assignment, student: str) -> Path:
    return classroom.folder("autograded", student, assignment.unit) / f"{assignment.name}.ipynb"


def _kept(classroom: Classroom, assignment: Assignment, student: str) -> Graded | None:
    output = _output(classroom, assignment, student)
    if not output.is_file():
        return None
    try:
        about = nbformat.read(output, as_version=4).metadata["autograder"]
        if about["fingerprint"] != _fingerprint(assignment, *_submitted(classroom, assignment, student)):
            return None
        return Graded(
            student, about["score"], about["max_score"], about["summary"], "kept", list(about["mistakes"])
        )
    except Exception:  # not ours, or an older one: grade again
        return None


def _grade_one(
    classroom: Classroom,
    assignment: Assignment,
    student: str,
    sandbox: Sandbox,
    entries: Sequence[bank.Entry],
) -> tuple[Submission, Report, str]:
    path, note = _submitted(classroom, assignment, student)
    fingerprint = _fingerprint(assignment, path, note)
    submission = read_submission(path, assignment) if path else Submission(problem=note)
    if path and note:
        submission.notes.append(note)
    return submission, grade(assignment, submission, sandbox, entries=entries), fingerprint


def _write(
    classroom: Classroom,
    gradebook: Gradebook,
    assignment: Assignment,
    student: str,
    submission: Submission,
    report: Report,
    fingerprint: str,
) -> None:
    gradebook.update_or_create_student(student)
    stamp = classroom.folder("submitted", student, assignment.unit) / "timestamp.txt"
    when: dict[str, Any] = {}
    if (handed_in := read_timestamp(stamp)) is not None:
        when["timestamp"] = handed_in
    gradebook.update_or_create_submission(assignment.unit, student, **when)
    record(gradebook, assignment, student, report)
    notebook = autograded(assignment, submission, report)
    row = row_of(student, report)
    notebook.metadata["autograder"] |= {
        "fingerprint": fingerprint,
        "summary": row.summary,
        "mistakes": row.mistakes,
    }
    about = {"notebook": assignment.name, "assignment": assignment.unit, "student": student}
    resources = {"nbgrader": {**about, "db_url": classroom.folders.db_url}}
    AssignLatePenalties(config=classroom.config).preprocess(notebook, resources)
    write_notebook(_output(classroom, assignment, student), notebook)


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
