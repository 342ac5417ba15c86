"""An operation of your own: what it computes, and how a gradient passes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import sweep
from .broadcasting import unbroadcast
from .modes import enable_grad, no_grad, state
from .node import Node, Record
from .primitive import check_finite
from .saved import plain, tick
from .tensor import Tensor, wrap


class Context:
    """What `forward` leaves for `backward`: tensors by `save_for_backward`, anything else as attributes.

    `needs_input_grad` tells for every argument of `apply` whether its gradient is wanted.
    """

    saved_tensors: tuple[Tensor, ...] = ()

    def __init__(self, args: tuple[Any, ...]) -> None:
        self.needs_input_grad = tuple([state.recording and _wants(a) for a in args])
        self._saved: tuple[Tensor, ...] = ()
        self._order: list[int] = []
        self._others: list[Tensor] = []
        self._result: tuple[Any, Any] = (), None

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep tensors for `ctx.saved_tensors`. Raises TypeError for anything else: make it an attribute.

        A change in place before `backward` is noticed, and second derivatives pass through arguments and result.
        """
        for t in tensors:
            if not isinstance(t, Tensor):
                raise TypeError(
                    f"save_for_backward keeps tensors, not {type(t).__name__}: write ctx.name = value."
                )
        self._saved = tensors


class Function:
    """Base class of operations with a gradient of their own: derive from it, and call `apply`.

    `forward(ctx, *args)` computes the result, one tensor, from tensors and anything else; nothing in it is recorded.
    `backward(ctx, g)` returns the gradient of every argument, given that of the result: a tuple if there are several,
    None for what has none. Made of operations on tensors it can be differentiated again, and serves forward mode, too.
    `gradcheck` compares both with numbers. The form is that of PyTorch's `torch.autograd.Function`.

    >>> class Cube(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x * x
    >>> x = Tensor([1.0, 2.0], requires_grad=True)
    >>> Cube.apply(x).sum().backward()
    >>> x.grad
    Tensor([ 3., 12.])
    >>> from autograd_ref.gradcheck import gradcheck, gradgradcheck
    >>> gradcheck(Cube.apply, [0.5, -1.5]) and gradgradcheck(Cube.apply, [0.5, -1.5])
    True
    """

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """The result."""
        raise NotImplementedError("A Function needs a static method forward(ctx, *args).")

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        """The gradients of the arguments of `forward`."""
        raise NotImplementedError("A Function needs a static method backward(ctx, g).")

    @classmethod
    def apply(cls, *args: Any) -> Tensor:
        """The result of `forward`, recorded where a gradient is wanted."""
        ctx = Context(args)
        with no_grad():
            out = cls.forward(ctx, *args)
        if isinstance(out, tuple | list):
            raise TypeError(
                f"{cls.__name__}.forward returns one tensor, not {len(out)}: make a Function for each."
            )
        out = out if isinstance(out, Tensor) else Tensor(out)
        result = wrap(np.array(out._data) if any(out is a for a in args) else out._data)
        result._stamp = out._stamp if result._data is out._data else result._stamp
        if any(ctx.needs_input_grad):
            _Operation(cls, args).record(ctx, args, out, result)
        if state.anomaly:
            check_finite(result, cls.__name__)
        return result


