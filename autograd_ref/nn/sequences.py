"""Recurrent layers: cells over whole sequences, in several layers, in one direction or both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.functional import dropout, linear, relu, sigmoid, tanh
from autograd_ref.nn.init import generator, uniform_
from autograd_ref.nn.module import Module, Parameter


class _Recurrent(Module):
    """What the layers share. One step of a layer is `step(from_x, state)`, which returns the next state, a tuple.

    The products with the inputs of all times are one product, before the loop over time.
    """

    gates: int
    states = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
    ) -> None:
        if num_layers < 1 or hidden_size < 1:
            raise ValueError(f"num_layers ({num_layers}) and hidden_size ({hidden_size}) must be at least 1.")
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout is a probability from 0 to 1, not {dropout}.")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional = bidirectional
        self._ends = ["", "_reverse"] if bidirectional else [""]
        rows, bound = self.gates * hidden_size, 1 / math.sqrt(hidden_size)
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * len(self._ends)
            for end in self._ends:
                shapes = {"weight_ih": (rows, width), "weight_hh": (rows, hidden_size)}
                for name, shape in (
                    shapes | ({"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {})
                ).items():
                    setattr(
                        self, f"{name}_l{layer}{end}", uniform_(Parameter(np.empty(shape)), -bound, bound)
                    )

    def step(self, from_x: Any, state: tuple[Any, ...], weight: Any, bias: Any) -> tuple[Any, ...]:
        """The state after one time, (N, hidden_size) each, from what the input gives and the state before."""
        raise NotImplementedError

    def run(self, x: Any, start: list[Any]) -> tuple[Any, list[Any]]:
        """From (T, N, input_size) and states (layers * directions, N, hidden_size): the outputs, the last states."""
        last: list[tuple[Any, ...]] = []
        for layer in range(self.num_layers):
            sides = []
            for end in self._ends:
                names = [f"{name}_l{layer}{end}" for name in ("weight_ih", "bias_ih", "weight_hh", "bias_hh")]
                w_x, b_x, w_h, b_h = (getattr(self, name, None) for name in names)
                from_x = linear(x, w_x, b_x)
                state = tuple([s[len(last)] for s in start])
                outputs = []
                for t in range(len(x)) if not end else range(len(x) - 1, -1, -1):
                    state = self.step(from_x[t], state, w_h, b_h)
                    outputs.append(state[0])
                last.append(state)
                sides.append(ops.stack(outputs[::-1] if end else outputs))
            x = sides[0] if len(sides) == 1 else ops.concatenate(sides, -1)
            if layer < self.num_layers - 1:
                x = dropout(x, self.dropout, self.training, generator())
        return x, [ops.stack([state[i] for state in last]) for i in range(self.states)]

    def forward(self, x: Any, start: Any = None) -> tuple[Any, Any]:
        """`(outputs, last state)`; see the class."""
        if x.ndim not in (2, 3) or x.shape[-1] != self.input_size:
            raise ValueError(
                f"{type(self).__name__} needs {self.input_size} numbers for each time, "
                f"{'(N, T, ...)' if self.batch_first else '(T, N, ...)'} or (T, ...), not shape {x.shape}."
            )
        alone = x.ndim == 2
        x = ops.unsqueeze(x, 1) if alone else ops.swapaxes(x, 0, 1) if self.batch_first else x
        if not len(x):
            raise ValueError(f"{type(self).__name__} needs a sequence of at least one time.")
        shape = (self.num_layers * len(self._ends), x.shape[1], self.hidden_size)
        given = (
            [np.zeros(shape, x.dtype)] * self.states if start is None else self._given(start, shape, alone)
        )
        out, last = self.run(x, given)
        if alone:
            out, last = ops.squeeze(out, 1), [ops.squeeze(s, 1) for s in last]
        elif self.batch_first:
            out = ops.clone(ops.swapaxes(out, 0, 1))  # no view, which nobody might change in place
        return out, (last[0] if self.states == 1 else tuple(last))

    def _given(self, start: Any, shape: tuple[int, ...], alone: bool) -> list[Any]:
        states = [start] if self.states == 1 else list(start)
        states = [ops.unsqueeze(s, 1) for s in states] if alone else states
        for s in states:
            if tuple(s.shape) != shape:
                raise ValueError(
                    f"{type(self).__name__} starts from a state of shape {shape}, not {s.shape}."
                )
        return states

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        return text + "".join(f", {n}={getattr(self, n)}" for n, v in usual.items() if getattr(self, n) != v)


class RNN(_Recurrent):
    """`RNNCell` over sequences: (T, N, input_size) to (T, N, hidden_size) and the last state.  Elman 1990.

    With `batch_first` the batch is the first axis of input and output; without a batch they are (T, ...). States are
    (num_layers * directions, N, hidden_size), zeros if none is given.
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"nonlinearity is 'tanh' or 'relu', not {nonlinearity!r}.")
        self.nonlinearity = nonlinearity
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional)

    def step(self, from_x: Any, state: tuple[Any, ...], weight: Any, bias: Any) -> tuple[Any, ...]:
        total = from_x + linear(state[0], weight, bias)
        return (tanh(total) if self.nonlinearity == "tanh" else relu(total),)


