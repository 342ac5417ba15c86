"""The memory of temporaries: a large result takes that of an argument which nobody will see again.

In `(a * b).exp()` the product has no other owner than the method that is called on it. Its array can become the
result's, as NumPy does with arrays in the middle of an expression. CPython counts owners, so this is known and not
guessed: whatever else could show the tensor or its array later (a variable, a list, a view, a rule that reads the
array) owns it, and counts.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np

import autograd_ref as ag
from autograd_ref.core.operators import Operators
from autograd_ref.core.primitive import Unary
from autograd_ref.core.tensor import Tensor

LARGE = 1 << 16
"""Elements that are worth the questions."""


def _of_a_temporary() -> int:
    class Held:
        def count(self) -> int:
            return getrefcount(self)

    named = Held()
    for _ in range(20):  # Python may call differently what is called often
        temporary, other = Held().count(), named.count()
    return temporary if temporary < other else 0


TEMPORARY = _of_a_temporary()
"""What getrefcount says in a method of an object that only the method holds; 0, which it never says, where Python's
way of counting does not tell such an object from one that has a name."""


def _held_once() -> int:
    box = (np.empty(0),)
    array = box[0]
    return getrefcount(array)


_HELD_ONCE = _held_once()
"""What it says of an array that a local variable refers to, and one other place."""


def may_be_overwritten(x: Any) -> bool:
    """Whether the large array of the tensor `x`, itself a temporary, belongs to nobody else."""
    data = x._data
    base = data.base  # a result in another order than it was computed in, as that of a convolution, is a view
    return (
        data.size >= LARGE
        and getrefcount(data) <= _HELD_ONCE
        and (
            base is None
            or (type(base) is np.ndarray and getrefcount(base) <= _HELD_ONCE and base.base is None)
        )
        and type(data) is np.ndarray
        and data.dtype.kind == "f"
        and not (x.requires_grad and x.grad_fn is None)  # a leaf stays in the graph, with its numbers
        and data.flags.writeable
    )


def method(name: str) -> Callable[[Tensor], Tensor]:
    """The method `name` of a tensor, which takes the tensor's memory if it is a temporary."""
    plain = getattr(Operators, name)
    overwriting: Unary | None = None

    def call(self: Tensor) -> Tensor:
        if getrefcount(self) > TEMPORARY or not may_be_overwritten(self):
            return plain(self)
        nonlocal overwriting
        primitive: Unary = getattr(ag.ops, name)
        if overwriting is None:
            forward, overwriting = primitive.forward, copy.copy(primitive)
            overwriting.forward = lambda x: forward(x, out=x)
        result: Tensor = overwriting(self)
        if result.grad_fn is not None:
            result.grad_fn.primitive = primitive
        return result

    call.__name__, call.__doc__ = name, plain.__doc__
    return call
