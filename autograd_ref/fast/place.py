"""A place for the gradient of a parameter: backward then computes it where the optimizer reads it.

As long as there is no gradient the place waits in `_grad`, where only the functions of this package see it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref.core.tensor import Tensor


class Place:
    """The memory that an optimizer has for one gradient."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array


_plain_grad: Any = Tensor.grad
_plain_data: Any = Tensor.data


def _grad(self: Tensor) -> Tensor | None:
    held: Any = self._grad
    return None if type(held) is Place else _plain_grad.fget(self)


def _set_data(self: Tensor, value: Any) -> None:
    held: Any = self._grad
    if type(held) is Place:  # it may not fit the new array
        self._grad = None
    _plain_data.fset(self, value)


grad = _plain_grad.getter(_grad)
data = _plain_data.setter(_set_data)
