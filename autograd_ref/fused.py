"""Fused operations: several primitives in one, with a hand-written backward pass on plain arrays.

A fused operation *is* its `definition`, a composition of primitives, made faster: `forward` and `backward`
compute the same on arrays with fewer passes and less memory. They serve the first-order backward pass. Where
the gradient is to be recorded (`create_graph`) or pushed forward, the engine differentiates the definition.
The tests hold the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograd_ref import sweep
from autograd_ref.broadcasting import unbroadcast
from autograd_ref.errors import shape_error
from autograd_ref.modes import enable_grad, state
from autograd_ref.node import NEVER, Node, Record, tick
from autograd_ref.primitive import TABLE, Primitive, check_finite, ndarray, new, wrap
from autograd_ref.promotion import promote
from autograd_ref.tensor import Tensor


class Fused(Primitive):
    """`forward(*arrays, **params)` returns the result and what backward wants to keep (any object).

    `backward(g, to, kept, *arrays, **params)` returns a gradient per array, None where `to[i]`, the place that it
    goes to, is None.
    `definition(*args, **params)` is the same function made of primitives. With `broadcasts`, `forward` may repeat
    an argument to fit another, and the engine sums its gradient over the copies. `keeps_result` says that backward
    reads the result: changed in place it is no longer what it was.
    """

    def __init__(
        self,
        name: str,
        definition: Callable[..., Any],
        forward: Callable[..., Any],
        backward: Callable[..., Sequence[Any]],
        broadcasts: bool = False,
        keeps_result: bool = False,
    ) -> None:
        self.name, self.forward, self.backward, self.definition = name, forward, backward, definition
        self.__doc__ = definition.__doc__
        self.broadcasts, self.keeps_result, self.view = broadcasts, keeps_result, False
        TABLE[name] = self

    def __call__(self, x: Any, y: Any = None, z: Any = None, **params: Any) -> Any:
        # No fused operation has more than three arguments. Handled one by one, without asking each whether it is a
        # tensor, they take 0.8 microseconds (of 2 for the smallest linear layer); `Primitive.on_tensors` takes 4.
        to_y = to_z = b = c = None
        try:
            a, to_x = x._data, (x.grad_fn or x) if x.requires_grad else None
            if y is not None:
                b, to_y = y._data, (y.grad_fn or y) if y.requires_grad else None
            if z is not None:
                c, to_z = z._data, (z.grad_fn or z) if z.requires_grad else None
        except AttributeError:
            return self.with_arrays(x, y, z, params)
        dtype = a.dtype
        if (b is not None and b.dtype is not dtype) or (c is not None and c.dtype is not dtype):
            if any(v is not None and v.dtype != dtype for v in (b, c)):
                return self(*promote((x, y, z)), **params)
        try:
            if params:
                args = (a,) if b is None else (a, b) if c is None else (a, b, c)
                out, kept = self.forward(*args, **params)
            elif c is not None:  # without `**`, which takes 0.05 microseconds
                out, kept = self.forward(a, b, c)
            elif b is not None:
                out, kept = self.forward(a, b)
            else:
                out, kept = self.forward(a)
        except ValueError as error:
            raise shape_error(self.name, tuple(v for v in (a, b, c) if v is not None), error) from None
        nowhere = to_x is None and to_y is None and to_z is None
        if nowhere or (state.switches and not state.mine.recording):
            result = wrap(out)
        else:
            if type(out) is not ndarray:
                out = np.asarray(out)
            result = new(Tensor)  # `wrap`, written out
            result._data = out
            result._grad = result._home = None
            result._stamp = [NEVER]
            result.requires_grad = True
            node = result.grad_fn = new(Node)
            node.number = tick()
            node.primitive = self
            node.shape = out.shape
            stamp = result._stamp if self.keeps_result else None
            if c is not None:
                node.record = (to_x, to_y, to_z), (kept, a, b, c), (stamp, x, y, z), params
            elif b is not None:
                node.record = (to_x, to_y), (kept, a, b), (stamp, x, y), params
            else:
                node.record = (to_x,), (kept, a), (stamp, x), params
        if state.switches and state.mine.anomaly:
            check_finite(result, self.name)
        return result

    def with_arrays(self, x: Any, y: Any, z: Any, params: dict[str, Any]) -> Any:
        """The operation for plain arrays; those among tensors are tensors that no gradient goes to."""
        args = [v for v in (x, y, z) if v is not None]
        if any(isinstance(v, Tensor) for v in args):
            return self(*[v if isinstance(v, Tensor) else wrap(v) for v in args], **params)
        return self.run(tuple(args), params)[0]

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        parents, saved, _, params = record
        if not isinstance(g, Tensor):
            if params:
                grads = self.backward(g, parents, *saved, **params)
            else:
                grads = self.backward(g, parents, *saved)
            if not self.broadcasts:
                return grads
            return [
                None if grad is None else unbroadcast(grad, a.shape)
                for grad, a in zip(grads, saved[1:], strict=False)
            ]
        inner, out = self._replay(saved[1:], [p is not None for p in parents], params)
        inputs = [a for a, p in zip(inner, parents, strict=True) if p is not None]
        grads = sweep.backward(out, g, create_graph=True, inputs=inputs)
        return [None if p is None else grads.pop(0) for p in parents]

    def push(self, tangents: list[Any], record: Record) -> Any:
        _, saved, _, params = record
        needs = [t is not None for t in tangents]
        inner, out = self._replay(saved[1:], needs, params)
        inputs = [a for a, n in zip(inner, needs, strict=True) if n]
        return sweep.forward([out], inputs, [t for t in tangents if t is not None])[0]

    def _replay(self, args: Any, needs: Sequence[bool], params: dict[str, Any]) -> tuple[list[Any], Tensor]:
        """Compute the definition on inputs that hang on the outer graph but can be told from it."""
        with enable_grad():
            inner = [TABLE["alias"](_wanting(a)) if n else a for a, n in zip(args, needs, strict=False)]
            return inner, self.definition(*inner, **params)


def _wanting(a: Any) -> Tensor:
    return a if isinstance(a, Tensor) and a.requires_grad else Tensor(a, requires_grad=True)
