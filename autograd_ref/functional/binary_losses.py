"""Losses of two classes: binary cross-entropy, from probabilities and from logits."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.broadcasting import ones
from autograd_ref.core.primitive import Binary
from autograd_ref.core.promotion import constant
from autograd_ref.functional.fused import Fused
from autograd_ref.functional.reduction import mean_of, plain, reduce, same_shape
from autograd_ref.rules.blocks import with_number


def binary_cross_entropy(input: Any, target: Any, reduction: str = "mean", weight: Any = None) -> Any:
    """`-(t log p + (1 - t) log(1 - p))` for probabilities `p`; each log is at least -100, as in PyTorch.

    `weight` multiplies the loss of each element; it broadcasts.
    """
    same_shape("binary_cross_entropy", input, target)
    p = plain(input)
    if p.size and not (p.min() >= 0 and p.max() <= 1):
        raise ValueError(
            f"'binary_cross_entropy' needs probabilities from 0 to 1, its input goes from {p.min():.4g} to "
            f"{p.max():.4g}: for logits use binary_cross_entropy_with_logits."
        )
    t = np.asarray(plain(target))
    if t.size and not (t.min() >= 0 and t.max() <= 1):
        raise ValueError(
            f"'binary_cross_entropy' needs targets from 0 to 1, they go from {t.min():.4g} to {t.max():.4g}: "
            "give each the probability of the first class."
        )
    if weight is None and reduction == "mean":
        return _mean_binary(input, target)
    losses = _binary_cross_entropy(input, target)
    return reduce(losses if weight is None else losses * weight, reduction)


def _log_from_minus_100(p: Any) -> Any:
    return ops.maximum(ops.log(p), -100.0)


def _bce_forward(p: Any, t: Any) -> Any:
    with np.errstate(divide="ignore"):
        return -(t * _log_from_minus_100(p) + (1 - t) * _log_from_minus_100(1 - p))


_TINY = float(np.float32(1e-12))  # PyTorch's constant, to the last digit

# At p = 0 and 1 the slope is (p - t) / 1e-12: large but finite, as in PyTorch.
_binary_cross_entropy = Binary(
    "binary_cross_entropy",
    _bce_forward,
    lambda g, _ans, p, t: g * (p - t) / ops.maximum(p * (1 - p), _TINY),
    lambda g, _ans, p, _t: g * (_log_from_minus_100(1 - p) - _log_from_minus_100(p)),
)


def _binary_definition(p: Any, t: Any) -> Any:
    return ops.mean(_binary_cross_entropy(p, t))


def _binary_forward(p: Any, t: Any) -> tuple[Any, Any]:
    rest = 1 - p
    with np.errstate(divide="ignore"):
        yes, no = np.maximum(np.log(p), -100), np.maximum(np.log(rest), -100)
    return mean_of(-(t * (yes - no) + no).sum(), p.size), (rest, yes, no)


def _binary_backward(g: Any, to: Any, kept: Any, p: Any, t: Any) -> Any:
    rest, yes, no = kept
    scale = constant(float(g) / max(p.size, 1), p.dtype)
    grad_p = None if to[0] is None else (p - t) / np.maximum(p * rest, constant(_TINY, p.dtype)) * scale
    return grad_p, None if to[1] is None else (no - yes) * scale


_mean_binary = Fused(
    "mean_binary_cross_entropy",
    _binary_definition,
    _binary_forward,
    _binary_backward,
    reads={"p": "p t", "t": "p t"},
)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, reduction: str = "mean", pos_weight: Any = None, weight: Any = None
) -> Any:
    """`binary_cross_entropy(sigmoid(input), target)`, computed so that large logits lose no digits.

    `pos_weight` multiplies the loss of the positive class, `weight` that of each element; both broadcast.
    """
    same_shape("binary_cross_entropy_with_logits", input, target)
    if weight is None and pos_weight is None and reduction == "mean":
        return _mean_with_logits(input, target)
    # Minus the log of sigmoid(-x) is x minus the log of sigmoid(x): one smooth function serves both classes.
    positive = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    losses = (1 - target) * input - positive * ops.logsigmoid(input)
    return reduce(losses if weight is None else losses * weight, reduction)


def _with_logits_definition(x: Any, t: Any) -> Any:
    return ops.mean((1 - t) * x - ops.logsigmoid(x))


def _with_logits_forward(x: Any, t: Any) -> tuple[Any, Any]:
    """The loss is max(x, 0) - x t + log(1 + e), with e = exp(-|x|), which never overflows."""
    e = np.asarray(np.abs(x))
    np.negative(e, out=e)
    np.exp(e, out=e)
    flat = np.log1p(e).reshape(-1)
    flat += with_number(np.maximum, x, 0.0).reshape(-1)
    total = flat.dot(ones(flat.size, x.dtype)) - x.reshape(-1).dot(t.reshape(-1))
    return mean_of(total, flat.size), e


def _with_logits_backward(g: Any, to: Any, e: Any, x: Any, t: Any) -> Any:
    scale = constant(float(g) / max(x.size, 1), x.dtype)
    grad_x = None
    if to[0] is not None:
        one = constant(1.0, x.dtype)
        grad_x = np.asarray(np.maximum(e, x >= 0))  # the sigmoid is this, 1 or e, divided by 1 + e
        grad_x /= e + one
        grad_x -= t
        grad_x *= scale
    return grad_x, None if to[1] is None else x * -scale


_mean_with_logits = Fused(
    "binary_cross_entropy_with_logits",
    _with_logits_definition,
    _with_logits_forward,
    _with_logits_backward,
    reads={"x": "x t", "t": "x"},
)
