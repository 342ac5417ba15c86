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
from autograd_ref.functional.fused import Fused
from autograd_ref.functional.pooling import given_back, largest, max_pool2d, table_of

Size = int | None | tuple[int | None, int | None]

#: Up to so many elements the mean of every window is one matrix product with the whole image.
_SMALL = 4096
#: Of longer images sums are faster than products with many zeros, where there is more than one small image.
_SHORT = 64
#: Windows up to so many elements are compared side by side where they do not overlap.
_FEW = 16


def adaptive_avg_pool2d(x: Any, output_size: Size) -> Any:
    """The means of `output_size` windows of (N, C, H, W), one number for both axes, or a pair; None keeps a length.

    With 1 it is the mean of every channel. Raises ValueError for other shapes.

    >>> adaptive_avg_pool2d(np.arange(6.0).reshape(1, 1, 2, 3), (1, 2))
    array([[[[2., 3.]]]])
    """
    return _average(x, size=_size("adaptive_avg_pool2d", x.shape, _hashable(output_size)))


def adaptive_avg_pool1d(x: Any, output_size: int) -> Any:
    """The means of `output_size` windows of (N, C, L).

    >>> adaptive_avg_pool1d(np.array([[[1.0, 2.0, 6.0]]]), 2)
    array([[[1.5, 4. ]]])
    """
    return _average(x, size=_size("adaptive_avg_pool1d", x.shape, (None, output_size)))


