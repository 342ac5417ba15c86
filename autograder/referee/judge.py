"""The referee: runs a submission's cells in a pupil, runs the checks here, and says what each exercise earned."""

from __future__ import annotations

import hashlib
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..lesson.clashes import bound, two_names
from ..lesson.exceptions import explain_exception
from ..lesson.failures import ERROR, FAILED, MISSING, PASSED, TIMEOUT, CheckFailed, Failure
from ..lesson.parts import telling
from ..lesson.probes import AnswerError, AnswerLost, AnswerTimeout, Call, Session
from ..sandbox.process import CellResult
from ..sandbox.walls import UNPROTECTED, Interrupted, Sandbox, SandboxError
from ..unit.assignment import Assignment, Exercise
from ..unit.cell import ANSWER, CHECK, FIGURE
from ..unit.ingest import Submission
from ..unit.looks import looks
from . import bank
from .check_cells import Calls, checking, compiled, in_hidden_part, line_of, remember, setup_names
from .matching import Matcher, Memory
from .rebuild import Step, rebuild
from .report import Outcome, PartOutcome, Report
from .runner import Runner
from .shares import all_of, earned_by, fault_of


def grade(
    assignment: Assignment,
    submission: Submission,
    sandbox: Sandbox,
    *,
    seed: int | None = None,
    entries: Sequence[bank.Entry] | None = None,
    progress: Callable[[str], None] | None = None,
    memory: Memory | None = None,
    only: str = "",
    heard: Callable[[str, Sequence[Call]], None] | None = None,
) -> Report:
    """Grade one submission, or `only` one of its exercises, at the same draws.

    A `memory` that is kept makes the next diagnoses faster. `heard` is told of each exercise, and its check's calls.

    Raises SandboxError when its process cannot be started, or is ended from outside. All else that a submission can
    do is an outcome.
    """
    seed = secrets.randbelow(2**31) if seed is None else seed
    found = looks(submission)
    report = Report(assignment.unit, seed, sandbox.wall(), notes=list(submission.notes), looks=found)
    report.receipt = submission.receipt
    if not report.protected:
        report.notes.insert(0, UNPROTECTED)
    if submission.problem:
        return _nothing_to_grade(report, assignment, submission.problem)
    if entries is None:
        entries = bank.load_bank(assignment)
    grading = _Grading(
        assignment,
        report,
        Runner(sandbox, assignment.allowed, derived(seed, "the notebook")),
        Matcher(assignment, entries, sandbox, memory, derived(seed, "the notebook")),
        setup_names(assignment),
        submission.python,
        heard,
    )
    try:
        for step in rebuild(assignment, submission):
            grading.take(step, submission, only, progress)
            if step.kind == CHECK and step.name == only:
                break  # what comes later cannot change it
    finally:
        grading.runner.close()
        grading.matcher.close()
    report.cpu, report.overloaded = grading.runner.cpu, grading.runner.overloaded
    if report.overloaded:
        _doubt_what_timed_out(report)
    return report


def _nothing_to_grade(report: Report, assignment: Assignment, problem: str) -> Report:
    """The report on a file that could not be used."""
    report.notes.append(problem)
    for exercise in assignment.exercises:
        text = f"✗ {exercise.name}: nothing could be graded. {problem}"
        parts = all_of(exercise, MISSING)
        report.outcomes.append(
            Outcome(exercise.name, 0, exercise.points, MISSING, text, doubtful=True, parts=parts)
        )
    return report


#: What an instructor is told of a submission whose time ran out while it waited.
OVERLOADED = (
    "This machine was overloaded while the submission ran: what timed out had no chance, and should be graded "
    "again when less else is running."
)


def _doubt_what_timed_out(report: Report) -> None:
    for outcome in report.outcomes:
        if outcome.status == TIMEOUT:
            outcome.doubtful = True
    report.notes.append(OVERLOADED)


