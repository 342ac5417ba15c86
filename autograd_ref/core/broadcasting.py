"""NumPy repeats the smaller argument; the gradient of a value that was repeated is the sum over its copies."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np


def ones(n: int, dtype: Any) -> np.ndarray:
    """Ones to multiply with: `ones(len(x), x.dtype).dot(x)` is the sum over the rows.

    Short ones are kept: making them takes longer than a small product.
    """
    return short_ones(n, dtype) if n <= 4096 else np.ones(n, dtype)


@lru_cache(maxsize=64)
def short_ones(n: int, dtype: Any) -> np.ndarray:
    """The same, for at most 4096."""
    made = np.ones(n, dtype)
    made.setflags(write=False)
    return made


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum `g` over the axes along which an argument of this shape was repeated.

    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    """
    if g.shape == shape:
        return g
    if type(g) is np.ndarray and g.ndim == 2 and g.dtype.kind == "f":  # a product takes a third of the time
        rows, columns = g.shape
        if shape == (columns,):
            return (short_ones if rows <= 4096 else np.ones)(rows, g.dtype).dot(g)
        if shape == (rows, 1):
            return g.dot(ones(columns, g.dtype)[:, None])
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        i + extra for i, n in enumerate(shape) if n == 1 and g.shape[i + extra] != 1
    )
    out = g.sum(axis=axes) if not isinstance(g, np.ndarray) else np.add.reduce(g, axes)
    return out if out.shape == shape else out.reshape(shape)
