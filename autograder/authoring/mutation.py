"""Runs the mutants of a unit's right answers: every one has to fail its check, or to be listed as no fault.

A mutant that passes and is no fault (a number cannot be written into; the order of a sum does not count) is listed in
`equivalents.toml` beside the bank, with the reason:

    [power_vjp]
    "return (g * n * a ** (n - 1),): which writes into `g`" = "Numbers cannot be written into."

Two faults that cancel are listed as a pair, their names joined by " AND ". Under `["*"]` stand those that are none in
any exercise of the unit, by the fault alone. What was found is kept in `mutants.json` under a digest of the exercise,
its check and the operators, so that only what changed has to run again.
"""

from __future__ import annotations

import difflib
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..referee.bank import Entry, load_bank
from ..referee.check_cells import in_hidden_part
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Exercise
from . import verdicts
from .depends import around
from .equivalents import EQUIVALENTS, read_equivalents
from .mutants import VERSION, Edit, Mutant, mutants
from .parallel import each
from .trial import run_check, stopped_by
from .verdicts import SAMPLE, digest_of

VERDICTS = "mutants.json"
#: Of the model answer at least so many mutants, of each other right answer at most so many.
AT_LEAST, OF_OTHERS = 100, 40


@dataclass(frozen=True)
class Subject:
    """A mutant of an exercise's right answer."""

    exercise: str
    #: the right answer: empty for the model answer, else an entry of the bank
    of: str
    mutant: Mutant
    #: the whole answer cell
    answer: str
    #: the right answer's own text
    original: str

    @property
    def names(self) -> tuple[str, ...]:
        """What `equivalents.toml` calls its faults: the line and the fault."""
        return tuple(f"{_line(self.original, edit)}: {edit.told}" for edit in self.mutant.edits)

    @property
    def together(self) -> str:
        """What it calls two faults that are none together, though each alone is one."""
        return " AND ".join(self.names)

    @property
    def difference(self) -> str:
        """The lines that differ from the right answer."""
        lines = difflib.unified_diff(
            self.original.splitlines(), self.mutant.source.splitlines(), lineterm="", n=1
        )
        return "\n".join(list(lines)[2:])


@dataclass
class Verdict:
    """What became of a mutant."""

    subject: Subject
    passed: bool
    #: why it is no fault, where it passes and is listed
    reason: str = ""
    hidden: bool = False

    @property
    def alive(self) -> bool:
        """Whether it passed and nobody has said why it may."""
        return self.passed and not self.reason

    @property
    def told(self) -> str:
        """That it passes, in a sentence."""
        subject = self.subject
        of = f" of the right answer {subject.of}" if subject.of else ""
        return f"{subject.exercise}: a mutant{of} passes, {subject.mutant.told}"


@dataclass
class Result:
    """A unit's mutants."""

    unit: str
    verdicts: list[Verdict] = field(default_factory=list)
    #: what is wrong with the run itself
    faults: list[str] = field(default_factory=list)
    #: exercises of which only a sample was run, because nothing changed
    sampled: list[str] = field(default_factory=list)
    #: made and listed as no fault, by exercise, as `mutants.json` keeps them
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def survivors(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.alive]

    @property
    def problems(self) -> list[str]:
        """What is not as it should be, a sentence each."""
        return [verdict.told for verdict in self.survivors] + self.faults

    @property
    def good(self) -> bool:
        return not self.problems


def _line(source: str, edit: Edit) -> str:
    first = source.rfind("\n", 0, edit.start) + 1
    last = source.find("\n", edit.start)
    return source[first : last if last >= 0 else len(source)].strip()


def subjects(exercise: Exercise, entries: Iterable[Entry]) -> list[Subject]:
    """The mutants of the model answer and of the bank's other right ones, each behaviour's text once."""
    found = [
        Subject(exercise.name, "", mutant, mutant.source, exercise.solution)
        for mutant in mutants(exercise.solution, AT_LEAST)
    ]
    for entry in entries:
        if entry.right and entry.exercise == exercise.name:
            found += [
                Subject(
                    exercise.name,
                    entry.name,
                    mutant,
                    f"{exercise.solution}\n\n\n{mutant.source}",
                    entry.source,
                )
                for mutant in mutants(entry.source, 0, OF_OTHERS)
            ]
    return found


def digest(assignment: Assignment, exercise: Exercise, entries: Iterable[Entry], listed: Any) -> str:
    """What the verdicts on an exercise's mutants depend on."""
    parts = [str(VERSION), exercise.solution, exercise.check, json.dumps(listed, sort_keys=True)]
    parts += around(assignment, exercise, entries)
    return digest_of(parts)


def reason_for(subject: Subject, listed: Mapping[str, Mapping[str, str]]) -> str:
    """Why a mutant that passes is no fault; empty when nobody has said so.

    Of two faults, both have to be listed, or the pair.
    """
    together = listed.get(subject.exercise, {}).get(subject.together, "")
    if together:
        return together
    reasons = []
    for name, edit in zip(subject.names, subject.mutant.edits, strict=True):
        reason = listed.get(subject.exercise, {}).get(name) or listed.get("*", {}).get(edit.told, "")
        if not reason:
            return ""
        reasons.append(reason)
    return " ".join(dict.fromkeys(reasons))


def read_verdicts(assignment: Assignment) -> dict[str, dict[str, Any]]:
    """What `mutants.json` keeps, by exercise; nothing when it is not there or broken."""
    return verdicts.read(assignment, VERDICTS)


def write_verdicts(assignment: Assignment, kept: Mapping[str, Mapping[str, Any]]) -> Path:
    """Keep the verdicts beside the bank."""
    return verdicts.write(assignment, VERDICTS, kept)


