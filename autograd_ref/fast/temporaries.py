"""The memory of temporaries: a result takes that of an argument which nobody will see again.

In `(x @ w + b).relu()` the product has no other owner than the sum, and the sum none but the method that is called on
it. Their array can become the result's, as NumPy does with large arrays in the middle of an expression. CPython counts
owners, so this is known and not guessed: whatever else could show the tensor or its array later (a variable, a list, a
view, a rule that reads the array) owns it, and counts.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np

ndarray = np.ndarray

LARGE = 1 << 16
"""Elements that are worth the questions."""


class _Held:
    def count(self) -> int:
        return getrefcount(self)


def _of_a_temporary(ask: Callable[[Any], int]) -> int:
    named, temporary, other = _Held(), 0, 0
    for _ in range(20):  # Python may call differently what is called often
        temporary, other = ask(None), ask(named)
    return temporary if temporary < other else 0


TEMPORARY = _of_a_temporary(lambda named: named.count() if named else _Held().count())
"""What getrefcount says in a method of an object that only the method holds; 0, which it never says, where Python's
way of counting does not tell such an object from one that has a name."""


def _held_twice() -> int:
    box = (np.empty(0),)
    array = box[0]
    return _count(array)


def _count(array: np.ndarray) -> int:
    return getrefcount(array)


_ARGUMENT = _held_twice()
"""What it says of an array that an argument refers to, a variable of the caller, and one other place."""


def _held_once() -> int:
    box = (np.empty(0),)
    array = box[0]
    return getrefcount(array)


_HELD_ONCE = _held_once()
"""What it says of an array that a local variable refers to, and one other place."""


def is_free(x: Any, data: np.ndarray) -> bool:
    """Whether the array `data` of the tensor `x`, itself a temporary, belongs to nobody else."""
    base = data.base  # a result in another order than it was computed in, as that of a convolution, is a view
    return (
        getrefcount(data) <= _ARGUMENT
        and (
            base is None or (type(base) is ndarray and getrefcount(base) <= _HELD_ONCE and base.base is None)
        )
        and type(data) is ndarray
        and data.dtype.kind == "f"
        and not (x.requires_grad and x.grad_fn is None)  # a leaf stays in the graph, with its numbers
        and data.flags.writeable
    )
