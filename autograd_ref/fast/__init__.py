"""The same engine, faster. Nothing here means anything new: every line below replaces a function of `core` by one
that gives the same. The figures stand in SPEED.md.
"""

from __future__ import annotations

from autograd_ref.core import primitive, sweep, tensor

from .calls import (
    binary_call,
    binary_pull,
    call_of_one,
    call_of_two,
    fused_call,
    fused_pull,
    pull_to_one,
    unary_call,
    unary_pull,
)
from .flat import FlatMemory
from .memory import keep_freed_memory
from .methods import write_out
from .place import Place, data, grad
from .settled import settled
from .walk import backward, deposit, seed_for, walk

# The usual call of an operation written out: no loop over the arguments, no call of another function.
primitive.Primitive.__call__ = call_of_one  # type: ignore[method-assign]
primitive.Primitive.pull = pull_to_one(primitive.Primitive.pull)  # type: ignore[method-assign]
primitive.Unary.__call__, primitive.Unary.pull = unary_call, unary_pull  # type: ignore[method-assign]
primitive.Binary.__call__, primitive.Binary.pull = binary_call, binary_pull  # type: ignore[method-assign]

# The gradient of a part is added there, where others have come: no array of zeros around it.
primitive.Primitive.add_part = None  # type: ignore[attr-defined]

# Gradients are not copied where nobody else has their memory, nor added into new memory where the old will do.
sweep.backward, sweep.walk, sweep.deposit, sweep.seed_for = backward, walk, deposit, seed_for

# The gradient of a parameter is computed where its optimizer reads it.
tensor.Tensor.grad, tensor.Tensor.data = grad, data  # type: ignore[method-assign]

# Whoever makes tensors will free and make large arrays: the C library keeps what is freed.
keep_freed_memory()

# These are for those who stand above: `functional` takes the places and its call, `optim` the flat memory.
__all__ = ["FlatMemory", "Place", "call_of_two", "fused_call", "fused_pull", "settled", "write_out"]
