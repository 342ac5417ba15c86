"""The rule of the norm: the p-th root of the sum of the p-th powers of sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref.core.primitive import Primitive
from autograd_ref.rules.elementwise import abs, sign, where
from autograd_ref.rules.reductions import expand

_add: Any = np.add


def _norm(x: np.ndarray, p: float, axis: Any, keepdims: bool) -> Any:
    if p != 2:
        return _add.reduce(np.abs(x) ** p, axis=axis, keepdims=keepdims) ** (1 / p)
    if axis is None and not keepdims:
        flat = x.reshape(-1)
        return np.sqrt(flat.dot(flat))
    return np.sqrt(_add.reduce(x * x, axis=axis, keepdims=keepdims))


def _over(g: Any, ans: Any, p: float) -> Any:
    """`g / ans ** (p - 1)`, and 0 where the norm is 0; for p = 2 a NaN in g goes on from there, as in PyTorch."""
    if type(ans) is np.ndarray and ans.all():
        return g / (ans if p == 2 else ans ** (p - 1))
    norm = where(ans == 0, 1.0, ans)
    if p == 2:
        return where(ans == 0, g * 0.0, g / norm)
    return where(ans == 0, 0.0, g / norm ** (p - 1))


def _slope(x: Any, p: float) -> Any:
    """The slope of `|x| ** p / p`; 0 at 0, also for p below 1."""
    if p == 2:
        return x
    size = abs(x) if p >= 1 else abs(where(x == 0, 1.0, x))
    return sign(x) * size ** (p - 1)


def _rule(g: Any, ans: Any, x: Any, p: float, axis: Any, keepdims: bool) -> Any:
    return expand(_over(g, ans, p), x.shape, axis) * _slope(x, p)


def _jvp(t: Any, ans: Any, x: Any, p: float, axis: Any, keepdims: bool) -> Any:
    return _over((t * _slope(x, p)).sum(axis=axis, keepdims=keepdims), ans, p)


norm = Primitive("norm", _norm, (_rule,), jvp=(_jvp,))
