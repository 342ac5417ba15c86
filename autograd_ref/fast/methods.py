"""The methods of a tensor that are written most, straight to their operation: `x + y` need not ask `ops` for `add`.

Some write into the memory of a temporary. An index of arrays is read in one pass, which copies the arrays and collects
the stamps of the tensors.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from autograd_ref.core.operators import Operators
from autograd_ref.core.primitive import TABLE, Primitive
from autograd_ref.core.tensor import Tensor

from .calls import TENSOR, UNARY, binary_text, made, result_text
from .temporaries import LARGE, TEMPORARY, is_free

ndarray = np.ndarray

BINARY = {"__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div"}
"""Operators of two arguments, and their primitives."""
IN_PLACE = ("exp", "sqrt", "tanh", "relu")
"""Methods whose rule does not read the argument: the result may be written there."""

UNARY_NAMES = ("log", "sin", "cos", "sigmoid")

_INTO_X = f"""\
if a0.size >= {LARGE} and getrefcount(x0) <= {TEMPORARY} and is_free(x0, a0):
        out = self.forward(a0, out=a0)
    else:
        out = self.forward(a0)"""

#: Two matrices, neither of one number.
_PRODUCT = (
    """if not isinstance(x1, Tensor):
    return plain(x0, x1)
"""
    + TENSOR.format(i=0)
    + TENSOR.format(i=1)
    + """if a0.ndim != 2 or a1.ndim != 2 or a0.size < 2 or a1.size < 2 or a0.dtype is not a1.dtype:
    return plain(x0, x1)
"""
)


def write_out() -> None:
    """Give `Tensor` these methods, now that their primitives are there."""
    for method, name in BINARY.items():
        primitive = TABLE[name]
        kept = {primitive.keeps(wanted) for wanted in ((True, True), (True, False), (False, True))}
        text = binary_text() + result_text(2, kept.pop() if len(kept) == 1 else None)
        setattr(Operators, method, _method(method, "x0, x1", text, primitive))
    for name in IN_PLACE + UNARY_NAMES:
        primitive = TABLE[name]
        more = {"compute": _INTO_X} if name in IN_PLACE else {}
        text = UNARY + TENSOR.format(i=0) + result_text(1, primitive.keeps((True,)), **more)
        setattr(Operators, name, _method(name, "x0", text, primitive))
    product = result_text(2, compute="out = a0.dot(a1)", params="{'shapes': (a0.shape, a1.shape)}")
    plain = Operators.__matmul__
    call = made("def __matmul__(x0, x1):", _PRODUCT + product, plain, self=TABLE["matmul"])
    setattr(Operators, "__matmul__", call)  # noqa: B010  as above
    setattr(Operators, "__getitem__", _getitem)  # noqa: B010


def _method(name: str, arguments: str, text: str, primitive: Primitive) -> Any:
    method = made(
        f"def {name}({arguments}):",
        text,
        Primitive.__call__,
        self=primitive,
        getrefcount=getrefcount,
        is_free=is_free,
    )
    method.__doc__ = getattr(Operators, name).__doc__
    return method


_plain_getitem = Operators.__getitem__
_WHOLE = {int, slice, type(None), type(...)}

_READ = (
    "self = TABLE['getitem']\n"
    + TENSOR.format(i=0)
    + result_text(
        1,
        compute="out = self.forward(a0, index, None)",
        params="{'index': index, 'before': a0.shape}",
        stamps="x0._stamp if k0 else None, stamps",
    ).replace("self._keep[(True,)]", "self.keeps((True,))")
)
_read = made("def read(x0, index, stamps):", _READ, Primitive.__call__, TABLE=TABLE)


def _getitem(self: Tensor, index: Any) -> Any:
    """`Operators.__getitem__`, and in one pass where there are arrays in the index."""
    single = type(index) is not tuple
    kept, stamps, arrays = [], [], 0
    for part in (index,) if single else index:
        kind = type(part)
        if kind is ndarray or kind is Tensor:
            if not part.ndim:
                return _plain_getitem(self, index)
            arrays += 1
            if kind is ndarray:
                part = part.copy()
            else:
                stamps.append(part._stamp)
                part = part._data
        elif kind not in _WHOLE:
            return _plain_getitem(self, index)
        kept.append(part)
    if not arrays:
        return _plain_getitem(self, index)
    try:
        return _read(self, kept[0] if single else tuple(kept), tuple(stamps))
    except IndexError:  # in the words of the plain way
        return _plain_getitem(self, index)
