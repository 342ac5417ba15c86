"""Which parts of an exercise earned their points: only those that the check names, each asked once, and right."""

from __future__ import annotations

from collections.abc import Sequence

from ..lesson.failures import PASSED, Failure, Part
from ..unit.assignment import Exercise
from .report import PartOutcome


def all_of(exercise: Exercise, status: str) -> tuple[PartOutcome, ...]:
    """All parts with one status: everything where the answer passed, and else nothing."""
    return tuple(
        PartOutcome(name, points if status == PASSED else 0, points, status)
        for name, points in exercise.parts
    )


def earned_by(exercise: Exercise, failure: Failure) -> tuple[PartOutcome, ...]:
    """What each part earned. Nothing where not all were asked: what is asked of all of them has failed."""
    if not failure.parts:
        return all_of(exercise, failure.status)
    return tuple(
        PartOutcome(name, points, points, PASSED)
        if part.failure is None
        else PartOutcome(name, 0, points, part.failure.status, part.failure.diagnosis)
        for (name, points), part in zip(exercise.parts, failure.parts, strict=True)
    )


def fault_of(exercise: Exercise, asked: Sequence[Part]) -> str:
    """What is wrong with a check that did not ask just the parts that it names; empty when it did."""
    if [(part.name, part.points) for part in asked] == list(exercise.parts):
        return ""
    return "the parts that it asked are not those that its text names"
