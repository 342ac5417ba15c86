"""The cells of a notebook in which a learner predicts a result before it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .guesses import answer_to
from .logbook import note_prediction
from .said import parts

#: What the released cells hold where a prediction belongs.
EMPTY = (None, "", "?")


def predicted(prediction: Any, name: str = "") -> bool:
    """Print the learner's prediction; False, with a request, where something of it is still empty.

    `prediction` is a value, or a tuple, list or dict of them. It is not graded. That there is one is noted under its
    `name`, for the learner's progress. Where the unit knows it (`guesses.py`), a mark says that it came true, a count
    how much of it, and a sentence what a usual wrong guess overlooks, or how far any other one is off.

    >>> if predicted((2, 7)):
    ...     print("it is", 2, 7)
    your prediction: (2, 7)
    it is 2 7
    >>> predicted((2, None))
    your prediction: none yet. Fill it in, then run this cell again.
    False
    """
    if any(isinstance(guess, str | None) and guess in EMPTY for guess in parts(prediction)):
        print("your prediction: none yet. Fill it in, then run this cell again.")
        return False
    print("your prediction:", prediction, end="")
    print(_answer(name, prediction))
    if name:
        note_prediction(name)
    return True


def _answer(name: str, prediction: Any) -> str:
    """What stands behind a prediction."""
    found = answer_to(name, prediction)
    if found is None:
        return ""
    if 0 < found.right == found.parts:
        return " ✓"
    count = f" ({found.right} of {found.parts} right)" if found.parts > 1 else ""
    return count + (f"\n→ {found.sentence}" if found.sentence else "")


def predictions_of(sources: Iterable[str]) -> list[str]:
    """The names of the predictions that these cells ask for, in order.

    >>> predictions_of(['if predicted(prediction, "both_slopes"):'])
    ['both_slopes']
    """
    return [name for source in sources for name in re.findall(r'\bpredicted\(prediction, "(\w+)"\)', source)]


__all__ = ["predicted"]
