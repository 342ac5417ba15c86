"""An array and a number, a block that stays in the cache at a time."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref.core.promotion import constant

BLOCK = 1 << 14  # elements
_FEW = 512  # So many are done before a block would have begun.


def with_number(ufunc: Any, x: np.ndarray, number: float, out: np.ndarray | None = None) -> Any:
    """`maximum` or `minimum` of an array and a number, which NumPy has several times faster for two arrays."""
    if type(x) is not np.ndarray or x.size < _FEW or x.dtype.kind != "f":
        number = constant(number, x.dtype) if x.dtype.kind == "f" else number  # type: ignore[assignment]
        return np.asarray(ufunc(x, number, out=out))
    if x.size <= BLOCK and x.flags.c_contiguous:
        return ufunc(x, _filled(number, x.dtype, x.shape), out=out)
    repeated = _repeated(number, x.dtype)
    result = np.empty_like(x) if out is None else out
    to, flat = result.ravel("K"), x.ravel("K")
    if not np.may_share_memory(to, result):  # gaps between the numbers: ravel has copied
        return ufunc(x, constant(number, x.dtype), out=result)
    for i in range(0, x.size, BLOCK):
        part = flat[i : i + BLOCK]
        ufunc(part, repeated[: part.size], out=to[i : i + BLOCK])
    return result


@lru_cache(maxsize=64)
def _filled(number: float, dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    return _repeated(number, dtype)[: math.prod(shape)].reshape(shape)


@lru_cache(maxsize=16)
def _repeated(number: float, dtype: Any) -> np.ndarray:
    made = np.full(BLOCK, number, dtype)
    made.setflags(write=False)
    return made
