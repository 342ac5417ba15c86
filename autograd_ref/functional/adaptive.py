"""Adaptive pooling: the size of the result is given, and the windows follow from it.

Along an axis of length n, window i of m goes from floor(i n / m) to ceil((i + 1) n / m): where m does not divide n,
neighbours overlap.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.saved import plain
from autograd_ref.functional.pooling import avg_pool2d, max_pool2d

Size = int | None | tuple[int | None, int | None]


def adaptive_avg_pool2d(x: Any, output_size: Size) -> Any:
    """The means of `output_size` windows of (N, C, H, W), one number for both axes, or a pair; None keeps a length.

    With 1 it is the mean of every channel. Raises ValueError for other shapes.

    >>> adaptive_avg_pool2d(np.arange(6.0).reshape(1, 1, 2, 3), (1, 2))
    array([[[[2., 3.]]]])
    """
    (h, w), size = _sizes("adaptive_avg_pool2d", x, 4, output_size)
    if h % size[0] == w % size[1] == 0:
        return avg_pool2d(x, (h // size[0], w // size[1]))
    rows, columns = _means(h, size[0], x.dtype.char), _means(w, size[1], x.dtype.char)
    return ops.matmul(ops.matmul(rows, x), columns.T)


def adaptive_avg_pool1d(x: Any, output_size: int) -> Any:
    """The means of `output_size` windows of (N, C, L).

    >>> adaptive_avg_pool1d(np.array([[[1.0, 2.0, 6.0]]]), 2)
    array([[[1.5, 4. ]]])
    """
    _sizes("adaptive_avg_pool1d", x, 3, output_size)
    return ops.squeeze(adaptive_avg_pool2d(ops.unsqueeze(x, 2), (None, output_size)), 2)


def adaptive_max_pool2d(x: Any, output_size: Size) -> Any:
    """The maxima of `output_size` windows of (N, C, H, W), as `adaptive_avg_pool2d` has them.

    Of equal ones the first gets the gradient. Raises ValueError for other shapes.

    >>> adaptive_max_pool2d(np.arange(6.0).reshape(1, 1, 2, 3), (1, 2))
    array([[[[4., 5.]]]])
    """
    (h, w), size = _sizes("adaptive_max_pool2d", x, 4, output_size)
    if h % size[0] == w % size[1] == 0:
        return max_pool2d(x, (h // size[0], w // size[1]))
    rows, columns = _window(h, size[0]), _window(w, size[1])
    seen = ops.getitem(x, (slice(None), slice(None), rows[:, None, :, None], columns[None, :, None, :]))
    seen = seen.reshape(*x.shape[:2], rows.shape[0] * columns.shape[0], *size)
    first = np.argmax(plain(seen), axis=2)
    return ops.squeeze(ops.gather(seen, 2, first[:, :, None]), 2)


def adaptive_max_pool1d(x: Any, output_size: int) -> Any:
    """The maxima of `output_size` windows of (N, C, L).

    >>> adaptive_max_pool1d(np.array([[[1.0, 2.0, 6.0]]]), 2)
    array([[[2., 6.]]])
    """
    _sizes("adaptive_max_pool1d", x, 3, output_size)
    return ops.squeeze(adaptive_max_pool2d(ops.unsqueeze(x, 2), (None, output_size)), 2)


def _sizes(name: str, x: Any, ndim: int, wanted: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """The lengths of the last two axes, before and after."""
    if x.ndim != ndim or 0 in x.shape[2:]:
        shape = "(N, C, H, W)" if ndim == 4 else "(N, C, L)"
        raise ValueError(f"'{name}' needs {shape}, with something to pool, not shape {x.shape}.")
    before = x.shape[-2:]
    pair = wanted if isinstance(wanted, tuple | list) else (wanted, wanted)
    after = tuple(b if n is None else int(n) for b, n in zip(before, pair, strict=True))
    if min(after) < 1:
        raise ValueError(f"'{name}' makes at least one window along an axis, not {wanted}.")
    return before, after  # type: ignore[return-value]


def _ends(n: int, m: int) -> list[tuple[int, int]]:
    return [(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]


@lru_cache(maxsize=64)
def _means(n: int, m: int, dtype: str) -> np.ndarray:
    """The matrix (m, n) that takes the mean of every window."""
    made = np.zeros((m, n), dtype)
    for row, (start, end) in zip(made, _ends(n, m), strict=True):
        row[start:end] = 1 / (end - start)
    made.setflags(write=False)
    return made


@lru_cache(maxsize=64)
def _window(n: int, m: int) -> np.ndarray:
    """Row i, column j: where element i of window j is; shorter windows have their last one again."""
    ends = _ends(n, m)
    longest = max(end - start for start, end in ends)
    made = np.array([[min(start + i, end - 1) for start, end in ends] for i in range(longest)])
    made.setflags(write=False)
    return made
