"""What a learner is told of an answer that does what a faulty right one does: the sentences of an exercise's mutants.

Many mutants run in one process, each after the one before, through the visible part of the check: a learner's kernel
lives as long. Now and then the model answer goes in between, and has to do what it did at first; where it does not,
somebody has left something behind, and those since then run again, each in a process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..lesson.echo import SEED
from ..lesson.failures import ERROR, TIMEOUT, CheckFailed
from ..lesson.locked import whole_digest
from ..lesson.parts import telling
from ..lesson.probes import AnswerLost, AnswerTimeout, Session
from ..referee.bank import Entry, load_bank
from ..referee.check_cells import checking, compiled, remember, setup_names
from ..referee.matching import CALL_SECONDS
from ..sandbox.process import PupilProcess
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Exercise
from ..unit.notebook import visible_part
from .depends import around
from .mutants import Mutant, likely_mutants, mutants
from .parallel import each
from .sentences import Fault, fault_of, sentences_of
from .trial import SECONDS, Ending, run_check
from .verdicts import digest_of

#: Changes of the sentences, or of the faults that have one, make others of what is kept.
VERSION = 4
#: Of each other right answer, so many mutants.
OF_OTHERS = 40
#: After so many the model answer goes in between.
BETWEEN = 25
#: So many of an exercise's answers go through one process.
PIECE = 4 * BETWEEN


#: A whole answer cell with a fault, the fault, and whether it is one of the model answer's.
Faulty = tuple[str, Mutant, bool]


def faulty(exercise: Exercise, entries: Sequence[Entry]) -> list[Faulty]:
    """The faulty answers to an exercise of which learners may hear."""
    answers = [(mutant.source, mutant, True) for mutant in likely_mutants(exercise.solution)]
    for entry in entries:
        if entry.right and entry.exercise == exercise.name:
            answers += [
                (f"{exercise.solution}\n\n\n{mutant.source}", mutant, False)
                for mutant in mutants(entry.source, 0, OF_OTHERS)
            ]
    return answers


def tell(
    assignment: Assignment, sandbox: Sandbox, kept: Mapping[str, dict[str, Any]], jobs: int | None = None
) -> None:
    """Add the sentences that learners hear to the verdicts of a unit, where what they depend on has changed."""
    entries = load_bank(assignment)
    now = {e.name: explained(assignment, e, entries) for e in assignment.exercises}
    old = [e for e in assignment.exercises if kept[e.name].get("explained") != now[e.name]]
    pieces = [(e, some) for e in old for some in in_pieces(faulty(e, entries))]
    faults: dict[str, list[Fault]] = {e.name: [] for e in old}
    for i, found in sorted(each(_faults, (assignment, sandbox), pieces, jobs)):
        faults[pieces[i][0].name] += found
    for e in old:
        kept[e.name].update(told=sentences_of(faults[e.name], e.stub), explained=now[e.name])


def in_pieces(answers: Sequence[Faulty]) -> Iterator[Sequence[Faulty]]:
    """So many at a time as go through one process."""
    for start in range(0, len(answers), PIECE):
        yield answers[start : start + PIECE]


def _faults(given: tuple[Assignment, Sandbox], piece: tuple[Exercise, Sequence[Faulty]]) -> list[Fault]:
    (assignment, sandbox), (exercise, answers) = given, piece
    endings = endings_of(assignment, exercise, [answer for answer, _, _ in answers], sandbox)
    return [
        fault_of(exercise.name, ending, mutant, of_model)
        for ending, (_, mutant, of_model) in zip(endings, answers, strict=True)
    ]


def explained(assignment: Assignment, exercise: Exercise, entries: Sequence[Entry]) -> str:
    """The digest of what the sentences on an exercise's mutants depend on: hidden tests are no part of it."""
    parts = [str((VERSION, OF_OTHERS)), exercise.solution, exercise.stub, visible_part(exercise.check)]
    parts += around(assignment, exercise, entries, hidden=False)
    return digest_of(parts)


def endings_of(
    assignment: Assignment, exercise: Exercise, answers: Sequence[str], sandbox: Sandbox
) -> list[Ending]:
    """How the visible part of a check ends for each of many answers. Raises SandboxError, and what a check raises."""
    check = visible_part(exercise.check)
    found: list[Ending] = []
    line = _Line(assignment, exercise, check, sandbox)
    try:
        first = line.take(exercise.solution)
        for start in range(0, len(answers), BETWEEN):
            part = answers[start : start + BETWEEN]
            endings = [line.take(answer) for answer in part]
            if _done(exercise, line.take(exercise.solution)) != _done(exercise, first):
                line.close()
                endings = [run_check(assignment, exercise, answer, check, sandbox, SEED) for answer in part]
            found += endings
    finally:
        line.close()
    return found


def _done(exercise: Exercise, ending: Ending) -> tuple[str, str]:
    return ending.status, whole_digest(exercise.name, ending.calls)


class _Line:
    """A process that takes one answer after the other; another one when it is lost."""

    def __init__(self, assignment: Assignment, exercise: Exercise, check: str, sandbox: Sandbox) -> None:
        self.assignment, self.exercise, self.check, self.sandbox = assignment, exercise, check, sandbox
        self.filename = f"<explained {assignment.unit} {exercise.name}>"
        cells = list(assignment.trusted_cells())
        self.place = next(i for i, cell in enumerate(cells) if cell.name == exercise.name)
        self.before, self.after = cells[: self.place], cells[self.place + 1 :]
        self.process: PupilProcess | None = None

    def close(self) -> None:
        if self.process is not None:
            self.process.close()
            self.process = None

    def _ready(self) -> PupilProcess:
        if self.process is None:
            process = PupilProcess(self.sandbox, self.assignment.allowed, time.monotonic() + 10 * SECONDS)
            process.call_seconds = min(CALL_SECONDS, self.sandbox.call_seconds)
            self.process = process
            for cell in self.before:
                process.run_cell(cell.source)
        return self.process

    def take(self, answer: str) -> Ending:
        """Run one answer, what stands on it, and the check."""
        remember(self.filename, self.check)
        process = self._ready()
        session = Session(process, SEED, quiet=True)
        try:
            for source in (answer, *(cell.source for cell in self.after)):
                process.run_cell(source)
            with checking(session):
                exec(compiled(self.check, self.filename), setup_names(self.assignment))
        except CheckFailed as error:
            # A check goes on behind a part that was lost, and makes the call that failed again.
            if process.closed:
                self.close()
            calls = [*session.calls[telling(session.parts)], *session.echoes]
            return Ending(error.failure.status, calls, error.failure)
        except AnswerTimeout:
            self.close()
            return Ending(TIMEOUT, session.calls)
        except AnswerLost:
            self.close()
            return Ending(ERROR, session.calls)
        return Ending("passed", session.calls)
