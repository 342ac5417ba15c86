"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from autograd_ref.core.promotion import constant
from autograd_ref.core.tensor import Tensor
from autograd_ref.optim.optimizer import Optimizer, fraction


class SGD(Optimizer):
    """p <- p - lr v, with v <- momentum v + g (Polyak 1964); Nesterov's form uses g + momentum v in place of
    v.

    Weight decay adds `weight_decay * p` to the gradient. Nesterov: Sutskever et al. 2013, as in PyTorch.

    >>> p = Tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = SGD([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p.data
    array([0.8, 1.6])
    """

    absent: ClassVar[dict[str, Any]] = Optimizer.absent | {"dampening": 0}

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 1e-3,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        fraction(momentum=momentum)
        if nesterov and momentum == 0:
            raise ValueError("Nesterov's form needs a momentum above 0, for example 0.9.")
        self.momentum, self.nesterov = momentum, nesterov
        self.state_names = self._names({"momentum": momentum})
        super().__init__(parameters, lr, weight_decay)

    def _names(self, options: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum_buffer",) if options["momentum"] else ()

    def update(self, p: np.ndarray, g: np.ndarray, state: list[np.ndarray], s: np.ndarray, t: int) -> None:
        if self.weight_decay:
            g = np.add(g, self.weight_decay * p)
        if self.momentum:
            (v,) = state
            v *= self.momentum
            v += g
            if self.nesterov:
                np.multiply(v, self.momentum, out=s)
                s += g
                s *= self.lr
                p -= s
                return
            g = v
        np.multiply(g, constant(self._lr, g.dtype), s)
        p -= s
