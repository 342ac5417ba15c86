"""The tensor: a NumPy array that remembers which operation made it.

A tensor with `requires_grad` is either a *leaf*, which you made and whose gradient you want, or the result
of an operation, with a `Node` in `grad_fn` that leads back to its inputs. `backward` walks that record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import autograd_ref as ag

from .modes import state
from .node import Node
from .operators import Operators
from .promotion import can_hold
from .protocols import Protocols
from .saved import (
    NEVER,
    Stamp,
    call_site,
    changed,
    is_view,
    keep_old,
    mark_gradient,
    plain,
    renew_views,
    show,
    stamp_of,
)

new = object.__new__


class Tensor(Protocols, Operators):
    """An array that can carry a gradient.

    `data` is anything `np.asarray` takes; an ndarray is used as it is, without a copy. Python floats become
    float64. Only floating-point tensors can require gradients: others raise TypeError.

    >>> x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> loss = (x * x).sum()
    >>> loss
    Tensor(14., grad_fn=<sum>)
    >>> loss.backward()
    >>> x.grad
    Tensor([2., 4., 6.])
    """

    __slots__ = ("__weakref__", "_data", "_grad", "_stamp", "grad_fn", "requires_grad")

    _data: np.ndarray
    _grad: np.ndarray | Tensor | None  # backward leaves a bare array: most gradients nobody looks at
    _stamp: Stamp
    grad_fn: Node | None
    requires_grad: bool

    __array_ufunc__ = None  # An ndarray on the left then leaves `array + tensor` to the tensor.

    def __init__(self, data: Any, requires_grad: bool = False, dtype: Any = None) -> None:
        self._data = np.asarray(plain(data), dtype=dtype)
        if self._data.dtype.kind not in "fiub":
            raise TypeError(f"A Tensor holds numbers, not values of dtype {self._data.dtype}: {data!r:.60}.")
        if requires_grad:
            self._must_be_floating()
        self.requires_grad = requires_grad
        self._grad = self.grad_fn = None
        shared = isinstance(data, Tensor) and self._data is data._data
        self._stamp = data._stamp if shared else stamp_of(self._data)

    # -- what it holds ---------------------------------------------------------------------------------------

    @property
    def data(self) -> np.ndarray:
        """The array. Assigning, as in `t.data -= 0.1`, changes the tensor in place, unrecorded.

        Writing into the array itself, as in `t.data[0] = 1`, goes unnoticed: call `mark_changed()` after it.
        """
        return show(self._data, self._stamp)

    @data.setter
    def data(self, value: Any) -> None:
        array = np.asarray(plain(value))
        if array is not self._data:
            self.mark_changed()  # to what saved the old array
            self._data, self._stamp = array, stamp_of(array)
        self.mark_changed()

    @property
    def grad(self) -> Tensor | None:
        """What `backward` added up for this leaf, None before that."""
        g = self._grad
        if isinstance(g, np.ndarray):
            g = self._grad = wrap(g.copy() if g.base is not None else g)
            mark_gradient(g._stamp)
        return g

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(f".grad is a Tensor or None, not {type(value).__name__}: write Tensor(...).")
            if (value.shape, value.dtype) != (self.shape, self.dtype):
                raise ValueError(
                    f".grad of a {self.dtype} tensor of shape {self.shape} has its shape and dtype, "
                    f"not {value.shape} and {value.dtype}: reshape it, or use astype."
                )
            mark_gradient(value._stamp)
        self._grad = value

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of every axis."""
        return self._data.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._data.ndim

    @property
    def size(self) -> int:
        """The number of elements, as in NumPy: what PyTorch calls `size()` is `shape`."""
        return self._data.size

    def dim(self) -> int:
        """The number of axes: PyTorch's name for `ndim`."""
        return self._data.ndim

    def numel(self) -> int:
        """The number of elements: PyTorch's name for `size`."""
        return self._data.size

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype."""
        return self._data.dtype

    @property
    def is_leaf(self) -> bool:
        """True if no recorded operation made this tensor."""
        return self.grad_fn is None

    def numpy(self) -> np.ndarray:
        """The array itself, not a copy. Raises RuntimeError where gradients are recorded: detach() first."""
        if self.requires_grad and state.recording:
            raise RuntimeError(
                "This tensor requires gradients, which NumPy would not record: use t.detach().numpy()."
            )
        return show(self._data, self._stamp)

    def item(self) -> Any:
        """The only element as a Python number. Raises ValueError if there are more or none."""
        if self.size != 1:
            raise ValueError(f"item() needs a tensor of one element, this one has shape {self.shape}.")
        return self._data.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self._data.tolist()

    def detach(self) -> Tensor:
        """The same array outside of the graph: shared memory, no gradient."""
        twin = wrap(self._data)
        twin._stamp = self._stamp
        return twin

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set `requires_grad` of a leaf in place and return it."""
        if not self.is_leaf:
            if requires_grad:
                return self
            raise RuntimeError("requires_grad can be set on leaf tensors only: use detach() to get one.")
        if requires_grad:
            self._must_be_floating()
        self.requires_grad = requires_grad
        return self

    def zero_grad(self) -> None:
        """Forget the gradient, so that the next backward pass starts from nothing."""
        self.grad = None

    # -- gradients -------------------------------------------------------------------------------------------

    def backward(self, gradient: Any = None, retain_graph: bool = False, create_graph: bool = False) -> None:
        """Add d(self)/d(leaf) to `.grad` of every leaf that this tensor was computed from.

        `gradient` (the same shape as self) weighs the elements; a tensor of one element needs none. The
        graph is freed on the way unless `retain_graph`. With `create_graph` the gradients are part of a
        graph themselves and can be differentiated again. Raises RuntimeError if nothing was recorded, if a
        gradient is missing, if the graph was freed already, and if a saved value was changed in place since.

        >>> x = Tensor(3.0, requires_grad=True)
        >>> (x ** 3).backward(create_graph=True)
        >>> first = x.grad
        >>> x.zero_grad()
        >>> first.backward()
        >>> first.item(), x.grad.item()
        (27.0, 18.0)
        """
        if not self.requires_grad:
            raise RuntimeError(
                "There is nothing to differentiate: no input of this tensor has requires_grad=True, "
                "or it was computed under no_grad()."
            )
        sweep = ag.core.sweep
        sweep.backward(self, sweep.seed_for(self, gradient, create_graph), retain_graph, create_graph)

    def register_hook(self, hook: Any) -> Any:
        """Let `hook(gradient)` see this tensor's gradient in every backward pass that reaches it.

        What it returns takes the gradient's place, unless it is None. Returns a handle with `remove()`. The hooks of
        a leaf are called when the pass has ended. Raises RuntimeError if no gradient will come.

        >>> x = Tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_hook(lambda g: g * 10)
        >>> (x * 3).sum().backward()
        >>> x.grad
        Tensor([30., 30.])
        """
        return ag.core.hooks.register(self, hook)

    def retain_grad(self) -> None:
        """Keep the gradient of a computed tensor in `.grad`, as that of a leaf is kept.

        >>> x = Tensor(3.0, requires_grad=True)
        >>> y = x * x
        >>> y.retain_grad()
        >>> (y * y).backward()
        >>> y.grad.item(), x.grad.item()
        (18.0, 108.0)
        """
        ag.core.hooks.retain(self)

    # -- changes in place ------------------------------------------------------------------------------------

    def mark_changed(self) -> None:
        """Tell the engine that the array was changed in place; call it after writing into `data` yourself."""
        changed(self._stamp, call_site())

    def copy_(self, value: Any) -> Tensor:
        """Overwrite the elements with `value` (broadcast), in place."""
        return self if value is self else self._assign(..., value)

    def __setitem__(self, index: Any, value: Any) -> None:
        if value is not self or index is not ...:
            self._assign(index, value)

    def _assign(self, index: Any, value: Any) -> Tensor:
        if state.recording and (self.requires_grad or (isinstance(value, Tensor) and value.requires_grad)):
            self._refuse_leaf("Assigning to elements")
            return self._become(ag.ops.set_item(self, index, value))
        self._data[plain(index)] = plain(value)
        self.mark_changed()
        return self

    def _update(self, result: Any) -> Tensor:
        """Make `result`, computed from self, the new value of self: `x += y` is `x._update(x + y)`."""
        if result.shape != self.shape:
            raise ValueError(f"A tensor of shape {self.shape} cannot take shape {result.shape} in place.")
        if state.recording and result.requires_grad:
            self._refuse_leaf("An in-place operation")
            keep_old(result, self)
            return self._become(result)
        self._must_hold(result.dtype)
        self._data[...] = result._data
        self.mark_changed()
        return self

    def _become(self, result: Tensor) -> Tensor:
        """Write a recorded result into this tensor's memory and take over its place in the graph."""
        self._must_hold(result.dtype)
        if is_view(self):
            raise RuntimeError(
                f"A recorded change in place needs memory of its own, and this tensor of shape {self.shape} "
                "is a view: clone() it first, or use an operation that makes a new tensor."
            )
        result = result.astype(self.dtype)
        self._data[...] = result._data
        self.mark_changed()
        old, self.grad_fn, self.requires_grad = self.grad_fn, result.grad_fn, result.requires_grad
        ag.core.hooks.moved(self, old)
        renew_views(self)
        return self

    def _must_hold(self, dtype: np.dtype) -> None:
        if not can_hold(self.dtype, dtype):
            raise TypeError(
                f"A result of dtype {dtype} does not fit into a tensor of dtype {self.dtype} in place: "
                "use an operation that makes a new tensor, as in x = x + y, or convert it with astype first."
            )

    def _refuse_leaf(self, what: str) -> None:
        if self.requires_grad and self.is_leaf:
            raise RuntimeError(
                f"{what} would overwrite a leaf that requires gradients (shape {self.shape}): "
                "put it inside `with no_grad():`, or work on a clone()."
            )

    def _must_be_floating(self) -> None:
        if self.dtype.kind != "f":
            raise TypeError(
                f"Only floating-point tensors can carry gradients, and this one has dtype {self.dtype}: "
                "write 1.0 in place of 1, or pass dtype=float."
            )

    # -- for NumPy ----------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=copy)


def wrap(out: Any) -> Tensor:
    """A new tensor around a result, outside of any graph."""
    result = new(Tensor)
    result._data = out if type(out) is np.ndarray else np.asarray(out)
    result._grad = result.grad_fn = None
    result.requires_grad = False
    result._stamp = [NEVER]
    return result
