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
from autograd_ref.node import Node, tick
from autograd_ref.primitive import TABLE, Primitive, check_finite, ndarray, new
from autograd_ref.promotion import promote
from autograd_ref.tensor import Tensor


class Fused(Primitive):
    """`forward(*arrays, **params)` returns the result and what backward wants to keep (any object).

    `backward(g, kept, needs, *arrays, **params)` returns a gradient per array, None where `needs[i]` is
    False.
    `definition(*args, **params)` is the same function made of primitives. With `broadcasts`, `forward` may repeat
    an argument to fit another, and the engine sums its gradient over the copies.
    """

    def __init__(
        self,
        name: str,
        definition: Callable[..., Any],
        forward: Callable[..., Any],
        backward: Callable[..., Any],
        broadcasts: bool = False,
    ) -> None:
        self.name, self.forward, self.backward, self.definition = name, forward, backward, definition
        self.__doc__ = definition.__doc__
        self.broadcasts, self.view = broadcasts, False
        TABLE[name] = self

    def __call__(self, x: Any, y: Any = None, z: Any = None, **params: Any) -> Any:
        # No fused operation has more than three arguments. Handled one by one they take 1.0 microseconds (of 2.2
        # for the smallest linear layer), where a loop takes 1.6 and `Primitive.on_tensors` 4.
        a, b, c = x, y, z
        if x_is := isinstance(x, Tensor):
            a = x._data
        if y_is := isinstance(y, Tensor):
            b = y._data
        if z_is := isinstance(z, Tensor):
            c = z._data
        tensors = x_is or y_is or z_is
        dtype = a.dtype
        if (type(b) is ndarray and b.dtype is not dtype) or (type(c) is ndarray and c.dtype is not dtype):
            if tensors and any(v is not None and v.dtype != dtype for v in (b, c)):
                return self(*promote((x, y, z)), **params)
        try:
            if c is not None:
                out, kept = self.forward(a, b, c, **params)
            elif b is not None:
                out, kept = self.forward(a, b, **params)
            else:
                out, kept = self.forward(a, **params)
        except ValueError as error:
            raise shape_error(self.name, tuple(v for v in (a, b, c) if v is not None), error) from None
        if not tensors:
            return out
        result = new(Tensor)  # `wrap`, written out
        result._data = out = out if type(out) is ndarray else np.asarray(out)
        result._grad = result._home = result.grad_fn = None
        result.requires_grad = False
        result._stamp = [0, None]
        if not state.switches or state.mine.recording:
            needs = x_is and x.requires_grad, y_is and y.requires_grad, z_is and z.requires_grad
            if True in needs:
                node = result.grad_fn = new(Node)
                node.number = tick()
                node.primitive = self
                head = (kept, needs)
                x_from = (x.grad_fn or x) if needs[0] else None
                y_from = (y.grad_fn or y) if needs[1] else None
                z_from = (z.grad_fn or z) if needs[2] else None
                if c is not None:
                    node.parents, node.saved = (x_from, y_from, z_from), (head, a, b, c)
                elif b is not None:
                    node.parents, node.saved = (x_from, y_from), (head, a, b)
                else:
                    node.parents, node.saved = (x_from,), (head, a)
                node.stamps = (
                    None,
                    x._stamp if x_is else None,
                    y._stamp if y_is else None,
                    z._stamp if z_is else None,
                )
                node.params = params
                node.shape = out.shape
                result.requires_grad = True
        if state.switches and state.mine.anomaly:
            check_finite(result, self.name)
        return result

    def pull(self, node: Node, g: Any, saved: Sequence[Any]) -> Any:
        (kept, needs), *arrays = saved
        if not isinstance(g, Tensor):
            grads = self.backward(g, kept, needs, *arrays, **node.params)
            if not self.broadcasts:
                return grads
            return [
                None if grad is None else unbroadcast(grad, a.shape)
                for grad, a in zip(grads, arrays, strict=False)
            ]
        inner, out = self._replay(arrays, needs, node.params)
        inputs = [a for a, n in zip(inner, needs, strict=False) if n]
        grads = sweep.backward(out, g, create_graph=True, inputs=inputs)
        return [grads.pop(0) if n else None for n in needs]

    def push(self, node: Node, tangents: list[Any], saved: Sequence[Any]) -> Any:
        needs = [t is not None for t in tangents]
        inner, out = self._replay(saved[1:], needs, node.params)
        inputs = [a for a, n in zip(inner, needs, strict=True) if n]
        return sweep.forward([out], inputs, [t for t in tangents if t is not None])[0]

    def _replay(self, args: Any, needs: Sequence[bool], params: dict[str, Any]) -> tuple[list[Any], Tensor]:
        """Compute the definition on inputs that hang on the outer graph but can be told from it."""
        with enable_grad():
            inner = [TABLE["alias"](_wanting(a)) if n else a for a, n in zip(args, needs, strict=False)]
            return inner, self.definition(*inner, **params)


def _wanting(a: Any) -> Tensor:
    return a if isinstance(a, Tensor) and a.requires_grad else Tensor(a, requires_grad=True)
