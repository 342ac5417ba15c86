"""Moving elements: shapes, axes, joining and splitting, indexing. Nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from autograd_ref.core import fast
from autograd_ref.core.tensor import Tensor, wrap
from autograd_ref.rules import elementwise, indexing, shapes
from autograd_ref.rules.reductions import axes_of

Axis = int | tuple[int, ...] | None


def shaped(x: Any) -> Any:
    """`x` as something with a shape: tensors and arrays as they are, numbers and lists as arrays."""
    return x if hasattr(x, "shape") else np.asarray(x)


def reshape(x: Any, *shape: Any) -> Any:
    """The elements in another shape; one length may be -1. A view where NumPy can make one.

    >>> reshape(Tensor([1.0, 2.0, 3.0, 4.0]), 2, -1).shape
    (2, 2)
    """
    x = shaped(x)
    return shapes.reshape(x, shape=_unpack(shape), before=x.shape)


def _unpack(args: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], tuple | list) else args


def flatten(x: Any, start: int = 0) -> Any:
    """All axes from `start` on as one; a vector is returned as it is."""
    x = shaped(x)
    return x if x.ndim - start == 1 else reshape(x, (*x.shape[:start], math.prod(x.shape[start:])))


def permute(x: Any, *axes: Any) -> Any:
    """The axes in another order."""
    x = shaped(x)
    return shapes.permute(x, axes=axes_of(_unpack(axes), x.ndim))


def transpose(x: Any, *axes: Any) -> Any:
    """The axes reversed, or in the order given."""
    if axes and axes != (None,):
        return permute(x, *axes)
    x = shaped(x)
    return shapes.permute(x, axes=_reversed(x.ndim))


@lru_cache(maxsize=64)
def _reversed(ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim))[::-1]


def swapaxes(x: Any, a: int, b: int) -> Any:
    """Axes `a` and `b` exchanged."""
    x = shaped(x)
    return shapes.permute(x, axes=_exchanged(*axes_of((a, b), x.ndim), x.ndim))


@lru_cache(maxsize=256)
def _exchanged(a: int, b: int, ndim: int) -> tuple[int, ...]:
    order = list(range(ndim))
    order[a], order[b] = b, a
    return tuple(order)


if fast:
    reshape, permute = fast.settled(reshape), fast.settled(permute)
    transpose, swapaxes = fast.settled(transpose), fast.settled(swapaxes)


def squeeze(x: Any, axis: Axis = None) -> Any:
    """Without the axes of length 1, or those of them that `axis` names (longer ones stay, as in PyTorch)."""
    x = shaped(x)
    gone = axes_of(axis, x.ndim)
    return reshape(x, tuple(n for i, n in enumerate(x.shape) if i not in gone or n != 1))


def unsqueeze(x: Any, axis: int) -> Any:
    """With a new axis of length 1 at `axis`."""
    x = shaped(x)
    axis = axes_of(axis, x.ndim + 1)[0]
    return reshape(x, (*x.shape[:axis], 1, *x.shape[axis:]))


def broadcast_to(x: Any, *shape: Any) -> Any:
    """`x` repeated along axes of length 1 and new leading axes, as a view."""
    x = shaped(x)
    return shapes.broadcast_to(x, shape=_unpack(shape), before=x.shape)


def expand(x: Any, *shape: Any) -> Any:
    """`x` repeated along axes of length 1 and new leading axes, as a view: `broadcast_to` where -1 keeps a length.

    Raises ValueError for a shape that does not fit.

    >>> expand(Tensor([[1.0], [2.0]]), -1, 3).tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """
    x, wanted = shaped(x), _unpack(shape)
    new = len(wanted) - x.ndim
    if new < 0 or -1 in wanted[:new]:
        raise ValueError(
            f"'expand' cannot make {wanted} of shape {x.shape}: give a length for every axis, -1 to keep one, and "
            "none of these for a new axis in front."
        )
    whole = tuple([x.shape[i - new] if n == -1 else n for i, n in enumerate(wanted)])
    return shapes.broadcast_to(x, shape=whole, before=x.shape)


def repeat(x: Any, *times: Any) -> Any:
    """Copies of `x` side by side, `times[i]` of them along axis i; more numbers than axes make new leading axes.

    It is PyTorch's `Tensor.repeat` and NumPy's `tile`. Raises ValueError for fewer numbers than axes.

    >>> repeat(Tensor([[1.0, 2.0]]), 2, 2).tolist()
    [[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]
    """
    x, counts = shaped(x), _unpack(times)
    new = len(counts) - x.ndim
    if new < 0 or any(n < 0 for n in counts):
        raise ValueError(
            f"'repeat' needs how often for each of the {x.ndim} axes of shape {x.shape}, none negative, not {counts}."
        )
    if new:
        x = reshape(x, ((1,) * new + x.shape))
    return shapes.repeat(x, times=tuple(counts), before=x.shape)


def concatenate(xs: Sequence[Any], axis: int = 0) -> Any:
    """The arrays one after the other along an axis that they have."""
    xs = [shaped(x) for x in xs]
    return shapes.concatenate(*xs, axis=axes_of(axis, xs[0].ndim)[0])


def stack(xs: Sequence[Any], axis: int = 0) -> Any:
    """The arrays, all of one shape, along a new axis."""
    xs = [shaped(x) for x in xs]
    shapes_seen = {x.shape for x in xs}
    if len(shapes_seen) != 1:
        raise ValueError(f"'stack' needs equal shapes, not {' and '.join(map(str, sorted(shapes_seen)))}.")
    return shapes.stack(*xs, axis=axes_of(axis, xs[0].ndim + 1)[0])


def split(x: Any, size: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Pieces of length `size` along `axis` (the last may be shorter), or of the lengths given; views."""
    x = shaped(x)
    axis = axes_of(axis, x.ndim)[0]
    n = x.shape[axis]
    sizes = (
        list(size) if not isinstance(size, int) else [size] * (n // size) + ([n % size] if n % size else [])
    )
    ends = list(accumulate(sizes))
    if (ends[-1] if ends else 0) != n:
        raise ValueError(
            f"'split' got lengths {sizes}, which do not add up to {n}, the length of axis {axis}."
        )
    lead = (slice(None),) * axis
    return [getitem(x, (*lead, slice(e - s, e))) for s, e in zip(sizes, ends, strict=True)]


def chunk(x: Any, chunks: int, axis: int = 0) -> list[Any]:
    """At most `chunks` pieces of equal length along `axis`, the last shorter where that does not divide; views.

    As in PyTorch there may be fewer: 6 elements in 4 chunks are 3 pieces of 2.

    >>> [piece.tolist() for piece in chunk(Tensor([1.0, 2.0, 3.0]), 2)]
    [[1.0, 2.0], [3.0]]
    """
    x = shaped(x)
    if chunks < 1:
        raise ValueError(f"'chunk' makes at least 1 piece, not {chunks}.")
    n = x.shape[axes_of(axis, x.ndim)[0]]
    return split(x, -(-n // chunks), axis) if n else split(x, [0] * chunks, axis)


def unbind(x: Any, axis: int = 0) -> list[Any]:
    """The slices along `axis`, which they do not have: `x[0]`, `x[1]`, ... for axis 0; views.

    >>> unbind(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
    [Tensor([1., 3.]), Tensor([2., 4.])]
    """
    x = shaped(x)
    axis = axes_of(axis, x.ndim)[0]
    lead = (slice(None),) * axis
    return [getitem(x, (*lead, i)) for i in range(x.shape[axis])]


def pad(x: Any, width: Any, value: float = 0) -> Any:
    """`x` with a border of `value`. `width` is an int, a pair (before, after), or a pair per axis."""
    x = shaped(x)
    if not x.ndim:
        raise ValueError("'pad' needs an axis to pad, and a 0-d tensor has none: reshape it to (1,) first.")
    pairs = np.broadcast_to(np.asarray(width), (x.ndim, 2)).tolist()
    return shapes.pad(x, width=tuple(map(tuple, pairs)), value=value)


def flip(x: Any, axis: Axis = None) -> Any:
    """The elements in reverse order along `axis`."""
    x = shaped(x)
    return shapes.flip(x, axis=axes_of(axis, x.ndim))


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved by `shift` places along `axis`; what falls off comes back at the other end."""
    shift = tuple(shift) if isinstance(shift, list) else shift
    return shapes.roll(shaped(x), shift=shift, axis=axis)


def astype(x: Any, dtype: Any) -> Any:
    """`x` in another dtype. A cast to a floating-point dtype carries the gradient, others do not."""
    x, dtype = shaped(x), np.dtype(dtype)
    if x.dtype == dtype:
        return x
    if not isinstance(x, Tensor) or dtype.kind == "f":
        return elementwise.cast(x, dtype=dtype, before=x.dtype)
    return wrap(x._data.astype(dtype))


# -- indexing


def getitem(x: Any, index: Any) -> Any:
    """`x[index]`: integers, slices, None, Ellipsis, integer arrays (repeats add up), boolean masks."""
    x = shaped(x)
    if isinstance(index, list):
        index = np.asarray(index) if index else np.empty(0, np.intp)
    index = tuple([_number(part) for part in index]) if isinstance(index, tuple) else _number(index)
    try:
        return indexing.getitem(x, index=index, before=x.shape)
    except IndexError as error:
        raise IndexError(f"Indexing a tensor of shape {x.shape} failed: {error}.") from None


def _number(part: Any) -> Any:
    """An integer in a tensor or array without axes is an integer: what it picks is a view."""
    if getattr(part, "ndim", 1) == 0 and part.dtype.kind in "iu":
        return int(part.item())
    return part


def set_item(x: Any, index: Any, value: Any) -> Any:
    """A copy of `x` in which the elements at `index` (none of them twice) are `value`."""
    return indexing.set_item(x, value, index=index, shape=x.shape)


def take(x: Any, index: Any, axis: int = 0) -> Any:
    """The slices of `x` at the positions `index` along `axis`."""
    x = shaped(x)
    axis = axes_of(axis, x.ndim)[0]
    index = shaped(index)
    return x[index] if axis == 0 else x[(slice(None),) * axis + (index,)]


def gather(x: Any, axis: int, index: Any) -> Any:
    """One element per entry of `index`, which says where along `axis`; other axes keep their place.

    `out[i, j] = x[index[i, j], j]` for axis 0 and `x[i, index[i, j]]` for axis 1, as in PyTorch.
    """
    x = shaped(x)
    axis = axes_of(axis, x.ndim)[0]
    index = shaped(index)
    if index.ndim != x.ndim:
        raise ValueError(
            f"'gather' needs an index with as many axes as the tensor: {index.shape} and {x.shape}."
        )
    cut = tuple(slice(None) if i == axis else slice(n) for i, n in enumerate(index.shape))
    x = x if all(s == slice(None) or s.stop == n for s, n in zip(cut, x.shape, strict=True)) else x[cut]
    return indexing.gather(x, index=index, axis=axis, before=x.shape)
