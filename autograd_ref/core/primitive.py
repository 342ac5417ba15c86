"""What an operation is made of: a forward function, a rule per argument, the code that records it.

A primitive is called like the NumPy function that it wraps. On plain arrays it returns a plain array and
records nothing. If an argument is a `Tensor` it returns a `Tensor`, and a `Node` if a gradient is wanted.
Rules are made of primitives and operators, so they too serve both: a first-order backward pass runs them on
arrays at NumPy's own cost, and `create_graph=True` runs the same rules on tensors, which records the
gradient itself.

A rule is called as `rule(g, ans, *args, **params)`: the gradient of the result, the result, the arguments. A
rule names what it does not read with a leading underscore, and the engine does not keep what no rule reads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from .broadcasting import unbroadcast
from .errors import shape_error
from .modes import state
from .node import Node, Record
from .promotion import promote
from .saved import call_site, kept, plain, share, stamps_in, tick
from .tensor import Tensor, wrap

Rule = Callable[..., Any]

TABLE: dict[str, Primitive] = {}
"""Every primitive by name. The tests are generated from this table."""


class Primitive:
    """An operation with rules of its own.

    `vjps[i](g, ans, *args)` is the vector-Jacobian product for argument i. The Jacobian-vector product is
    "linear" (the primitive itself with argument i replaced by its tangent), "diagonal" (an elementwise
    operation: its Jacobian is diagonal, so the VJP rule serves), or a tuple of rules `jvp(t, ans, *args)`.

    A primitive of any number of arguments has one `vjps` function, which takes the argument's position first.
    The result of a `view` may share the memory of its argument, so that changing one in place changes the
    other. `constants` names the parameters that are arrays or tensors, such as an index: rules read them, so they
    are watched like the arguments.
    """

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        vjps: tuple[Rule | None, ...] | Rule,
        jvp: str | tuple[Rule | None, ...] | Rule = "diagonal",
        view: bool = False,
        constants: tuple[str, ...] = (),
    ) -> None:
        self.name, self.forward, self.vjps, self.jvp = name, forward, vjps, jvp
        self.view, self.constants = view, constants
        self.__doc__ = forward.__doc__ if inspect.isfunction(forward) else f"The primitive `{name}`."
        self._keep: dict[tuple[bool, ...], tuple[bool, ...]] = {}
        if TABLE.setdefault(name, self) is not self:
            raise ValueError(f"There is already a primitive named '{name}'.")

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    # -- forward ---------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **params: Any) -> Any:
        """The forward function's result on arrays; on tensors a tensor, recorded if an argument wants a gradient."""
        given = params
        if self.constants:
            params = params | {name: plain(params[name]) for name in self.constants}
        if not any(isinstance(a, Tensor) for a in args):
            return self.forward(*args, **params)
        args = promote(args)
        out, extra = self.run(tuple([plain(a) for a in args]), params)
        result = wrap(out)
        if self.view and np.may_share_memory(result._data, args[0]._data):
            share(result, (self, args, given), state.recording)
        if state.recording:
            self.record(result, extra, args, given)
        if state.anomaly:
            check_finite(result, self.name)
        return result

    def run(self, arrays: tuple[Any, ...], params: dict[str, Any]) -> tuple[Any, Any]:
        """The result, and what backward wants besides; NumPy's complaints about shapes become sentences."""
        try:
            return self.forward(*arrays, **params), None
        except ValueError as error:
            raise shape_error(self.name, arrays, error) from None

    def record(self, result: Tensor, extra: Any, args: tuple[Any, ...], params: dict[str, Any]) -> None:
        """Put `result` in the graph, if an argument is there, with a node that keeps what the rules will read."""
        parents = tuple(
            [(a.grad_fn or a) if isinstance(a, Tensor) and a.requires_grad else None for a in args]
        )
        if not any(p is not None for p in parents):
            return
        keep_ans, *keep = self.keeps(tuple([p is not None for p in parents]))
        ans = result._data if keep_ans and extra is None else extra
        saved = ans, *[plain(a) if k else None for a, k in zip(args, keep, strict=True)]
        stamps = [
            result._stamp if keep_ans else None,
            *[stamps_in(a) if k else None for a, k in zip(args, keep, strict=True)],
            *[stamps_in(params[name]) for name in self.constants],
        ]
        if self.constants:
            params = params | {name: kept(params[name]) for name in self.constants}
        node = Node()
        node.number, node.primitive, node.shape = tick(), self, result.shape
        node.record = parents, saved, stamps, params
        result.grad_fn, result.requires_grad = node, True

    def keeps(self, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
        """Which of `(ans, *args)` the rules of the wanted arguments read."""
        if wanted not in self._keep:
            if isinstance(self.vjps, tuple):
                masks = [reads(self.rule(i), 1, len(wanted)) for i, w in enumerate(wanted) if w]
            else:
                masks = [reads(self.vjps, 2, len(wanted))]
            self._keep[wanted] = tuple([any(mask[i] for mask in masks) for i in range(len(wanted) + 1)])
        return self._keep[wanted]

    # -- derivatives -----------------------------------------------------------------------------------------

    def rule(self, i: int) -> Rule:
        """The VJP rule of argument i."""
        if isinstance(self.vjps, tuple):
            found = self.vjps[i]
            if found is None:
                raise TypeError(f"'{self.name}' has no gradient with respect to its argument number {i + 1}.")
            return found
        rule = self.vjps
        return lambda *args, **params: rule(i, *args, **params)

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        """The gradients of a node's parents, in their shapes, from the gradient `g` of its result."""
        parents, saved, _, params = record
        return [
            None if parent is None else unbroadcast(self.rule(i)(g, *saved, **params), parent.shape)
            for i, parent in enumerate(parents)
        ]

    def push(self, tangents: list[Any], record: Record) -> Any:
        """The tangent of the result from the parents' tangents (or None): the sum over the arguments."""
        total = None
        _, (ans, *args), _, params = record
        for i, t in enumerate(tangents):
            if t is None:
                continue
            if self.jvp == "linear":
                term = self(*args[:i], t, *args[i + 1 :], **params)
            elif self.jvp == "diagonal":
                term = self.rule(i)(t, ans, *args, **params)
            elif isinstance(self.jvp, tuple):
                term = self.jvp[i](t, ans, *args, **params)  # type: ignore[misc]
            else:
                term = self.jvp(i, t, ans, *args, **params)  # type: ignore[operator]
            total = term if total is None else total + term
        return total


class Elementwise(Primitive):
    """A primitive that treats every element alike; `vjps` are the rules of its arguments, which broadcast."""

    def __init__(self, name: str, forward: Callable[..., Any], *vjps: Rule, jvp: Any = "diagonal") -> None:
        super().__init__(name, forward, vjps, jvp)
        for wanted in product((False, True), repeat=len(vjps)):
            self.keeps(wanted)


class Unary(Elementwise):
    """An elementwise primitive of one argument."""


class Binary(Elementwise):
    """An elementwise primitive of two arguments."""


def reads(rule: Rule, skip: int, arity: int) -> tuple[bool, ...]:
    """Which of `(ans, *args)` a rule reads: those whose parameter has no leading underscore."""
    seen: list[bool] = []
    for p in list(inspect.signature(rule).parameters.values())[skip:]:
        used = not p.name.startswith("_")
        if p.kind is p.VAR_POSITIONAL:
            seen += [used] * (arity + 1 - len(seen))
        elif p.kind is p.POSITIONAL_OR_KEYWORD and len(seen) <= arity:
            seen.append(used)
    return tuple(seen)


def check_finite(result: Tensor, name: str) -> None:
    """Raise if a result has a NaN or an infinity; otherwise note on its node where it was made."""
    where = call_site()
    if result._data.dtype.kind == "f" and not np.isfinite(result._data).all():
        kind = "NaN" if np.isnan(result._data).any() else "an infinity"
        raise FloatingPointError(
            f"'{name}' produced {kind} in its result of shape {result.shape}, called at {where}: "
            "look at the values that went in there."
        )
    if result.grad_fn is not None:
        result.grad_fn.where = where
