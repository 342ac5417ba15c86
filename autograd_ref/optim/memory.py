"""What an optimizer keeps for its parameters, and how it goes through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_ref.core import fast
from autograd_ref.core.errors import parameter_error
from autograd_ref.core.saved import changed
from autograd_ref.core.tensor import Tensor


class Memory:
    """Arrays of state for each parameter, zeros at first: `states[i]` are those of parameter i."""

    def __init__(self, parameters: list[Tensor], state_names: tuple[str, ...]) -> None:
        self.parameters = parameters
        self.like = [np.broadcast_to(p.dtype.type(0), p.shape) for p in parameters]
        self.states = [[np.zeros(p.shape, p.dtype) for _ in state_names] for p in parameters]

    def step(self, update: Callable[..., None], steps: list[int], where: str) -> None:
        """Update every parameter that has a gradient, and count its step."""
        ready = [(i, p) for i, p in enumerate(self.parameters) if p.grad is not None]
        for i, p in ready:
            like = self.like[i]
            if p.shape != like.shape or p.dtype != like.dtype:
                raise parameter_error(i, p, like)
        for i, p in ready:
            assert p.grad is not None
            steps[i] += 1
            values, state = p._data.flatten(), [array.reshape(-1) for array in self.states[i]]
            update(values, p.grad._data.reshape(-1), state, np.empty_like(values), steps[i])
            if p._data.flags.writeable:
                p._data[...] = values.reshape(p.shape)
            else:
                p._data = values.reshape(p.shape)
            changed(p._stamp, where)

    def forget_gradients(self) -> None:
        """Take the gradients away."""
        for p in self.parameters:
            p.grad = None


memory: Any = fast.FlatMemory if fast else Memory
"""The memory of all parameters side by side, where the engine is not to be plain."""
