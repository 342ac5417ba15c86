"""NumPy repeats the smaller argument; the gradient of a value that was repeated is the sum over its copies."""

from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum `g` over the axes along which an argument of this shape was repeated.

    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    """
    if g.shape == shape:
        return g
    if (
        isinstance(g, np.ndarray) and g.ndim == 2 and g.dtype.kind == "f"
    ):  # a product takes a third of the time
        if shape == g.shape[1:]:
            return np.ones(len(g), g.dtype).dot(g)
        if shape == (len(g), 1):
            return g.dot(np.ones((g.shape[1], 1), g.dtype))
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        i + extra for i, n in enumerate(shape) if n == 1 and g.shape[i + extra] != 1
    )
    out = g.sum(axis=axes) if not isinstance(g, np.ndarray) else np.add.reduce(g, axes)
    return out if out.shape == shape else out.reshape(shape)
