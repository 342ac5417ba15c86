"""The operators and methods of a tensor. Each one calls the function of the same name in `ops`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import autograd_ref as ag

if TYPE_CHECKING:
    from .tensor import Tensor


class Operators:
    """What `Tensor` inherits so that `x + y` and `x.sum()` work."""

    __slots__ = ()
    if TYPE_CHECKING:

        @property
        def shape(self) -> tuple[int, ...]: ...
        @property
        def ndim(self) -> int: ...

        def detach(self) -> Tensor: ...
        def _update(self, result: Any) -> Tensor: ...

    # fmt: off
    def __add__(self, other: Any) -> Tensor: return ag.ops.add(self, other)
    def __radd__(self, other: Any) -> Tensor: return ag.ops.add(other, self)
    def __sub__(self, other: Any) -> Tensor: return ag.ops.sub(self, other)
    def __rsub__(self, other: Any) -> Tensor: return ag.ops.sub(other, self)
    def __mul__(self, other: Any) -> Tensor: return ag.ops.mul(self, other)
    def __rmul__(self, other: Any) -> Tensor: return ag.ops.mul(other, self)
    def __truediv__(self, other: Any) -> Tensor: return ag.ops.div(self, other)
    def __rtruediv__(self, other: Any) -> Tensor: return ag.ops.div(other, self)
    def __floordiv__(self, other: Any) -> Tensor: return ag.ops.floor_divide(self, other)
    def __rfloordiv__(self, other: Any) -> Tensor: return ag.ops.floor_divide(other, self)
    def __mod__(self, other: Any) -> Tensor: return ag.ops.remainder(self, other)
    def __rmod__(self, other: Any) -> Tensor: return ag.ops.remainder(other, self)
    def __pow__(self, other: Any) -> Tensor: return ag.ops.pow(self, other)
    def __rpow__(self, other: Any) -> Tensor: return ag.ops.pow(other, self)
    def __matmul__(self, other: Any) -> Tensor: return ag.ops.matmul(self, other)
    def __rmatmul__(self, other: Any) -> Tensor: return ag.ops.matmul(other, self)
    def __neg__(self) -> Tensor: return ag.ops.neg(self)
    def __pos__(self) -> Any: return self
    def __abs__(self) -> Tensor: return ag.ops.abs(self)

    def __iadd__(self, other: Any) -> Tensor: return self._update(ag.ops.add(self, other))
    def __isub__(self, other: Any) -> Tensor: return self._update(ag.ops.sub(self, other))
    def __imul__(self, other: Any) -> Tensor: return self._update(ag.ops.mul(self, other))
    def __itruediv__(self, other: Any) -> Tensor: return self._update(ag.ops.div(self, other))
    def __ifloordiv__(self, other: Any) -> Tensor: return self._update(ag.ops.floor_divide(self, other))
    def __imod__(self, other: Any) -> Tensor: return self._update(ag.ops.remainder(self, other))
    def __ipow__(self, other: Any) -> Tensor: return self._update(ag.ops.pow(self, other))
    add_, sub_, mul_, div_ = __iadd__, __isub__, __imul__, __itruediv__

    def __lt__(self, other: Any) -> Tensor: return ag.ops.less(self, other)
    def __le__(self, other: Any) -> Tensor: return ag.ops.less_equal(self, other)
    def __gt__(self, other: Any) -> Tensor: return ag.ops.greater(self, other)
    def __ge__(self, other: Any) -> Tensor: return ag.ops.greater_equal(self, other)
    def __eq__(self, other: Any) -> Any: return ag.ops.equal(self, other)
    def __ne__(self, other: Any) -> Any: return ag.ops.not_equal(self, other)
    def __invert__(self) -> Tensor: return ag.ops.bitwise_not(self)
    def __and__(self, other: Any) -> Tensor: return ag.ops.bitwise_and(self, other)
    def __or__(self, other: Any) -> Tensor: return ag.ops.bitwise_or(self, other)
    def __xor__(self, other: Any) -> Tensor: return ag.ops.bitwise_xor(self, other)
    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    __hash__ = object.__hash__

    def __getitem__(self, index: Any) -> Tensor: return ag.ops.getitem(self, index)

    def exp(self) -> Tensor: return ag.ops.exp(self)
    def log(self) -> Tensor: return ag.ops.log(self)
    def sqrt(self) -> Tensor: return ag.ops.sqrt(self)
    def sin(self) -> Tensor: return ag.ops.sin(self)
    def cos(self) -> Tensor: return ag.ops.cos(self)
    def tanh(self) -> Tensor: return ag.ops.tanh(self)
    def sigmoid(self) -> Tensor: return ag.ops.sigmoid(self)
    def relu(self) -> Tensor: return ag.ops.relu(self)
    def abs(self) -> Tensor: return ag.ops.abs(self)
    def pow(self, exponent: Any) -> Tensor: return ag.ops.pow(self, exponent)
    def matmul(self, other: Any) -> Tensor: return ag.ops.matmul(self, other)
    def clip(self, low: Any = None, high: Any = None) -> Tensor: return ag.ops.clip(self, low, high)

    def clamp(self, min: Any = None, max: Any = None) -> Tensor: return ag.ops.clamp(self, min, max)
    def masked_fill(self, mask: Any, value: Any) -> Tensor: return ag.ops.masked_fill(self, mask, value)
    def tril(self, diagonal: int = 0) -> Tensor: return ag.ops.tril(self, diagonal)
    def triu(self, diagonal: int = 0) -> Tensor: return ag.ops.triu(self, diagonal)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Tensor: return ag.ops.sum(self, axis, keepdims)
    def mean(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        return ag.ops.mean(self, axis, keepdims)
    def max(self, axis: Any = None, keepdims: bool = False) -> Tensor: return ag.ops.max(self, axis, keepdims)
    def min(self, axis: Any = None, keepdims: bool = False) -> Tensor: return ag.ops.min(self, axis, keepdims)
    def prod(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        return ag.ops.prod(self, axis, keepdims)
    def var(self, axis: Any = None, keepdims: bool = False, correction: int = 1) -> Tensor:
        return ag.ops.var(self, axis, keepdims, correction)
    def std(self, axis: Any = None, keepdims: bool = False, correction: int = 1) -> Tensor:
        return ag.ops.std(self, axis, keepdims, correction)
    def norm(self, p: Any = 2, axis: Any = None, keepdims: bool = False) -> Tensor:
        return ag.ops.norm(self, p, axis, keepdims)
    def logsumexp(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        return ag.ops.logsumexp(self, axis, keepdims)
    def softmax(self, axis: int = -1) -> Tensor: return ag.ops.softmax(self, axis)
    def log_softmax(self, axis: int = -1) -> Tensor: return ag.ops.log_softmax(self, axis)
    def cumsum(self, axis: int = 0) -> Tensor: return ag.ops.cumsum(self, axis)
    def argmax(self, axis: int | None = None) -> Tensor: return ag.ops.argmax(self, axis)
    def argmin(self, axis: int | None = None) -> Tensor: return ag.ops.argmin(self, axis)
    def argsort(self, axis: int = -1, descending: bool = False) -> Tensor:
        return ag.ops.argsort(self, axis, descending)
    def sort(self, axis: int = -1, descending: bool = False) -> Any: return ag.ops.sort(self, axis, descending)
    def topk(self, k: int, axis: int = -1, largest: bool = True) -> Any: return ag.ops.topk(self, k, axis, largest)
    def any(self) -> bool: return bool(self.detach().numpy().any())
    def all(self) -> bool: return bool(self.detach().numpy().all())

    def reshape(self, *shape: Any) -> Tensor: return ag.ops.reshape(self, *shape)
    def view(self, *shape: Any) -> Tensor: return ag.ops.reshape(self, *shape)
    def flatten(self, start: int = 0) -> Tensor: return ag.ops.flatten(self, start)
    def permute(self, *axes: Any) -> Tensor: return ag.ops.permute(self, *axes)
    def transpose(self, *axes: Any) -> Tensor: return ag.ops.transpose(self, *axes)
    def swapaxes(self, a: int, b: int) -> Tensor: return ag.ops.swapaxes(self, a, b)
    def squeeze(self, axis: Any = None) -> Tensor: return ag.ops.squeeze(self, axis)
    def unsqueeze(self, axis: int) -> Tensor: return ag.ops.unsqueeze(self, axis)
    def broadcast_to(self, *shape: Any) -> Tensor: return ag.ops.broadcast_to(self, *shape)
    def expand(self, *shape: Any) -> Tensor: return ag.ops.expand(self, *shape)
    def repeat(self, *times: Any) -> Tensor: return ag.ops.repeat(self, *times)
    def chunk(self, chunks: int, axis: int = 0) -> list[Tensor]: return ag.ops.chunk(self, chunks, axis)
    def unbind(self, axis: int = 0) -> list[Tensor]: return ag.ops.unbind(self, axis)
    def split(self, size: Any, axis: int = 0) -> list[Tensor]: return ag.ops.split(self, size, axis)
    def flip(self, axis: Any = None) -> Tensor: return ag.ops.flip(self, axis)
    def roll(self, shift: Any, axis: Any = None) -> Tensor: return ag.ops.roll(self, shift, axis)
    def take(self, index: Any, axis: int = 0) -> Tensor: return ag.ops.take(self, index, axis)
    def gather(self, axis: int, index: Any) -> Tensor: return ag.ops.gather(self, axis, index)
    def astype(self, dtype: Any) -> Tensor: return ag.ops.astype(self, dtype)
    def float(self) -> Tensor: return ag.ops.astype(self, "float32")
    def double(self) -> Tensor: return ag.ops.astype(self, "float64")
    def long(self) -> Tensor: return ag.ops.astype(self, "int64")
    def clone(self) -> Tensor: return ag.ops.clone(self)

    @property
    def T(self) -> Tensor: return ag.ops.transpose(self)
    # fmt: on

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("A 0-d tensor has no length: it holds one number.")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))
