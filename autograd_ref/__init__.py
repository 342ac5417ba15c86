"""The reference engine: automatic differentiation on NumPy. README.md in this folder walks you through it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from autograd_ref import tensor  # isort: skip  (first: the modules below import Tensor from it)
from autograd_ref import modes, ops, primitive, sweep
from autograd_ref.memory import keep_freed_memory
from autograd_ref.modes import detect_anomaly, enable_grad, is_grad_enabled, no_grad
from autograd_ref.tensor import Tensor

if TYPE_CHECKING:
    from autograd_ref import functional, transforms

__all__ = [
    "Tensor",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "is_grad_enabled",
    "modes",
    "no_grad",
    "ops",
    "primitive",
    "sweep",
    "tensor",
    "transforms",
]

keep_freed_memory()

_LAZY = {"data", "dual", "functional", "gradcheck", "graph", "nn", "optim", "plots", "scalar", "transforms"}
_TRANSFORMS = {"grad", "value_and_grad", "vjp", "jvp", "jacobian", "hessian", "hvp"}


def __getattr__(name: str) -> Any:
    """Import a submodule when it is first used, so that `import autograd_ref` stays fast."""
    if name in _LAZY:
        return importlib.import_module(f"autograd_ref.{name}")
    if name in _TRANSFORMS:
        return getattr(importlib.import_module("autograd_ref.transforms"), name)
    raise AttributeError(f"module 'autograd_ref' has no attribute {name!r}")