class GRU(_Recurrent):
    """`GRUCell` over sequences: (T, N, input_size) to (T, N, hidden_size) and the last state.  Cho et al. 2014.

    r, z = sigmoid(...), n = tanh(W_in x + b_in + r (W_hn h + b_hn)), h' = (1 - z) n + z h; the three parts of every
    weight are in the order r, z, n. Axes and states are those of `RNN`.

    >>> from autograd_ref import Tensor
    >>> out, h = GRU(3, 4, num_layers=2, batch_first=True)(Tensor(np.zeros((5, 7, 3))))
    >>> out.shape, h.shape
    ((5, 7, 4), (2, 5, 4))
    """

    gates = 3

    def step(self, from_x: Any, state: tuple[Any, ...], weight: Any, bias: Any) -> tuple[Any, ...]:
        (h,), n = state, self.hidden_size
        from_h = linear(h, weight, bias)
        both = sigmoid(from_x[:, : 2 * n] + from_h[:, : 2 * n])
        new = tanh(from_x[:, 2 * n :] + both[:, :n] * from_h[:, 2 * n :])
        return (new + both[:, n:] * (h - new),)


class LSTM(_Recurrent):
    """Long short-term memory: (T, N, input_size) to (T, N, hidden_size) and the last `(h, c)`.

    i, f, o = sigmoid(...), g = tanh(...), c' = f c + i g, h' = o tanh(c'); the four parts of every weight are in the
    order i, f, g, o. Axes are those of `RNN`, and `(h, c)` the state. Hochreiter and Schmidhuber 1997; the gate f is
    that of Gers, Schmidhuber and Cummins 2000.

    >>> from autograd_ref import Tensor
    >>> out, (h, c) = LSTM(3, 4)(Tensor(np.zeros((7, 5, 3))))
    >>> out.shape, h.shape, c.shape
    ((7, 5, 4), (1, 5, 4), (1, 5, 4))
    """

    gates, states = 4, 2

    def step(self, from_x: Any, state: tuple[Any, ...], weight: Any, bias: Any) -> tuple[Any, ...]:
        return lstm_step(from_x + linear(state[0], weight, bias), state[1])


class LSTMCell(Module):
    """One step of an `LSTM`: x (N, input_size) and the state `(h, c)`, (N, hidden_size) each, to the next `(h, c)`."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        self.input_size, self.hidden_size = input_size, hidden_size
        bound = 1 / math.sqrt(hidden_size)
        self.weight_ih = Parameter(np.empty((4 * hidden_size, input_size)))
        self.weight_hh = Parameter(np.empty((4 * hidden_size, hidden_size)))
        self.bias_ih = Parameter(np.empty(4 * hidden_size)) if bias else None
        self.bias_hh = Parameter(np.empty(4 * hidden_size)) if bias else None
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def forward(self, x: Any, state: Any = None) -> tuple[Any, Any]:
        zeros = np.zeros((x.shape[0], self.hidden_size), x.dtype)
        h, c = (zeros, zeros) if state is None else state
        return lstm_step(linear(x, self.weight_ih, self.bias_ih) + linear(h, self.weight_hh, self.bias_hh), c)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


def lstm_step(total: Any, c: Any) -> tuple[Any, Any]:
    """The next `(h, c)` from the gates before their activations, (N, 4 hidden_size), and the memory before."""
    n = c.shape[-1]
    both = sigmoid(total[:, : 2 * n])
    c = both[:, n:] * c + both[:, :n] * tanh(total[:, 2 * n : 3 * n])
    return sigmoid(total[:, 3 * n :]) * tanh(c), c
