"""About how long each exercise of a unit takes: the unit's own minutes, shared out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import UserError
from .items import HINTS, SHORT_TOLD, TIME_TOLD, Lesson

#: So many words of a unit's text are read in a minute, with a pen at hand; and never more than this share of the time.
WORDS, MOST = 150, 0.4


@dataclass(frozen=True)
class Minutes:
    """The minutes of a unit: all, those for reading, those of each exercise. All is 0 where the unit names none."""

    whole: int
    reading: int
    words: int
    exercises: Mapping[str, int]
    #: exercises whose minutes the unit's header gives
    known: frozenset[str]
    #: the numbers of the sections that can wait, and the minutes that the unit takes without them; 0 where none can
    waiting: frozenset[int] = frozenset()
    short: int = 0


def minutes_of(lesson: Lesson) -> Minutes:
    """Estimate a unit's exercises. Raises UserError when the header names minutes of an exercise that is not there."""
    assignment = lesson.assignment
    known = _known(lesson)
    prose = "\n".join(cell.source for cell in assignment.cells if cell.cell_type == "markdown")
    words = len(re.sub(r"<[^>]+>|```.*?```", " ", HINTS.sub("", prose), flags=re.DOTALL).split())
    told = TIME_TOLD.search(prose)
    whole = int(told[1]) if told else 0
    reading = round(min(words / WORDS, MOST * whole))
    left = max(0, whole - reading - sum(known.values()))
    others = {e.name: e.points or 1 for e in assignment.exercises if e.name not in known}
    shared = shared_out(left, others) if whole else {}
    short = SHORT_TOLD.search(prose)
    waiting, without = (numbers_told(short[2]), int(short[1])) if short else (frozenset(), 0)
    return Minutes(whole, reading, words, {**shared, **known}, frozenset(known), waiting, without)


def numbers_told(told: str) -> frozenset[int]:
    """The numbers of sections in words.

    >>> sorted(numbers_told("6 to 8")), sorted(numbers_told("1, 4, 5"))
    ([6, 7, 8], [1, 4, 5])
    """
    first, to, last = told.partition(" to ")
    return frozenset(range(int(first), int(last) + 1) if to else map(int, re.findall(r"\d+", told)))


def _known(lesson: Lesson) -> dict[str, int]:
    given = dict(lesson.assignment.notebook.metadata["autograder"].get("minutes", {}))
    names = [exercise.name for exercise in lesson.assignment.exercises]
    for name in given:
        if name not in names:
            raise UserError(
                f"{lesson.assignment.unit}: the header gives minutes for {name!r}, and no exercise has that name."
            )
    return given


def shared_out(whole: int, by: Mapping[str, float]) -> dict[str, int]:
    """A number of minutes, shared out in whole ones that add up.

    >>> shared_out(10, {"a": 2, "b": 1, "c": 1})
    {'a': 5, 'b': 3, 'c': 2}
    """
    total, at, found = sum(by.values()), 0.0, {}
    for name, share in by.items():
        before, at = at, at + share
        found[name] = int(whole * at / total + 0.5) - int(whole * before / total + 0.5)
    return found
