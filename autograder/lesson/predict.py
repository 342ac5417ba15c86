"""The cells of a notebook in which a learner predicts a result before it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from .logbook import note_prediction

#: What the released cells hold where a prediction belongs.
EMPTY = (None, "", "?")


def predicted(prediction: Any, name: str = "") -> bool:
    """Print the learner's prediction; False, with a request, where something of it is still empty.

    `prediction` is a value, or a tuple, list or dict of them. Nobody checks it. That there is one is noted under its
    `name`, for the learner's progress.

    >>> if predicted((2, 7)):
    ...     print("it is", 2, 7)
    your prediction: (2, 7)
    it is 2 7
    >>> predicted((2, None))
    your prediction: none yet. Fill it in, then run this cell again.
    False
    """
    if any(isinstance(guess, str | None) and guess in EMPTY for guess in _guesses(prediction)):
        print("your prediction: none yet. Fill it in, then run this cell again.")
        return False
    print("your prediction:", prediction)
    if name:
        note_prediction(name)
    return True


def predictions_of(sources: Iterable[str]) -> list[str]:
    """The names of the predictions that these cells ask for, in order.

    >>> predictions_of(['if predicted(prediction, "both_slopes"):'])
    ['both_slopes']
    """
    return [name for source in sources for name in re.findall(r'\bpredicted\(prediction, "(\w+)"\)', source)]


def _guesses(prediction: Any) -> Iterator[Any]:
    if isinstance(prediction, dict):
        prediction = list(prediction.values())
    if not isinstance(prediction, tuple | list):
        yield prediction
        return
    for part in prediction:
        yield from _guesses(part)


__all__ = ["predicted"]
