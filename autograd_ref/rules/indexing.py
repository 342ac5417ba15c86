"""Rules of indexing. Reading scatters the gradient back; an element read twice gets both gradients."""

from __future__ import annotations

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
    else:
        np.add.at(out, index, g)
    return out


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


def _take_along(x: Any, index: Any, axis: int, before: Any) -> Any:
    return np.take_along_axis(x, index, axis)


gather: Primitive = Primitive(
    "gather",
    _take_along,
    (lambda g, _ans, _x, index, axis, before: scatter_along(g, index=index, axis=axis, shape=before),),
    jvp="linear",
    constants=("index",),
)


def _scatter_along(g: Any, index: Any, axis: int, shape: tuple[int, ...]) -> np.ndarray:
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
