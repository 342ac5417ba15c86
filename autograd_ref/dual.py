"""Forward mode on single numbers, by the name that the notebooks use; it lives in `scalar`."""

from autograd_ref.scalar.dual import (
    RULES,
    Dual,
    cos,
    derivative,
    exp,
    gradient,
    jvp,
    log,
    relu,
    sigmoid,
    sin,
    sqrt,
    tanh,
)

__all__ = [
    "RULES",
    "Dual",
    "cos",
    "derivative",
    "exp",
    "gradient",
    "jvp",
    "log",
    "relu",
    "sigmoid",
    "sin",
    "sqrt",
    "tanh",
]
