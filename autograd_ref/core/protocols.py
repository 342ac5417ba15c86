"""A tensor among Python's things: as text, as a number, copied and pickled."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from .saved import NEVER, Stamp

if TYPE_CHECKING:
    from .node import Node

new = object.__new__


class Protocols:
    """What a tensor answers to `print`, `float`, `bool`, `copy` and `pickle`."""

    __slots__ = ()

    if TYPE_CHECKING:
        _data: np.ndarray
        _stamp: Stamp
        grad: Any
        grad_fn: Node | None
        requires_grad: bool
        dtype: Any
        size: Any
        shape: Any

        def item(self) -> Any: ...

    def __repr__(self) -> str:
        notes = ""
        if self.dtype not in (np.float64, np.int64, np.bool_):
            notes += f", dtype={self.dtype}"
        if self.grad_fn is not None:
            notes += f", grad_fn={self.grad_fn}"
        elif self.requires_grad:
            notes += ", requires_grad=True"
        if self.grad is not None:
            shown = _array_text(self.grad._data, 5) if self.size <= 8 else f"<shape {self.grad.shape}>"
            notes += f", grad={shown}"
        return f"Tensor({_array_text(self._data, 7)}{notes})"

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                f"A tensor of shape {self.shape} is neither true nor false: use .any() or .all()."
            )
        return bool(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else repr(self)

    def __deepcopy__(self, memo: dict[int, Any], with_grad: bool = True) -> Any:
        """A leaf of its own, with the gradient. What shared its array shares that of the copy."""
        self._must_be_leaf("deep-copied")
        twin: Any = new(type(self))
        memo[id(self)] = twin
        grad = copy.deepcopy(self.grad, memo) if with_grad else None
        twin.__setstate__({"_data": copy.deepcopy(self._data, memo), "_grad": grad})
        twin._stamp = memo.setdefault(id(self._stamp), twin._stamp)
        twin.requires_grad = self.requires_grad
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: what a leaf holds."""
        self._must_be_leaf("pickled")
        return {"_data": self._data, "_grad": self.grad, "requires_grad": self.requires_grad}

    def __setstate__(self: Any, state: dict[str, Any]) -> None:
        self.requires_grad, self.grad_fn, self._stamp = False, None, [NEVER]
        for name, value in state.items():
            setattr(self, name, value)

    def __copy__(self) -> Any:
        twin: Any = new(type(self))
        for name in ("_data", "grad", "_stamp", "grad_fn", "requires_grad"):
            setattr(twin, name, getattr(self, name))
        return twin

    def _must_be_leaf(self, what: str) -> None:
        if self.grad_fn is not None:
            raise RuntimeError(
                f"Only leaf tensors can be {what}, and this one was computed by '{self.grad_fn.name}': "
                "use detach().clone() for its value alone."
            )


def _array_text(data: np.ndarray, indent: int) -> str:
    return np.array2string(data, separator=", ", prefix=" " * indent, precision=4, suppress_small=False)
