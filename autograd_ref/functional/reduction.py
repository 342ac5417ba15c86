"""What every loss does at its end and its beginning: reduce, and compare shapes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.tensor import Tensor


def plain(x: Any) -> Any:
    return x._data if isinstance(x, Tensor) else x


def reduce(loss: Any, reduction: str) -> Any:
    """The mean, the sum, or the losses themselves."""
    if reduction == "mean":
        return ops.mean(loss)
    if reduction == "sum":
        return ops.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"reduction is 'mean', 'sum' or 'none', not {reduction!r}.")


def mean_of(total: Any, count: int) -> Any:
    """A NumPy number divided by how many it was added up from; the mean of none is NaN, without a warning."""
    return total / count if count else total * np.nan


_EQUAL = "it compares element by element, so they must be equal"


def same_shape(name: str, x: Any, target: Any) -> None:
    if x.shape != target.shape:
        raise ValueError(f"'{name}' cannot combine shapes {x.shape} and {target.shape}: {_EQUAL}.")


def may_broadcast(name: str, x: Any, target: Any) -> None:
    if x.shape != target.shape:
        warnings.warn(
            f"'{name}' compares shapes {x.shape} and {target.shape} by repeating elements, which is seldom meant: "
            "give both the same shape.",
            stacklevel=3,
        )
