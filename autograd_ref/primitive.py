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

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograd_ref.broadcasting import unbroadcast
from autograd_ref.errors import shape_error
from autograd_ref.modes import state
from autograd_ref.node import NEVER, NO_PARAMS, Node, Record, call_site, tick
from autograd_ref.promotion import operand, promote
from autograd_ref.temporaries import may_be_overwritten
from autograd_ref.tensor import Tensor

Rule = Callable[..., Any]
new = object.__new__
ndarray = np.ndarray

TABLE: dict[str, Primitive] = {}
"""Every primitive by name. The tests are generated from this table."""


class Primitive:
    """An operation with rules of its own.

    `vjps[i](g, ans, *args)` is the vector-Jacobian product for argument i. The Jacobian-vector product is
    "linear" (the primitive itself with argument i replaced by its tangent), "diagonal" (an elementwise
    operation: its Jacobian is diagonal, so the VJP rule serves), or a tuple of rules `jvp(t, ans, *args)`.

    A primitive of any number of arguments has one `vjps` function, which takes the argument's position first.
    The result of a `view` may share the memory of its argument, so that changing one in place changes the
    other.
    """

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        vjps: tuple[Rule | None, ...] | Rule,
        jvp: str | tuple[Rule | None, ...] | Rule = "diagonal",
        view: bool = False,
    ) -> None:
        self.name, self.forward, self.vjps, self.jvp, self.view = name, forward, vjps, jvp, view
        self.__doc__ = forward.__doc__ if inspect.isfunction(forward) else f"The primitive `{name}`."
        self._keep: dict[tuple[bool, ...], tuple[bool, ...]] = {}
        if TABLE.setdefault(name, self) is not self:
            raise ValueError(f"There is already a primitive named '{name}'.")

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __call__(self, *args: Any, **params: Any) -> Any:
        for a in args:
            if isinstance(a, Tensor):
                return self.on_tensors(args, params)
        return self.forward(*args, **params)

    def on_tensors(self, args: tuple[Any, ...], params: dict[str, Any]) -> Tensor:
        """Compute the result as a tensor, and record it if an argument wants a gradient."""
        args = promote(args) if len(args) > 1 else args
        arrays = tuple([a._data if isinstance(a, Tensor) else a for a in args])
        out = self.run(arrays, params)
        result = wrap(out)
        if self.view and result._data.base is not None:
            result._stamp = args[0]._stamp
        if not state.switches or state.mine.recording:
            parents = tuple(
                [(a.grad_fn or a) if isinstance(a, Tensor) and a.requires_grad else None for a in args]
            )
            if any(p is not None for p in parents):
                keep = self.keeps(tuple([p is not None for p in parents]))
                # `result._data`, not `out`: of 0-d arrays NumPy makes scalars, which a rule would take for constants.
                saved = tuple([v if k else None for v, k in zip((result._data, *arrays), keep, strict=True)])
                stamps = [a._stamp if isinstance(a, Tensor) else None for a in (result, *args)]
                stamps = [s if k else None for s, k in zip(stamps, keep, strict=True)]
                node = result.grad_fn = new(Node)
                node.number = tick()
                node.primitive = self
                node.record = parents, saved, stamps, params
                node.shape = result._data.shape
                result.requires_grad = True
        if state.switches and state.mine.anomaly:
            check_finite(result, self.name)
        return result

    def run(self, arrays: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The forward function, with NumPy's complaints about shapes turned into sentences."""
        try:
            return self.forward(*arrays, **params)
        except ValueError as error:
            raise shape_error(self.name, arrays, error) from None

    def rule(self, i: int) -> Rule:
        """The VJP rule of argument i."""
        if isinstance(self.vjps, tuple):
            found = self.vjps[i]
            if found is None:
                raise TypeError(f"'{self.name}' has no gradient with respect to its argument number {i + 1}.")
            return found
        rule = self.vjps
        return lambda *args, **params: rule(i, *args, **params)

    def keeps(self, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
        """Which of `(ans, *args)` the rules of the wanted arguments read."""
        if wanted not in self._keep:
            if isinstance(self.vjps, tuple):
                masks = [reads(self.rule(i), 1, len(wanted)) for i, w in enumerate(wanted) if w]
            else:
                masks = [reads(self.vjps, 2, len(wanted))]
            self._keep[wanted] = tuple(any(column) for column in zip(*masks, strict=True))
        return self._keep[wanted]

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


class Unary(Primitive):
    """An elementwise primitive of one argument; `__call__` is `on_tensors` written out for speed."""

    def __init__(self, name: str, forward: Callable[..., Any], vjp: Rule, jvp: Any = "diagonal") -> None:
        super().__init__(name, forward, (vjp,), jvp)
        self.vjp = vjp
        self.keep_ans, self.keep_x = self.keeps((True,))
        self.overwriting: Unary | None = None
        if isinstance(forward, np.ufunc) and not self.keep_x:
            self.overwriting = copy.copy(self)
            self.overwriting.forward = lambda x: forward(x, out=x)

    def __call__(self, x: Any) -> Any:
        if not isinstance(x, Tensor):
            return self.forward(x)
        data = x._data
        out = self.forward(data)
        if not x.requires_grad or (state.switches and not state.mine.recording):
            result = wrap(out)
        else:
            if type(out) is not ndarray:
                out = np.asarray(out)
            result = new(Tensor)  # `wrap`, written out
            result._data = out
            result._grad = result._home = None
            result._stamp = stamp = [NEVER]
            result.requires_grad = True
            node = result.grad_fn = new(Node)
            node.number = tick()
            node.primitive = self
            node.shape = out.shape
            ans, ans_stamp = (out, stamp) if self.keep_ans else (None, None)
            if self.keep_x:
                node.record = (x.grad_fn or x,), (ans, data), (ans_stamp, x._stamp), NO_PARAMS
            else:
                node.record = (x.grad_fn or x,), (ans, None), (ans_stamp, None), NO_PARAMS
        if state.switches and state.mine.anomaly:
            check_finite(result, self.name)
        return result

    def in_place_of(self, x: Any) -> Any:
        """`self(x)` for a tensor that nobody will see again, in its memory if that can be: see temporaries.py."""
        if self.overwriting is None or not may_be_overwritten(x):
            return self(x)
        result: Tensor = self.overwriting(x)
        if result.grad_fn is not None:
            result.grad_fn.primitive = self
        return result

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        ans, x = record[1]
        return (self.vjp(g, ans, x),)


class Binary(Primitive):
    """An elementwise primitive of two arguments that broadcast; `__call__` is `on_tensors` written out."""

    def __init__(
        self, name: str, forward: Callable[..., Any], vjp_x: Rule, vjp_y: Rule, jvp: Any = "diagonal"
    ) -> None:
        super().__init__(name, forward, (vjp_x, vjp_y), jvp)
        self.vjp_x, self.vjp_y = vjp_x, vjp_y
        self.keep_table = {
            (x, y): self.keeps((x, y)) for x, y in ((True, False), (False, True), (True, True))
        }

    def __call__(self, x: Any, y: Any) -> Any:
        x_is, y_is = isinstance(x, Tensor), isinstance(y, Tensor)
        if x_is and y_is:
            a, b = x._data, y._data
            if a.dtype is not b.dtype:
                x, y = promote((x, y))
                a, b = x._data, y._data
        elif x_is:
            a = x._data
            b = y if type(y) is float else operand(y, a)
            if type(b) is ndarray and b.dtype != a.dtype:
                x = x.astype(b.dtype)
                a = x._data
        elif y_is:
            b = y._data
            a = x if type(x) is float else operand(x, b)
            if type(a) is ndarray and a.dtype != b.dtype:
                y = y.astype(a.dtype)
                b = y._data
        else:
            return self.forward(x, y)
        try:
            out = self.forward(a, b)
        except ValueError as error:
            raise shape_error(self.name, (a, b), error) from None
        if type(out) is not ndarray:
            out = np.asarray(out)
        result = new(Tensor)
        result._data = out
        result._grad = result._home = result.grad_fn = None
        result.requires_grad = False
        result._stamp = stamp = [NEVER]
        if not state.switches or state.mine.recording:
            x_wants, y_wants = x_is and x.requires_grad, y_is and y.requires_grad
            if x_wants or y_wants:
                keep_ans, keep_x, keep_y = self.keep_table[x_wants, y_wants]
                node = result.grad_fn = new(Node)
                node.number = tick()
                node.primitive = self
                node.record = (
                    ((x.grad_fn or x) if x_wants else None, (y.grad_fn or y) if y_wants else None),
                    (out if keep_ans else None, a if keep_x else None, b if keep_y else None),
                    (
                        stamp if keep_ans else None,
                        x._stamp if keep_x and x_is else None,
                        y._stamp if keep_y and y_is else None,
                    ),
                    NO_PARAMS,
                )
                node.shape = out.shape
                result.requires_grad = True
        if state.switches and state.mine.anomaly:
            check_finite(result, self.name)
        return result

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        (to_x, to_y), (ans, x, y), _, _ = record
        grad_x = grad_y = None
        if to_x is not None:
            grad_x = self.vjp_x(g, ans, x, y)
            if grad_x.shape != to_x.shape:
                grad_x = unbroadcast(grad_x, to_x.shape)
        if to_y is not None:
            grad_y = self.vjp_y(g, ans, x, y)
            if grad_y.shape != to_y.shape:
                grad_y = unbroadcast(grad_y, to_y.shape)
        return grad_x, grad_y


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


def wrap(out: Any) -> Tensor:
    """A new tensor around a result, outside of any graph."""
    result = new(Tensor)
    result._data = out if type(out) is ndarray else np.asarray(out)
    result._grad = result._home = result.grad_fn = None
    result.requires_grad = False
    result._stamp = [NEVER]
    return result


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
