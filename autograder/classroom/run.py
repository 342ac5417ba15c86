"""Grades a class: `submitted/*/UNIT/` into the gradebook, one student's damage never in another's way."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, SubmittedAssignment
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from ..errors import UserError
from ..lesson.failures import PASSED
from ..lesson.wire import printable
from ..referee import bank
from ..referee.autograded import write_file
from ..referee.report import Report, tidy
from ..sandbox.walls import NO_WALL, Sandbox
from ..unit.assignment import Assignment
from ..unit.folder import pick_file, side_files
from ..unit.notebook import read_notebook
from ..unit.raw import read_bytes
from .classroom import Classroom
from .cluster import share_on
from .gradebook import alone, auto_scores, fill_in, one_transaction, opened, reason, register
from .grader import Graded, Grader, Job, Result, fingerprint, solution_of
from .late import LatePolicy, penalise, penalty_of
from .nbgrader_plugin import read_timestamp
from .receipts import known_receipts, note_graded
from .state import (
    cost_of,
    draw_seed,
    keep_cost,
    late_percent,
    record_seed,
    seed_of,
    seeds_of_results,
    set_late_percent,
)
from .workers import Processes, Threads, share

# nbgrader 0.9 adds a submission's parts to the session in an order that SQLAlchemy 2 warns of; the rows are right.
warnings.filterwarnings("ignore", category=SAWarning, message="Object of type <Submitted")


def grade_class(
    classroom: Classroom,
    assignment: Assignment,
    students: Sequence[str],
    *,
    sandbox: Sandbox,
    force: bool = False,
    jobs: int | None = None,
    done: Callable[[Graded], None] = lambda row: None,
    scheduler: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
    pool: Processes | None = None,
    new_seed: bool = False,
    late_policy: LatePolicy = None,
) -> list[Graded]:
    """Grade submissions side by side; the gradebook is written by this thread alone, one student at a time.

    A student's row is written in one transaction, and the autograded notebook, which says that all is done, after it.
    So a run that is ended at any moment leaves each student graded or not graded, and the next run does the rest.
    With a `scheduler`, the workers of its Dask cluster grade, and `tell` hears of those that cannot. `pool` is who
    grades on this machine, if somebody has been asked `ahead`. Everybody is graded with the seed that the class has
    for the unit, so that the same answer has the same points; with `new_seed` another one is drawn first.
    `late_policy` is what a day of lateness costs from now on.
    """
    grader = pool.grader if pool else Grader.of(assignment, bank.load_bank(assignment), sandbox)
    run = _Run(classroom, assignment, grader, force)
    with opened(classroom.folders.db_url, classroom.folders.course_id) as run.gradebook:
        with alone(run.gradebook):
            register(run.gradebook, assignment, classroom.folders.db_url)
            if late_policy is not None:
                percent = None if late_policy == "nbgrader" else late_policy
                set_late_percent(run.gradebook, assignment.unit, percent)
            late_percent(run.gradebook, assignment.unit)  # makes its table, before there is anything to lose
            known_receipts(run.gradebook, assignment.unit)
            run.seed = (draw_seed if new_seed else seed_of)(run.gradebook, assignment.unit)
        run.recorded = auto_scores(run.gradebook, assignment.unit)
        run.seeds = seeds_of_results(run.gradebook, assignment.unit)
        run.solution_seconds = cost_of(run.gradebook, assignment.unit, grader.key)
        if run.solution_seconds is None:
            run.measure(pool)
        waiting = run.waiting(students, done)
        shared = (
            share_on(scheduler, grader, waiting, tell) if scheduler else share(grader, waiting, jobs, pool)
        )
        with contextlib.closing(shared) as results:  # also when this is interrupted
            for result in results:
                done(run.take(result))
        run.finish()
    return [run.rows[student] for student in students]


#: So many submissions in a row that cannot be written end a run: what could be graded after them would be lost, too.
FAILURES = 3


@dataclass
class _Run:
    """One run over a class."""

    classroom: Classroom
    assignment: Assignment
    grader: Grader
    force: bool
    gradebook: Gradebook = None
    #: the seed of this unit in this class, and those with which submissions have been graded
    seed: int = 0
    #: the CPU seconds of the unit's solution, by which submissions are limited; None where it could not be measured
    solution_seconds: float | None = None
    seeds: dict[str, int] = field(default_factory=dict)
    rows: dict[str, Graded] = field(default_factory=dict)
    #: whose scores are in the gradebook, and their sums
    recorded: dict[str, float] = field(default_factory=dict)
    #: why somebody is graded again
    why: dict[str, str] = field(default_factory=dict)
    failures: int = 0

    def measure(self, pool: Processes | None) -> None:
        """Grade the solution, once in the life of a class."""
        workers = pool or Threads(self.grader, 1)
        workers.give(solution_of(self.assignment, self.seed))
        _, result = workers.take()
        if result is not None and result.report is not None:
            self.solution_seconds = result.report.cpu
            keep_cost(self.gradebook, self.assignment.unit, self.grader.key, result.report.cpu)

    def waiting(self, students: Sequence[str], done: Callable[[Graded], None]) -> Iterator[Job]:
        """Those that have to be graded; the others' rows are made."""
        create = self.classroom.config.get("Autograde", {}).get("create_student", True)
        known = None if create else {student.id for student in self.gradebook.students}
        for student in students:
            told = ""
            if not is_unicode(student):
                told = (
                    "has a folder whose name is not UTF-8, which no gradebook can hold: rename it, or all of them with "
                    "`convmv -r -f latin1 -t utf-8 --notest submitted`, and grade again"
                )
            elif known is not None and student not in known:
                told = "is not in the gradebook, and c.Autograde.create_student is False"
            if told:
                self.rows[student] = Graded(student, 0, self.assignment.max_score, told, "failed")
                done(self.rows[student])
                continue
            job = replace(
                _job(self.classroom, self.assignment, student),
                seed=self.seed,
                solution_seconds=self.solution_seconds,
            )
            about = _about(self.classroom, self.assignment, student)
            same = about is not None and about["fingerprint"] == fingerprint(self.grader.key, job)
            # What was graded without a wall is graded again as soon as there is one.
            open_ = about is not None and about.get("wall") == NO_WALL
            mended = open_ and self.grader.sandbox.wall() != NO_WALL
            # Where the gradebook says something else, it is an older one, or a run was ended between the two.
            there = about is not None and self.recorded.get(student) == float(about["score"])
            same_seed = self.seeds.get(student) == self.seed
            if about is not None and same and same_seed and there and not mended and not self.force:
                self.rows[student] = _kept(student, about)
                done(self.rows[student])
                continue
            if about is not None:
                other_key = about.get("key", self.grader.key) != self.grader.key
                self.why[student] = (
                    "the unit has changed"
                    if other_key
                    else "another file"
                    if not same
                    else "another seed"
                    if not same_seed
                    else "there was no wall"
                    if mended
                    else "--force"
                )
            yield job

    def take(self, result: Result) -> Graded:
        """Write a result. What cannot be written is told, and graded again by the next run."""
        student, row, problem = result.job.student, result.row, result.problem
        if row is not None:
            problem = self._written(result)
        if row is None or problem:
            told = f"could not be graded on this machine: {problem}"
            row = Graded(student, 0, self.assignment.max_score, told, "failed")
        row.why = self.why.get(student, "")
        self.rows[student] = row
        return row

    def _written(self, result: Result) -> str:
        for left in (1, 0):
            try:
                _write(self.classroom, self.gradebook, self.assignment, result)
                self.failures = 0
                return ""
            except UserError:  # the rule for lateness fails, which is the course's
                self.gradebook.db.rollback()
                raise
            except Exception as error:  # recorded, and the class goes on
                problem = f"{type(error).__name__}: {reason(error)}"
                # Else it is this student's affair: a name that is no text, for example.
                everybodys = isinstance(error, OSError | SQLAlchemyError)
                self.gradebook.db.remove()  # a new transaction, and where it is gone, a new connection
                if left and not isinstance(error, OSError):
                    # Another grader was at the same row, or the database has just been restarted.
                    time.sleep(0.2)
                    continue
                break
        self.failures += everybodys
        if self.failures >= FAILURES:
            written = sum(row.state == "graded" for row in self.rows.values())
            raise UserError(
                f"Grades cannot be written any more ({problem}). {written} of this run are, and kept; "
                f"`autograder grade {self.assignment.unit}` does the rest when that is mended."
            )
        return problem

    def finish(self) -> None:
        """What only the gradebook knows: the scores that people gave, who was late, and what that costs.

        A due date, an extension, a time of handing in or the rule may have changed since a submission was graded.
        """
        unit = self.assignment.unit
        final = {row["student"]: row["score"] for row in self.gradebook.submission_dicts(unit)}
        for row in self.rows.values():
            if row.state != "failed" and final.get(row.student, row.score) != row.score:
                row.by_hand = final[row.student]
        submissions: list[SubmittedAssignment] = [
            submission
            for submission in self.gradebook.find_assignment(unit).submissions
            if submission.student_id in self.rows and self.rows[submission.student_id].state != "failed"
        ]
        before = {submission.id: penalty_of(submission) for submission in submissions}
        for submission in submissions:
            folder = self.classroom.folder("submitted", submission.student_id, unit)
            when = read_timestamp(folder / "timestamp.txt")
            if when != submission.timestamp:
                submission.timestamp = when
        penalise(self.gradebook, submissions, unit, self.classroom.config)
        for submission in submissions:
            row = self.rows[submission.student_id]
            row.late, row.penalty = submission.total_seconds_late, penalty_of(submission)
            if row.state == "kept" and before[submission.id] != row.penalty:
                row.penalty_before = before[submission.id]
        self.gradebook.db.commit()


