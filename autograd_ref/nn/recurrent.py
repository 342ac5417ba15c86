"""Recurrent cells: one step in time. Call them in a loop over the sequence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref.functional import linear, relu, sigmoid, tanh
from autograd_ref.nn.init import uniform_
from autograd_ref.nn.module import Module, Parameter


class _Cell(Module):
    def __init__(self, input_size: int, hidden_size: int, bias: bool, gates: int) -> None:
        self.input_size, self.hidden_size = input_size, hidden_size
        bound = 1 / math.sqrt(hidden_size)
        self.weight_ih = Parameter(np.empty((gates * hidden_size, input_size)))
        self.weight_hh = Parameter(np.empty((gates * hidden_size, hidden_size)))
        self.bias_ih = Parameter(np.empty(gates * hidden_size)) if bias else None
        self.bias_hh = Parameter(np.empty(gates * hidden_size)) if bias else None
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def start(self, x: Any) -> np.ndarray:
        """The state before the first step: zeros (N, hidden_size)."""
        return np.zeros((x.shape[0], self.hidden_size), x.dtype)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh): x (N, input_size) and h (N, hidden_size) to h'.  Elman 1990.

    `nonlinearity` is "tanh" or "relu". Without `h` the state starts at zero.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh"
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"nonlinearity is 'tanh' or 'relu', not {nonlinearity!r}.")
        self.nonlinearity = nonlinearity
        super().__init__(input_size, hidden_size, bias, gates=1)

    def forward(self, x: Any, h: Any = None) -> Any:
        h = self.start(x) if h is None else h
        total = linear(x, self.weight_ih, self.bias_ih) + linear(h, self.weight_hh, self.bias_hh)
        return tanh(total) if self.nonlinearity == "tanh" else relu(total)


class GRUCell(_Cell):
    """The gated recurrent unit: x (N, input_size) and h (N, hidden_size) to h'.  Cho et al. 2014.

    r, z = sigmoid(...), n = tanh(W_in x + b_in + r (W_hn h + b_hn)), h' = (1 - z) n + z h; the three parts
    of every weight are in the order r, z, n, as in PyTorch.
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        super().__init__(input_size, hidden_size, bias, gates=3)

    def forward(self, x: Any, h: Any = None) -> Any:
        h = self.start(x) if h is None else h
        n = self.hidden_size
        from_x = linear(x, self.weight_ih, self.bias_ih)
        from_h = linear(h, self.weight_hh, self.bias_hh)
        gates = sigmoid(from_x[:, : 2 * n] + from_h[:, : 2 * n])
        reset, update = gates[:, :n], gates[:, n:]
        new = tanh(from_x[:, 2 * n :] + reset * from_h[:, 2 * n :])
        return new + update * (h - new)
