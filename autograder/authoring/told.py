"""What learners may be told of a unit's mutants: those sentences that are still true.

A sentence holds for one exercise as it was: its answers, the visible part of its check, and the version of the
sentences. Where one of these has changed since, they are left out, and `outdated` says of which exercises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..referee.bank import load_bank
from ..unit.assignment import Assignment, Exercise
from .explain import explained
from .mutation import read_verdicts

#: How many sentences about mutants a unit's file may hold: a learner's notebook reads them all with its first check.
MOST_SENTENCES = 1_300


def told_of(assignment: Assignment) -> dict[str, str]:
    """The sentences of a unit's mutants by their digests, of those exercises that have not changed since.

    Of more than `MOST_SENTENCES` the shortest are told: they name one fault, longer ones two or three that might be.
    """
    found: dict[str, str] = {}
    for _, kept, good in _kept(assignment):
        if good:
            found |= kept.get("told", {})
    shortest = sorted(found, key=lambda digest: (len(found[digest]), digest))[:MOST_SENTENCES]
    return {digest: found[digest] for digest in shortest}


def outdated(assignment: Assignment) -> list[str]:
    """The exercises whose sentences are not true any more; none where a unit has no verdicts at all."""
    return [exercise.name for exercise, _, good in _kept(assignment) if not good]


def _kept(assignment: Assignment) -> Iterator[tuple[Exercise, dict[str, Any], bool]]:
    """Each exercise, what is kept of it, and whether that is true now."""
    known = read_verdicts(assignment)
    if not known:
        return
    entries = load_bank(assignment)
    for exercise in assignment.exercises:
        kept = known.get(exercise.name, {})
        yield exercise, kept, kept.get("explained") == explained(assignment, exercise, entries)


def notice(left_out: Sequence[tuple[str, int]]) -> str:
    """The line that says of which units sentences are left out (and of how many exercises), and what brings them back.

    >>> notice([("01_derivatives", 2), ("05_tensors", 1)])  # doctest: +NORMALIZE_WHITESPACE
    '! Sentences about mutants are left out of 01_derivatives (2 exercises), 05_tensors (1 exercise): their checks or
    answers have changed since. These commands bring them back: `autograder mutants --all 01_derivatives 05_tensors`,
    then `autograder build 01_derivatives 05_tensors`'
    """
    units = " ".join(unit for unit, _ in left_out)
    told = ", ".join(f"{unit} ({count} exercise{'s' * (count > 1)})" for unit, count in left_out)
    return (
        f"! Sentences about mutants are left out of {told}: their checks or answers have changed since. "
        f"These commands bring them back: `autograder mutants --all {units}`, then `autograder build {units}`"
    )
