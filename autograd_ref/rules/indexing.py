"""Rules of indexing. Reading scatters the gradient back; an element read twice gets both gradients."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref.core.primitive import Primitive


def is_basic(index: Any) -> bool:
    """True for an index of integers, slices, None and Ellipsis: no element twice, and a view."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        isinstance(i, int | np.integer | slice | type(None) | type(...)) and not isinstance(i, bool)
        for i in parts
    )


def _scatter(g: Any, index: Any, shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, g.dtype)
    if is_basic(index):
        out[index] = g
    elif isinstance(index, np.ndarray) and index.dtype.kind in "iu" and index.ndim:
        _sum_rows(out, index, g)
    elif isinstance(index, np.ndarray) and index.dtype.kind == "b":
        out[index] = g
    elif (axis := _only_axis(index)) is not None:
        moved = np.zeros(out.swapaxes(0, axis).shape, g.dtype)
        _sum_rows(moved, index[axis], g.swapaxes(0, axis))
        return moved.swapaxes(0, axis)
    else:
        np.add.at(out, index, g)
    return out


def _only_axis(index: Any) -> int | None:
    """The axis whose positions a vector of integers gives, if the others are taken whole."""
    whole = slice(None)
    if isinstance(index, tuple) and all(isinstance(i, slice) and i == whole for i in index[:-1]):
        last = index[-1]
        if isinstance(last, np.ndarray) and last.dtype.kind in "iu" and last.ndim == 1:
            return len(index) - 1
    return None


_FEW = 1024


def _sum_rows(out: np.ndarray, rows: np.ndarray, g: np.ndarray) -> None:
    """`out[rows] = g` where repeated rows add up.

    A stable sort brings equal rows together and `add.reduceat` sums each run.
    """
    rows = rows.astype(np.intp, copy=False)
    rows = np.where(rows < 0, rows + len(out), rows).reshape(-1)
    if not rows.size:
        return
    g = g.reshape(rows.size, -1)
    if rows.size * len(out) <= _FEW:  # a product with zeros and ones, in a third of the time
        chosen = np.equal(np.arange(len(out))[:, None], rows)
        out.reshape(len(out), -1)[...] = chosen.astype(g.dtype).dot(g)
        return
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    first = np.ones(rows.size, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    out.reshape(len(out), -1)[ordered[starts]] = np.add.reduceat(g[order], starts, axis=0)


def _read(x: Any, index: Any) -> Any:
    out = x[index]
    if isinstance(out, np.ndarray):
        return out
    return x[
        (*index, ...) if isinstance(index, tuple) else (index, ...)
    ]  # a view, where x[index] is a copied number


getitem: Primitive = Primitive(
    "getitem",
    lambda x, index, before: _read(x, index),
    (lambda g, _ans, _x, index, before: scatter(g, index=index, shape=before),),
    jvp="linear",
    view=True,
    constants=("index",),
)
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
    if at is not None:
        sums = np.bincount(at.reshape(-1), g.reshape(-1), math.prod(shape))
        return sums.astype(g.dtype, copy=False).reshape(shape)
    out = np.zeros(shape, g.dtype)
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
