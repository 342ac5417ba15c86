"""The linear layer, and the two layers that only pass on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.functional import linear
from autograd_ref.nn.init import uniform_
from autograd_ref.nn.module import Module, Parameter


class Linear(Module):
    """`x @ weight.T + bias` on the last axis: (..., in_features) to (..., out_features).

    Both start uniform on +-1 / sqrt(in_features), as PyTorch's do. `weight` has shape (out_features,
    in_features).
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        self.in_features, self.out_features = in_features, out_features
        bound = 1 / math.sqrt(max(in_features, 1))
        self.weight = Parameter(np.empty((out_features, in_features)))
        self.bias = Parameter(np.empty(out_features)) if bias else None
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def forward(self, x: Any) -> Any:
        return linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{self.in_features}, {self.out_features}" + ("" if self.bias is not None else ", bias=False")


class Flatten(Module):
    """(N, ...) to (N, numbers per item)."""

    def forward(self, x: Any) -> Any:
        return ops.flatten(x, 1)


class Identity(Module):
    """Returns what it gets."""

    def forward(self, x: Any) -> Any:
        return x
