"""An independent engine for the same programs: every element is a number that knows what it was computed from.

A tensor is a NumPy array of such numbers (dtype object). So a view is NumPy's view, an index that repeats picks the
same number twice, and a change in place puts other numbers where the old ones were: what PyTorch and this repository's
engine do with stamps and rules comes out of Python's own references. It is slow, knows no refusal, and needs no other
library: where PyTorch is not installed, programs are compared with it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

_order = itertools.count().__next__
_recording = [True]


class Number:
    """A value, and for each number that it depends on the derivative, a number itself (made when it is asked for)."""

    __slots__ = ("order", "parents", "value")

    def __init__(self, value: Any, parents: tuple[tuple[Number, Callable[[], Any]], ...] = ()) -> None:
        self.value, self.order = np.float64(value), _order()
        self.parents = tuple([(p, d) for p, d in parents if isinstance(p, Number)]) if _recording[0] else ()

    def __add__(self, other: Any) -> Number:
        return Number(self.value + value(other), ((self, lambda: 1.0), (other, lambda: 1.0)))

    def __mul__(self, other: Any) -> Number:
        return Number(self.value * value(other), ((self, lambda: other), (other, lambda: self)))

    def __pow__(self, other: Any) -> Number:
        if isinstance(other, Number) or other != int(other):
            out = Number(np.power(self.value, value(other)))
            to_y = lambda: 0.0 if self.value == 0 and value(other) >= 0 else out * log(self)  # noqa: E731
            out.parents = (
                ((self, lambda: _slope_of_power(self, other)), (other, to_y)) if _recording[0] else ()
            )
            out.parents = tuple([(p, d) for p, d in out.parents if isinstance(p, Number)])
            return out
        return Number(
            np.power(self.value, np.float64(other)), ((self, lambda: _slope_of_power(self, other)),)
        )

    def __rpow__(self, other: Any) -> Number:
        return Number(other) ** self

    def __neg__(self) -> Number:
        return self * -1.0

    def __sub__(self, other: Any) -> Number:
        return self + other * -1.0

    def __rsub__(self, other: Any) -> Number:
        return self * -1.0 + other

    def __truediv__(self, other: Any) -> Number:
        if not isinstance(other, Number):
            return Number(self.value / np.float64(other), ((self, lambda: 1.0 / np.float64(other)),))
        out = Number(self.value / other.value)
        if _recording[0]:
            out.parents = (self, lambda: 1.0 / other), (other, lambda: -(self / other) / other)
        return out

    def __rtruediv__(self, other: Any) -> Number:
        return Number(other) / self

    __radd__, __rmul__ = __add__, __mul__


def value(x: Any) -> Any:
    """The plain number."""
    return x.value if isinstance(x, Number) else np.float64(x)


def _slope_of_power(x: Number, y: Any) -> Any:
    return 0.0 if value(y) == 0 else x ** (y - 1.0) * y


def _function(f: Callable[[Any], Any], slope: Callable[[Number, Number], Any]) -> Callable[[Any], Number]:
    def call(x: Any) -> Number:
        x = x if isinstance(x, Number) else Number(x)
        out = Number(f(x.value))
        if _recording[0]:
            out.parents = ((x, lambda: slope(x, out)),)
        return out

    return call


exp = _function(np.exp, lambda x, out: out)
expm1 = _function(np.expm1, lambda x, out: out + 1.0)
log = _function(np.log, lambda x, out: 1.0 / x)
log1p = _function(np.log1p, lambda x, out: 1.0 / (x + 1.0))
sqrt = _function(np.sqrt, lambda x, out: 0.5 / out)
sin: Callable[[Any], Number] = _function(np.sin, lambda x, out: cos(x))
cos: Callable[[Any], Number] = _function(np.cos, lambda x, out: -sin(x))
tan = _function(np.tan, lambda x, out: out * out + 1.0)
tanh = _function(np.tanh, lambda x, out: 1.0 - out * out)
sigmoid = _function(lambda v: 1 / (1 + np.exp(-v)), lambda x, out: out * (1.0 - out))
softplus = _function(lambda v: np.logaddexp(v, 0.0), lambda x, out: sigmoid(x))
erf = _function(math.erf, lambda x, out: exp(-(x * x)) * (2 / math.sqrt(math.pi)))
sign = _function(np.sign, lambda x, out: 0.0)
absolute = _function(np.abs, lambda x, out: sign(x))
relu = _function(lambda v: max(v, 0.0), lambda x, out: float(x.value > 0))


def _gelu(x: Any) -> Number:
    return x * 0.5 * (erf(x * math.sqrt(0.5)) + 1.0)


def _greater_of(x: Any, y: Any) -> Any:
    return (x + y) * 0.5 if value(x) == value(y) else x if value(x) > value(y) else y


def _lesser_of(x: Any, y: Any) -> Any:
    return (x + y) * 0.5 if value(x) == value(y) else x if value(x) < value(y) else y


class Tensor:
    """An array of numbers; integers and booleans are plain arrays."""

    __array_ufunc__ = None

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.grad: Tensor | None = None
        self.constant = not requires_grad
        self.leaf: list[Number] | None = None
        if isinstance(data, Tensor):
            data = data.array
        data = np.asarray(data)
        if data.dtype.kind == "f":
            data = _each(Number, data)
        if requires_grad:
            if data.dtype != object:
                raise TypeError("only floating-point tensors carry gradients")
            fresh = _each(lambda x: Number(value(x)), data)
            data[...] = fresh
            self.leaf = list(fresh.reshape(-1))
        self.array = data

    @classmethod
    def of(cls, array: Any, constant: bool) -> Tensor:
        """A tensor around what was computed."""
        out = cls.__new__(cls)
        if not isinstance(array, np.ndarray):
            array = np.array(array, object if isinstance(array, Number) else None)
        out.array, out.constant, out.grad, out.leaf = array, constant or not _recording[0], None, None
        return out

    @property
    def requires_grad(self) -> bool:
        """Whether a derivative with respect to it can be asked for."""
        return not self.constant

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of every axis."""
        return self.array.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.array.ndim

    def read(self) -> np.ndarray:
        """The numbers to compute with: without their past, if this tensor is a constant."""
        if self.array.dtype != object or not self.constant:
            return self.array
        return _each(lambda x: Number(value(x)), self.array)

    def values(self) -> np.ndarray:
        """The plain numbers."""
        return self.array if self.array.dtype != object else _each(value, self.array).astype(float)

    def _write(self, index: Any, new: Any, wants: bool) -> None:
        """Put numbers where others were; without a record, derivatives go on to the old ones."""
        part = self.array[index]
        new = np.broadcast_to(new.read() if isinstance(new, Tensor) else np.asarray(new), np.shape(part))
        if self.array.dtype == object:
            if (self.constant and not wants) or not _recording[0]:
                old = np.asarray(part, object)
                flat = [_moved(o, value(n)) for o, n in zip(old.reshape(-1), new.reshape(-1), strict=True)]
                new = np.empty(len(flat), object)
                new[:] = flat
                new = new.reshape(np.shape(part))
            else:
                new = _each(lambda x: x if isinstance(x, Number) else Number(x), new)
        self.array[index] = (
            new if new.shape else new[()]
        )  # an array would go in as it is, in place of a number

    def _update(self, result: Tensor) -> Tensor:
        wants = result.requires_grad
        self._write(..., result, wants)
        self.constant = self.constant and not wants
        return self

    def __setitem__(self, index: Any, new: Any) -> None:
        wants = isinstance(new, Tensor) and new.requires_grad and _recording[0]
        self._write(_plain(index), new, wants)
        self.constant = self.constant and not wants

    def copy_(self, new: Any) -> Tensor:
        """Overwrite all."""
        self[...] = new
        return self

    def __getitem__(self, index: Any) -> Tensor:
        index = _plain(index)
        out = self.array[index]
        if not isinstance(out, np.ndarray):
            out = self.array[(*index, ...) if isinstance(index, tuple) else (index, ...)]
        return Tensor.of(out, self.constant)

    def backward(self, gradient: Any = None, retain_graph: bool = False, create_graph: bool = False) -> None:
        """Add derivatives to the leaves that still are tensors with names: see `Scalars.leaves`."""
        seeds = (
            np.ones(self.shape)
            if gradient is None
            else gradient.read()
            if isinstance(gradient, Tensor)
            else gradient
        )
        gradients: dict[Number, Any] = {}
        for n, g in zip(self.array.reshape(-1), np.asarray(seeds).reshape(-1), strict=True):
            gradients[n] = gradients[n] + g if n in gradients else g
        before, _recording[0] = _recording[0], create_graph
        try:
            waiting = set(gradients)
            while waiting:
                n = max(waiting, key=lambda m: m.order)
                waiting.remove(n)
                for parent, slope in n.parents:
                    g = gradients[n] * slope()
                    gradients[parent] = gradients[parent] + g if parent in gradients else g
                    waiting.add(parent)
            for leaf in list(Scalars.leaves):
                if leaf.leaf is not None and leaf.requires_grad and any(n in gradients for n in leaf.leaf):
                    found = np.empty(len(leaf.leaf), object)
                    found[:] = [gradients.get(n, 0.0) for n in leaf.leaf]
                    found = _each(
                        lambda g: g if isinstance(g, Number) else Number(g), found.reshape(leaf.shape)
                    )
                    if leaf.grad is not None and not create_graph:  # whoever has read it sees it grow
                        leaf.grad.array[...] = leaf.grad.array + found
                        continue
                    total = found if leaf.grad is None else leaf.grad.array + found
                    leaf.grad = Tensor.of(total, not create_graph)
        finally:
            _recording[0] = before

    def numpy(self) -> Any:
        """Arrays of floats cannot show these numbers."""
        raise NotImplementedError

    def detach(self) -> Tensor:
        """The same numbers, as constants."""
        return Tensor.of(self.array, True)

    def clone(self) -> Tensor:
        """A copy."""
        return Tensor.of(self.read().copy(), self.constant)

    def zero_grad(self) -> None:
        """Forget the gradient."""
        self.grad = None

    def reshape(self, *shape: Any) -> Tensor:
        """The numbers in another shape."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        return Tensor.of(self.array.reshape(shape), self.constant)

    def flatten(self) -> Tensor:
        """All in one axis."""
        return self if self.ndim == 1 else self.reshape(-1)

    def permute(self, *axes: Any) -> Tensor:
        """The axes in another order."""
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple) else axes
        return Tensor.of(self.array.transpose(axes), self.constant)

    def transpose(self) -> Tensor:
        """The axes reversed."""
        return Tensor.of(self.array.T, self.constant)

    T = property(transpose)

    def swapaxes(self, a: int, b: int) -> Tensor:
        """Two axes exchanged."""
        return Tensor.of(self.array.swapaxes(a, b), self.constant)

    def squeeze(self, axis: Any = None) -> Tensor:
        """Without axes of length 1."""
        if axis is not None and (not self.ndim or self.shape[axis] != 1):
            return self.reshape(self.shape)
        return Tensor.of(self.array.squeeze(axis), self.constant)

    def unsqueeze(self, axis: int) -> Tensor:
        """With one more."""
        return Tensor.of(np.expand_dims(self.array, axis), self.constant)

    def broadcast_to(self, shape: Any) -> Tensor:
        """Repeated."""
        return Tensor.of(np.broadcast_to(self.array, shape), self.constant)

    def expand(self, shape: Any) -> Tensor:
        """Repeated; -1 keeps a length."""
        old = (1,) * (len(shape) - self.ndim) + self.shape
        return self.broadcast_to(tuple([m if n == -1 else n for n, m in zip(shape, old, strict=True)]))

    def repeat(self, times: Any) -> Tensor:
        """Copies side by side."""
        return Tensor.of(np.tile(self.read(), times), self.constant)

    def unbind(self, axis: int = 0) -> list[Tensor]:
        """The slices along an axis."""
        return [Tensor.of(part, self.constant) for part in np.moveaxis(self.array, axis, 0)]

    def chunk(self, chunks: int, axis: int = 0) -> list[Tensor]:
        """In so many pieces at most."""
        return self.split(max(1, -(-self.shape[axis] // chunks)), axis)

    def tril(self, diagonal: int = 0) -> Tensor:
        """Below a diagonal."""
        return _where(Tensor.of(np.tril(np.ones(self.shape, bool), diagonal), True), self, 0.0)

    def triu(self, diagonal: int = 0) -> Tensor:
        """Above it."""
        return _where(Tensor.of(np.triu(np.ones(self.shape, bool), diagonal), True), self, 0.0)

    def masked_fill(self, mask: Any, number: Any) -> Tensor:
        """A number where the mask is true."""
        return _where(mask, number, self)

    def sort(self, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
        """In order, and where each stood."""
        values = self.values()
        order = np.argsort(-values if descending else values, axis, kind="stable")
        return Tensor.of(np.take_along_axis(self.read(), order, axis), self.constant), Tensor.of(order, True)

    def argsort(self, axis: int = -1) -> Tensor:
        """Where each stood."""
        return self.sort(axis)[1]

    def topk(self, k: int, axis: int = -1, largest: bool = True) -> list[Tensor]:
        """The first of them."""
        return [t[(slice(None),) * (axis % self.ndim) + (slice(k),)] for t in self.sort(axis, largest)]

    def norm(self, p: Any = 2, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The p-th root of the sum of p-th powers, of slope 0 at 0."""

        def root(xs: list[Number]) -> Number:
            total = sum([absolute(x) ** p for x in xs], Number(0.0))
            return total * 0.0 if total.value == 0 else total ** (1 / p)

        if p == np.inf:
            return _reduced(
                self,
                axis,
                keepdims,
                lambda xs: _shared([absolute(x) for x in xs], max(abs(value(x)) for x in xs)),
            )
        return _reduced(self, axis, keepdims, root)

    def split(self, size: int, axis: int = 0) -> list[Tensor]:
        """In pieces."""
        cuts = list(range(size, self.shape[axis], size))
        return [Tensor.of(part, self.constant) for part in np.split(self.array, cuts, axis)]

    def flip(self, axes: Any) -> Tensor:
        """Backwards."""
        return Tensor.of(np.flip(self.read(), axes).copy(), self.constant)

    def roll(self, shift: int, axis: Any = None) -> Tensor:
        """Moved on."""
        return Tensor.of(np.roll(self.read(), shift, axis), self.constant)

    def take(self, index: Any, axis: int = 0) -> Tensor:
        """Slices."""
        index = _plain(index)
        return self[(slice(None),) * axis + (int(index) if np.ndim(index) == 0 else index,)]

    def gather(self, axis: int, index: Any) -> Tensor:
        """One for each entry of the index."""
        index = _plain(index)
        cut = tuple(slice(None) if i == axis else slice(n) for i, n in enumerate(index.shape))
        return Tensor.of(np.take_along_axis(self.read()[cut], index, axis), self.constant)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The sum."""
        return _reduced(self, axis, keepdims, lambda xs: sum(xs, Number(0.0)))

    def mean(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The mean."""
        return _reduced(self, axis, keepdims, lambda xs: sum(xs, Number(0.0)) / len(xs))

    def prod(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The product."""
        return _reduced(self, axis, keepdims, lambda xs: math.prod(xs, start=Number(1.0)))

    def max(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The largest; equal ones share."""
        return _reduced(self, axis, keepdims, lambda xs: _shared(xs, max(map(value, xs))))

    def min(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The smallest."""
        return _reduced(self, axis, keepdims, lambda xs: _shared(xs, min(map(value, xs))))

    def var(self, axis: Any = None, keepdims: bool = False, correction: int = 1) -> Tensor:
        """The variance."""
        return _reduced(self, axis, keepdims, lambda xs: _variance(xs, correction))

    def std(self, axis: Any = None, keepdims: bool = False, correction: int = 1) -> Tensor:
        """Its root, of slope 0 at 0."""

        def root(xs: list[Number]) -> Number:
            v = _variance(xs, correction)
            return v * 0.0 if v.value == 0 else sqrt(v)

        return _reduced(self, axis, keepdims, root)

    def logsumexp(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The log of the sum of exponentials."""
        return _reduced(self, axis, keepdims, lambda xs: log(sum([exp(x) for x in xs], Number(0.0))))

    def softmax(self, axis: int = -1) -> Tensor:
        """Exponentials as parts of their sum."""
        return ((self - self.logsumexp(axis, True)) if self.ndim else self * 0.0).exp()

    def log_softmax(self, axis: int = -1) -> Tensor:
        """Its log."""
        return (self - self.logsumexp(axis, True)) if self.ndim else self - self

    def cumsum(self, axis: int = 0) -> Tensor:
        """The running sum."""
        if not self.ndim:
            return self.clone()
        return Tensor.of(np.add.accumulate(self.read(), axis), self.constant)

    def __matmul__(self, other: Tensor) -> Tensor:
        x, y = self.read(), other.read()
        if 0 in (*x.shape, *y.shape):
            raise NotImplementedError
        return Tensor.of(np.matmul(x, y), self.constant and other.constant)

    matmul = __matmul__

    def requires_grad_(self, *_: Any) -> Any:
        """Not done here."""
        raise NotImplementedError

    def clip(self, low: Any = None, high: Any = None) -> Any:
        """At its limits conventions differ."""
        raise NotImplementedError

    def __hash__(self) -> int:
        return id(self)


def _moved(old: Any, new: Any) -> Number:
    """A value written without a record over another: the derivative goes on to what was there."""
    with_past = isinstance(old, Number)
    out = Number(new)
    if with_past:
        out.parents = ((old, lambda: 1.0),)
    return out


def _each(f: Callable[[Any], Any], array: Any) -> np.ndarray:
    array = np.asarray(array)
    out = np.empty(array.size, object)
    out[:] = [f(x) for x in array.reshape(-1)]
    return out.reshape(array.shape)


def _plain(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple([_plain(i) for i in index])
    found = index.array if isinstance(index, Tensor) else index
    if isinstance(found, np.ndarray):
        return int(found) if found.ndim == 0 and found.dtype.kind == "i" else found.copy()
    return found


def _shared(xs: list[Number], best: float) -> Number:
    winners = [x for x in xs if value(x) == best]
    return sum(winners[1:], winners[0]) / len(winners)


def _variance(xs: list[Number], correction: int) -> Number:
    mean = sum(xs, Number(0.0)) / len(xs)
    return sum([(x - mean) * (x - mean) for x in xs], Number(0.0)) / (len(xs) - correction)


def _reduced(x: Tensor, axis: Any, keepdims: bool, f: Callable[[list[Any]], Any]) -> Tensor:
    if x.array.dtype != object or not x.array.size:
        raise NotImplementedError
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = tuple([a % x.ndim for a in axes])
    rest = [a for a in range(x.ndim) if a not in axes]
    rows = x.read().transpose(*rest, *axes).reshape(*[x.shape[a] for a in rest], -1)
    out = np.empty(rows.shape[:-1], object)
    for place in np.ndindex(*out.shape):
        out[place] = f(list(rows[place]))
    return Tensor.of(
        out.reshape([1 if a in axes else n for a, n in enumerate(x.shape)]) if keepdims else out, x.constant
    )


def _constant(*xs: Any) -> bool:
    return all(x.constant for x in xs if isinstance(x, Tensor))


def _elementwise(f: Callable[..., Any]) -> Callable[..., Tensor]:
    def call(*xs: Any) -> Tensor:
        arrays = np.broadcast_arrays(*[x.read() if isinstance(x, Tensor) else np.asarray(x) for x in xs])
        if all(a.dtype != object for a in arrays):
            raise NotImplementedError
        flat = [f(*row) for row in zip(*[a.reshape(-1) for a in arrays], strict=True)]
        out = np.empty(len(flat), object)
        out[:] = [n if isinstance(n, Number) else Number(n) for n in flat]
        return Tensor.of(out.reshape(arrays[0].shape), _constant(*xs))

    return call


def _compared(ufunc: Any) -> Callable[[Any, Any], Tensor]:
    def call(x: Any, y: Any) -> Tensor:
        x, y = [v.values() if isinstance(v, Tensor) else v for v in (x, y)]
        return Tensor.of(np.asarray(ufunc(x, y)), True)

    return call


def _where(condition: Any, x: Any, y: Any) -> Tensor:
    return _elementwise(lambda c, a, b: a if c else b)(Tensor.of(condition.values(), True), x, y)


def _joined(f: Callable[..., Any]) -> Callable[..., Tensor]:
    return lambda xs, axis=0: Tensor.of(f([x.read() for x in xs], axis), _constant(*xs))


def _loss(f: Callable[[Any, Any], Any]) -> Callable[..., Tensor]:
    def call(x: Any, y: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
        losses = _elementwise(lambda a, b: f(a - b, delta))(x, y)
        return losses if reduction == "none" else getattr(losses, reduction)()

    return call


def _bce_with_logits(x: Any, y: Any, reduction: str = "mean") -> Tensor:
    losses = _elementwise(lambda a, t: softplus(a) - a * t)(x, y)
    return losses if reduction == "none" else getattr(losses, reduction)()


def _linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    out = x @ weight.T
    return out if bias is None else out + bias


def _layer_norm(x: Tensor, n: int, weight: Tensor | None = None, bias: Tensor | None = None) -> Tensor:
    out = (x - x.mean(-1, True)) / (x.var(-1, True, 0) + 1e-5).sqrt()
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def _rms_norm(x: Tensor, n: int, weight: Tensor | None = None, eps: float = 2.0**-52) -> Tensor:
    out = x / ((x * x).mean(-1, True) + eps).sqrt()
    return out if weight is None else out * weight


def _group_norm(x: Tensor, groups: int, weight: Tensor | None = None, bias: Tensor | None = None) -> Tensor:
    rows = x.clone().reshape(x.shape[0], groups, -1)
    column = (-1,) + (1,) * (x.ndim - 2)
    out = _layer_norm(rows, 0).clone().reshape(x.shape)
    out = out if weight is None else out * weight.reshape(column)
    return out if bias is None else out + bias.reshape(column)


def _remainder(x: Any, y: Any) -> Any:
    return x - y * np.floor_divide(value(x), value(y))


def _cross_entropy(x: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    if labels.array.dtype == object:
        raise NotImplementedError
    picked = x.log_softmax(1)[np.arange(len(labels.array)), labels.array.copy()]
    losses = picked * -1.0
    return losses if reduction == "none" else getattr(losses, reduction)()


_POINTWISE = {
    "exp": exp, "expm1": expm1, "log": log, "log1p": log1p, "sqrt": sqrt, "sin": sin, "cos": cos, "tan": tan,
    "tanh": tanh, "sigmoid": sigmoid, "relu": relu, "sign": sign, "erf": erf, "abs": absolute, "softplus": softplus,
    "silu": lambda x: x * sigmoid(x), "gelu": _gelu, "logsigmoid": lambda x: -softplus(-x), "neg": lambda x: -x,
    "elu": lambda x, a=1.0: x if value(x) > 0 else expm1(x) * a,
    "leaky_relu": lambda x, a=0.01: x if value(x) > 0 else x * a,
}  # fmt: skip
_PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y, "remainder": _remainder, "maximum": _greater_of, "minimum": _lesser_of,
}  # fmt: skip
_MEASURES = {
    "l1_loss": lambda d, _: absolute(d),
    "mse_loss": lambda d, _: d * d,
    "huber_loss": lambda d, c: d * d * 0.5 if abs(value(d)) <= c else (absolute(d) - 0.5 * c) * c,
}
_COMPARISONS = {
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "equal": np.equal, "not_equal": np.not_equal,
}  # fmt: skip

_names: dict[str, Any] = {name: _elementwise(f) for name, f in (_POINTWISE | _PAIRS).items()}
_names |= {name: _compared(f) for name, f in _COMPARISONS.items()}
_names |= {name: _loss(f) for name, f in _MEASURES.items()}
_names |= {
    "where": _where,
    "concatenate": _joined(np.concatenate),
    "stack": _joined(np.stack),
    "matmul": lambda x, y: x @ y,
    "linear": _linear,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "group_norm": _group_norm,
    "cross_entropy": _cross_entropy,
    "binary_cross_entropy_with_logits": _bce_with_logits,
}
for _name in (
    "sum", "softmax", "log_softmax", "reshape", "permute", "unsqueeze", "broadcast_to", "flip", "roll", "take",
    "clone", "cumsum", "expand", "repeat", "unbind", "tril", "triu", "masked_fill", "norm",
):  # fmt: skip
    _names[_name] = (lambda name: lambda x, *args: getattr(x, name)(*args))(_name)
for _name in ("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "abs", "pow"):
    setattr(Tensor, _name, _names[_name])
for _name, _f in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow"}.items():
    setattr(Tensor, f"__{_name}__", _names[_f])
    setattr(Tensor, f"__r{_name}__", (lambda f: lambda self, other: f(other, self))(_names[_f]))
    if _name != "pow":
        _change = (lambda f: lambda self, other: self._update(f(self, other)))(_names[_f])
        setattr(Tensor, f"__i{_name}__", _change)
        setattr(Tensor, f"{_f}_", _change)
for _name, _f in zip(("lt", "le", "gt", "ge", "eq", "ne"), _COMPARISONS, strict=True):
    setattr(Tensor, f"__{_name}__", _names[_f])
Tensor.view = Tensor.reshape  # type: ignore[attr-defined]
Tensor.__mod__ = _names["remainder"]  # type: ignore[attr-defined]
Tensor.__neg__ = _names["neg"]  # type: ignore[attr-defined]
Tensor.__abs__ = _names["abs"]  # type: ignore[attr-defined]
Tensor.__pos__ = lambda self: self  # type: ignore[attr-defined]


class Recording:
    """`no_grad()` and `enable_grad()`."""

    def __init__(self, on: bool) -> None:
        self.on, self.before = on, True

    def __enter__(self) -> None:
        self.before, _recording[0] = _recording[0], self.on

    def __exit__(self, *exc: object) -> None:
        _recording[0] = self.before


class Scalars:
    """The names of a program, and its leaves."""

    leaves: ClassVar[list[Tensor]] = []

    def __init__(self) -> None:
        Scalars.leaves = []

        def tensor(data: Any, requires_grad: bool = False) -> Tensor:
            made = Tensor(data, requires_grad)
            if requires_grad:
                Scalars.leaves.append(made)
            return made

        functions = SimpleNamespace(**_names)
        self.space: dict[str, Any] = {
            "np": np, "Tensor": tensor, "ops": functions, "F": functions,
            "no_grad": lambda: Recording(False), "enable_grad": lambda: Recording(True),
        }  # fmt: skip
