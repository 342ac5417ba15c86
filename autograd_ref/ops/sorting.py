"""Order: sorting and the largest elements. The values are gathered at positions, which carry no gradient."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autograd_ref.core.saved import plain
from autograd_ref.core.tensor import Tensor, wrap
from autograd_ref.ops.shapes import shaped
from autograd_ref.rules import indexing
from autograd_ref.rules.reductions import axes_of
from autograd_ref.rules.shapes import clone


class Sorted(NamedTuple):
    """The elements in order, and where each stood: what `sort` and `topk` return, as in PyTorch."""

    values: Any
    indices: Any


def argsort(x: Any, axis: int = -1, descending: bool = False) -> Any:
    """The positions that bring `x` into order along `axis`, as integers; equal elements stay in their order.

    NaN counts as the largest. The result carries no gradient.

    >>> argsort(Tensor([3.0, 1.0, 2.0])).tolist()
    [1, 2, 0]
    """
    found = _positions(plain(shaped(x)), axis, descending)
    return wrap(found) if isinstance(x, Tensor) else found


def _positions(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    if not x.ndim:
        return np.zeros((), np.intp)
    if not descending:
        return x.argsort(axis, kind="stable")
    # From behind and read backwards: so equal elements stay in their order, and NaN comes first.
    back = (slice(None),) * (axis % x.ndim) + (slice(None, None, -1),)
    order = x[back].argsort(axis, kind="stable")[back]
    return x.shape[axis] - 1 - order


def sort(x: Any, axis: int = -1, descending: bool = False) -> Sorted:
    """`(values, indices)`: the elements in order along `axis`, and the positions that they had.

    Equal elements stay in their order, and NaN counts as the largest. A gradient goes to where its value stood.

    >>> values, indices = sort(Tensor([3.0, 1.0, 2.0]))
    >>> values, indices
    (Tensor([1., 2., 3.]), Tensor([1, 2, 0]))
    """
    x = shaped(x)
    return _chosen(x, axes_of(axis, x.ndim)[0] if x.ndim else 0, _positions(plain(x), axis, descending))


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Sorted:
    """`(values, indices)` of the `k` largest elements along `axis` (or the smallest), the first of them first.

    Of equal ones the first come first. Raises ValueError for a k that the axis does not have.

    >>> topk(Tensor([3.0, 1.0, 2.0]), 2)
    Sorted(values=Tensor([3., 2.]), indices=Tensor([0, 2]))
    """
    x = shaped(x)
    at = axes_of(axis, x.ndim)[0] if x.ndim else 0
    n = x.shape[at] if x.ndim else 1
    if not 0 <= k <= n:
        raise ValueError(f"'topk' cannot take {k} of {n} elements, the length of axis {axis} of {x.shape}.")
    order = _positions(plain(x), axis, largest)
    return _chosen(x, at, order[(slice(None),) * at + (slice(k),)] if x.ndim else order)


def _chosen(x: Any, axis: int, order: np.ndarray) -> Sorted:
    indices = wrap(order) if isinstance(x, Tensor) else order
    if not x.ndim:
        return Sorted(clone(x), indices)
    return Sorted(indexing.gather(x, index=indices, axis=axis, before=x.shape), indices)
