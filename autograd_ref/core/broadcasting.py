"""NumPy repeats the smaller argument; the gradient of a value that was repeated is the sum over its copies."""

from __future__ import annotations

from typing import Any


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum `g` over the axes along which an argument of this shape was repeated.

    >>> import numpy as np
    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    """
    if g.shape == shape:
        return g
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        i + extra for i, n in enumerate(shape) if n == 1 and g.shape[i + extra] != 1
    )
    return g.sum(axis=axes).reshape(shape)