def derived(seed: int, name: str) -> int:
    """The seed of one part of a grading, which does not tell the others'.

    A student sees what is drawn for an exercise, and from enough of it the state of its generator can be worked out.
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:16], "big")


@dataclass
class _Grading:
    """One submission while it is graded."""

    assignment: Assignment
    report: Report
    runner: Runner
    matcher: Matcher
    #: the names that check cells may use
    names: dict[str, Any]
    #: the version of Python that the student's notebook ran on, as far as it says
    python: tuple[int, ...] = ()
    #: who is told of the calls of a check
    heard: Callable[[str, Sequence[Call]], None] | None = None
    #: answer cells that raised, by exercise
    raised: dict[str, Failure] = field(default_factory=dict)
    #: answer cells that did not finish, by exercise
    unfinished: dict[str, Failure] = field(default_factory=dict)

    def take(
        self, step: Step, submission: Submission, only: str, progress: Callable[[str], None] | None
    ) -> None:
        """Take one step through the notebook: run a cell, or judge the answer above a check."""
        if step.kind != CHECK:
            if step.kind != FIGURE and step.source.strip():
                self.run(step)
        elif only in ("", step.name):
            exercise = self.assignment.exercise(step.name)
            if progress:
                progress(exercise.name)
            self.report.outcomes.append(self.judge(exercise, submission.answers.get(step.name, "")))

    def run(self, step: Step) -> None:
        """Run a cell that is not a check."""
        name = step.name or step.label
        try:
            result = self.runner.run_cell(step.source)
        except (AnswerTimeout, AnswerLost) as error:
            status = TIMEOUT if isinstance(error, AnswerTimeout) else ERROR
            self.unfinished[step.name] = Failure(name, status, f"the cell did not finish: {error}")
            result = CellResult(
                "", AnswerError("Timeout" if status == TIMEOUT else "ProcessEnded", str(error))
            )
            if step.added:
                self.report.notes.append(f"A cell that you added was left out, because {error}.")
            elif step.kind != ANSWER:
                self.report.notes.append(f"The cell {name} did not finish: {error}.")
        else:
            if result.error is not None:
                failure = Failure(name, ERROR, f"the cell raised {result.error.type_name}")
                failure.rows.append(("raised", str(result.error)))
                if result.error.place:
                    failure.rows.append(("at", result.error.place))
                failure.diagnosis = self._newer_python(result.error) or explain_exception(result.error)
                self.raised[step.name] = failure
        self.report.outputs[step.label] = result

    def _newer_python(self, error: AnswerError) -> str:
        """Why a cell that ran in the student's notebook is no Python here: its Python is a newer one."""
        if error.type_name != "SyntaxError" or self.python <= sys.version_info[:2]:
            return ""
        here, there = (".".join(map(str, version)) for version in (sys.version_info[:2], self.python))
        return (
            f"Your notebook ran on Python {there}, and grading runs {here}, to which this is no Python: write it as "
            f"{here} understands it, too. In an f-string, use other quotes inside the braces than around it."
        )

    def judge(self, exercise: Exercise, written: str) -> Outcome:
        """Run a check cell, here, and turn whatever happens into an outcome."""
        if exercise.name in self.unfinished:
            return self._missed(exercise, self.unfinished[exercise.name], None)
        session = Session(self.runner, derived(self.report.seed, exercise.name), quiet=True)
        outcome = self._judged(exercise, written, session)
        outcome.drawn = session.drawn
        if self.heard is not None:
            self.heard(exercise.name, [*session.calls, *session.echoes])
        return outcome

    def _judged(self, exercise: Exercise, written: str, session: Session) -> Outcome:
        filename = f"<check {self.assignment.unit} {exercise.name}>"
        remember(filename, exercise.check)
        session.calls = asked = Calls(filename)
        try:
            with checking(session):
                exec(compiled(exercise.check, filename), dict(self.names))
            if not session.checks_made:
                raise AssertionError("the cell makes no check")
            if fault := fault_of(exercise, session.parts):
                raise AssertionError(fault)
        except CheckFailed as error:
            if error.failure.parts and (fault := fault_of(exercise, session.parts)):
                return self._at_fault(exercise, AssertionError(fault))
            earned = earned_by(exercise, error.failure)
            failure = error.failure
            if not any(part.points for part in earned):
                failure = self._reason(exercise, written, failure)
            which = telling(session.parts)
            entry = self._entry_of(exercise, failure, asked[which], session.echoes, earned)
            if entry is None:
                calls = [*(asked.shown(exercise.check, which) if failure.parts else asked), *session.echoes]
                like = self.matcher.sentence(exercise.name, failure, calls)
                failure.diagnosis = like or failure.diagnosis
            if both := sorted(bound(written) & self._checking()):
                entry, failure.diagnosis = None, f"{two_names(both[0])}. Give yours another name."
            hidden = in_hidden_part(exercise.check, line_of(error, filename))
            return self._missed(exercise, failure, entry, hidden, earned)
        except (AnswerTimeout, AnswerLost) as error:
            status = TIMEOUT if isinstance(error, AnswerTimeout) else ERROR
            failure = Failure(exercise.name, status, str(error))
            if session.calls:
                failure.rows.append(("called", str(session.calls[-1])))
            entry = self._suspect(exercise, session.calls, lost=True)
            return self._missed(exercise, failure, entry)
        except SandboxError:
            raise
        except Exception as error:
            return self._at_fault(exercise, error)
        points, told = exercise.points, f"✓ {exercise.name}: right"
        return Outcome(exercise.name, points, points, PASSED, told, parts=all_of(exercise, PASSED))

    def _checking(self) -> set[str]:
        """The names of the cells that check: each replaces an answer's own of the same name, as in a notebook."""
        cells = (cell.source for cell in self.assignment.cells if "@probe" in cell.source)
        return {name for source in cells for name in bound(source)}

    def _at_fault(self, exercise: Exercise, error: Exception) -> Outcome:
        """The outcome of a check that says nothing of the answer."""
        self.report.notes.append(
            f"The check of {exercise.name} is at fault ({type(error).__name__}: {error}); its 0 points need a look."
        )
        text = (
            f"✗ {exercise.name}: the check itself failed, which is not your fault. Your instructor is told."
        )
        parts = all_of(exercise, ERROR)
        return Outcome(exercise.name, 0, exercise.points, ERROR, text, doubtful=True, parts=parts)

    def _entry_of(
        self,
        exercise: Exercise,
        failure: Failure,
        calls: Sequence[Call],
        echoes: Sequence[Call],
        earned: Sequence[PartOutcome],
    ) -> bank.Entry | None:
        """The wrong answer of the bank that this one behaves like, in all of its parts; None when none is known."""
        lost = any(part.lost for part in failure.parts)
        if not lost and failure.status not in (FAILED, ERROR):
            return None
        in_place = failure.in_place
        for part in failure.parts:
            if part.failure is not None and part.failure.in_place:
                # It is told by the last call of all.
                if part is not failure.parts[-1]:
                    return None
                in_place = True
        asked = calls if lost else [*calls, *echoes]
        entry = self._suspect(exercise, asked, lost, in_place)
        if entry is not None and set(entry.keeps) != {part.name for part in earned if part.points}:
            return None
        return entry

    def _reason(self, exercise: Exercise, written: str, failure: Failure) -> Failure:
        """The deeper reason of a failure: an answer that is not there because its cell raised something else."""
        if failure.status != MISSING:
            return failure
        if written.strip() in ("", exercise.stub.strip()):  # an empty cell to be filled raises by itself
            return failure
        if exercise.name in self.raised:
            self.raised[exercise.name].hint = failure.hint
            return self.raised[exercise.name]
        if not failure.headline.startswith("not written"):
            failure.status = ERROR
        return failure

    def _suspect(
        self, exercise: Exercise, calls: Sequence[Call], lost: bool = False, in_place: bool = False
    ) -> bank.Entry | None:
        try:
            return self.matcher.find(exercise.name, calls, lost, in_place)
        except Interrupted:
            raise
        except Exception as error:  # a diagnosis is a help; the verdict stands without it
            self.report.notes.append(f"No diagnosis of {exercise.name}: {type(error).__name__}: {error}.")
            return None

    def _missed(
        self,
        exercise: Exercise,
        failure: Failure,
        entry: bank.Entry | None,
        hidden: bool = False,
        earned: tuple[PartOutcome, ...] = (),
    ) -> Outcome:
        """The outcome of an answer that is not right: it earns no points but those of its parts."""
        failure.exercise = exercise.name
        diagnosis, mistake = (entry.sentence, entry.name) if entry else (failure.diagnosis, "")
        parts = earned or all_of(exercise, failure.status)
        return Outcome(
            exercise.name,
            sum(part.points for part in parts if part.status == PASSED),
            exercise.points,
            failure.status,
            failure.text(diagnosis=""),
            diagnosis,
            mistake,
            hidden,
            parts=parts,
        )
