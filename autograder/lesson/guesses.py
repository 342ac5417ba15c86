"""What is said to a prediction: whether it came true, and to a usual wrong one what it overlooks.

    course/UNIT/likely.json    {…, "guesses": {"NAME": {"right": [5, 4], "told": [[[4, "_"], "The factors …"], …]}}}

The build takes them from the author's `guesses.toml`. A guess is written flat, part by part, whatever form the
prediction has; a part is

    5, true or "float64"    this number up to its third digit, this word in any case
    "80..88"                a number from 80 to 88
    "<30", ">90"            a number below, above
    "_"                     anything

What is right may be said in other words, too: `also` lists them, and they get the mark as well.

To a guess that nobody has foreseen it says how far it is off. Nothing is graded: the cell shows what is so in any case.
Where the file is missing or damaged, nothing is said.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import logbook
from .compare import count, ordinal
from .likely import FILE
from .said import equal, parts
from .wire import parsed

_MOST_BYTES = 1_000_000
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_ARTICLE = re.compile(r"(?:an?|the) ", re.IGNORECASE)
_BOUND = re.compile(rf"([<>])\s*({_NUMBER})")
#: Of more wrong parts than this only the count is told.
_MOST_NAMED = 4
#: From so many times on, a distance is told as a factor.
_MANY = 1.5


@dataclass(frozen=True)
class Answer:
    """How much of a prediction came true, and a sentence for it where it did not, which may be empty."""

    right: int
    #: 0 where the prediction has another number of parts
    parts: int
    sentence: str


def fits(part: Any, guess: Any) -> bool:
    """Whether one part of a prediction is what a guess says.

    >>> fits("80..88", 83), fits("<30", 83), fits("_", "huge"), fits(0.333, 1 / 3), fits(True, 1.0), fits("Up", "up ")
    (True, False, True, True, False, True)
    """
    if part == "_":
        return True
    if not isinstance(part, bool):
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


def _as_number(guess: Any) -> Any:
    """The number that a text is; anything else as it is."""
    try:
        return float(guess.strip().removesuffix("%")) if isinstance(guess, str) else guess
    except ValueError:
        return guess


def _is_number(guess: Any) -> bool:
    return isinstance(guess, int | float) and not isinstance(guess, bool)


def all_fit(guess: Sequence[Any], found: Sequence[Any]) -> bool:
    return len(guess) == len(found) and all(map(fits, guess, found))


def answer(about: Any, prediction: Any) -> Answer | None:
    """What the file says of one prediction; None where it says nothing that can be read.

    >>> of_a_product = {"right": [5, 4], "told": [[[4, 5], "The factors are exchanged."]]}
    >>> answer(of_a_product, (4, 5)).sentence, answer(of_a_product, [5, 4]).right
    ('The factors are exchanged.', 2)
    >>> answer(of_a_product, 5).sentence
    'The answer has 2 parts, and yours 1.'
    >>> answer(of_a_product, [5, 3]).sentence, answer({"right": [14], "told": []}, 8).sentence
    ('The second is too small.', 'Too small: the answer is 1.75 times that.')
    """
    try:
        found, right = list(parts(prediction)), about["right"]
        if any(all_fit(guess, found) for guess in about.get("also", ())):
            return Answer(len(right), len(right), "")
        told = (str(sentence) for guess, sentence in about["told"] if all_fit(guess, found))
        if len(right) != len(found):
            lengths = f"The answer has {count(len(right), 'part')}, and yours {len(found)}."
            return Answer(0, 0, next(told, lengths))
        return Answer(sum(map(fits, right, found)), len(right), next(told, "") or _off(right, found))
    except (LookupError, TypeError, ValueError):
        return None


def _off(right: Sequence[Any], found: Sequence[Any]) -> str:
    """How far a guess is off that has no sentence of its own: of each wrong part, in which direction."""
    wrong = {i: _direction(*pair) for i, pair in enumerate(zip(right, found, strict=True)) if not fits(*pair)}
    if len(right) == 1 and wrong:
        return f"{wrong[0].capitalize()}{_how_far(right[0], found[0])}."
    if wrong and _in_any_order(right, found):
        return "These are the right ones, in another order."
    if not 0 < len(wrong) <= _MOST_NAMED:
        return ""
    told = [f"the {ordinal(i)} {'is ' * (i == min(wrong))}{direction}" for i, direction in wrong.items()]
    return f"{', '.join(told).capitalize()}."


def _in_any_order(right: Sequence[Any], found: Sequence[Any]) -> bool:
    """Whether each part of a guess is another one of the right parts."""
    left = list(found)
    for part in right:
        i = next((i for i, guess in enumerate(left) if fits(part, guess)), None)
        if i is None:
            return False
        del left[i]
    return True


def _direction(part: Any, guess: Any) -> str:
    """In which direction a wrong part of a guess is off."""
    ends, guess = _ends(part), _as_number(guess)
    if ends is None:
        return "not so"
    if not _is_number(guess):
        return "not a number"
    low, high = ends
    if guess and (high < 0 or low > 0) and (guess > 0) != (low > 0):
        return "of the wrong sign"
    if high < 0:
        return "too far from 0" if guess < low else "too near to 0"
    return "too small" if guess < low else "too large"


def _ends(part: Any) -> tuple[float, float] | None:
    """The smallest and the largest number that a part allows; None where it asks for no number."""
    if _is_number(part):
        return part, part
    if isinstance(part, str) and (found := _RANGE.fullmatch(part)):
        return float(found[1]), float(found[2])
    return None


def _how_far(part: Any, guess: Any) -> str:
    """By how much a number is off, where that is one number, and has its sign."""
    guess = _as_number(guess)
    if not _is_number(part) or not _is_number(guess) or part * guess <= 0:
        return ""
    times = part / guess
    if times >= _MANY:
        return f": the answer is {times:.3g} times that"
    if times <= 1 / _MANY:
        return f": that is {1 / times:.3g} times the answer"
    return f", by {abs(1 / times - 1):.1%}"


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
