"""Fused operations: several primitives in one, with a hand-written backward pass on plain arrays.

A fused operation *is* its `definition`, a composition of primitives, made faster: `forward` and `backward`
compute the same on arrays with fewer passes and less memory. They serve the first-order backward pass. Where
the gradient is to be recorded (`create_graph`) or pushed forward, the engine differentiates the definition.
The tests hold the two equal.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from autograd_ref.core import fast, sweep
from autograd_ref.core.broadcasting import unbroadcast
from autograd_ref.core.errors import shape_error
from autograd_ref.core.modes import enable_grad
from autograd_ref.core.node import Record
from autograd_ref.core.primitive import TABLE, Primitive
from autograd_ref.core.tensor import Tensor


class Fused(Primitive):
    """`forward(*arrays, **params)` returns the result and what backward wants to keep (any object).

    `backward(g, to, kept, *arrays, **params)` returns a gradient per array, None where `to[i]`, the place that it
    goes to, is None. `definition(*args, **params)` is the same function made of primitives. `reads` tells for every
    argument, by their names, what its gradient depends on: arguments, and "result" if backward reads the result.
    An array that no wanted gradient depends on is not kept:
    backward finds None, and its shape at `to[i]`. With `broadcasts`, `forward` may repeat an argument to fit
    another, and the engine sums its gradient over the copies.
    """

    def __init__(
        self,
        name: str,
        definition: Callable[..., Any],
        forward: Callable[..., Any],
        backward: Callable[..., Sequence[Any]],
        reads: dict[str, str],
        broadcasts: bool = False,
    ) -> None:
        super().__init__(name, forward, ())
        self.backward, self.definition, self.broadcasts = backward, definition, broadcasts
        self.__doc__ = definition.__doc__
        names = list(inspect.signature(definition).parameters)[: len(reads)]
        self.reads = [[name in reads[of].split() for name in ("result", *names)] for of in names]
        for arity in range(1, len(names) + 1):
            for wanted in product((False, True), repeat=arity):
                self.keeps(wanted)

    def __call__(self, *args: Any, **params: Any) -> Any:
        """As for any primitive; an argument that is None is one that was not given."""
        args = tuple([a for a in args if a is not None])
        if any(isinstance(a, Tensor) for a in args):
            return super().__call__(*args, **params)
        return self.run(args, params)[0]

    def run(self, arrays: tuple[Any, ...], params: dict[str, Any]) -> tuple[Any, Any]:
        try:
            return self.forward(*arrays, **params)
        except ValueError as error:
            raise shape_error(self.name, arrays, error) from None

    def record(self, result: Tensor, extra: Any, args: tuple[Any, ...], params: dict[str, Any]) -> None:
        super().record(result, extra, args, params)
        node = result.grad_fn
        if node is not None and node.record is not None:
            parents, saved, stamps, params = node.record
            ans, *arrays = saved
            stand_ins = [
                _stand_in(a.shape, a.dtype) if array is None and parent is None else array
                for a, array, parent in zip(args, arrays, parents, strict=True)
            ]
            node.record = parents, (ans, *stand_ins), stamps, params

    def keeps(self, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
        if wanted not in self._keep:
            rows = [row for row, w in zip(self.reads, wanted, strict=False) if w]
            self._keep[wanted] = tuple([any(row[i] for row in rows) for i in range(len(wanted) + 1)])
        return self._keep[wanted]

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        parents, saved, _, params = record
        if not isinstance(g, Tensor):
            grads = self.backward(g, parents, *saved, **params)
            if not self.broadcasts:
                return grads[: len(parents)]
            return [
                None if p is None else unbroadcast(grad, p.shape)
                for grad, p in zip(grads, parents, strict=False)
            ]
        inner, out = self._replay(
            _complete(saved, parents, g.dtype), [p is not None for p in parents], params
        )
        inputs = [a for a, p in zip(inner, parents, strict=True) if p is not None]
        grads = sweep.backward(out, g, create_graph=True, inputs=inputs)
        return [None if p is None else grads.pop(0) for p in parents]

    def push(self, tangents: list[Any], record: Record) -> Any:
        parents, saved, _, params = record
        needs = [t is not None for t in tangents]
        moving = [t for t in tangents if t is not None]
        inner, out = self._replay(_complete(saved, parents, moving[0].dtype), needs, params)
        inputs = [a for a, n in zip(inner, needs, strict=True) if n]
        return sweep.forward([out], inputs, moving)[0]

    def _replay(self, args: Any, needs: Sequence[bool], params: dict[str, Any]) -> tuple[list[Any], Tensor]:
        """Compute the definition on inputs that hang on the outer graph but can be told from it."""
        with enable_grad():
            inner = [TABLE["alias"](_wanting(a)) if n else a for a, n in zip(args, needs, strict=True)]
            return inner, self.definition(*inner, **params)


def _wanting(a: Any) -> Tensor:
    return a if isinstance(a, Tensor) and a.requires_grad else Tensor(a, requires_grad=True)


def _stand_in(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """For an array that no gradient depends on: one zero, repeated."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def _complete(saved: Sequence[Any], parents: Sequence[Any], dtype: Any) -> list[Any]:
    """The arguments of a call, with zeros for those that were not kept."""
    return [_stand_in(p.shape, dtype) if a is None else a for a, p in zip(saved[1:], parents, strict=True)]


if fast:
    Fused.__call__ = fast.fused_call(Fused.__call__)  # type: ignore[method-assign]
    Fused.pull = fast.fused_pull(Fused.pull)  # type: ignore[method-assign]
