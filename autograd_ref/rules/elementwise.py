"""Rules of the elementwise primitives.

Where arguments broadcast, the engine sums the gradient back by itself.
At ties and borders the rules follow PyTorch: abs and relu have slope 0 at 0, clip has slope 1 at its limits,
maximum and minimum share the gradient half and half between equal arguments, sqrt has slope infinity at 0,
and the slope of `x ** 0` is 0 everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_ref.core.broadcasting import unbroadcast
from autograd_ref.core.node import Record
from autograd_ref.core.primitive import Binary, Primitive, Unary
from autograd_ref.core.promotion import constant
from autograd_ref.core.tensor import Tensor, wrap
from autograd_ref.rules.blocks import BLOCK, with_number


def zeros_like(g: Any) -> Any:
    """Zeros of the shape and dtype of `g`, as an array or a tensor like `g`."""
    return wrap(np.zeros_like(g._data)) if isinstance(g, Tensor) else np.zeros_like(g)


_FEW = 512  # So many numbers are done by the obvious way before another would have begun.

# -- arithmetic ----------------------------------------------------------------------------------------------


class _Add(Binary):
    """The gradient is that of both arguments, summed where one was repeated."""

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        to_x, to_y = record[0]
        shape = g.shape
        return (
            g if to_x is None or to_x.shape == shape else unbroadcast(g, to_x.shape),
            g if to_y is None or to_y.shape == shape else unbroadcast(g, to_y.shape),
        )


add = _Add("add", np.add, lambda g, _ans, _x, _y: g, lambda g, _ans, _x, _y: g)


class _Sub(Binary):
    """Where an argument was repeated, the sum is negated and not each number."""

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        to_x, to_y = record[0]
        shape = g.shape
        return (
            g if to_x is None or to_x.shape == shape else unbroadcast(g, to_x.shape),
            None if to_y is None else -(g if to_y.shape == shape else unbroadcast(g, to_y.shape)),
        )


sub = _Sub("sub", np.subtract, lambda g, _ans, _x, _y: g, lambda g, _ans, _x, _y: -g)


class _Mul(Binary):
    """Where an argument was repeated, one einsum multiplies and sums: no array of the full shape is made."""

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        (to_x, to_y), (_, x, y), _, _ = record
        return (
            None if to_x is None else _product_to(g, y, to_x.shape),
            None if to_y is None else _product_to(g, x, to_y.shape),
        )


def _product_to(g: Any, y: Any, shape: tuple[int, ...]) -> Any:
    """`g * y` summed over the axes along which an array of this shape was repeated."""
    if g.shape == shape:
        return g * y
    if g.size < 4096 or type(g) is not np.ndarray or type(y) is not np.ndarray:
        return unbroadcast(g * y, shape)  # Below 4096 elements einsum's start costs more than it saves.
    letters = "abcdefghijklmnopqrstuvwxyz"[: g.ndim]
    shape = (1,) * (g.ndim - len(shape)) + shape
    kept_y = "".join(c for c, n in zip(letters[g.ndim - y.ndim :], y.shape, strict=True) if n != 1)
    kept_x = "".join(c for c, n in zip(letters, shape, strict=True) if n != 1)
    y = y.reshape([n for n in y.shape if n != 1])
    return np.einsum(f"{letters},{kept_y}->{kept_x}", g, y).reshape(shape)


mul = _Mul("mul", np.multiply, lambda g, _ans, _x, y: g * y, lambda g, _ans, x, _y: g * x)
div = Binary(
    "div",
    np.true_divide,
    lambda g, _ans, _x, y: g / y,
    lambda g, _ans, x, y: -g * (x / y) / y,
)


def _zero(g: Any, _ans: Any, _x: Any, _y: Any) -> Any:
    return zeros_like(g)


def _floor_divide(x: Any, y: Any) -> Any:
    if type(x) is not np.ndarray or x.size <= _FEW or x.dtype.kind != "f":
        return np.floor_divide(x, y)
    return _quotient(x, y, np.remainder(x, y))  # takes NumPy less than half as long as `floor_divide`


def _quotient(x: Any, y: Any, rest: Any) -> Any:
    """`floor_divide(x, y)` by what it leaves, `remainder(x, y)`: a multiple of y is divided by y."""
    if type(x) is not np.ndarray or x.size <= _FEW:
        return floor_divide(x, y)
    out = np.asarray(x - rest)
    with np.errstate(all="ignore"):
        out /= y
    np.rint(out, out=out)
    out += 0.0  # no zero with a sign
    largest = 1 / np.finfo(out.dtype).eps  # beyond, not every integer is a number of this dtype
    return out if out.max() < largest and out.min() > -largest else np.floor_divide(x, y)


floor_divide = Binary("floor_divide", _floor_divide, _zero, _zero)
remainder = Binary(
    "remainder",
    np.remainder,
    lambda g, _ans, _x, _y: g,
    lambda g, ans, x, y: -g * _quotient(x, y, ans),
)
neg = Unary("neg", np.negative, lambda g, _ans, _x: -g)


def _pow_x(g: Any, _ans: Any, x: Any, y: Any) -> Any:
    if isinstance(y, int | float):
        return zeros_like(g) if y == 0 else g * (y * x if y == 2 else y * x ** (y - 1))
    return where(y == 0, 0.0, g * (y * x ** (y - 1)))


def _pow_y(g: Any, ans: Any, x: Any, y: Any) -> Any:
    # The slope of 0 ** y is 0 for y >= 0; without this it would be 0 * log(0).
    logarithm = float(log(x)) if isinstance(x, int | float) else log(x)
    return where((x == 0) & (y >= 0), 0.0, g * (ans * logarithm))


def _pow(x: Any, y: Any) -> Any:
    # NumPy has a short way for squares alone: the cubes of 65,536 numbers took 1.4 ms.
    return x * x * x if type(y) is int and y == 3 else x**y


pow = Binary("pow", _pow, _pow_x, _pow_y)

# -- exponentials, roots, trigonometry -----------------------------------------------------------------------


def _exp_rule(g: Any, ans: Any, _x: Any) -> Any:
    if type(g) is np.ndarray and g.size > 4096 and not any(g.strides) and g.item(0) == 1:
        return ans  # The gradient of a plain sum is ones: a pass over all numbers saved.
    return g * ans


exp = Unary("exp", np.exp, _exp_rule)
expm1 = Unary("expm1", np.expm1, lambda g, ans, _x: g * (ans + 1))
log = Unary("log", np.log, lambda g, _ans, x: g / x)
log1p = Unary("log1p", np.log1p, lambda g, _ans, x: g / (x + 1))
sqrt = Unary("sqrt", np.sqrt, lambda g, ans, _x: g / (2 * ans))
sin: Unary = Unary("sin", np.sin, lambda g, _ans, x: g * cos(x))
cos: Unary = Unary("cos", np.cos, lambda g, _ans, x: -g * sin(x))
tan = Unary("tan", np.tan, lambda g, ans, _x: g * (1 + ans * ans))
tanh = Unary("tanh", np.tanh, lambda g, ans, _x: g * (constant(1.0, ans.dtype) - ans * ans))


_SAFE = {"d": -700, "f": -80}  # exp(-x) is a number from there on


def _sigmoid(x: Any) -> Any:
    if type(x) is np.ndarray and x.size > _FEW and x.min() > _SAFE.get(x.dtype.char, math.inf):
        e = np.negative(x)
        np.exp(e, out=e)
        e += 1
        return np.divide(1, e, out=e)
    e = np.exp(-np.abs(x))  # Never overflows, and keeps every digit of small results.
    return np.maximum(e, x >= 0) / (1 + e)  # 1 or e; to choose each number takes five times as long


sigmoid = Unary("sigmoid", _sigmoid, lambda g, ans, _x: g * (ans * (1 - ans)))


def _silu_rule(g: Any, _ans: Any, x: Any) -> Any:
    s = sigmoid(x)
    return g * (
        s * (1 + x * (1 - s))
    )  # One factor: by the product rule an infinite g would meet a 0 at x = 0.


silu = Unary("silu", lambda x: x * _sigmoid(x), _silu_rule)

# -- pieces: the rule depends on where x is ------------------------------------------------------------------

sign = Unary("sign", np.sign, lambda g, _ans, _x: zeros_like(g))
abs = Unary("abs", np.abs, lambda g, _ans, x: g * sign(x))


def _relu_rule(g: Any, ans: Any, _x: Any) -> Any:
    # `g * (ans > 0)` in two passes over one new array.
    if type(g) is np.ndarray and g.size > _LARGE and g.strides == ans.strides:
        return _relu_in_blocks(g, ans)
    step = (ans > constant(0.0, ans.dtype)).astype(ans.dtype)
    return np.multiply(step, g, step) if type(step) is np.ndarray else step * g


_LARGE = 1 << 17


def _relu_in_blocks(g: np.ndarray, ans: np.ndarray) -> np.ndarray:
    """The same, a block that stays in the cache at a time."""
    step = np.empty_like(ans)
    to, from_g, from_ans = (a.ravel("K") for a in (step, g, ans))
    if not np.may_share_memory(to, step):  # gaps between the numbers: ravel has copied
        return np.multiply(np.greater(ans, 0, out=step), g, out=step)
    for i in range(0, to.size, BLOCK):
        block = to[i : i + BLOCK]
        np.greater(from_ans[i : i + BLOCK], 0, out=block)
        block *= from_g[i : i + BLOCK]
    return step


def _relu(x: Any, out: Any = None) -> Any:
    if type(x) is not np.ndarray or x.dtype.kind != "f":
        return np.maximum(x, 0)
    return with_number(np.maximum, x, 0.0, out)


relu = Unary("relu", _relu, _relu_rule)
maximum = Binary(
    "maximum",
    np.maximum,
    lambda g, _ans, x, y: where(x == y, g / 2, where(x > y, g, 0.0)),
    lambda g, _ans, x, y: where(x == y, g / 2, where(x < y, g, 0.0)),
)
minimum = Binary(
    "minimum",
    np.minimum,
    lambda g, _ans, x, y: where(x == y, g / 2, where(x < y, g, 0.0)),
    lambda g, _ans, x, y: where(x == y, g / 2, where(x > y, g, 0.0)),
)


def _clip_rule(g: Any, _ans: Any, x: Any, low: Any, high: Any) -> Any:
    inside = True if low is None else x >= low
    return where(inside if high is None else inside & (x <= high), g, 0.0)


clip = Primitive("clip", lambda x, low=None, high=None: np.clip(x, low, high), (_clip_rule,))
select = Primitive(
    "where",
    lambda x, y, condition: np.where(condition, x, y),
    (
        lambda g, _ans, _x, _y, condition: where(condition, g, 0.0),
        lambda g, _ans, _x, _y, condition: where(condition, 0.0, g),
    ),
    constants=("condition",),
)


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds and `y` elsewhere; the condition has no gradient.

    >>> where(np.array([True, False]), Tensor([1.0, 2.0]), 0.0)
    Tensor([1., 0.])
    """
    if type(condition) is np.ndarray and not isinstance(x, Tensor) and not isinstance(y, Tensor):
        return np.where(condition, x, y)
    return select(x, y, condition=condition)


