"""The reference engine: automatic differentiation on NumPy. README.md in this folder walks you through it.

Everything is imported when it is first used: `import autograd_ref` costs nothing, and the parts that need no NumPy
(`scalar`, `dual`, `graph`) work without it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograd_ref import (
        core,
        data,
        dual,
        functional,
        gradcheck,
        graph,
        nn,
        ops,
        optim,
        plots,
        rulecheck,
        scalar,
        transforms,
    )
    from autograd_ref.core import modes, primitive, sweep, tensor
    from autograd_ref.core.function import Function
    from autograd_ref.core.modes import detect_anomaly, enable_grad, is_grad_enabled, no_grad
    from autograd_ref.core.tensor import Tensor
    from autograd_ref.transforms import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

__all__ = [
    "Function",
    "Tensor",
    "core",
    "data",
    "detect_anomaly",
    "dual",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "graph",
    "hessian",
    "hvp",
    "is_grad_enabled",
    "jacobian",
    "jvp",
    "modes",
    "nn",
    "no_grad",
    "ops",
    "optim",
    "plots",
    "primitive",
    "rulecheck",
    "scalar",
    "sweep",
    "tensor",
    "transforms",
    "value_and_grad",
    "vjp",
]

#: Where a public name lives that is not a submodule's own.
_HOME = {
    "Function": "core.function",
    "Tensor": "core.tensor",
    **dict.fromkeys(("detect_anomaly", "enable_grad", "is_grad_enabled", "no_grad"), "core.modes"),
    **dict.fromkeys(("modes", "primitive", "sweep", "tensor"), "core"),
    **dict.fromkeys(("grad", "value_and_grad", "vjp", "jvp", "jacobian", "hessian", "hvp"), "transforms"),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'autograd_ref' has no attribute {name!r}")
    module = importlib.import_module(f"autograd_ref.{_HOME.get(name, name)}")
    value = getattr(module, name) if name in _HOME else module
    globals()[name] = value  # the next use finds it without coming here
    return value


def __dir__() -> list[str]:
    return __all__
