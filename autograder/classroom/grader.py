"""What a worker process does: it grades a submission.

A job is data: a student's name and the bytes of a file. So a worker needs no shared disk, and what it gives back is
data as well. Nothing here knows of the gradebook, or imports nbgrader; `workers.py` shares the work out.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..authoring.fingerprints import sentences_of
from ..lesson.failures import PASSED
from ..referee.autograded import autograded
from ..referee.bank import Entry
from ..referee.check_cells import known_probes
from ..referee.judge import grade
from ..referee.matching import Memory
from ..referee.rebuild import known_cells
from ..referee.report import Outcome, Report, tidy
from ..sandbox.forkserver import prepare
from ..sandbox.walls import UNPROTECTED, Interrupted, Sandbox, SandboxError
from ..unit.assignment import Assignment
from ..unit.folder import BESIDE
from ..unit.ignored import CHANGED_CHECKS
from ..unit.ingest import Submission, submission_of
from ..unit.notebook import write_text
from .records import facts


@dataclass(frozen=True)
class Job:
    """What one student handed in: the bytes of a file, or why there are none.

    `note` tells how it was found, one fact on a line; `seed` is the one that the class has for the unit, and
    `solution_seconds` what the solution's processes take of it. A job that is `alone` has no other beside it.
    """

    student: str
    data: bytes | None
    note: str = ""
    seed: int | None = None
    solution_seconds: float | None = None
    alone: bool = False
    #: the name of an earlier hand-in's file; empty for the last one
    file: str = ""


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
    #: the automatic score that another one took the place of, which exercises differ, and what brought it about
    before: float | None = None
    changes: list[str] = field(default_factory=list)
    why: str = ""
    #: seconds after the due date, what is taken off for them, and what was until now where that is another number
    late: float = 0
    penalty: float = 0
    penalty_before: float | None = None
    #: whether the submission was behind a wall, and could not change its own score
    protected: bool = True
    #: the receipt of what was graded
    receipt: str = ""
    #: which of several hand-ins counts; empty where there is one
    hand_in: str = ""


@dataclass
class Result:
    """What became of a job. `problem` is set when this machine, not the student, is at fault."""

    job: Job
    report: Report | None = None
    row: Graded | None = None
    #: the autograded notebook
    notebook: str = ""
    problem: str = ""

    @property
    def overloaded(self) -> bool:
        """Whether something timed out for want of a processor."""
        return self.report is not None and self.report.overloaded


@dataclass
class Grader:
    """All that a worker needs to know of a unit."""

    assignment: Assignment
    entries: Sequence[Entry]
    #: the traits of the sandbox, as data
    walls: dict[str, Any]
    #: says which answer key this is
    key: str
    #: the sentences of `likely.json`, by digest
    sentences: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, assignment: Assignment, entries: Sequence[Entry], sandbox: Sandbox) -> Grader:
        """The grader of a unit, ready to be sent to workers."""
        assignment.exercises  # noqa: B018  worked out once, and sent along
        walls = {name: getattr(sandbox, name) for name in sandbox.traits(config=True)}
        return cls(assignment, entries, walls, key_of(assignment), sentences_of(assignment))

    def __post_init__(self) -> None:
        self.sandbox = Sandbox(**self.walls)
        self.memory = Memory(self.sentences)
        self.limited: dict[float | None, Sandbox] = {None: self.sandbox}

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("sandbox", "memory", "limited")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()

    def prepare(self) -> None:
        """Load what the first submission would have to wait for."""
        unit = self.assignment
        with contextlib.suppress(SandboxError):  # the first submission tells
            prepare(self.sandbox, unit.allowed, known_cells(unit), known_probes(unit))

    def grade(self, job: Job) -> Result:
        """Grade one submission. Raises nothing: what goes wrong on this machine is a Result with a problem."""
        began = time.monotonic()
        try:
            submission, report = self._judged(job)
            row = row_of(job.student, report)
            notebook = autograded(self.assignment, submission, report)
            notebook.metadata["autograder"] |= facts(report, time.monotonic() - began) | {
                "fingerprint": fingerprint(self.key, job),
                "key": self.key,
                "summary": row.summary,
                "mistakes": row.mistakes,
            }
            return Result(job, report, row, write_text(notebook, indent=None))
        except Exception as error:  # recorded, and the class goes on
            return Result(job, problem=f"{type(error).__name__}: {error}")

    def _judged(self, job: Job) -> tuple[Submission, Report]:
        """A submission whose sandbox is ended from outside is graded anew: the end was not its own."""
        cost = job.solution_seconds
        if cost not in self.limited:
            self.limited[cost] = self.sandbox.within(cost or 0.0)
        for tries_left in reversed(range(3)):
            submission = self._read(job)
            try:
                report = grade(
                    self.assignment,
                    submission,
                    self.limited[cost],
                    seed=job.seed,
                    entries=self.entries,
                    memory=self.memory,
                )
            except Interrupted:
                if not tries_left:
                    raise
            else:
                break
        return submission, report

    def _read(self, job: Job) -> Submission:
        if job.data is None:
            return Submission(problem=job.note)
        submission = submission_of(job.data, self.assignment)
        submission.notes += job.note.splitlines()
        return submission


def solution_of(assignment: Assignment, seed: int) -> Job:
    """The solution as a job: what its processes use is the measure of the limits for a class."""
    return Job("", write_text(assignment.solved(), indent=None).encode(), seed=seed, alone=True)


def key_of(assignment: Assignment) -> str:
    """A hash of the answer key: with another key, everything is graded again."""
    digest = hashlib.sha256()
    for part in (assignment.path, assignment.path.parent / "mistakes.py"):
        digest.update(part.read_bytes() if part.is_file() else b"")
    return digest.hexdigest()


def fingerprint(key: str, job: Job) -> str:
    """Says whether a submission has to be graded again: its bytes, what is noted on its file, and the answer key."""
    digest = hashlib.sha256(key.encode())
    digest.update(job.note.encode())
    digest.update(b"none" if job.data is None else job.data)
    return digest.hexdigest()


def _of(outcome: Outcome) -> str:
    """What an answer that is right in part has earned."""
    return f", {tidy(outcome.points)} of {tidy(outcome.max_points)}" if outcome.points else ""


def row_of(student: str, report: Report) -> Graded:
    """The row of a report."""
    bad = [outcome for outcome in report.outcomes if outcome.status != PASSED]
    mistakes = [f"{outcome.name}: {outcome.mistake}" for outcome in bad if outcome.mistake]
    missing = [outcome.name for outcome in bad if outcome.status == "missing" and not outcome.points]
    if not bad:
        summary = "all right"
    elif all(outcome.doubtful for outcome in bad) and report.notes and report.notes[-1] != UNPROTECTED:
        summary = report.notes[-1]
    else:
        parts = [
            f"{o.name} ({o.mistake or o.status}{_of(o)})" for o in bad if o.status != "missing" or o.points
        ]
        if missing:
            parts.append(
                "nothing written" if len(missing) == len(report.outcomes) else f"{len(missing)} not written"
            )
        summary = ", ".join(parts)
    beside = [BESIDE + note.partition(BESIDE)[2] for note in report.notes if BESIDE in note]
    if beside and beside[0] not in summary:
        summary += f"; {beside[0][0].lower()}{beside[0][1:].rstrip('.')}"
    if any(note.startswith(CHANGED_CHECKS) for note in report.notes):
        summary += f"; {CHANGED_CHECKS[0].lower()}{CHANGED_CHECKS[1:]}"
    for look in report.looks:
        summary += f"; {look[0].lower()}{look[1:].partition(')')[0]})"
    return Graded(
        student,
        report.score,
        report.max_score,
        summary,
        mistakes=mistakes,
        protected=report.protected,
        receipt=report.receipt,
    )


def compare(row: Graded, report: Report, before: dict[str, float | None]) -> None:
    """Note which exercises earn something else than before."""
    for outcome in report.outcomes:
        old = before[outcome.name] or 0.0
        if old != outcome.points:
            said = "" if outcome.status == PASSED else f" ({outcome.mistake or outcome.status})"
            row.changes.append(f"{outcome.name} {tidy(old)} → {tidy(outcome.points)}{said}")
    if row.changes:
        row.before = sum(score or 0.0 for score in before.values())
