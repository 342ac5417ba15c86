"""Reductions: from an array to fewer numbers, over one axis, several or all (`axis=None`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref.core import fast
from autograd_ref.ops.shapes import reshape, shaped
from autograd_ref.rules import elementwise, norms, reductions
from autograd_ref.rules import softmax as exponentials
from autograd_ref.rules.reductions import axes_of
from autograd_ref.rules.shapes import clone

Axis = int | tuple[int, ...] | None


def sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum over `axis` (all axes if None)."""
    x = shaped(x)
    axis = None if axis is None else axes_of(axis, x.ndim)
    return reductions.sum(x, axis=axis, keepdims=keepdims, shape=x.shape)


def mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean over `axis`."""
    x = shaped(x)
    shape = x.shape
    axis = None if axis is None else axes_of(axis, x.ndim)
    count = math.prod(shape if axis is None else [shape[a] for a in axis])
    return reductions.mean(x, axis=axis, keepdims=keepdims, shape=shape, count=count)


if fast:
    sum, mean = fast.settled(sum), fast.settled(mean)


def var(x: Any, axis: Axis = None, keepdims: bool = False, correction: int = 1) -> Any:
    """The variance over `axis`: squared distances from the mean, summed and divided by `count - correction`.

    As in PyTorch the correction is 1 by default; NumPy's default is 0.
    """
    return reductions.var(shaped(x), axis=_axis(x, axis), keepdims=keepdims, correction=correction)


def std(x: Any, axis: Axis = None, keepdims: bool = False, correction: int = 1) -> Any:
    """The square root of `var`. Where it is 0 its gradient is 0 too, as in PyTorch."""
    return reductions.std(shaped(x), axis=_axis(x, axis), keepdims=keepdims, correction=correction)


def max(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest element over `axis`. Equal largest elements share the gradient, as in `torch.amax`."""
    return reductions.max(shaped(x), axis=_axis(x, axis), keepdims=keepdims)


def min(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest element over `axis`. Equal smallest elements share the gradient, as in `torch.amin`."""
    return reductions.min(shaped(x), axis=_axis(x, axis), keepdims=keepdims)


if fast:
    max, min = fast.settled(max), fast.settled(min)


def _axis(x: Any, axis: Axis) -> Any:
    return None if axis is None else axes_of(axis, np.ndim(x) if not hasattr(x, "ndim") else x.ndim)


def prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product over `axis`; gradients are right where factors are zero."""
    x = shaped(x)
    if axis is None and x.ndim != 1:
        out = reductions.prod(reshape(x, -1), axis=0)
        return reshape(out, (1,) * x.ndim) if keepdims else out
    axes = axes_of(axis, x.ndim)
    if len(axes) == 1:
        return reductions.prod(x, axis=axes[0], keepdims=keepdims)
    out = x if axes else clone(x)
    for a in axes:
        out = reductions.prod(out, axis=a, keepdims=True)
    return out if keepdims else reshape(out, tuple(n for i, n in enumerate(x.shape) if i not in axes))


def norm(x: Any, p: float = 2, axis: Axis = None, keepdims: bool = False) -> Any:
    """`sum(|x| ** p) ** (1 / p)` over `axis`: for 2 the length of a vector, for `math.inf` its largest size.

    For 0 it counts what is not 0; `-math.inf` gives the smallest size. Where it is 0 its slope is 0, as in PyTorch.
    Raises TypeError for integers.

    >>> norm(np.array([[3.0, 4.0], [0.0, 2.0]]), axis=1)
    array([5., 2.])
    """
    x = shaped(x)
    if x.dtype.kind != "f":
        raise TypeError(f"'norm' needs floating-point numbers, not {x.dtype}: use astype(float).")
    axis = _axis(x, axis)
    if p in (math.inf, -math.inf):
        return (max if p > 0 else min)(elementwise.abs(x), axis, keepdims)
    if p == 0:
        return sum(elementwise.abs(elementwise.sign(x)), axis, keepdims)
    if p == 1:
        return sum(elementwise.abs(x), axis, keepdims)
    return norms.norm(x, p=p, axis=axis, keepdims=keepdims)


def logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """`log(sum(exp(x)))` over `axis`, without overflow."""
    return exponentials.logsumexp(shaped(x), axis=_axis(x, axis), keepdims=keepdims)


def softmax(x: Any, axis: int = -1) -> Any:
    """`exp(x) / sum(exp(x))` along `axis`, without overflow."""
    return exponentials.softmax(shaped(x), axis=axis)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """`log(softmax(x))` along `axis`, without overflow."""
    return exponentials.log_softmax(shaped(x), axis=axis)


def cumsum(x: Any, axis: int = 0) -> Any:
    """The running sum along `axis`."""
    x = shaped(x)
    return reductions.cumsum(x, axis=axes_of(axis, x.ndim)[0] if x.ndim else 0)
