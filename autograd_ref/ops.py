"""The operations: what `Tensor`'s methods call, and what you import to write `ops.exp(x)`.

On tensors they return tensors, on plain arrays plain arrays. Primitives come from the tables in `rules`; the
functions below are derived from them and need no rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_ref.primitive import wrap
from autograd_ref.rules import elementwise, indexing, products, reductions, shapes
from autograd_ref.rules.elementwise import (
    abs,
    add,
    cos,
    div,
    erf,
    exp,
    expm1,
    log,
    log1p,
    maximum,
    minimum,
    mul,
    neg,
    pow,
    relu,
    sigmoid,
    sign,
    sin,
    softplus,
    sqrt,
    sub,
    tan,
    tanh,
    where,
)
from autograd_ref.rules.indexing import plain_index
from autograd_ref.rules.products import matmul
from autograd_ref.rules.reductions import axes_of
from autograd_ref.rules.shapes import clone
from autograd_ref.tensor import Tensor

# fmt: off
__all__ = [
    "abs", "add", "argmax", "argmin", "astensor", "astype", "axes_of", "broadcast_to", "clip", "clone",
    "concatenate", "cos", "cumsum", "diagonal", "div", "einsum", "elu", "equal", "erf", "exp", "expm1",
    "flatten", "flip", "gather", "getitem", "greater", "greater_equal", "leaky_relu", "less", "less_equal",
    "log", "log1p", "log_softmax", "logical_and", "logical_not", "logical_or", "logsumexp", "matmul", "max",
    "maximum", "mean", "min", "minimum", "mul", "neg", "not_equal", "outer", "pad", "permute",
    "plain_index", "pow", "prod", "relu", "reshape", "roll", "set_item", "sigmoid", "sign", "silu", "sin",
    "softmax", "softplus", "split", "sqrt", "squeeze", "stack", "std", "sub", "sum", "swapaxes", "take",
    "tan", "tanh", "transpose", "unsqueeze", "var", "where",
]
# fmt: on

Axis = int | tuple[int, ...] | None


def astensor(x: Any) -> Tensor:
    """`x` as a tensor; a tensor is returned as it is."""
    return x if isinstance(x, Tensor) else Tensor(x)


# -- reductions ----------------------------------------------------------------------------------------------


def _shaped(x: Any) -> Any:
    return x if hasattr(x, "shape") else np.asarray(x)


def sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum over `axis` (all axes if None)."""
    x = _shaped(x)
    axis = None if axis is None else axes_of(axis, x.ndim)
    return reductions.sum(x, axis=axis, keepdims=keepdims, shape=x.shape)


def mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean over `axis`."""
    x = _shaped(x)
    return sum(x, axis, keepdims) / _count(x.shape, axis)


def _count(shape: tuple[int, ...], axis: Axis) -> int:
    return int(np.prod([shape[a] for a in axes_of(axis, len(shape))], dtype=int))


def var(x: Any, axis: Axis = None, keepdims: bool = False, correction: int = 1) -> Any:
    """The variance over `axis`: squared distances from the mean, summed and divided by `count - correction`.

    As in PyTorch the correction is 1 by default; NumPy's default is 0.
    """
    x = _shaped(x)
    away = x - mean(x, axis, keepdims=True)
    return sum(away * away, axis, keepdims) / np.maximum(_count(x.shape, axis) - correction, 0).item()


def std(x: Any, axis: Axis = None, keepdims: bool = False, correction: int = 1) -> Any:
    """The square root of `var`. Where it is 0 its gradient is 0 too, as in PyTorch."""
    v = var(x, axis, keepdims, correction)
    flat = v == 0
    return where(flat, 0.0, sqrt(where(flat, 1.0, v)))


def max(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest element over `axis`. Equal largest elements share the gradient, as in `torch.amax`."""
    return reductions.max(_shaped(x), axis=_axis(x, axis), keepdims=keepdims)