def is_unicode(text: str) -> bool:
    """Whether a text can be written; names of files may hold bytes that stand for no character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def mistakes_table(rows: Sequence[Graded]) -> list[tuple[str, int]]:
    """Which mistakes how many students made, the most frequent first."""
    return Counter(mistake for row in rows for mistake in row.mistakes).most_common()


def _job(classroom: Classroom, assignment: Assignment, student: str) -> Job:
    folder = classroom.folder("submitted", student, assignment.unit)
    try:
        path, note = pick_file(folder, assignment.name, assignment)
        if path is None:
            return Job(student, None, note)
        note = "\n".join(filter(None, [side_files(folder, classroom.released(assignment.unit), path), note]))
    except OSError as error:  # one student's permissions are in nobody else's way
        return Job(student, None, f"The folder {folder.name} cannot be read: {error.strerror}.")
    try:
        return Job(student, read_bytes(path), note)
    except UserError as error:
        return Job(student, None, printable(str(error), 500))


def _output(classroom: Classroom, assignment: Assignment, student: str) -> Path:
    return classroom.folder("autograded", student, assignment.unit) / f"{assignment.name}.ipynb"


def _about(classroom: Classroom, assignment: Assignment, student: str) -> dict[str, Any] | None:
    """What the autograded notebook says of itself; None when there is none, or it is not ours, or an older one."""
    try:
        about = read_notebook(_output(classroom, assignment, student)).metadata["autograder"]
        _kept(student, about)
        return dict(about) if isinstance(about["fingerprint"], str) else None
    except Exception:  # then it is graded again
        return None


def _kept(student: str, about: dict[str, Any]) -> Graded:
    return Graded(
        student,
        about["score"],
        about["max_score"],
        about["summary"],
        "kept",
        list(about["mistakes"]),
        protected=about.get("wall") != NO_WALL,
        receipt=about.get("receipt", ""),
    )


def _write(classroom: Classroom, gradebook: Gradebook, assignment: Assignment, result: Result) -> None:
    student = result.job.student
    stamp = classroom.folder("submitted", student, assignment.unit) / "timestamp.txt"
    when = {"timestamp": read_timestamp(stamp)}  # None, too: a new hand-in has not the time of the old one
    assert result.report is not None and result.row is not None
    with one_transaction(gradebook):
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(assignment.unit, student, **when)
        (notebook,) = (one for one in submission.notebooks if one.notebook.name == assignment.name)
        before = fill_in(notebook, assignment, result.report)
        to_penalise = submission.total_seconds_late > 0 or penalty_of(submission) > 0
        record_seed(gradebook, assignment.unit, student, result.report.seed)
        note_graded(gradebook, assignment.unit, student, result.report.receipt)
    if None not in before.values():
        _compare(result.row, result.report, before)
    if to_penalise:  # it takes a transaction of its own, since it asks the database for the sum of the scores
        penalise(gradebook, [submission], assignment.unit, classroom.config)
        gradebook.db.commit()
    write_file(_output(classroom, assignment, student), result.notebook)


def _compare(row: Graded, report: Report, before: dict[str, float | None]) -> None:
    """Note which exercises earn something else than before."""
    for outcome in report.outcomes:
        old = before[outcome.name] or 0.0
        if old != outcome.points:
            said = "" if outcome.status == PASSED else f" ({outcome.mistake or outcome.status})"
            row.changes.append(f"{outcome.name} {tidy(old)} → {tidy(outcome.points)}{said}")
    if row.changes:
        row.before = sum(score or 0.0 for score in before.values())


def show_score(row: Graded) -> str:
    """`12 / 24`."""
    return f"{tidy(row.score)} / {tidy(row.max_score)}"
