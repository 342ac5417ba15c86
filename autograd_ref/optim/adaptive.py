"""Optimizers that scale every coordinate by the size of its past gradients.

Updates are in place and written as sequences of NumPy calls with `out=`, because this loop runs over every
number of a network in every step; the formulas stand in the docstrings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from autograd_ref.core.promotion import constant
from autograd_ref.core.tensor import Tensor
from autograd_ref.optim.optimizer import Optimizer, fraction, non_negative


class Adagrad(Optimizer):
    """h <- h + g^2;  p <- p - lr g / (sqrt(h) + eps).  Duchi, Hazan and Singer 2011."""

    state_names = ("sum",)
    absent: ClassVar[dict[str, Any]] = Optimizer.absent | {"lr_decay": 0, "initial_accumulator_value": 0}

    def __init__(
        self, parameters: Iterable[Tensor], lr: float = 1e-2, weight_decay: float = 0.0, eps: float = 1e-10
    ) -> None:
        non_negative(eps=eps)
        self.eps = eps
        super().__init__(parameters, lr, weight_decay)

    def update(self, p: np.ndarray, g: np.ndarray, state: list[np.ndarray], s: np.ndarray, t: int) -> None:
        if self.weight_decay:
            g = np.add(g, self.weight_decay * p)
        (h,) = state
        np.multiply(g, g, out=s)
        h += s
        np.sqrt(h, out=s)
        s += self.eps
        np.divide(g, s, out=s)
        s *= self.lr
        p -= s


class RMSprop(Optimizer):
    """v <- alpha v + (1 - alpha) g^2;  u = g / (sqrt(v) + eps);  p <- p - lr u.  Tieleman and Hinton 2012.

    With momentum, b <- momentum b + u and p <- p - lr b.
    """

    absent: ClassVar[dict[str, Any]] = Optimizer.absent | {"centered": False}

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
    ) -> None:
        fraction(alpha=alpha, momentum=momentum)
        non_negative(eps=eps)
        self.alpha, self.eps, self.momentum = alpha, eps, momentum
        self.state_names = self._names({"momentum": momentum})
        super().__init__(parameters, lr, weight_decay)

    def _names(self, options: dict[str, Any]) -> tuple[str, ...]:
        return ("square_avg", "momentum_buffer") if options["momentum"] else ("square_avg",)

    def update(self, p: np.ndarray, g: np.ndarray, state: list[np.ndarray], s: np.ndarray, t: int) -> None:
        if self.weight_decay:
            g = np.add(g, self.weight_decay * p)
        v = state[0]
        v *= self.alpha
        np.multiply(g, g, out=s)
        s *= 1 - self.alpha
        v += s
        np.sqrt(v, out=s)
        s += self.eps
        np.divide(g, s, out=s)
        if self.momentum:
            b = state[1]
            b *= self.momentum
            b += s
            np.multiply(b, self.lr, out=s)
        else:
            s *= self.lr
        p -= s


class Adam(Optimizer):
    """Running means of g and g^2, corrected for their start at zero.  Kingma and Ba 2015, algorithm 1.

    m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2;
    p <- p - lr m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps). Weight decay adds `weight_decay * p` to g.

    The state is M = m / (1 - b1) and V = v / (1 - b2), because M <- b1 M + g and V <- b2 V + g^2 need three
    passes less over the numbers, 10 in place of 13; the constant factors join the rate and eps.

    >>> p = Tensor([1.0, -3.0], requires_grad=True)
    >>> optimizer = Adam([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p.data.round(6)  # The first step has length lr in every coordinate.
    array([ 0.9, -2.9])
    """

    state_names = ("exp_avg", "exp_avg_sq")
    absent: ClassVar[dict[str, Any]] = Optimizer.absent | {"amsgrad": False, "decoupled_weight_decay": False}

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        fraction(beta1=betas[0], beta2=betas[1])
        non_negative(eps=eps)
        self.betas, self.eps = betas, eps
        super().__init__(parameters, lr, weight_decay)

    def update(self, p: np.ndarray, g: np.ndarray, state: list[np.ndarray], s: np.ndarray, t: int) -> None:
        if self.weight_decay:
            g = self.decayed(p, g)
        m, v = state
        b1, b2 = self.betas
        root = math.sqrt((1 - b2) / (1 - b2**t))  # sqrt(v / (1 - b2^t)) = root sqrt(V)
        m *= constant(b1, m.dtype)
        m += g
        v *= constant(b2, v.dtype)
        np.multiply(g, g, out=s)
        v += s
        np.sqrt(v, out=s)
        s += self.eps / root
        np.divide(m, s, out=s)
        s *= self.lr * (1 - b1) / (1 - b1**t) / root
        p -= s

    def _saved(self, arrays: list[np.ndarray]) -> dict[str, np.ndarray]:
        """m and v, and M and V: these cannot be had from those to the last digit."""
        scaled = {f"scaled_{n}": a.copy() for n, a in zip(self.state_names, arrays, strict=True)}
        return {
            n: np.asarray(a * (1 - b)) for n, a, b in zip(self.state_names, arrays, self.betas, strict=True)
        } | scaled

    def _loaded(self, entry: dict[str, np.ndarray], options: dict[str, Any]) -> list[np.ndarray]:
        """M and V, where they still belong to m and v: PyTorch keeps what it does not know, and does not update it."""
        loaded = []
        for name, beta in zip(self.state_names, options["betas"], strict=True):
            plain = entry[name]
            scaled = entry.get(f"scaled_{name}", plain)
            loaded.append(np.where(scaled * (1 - beta) == plain, scaled, plain / (1 - beta)))
        return loaded

    def _set_option(self, name: str, value: Any) -> None:
        """M and V are of the betas that they were computed with: m and v stay what they are."""
        if name == "betas":
            fraction(beta1=value[0], beta2=value[1])
            for arrays in self._memory.states:
                for array, old, new in zip(arrays, self.betas, value, strict=True):
                    array *= (1 - old) / (1 - new)
        super()._set_option(name, value)

    def decayed(self, p: np.ndarray, g: np.ndarray) -> np.ndarray:
        """The gradient to use, with weight decay."""
        return np.add(g, self.weight_decay * p)


class AdamW(Adam):
    """Adam's step beside p <- p - lr weight_decay p (decoupled weight decay). Loshchilov and Hutter 2019."""

    absent: ClassVar[dict[str, Any]] = Adam.absent | {"decoupled_weight_decay": True}

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, lr, betas, eps, weight_decay)

    def decayed(self, p: np.ndarray, g: np.ndarray) -> np.ndarray:
        p *= 1 - self.lr * self.weight_decay
        return g
