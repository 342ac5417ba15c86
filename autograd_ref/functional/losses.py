"""Losses by distance. `reduction` is "mean", "sum" or "none" (a loss per element), as in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.promotion import constant
from autograd_ref.functional.fused import Fused
from autograd_ref.functional.reduction import may_broadcast, mean_of, reduce
from autograd_ref.rules.blocks import with_number


def _mse_definition(x: Any, target: Any) -> Any:
    away = x - target
    return ops.mean(away * away)


def _mse_forward(x: Any, target: Any) -> tuple[Any, Any]:
    away = x - target
    flat = away.ravel()
    return mean_of(flat.dot(flat), flat.size), away


def _mse_backward(g: Any, to: Any, away: Any, _x: Any, _target: Any) -> Any:
    grad = away * constant(2 * float(g) / max(away.size, 1), away.dtype)
    return None if to[0] is None else grad, None if to[1] is None else -grad


_mean_squared = Fused(
    "mse_loss",
    _mse_definition,
    _mse_forward,
    _mse_backward,
    reads={"x": "x target", "target": "x target"},
)


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The squared difference.

    >>> mse_loss(np.array([1.0, 2.0]), np.array([1.0, 4.0])).item()
    2.0
    """
    if reduction == "mean" and input.shape == target.shape:
        return _mean_squared(input, target)
    may_broadcast("mse_loss", input, target)
    away = input - target
    return reduce(away * away, reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The absolute difference; its slope where the two are equal is 0."""
    may_broadcast("l1_loss", input, target)
    return reduce(ops.abs(input - target), reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared difference below `delta`, linear from there on (Huber 1964): robust against outliers."""
    if reduction == "mean" and input.shape == target.shape:
        return _mean_huber(input, target, delta=float(delta))
    may_broadcast("huber_loss", input, target)
    return reduce(_huber(input, target, delta), reduction)


def _huber(input: Any, target: Any, delta: float) -> Any:
    away = input - target
    size = ops.abs(away)
    return ops.where(size < delta, 0.5 * away * away, delta * (size - 0.5 * delta))


def _huber_definition(x: Any, target: Any, delta: float) -> Any:
    return ops.mean(_huber(x, target, delta))


def _huber_forward(x: Any, target: Any, delta: float) -> tuple[Any, Any]:
    """Half the squared difference is d a - d^2 / 2, where a is its size and d that up to delta; delta itself beyond."""
    away = x - target
    slope = with_number(np.maximum, away, -delta)
    slope = with_number(np.minimum, slope, delta, slope)
    flat = slope.reshape(-1)
    return mean_of(flat.dot(away.reshape(-1)) - flat.dot(flat) * 0.5, flat.size), slope


def _huber_backward(g: Any, to: Any, slope: Any, _x: Any, _target: Any, delta: float) -> Any:
    grad = slope * constant(float(g) / max(slope.size, 1), slope.dtype)
    return None if to[0] is None else grad, None if to[1] is None else -grad


_mean_huber = Fused(
    "huber_loss",
    _huber_definition,
    _huber_forward,
    _huber_backward,
    reads={"x": "x target", "target": "x target"},
)


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """`huber_loss` with `delta=beta`, divided by beta: the absolute difference, with a parabola below `beta`.

    With 0 it is `l1_loss`. Girshick 2015, Fast R-CNN, arXiv:1504.08083. Raises ValueError for a negative beta.

    >>> smooth_l1_loss(np.array([0.0, 3.0]), np.array([1.0, 0.0]), "none")
    array([0.5, 2.5])
    """
    if not beta >= 0:
        raise ValueError(f"'smooth_l1_loss' needs a beta that is not negative, and it is {beta}.")
    if beta == 0:
        return l1_loss(input, target, reduction)
    loss = huber_loss(input, target, reduction, beta)
    return loss if beta == 1 else loss / beta


def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """`target * (log(target) - input)`: how far the distribution `target` is from that whose logarithm is `input`.

    With `log_target` the target is a logarithm, too. The divergence itself is the sum over a distribution: `reduction`
    "batchmean" divides that of all by the number of rows, while "mean" divides by the number of elements, as in
    PyTorch. 0 log 0 is 0, and the loss of a negative target NaN. Kullback and Leibler 1951.

    >>> p, q = np.array([[0.5, 0.5]]), np.array([[0.25, 0.75]])
    >>> kl_div(np.log(q), p, "batchmean").round(4)
    np.float64(0.1438)
    """
    may_broadcast("kl_div", input, target)
    if log_target:
        loss = ops.exp(target) * (target - input)
    else:
        loss = target * (ops.log(ops.where(target == 0, 1.0, target)) - input)
    if reduction == "batchmean":
        return ops.sum(loss) / (input.shape[0] if input.ndim else 1)
    return reduce(loss, reduction)
