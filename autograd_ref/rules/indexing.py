"""Rules of indexing. Reading scatters the gradient back; an element read twice gets both gradients."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref.core import fast
from autograd_ref.core.primitive import Primitive
from autograd_ref.core.tensor import Tensor

_FEW = 512  # So many numbers are added by NumPy's general way before another way would have begun.

_BASIC = {int, slice, type(None), type(...), *(np.dtype(c).type for c in np.typecodes["AllInteger"])}


def is_basic(index: Any) -> bool:
    """True for an index of integers, slices, None and Ellipsis: no element twice, and a view."""
    return _BASIC.issuperset(map(type, index if type(index) is tuple else (index,)))


def _scatter(g: Any, index: Any, shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, g.dtype)
    if is_basic(index) or (isinstance(index, np.ndarray) and index.dtype.kind == "b"):
        out[index] = g
    elif g.size <= _FEW:
        np.add.at(out, index, g)
    elif (places := _places(index, shape)) is not None:
        _add_rows(out, places, g, out.size // max(math.prod(shape[: _axes(index)]), 1))
    elif (axis := _only_axis(index)) is not None:
        rest = math.prod(shape[axis + 1 :])
        ahead = np.arange(0, math.prod(shape[:axis]) * shape[axis], shape[axis])[:, None]
        _add_rows(out, ahead + _counted(index[axis], shape[axis]), g, rest)
    else:
        np.add.at(out, index, g)
    return out


def _counted(index: np.ndarray, n: int) -> np.ndarray:
    """The positions along an axis of length n, none of them negative."""
    index = index.astype(np.intp, copy=False)
    # Read as unsigned, a negative position is a very large one.
    within = not index.size or np.maximum.reduce(index.view(np.uintp), None) < n
    return index if within else np.where(index < 0, index + n, index)


def _axes(index: Any) -> int:
    return len(index) if isinstance(index, tuple) else 1


def _places(index: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    """For an index of integers along the first axes: where each entry leads, if these axes were one."""
    places: Any = None
    for part, n in zip(index if isinstance(index, tuple) else (index,), shape, strict=False):
        if not isinstance(part, np.ndarray) or part.dtype.kind not in "iu":
            return None
        part = _counted(part, n)
        places = part if places is None else places * n + part
    return places


def _only_axis(index: Any) -> int | None:
    """The axis whose positions a vector of integers gives, if the others are taken whole."""
    whole = slice(None)
    if isinstance(index, tuple) and all(isinstance(i, slice) and i == whole for i in index[:-1]):
        last = index[-1]
        if isinstance(last, np.ndarray) and last.dtype.kind in "iu" and last.ndim == 1:
            return len(index) - 1
    return None


def _add_rows(out: np.ndarray, rows: np.ndarray, g: np.ndarray, width: int) -> None:
    """`out[rows] += g` for an `out` of zeros, seen as rows of this width; rows that come again add up."""
    rows = rows.reshape(-1)
    if not out.size or not rows.size:
        return
    g = g.reshape(rows.size, width)
    if width > 1:
        # The last to come to a row is copied. What came there before is added, number by number: of one axis
        # NumPy's `add.at` makes short work.
        matrix = out.reshape(-1, width)
        matrix[rows] = g
        last = np.empty(len(matrix), np.intp)
        count = np.arange(rows.size)
        last[rows] = count
        again = np.flatnonzero(last[rows] != count)
        if not again.size:
            return
        rows, g = rows[again][:, None] * width + np.arange(width), g[again]
    np.add.at(out.reshape(-1), rows.reshape(-1), g.reshape(-1))


def _read(x: Any, index: Any, before: Any) -> Any:
    if (
        type(index) is tuple
        and index
        and type(index[0]) is slice
        and _only_axis(index)
        and x.flags.c_contiguous
    ):
        return x.take(index[-1], len(index) - 1)  # in a third of the time
    out = x[index]
    if isinstance(out, np.ndarray):
        return out
    return x[
        (*index, ...) if isinstance(index, tuple) else (index, ...)
    ]  # a view, where x[index] is a copied number


getitem: Primitive = Primitive(
    "getitem",
    _read,
    (
        lambda g, _ans, _x, index, before: (scatter if isinstance(g, Tensor) else _scatter)(
            g, index=index, shape=before
        ),
    ),
    jvp="linear",
    view=True,
    constants=("index",),
)


def _add_part(total: np.ndarray, g: np.ndarray, index: Any, before: Any) -> bool:
    """Add the gradient of `x[index]` to that of x, where that is no more work than by `_scatter`; whether it was."""
    if is_basic(index):
        total[index] += g
    elif g.size <= _FEW and total.dtype is g.dtype:
        np.add.at(total, index, g)
    else:
        return False
    return True


if fast:
    getitem.add_part = _add_part  # type: ignore[attr-defined]
scatter: Primitive = Primitive(
    "scatter",
    lambda g, index, shape: _scatter(g, index, shape),
    (lambda h, _ans, _g, index, shape: getitem(h, index=index, before=shape),),
    jvp="linear",
    constants=("index",),
)


def _replaced(x: Any, value: Any, index: Any, shape: Any = None) -> np.ndarray:
    out = np.array(x)
    out[index] = value
    return out


set_item: Primitive = Primitive(
    "set_item",
    _replaced,
    (
        lambda g, _ans, _x, _value, index, shape: set_item(g, 0.0, index=index, shape=shape),
        lambda g, _ans, _x, _value, index, shape: getitem(g, index=index, before=shape),
    ),
    jvp=(
        lambda t, _ans, _x, _value, index, shape: set_item(t, 0.0, index=index, shape=shape),
        lambda t, _ans, _x, _value, index, shape: set_item(
            np.zeros(shape, t.dtype), t, index=index, shape=shape
        ),
    ),
    constants=("index",),
)


@lru_cache(maxsize=64)
def _offsets(places: tuple[int, ...], axis: int, shape: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Where each element of an index leads in an array that lies end to end, but for the index; and its stride."""
    strides = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
    along = [np.arange(n) * s for n, s in zip(places, strides, strict=True)]
    along[axis] = np.zeros(places[axis], int)
    made = np.zeros(places, int)
    for k, a in enumerate(along):
        made += a.reshape([-1 if i == k else 1 for i in range(len(places))])
    made.setflags(write=False)
    return made, strides[axis]


