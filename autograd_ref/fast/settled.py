"""Operations whose options come again: what depends on these and on the shape alone is settled once.

`x.sum(1)` asks which axis that is, how such an array is summed best, and what a backward pass will have to know. The
next step of a training asks the same of the next `x`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any

from autograd_ref.core.primitive import Primitive
from autograd_ref.core.sweep import edge_of
from autograd_ref.core.tensor import Tensor

from .calls import settled_call

MOST = 512
"""So many shapes and options are known of an operation; with the next one all are forgotten."""


_all: list[dict[Any, Settled]] = []


def forget() -> None:
    """Know nothing any more."""
    for known in _all:
        known.clear()


class Settled:
    """A primitive with options, for arrays of one shape and dtype.

    A primitive may have a method `settle(shape, dtype, params)`: it returns the forward function of the array alone and
    the gradient's `pull(g, record)`, which may return None for what goes the plain way; or None for both.
    """

    __slots__ = ("_keep", "forward", "name", "params", "recorded", "view")

    def __init__(self, primitive: Primitive, params: dict[str, Any], x: Tensor) -> None:
        self.name, self.params, self.view, self._keep = (
            primitive.name,
            params,
            primitive.view,
            primitive._keep,
        )
        ways = getattr(primitive, "settle", None)
        found = ways(x.shape, x.dtype, params) if ways else None
        if found is None:
            forward = primitive.forward
            self.forward, self.recorded = lambda a: forward(a, **params), primitive
        else:
            self.forward, pull = found
            self.recorded = copy.copy(primitive)
            plain = primitive.pull
            self.recorded.pull = lambda g, record: pull(g, record) or plain(g, record)  # type: ignore[method-assign]

    __call__ = settled_call


def settled(operation: Callable[..., Any]) -> Callable[..., Any]:
    """A function `operation(x, *options)` that is one primitive with options, and settles how it goes."""
    known: dict[Any, Settled] = {}
    _all.append(known)

    @wraps(operation)
    def call(x: Any, *options: Any, **named: Any) -> Any:
        if named or not isinstance(x, Tensor):
            return operation(x, *options, **named)
        data = x._data
        key = data.shape, data.dtype, options
        try:
            found = known.get(key)
        except TypeError:  # a list, an array: nothing to be remembered by
            return operation(x, *options)
        if found is not None:
            return found(x)
        result = operation(x, *options)
        node = getattr(result, "grad_fn", None)
        if node is not None and result is not x and node.parents == (edge_of(x),):
            if len(known) >= MOST:
                known.clear()
            known[key] = Settled(node.primitive, node.params, x)
        return result

    call.known = known  # type: ignore[attr-defined]
    return call
