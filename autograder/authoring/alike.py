"""Which mistakes a visible check takes for one another: what gives there what a wrong answer of the bank gives.

A learner's notebook knows a mistake by what it gives in the visible examples. Where another mistake, here a mutant,
gives the same in them and something else elsewhere, its learner is told of a mistake that nobody made. Then the
example gets other numbers, which tell the two apart, or the sentence words that are true of both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..lesson import likely
from ..lesson.failures import ERROR, FAILED
from ..lesson.probes import AnswerError, AnswerLost, AnswerTimeout, Call, Probe
from ..referee.bank import Entry, load_bank
from ..referee.matching import CALL_SECONDS
from ..sandbox.process import PupilProcess
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Exercise
from .explain import endings_of
from .fingerprints import fingerprint_of
from .mutants import Mutant, likely_mutants
from .parallel import each
from .trial import SECONDS, run_check

#: The seeds at which a check is asked for the calls that it makes, and how many of these are made again.
SEEDS = (0, 1)
MOST_CALLS = 80


@dataclass(frozen=True)
class Other:
    """A mutant that gives in the visible examples what a wrong answer of the bank gives."""

    told: str
    #: of how many of a check's calls, hidden ones too, it gives something else
    differs: int
    calls: int


@dataclass(frozen=True)
class Alike:
    """A wrong answer of the bank, and what its visible check takes for it."""

    entry: Entry
    others: tuple[Other, ...]


def alike(
    assignment: Assignment,
    sandbox: Sandbox,
    *,
    jobs: int | None = None,
    plan: Callable[[int], None] = lambda count: None,
    done: Callable[[Sequence[Alike]], None] = lambda found: None,
) -> list[Alike]:
    """The wrong answers of a unit's bank whose sentence a learner hears who made another mistake.

    Raises SandboxError, and what a check raises that is itself at fault.
    """
    plan(len(assignment.exercises))
    found: dict[int, list[Alike]] = {}
    for i, some in each(_of_exercise, (assignment, sandbox), assignment.exercises, jobs):
        found[i] = some
        done(some)
    return [one for _, some in sorted(found.items()) for one in some]


def _of_exercise(given: tuple[Assignment, Sandbox], exercise: Exercise) -> list[Alike]:
    assignment, sandbox = given
    entries: dict[str, Entry] = {}
    for entry in load_bank(assignment):
        if entry.exercise == exercise.name and not entry.right and entry.ends:
            if digest := fingerprint_of(assignment, entry, sandbox):
                entries.setdefault(digest, entry)
    same: dict[str, list[Mutant]] = {}
    for digest, mutant in _visible(assignment, exercise, sandbox):
        if digest in entries:
            same.setdefault(digest, []).append(mutant)
    if not same:
        return []
    calls = calls_of(assignment, exercise, sandbox)
    found = []
    for digest, mutants in same.items():
        entry = entries[digest]
        meant = behaviour(assignment, exercise, entry.answer(exercise.solution), calls, sandbox)
        others = []
        for mutant in mutants:
            does = behaviour(assignment, exercise, mutant.source, calls, sandbox)
            if differs := sum(one != other for one, other in zip(meant, does, strict=True)):
                others.append(Other(mutant.told, differs, len(calls)))
        if others:
            found.append(Alike(entry, tuple(others)))
    return found


def _visible(assignment: Assignment, exercise: Exercise, sandbox: Sandbox) -> Iterator[tuple[str, Mutant]]:
    """The model answer's mutants that the visible examples end, with the digest of what these saw."""
    mutants = likely_mutants(exercise.solution)
    endings = endings_of(assignment, exercise, [mutant.source for mutant in mutants], sandbox)
    for mutant, ending in zip(mutants, endings, strict=True):
        if ending.status in (FAILED, ERROR) and ending.calls:
            yield likely.fingerprint(exercise.name, ending.calls), mutant


def calls_of(
    assignment: Assignment, exercise: Exercise, sandbox: Sandbox
) -> list[tuple[Probe, tuple[Any, ...]]]:
    """The calls that a check makes of the model answer, which passes it. Those that ask something are left out."""
    found: list[tuple[Probe, tuple[Any, ...]]] = []
    for seed in SEEDS:
        ending = run_check(assignment, exercise, exercise.solution, exercise.check, sandbox, seed)
        calls = [call for call in ending.calls if call.probe.subject is None]
        found += [(call.probe, call.args) for call in calls[:MOST_CALLS]]
    return found


def behaviour(
    assignment: Assignment,
    exercise: Exercise,
    answer: str,
    calls: Sequence[tuple[Probe, tuple[Any, ...]]],
    sandbox: Sandbox,
) -> list[str]:
    """A digest of what an answer gives in each of these calls; empty from where its process is lost."""
    process = PupilProcess(sandbox, assignment.allowed, time.monotonic() + SECONDS)
    process.call_seconds = min(CALL_SECONDS, sandbox.call_seconds)
    found: list[str] = []
    try:
        for cell in assignment.trusted_cells():
            process.run_cell(answer if cell.name == exercise.name else cell.source)
        for probe, args in calls:
            found.append(likely.fingerprint(exercise.name, [_called(process, probe, args)]))
    except (AnswerTimeout, AnswerLost):
        pass
    finally:
        process.close()
    return found + [""] * (len(calls) - len(found))


def _called(process: PupilProcess, probe: Probe, args: tuple[Any, ...]) -> Call:
    try:
        reply = process.call(probe, args)
    except AnswerError as error:
        return Call(probe, args, error=error)
    return Call(probe, args, reply.value, reply.mutated)
