"""Gradient clipping, between `backward` and `step`."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from autograd_ref.core.tensor import Tensor
from autograd_ref.optim.optimizer import non_negative


def clip_grad_norm_(parameters: Iterable[Tensor], max_norm: float) -> float:
    """Scale all gradients together, in place, so that their joint norm is at most `max_norm`; return the old
    norm.

    Pascanu, Mikolov and Bengio 2013.

    >>> p = Tensor([0.0, 0.0], requires_grad=True)
    >>> (p * np.array([3.0, 4.0])).sum().backward()
    >>> clip_grad_norm_([p], 1.0)
    5.0
    >>> p.grad.data.round(4)
    array([0.6, 0.8])
    """
    non_negative(max_norm=max_norm)
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(float(np.vdot(g.data, g.data)) for g in gradients))
    scale = max_norm / (norm + 1e-6)
    if not scale >= 1:  # a NaN in one gradient reaches all, as in PyTorch
        for g in gradients:
            np.multiply(g.data, scale, out=g.data)
            g.mark_changed()
    return norm


def clip_grad_value_(parameters: Iterable[Tensor], clip_value: float) -> None:
    """Limit every entry of every gradient to [-clip_value, clip_value], in place."""
    non_negative(clip_value=clip_value)
    for p in parameters:
        if p.grad is not None:
            np.clip(p.grad.data, -clip_value, clip_value, out=p.grad.data)
            p.grad.mark_changed()