def min(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest element over `axis`. Equal smallest elements share the gradient, as in `torch.amin`."""
    return reductions.min(_shaped(x), axis=_axis(x, axis), keepdims=keepdims)


def _axis(x: Any, axis: Axis) -> Any:
    return None if axis is None else axes_of(axis, np.ndim(x) if not hasattr(x, "ndim") else x.ndim)


def prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product over `axis`; gradients are right where factors are zero."""
    x = _shaped(x)
    axes = axes_of(axis, x.ndim)
    out = x
    for a in axes:
        out = reductions.prod(out, axis=a, keepdims=True)
    return out if keepdims else reshape(out, tuple(n for i, n in enumerate(x.shape) if i not in axes))


def logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """`log(sum(exp(x)))` over `axis`, without overflow."""
    return reductions.logsumexp(_shaped(x), axis=_axis(x, axis), keepdims=keepdims)


def softmax(x: Any, axis: int = -1) -> Any:
    """`exp(x) / sum(exp(x))` along `axis`, without overflow."""
    return reductions.softmax(_shaped(x), axis=axis)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """`log(softmax(x))` along `axis`, without overflow."""
    return reductions.log_softmax(_shaped(x), axis=axis)


def cumsum(x: Any, axis: int = 0) -> Any:
    """The running sum along `axis`."""
    x = _shaped(x)
    return reductions.cumsum(x, axis=axes_of(axis, x.ndim)[0] if x.ndim else 0)


# -- shapes --------------------------------------------------------------------------------------------------


def reshape(x: Any, *shape: Any) -> Any:
    """The elements in another shape; one length may be -1. A view where NumPy can make one.

    >>> reshape(Tensor([1.0, 2.0, 3.0, 4.0]), 2, -1).shape
    (2, 2)
    """
    x = _shaped(x)
    return shapes.reshape(x, shape=_unpack(shape), before=x.shape)


def _unpack(args: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], tuple | list) else args


def flatten(x: Any, start: int = 0) -> Any:
    """All axes from `start` on as one."""
    x = _shaped(x)
    return reshape(x, (*x.shape[:start], int(np.prod(x.shape[start:], dtype=int))))


def permute(x: Any, *axes: Any) -> Any:
    """The axes in another order."""
    x = _shaped(x)
    return shapes.permute(x, axes=axes_of(_unpack(axes), x.ndim))


def transpose(x: Any, *axes: Any) -> Any:
    """The axes reversed, or in the order given."""
    x = _shaped(x)
    return permute(x, _unpack(axes) if axes and axes != (None,) else tuple(range(x.ndim))[::-1])


def swapaxes(x: Any, a: int, b: int) -> Any:
    """Axes `a` and `b` exchanged."""
    x = _shaped(x)
    order = list(range(x.ndim))
    (a, b) = axes_of((a, b), x.ndim)
    order[a], order[b] = b, a
    return shapes.permute(x, axes=tuple(order))


def squeeze(x: Any, axis: Axis = None) -> Any:
    """Without the axes of length 1, or those of them that `axis` names (longer ones stay, as in PyTorch)."""
    x = _shaped(x)
    gone = axes_of(axis, x.ndim)
    return reshape(x, tuple(n for i, n in enumerate(x.shape) if i not in gone or n != 1))


def unsqueeze(x: Any, axis: int) -> Any:
    """With a new axis of length 1 at `axis`."""
    x = _shaped(x)
    axis = axes_of(axis, x.ndim + 1)[0]
    return reshape(x, (*x.shape[:axis], 1, *x.shape[axis:]))


def broadcast_to(x: Any, *shape: Any) -> Any:
    """`x` repeated along axes of length 1 and new leading axes, as a view."""
    x = _shaped(x)
    return shapes.broadcast_to(x, shape=_unpack(shape), before=x.shape)


def concatenate(xs: Sequence[Any], axis: int = 0) -> Any:
    """The arrays one after the other along an axis that they have."""
    xs = [_shaped(x) for x in xs]
    return shapes.concatenate(*xs, axis=axes_of(axis, xs[0].ndim)[0])


def stack(xs: Sequence[Any], axis: int = 0) -> Any:
    """The arrays, all of one shape, along a new axis."""
    shapes_seen = {_shaped(x).shape for x in xs}
    if len(shapes_seen) != 1:
        raise ValueError(f"'stack' needs equal shapes, not {' and '.join(map(str, sorted(shapes_seen)))}.")
    return concatenate([unsqueeze(x, axis) for x in xs], axis)