def run_mutants(
    assignment: Assignment,
    sandbox: Sandbox,
    *,
    seeds: Sequence[int] = (0,),
    everything: bool = False,
    jobs: int | None = None,
    chance: int | None = None,
    plan: Callable[[int], None] = lambda count: None,
    done: Callable[[Verdict], None] = lambda verdict: None,
) -> Result:
    """Run the mutants of the exercises that changed, and a tenth of the others, chosen by `chance`.

    A mutant lives when it passes at one of the seeds. The model answer of each exercise that changed, and of one more,
    goes in as if it were a mutant: a run that does not find it alive is not believed.
    """
    listed = read_equivalents(assignment)
    result = Result(assignment.unit)
    pick = random.Random(chance)
    trials = _chosen(assignment, listed, result, pick, everything)
    plan(len(trials))
    ended: dict[int, Verdict | str] = {}
    for i, found in each(_run, (assignment, sandbox, tuple(seeds), listed), trials, jobs):
        ended[i] = found
        if isinstance(found, Verdict):
            done(found)
    for _, found in sorted(ended.items()):
        if isinstance(found, Verdict):
            result.verdicts.append(found)
        else:
            result.faults.append(found)
    if len(result.verdicts) + len(result.faults) < len(trials):
        result.faults.append(
            f"{len(trials)} mutants were to run, and {len(result.verdicts)} came to a verdict."
        )
    one = pick.choice(assignment.exercises)
    for exercise in assignment.exercises:
        if exercise is one or exercise.name not in result.sampled:
            result.faults += _blind(assignment, exercise, sandbox, seeds)
    for verdict in result.verdicts:
        if verdict.passed and verdict.subject.exercise not in result.sampled:
            result.kept[verdict.subject.exercise]["equivalent"] += bool(verdict.reason)
    result.faults += _stale(result, listed)
    return result


def _blind(
    assignment: Assignment, exercise: Exercise, sandbox: Sandbox, seeds: Sequence[int]
) -> Iterator[str]:
    """What is wrong with a run that does not find a right answer alive."""
    whole = Mutant(exercise.solution, (Edit(0, 0, "", "none", "planted"),))
    planted = Subject(exercise.name, "", whole, exercise.solution, exercise.solution)
    try:
        seen = _try(assignment, planted, sandbox, seeds, {}).alive
    except Exception as error:
        yield f"{exercise.name}: of its own right answer, planted among the mutants, {stopped_by(error)}."
        return
    if not seen:
        yield (
            f"{exercise.name}: its own right answer was planted among the mutants and not found alive, so this run "
            "shows nothing."
        )


def _chosen(
    assignment: Assignment,
    listed: dict[str, dict[str, str]],
    result: Result,
    pick: random.Random,
    everything: bool,
) -> list[Subject]:
    """The mutants to run: of the exercises that changed all, of the others one in SAMPLE."""
    entries = load_bank(assignment)
    known = read_verdicts(assignment)
    trials: list[Subject] = []
    for exercise in assignment.exercises:
        all_of_it = subjects(exercise, entries)
        if not all_of_it:
            result.faults.append(f"{exercise.name}: no mutant could be made of its answers.")
        now = current(assignment, exercise, entries, listed)
        before = known.get(exercise.name, {})
        if not everything and before.get("digest") == now:
            result.sampled.append(exercise.name)
            result.kept[exercise.name] = before
            all_of_it = [subject for subject in all_of_it if pick.randrange(SAMPLE) == 0]
        else:
            # The sentences for learners stay until the visible part of the check changes: `explain.tell`.
            told: dict[str, Any] = {name: before[name] for name in ("told", "explained") if name in before}
            result.kept[exercise.name] = {"digest": now, "made": len(all_of_it), "equivalent": 0, **told}
        trials += all_of_it
    return trials


#: What all mutants of a unit need: the unit, its sandbox, the seeds, and what is listed as no fault.
_Given = tuple[Assignment, Sandbox, Sequence[int], Mapping[str, Mapping[str, str]]]


def _run(given: _Given, subject: Subject) -> Verdict | str:
    try:
        return _try(given[0], subject, *given[1:])
    except Exception as error:
        return f"{subject.exercise}: of the mutant {subject.mutant.told!r}, {stopped_by(error)}."


def _try(
    assignment: Assignment,
    subject: Subject,
    sandbox: Sandbox,
    seeds: Sequence[int],
    listed: Mapping[str, Mapping[str, str]],
) -> Verdict:
    exercise = assignment.exercise(subject.exercise)
    for seed in seeds:
        ending = run_check(
            assignment, exercise, subject.answer, exercise.check, sandbox, seed, first_ends=True
        )
        if ending.passed:
            break
    hidden = in_hidden_part(exercise.check, ending.line)
    reason = reason_for(subject, listed) if ending.passed else ""
    return Verdict(subject, ending.passed, reason, hidden)


def current(
    assignment: Assignment,
    exercise: Exercise,
    entries: Iterable[Entry],
    listed: Mapping[str, Mapping[str, str]],
) -> str:
    """The digest of all that an exercise's verdicts depend on, as it is now."""
    return digest(assignment, exercise, entries, [listed.get(name, {}) for name in (exercise.name, "*")])


def _stale(result: Result, listed: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """What is listed as no fault and was not needed, of the exercises that ran in full."""
    used = {
        (verdict.subject.exercise, name)
        for verdict in result.verdicts
        if verdict.passed
        for name in (*verdict.subject.names, verdict.subject.together)
    }
    for exercise, reasons in listed.items():
        if exercise == "*" or exercise in result.sampled:
            continue
        for name in reasons:
            if (exercise, name) not in used:
                yield f"{EQUIVALENTS}: [{exercise}] {name!r} is no mutant that passes; take it out."
