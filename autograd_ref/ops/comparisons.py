"""What carries no gradient: comparisons, logic, positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref.core.promotion import promote
from autograd_ref.core.tensor import Tensor, wrap


def _plain(x: Any) -> Any:
    return x._data if isinstance(x, Tensor) else x


def _compare(ufunc: Any) -> Any:
    def compare(x: Any, y: Any) -> Any:
        a, b = _plain(x), _plain(y)
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype != b.dtype:
            a, b = promote((a, b))
        out = ufunc(a, b)
        return wrap(out) if isinstance(x, Tensor) or isinstance(y, Tensor) else out

    compare.__name__ = ufunc.__name__
    compare.__doc__ = f"`numpy.{ufunc.__name__}`: the result carries no gradient."
    return compare


less, less_equal = _compare(np.less), _compare(np.less_equal)
greater, greater_equal = _compare(np.greater), _compare(np.greater_equal)
equal, not_equal = _compare(np.equal), _compare(np.not_equal)
logical_and, logical_or = _compare(np.logical_and), _compare(np.logical_or)
bitwise_and, bitwise_or = _compare(np.bitwise_and), _compare(np.bitwise_or)
bitwise_xor = _compare(np.bitwise_xor)


def bitwise_not(x: Any) -> Any:
    """`numpy.bitwise_not`, which is `logical_not` for booleans: it carries no gradient."""
    return wrap(np.bitwise_not(_plain(x)))


def logical_not(x: Any) -> Any:
    """`numpy.logical_not`: a boolean result, which carries no gradient."""
    return wrap(np.logical_not(_plain(x)))


def argmax(x: Any, axis: int | None = None) -> Any:
    """The position of the largest element, as integers; the first of equal ones. It carries no gradient."""
    return wrap(np.argmax(_plain(x), axis=axis))


def argmin(x: Any, axis: int | None = None) -> Any:
    """The position of the smallest element, as integers; the first of equal ones. It carries no gradient."""
    return wrap(np.argmin(_plain(x), axis=axis))
