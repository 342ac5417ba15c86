"""The referee: runs a submission's cells in a pupil, runs the checks here, and says what each exercise earned."""

from __future__ import annotations

import functools
import hashlib
import linecache
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from ..lesson.checks import (
    ERROR,
    FAILED,
    MISSING,
    PASSED,
    TIMEOUT,
    CheckFailed,
    Failure,
    explain_exception,
    row,
)
from ..lesson.probes import AnswerError, AnswerLost, AnswerTimeout, Call, Probe, Reply, Session, use_session
from ..sandbox.process import STRETCH, CellResult, PupilProcess, Starved, cpu_limit
from ..sandbox.walls import BUBBLEWRAP, NO_WALL, UNPROTECTED, Interrupted, Sandbox, SandboxError
from ..unit.assignment import Assignment, Exercise
from ..unit.cell import ANSWER, CHECK, FIGURE, SETUP
from ..unit.ingest import Submission
from ..unit.looks import looks
from . import bank
from .matching import Lineup, Memory


@dataclass
class Outcome:
    """What one exercise earned, and why."""

    name: str
    points: float
    max_points: float
    status: str
    message: str
    diagnosis: str = ""
    #: the bank's entry that the answer behaves like, for reports
    mistake: str = ""
    #: True when the failing check was a hidden one
    hidden: bool = False
    #: True when a person should look: the check itself was at fault, or the file could not be used
    doubtful: bool = False

    @property
    def text(self) -> str:
        """What the student reads."""
        if not self.diagnosis or self.diagnosis in self.message:
            return self.message
        lines = self.message.split("\n")
        last = len(lines) - lines[-1].startswith("  next ")  # what to do next stays the last line
        return "\n".join([*lines[:last], row("likely", self.diagnosis), *lines[last:]])


@dataclass
class Report:
    """The result of grading one submission."""

    unit: str
    seed: int
    #: the wall that the submission was behind, as `Sandbox.wall` names it
    wall: str
    outcomes: list[Outcome] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: for the instructor alone: what the submission's code looks around for
    looks: list[str] = field(default_factory=list)
    #: what the student's cells printed, by cell id
    outputs: dict[str, CellResult] = field(default_factory=dict)
    #: CPU seconds of the submission's processes, all together
    cpu: float = 0.0
    #: whether something timed out for want of a processor, which says nothing of the answer
    overloaded: bool = False

    @property
    def score(self) -> float:
        return sum(outcome.points for outcome in self.outcomes)

    @property
    def max_score(self) -> float:
        return sum(outcome.max_points for outcome in self.outcomes)

    @property
    def sandboxed(self) -> bool:
        """Whether it was in bubblewrap."""
        return self.wall == BUBBLEWRAP

    @property
    def protected(self) -> bool:
        """Whether the submission had no way to the answer key and to the scores."""
        return self.wall != NO_WALL

    def as_json(self) -> dict[str, Any]:
        """The contract of `autograder score --json`."""
        return {
            "unit": self.unit,
            "score": tidy(self.score),
            "max_score": tidy(self.max_score),
            "seed": self.seed,
            "sandboxed": self.sandboxed,
            "wall": self.wall,
            "protected": self.protected,
            "exercises": [
                {
                    "name": outcome.name,
                    "points": tidy(outcome.points),
                    "max_points": tidy(outcome.max_points),
                    "status": outcome.status,
                    "message": outcome.message,
                    "diagnosis": outcome.diagnosis,
                }
                for outcome in self.outcomes
            ],
            "notes": [*self.notes, *self.looks],
        }


def tidy(number: float) -> int | float:
    """A score without a needless `.0`."""
    return int(number) if float(number).is_integer() else float(number)


@dataclass(frozen=True)
class Step:
    """One cell to run: `label` is the cell's id in the rebuilt notebook."""

    label: str
    kind: str
    name: str
    source: str
    added: bool = False


def rebuild(assignment: Assignment, submission: Submission) -> list[Step]:
    """The notebook to grade: the release's cells in order, the student's answers and additions in place."""
    steps: list[Step] = []

    def additions(after: str) -> None:
        for i, cell in enumerate(submission.added):
            if cell.after == after:
                steps.append(
                    Step(f"added-{i + 1}", "added", "", cell.source if cell.cell_type == "code" else "", True)
                )

    additions("")
    for cell in assignment.released:
        if cell.kind == ANSWER:
            # A missing answer stays empty: a stub here would undo what an added cell defines.
            steps.append(Step(cell.id, ANSWER, cell.exercise, submission.answers.get(cell.exercise, "")))
        elif cell.kind == CHECK:
            steps.append(Step(cell.id, CHECK, cell.exercise, ""))
        elif cell.kind:
            steps.append(Step(cell.id, cell.kind, cell.name, cell.source))
        additions(cell.id)
    return steps


