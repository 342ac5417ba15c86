"""The numbers of unit 04, made of what the learner wrote in unit 03.

Inside is what notebook 03 defines: its class `Value`, its `record`, its rules, its way back. `Number` adds the two
things in which unit 04's Values differ: a Value keeps the numbers that it was computed from, whatever becomes of its
parents later, and the gradients of inputs add up over several backward passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from autograd_ref import scalar as reference
from autograd_ref.scalar.rules import RULES as FORMULAS
from autograd_ref.scalar.rules import as_float

from .parts import Part, topological_order

Names = dict[str, Any]

UNIT = "03_reverse_mode"
#: Given cells without which there is no `Value`.
GIVEN = {UNIT: ("value", "first_rules", "more_rules")}


class Scalars(NamedTuple):
    """What notebook 04 imports from `autograd_ref.scalar`, made of the learner's answers."""

    Value: Any
    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    tanh: Callable[[Any], Any]


def _record(op: str, parents: tuple[Any, ...], constants: tuple[Any, ...] = ()) -> Any:
    numbers = [float(x) for x in (*(parent.data for parent in parents), *constants)]
    return type(parents[0])(FORMULAS[op](*numbers)[0], op, parents, constants)


def _pass_back(node: Any, rules: Any) -> None:
    if node.op:
        for parent, g in zip(node.parents, rules[node.op](node.grad, node.data, *node.inputs), strict=True):
            parent.grad += g


def _backward(order: list[Any], step: Callable[[Any], None]) -> None:
    for node in order:
        node.grad = 0.0
    order[-1].grad = 1.0
    for node in reversed(order):
        step(node)


def _rule(op: str) -> Callable[..., tuple[float]]:
    return lambda g, out, a: (g * FORMULAS[op](a)[1],)


SCALAR_PARTS = (
    Part(UNIT, "record", {"record": _record}),
    Part(UNIT, "pass_back", {"pass_back": _pass_back}),
    Part(UNIT, "topological_order", {"topological_order": topological_order}),
    Part(UNIT, "backward", {"backward": _backward}),
    Part(UNIT, "exp_log_sqrt", {f"{op}_vjp": _rule(op) for op in ("exp", "log", "sqrt")}),
    Part(UNIT, "sin_cos", {f"{op}_vjp": _rule(op) for op in ("sin", "cos")}),
    Part(UNIT, "relu_vjp", {"relu_vjp": _rule("relu")}),
    Part(
        UNIT,
        "derived",
        {"neg": lambda a: a * -1, "sub": lambda a, b: a + b * -1, "div": lambda a, b: a * b**-1},
    ),
)


def as_in_unit_04(names: Names) -> None:
    """Put a Value as unit 04 knows it in the place of notebook 03's, from which it inherits."""

    theirs: Any = names["Value"]

    class Number(theirs):
        __array_ufunc__ = None  # a NumPy number on the left leaves the product to us

        def __init__(self, data: Any, *how: Any, **named: Any) -> None:
            super().__init__(as_float(data, "data"), *how, **named)
            self._inputs = super().inputs

        @property
        def inputs(self) -> tuple[float, ...]:
            """The numbers that it was computed from, as they were then."""
            return self._inputs

        @property
        def partials(self) -> tuple[float, ...]:
            """The local derivative by each parent."""
            return tuple(names["RULES"][self.op](1.0, self.data, *self._inputs)) if self.op else ()

        def backward(self) -> None:
            """Add the derivative of this Value to the `grad` of each input that it was made from."""
            order = names["topological_order"](self)
            before = [(node, node.grad) for node in order if not node.op]
            names["backward"](order, lambda node: names["pass_back"](node, names["RULES"]))
            for node, grad in before:
                node.grad += grad

        def zero_grad(self) -> None:
            """Set its gradient to 0, and that of all that it was made from."""
            for node in names["topological_order"](self):
                node.grad = 0.0

    Number.__name__ = Number.__qualname__ = "Value"
    names["Value"] = Number


def make_scalars(names: Names) -> Scalars:
    """The names for notebook 04, of what notebook 03 has defined."""

    def of_both(name: str) -> Callable[[Any], Any]:
        recorded, plain = names[name], getattr(reference, name)
        return lambda x: recorded(x) if isinstance(x, names["Value"]) else plain(x)

    return Scalars(names["Value"], of_both("exp"), of_both("log"), of_both("tanh"))
