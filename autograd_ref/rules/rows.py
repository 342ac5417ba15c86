"""Sums and extremes of the rows of a matrix, and sums over its rows.

NumPy's own reductions along a short last axis spend their time on the row, not on its numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref.core.broadcasting import ones

SHORT = 32
"""Up to so many numbers a row is short."""


def row_sums(x: np.ndarray) -> np.ndarray:
    """The sum of each row of `x` (rows, columns), as a column: a product with ones."""
    return x.dot(ones(x.shape[1], x.dtype))[:, None]


def row_maxima(x: np.ndarray) -> np.ndarray:
    """The largest entry of each row of `x` (rows, columns), as a column; NaN where there is one."""
    return _row_extremes(np.maximum, np.argmax, x)


def row_minima(x: np.ndarray) -> np.ndarray:
    """The smallest entry of each row of `x` (rows, columns), as a column; NaN where there is one."""
    return _row_extremes(np.minimum, np.argmin, x)


def _row_extremes(ufunc: Any, position: Any, x: np.ndarray) -> np.ndarray:
    rows, columns = x.shape
    if columns > SHORT:  # `argmax` compares many numbers at a time, `maximum.reduce` one after the other.
        at = position(x, 1)
        at += np.arange(0, rows * columns, columns)
        return x.take(at)[:, None]
    # A short row costs a call of its own.
    return ufunc.reduce(x.T.copy(), 0)[:, None]
