"""What a layer computes from its parameters: linear, embedding, dropout."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core import fast
from autograd_ref.core.broadcasting import ones, unbroadcast
from autograd_ref.core.node import Node
from autograd_ref.core.saved import plain
from autograd_ref.core.tensor import Tensor, wrap
from autograd_ref.functional.fused import Fused
from autograd_ref.rules.products import dot, is_turned

_Place = fast.Place if fast else None


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """`x @ weight.T + bias` for x (..., in), weight (out, in), bias (out,) or None; returns (..., out).

    >>> linear(np.ones((1, 2)), np.array([[1.0, 2.0]]), np.array([3.0]))
    array([[6.]])
    """
    return _linear(x, weight, bias)


def _definition(x: Any, weight: Any, bias: Any = None) -> Any:
    out = ops.matmul(x, ops.swapaxes(weight, 0, 1))
    return out if bias is None else out + bias


def _rows(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1, x.shape[-1])


def _forward(x: np.ndarray, weight: np.ndarray, bias: Any = None) -> tuple[np.ndarray, None]:
    if x.ndim == 2:
        out = dot(x, weight.T)
    else:
        out = np.empty((*x.shape[:-1], len(weight)), x.dtype)
        dot(_rows(x), weight.T, out.reshape(-1, len(weight)))
    if bias is not None:
        out += bias
    return out, None


def _backward(g: np.ndarray, to: Any, _kept: None, x: Any, weight: Any, _bias: Any = None) -> Any:
    """The gradients. That of the weight is computed where an optimizer wants it, if it said so: see fast/place.py."""
    grad_x = grad_w = grad_b = None
    to_x, to_w = to[0], to[1]
    rows, x_rows = g, x
    if g.ndim != 2:
        rows, x_rows = _rows(g), x if x is None else _rows(x)
    if to_x is not None:
        if x is None or x.flags.c_contiguous:
            grad_x = dot(rows, weight)
            if g.ndim != 2:
                grad_x = grad_x.reshape(to_x.shape)
        else:  # The gradient has its argument's layout: a convolution's channel-first one, flattened.
            grad_x = dot(weight.T, rows.T).T.reshape(x.shape)
    if to_w is not None:
        home = None
        if type(to_w) is not Node and type(to_w._grad) is _Place and to_w is not to_x:
            home = to_w._grad.array if to_w._grad.array.dtype is g.dtype else None
        grad_w = dot(x_rows.T, rows).T if is_turned(to_w) else dot(rows.T, x_rows, home)
    if len(to) == 3 and to[2] is not None:
        grad_b = ones(len(rows), rows.dtype).dot(rows)
        if grad_b.shape != to[2].shape:  # one number for all outputs, or one for each row
            grad_b = unbroadcast(g, to[2].shape)
    return grad_x, grad_w, grad_b


_linear = Fused("linear", _definition, _forward, _backward, reads={"x": "weight", "weight": "x", "bias": ""})


def embedding(index: Any, weight: Any) -> Any:
    """Row `index[...]` of `weight` (entries, width) for each integer; returns `(*index.shape, width)`.

    Raises TypeError for an index that is not of integers, IndexError for one outside of the table.
    """
    rows = np.asarray(plain(index))
    if rows.dtype.kind not in "iu":
        raise TypeError(f"'embedding' needs integers to look up, not {rows.dtype}.")
    unsigned = rows.view(f"u{rows.itemsize}")  # a negative number is then a very large one
    if rows.size and np.maximum.reduce(unsigned, None) >= len(weight):
        raise IndexError(
            f"'embedding' was asked for entries {rows.min()} to {rows.max()}, "
            f"the table has 0 to {len(weight) - 1}."
        )
    if not rows.ndim:  # A single integer would give a view of the table.
        return ops.clone(ops.getitem(weight, rows[None])[0])
    return ops.getitem(weight, index if isinstance(index, Tensor) else rows)


def one_hot(index: Any, num_classes: int = -1) -> Any:
    """A row of zeros with a 1 at `index[...]` for each integer: `(*index.shape, num_classes)`, int64.

    Without `num_classes` there are as many as the largest index needs. Raises TypeError for an index that is not of
    integers, ValueError for one that is negative or too large.

    >>> one_hot(np.array([2, 0]))
    array([[0, 0, 1],
           [1, 0, 0]])
    """
    rows = np.asarray(plain(index))
    if rows.dtype.kind not in "iu":
        raise TypeError(f"'one_hot' needs integers, not {rows.dtype}.")
    unsigned = rows.view(f"u{rows.itemsize}")  # a negative number is then a very large one
    most = unsigned.item(unsigned.argmax()) if rows.size else -1
    classes = num_classes
    if num_classes == -1:
        if not rows.size:
            raise ValueError("'one_hot' cannot tell the number of classes from no index: give num_classes.")
        classes = int(rows.max()) + 1
    if most >= classes:
        raise ValueError(
            f"'one_hot' of {classes} classes was asked for {rows.min()} to {rows.max()}, there are 0 to {classes - 1}."
        )
    out = np.zeros((*rows.shape, classes), np.int64)
    out.put(rows.reshape(-1).astype(np.int64, copy=False) + _starts(rows.size, classes), 1)
    return wrap(out) if isinstance(index, Tensor) else out


def _starts(rows: int, length: int) -> np.ndarray:
    """Where each row of an array begins, counted in elements; read only."""
    return _few_starts(rows, length) if rows <= _FEW else np.arange(rows, dtype=np.int64) * length


_FEW = 65_536


@lru_cache(maxsize=16)
def _few_starts(rows: int, length: int) -> np.ndarray:
    starts = np.arange(rows, dtype=np.int64) * length
    starts.setflags(write=False)
    return starts


def dropout(x: Any, p: float = 0.5, training: bool = True, rng: np.random.Generator | None = None) -> Any:
    """Each element becomes 0 with probability `p`, the others are divided by `1 - p`.

    Outside training nothing changes. Srivastava et al. 2014, JMLR 15. `rng` makes the choice reproducible.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"dropout's p is a probability from 0 to 1, not {p}.")
    if not training or p == 0 or not x.size:
        return x
    rng = rng or np.random.default_rng()
    keep = (rng.random(x.shape) >= p).astype(x.dtype)
    return x * (keep / (1 - p) if p < 1 else keep)
