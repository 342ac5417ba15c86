"""Proves a unit's bank at further seeds of a class: an answer that is lucky at one draw is not at all of them.

The model answers are graded there too, all of a unit at once: they may not be unlucky at any.

An answer that a check ends before it has drawn anything is ended so at every seed. It runs at one of them, or at none
where the proof has ended it so.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

from ..lesson.failures import PASSED
from ..referee.bank import Entry, load_bank
from ..referee.judge import grade
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment
from ..unit.ingest import Submission
from .parallel import each
from .trial import seed_mattered, stopped_by


@dataclass(frozen=True)
class Run:
    """One answer at one seed, and whether it has to pass."""

    #: empty for the solution of the whole unit
    exercise: str
    name: str
    #: its code; empty for the solution
    answer: str
    right: bool
    seed: int
    #: the parts that a wrong answer keeps
    keeps: tuple[str, ...] = ()
    #: whether it comes to an end
    ends: bool = True
    #: put in to see that the run finds what it looks for
    planted: bool = False


@dataclass(frozen=True)
class Slip:
    """A wrong answer that passed at a seed, or a right one that did not."""

    run: Run
    #: what a student would read
    said: str
    #: the exercise in which it slipped
    exercise: str
    #: what a wrong answer did
    earned: str = "passes"

    def told(self, unit: str) -> str:
        """What happened, and the command that shows it again."""
        run = self.run
        what = "is right and refused" if run.right else f"is wrong and {self.earned}"
        return f"{self.exercise}: {run.name} {what} at seed {run.seed}: autograder prove {unit} --seed {run.seed}"


@dataclass
class Seeded:
    """What the runs at further seeds showed."""

    runs: int = 0
    #: further runs of answers that had ended before anything was drawn
    spared: int = 0
    slips: list[Slip] = field(default_factory=list)
    #: what is wrong with the run itself
    faults: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return not self.slips and not self.faults


def further_seeds(count: int, chance: int) -> tuple[int, ...]:
    """So many different seeds, as a class has them; the same for the same `chance`."""
    return tuple(random.Random(chance).sample(range(2**31), count))


def runs_of(
    assignment: Assignment, entries: Iterable[Entry], seeds: Sequence[int]
) -> Iterator[tuple[Run, ...]]:
    """The solution and each of these answers, at every seed, and two that are planted: they have to slip."""
    yield tuple(Run("", "the model answer", "", True, seed) for seed in seeds)
    for entry in entries:
        answer = entry.answer(assignment.exercise(entry.exercise).solution)
        yield tuple(
            Run(entry.exercise, entry.name, answer, entry.right, seed, entry.keeps, entry.ends)
            for seed in seeds
        )
    first = assignment.exercises[0]
    for seed in seeds[:1]:
        yield (
            Run(first.name, "the model answer, planted as wrong", first.solution, False, seed, planted=True),
        )
        yield (Run(first.name, "the stub, planted as right", first.stub, True, seed, planted=True),)


def _look(assignment: Assignment, sandbox: Sandbox, run: Run) -> tuple[Slip | str | None, bool]:
    """What one run found, a fault of its own as a sentence; and whether another seed may find another thing."""
    if run.exercise:
        answers = {exercise.name: exercise.stub for exercise in assignment.exercises} | {
            run.exercise: run.answer
        }
    else:
        answers = {exercise.name: exercise.solution for exercise in assignment.exercises}
    where = run.exercise or assignment.unit
    # What does not end is stopped where a class is stopped soonest.
    sandbox = sandbox if run.ends else sandbox.within(0.0)
    try:
        submission = Submission(answers=answers)
        report = grade(assignment, submission, sandbox, seed=run.seed, entries=(), only=run.exercise)
    except Exception as error:
        return f"{where}: of {run.name} at seed {run.seed}, {stopped_by(error)}.", True
    faults = [note for note in report.notes if "at fault" in note]
    if faults:
        return f"{where}: {run.name} at seed {run.seed}: {faults[0]}", True
    mattered = seed_mattered(report, run.answer)
    for outcome in report.outcomes:
        if (outcome.status == PASSED) != run.right:
            return Slip(run, outcome.text, outcome.name), mattered
        if not run.right and outcome.kept != set(run.keeps):
            kept = ", ".join(sorted(outcome.kept)) or "no part"
            return Slip(run, outcome.text, outcome.name, f"keeps {kept}"), mattered
    if not report.outcomes:
        return f"{where}: {run.name} at seed {run.seed} was not graded.", True
    return None, mattered


def _look_at_all(given: tuple[Assignment, Sandbox], runs: tuple[Run, ...]) -> list[Slip | str | None]:
    """What the runs of one answer found; as few as say what all would."""
    found = []
    for run in runs:
        seen, mattered = _look(*given, run)
        found.append(seen)
        if not mattered:
            break
    return found


def at_seeds(
    assignment: Assignment,
    sandbox: Sandbox,
    seeds: Sequence[int],
    *,
    among: Sequence[Entry] | None = None,
    only_right: bool = False,
    settled: Set[Entry] = frozenset(),
    jobs: int | None = None,
    plan: Callable[[int], None] = lambda count: None,
    done: Callable[[Run], None] = lambda run: None,
) -> Seeded:
    """Grade every answer of the bank alone, or every right one, as a class is graded, at each of these seeds.

    Only those `among` some, where they are given: see `proved.choose`. Those that are `settled` have been seen to end
    in one way at every seed.
    """
    # Long, because what was planned, what ran and what was spared are counted against each other.
    bank = load_bank(assignment) if among is None else among
    asked = [entry for entry in bank if entry.right or not only_right]
    entries = [entry for entry in asked if entry not in settled]
    # What a limit stops goes first, or at the end the other processes would wait for it.
    order = sorted(runs_of(assignment, entries, seeds), key=lambda runs: runs[0].ends)
    order_of = {run: i for i, run in enumerate(run for runs in order for run in runs)}
    planned = len(order_of)
    plan(planned)

    result = Seeded()
    planted: set[Run] = set()
    for i, all_found in each(_look_at_all, (assignment, sandbox), order, jobs):
        for run in order[i]:
            done(run)
        result.runs += len(all_found)
        result.spared += len(order[i]) - len(all_found)
        for found in all_found:
            if isinstance(found, str):
                result.faults.append(found)
            elif found is not None and found.run.planted:
                planted.add(found.run)
            elif found is not None:
                result.slips.append(found)
    result.slips.sort(key=lambda slip: order_of[slip.run])
    if result.runs + result.spared < planned:
        result.faults.append(
            f"{planned} runs were planned, and {result.runs + result.spared} came to their end."
        )
    result.spared += (len(asked) - len(entries)) * len(seeds)
    for run in (run for runs in order for run in runs):
        if run.planted and run not in planted:
            result.faults.append(
                f"{run.exercise}: {run.name}, was not found, so the runs at further seeds show nothing."
            )
    return result
