"""Activations as modules, for `Sequential`; each calls the function of its name."""

from __future__ import annotations

from typing import Any

from autograd_ref import functional
from autograd_ref.nn.module import Module


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, x: Any) -> Any:
        return functional.relu(x)


class LeakyReLU(Module):
    """x, or `negative_slope` x below 0."""

    def __init__(self, negative_slope: float = 0.01) -> None:
        self.negative_slope = negative_slope

    def forward(self, x: Any) -> Any:
        return functional.leaky_relu(x, self.negative_slope)

    def extra_repr(self) -> str:
        return f"{self.negative_slope}"


class ELU(Module):
    """x, or `alpha` (exp(x) - 1) below 0.  Clevert, Unterthiner and Hochreiter 2016."""

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def forward(self, x: Any) -> Any:
        return functional.elu(x, self.alpha)

    def extra_repr(self) -> str:
        return f"{self.alpha}"


class GELU(Module):
    """x times the normal distribution function of x, or its form with tanh.  Hendrycks and Gimpel 2016."""

    def __init__(self, approximate: str = "none") -> None:
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        return functional.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return "" if self.approximate == "none" else f"approximate={self.approximate!r}"


class SiLU(Module):
    """x sigmoid(x), also called swish."""

    def forward(self, x: Any) -> Any:
        return functional.silu(x)


class Softplus(Module):
    """log(1 + exp(x))."""

    def forward(self, x: Any) -> Any:
        return functional.softplus(x)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, x: Any) -> Any:
        return functional.sigmoid(x)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x: Any) -> Any:
        return functional.tanh(x)


class Softmax(Module):
    """exp(x) / sum(exp(x)) along an axis."""

    def __init__(self, axis: int = -1) -> None:
        self.axis = axis

    def forward(self, x: Any) -> Any:
        return functional.softmax(x, self.axis)

    def extra_repr(self) -> str:
        return f"axis={self.axis}"


class LogSoftmax(Softmax):
    """The logarithm of softmax along an axis."""

    def forward(self, x: Any) -> Any:
        return functional.log_softmax(x, self.axis)
