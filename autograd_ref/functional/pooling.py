"""Pooling: the maximum or the mean of every window, by whole-array operations on strided views.

`np.maximum` of k * k views is about 25 times faster than a maximum over reshaped window axes. Where arrays are
small, or windows overlap, all windows are taken side by side, by a table of positions: fewer calls, and fewer passes.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.promotion import constant
from autograd_ref.functional.convolution import Pair, length, pad_image, pair, windows
from autograd_ref.functional.fused import Fused

#: Arrays of up to so many elements are small.
_SMALL = 4096


def max_pool2d(x: Any, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0) -> Any:
    """The maximum of every window of (N, C, H, W). Of equal ones the first gets the gradient.

    `stride` is the kernel size by default, so that windows do not overlap. Padding counts as minus infinity.

    >>> max_pool2d(np.arange(16.0).reshape(1, 1, 4, 4), 2)[0, 0]
    array([[ 5.,  7.],
           [13., 15.]])
    """
    how = _how("max_pool2d", x.shape, *_pairs(kernel_size, stride, padding))
    return _max_pool2d(x, **how)


def avg_pool2d(x: Any, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0) -> Any:
    """The mean of every window of (N, C, H, W); padding counts as zeros."""
    return _avg_pool2d(x, **_how("avg_pool2d", x.shape, *_pairs(kernel_size, stride, padding)))


def max_pool1d(x: Any, kernel_size: int, stride: int | None = None, padding: int = 0) -> Any:
    """The maximum of every window of (N, C, L)."""
    stride = kernel_size if stride is None else stride
    return _max_pool2d(x, **_how("max_pool1d", x.shape, (1, kernel_size), (1, stride), (0, padding)))


def avg_pool1d(x: Any, kernel_size: int, stride: int | None = None, padding: int = 0) -> Any:
    """The mean of every window of (N, C, L)."""
    stride = kernel_size if stride is None else stride
    return _avg_pool2d(x, **_how("avg_pool1d", x.shape, (1, kernel_size), (1, stride), (0, padding)))


def _pairs(kernel: Pair, stride: Pair | None, padding: Pair) -> tuple[tuple[int, int], ...]:
    kernel = pair(kernel)
    return kernel, kernel if stride is None else pair(stride), pair(padding)


@lru_cache(maxsize=64)
def _how(
    name: str, shape: tuple[int, ...], kernel: Any, stride: Any, padding: Any
) -> dict[str, tuple[int, int]]:
    """The options, once they are known to fit."""
    how = {"kernel": kernel, "stride": stride, "padding": padding}
    wanted = (
        "(N, C, H, W)" if name.endswith("2d") else "(N, C, L)"
    )  # (N, C, L) is N images of height C, so to say
    if len(shape) != wanted.count(",") + 1:
        raise ValueError(f"'{name}' needs {wanted}, not shape {shape}.")
    if min(_places(shape, **how)) < 1:
        raise ValueError(f"'{name}' has a window {how['kernel']} larger than the padded image {shape[2:]}.")
    if any(2 * p > k for p, k in zip(how["padding"], how["kernel"], strict=True)):
        raise ValueError(f"'{name}' needs a padding of at most half the window {how['kernel']}.")
    return how


def _places(shape: Any, kernel: Any, stride: Any, padding: Any) -> tuple[int, int]:
    return tuple(length(shape[i - 2], kernel[i], stride[i], padding[i]) for i in (0, 1))  # type: ignore[return-value]


@lru_cache(maxsize=64)
def _views(kernel: Any, stride: Any, places: Any) -> list[Any]:
    """One index per element of the window: that element of every window."""
    (kh, kw), (sh, sw), (oh, ow) = kernel, stride, places
    return [
        (..., slice(i, i + sh * (oh - 1) + 1, sh), slice(j, j + sw * (ow - 1) + 1, sw))
        for i in range(kh)
        for j in range(kw)
    ]


def _mean_definition(x: Any, kernel: Any, stride: Any, padding: Any) -> Any:
    x = pad_image(x, padding)
    total: Any = None
    for view in _views(kernel, stride, _places(x.shape, kernel, stride, (0, 0))):
        total = x[view] if total is None else total + x[view]
    return total / (kernel[0] * kernel[1])


def _mean_forward(x: np.ndarray, kernel: Any, stride: Any, padding: Any) -> tuple[np.ndarray, None]:
    x = pad_image(x if x.dtype.kind == "f" else x.astype(np.float64), padding)
    first, *rest = _views(kernel, stride, _places(x.shape, kernel, stride, (0, 0)))
    out = x[first] * constant(1 / (kernel[0] * kernel[1]), x.dtype) if not rest else x[first] + x[rest[0]]
    for view in rest[1:]:
        out += x[view]
    if rest:
        out *= constant(1 / (kernel[0] * kernel[1]), x.dtype)
    return out, None


def _mean_backward(g: Any, to: Any, _kept: Any, _x: Any, kernel: Any, stride: Any, padding: Any) -> list[Any]:
    (*outer, h, w), (ph, pw), places = to[0].shape, padding, g.shape[-2:]
    share = g * constant(1 / (kernel[0] * kernel[1]), g.dtype)
    grad = np.zeros((*outer, h + 2 * ph, w + 2 * pw), g.dtype)
    apart = stride[0] >= kernel[0] and stride[1] >= kernel[1]
    for view in _views(kernel, stride, places):
        if apart:
            grad[view] = share
        else:
            grad[view] += share
    return [grad[..., ph : ph + h, pw : pw + w] if ph or pw else grad]


_avg_pool2d = Fused("avg_pool2d", _mean_definition, _mean_forward, _mean_backward, reads={"x": ""})


def _definition(x: Any, kernel: Any, stride: Any, padding: Any) -> Any:
    if x.ndim == 3:
        return ops.squeeze(_definition(ops.unsqueeze(x, 0), kernel, stride, padding), 0)
    seen = windows(pad_image(x, padding, -np.inf), kernel, stride)
    n, c, kh, kw, oh, ow = seen.shape
    seen = seen.reshape(n, c, kh * kw, oh, ow)
    first = np.argmax(seen if isinstance(seen, np.ndarray) else seen.data, axis=2)
    return ops.squeeze(ops.gather(seen, 2, first[:, :, None]), 2)


def largest(x: np.ndarray, image: tuple[int, int], table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first largest element of every window of images, and where it is; the table has a row for each window."""
    flat = x.reshape(-1, image[0] * image[1])
    found = table[np.arange(len(table)), flat.take(table, 1).argmax(2)]
    found += np.arange(0, flat.size, flat.shape[1])[:, None]
    return flat.take(found), found


