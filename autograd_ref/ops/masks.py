"""Parts of an array that are replaced: by a mask, above or below a diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref.core.saved import plain
from autograd_ref.core.tensor import Tensor
from autograd_ref.ops.shapes import shaped
from autograd_ref.rules import shapes
from autograd_ref.rules.elementwise import where


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """`x` with `value`, one number, where the mask is true. Both broadcast; no gradient passes where it is filled.

    Raises TypeError for a mask that is not boolean, ValueError for a value of more than one number.

    >>> masked_fill(Tensor([1.0, 2.0, 3.0]), np.array([False, True, False]), -np.inf)
    Tensor([  1., -inf,   3.])
    """
    x, mask = shaped(x), shaped(mask)
    if mask.dtype.kind != "b":
        raise TypeError(f"'masked_fill' needs a boolean mask, not one of {mask.dtype}: write mask != 0.")
    if getattr(value, "ndim", 0):
        raise ValueError(f"'masked_fill' fills with one number, not with shape {value.shape}: use where.")
    if not isinstance(value, Tensor):
        value = x.dtype.type(plain(value))
        return where(mask, value if isinstance(x, np.ndarray) else value.item(), x)
    return where(mask, value.astype(x.dtype), x)


def tril(x: Any, diagonal: int = 0) -> Any:
    """The lower triangle of matrices (..., rows, columns): what is above a diagonal becomes 0.

    Diagonal 0 is the main one, 1 the next above it, -1 the next below it. Raises ValueError for fewer than two axes.

    >>> tril(Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 0.0], [3.0, 4.0]]
    """
    return shapes.tril(_matrix("tril", x), diagonal=diagonal)


def triu(x: Any, diagonal: int = 0) -> Any:
    """The upper triangle of matrices (..., rows, columns): what is below a diagonal becomes 0. See `tril`.

    >>> triu(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    return shapes.triu(_matrix("triu", x), diagonal=diagonal)


def _matrix(name: str, x: Any) -> Any:
    x = shaped(x)
    if x.ndim < 2:
        raise ValueError(f"'{name}' takes triangles of matrices, and shape {x.shape} has no two axes.")
    return x
