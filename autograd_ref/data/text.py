"""A small text, and what a character model needs of it: an alphabet, and windows with the next character."""

from __future__ import annotations

from importlib.resources import files

import numpy as np


def load_sonnets() -> str:
    """The 154 sonnets of Shakespeare (1609, public domain), 94,040 characters, one empty line between them.

    >>> load_sonnets()[:42]
    'From fairest creatures we desire increase,'
    """
    return files("autograd_ref.data").joinpath("files/sonnets.txt").read_text(encoding="ascii")


def vocabulary(text: str) -> tuple[str, np.ndarray]:
    """The sorted distinct characters of `text`, and the text as their numbers, int64.

    >>> letters, ids = vocabulary("banana")
    >>> letters, ids
    ('abn', array([1, 0, 2, 0, 2, 0]))
    >>> "".join(letters[i] for i in ids)
    'banana'
    """
    letters = "".join(sorted(set(text)))
    number = {letter: i for i, letter in enumerate(letters)}
    return letters, np.array([number[letter] for letter in text], dtype=np.int64)


def windows(ids: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """All windows of `length` numbers and, for each place, the number that follows: two (n, length) views.

    >>> x, y = windows(np.arange(5), 3)
    >>> x
    array([[0, 1, 2],
           [1, 2, 3]])
    >>> y
    array([[1, 2, 3],
           [2, 3, 4]])
    """
    if not 0 < length < len(ids):
        raise ValueError(f"length must be from 1 to {len(ids) - 1} for a text of {len(ids)}, not {length}.")
    both = np.lib.stride_tricks.sliding_window_view(ids, length + 1)
    return both[:, :-1], both[:, 1:]