def _end_to_end(index: np.ndarray, axis: int, shape: tuple[int, ...]) -> np.ndarray | None:
    """The positions that an index names in an array that lies end to end; None if one is negative or too large."""
    if (
        index.dtype != np.int64
        or not index.size
        or np.maximum.reduce(index.view(np.uint64), None) >= shape[axis]
    ):
        return None
    offsets, stride = _offsets(index.shape, axis, shape)
    return (index if stride == 1 else index * stride) + offsets


def _take_along(x: Any, index: Any, axis: int, before: Any) -> Any:
    at = _end_to_end(index, axis, x.shape)
    return np.take_along_axis(x, index, axis) if at is None else x.take(at)


gather: Primitive = Primitive(
    "gather",
    _take_along,
    (lambda g, _ans, _x, index, axis, before: scatter_along(g, index=index, axis=axis, shape=before),),
    jvp="linear",
    constants=("index",),
)


def _scatter_along(g: Any, index: Any, axis: int, shape: tuple[int, ...]) -> np.ndarray:
    at = _end_to_end(index, axis, shape)
    out = np.zeros(shape, g.dtype)
    if at is not None:
        np.add.at(out.reshape(-1), at.reshape(-1), g.reshape(-1))
        return out
    where = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    where[axis] = index
    np.add.at(out, tuple(where), g)
    return out


scatter_along: Primitive = Primitive(
    "scatter_along",
    _scatter_along,
    (lambda h, _ans, _g, index, axis, shape: gather(h, index=index, axis=axis, before=shape),),
    jvp="linear",
    constants=("index",),
)