def _log_of_both(x: Any) -> np.ndarray:
    """log(1 + exp(-|x|))"""
    e = np.asarray(np.exp(-np.abs(x)))
    return np.log1p(e, out=e)


def _softplus(x: Any) -> Any:
    x = np.asarray(x)
    out = _log_of_both(x)
    out += with_number(np.maximum, x, 0.0)
    large = x > 20  # as PyTorch has it
    if large.any():
        np.copyto(out, x, where=large)
    return out


softplus = Unary("softplus", _softplus, lambda g, _ans, x: where(x > 20, g, g * sigmoid(x)))


def _leaky_relu(x: Any, slope: float) -> Any:
    # A choice for each number takes long where they come in no order: two passes of arithmetic are faster.
    return np.maximum(x, x * slope) if 0 <= slope <= 1 else np.where(np.asarray(x) > 0, x, x * slope)


def _leaky_relu_rule(g: Any, _ans: Any, x: Any, slope: float) -> Any:
    if type(x) is np.ndarray:
        factor = (x > 0).astype(x.dtype)
        factor *= 1 - slope
        factor += slope
        return g * factor
    return where(x > 0, g, g * slope)


leaky_relu = Primitive("leaky_relu", _leaky_relu, (_leaky_relu_rule,))


def _elu(x: Any, alpha: float) -> Any:
    x = np.asarray(x)
    out = np.expm1(with_number(np.minimum, x, 0.0))
    if alpha != 1:
        out = alpha * out
    return out + with_number(np.maximum, x, 0.0)


def _elu_rule(g: Any, ans: Any, x: Any, alpha: float) -> Any:
    if type(x) is np.ndarray and alpha == 1:  # below 0 the exponential is the result and 1
        slope = with_number(np.minimum, ans, 0.0)
        slope += constant(1.0, x.dtype)
        return np.multiply(g, slope, out=slope) if type(g) is np.ndarray else g * slope
    return where(x > 0, g, g * (alpha * exp(where(x < 0, x, 0.0))))  # Its own slope is 0 at 0, as in PyTorch.


elu = Primitive("elu", _elu, (_elu_rule,))


def _logsigmoid(x: Any) -> Any:
    x = np.asarray(x)
    return with_number(np.minimum, x, 0.0) - _log_of_both(x)


logsigmoid = Unary("logsigmoid", _logsigmoid, lambda g, _ans, x: g * sigmoid(-x))


def _cast(x: Any, dtype: Any) -> np.ndarray:
    return np.asarray(x).astype(dtype)


def _cast_rule(g: Any, _ans: Any, _x: Any, dtype: Any, before: Any = None) -> Any:
    return g.astype(before)


cast = Primitive("cast", lambda x, dtype, before=None: _cast(x, dtype), (_cast_rule,), jvp="linear")
