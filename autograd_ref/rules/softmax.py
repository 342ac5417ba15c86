"""Rules of the primitives that are made of exp(x) along axes: none of them overflows, however large x is.

The largest number is taken off first, so that no exponent is above 0. Axes are as in `reductions`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref.core.primitive import Primitive
from autograd_ref.rules.elementwise import exp, where
from autograd_ref.rules.reductions import expand, of_rows, total_of
from autograd_ref.rules.rows import row_maxima

# NumPy's type stubs have no case for a variable axis.
_vecdot: Any = np.vecdot


def _logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    out = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return out if keepdims else out.reshape(np.sum(out, axis=axis).shape)


def _softmax_from(ans: Any, x: Any, axis: Any) -> Any:
    ans = expand(ans, x.shape, axis)
    # Where everything is -inf the weights are 0, not exp(-inf + inf) = NaN.
    return exp(x - where(ans == -math.inf, 0.0, ans))


logsumexp = Primitive(
    "logsumexp",
    _logsumexp,
    (lambda g, ans, x, axis, keepdims: expand(g, x.shape, axis) * _softmax_from(ans, x, axis),),
    jvp=(
        lambda t, ans, x, axis, keepdims: (t * _softmax_from(ans, x, axis)).sum(axis=axis, keepdims=keepdims),
    ),
)


def _along(x: Any, axis: int) -> Any:
    return x.sum(axis=axis, keepdims=True)


def _below_top(x: np.ndarray, axis: int) -> np.ndarray:
    """What is to be added to the largest number along the axis to have x."""
    top = row_maxima(x) if of_rows(x, axis) else np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    return np.asarray(x - top)


def _softmax(x: Any, axis: int) -> np.ndarray:
    out = _below_top(x, axis)
    np.exp(out, out=out)
    out /= total_of(out, axis, True)
    return out


def _softmax_rule(g: Any, ans: Any, _x: Any, axis: int) -> Any:
    if type(g) is not np.ndarray:
        return ans * (g - _along(g * ans, axis))
    if not g.ndim:
        return np.zeros_like(g)
    out = g - expand(_vecdot(g, ans, axis=axis), g.shape, axis)
    out *= ans
    return out


softmax = Primitive(
    "softmax", _softmax, (_softmax_rule,)
)  # Its Jacobian is symmetric: one rule serves both modes.


def _log_softmax(x: Any, axis: int) -> np.ndarray:
    out = _below_top(x, axis)
    out -= np.log(total_of(np.exp(out), axis, True))
    return out


def _log_softmax_rule(g: Any, ans: Any, _x: Any, axis: int) -> Any:
    if type(g) is not np.ndarray or not g.ndim:
        return g - exp(ans) * _along(g, axis)
    out = np.exp(ans)
    out *= total_of(g, axis, True)
    return np.subtract(g, out, out=out)


log_softmax = Primitive(
    "log_softmax",
    _log_softmax,
    (_log_softmax_rule,),
    jvp=(lambda t, ans, _x, axis: t - _along(exp(ans) * t, axis),),
)
