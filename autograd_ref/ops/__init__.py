"""The operations: what `Tensor`'s methods call, and what you import to write `ops.exp(x)`.

On tensors they return tensors, on plain arrays plain arrays. Primitives come from the tables in `rules`; the
functions in this folder are derived from them and need no rules.
"""

from __future__ import annotations

from typing import Any

from autograd_ref.core import fast
from autograd_ref.ops.activations import clamp, clip, elu, leaky_relu
from autograd_ref.ops.comparisons import (
    argmax,
    argmin,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
)
from autograd_ref.ops.masks import masked_fill, tril, triu
from autograd_ref.ops.products import diagonal, einsum, outer
from autograd_ref.ops.reductions import (
    cumsum,
    log_softmax,
    logsumexp,
    max,
    mean,
    min,
    norm,
    prod,
    softmax,
    std,
    sum,
    var,
)
from autograd_ref.ops.shapes import (
    astype,
    broadcast_to,
    chunk,
    concatenate,
    expand,
    flatten,
    flip,
    gather,
    getitem,
    pad,
    permute,
    repeat,
    reshape,
    roll,
    set_item,
    shaped,
    split,
    squeeze,
    stack,
    swapaxes,
    take,
    transpose,
    unbind,
    unsqueeze,
)
from autograd_ref.ops.sorting import argsort, sort, topk
from autograd_ref.rules.elementwise import (
    abs,
    add,
    cos,
    div,
    exp,
    expm1,
    floor_divide,
    log,
    log1p,
    logsigmoid,
    maximum,
    minimum,
    mul,
    neg,
    pow,
    relu,
    remainder,
    sigmoid,
    sign,
    silu,
    sin,
    softplus,
    sqrt,
    sub,
    tan,
    tanh,
    where,
)
from autograd_ref.rules.normal import erf
from autograd_ref.rules.products import matmul
from autograd_ref.rules.reductions import axes_of
from autograd_ref.rules.shapes import clone
from autograd_ref.tensor import Tensor

# fmt: off
__all__ = [
    "abs", "add", "argmax", "argmin", "argsort", "astensor", "astype", "axes_of", "bitwise_and",
    "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast_to", "chunk", "clamp", "clip", "clone",
    "concatenate", "cos", "cumsum", "diagonal", "div", "einsum", "elu", "equal", "erf", "exp", "expand",
    "expm1", "flatten", "flip", "floor_divide", "gather", "getitem", "greater", "greater_equal",
    "leaky_relu", "less", "less_equal", "log", "log1p", "log_softmax", "logical_and", "logical_not",
    "logical_or", "logsigmoid", "logsumexp", "masked_fill", "matmul", "max", "maximum", "mean", "min",
    "minimum", "mul", "neg", "norm", "not_equal", "outer", "pad", "permute", "pow", "prod", "relu",
    "remainder", "repeat", "reshape", "roll", "set_item", "shaped", "sigmoid", "sign", "silu", "sin",
    "softmax", "softplus", "sort", "split", "sqrt", "squeeze", "stack", "std", "sub", "sum", "swapaxes",
    "take", "tan", "tanh", "topk", "transpose", "tril", "triu", "unbind", "unsqueeze", "var", "where",
]
# fmt: on


def astensor(x: Any) -> Tensor:
    """`x` as a tensor; a tensor is returned as it is."""
    return x if isinstance(x, Tensor) else Tensor(x)


if fast:  # the primitives are there
    fast.write_out()