def adaptive_max_pool2d(x: Any, output_size: Size) -> Any:
    """The maxima of `output_size` windows of (N, C, H, W), as `adaptive_avg_pool2d` has them.

    Of equal ones the first gets the gradient. Raises ValueError for other shapes.

    >>> adaptive_max_pool2d(np.arange(6.0).reshape(1, 1, 2, 3), (1, 2))
    array([[[[4., 5.]]]])
    """
    size = _size("adaptive_max_pool2d", x.shape, _hashable(output_size))
    (h, w), (high, wide) = x.shape[2:], size
    if h % high == w % wide == 0 and h * w <= _FEW * high * wide:
        return max_pool2d(x, (h // high, w // wide))
    return _largest(x, size=size)


def adaptive_max_pool1d(x: Any, output_size: int) -> Any:
    """The maxima of `output_size` windows of (N, C, L).

    >>> adaptive_max_pool1d(np.array([[[1.0, 2.0, 6.0]]]), 2)
    array([[[2., 6.]]])
    """
    return _largest(x, size=_size("adaptive_max_pool1d", x.shape, (None, output_size)))


def _hashable(size: Any) -> Any:
    return tuple(size) if isinstance(size, list) else size


@lru_cache(maxsize=64)
def _size(name: str, shape: tuple[int, ...], wanted: Size) -> tuple[int, int]:
    """The lengths of the last two axes of the result. (N, C, L) is N images of height C, so to say."""
    axes = "(N, C, H, W)" if name.endswith("2d") else "(N, C, L)"
    if len(shape) != axes.count(",") + 1 or 0 in shape[2:]:
        raise ValueError(f"'{name}' needs {axes}, with something to pool, not shape {shape}.")
    pair = wanted if isinstance(wanted, tuple) else (wanted, wanted)
    high, wide = (n if m is None else int(m) for n, m in zip(shape[-2:], pair, strict=True))
    if min(high, wide) < 1 and 0 not in shape:
        raise ValueError(f"'{name}' makes at least one window along an axis, not {wanted}.")
    return high, wide


@lru_cache(maxsize=256)
def _ends(n: int, m: int) -> list[tuple[int, int]]:
    return [(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]


def _image(shape: Any, size: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """What one window is taken of, and how many there are: a row, where no rows are put together."""
    (h, w), (high, wide) = shape[-2:], size
    return ((1, w), (1, wide)) if h == high else ((h, w), size)


# Means --------------------------------------------------------------------------------------------------------------


def _mean_definition(x: Any, size: tuple[int, int]) -> Any:
    """Window after window, along one axis and then the other."""
    out = x
    for axis, m in ((x.ndim - 1, size[1]), (x.ndim - 2, size[0])):
        lead, n = (slice(None),) * axis, x.shape[axis]
        if m != n:
            out = ops.stack([ops.mean(out[(*lead, slice(*end))], axis) for end in _ends(n, m)], axis)
    return ops.clone(x) if out is x else out


def _mean_forward(x: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, None]:
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    matrix = _matrix(*_image(x.shape, size), x.dtype.char)
    if matrix is not None and (x.size <= _SMALL or len(matrix) <= _SHORT):
        out = x.reshape(-1, len(matrix)).dot(matrix)
        if _finite(out):  # else an infinity has met the zeros of other windows
            return out.reshape(*x.shape[:-2], *size), None
    sums = _sums(_sums(x, -1, size[1]), -2, size[0])
    return sums * _shares(x.shape[-2:], size, x.dtype.char), None


def _mean_backward(g: Any, to: Any, _kept: None, _x: Any, size: tuple[int, int]) -> list[Any]:
    shape = to[0].shape
    matrix = _matrix(*_image(shape, size), g.dtype.char)
    if matrix is not None and _finite(g):
        return [g.reshape(-1, matrix.shape[1]).dot(matrix.T).reshape(shape)]
    grad = g * _shares(shape[-2:], size, g.dtype.char)
    return [_sums(_sums(grad, -1, shape[-1]), -2, shape[-2])]


_average = Fused("adaptive_avg_pool2d", _mean_definition, _mean_forward, _mean_backward, reads={"x": ""})


def _finite(x: np.ndarray) -> bool:
    """Whether there is no NaN and no infinity."""
    flat = x.reshape(-1)
    return bool(np.isfinite(flat.dot(flat)) or np.isfinite(flat).all())


@lru_cache(maxsize=64)
def _matrix(image: tuple[int, int], size: tuple[int, int], dtype: str) -> np.ndarray | None:
    """What takes the mean of every window of an image, as one row; None if that would be large."""
    if image[0] * image[1] * size[0] * size[1] > _SMALL:
        return None
    along = [np.zeros(pair, dtype) for pair in zip(image, size, strict=True)]
    for made in along:
        for column, (start, end) in zip(made.T, _ends(*made.shape), strict=True):
            column[start:end] = 1 / (end - start)
    return np.kron(*along)


@lru_cache(maxsize=64)
def _shares(image: tuple[int, int], size: tuple[int, int], dtype: str) -> np.ndarray:
    """One divided by the number of elements in every window."""
    rows, columns = ([end - start for start, end in _ends(n, m)] for n, m in zip(image, size, strict=True))
    return (1 / np.outer(rows, columns)).astype(dtype)


def _sums(x: np.ndarray, axis: int, m: int) -> np.ndarray:
    """The sums of m windows along an axis.

    What goes back from m windows to the n elements is the sum of n windows: element j lies in window i where i lies in
    window j of n among m.
    """
    n, add = x.shape[axis], np.add
    if m == n:
        return x
    after: Any = (slice(None),) * (-1 - axis)
    if m < n:
        every = add.reduceat(x, _borders(n, m), axis)  # also of what is between windows
        return every[(..., slice(None, None, 2), *after)]
    times, both, second = _ones_and_twos(n, m)
    out = np.repeat(x, times, axis)
    out[(..., both, *after)] += x.take(second, axis)
    return out


@lru_cache(maxsize=64)
def _borders(n: int, m: int) -> np.ndarray:
    """Where every window begins and ends, in one row; the last goes on to the end."""
    return np.array(_ends(n, m)).reshape(-1)[:-1]


@lru_cache(maxsize=64)
def _ones_and_twos(n: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of more windows than elements: in how many an element is the first, which windows have two, and the second."""
    first, end = np.array(_ends(n, m)).T
    both = np.flatnonzero(end - first > 1)
    return np.bincount(first), both, end[both] - 1


# Maxima -------------------------------------------------------------------------------------------------------------


def _max_definition(x: Any, size: tuple[int, int]) -> Any:
    image, windows = _image(x.shape, size)
    table, flat = _table(image, windows), x.reshape(-1, image[0] * image[1])
    first = plain(flat)[:, table].argmax(2)
    return ops.gather(flat, 1, table[np.arange(len(table)), first]).reshape(*x.shape[:-2], *size)


def _max_forward(x: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    image, windows = _image(x.shape, size)
    out, found = largest(x, image, _table(image, windows))
    return out.reshape(*x.shape[:-2], *size), found


def _max_backward(g: Any, to: Any, found: np.ndarray, _x: Any, size: tuple[int, int]) -> list[Any]:
    return [given_back(g, found, to[0].shape)]


_largest = Fused("adaptive_max_pool2d", _max_definition, _max_forward, _max_backward, reads={"x": "x"})


@lru_cache(maxsize=16)
def _table(image: tuple[int, int], size: tuple[int, int]) -> np.ndarray:
    """For every window where its elements are in the image; shorter windows have their last ones again."""
    return table_of(image, *[_elements(n, m) for n, m in zip(image, size, strict=True)])


def _elements(n: int, m: int) -> np.ndarray:
    """Row i, column j: element j of window i along an axis."""
    ends = _ends(n, m)
    longest = max(end - start for start, end in ends)
    return np.array([[min(start + j, end - 1) for j in range(longest)] for start, end in ends])