def split(x: Any, size: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Pieces of length `size` along `axis` (the last may be shorter), or of the lengths given; views."""
    x = _shaped(x)
    axis = axes_of(axis, x.ndim)[0]
    n = x.shape[axis]
    sizes = (
        list(size) if not isinstance(size, int) else [size] * (n // size) + ([n % size] if n % size else [])
    )
    if np.sum(sizes) != n:
        raise ValueError(
            f"'split' got lengths {sizes}, which do not add up to {n}, the length of axis {axis}."
        )
    ends = np.cumsum(sizes).tolist()
    return [x[(slice(None),) * axis + (slice(e - s, e),)] for s, e in zip(sizes, ends, strict=True)]


def pad(x: Any, width: Any, value: float = 0) -> Any:
    """`x` with a border of `value`. `width` is an int, a pair (before, after), or a pair per axis."""
    x = _shaped(x)
    pairs = np.broadcast_to(np.asarray(width), (x.ndim, 2)).tolist()
    return shapes.pad(x, width=tuple(map(tuple, pairs)), value=value)


def flip(x: Any, axis: Axis = None) -> Any:
    """The elements in reverse order along `axis`."""
    x = _shaped(x)
    return shapes.flip(x, axis=axes_of(axis, x.ndim))


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved by `shift` places along `axis`; what falls off comes back at the other end."""
    shift = tuple(shift) if isinstance(shift, list) else shift
    return shapes.roll(_shaped(x), shift=shift, axis=axis)


def astype(x: Any, dtype: Any) -> Any:
    """`x` in another dtype. A cast to a floating-point dtype carries the gradient, others do not."""
    x, dtype = _shaped(x), np.dtype(dtype)
    if x.dtype == dtype:
        return x
    if not isinstance(x, Tensor) or dtype.kind == "f":
        return elementwise.cast(x, dtype=dtype, before=x.dtype)
    return wrap(x._data.astype(dtype))


# -- indexing ------------------------------------------------------------------------------------------------


def getitem(x: Any, index: Any) -> Any:
    """`x[index]`: integers, slices, None, Ellipsis, integer arrays (repeats add up), boolean masks."""
    x = _shaped(x)
    index = plain_index(index)
    if isinstance(index, list):
        index = np.asarray(index) if index else np.empty(0, np.intp)
    try:
        return indexing.getitem(x, index=index, before=x.shape)
    except IndexError as error:
        raise IndexError(f"Indexing a tensor of shape {x.shape} failed: {error}.") from None


def set_item(x: Any, index: Any, value: Any) -> Any:
    """A copy of `x` in which the elements at `index` (none of them twice) are `value`."""
    return indexing.set_item(x, value, index=plain_index(index), shape=x.shape)


def take(x: Any, index: Any, axis: int = 0) -> Any:
    """The slices of `x` at the positions `index` along `axis`."""
    x = _shaped(x)
    axis = axes_of(axis, x.ndim)[0]
    index = np.asarray(plain_index(index))
    return x[index] if axis == 0 else x[(slice(None),) * axis + (index,)]


def gather(x: Any, axis: int, index: Any) -> Any:
    """One element per entry of `index`, which says where along `axis`; other axes keep their place.

    `out[i, j] = x[index[i, j], j]` for axis 0 and `x[i, index[i, j]]` for axis 1, as in PyTorch.
    """
    x = _shaped(x)
    axis = axes_of(axis, x.ndim)[0]
    index = np.asarray(plain_index(index))
    if index.ndim != x.ndim:
        raise ValueError(
            f"'gather' needs an index with as many axes as the tensor: {index.shape} and {x.shape}."
        )
    cut = tuple(slice(None) if i == axis else slice(n) for i, n in enumerate(index.shape))
    x = x if all(s == slice(None) or s.stop == n for s, n in zip(cut, x.shape, strict=True)) else x[cut]
    return indexing.gather(x, index=index, axis=axis, before=x.shape)


# -- products ------------------------------------------------------------------------------------------------


def outer(x: Any, y: Any) -> Any:
    """The outer product of two vectors."""
    x, y = _shaped(x), _shaped(y)
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(f"'outer' needs two vectors, not shapes {x.shape} and {y.shape}.")
    return x.reshape(-1, 1) * y


def einsum(subscripts: str, *operands: Any) -> Any:
    """Einstein's summation, with NumPy's notation: `einsum("bij,bjk->bik", x, y)`.

    Raises ValueError if the subscripts do not fit the operands.

    >>> einsum("ij,ij->", Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]))
    Tensor(11.)
    """
    xs = [_shaped(x) for x in operands]
    inputs, output = _parse(subscripts, [x.ndim for x in xs])
    for k, letters in enumerate(inputs):
        while (twice := next((c for c in letters if letters.count(c) > 1), None)) is not None:
            first = letters.index(twice)
            xs[k] = diagonal(xs[k], first, letters.index(twice, first + 1))
            letters = letters.replace(twice, "", 2) + twice
        inputs[k] = letters
    sizes: dict[str, int] = {}
    for letters, x in zip(inputs, xs, strict=True):
        for c, n in zip(letters, x.shape, strict=True):
            if sizes.setdefault(c, n) != n and 1 not in (n, sizes[c]):
                raise ValueError(
                    f"'einsum' {subscripts!r}: the letter {c!r} stands for lengths {sizes[c]} and {n}."
                )
            sizes[c] = n if sizes[c] == 1 else sizes[c]
    return products.einsum_primitive(*xs, inputs=tuple(inputs), output=output, sizes=sizes)


def diagonal(x: Any, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements whose indices on two axes are equal, along a new last axis."""
    rest = [i for i in range(x.ndim) if i not in (axis1, axis2)]
    i = np.arange(x.shape[axis1])
    return permute(permute(x, axis1, axis2, *rest)[i, i], *range(1, x.ndim - 1), 0)


def _parse(subscripts: str, ndims: list[int]) -> tuple[list[str], str]:
    """The letters of every operand and of the result, with letters in place of each ellipsis."""
    left, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ndims):
        raise ValueError(f"'einsum' {subscripts!r} names {len(inputs)} operands but was given {len(ndims)}.")
    spare = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in subscripts]
    extra = [n - len(s.replace("...", "")) for s, n in zip(inputs, ndims, strict=True)]
    longest = sorted([0, *(e for e, s in zip(extra, inputs, strict=True) if "..." in s)])[-1]
    dots = "".join(spare[:longest])[::-1]
    if not arrow:
        letters = left.replace(",", "").replace("...", "")
        output = ("..." if "..." in left else "") + "".join(
            sorted(c for c in letters if letters.count(c) == 1)
        )
    for k, (letters, e) in enumerate(zip(inputs, extra, strict=True)):
        if e != 0 and "..." not in letters:
            raise ValueError(
                f"'einsum' {subscripts!r}: {letters!r} does not fit an operand of {ndims[k]} axes."
            )
        inputs[k] = letters.replace("...", dots[len(dots) - e :] if e else "")
    return inputs, output.replace("...", dots)


# -- without a gradient --------------------------------------------------------------------------------------


def _plain(x: Any) -> Any:
    return x._data if isinstance(x, Tensor) else x


def _compare(ufunc: Any) -> Any:
    def compare(x: Any, y: Any) -> Any:
        out = ufunc(_plain(x), _plain(y))
        return wrap(out) if isinstance(x, Tensor) or isinstance(y, Tensor) else out

    compare.__name__ = ufunc.__name__
    compare.__doc__ = f"`numpy.{ufunc.__name__}`: a boolean result, which carries no gradient."
    return compare


less, less_equal = _compare(np.less), _compare(np.less_equal)
greater, greater_equal = _compare(np.greater), _compare(np.greater_equal)
equal, not_equal = _compare(np.equal), _compare(np.not_equal)
logical_and, logical_or = _compare(np.logical_and), _compare(np.logical_or)


def logical_not(x: Any) -> Any:
    """`numpy.logical_not`: a boolean result, which carries no gradient."""
    return wrap(np.logical_not(_plain(x)))


def argmax(x: Any, axis: int | None = None) -> Any:
    """The position of the largest element, as integers; the first of equal ones. It carries no gradient."""
    return wrap(np.argmax(_plain(x), axis=axis))


def argmin(x: Any, axis: int | None = None) -> Any:
    """The position of the smallest element, as integers; the first of equal ones. It carries no gradient."""
    return wrap(np.argmin(_plain(x), axis=axis))


# -- activations ---------------------------------------------------------------------------------------------


def clip(x: Any, low: float | None = None, high: float | None = None) -> Any:
    """`x` limited to `[low, high]`; the slope is 1 at the limits, as in PyTorch."""
    return elementwise.clip(x, low=low, high=high)


def leaky_relu(x: Any, negative_slope: float = 0.01) -> Any:
    """`x` where positive, `negative_slope * x` elsewhere."""
    return where(x > 0, x, x * negative_slope)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere."""
    return where(x > 0, x, alpha * expm1(where(x > 0, 0.0, x)))


def silu(x: Any) -> Any:
    """`x * sigmoid(x)`, also called swish."""
    return x * sigmoid(x)
