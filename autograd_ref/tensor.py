"""The tensor, by the name under which units of the course allow it; it lives in `core`."""

from __future__ import annotations

from autograd_ref.core.tensor import Tensor
from autograd_ref.modes import no_grad

__all__ = ["Tensor", "no_grad"]
