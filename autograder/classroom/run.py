"""Grades a class: `submitted/*/UNIT/` into the gradebook, one student's damage never in another's way."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nbgrader.api import Gradebook, SubmittedAssignment
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from ..errors import UserError
from ..referee import bank
from ..referee.autograded import write_file
from ..referee.report import tidy
from ..sandbox.walls import NO_WALL, Sandbox
from ..unit.assignment import Assignment
from .attempts import (
    LAST,
    Attempts,
    about_of,
    best,
    counting,
    kept_row,
    output_of,
    rule_of,
    set_rule,
    time_of,
)
from .classroom import Classroom
from .cluster import share_on
from .gradebook import alone, auto_scores, fill_in, one_transaction, opened, reason, register
from .grader import Graded, Grader, Job, Result, compare, solution_of
from .late import LatePolicy, penalise, penalty_of
from .receipts import known_receipts, note_collected, note_graded
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
    rule: str = "",
) -> list[Graded]:
    """Grade submissions side by side; the gradebook is written by this thread alone, one student at a time.

    A student's row is written in one transaction, and the autograded notebook, which says that all is done, after it.
    So a run that is ended at any moment leaves each student graded or not graded, and the next run does the rest.
    With a `scheduler`, the workers of its Dask cluster grade, and `tell` hears of those that cannot. `pool` is who
    grades on this machine, if somebody has been asked `ahead`. Everybody is graded with the seed that the class has
    for the unit, so that the same answer has the same points; with `new_seed` another one is drawn first.
    `late_policy` is what a day of lateness costs from now on, `rule` which of several hand-ins counts.
    """
    grader = pool.grader if pool else Grader.of(assignment, bank.load_bank(assignment), sandbox)
    run = _Run(classroom, assignment, grader, force)
    with opened(classroom.folders.db_url, classroom.folders.course_id) as run.gradebook:
        run.prepare(new_seed, late_policy, rule)
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
                if (row := run.take(result)) is not None:
                    done(row)
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
    #: which of several hand-ins counts, what each student has handed in, and the file of it that counts
    rule: str = LAST
    attempts: dict[str, Attempts] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def prepare(self, new_seed: bool, late_policy: LatePolicy, rule: str) -> None:
        """Make the unit known to the gradebook, with what the class has set for it, before anything can be lost."""
        gradebook, unit = self.gradebook, self.assignment.unit
        with alone(gradebook):
            register(gradebook, self.assignment, self.classroom.folders.db_url)
            if late_policy is not None:
                set_late_percent(gradebook, unit, None if late_policy == "nbgrader" else late_policy)
            late_percent(gradebook, unit)  # makes its table
            known_receipts(gradebook, unit)
            if rule:
                set_rule(gradebook, unit, rule)
            self.rule = rule_of(gradebook, unit)
            self.seed = (draw_seed if new_seed else seed_of)(gradebook, unit)

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
            attempts = Attempts.of(self.classroom, self.assignment, student, self.rule)
            about = about_of(self.classroom, self.assignment, student)
            if about is not None and not (why := self.again(student, about, attempts)):
                self.rows[student] = kept_row(student, about)
                self.files[student] = about.get("file", "")
                done(self.rows[student])
                continue
            if about is not None:
                self.why[student] = why
            self.attempts[student] = attempts
            for job in attempts.jobs:
                yield replace(job, seed=self.seed, solution_seconds=self.solution_seconds)

    def again(self, student: str, about: Mapping[str, Any], attempts: Attempts) -> str:
        """Why somebody who has been graded is graded again; empty where all is as it was."""
        if about.get("key", self.grader.key) != self.grader.key:
            return "the unit has changed"
        if not attempts.known(about, self.grader.key):
            return "another file"
        if self.seeds.get(student) != self.seed:
            return "another seed"
        # What was graded without a wall is graded again as soon as there is one.
        if about.get("wall") == NO_WALL and self.grader.sandbox.wall() != NO_WALL:
            return "there was no wall"
        if self.best_of(student, about) != about.get("file", ""):
            return "another hand-in counts"
        # Where the gradebook says something else, it is an older one, or a run was ended between the two.
        there = self.recorded.get(student) == float(about["score"])
        return "--force" if self.force or not there else ""

    def best_of(self, student: str, about: Mapping[str, Any]) -> str:
        """Of hand-ins that have not changed, the file that counts: what is late may have, and the price of it."""
        scores = [(file, float(score)) for file, _, score in about.get("attempts", ())]
        return scores[self.best(student, scores)][0] if scores else str(about.get("file", ""))

    def best(self, student: str, scores: Sequence[tuple[str, float]]) -> int:
        unit = self.assignment.unit
        folder = self.classroom.folder("submitted", student, unit)
        return best(self.gradebook, unit, student, folder, scores, self.classroom.config)

    def take(self, result: Result) -> Graded | None:
        """Write a result. What cannot be written is told, and graded again by the next run.

        None until all hand-ins of the student are graded: then the one that counts is written.
        """
        student = result.job.student
        attempts = self.attempts[student]
        attempts.results.append(result)
        if len(attempts.results) < len(attempts.jobs):
            return None
        order = {job.file: number for number, job in enumerate(attempts.jobs)}
        attempts.results.sort(key=lambda one: order[one.job.file])
        failed = [one for one in attempts.results if one.row is None]
        if failed:
            result = failed[0]
        else:
            scores = [(one.job.file, one.row.score) for one in attempts.results if one.row is not None]
            result = counting(attempts, self.best(student, scores) if len(scores) > 1 else 0)
            self.files[student] = result.job.file
        row, problem = result.row, result.problem
        if row is not None:
            problem = self._written(result)
        if row is None or problem:
            told = f"could not be graded on this machine: {problem}"
            row = Graded(student, 0, self.assignment.max_score, told, "failed")
        row.why = self.why.get(student, "")
        self.rows[student] = row
        return row

    def others(self, result: Result) -> list[str]:
        """The receipts of hand-ins that were graded and do not count."""
        results = self.attempts[result.job.student].results
        return [one.report.receipt for one in results if one is not result and one.report is not None]

    def _written(self, result: Result) -> str:
        for left in (1, 0):
            try:
                _write(self.classroom, self.gradebook, self.assignment, result, self.others(result))
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
            when = time_of(folder, self.files.get(submission.student_id, ""))
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


def _write(
    classroom: Classroom, gradebook: Gradebook, assignment: Assignment, result: Result, others: Sequence[str]
) -> None:
    student = result.job.student
    folder = classroom.folder("submitted", student, assignment.unit)
    when = {
        "timestamp": time_of(folder, result.job.file)
    }  # None, too: a new hand-in has not the time of the old one
    assert result.report is not None and result.row is not None
    with one_transaction(gradebook):
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(assignment.unit, student, **when)
        (notebook,) = (one for one in submission.notebooks if one.notebook.name == assignment.name)
        before = fill_in(notebook, assignment, result.report)
        to_penalise = submission.total_seconds_late > 0 or penalty_of(submission) > 0
        record_seed(gradebook, assignment.unit, student, result.report.seed)
        note_graded(gradebook, assignment.unit, student, result.report.receipt)
        for receipt in filter(None, others):
            note_collected(gradebook, assignment.unit, student, receipt)
    if None not in before.values():
        compare(result.row, result.report, before)
    if to_penalise:  # it takes a transaction of its own, since it asks the database for the sum of the scores
        penalise(gradebook, [submission], assignment.unit, classroom.config)
        gradebook.db.commit()
    write_file(output_of(classroom, assignment, student), result.notebook)


def show_score(row: Graded) -> str:
    """`12 / 24`."""
    return f"{tidy(row.score)} / {tidy(row.max_score)}"
