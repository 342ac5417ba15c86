"""Dropout."""

from __future__ import annotations

from typing import Any

from autograd_ref.functional import dropout
from autograd_ref.nn.init import generator
from autograd_ref.nn.module import Module


class Dropout(Module):
    """In training, each number becomes 0 with probability `p`, the others are divided by 1 - p.

    Srivastava et al. 2014. `nn.manual_seed` makes it reproducible.
    """

    def __init__(self, p: float = 0.5) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p is a probability from 0 to 1, not {p}.")
        self.p = p

    def forward(self, x: Any) -> Any:
        return dropout(x, self.p, self.training, generator())

    def extra_repr(self) -> str:
        return f"{self.p}"