class _Operation:
    """One call of a `Function`, where a node has its primitive."""

    constants: tuple[str, ...] = ()
    add_part = None
    view = False

    def __init__(self, cls: type[Function], args: tuple[Any, ...]) -> None:
        self.cls, self.name = cls, cls.__name__
        self.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.others = {i: a for i, a in enumerate(args) if not isinstance(a, Tensor)}
        self.dtypes = [args[i].dtype for i in self.places]

    def __repr__(self) -> str:
        return f"<function {self.name}>"

    def record(self, ctx: Context, args: tuple[Any, ...], out: Tensor, result: Tensor) -> None:
        """Put `result` in the graph. Of the arguments and the result the node keeps those that were saved."""
        tensors = [out, *[args[i] for i in self.places]]
        kept = [any(t is s for s in ctx._saved) for t in tensors]
        others = [s for s in ctx._saved if not any(t is s for t in tensors)]
        self.constants = ("tensor of save_for_backward",) * len(others)
        ctx._order = [next((i for i, t in enumerate([*tensors, *others]) if t is s), 0) for s in ctx._saved]
        ctx._others, ctx._saved = [s.detach() for s in others], ()
        tensors[0] = result
        node = result.grad_fn = Node()
        node.number, node.primitive, node.shape = tick(), self, result.shape
        node.record = (
            tuple([(t.grad_fn or t) if t.requires_grad else None for t in tensors[1:]]),
            tuple([t._data if k else None for t, k in zip(tensors, kept, strict=True)]),
            (
                *[t._stamp if k else None for t, k in zip(tensors, kept, strict=True)],
                *[s._stamp for s in others],
            ),
            {"ctx": ctx},
        )
        ctx._result = result.shape, result.dtype
        result.requires_grad = True

    def forward(self, *arrays: Any, ctx: Context) -> np.ndarray:
        """The result for other arrays."""
        args = self._all([wrap(a) for a in arrays])
        with no_grad():
            return plain(Tensor(self.cls.forward(Context(args), *args)))

    def _all(self, tensors: list[Any]) -> tuple[Any, ...]:
        """The arguments of `apply`, with these in place of its tensors."""
        given = self.others | dict(zip(self.places, tensors, strict=True))
        return tuple([given[i] for i in range(len(given))])

    def pull(self, g: Any, record: Record) -> list[Any]:
        """What `backward` returns, for the parents alone."""
        create = isinstance(g, Tensor)
        with enable_grad() if create else no_grad():
            grads = self._gradients(g if create else wrap(g), record)
            return [
                None if parent is None else self._fitting(grad, parent.shape, dtype, create)
                for grad, parent, dtype in zip(grads, record[0], self.dtypes, strict=True)
            ]

    def _gradients(self, g: Tensor, record: Record) -> list[Any]:
        """What `backward` returns for the tensors among the arguments."""
        _, saved, _, params = record
        ctx = params["ctx"]
        there = [*[wrap(v) if isinstance(v, np.ndarray) else v for v in saved], *ctx._others]
        ctx.saved_tensors = tuple([there[i] for i in ctx._order])
        try:
            given = self.cls.backward(ctx, g)
        finally:
            del ctx.saved_tensors  # the record has them
        given = given if isinstance(given, tuple | list) else (given,)
        if len(given) != len(self.places) + len(self.others):
            raise TypeError(
                f"{self.name}.backward returned {len(given)} gradients for {len(self.places) + len(self.others)} "
                "arguments: return one for each, None for what has none."
            )
        return [given[i] for i in self.places]

    def _fitting(self, grad: Any, shape: tuple[int, ...], dtype: Any, create: bool) -> Any:
        """A gradient in its argument's shape and dtype; None is zeros, and copies of a repeated argument are summed."""
        grad = (
            wrap(np.zeros(shape, dtype))
            if grad is None
            else grad
            if isinstance(grad, Tensor)
            else Tensor(grad)
        )
        if grad.shape != shape:
            if np.broadcast_shapes(grad.shape, shape) != grad.shape:
                raise ValueError(
                    f"{self.name}.backward returned a gradient of shape {grad.shape} for an argument of {shape}."
                )
            grad = unbroadcast(grad, shape)
        grad = grad.astype(dtype)
        return grad if create else grad._data

    def push(self, tangents: list[Any], record: Record) -> Any:
        """J t is the derivative of <J' u, t> by u, which is linear in u: `backward` serves forward mode, too."""
        create = any(isinstance(t, Tensor) for t in tangents)
        ctx = record[3]["ctx"]
        with enable_grad():
            u = Tensor(np.zeros(*ctx._result), requires_grad=True)
            grads = self._gradients(u, record)
            terms = [
                (g * t).sum() for g, t in zip(grads, tangents, strict=True) if t is not None and g is not None
            ]
            total = sum(terms[1:], terms[0]) if terms else u.sum() * 0.0
        if not total.requires_grad:
            raise RuntimeError(
                f"{self.name}.backward is not made of operations on its gradient, so forward mode cannot pass it: "
                "compute with tensors, not with their data."
            )
        found = sweep.backward(total, sweep.seed_for(total, None, create), create_graph=create, inputs=[u])[0]
        return found if found is not None else np.zeros(*ctx._result)


def _wants(a: Any) -> bool:
    return isinstance(a, Tensor) and a.requires_grad
