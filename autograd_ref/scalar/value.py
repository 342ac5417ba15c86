"""Reverse mode on single numbers: `Value` records what is computed, `backward` runs the chain rule over it.

Every operation makes a node that keeps its parents and the local derivative by each of them, both known
by then. `backward` visits the nodes from the newest to the oldest: a node's gradient is complete by the
time it is passed on, because whatever uses a node is newer than the node. That needs no recursion, so a
chain of 100,000 operations works.

    >>> x, y = Value(2.0), Value(3.0)
    >>> z = x * y + sin(x)
    >>> z.backward()
    >>> x.grad == 3.0 + cos(2.0), y.grad
    (True, 2.0)
"""

from itertools import count
from numbers import Real
from operator import attrgetter
from typing import Any

from .rules import (
    RULES,
    Arithmetic,
    as_float,
    cos,
    exp,
    log,
    relu,
    sigmoid,
    sin,
    sqrt,
    tanh,
)

__all__ = ["RULES", "Value", "cos", "exp", "log", "relu", "sigmoid", "sin", "sqrt", "tanh"]

_next_number = count(1).__next__
_by_number = attrgetter("_number")
_new_node = object.__new__
_add, _multiply = RULES["+"], RULES["*"]


class Value(Arithmetic):
    """A number that remembers how it was computed, so that gradients can be taken through it.

    `data` is the number and `grad` the derivative by it of whatever `backward` was called on, 0.0 until then.
    `op` names the operation that made the value ("" for a leaf), with a plain number that took part in
    it (`"*2"`); `parents` are the values that it was made from. `label` is only for drawings.

    >>> a, b, c = Value(2.0), Value(3.0), Value(1.0)
    >>> L = (a * b + c) ** 2
    >>> L.backward()
    >>> L.data, a.grad, b.grad, c.grad
    (49.0, 42.0, 28.0, 14.0)
    >>> L
    Value(data=49.0, grad=1.0)
    """

    # A node has at most two parents, _a and _b, with local derivatives _da and _db (the table's columns), in
    # slots and not in two tuples, which the garbage collector would have to visit: forward and backward of a
    # network of 61,000 nodes then take 2.4 times as long. The derivatives are kept from the forward pass:
    # computing them in `backward` made no clear difference, and is wrong where `data` has changed in between.
    __slots__ = ("_a", "_b", "_da", "_db", "_number", "data", "grad", "label", "op")

    _a: "Value | None"
    _b: "Value | None"
    _da: float
    _db: float

    def __init__(self, data: float, label: str = "") -> None:
        self.data = as_float(data, "data")
        self.grad = 0.0
        self.op = ""
        self.label = label
        self._a = self._b = None
        self._da = self._db = 0.0
        self._number = 0  # leaves are never sorted

    def __repr__(self) -> str:
        return f"Value(data={self.data!r}, grad={self.grad!r})"

    @property
    def parents(self) -> "tuple[Value, ...]":
        """The values that this one was computed from; empty for a leaf.

        >>> x = Value(3.0)
        >>> (x * x).parents, (2 * x).parents
        ((Value(data=3.0, grad=0.0), Value(data=3.0, grad=0.0)), (Value(data=3.0, grad=0.0),))
        """
        return tuple(parent for parent in (self._a, self._b) if parent is not None)

    @property
    def partials(self) -> tuple[float, ...]:
        """The local derivative by each of `parents`.

        >>> (Value(2.0) * Value(3.0)).partials
        (3.0, 2.0)
        """
        return (self._da, self._db)[: len(self.parents)]

    @staticmethod
    def _apply(op: str, *arguments: Any) -> Any:
        numbers, op_label = [], op
        for position, argument in enumerate(arguments):
            if isinstance(argument, Value):
                numbers.append(argument.data)
            elif isinstance(argument, Real):
                # A plain number needs no gradient, so it becomes part of the operation and not a parent.
                numbers.append(float(argument))
                op_label = _label_with(op, numbers[-1], position)
            else:
                return NotImplemented
        data, *partials = RULES[op](*numbers)
        edges = [edge for edge in zip(arguments, partials, strict=True) if isinstance(edge[0], Value)]
        return _record(data, op_label, *sum(edges, ()))

    # Sums and products of two values are most of any network, so they skip what `_apply` has to ask.
    # The network of 61,000 nodes takes 1.6 times as long without these two.
    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Value):
            return self._apply("+", self, other)
        data, da, db = _add(self.data, other.data)
        return _record(data, "+", self, da, other, db)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Value):
            return self._apply("*", self, other)
        data, da, db = _multiply(self.data, other.data)
        return _record(data, "*", self, da, other, db)

    def backward(self, gradient: float = 1.0) -> None:
        """Add the derivative of this value, times `gradient`, to the `grad` of every leaf below it.

        Leaves accumulate over calls, as in PyTorch, until `zero_grad`; nodes in between hold the gradient of
        the last call alone. The graph stays, so it may be called again. Raises TypeError if `gradient` is
        not a number.

        >>> x = Value(3.0)
        >>> y = x * x + x
        >>> y.backward(); x.grad
        7.0
        >>> y.backward(); x.grad
        14.0
        """
        gradient = as_float(gradient, "gradient")
        if self._a is None:
            self.grad += gradient
            return
        nodes = self._computed_nodes()
        nodes.sort(key=_by_number, reverse=True)
        for node in nodes:
            node.grad = 0.0  # what an earlier call left here has been passed on already
        self.grad = gradient
        for node in nodes:
            gradient = node.grad
            if node._a is not None:
                node._a.grad += gradient * node._da
            if node._b is not None:
                node._b.grad += gradient * node._db

    def zero_grad(self) -> None:
        """Set the gradient of this value and of everything that it was computed from to 0.

        >>> x = Value(3.0)
        >>> y = x * x
        >>> y.backward()
        >>> y.zero_grad(); y.grad, x.grad
        (0.0, 0.0)
        """
        self.grad = 0.0
        for node in self._computed_nodes():
            for parent in node.parents:
                parent.grad = 0.0

    def _computed_nodes(self) -> "list[Value]":
        """This value and all below it that are not leaves, each once."""
        # Depth first, newer parent first: that is nearly the order that `backward` sorts them into, which
        # makes its sort almost free (walking breadth first makes `backward` take 1.3 times as long).
        nodes: list[Value] = []
        stack = [self] if self._a is not None else []
        seen = {self}
        while stack:
            node = stack.pop()
            nodes.append(node)
            for parent in (node._a, node._b):
                if parent is not None and parent._a is not None and parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
        return nodes


def _label_with(op: str, number: float, position: int) -> str:
    """How a drawing names an operation with a plain number: "*2", "+1", "-1" (for + -1), "1/"."""
    if op == "+":
        return f"{number:+g}"
    return f"{op}{number:g}" if position == 1 else f"{number:g}{op}"


def _record(data: float, op: str, a: Value, da: float, b: Value | None = None, db: float = 0.0) -> Value:
    """The node of an operation: `__init__` without its checks, which a computed number does not need."""
    node = _new_node(Value)
    node.data = data
    node.grad = 0.0
    node.op = op
    node.label = ""
    node._a, node._da = a, da
    node._b, node._db = b, db
    node._number = _next_number()
    return node
