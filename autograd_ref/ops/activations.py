"""Activations made of primitives; relu, sigmoid, silu, tanh and softplus are primitives themselves."""

from __future__ import annotations

from typing import Any

from autograd_ref.rules import elementwise


def clip(x: Any, low: float | None = None, high: float | None = None) -> Any:
    """`x` limited to `[low, high]`; the slope is 1 at the limits."""
    return elementwise.clip(x, low=low, high=high)


def clamp(x: Any, min: float | None = None, max: float | None = None) -> Any:
    """`clip` by PyTorch's names: `x` limited to `[min, max]`; the slope is 1 at the limits.

    >>> from autograd_ref import Tensor
    >>> clamp(Tensor([-2.0, 0.5, 2.0]), min=-1, max=1)
    Tensor([-1. ,  0.5,  1. ])
    """
    return clip(x, min, max)


def leaky_relu(x: Any, negative_slope: float = 0.01) -> Any:
    """`x` where positive, `negative_slope * x` elsewhere."""
    return elementwise.leaky_relu(x, slope=negative_slope)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere."""
    return elementwise.elu(x, alpha=alpha)