class Runner:
    """Runs the cells of one submission. When its process is lost it starts another and repeats the cells that ended."""

    def __init__(self, sandbox: Sandbox, allowed: Iterable[str], seed: int) -> None:
        self.sandbox = sandbox
        self.allowed = tuple(allowed)
        self.seed = seed
        begun = time.monotonic()
        self.deadline, self.latest = (
            begun + sandbox.notebook_seconds,
            begun + STRETCH * sandbox.notebook_seconds,
        )
        self.process: PupilProcess | None = None
        self.ran: list[str] = []
        #: CPU seconds of the processes that are gone
        self.cpu = 0.0
        self.overloaded = False

    def _ready(self) -> PupilProcess:
        while self.process is None:
            if time.monotonic() >= self.deadline:
                raise AnswerTimeout(
                    f"the notebook's limit of {self.sandbox.notebook_seconds:g} s was reached"
                )
            left = self.sandbox.cpu_seconds - self.cpu
            if left <= 0:
                raise AnswerTimeout(cpu_limit(self.sandbox))
            process = PupilProcess(self.sandbox, self.allowed, self.deadline, self.seed, left)
            for i, source in enumerate(self.ran):
                try:
                    process.run_cell(source)
                except (AnswerTimeout, AnswerLost) as error:
                    self._gone(process, error)
                    if time.monotonic() >= self.deadline:
                        raise
                    del self.ran[i]  # it ended the first time, and does not now: go on without it
                    break
            else:
                self.process = process
        return self.process

    def _gone(self, process: PupilProcess | None, error: Exception | None = None) -> None:
        """Count what a process has used, and note whether it had its share of the machine."""
        if process is not None:
            self.cpu += process.used
            self.deadline = min(process.deadline, self.latest)  # it may have been kept waiting
        self.overloaded = self.overloaded or isinstance(error, Starved)
        self.process = None

    def run_cell(self, source: str) -> CellResult:
        """Run a cell. Raises AnswerTimeout or AnswerLost, after which the cell has never been."""
        try:
            result = self._ready().run_cell(source)
        except (AnswerTimeout, AnswerLost) as error:
            self._gone(self.process, error)
            raise
        self.ran.append(source)
        return result

    def call(self, probe: Probe, args: tuple[Any, ...], *, twice: bool = False) -> Reply:
        """Call a probe, as `probes.Boundary` says."""
        try:
            return self._ready().call(probe, args, twice=twice)
        except (AnswerTimeout, AnswerLost) as error:
            self._gone(self.process, error)
            raise

    def close(self) -> None:
        if self.process is not None:
            self.process.close()
            self._gone(self.process)


def grade(
    assignment: Assignment,
    submission: Submission,
    sandbox: Sandbox,
    *,
    seed: int | None = None,
    entries: Sequence[bank.Entry] | None = None,
    progress: Callable[[str], None] | None = None,
    memory: Memory | None = None,
) -> Report:
    """Grade one submission. A `memory` that is kept makes the diagnoses of the next ones faster.

    Raises SandboxError when its process cannot be started, or is ended from outside. All else that a submission can
    do is an outcome.
    """
    seed = secrets.randbelow(2**31) if seed is None else seed
    found = looks(submission)
    report = Report(assignment.unit, seed, sandbox.wall(), notes=list(submission.notes), looks=found)
    if not report.protected:
        report.notes.insert(0, UNPROTECTED)
    if submission.problem:
        report.notes.append(submission.problem)
        for exercise in assignment.exercises:
            text = f"✗ {exercise.name}: nothing could be graded. {submission.problem}"
            report.outcomes.append(Outcome(exercise.name, 0, exercise.points, MISSING, text, doubtful=True))
        return report
    if entries is None:
        entries = bank.load_bank(assignment)
    grading = _Grading(
        assignment,
        report,
        Runner(sandbox, assignment.allowed, derived(seed, "the notebook")),
        Lineup(assignment, entries, sandbox, memory, derived(seed, "the notebook")),
        setup_names(assignment),
        submission.python,
    )
    try:
        for step in rebuild(assignment, submission):
            if step.kind == CHECK:
                exercise = assignment.exercise(step.name)
                if progress:
                    progress(exercise.name)
                report.outcomes.append(grading.judge(exercise, submission.answers.get(step.name, "")))
            elif step.kind != FIGURE and step.source.strip():
                grading.run(step)
    finally:
        grading.runner.close()
        grading.lineup.close()
    report.cpu, report.overloaded = grading.runner.cpu, grading.runner.overloaded
    if report.overloaded:
        hurt = [outcome for outcome in report.outcomes if outcome.status == TIMEOUT]
        for outcome in hurt:
            outcome.doubtful = True
        report.notes.append(
            "This machine was overloaded while the submission ran: what timed out had no chance, and should be graded "
            "again when less else is running."
        )
    return report


