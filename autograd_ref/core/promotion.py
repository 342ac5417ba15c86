"""Which dtype a result has. As in PyTorch, numbers and 0-d values adapt to arrays: float32 stays float32.

Arguments are cast before an operation runs, so no rule ever sees two dtypes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

_RANK = {"b": 0, "u": 1, "i": 1, "f": 2}


@lru_cache(maxsize=256)
def constant(value: float, dtype: Any) -> np.ndarray:
    """A number as a read-only 0-d array, for rules and updates that meet arrays of this dtype."""
    made = np.asarray(value + 0.0, dtype)  # one zero for both signs: to the cache they are the same
    made.setflags(write=False)
    return made


def common_dtype(arrays: list[np.ndarray]) -> np.dtype:
    """PyTorch's promotion: floats, then integers, then booleans; within a kind, 0-d values do not count."""
    top = max(_RANK.get(a.dtype.kind, 3) for a in arrays)
    same = [a for a in arrays if _RANK.get(a.dtype.kind, 3) == top]
    return np.result_type(*{a.dtype for a in same if a.ndim} or {a.dtype for a in same})


def can_hold(dtype: np.dtype, other: np.dtype) -> bool:
    """Whether an array of `dtype` can take numbers of the other dtype in place: floats do not fit into integers."""
    return _RANK.get(other.kind, 3) <= _RANK.get(dtype.kind, 3)


def promote(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with one dtype. Numbers of any kind stay numbers; a cast of a tensor is recorded."""
    if len(args) == 1:
        return args
    args = tuple([_operand(a) for a in args])
    arrays = [getattr(a, "_data", a) for a in args if not isinstance(a, int | float)]
    if len({a.dtype for a in arrays}) <= 1:
        return args
    dtype = common_dtype(arrays)
    return tuple([a if isinstance(a, int | float) or a.dtype == dtype else a.astype(dtype) for a in args])


def _operand(a: Any) -> Any:
    if isinstance(a, np.generic):
        return a.item()
    return a if hasattr(a, "dtype") or isinstance(a, int | float) else np.asarray(a)
