"""Rules of the products: matmul, outer products, einsum. All are linear in each argument."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_ref.core import fast
from autograd_ref.core.node import Node, Record
from autograd_ref.core.primitive import Primitive
from autograd_ref.rules.shapes import permute


def swap(x: Any) -> Any:
    """The last two axes exchanged."""
    return x.swapaxes(-1, -2)


def _rows(x: Any) -> Any:
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def dot(x: np.ndarray, y: np.ndarray, out: Any = None) -> Any:
    """`x @ y` of two matrices, on small ones in half of `np.matmul`'s time.

    NumPy's `dot` takes a matrix of one number for a scalar, and 0 times NaN is 0 then.
    """
    return x.dot(y, out) if x.size != 1 != y.size else np.matmul(x, y, out=out)


def _matmul(x: Any, y: Any, shapes: Any = None) -> Any:
    x, y = np.asarray(x), np.asarray(y)
    if x.ndim == 2 and y.ndim == 2:
        return dot(x, y)
    if x.ndim > 2 and y.ndim == 2:
        # One large product instead of a loop over the batch: 2 to 4 times faster.
        return (_rows(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
    return np.matmul(x, y)


def _matmul_x(g: Any, _ans: Any, _x: Any, y: Any, shapes: Any = None) -> Any:
    x_shape, _ = shapes
    if len(x_shape) == 1 and y.ndim == 1:
        return g * y
    if y.ndim == 1:
        return g.reshape(*g.shape, 1) * y
    if len(x_shape) == 1:
        return (y @ g.reshape(*g.shape, 1)).reshape(*y.shape[:-1])
    return matmul(g, swap(y))


def _matmul_y(g: Any, _ans: Any, x: Any, _y: Any, shapes: Any = None) -> Any:
    _, y_shape = shapes
    if len(y_shape) == 1 and x.ndim == 1:
        return g * x
    if len(y_shape) == 1:
        return _rows(x).swapaxes(0, 1) @ g.reshape(-1)
    if x.ndim == 1:
        return x.reshape(-1, 1) * g.reshape(*g.shape[:-1], 1, g.shape[-1])
    if len(y_shape) == 2 and x.ndim > 2:
        return swap(_rows(x)) @ _rows(g)
    return matmul(swap(x), g)


def is_turned(to: Any) -> bool:
    """Whether a gradient goes to the transpose of a matrix: in the matrix' own layout nobody need copy it."""
    return type(to) is Node and to.primitive is permute


class _Matmul(Primitive):
    """Most products are of two matrices: their gradients are two products, written out."""

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        (to_x, to_y), (_, x, y), _, params = record
        x_shape, y_shape = params["shapes"]
        if len(x_shape) != 2 or len(y_shape) != 2 or type(g) is not np.ndarray:
            return super().pull(g, record)
        held: Any = getattr(to_y, "_grad", None)
        # The product is computed where the optimizer reads it, if it said so.
        place = (
            held.array if to_y is not to_x and type(held) is _Place and held.array.dtype is g.dtype else None
        )
        grad_x = grad_y = None
        if to_x is not None:
            # The gradient has its argument's layout: a convolution's channel-first one, flattened.
            grad_x = dot(g, y.T) if x is None or x.strides[0] >= x.strides[1] else dot(y, g.T).T
        if to_y is not None:
            grad_y = dot(g.T, x).T if is_turned(to_y) else dot(x.T, g, place)
        return grad_x, grad_y


if fast:
    _Matmul.__call__ = fast.call_of_two(Primitive.__call__)  # type: ignore[method-assign]
_Place = fast.Place if fast else None
_matmul_primitive = _Matmul(
    "matmul",
    _matmul,
    (_matmul_x, _matmul_y),
    jvp="linear",
)


for _wanted in ((True, False), (False, True), (True, True)):
    _matmul_primitive.keeps(_wanted)


def matmul(x: Any, y: Any) -> Any:
    """The matrix product, with NumPy's rules: 1-D arguments are vectors, leading axes batches.

    Raises ValueError for sizes that do not fit and for 0-d arguments.
    """
    try:
        shapes = x.shape, y.shape
    except AttributeError:  # a list, or a number
        x, y = (a if hasattr(a, "shape") else np.asarray(a) for a in (x, y))
        shapes = x.shape, y.shape
    return _matmul_primitive(x, y, shapes=shapes)


def _einsum_rule(i: int, g: Any, _ans: Any, *xs: Any, inputs: Any, output: str, sizes: Any) -> Any:
    """The gradient of one operand is an einsum itself: of the result's gradient and of the other operands."""
    others = [x for k, x in enumerate(xs) if k != i]
    letters = [output, *(s for k, s in enumerate(inputs) if k != i)]
    reachable = "".join(c for c in inputs[i] if any(c in s for s in letters))
    out = einsum_primitive(g, *others, inputs=tuple(letters), output=reachable, sizes=sizes)
    if reachable != inputs[i]:  # Letters that stand in this operand alone were summed: repeat along them.
        shape = tuple(sizes[c] if c in reachable else 1 for c in inputs[i])
        full = tuple(sizes[c] for c in inputs[i])
        out = out.reshape(shape)
        out = np.broadcast_to(out, full) if isinstance(out, np.ndarray) else out.broadcast_to(full)
    return out


def _einsum(*xs: Any, inputs: tuple[str, ...], output: str, sizes: Any) -> Any:
    # To look for the best way takes 80 microseconds, and so do some 50,000 products.
    best = len(xs) > 1 and math.prod(sizes.values()) > 50_000
    return np.einsum(f"{','.join(inputs)}->{output}", *xs, optimize=best)


class _Einsum(Primitive):
    """The rule of one operand reads the others."""

    def keeps(self, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
        return (False, *[any(wanted[:i]) or any(wanted[i + 1 :]) for i in range(len(wanted))])


einsum_primitive = _Einsum("einsum", _einsum, _einsum_rule, jvp="linear")
