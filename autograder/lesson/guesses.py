"""What is said to a prediction: whether it came true, and to a usual wrong one what it overlooks.

    course/UNIT/likely.json    {…, "guesses": {"NAME": {"right": [5, 4], "told": [[[4, "_"], "The factors …"], …]}}}

The build takes them from the author's `guesses.toml`. A guess is written flat, part by part, whatever form the
prediction has; a part is

    5, true or "float64"    this number up to its third digit, this word in any case
    "80..88"                a number from 80 to 88
    "<30", ">90"            a number below, above
    "_"                     anything

Nothing is graded: the cell shows what is so in any case. Where the file is missing or damaged, nothing is said.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import logbook
from .likely import FILE
from .said import equal, parts
from .wire import parsed

_MOST_BYTES = 1_000_000
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_ARTICLE = re.compile(r"(?:an?|the) ", re.IGNORECASE)
_BOUND = re.compile(rf"([<>])\s*({_NUMBER})")


@dataclass(frozen=True)
class Answer:
    """How much of a prediction came true, and the sentence for it where it did not, which may be empty."""

    right: int
    parts: int
    sentence: str


def fits(part: Any, guess: Any) -> bool:
    """Whether one part of a prediction is what a guess says.

    >>> fits("80..88", 83), fits("<30", 83), fits("_", "huge"), fits(0.333, 1 / 3), fits(True, 1.0), fits("Up", "up ")
    (True, False, True, True, False, True)
    """
    if part == "_":
        return True
    if isinstance(guess, str) and not isinstance(part, bool):
        guess = _as_number(guess)
    if isinstance(part, str) and (found := _RANGE.fullmatch(part)):
        return _is_number(guess) and float(found[1]) <= guess <= float(found[2])
    if isinstance(part, str) and (found := _BOUND.fullmatch(part)):
        return _is_number(guess) and (guess < float(found[2]) if found[1] == "<" else guess > float(found[2]))
    if isinstance(part, bool) or isinstance(guess, bool):
        return part is guess
    if isinstance(part, str) and isinstance(guess, str):
        part, guess = (_ARTICLE.sub("", word.strip()) for word in (part, guess))
    return equal(guess, part)


def _as_number(guess: str) -> float | str:
    try:
        return float(guess.strip().removesuffix("%"))
    except ValueError:
        return guess


def _is_number(guess: Any) -> bool:
    return isinstance(guess, int | float) and not isinstance(guess, bool)


def all_fit(guess: Sequence[Any], found: Sequence[Any]) -> bool:
    return len(guess) == len(found) and all(map(fits, guess, found))


def answer(about: Any, prediction: Any) -> Answer | None:
    """What the file says of one prediction; None where it says nothing that can be read.

    >>> of_a_product = {"right": [5, 4], "told": [[[4, 5], "The factors are exchanged."]]}
    >>> answer(of_a_product, (4, 5)).sentence, answer(of_a_product, [5, 4]).right, answer(of_a_product, 5)
    ('The factors are exchanged.', 2, Answer(right=0, parts=2, sentence=''))
    """
    try:
        found, right = list(parts(prediction)), about["right"]
        told = (str(sentence) for guess, sentence in about["told"] if all_fit(guess, found))
        count = sum(map(fits, right, found)) if len(right) == len(found) else 0
        return Answer(count, len(right), next(told, ""))
    except (LookupError, TypeError, ValueError):
        return None


def read(path: Path) -> dict[str, Any]:
    """What a file says of predictions, by their names; nothing when it is not there, or something is wrong with it."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        found = parsed(path.read_text(encoding="utf-8"))["guesses"]
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


@functools.lru_cache(1)
def _read_once(path: Path) -> dict[str, Any]:
    return read(path)


def answer_to(name: str, prediction: Any) -> Answer | None:
    """What the file of the notebook's own unit says to a prediction."""
    folder = logbook.started_in()
    known = _read_once(folder / FILE) if folder is not None else {}
    return answer(known[name], prediction) if name in known else None