def given_back(g: np.ndarray, found: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """What came for each of the largest, where they are; some may be that of several windows."""
    total = np.bincount(found.reshape(-1), g.reshape(-1), math.prod(shape))
    return total.astype(g.dtype, copy=False).reshape(shape)


@lru_cache(maxsize=16)
def _table(image: tuple[int, int], kernel: Any, stride: Any, padding: Any) -> np.ndarray:
    """For every window the positions of its elements; where it has fewer, its last one again."""
    along = []
    for n, k, s, p in zip(image, kernel, stride, padding, strict=True):
        starts = [i * s - p for i in range(length(n, k, s, p))]
        along.append(np.array([[min(max(a, 0) + j, a + k - 1, n - 1) for j in range(k)] for a in starts]))
    return table_of(image, *along)


def table_of(image: tuple[int, int], rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The positions in an image, a row for each window, from those along either axis."""
    made = rows[:, None, :, None] * image[1] + columns[None, :, None, :]
    return made.reshape(len(rows) * len(columns), -1)


def _forward(x: np.ndarray, kernel: Any, stride: Any, padding: Any) -> tuple[np.ndarray, Any]:
    places = _places(x.shape, kernel, stride, padding)
    if x.size <= _SMALL or stride[0] < kernel[0] or stride[1] < kernel[1]:
        out, found = _by_table(x, kernel, stride, padding)
        return out.reshape(*x.shape[:-2], *places), (None, found)
    x = pad_image(x, padding, -np.inf)
    first, *rest = _views(kernel, stride, places)
    out = np.maximum(x[first], x[rest[0]]) if rest else x[first].copy(order="K")
    for view in rest[1:]:
        np.maximum(out, x[view], out=out)
    return out, (out, None)


def _by_table(x: np.ndarray, kernel: Any, stride: Any, padding: Any) -> tuple[np.ndarray, np.ndarray]:
    image = (x.shape[-2] if x.ndim == 4 else 1, x.shape[-1])
    return largest(x, image, _table(image, kernel, stride, padding))


def _backward(
    g: Any, _to: Any, kept: Any, x: np.ndarray, kernel: Any, stride: Any, padding: Any
) -> list[Any]:
    out, found = kept
    if found is None and not (np.isfinite(g).all() and np.isfinite(out).all()):
        # Arithmetic with a mask would give NaN to elements that take nothing, and a NaN is equal to none.
        _, found = _by_table(x, kernel, stride, padding)
    if found is not None:
        return [given_back(g, found, x.shape)]
    (ph, pw), (h, w) = padding, x.shape[-2:]
    x = pad_image(x, padding, -np.inf)
    views = _views(kernel, stride, out.shape[-2:])
    tiled = stride == kernel and all(out.shape[i] * kernel[i] == x.shape[i] for i in (-2, -1))
    grad = np.empty_like(x) if tiled else np.zeros_like(x)
    _backward_apart(g, out, x, grad, views)
    return [grad[..., ph : ph + h, pw : pw + w] if ph or pw else grad]


def _backward_apart(g: Any, out: Any, x: Any, grad: Any, views: list[Any]) -> None:
    """What the first maximum takes is gone from `left` for the others.

    The mask is made as numbers and the arithmetic done side by side, then copied into the strided views:
    faster than boolean masks and arithmetic in the views.
    """
    left, hit = g, np.empty_like(out)
    for view in views[:-1]:
        np.equal(x[view], out, out=hit)
        np.multiply(left, hit, out=hit)
        left = np.subtract(left, hit, out=None if left is g else left)
        grad[view] = hit
    grad[views[-1]] = left


_max_pool2d = Fused("max_pool2d", _definition, _forward, _backward, reads={"x": "x result"})