def derived(seed: int, name: str) -> int:
    """The seed of one part of a grading, which does not tell the others'.

    A student sees what is drawn for an exercise, and from enough of it the state of its generator can be worked out.
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:16], "big")


def setup_names(assignment: Assignment) -> dict[str, Any]:
    """What the check cells may use: the names of the trusted set-up cells."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in assignment.cells:
        if cell.kind == SETUP:
            filename = f"<setup {assignment.unit} {cell.name}>"
            remember(filename, cell.source)
            exec(compiled(cell.source, filename), names)
    return names


@functools.lru_cache(512)
def compiled(source: str, filename: str) -> CodeType:
    """The code of one of our own cells: every submission runs the same ones."""
    return compile(source, filename, "exec")


def remember(filename: str, source: str) -> None:
    """Let inspect.getsource find the probes' text."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)


@dataclass
class _Grading:
    """One submission while it is graded."""

    assignment: Assignment
    report: Report
    runner: Runner
    lineup: Lineup
    #: the names that check cells may use
    names: dict[str, Any]
    #: the version of Python that the student's notebook ran on, as far as it says
    python: tuple[int, ...] = ()
    #: answer cells that raised, by exercise
    raised: dict[str, Failure] = field(default_factory=dict)
    #: answer cells that did not finish, by exercise
    unfinished: dict[str, Failure] = field(default_factory=dict)

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
            return self._nothing(exercise, self.unfinished[exercise.name], None)
        session = Session(self.runner, derived(self.report.seed, exercise.name), quiet=True)
        filename = f"<check {self.assignment.unit} {exercise.name}>"
        remember(filename, exercise.check)
        try:
            with use_session(session):
                exec(compiled(exercise.check, filename), dict(self.names))
            if not session.checks_made:
                raise AssertionError("the cell makes no check")
        except CheckFailed as error:
            failure = self._reason(exercise, written, error.failure)
            entry = None
            if failure.status in (FAILED, ERROR):
                entry = self._suspect(exercise, session.calls, in_place=failure.in_place)
            return self._nothing(
                exercise, failure, entry, in_hidden_part(exercise.check, line_of(error, filename))
            )
        except (AnswerTimeout, AnswerLost) as error:
            status = TIMEOUT if isinstance(error, AnswerTimeout) else ERROR
            failure = Failure(exercise.name, status, str(error))
            if session.calls:
                failure.rows.append(("called", str(session.calls[-1])))
            entry = self._suspect(exercise, session.calls, lost=True)
            return self._nothing(exercise, failure, entry)
        except SandboxError:
            raise
        except Exception as error:
            self.report.notes.append(
                f"The check of {exercise.name} is at fault ({type(error).__name__}: {error}); its 0 points need a look."
            )
            text = f"✗ {exercise.name}: the check itself failed, which is not your fault. Your instructor is told."
            return Outcome(exercise.name, 0, exercise.points, ERROR, text, doubtful=True)
        points = exercise.points
        return Outcome(exercise.name, points, points, PASSED, f"✓ {exercise.name}: right")

    def _reason(self, exercise: Exercise, written: str, failure: Failure) -> Failure:
        """The deeper reason of a failure: an answer that is not there because its cell raised something else."""
        if failure.status != MISSING:
            return failure
        if exercise.name in self.raised:
            self.raised[exercise.name].hint = failure.hint
            return self.raised[exercise.name]
        changed = written.strip() not in ("", exercise.stub.strip())
        if changed and not failure.headline.startswith("not written"):
            failure.status = ERROR
        return failure

    def _suspect(
        self, exercise: Exercise, calls: Sequence[Call], lost: bool = False, in_place: bool = False
    ) -> bank.Entry | None:
        try:
            return self.lineup.find(exercise.name, calls, lost, in_place)
        except Interrupted:
            raise
        except Exception as error:  # a diagnosis is a help; the verdict stands without it
            self.report.notes.append(f"No diagnosis of {exercise.name}: {type(error).__name__}: {error}.")
            return None

    def _nothing(
        self, exercise: Exercise, failure: Failure, entry: bank.Entry | None, hidden: bool = False
    ) -> Outcome:
        """The outcome of an answer that earns no points."""
        failure.exercise = exercise.name
        diagnosis, mistake = (entry.sentence, entry.name) if entry else (failure.diagnosis, "")
        message = failure.text(diagnosis="")
        return Outcome(exercise.name, 0, exercise.points, failure.status, message, diagnosis, mistake, hidden)


def line_of(error: BaseException, filename: str) -> int:
    """The line of a check cell at which it ended; 0 when it was not there."""
    line = 0
    # An exception of the answer's own is turned into a CheckFailed at the end of the `with` block.
    inner = error.__context__ if isinstance(error.__context__, AnswerError) else error
    traceback = inner.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename and code.co_name == "<module>":
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def in_hidden_part(check: str, line: int) -> bool:
    """True when a line of a check cell stands between the marks of the hidden tests."""
    hidden = False
    for number, text in enumerate(check.splitlines(), start=1):
        if "BEGIN HIDDEN TESTS" in text:
            hidden = True
        elif "END HIDDEN TESTS" in text:
            hidden = False
        if number == line:
            return hidden
    return False
