"""The first wrong node: which operation of a graph has a gradient rule that disagrees with the numbers.

`gradcheck` says that the gradient of a whole function is wrong. `first_wrong` says where: it goes through the
graph of a result in the order of computation, and compares every rule, alone, with finite differences.

    >>> from autograd_ref import Tensor, ops
    >>> x = Tensor([0.5, -1.0, 2.0], requires_grad=True)
    >>> loss = (ops.tanh(x) * x).sum()
    >>> first_wrong(loss) is None
    True
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_ref.core.node import Node
from autograd_ref.core.tensor import Tensor
from autograd_ref.functional.fused import Fused
from autograd_ref.graph.tensors import arguments_of, known_values, operations
from autograd_ref.scalar import RULES, Value

_RTOL = 1e-4
_CLEAR = 1e-3  # numbers count when rounding can have changed them by less than this share
_ATTEMPTS = 4


@dataclass(frozen=True)
class WrongRule:
    """An operation whose rule is wrong, for the argument `argument`, counted from 1.

    `given` is the derivative that the rule gives and `expected` the one by finite differences, for tensors
    both along one random direction of the argument and of the result. `problem` tells instead what the rule
    did if it gave no number. `position` counts the graph's operations from 1, in the order of computation.
    """

    operation: str
    argument: int
    input_shapes: tuple[tuple[int, ...], ...]
    output_shape: tuple[int, ...]
    given: float
    expected: float
    position: int
    problem: str = ""

    def __str__(self) -> str:
        shapes = ", ".join(map(str, self.input_shapes))
        if self.problem:
            found = f"{self.problem}."
        else:
            found = f"it gives {self.given:.6g}, finite differences give {self.expected:.6g}."
        return (
            f"'{self.operation}', operation {self.position} of the graph, with inputs of shape {shapes} and a "
            f"result of shape {self.output_shape}, has a wrong rule for its argument number {self.argument}: "
            f"{found}"
        )


def first_wrong(root: Tensor | Value, seed: int = 0) -> WrongRule | None:
    """The first operation, in the order of computation, whose rule is wrong; None if all are right.

    Each rule is compared with finite differences at the inputs that were recorded, in float64 and along random
    directions drawn from `seed`. At a kink, such as relu at 0 or a tie of a maximum, no difference quotient can
    tell which slope is meant: there the rule is judged close by. An input that the engine did not keep, because
    no rule reads it, is replaced by a random one. Rules of forward mode are not looked at.

    Raises RuntimeError if a backward pass has freed the graph: call this before, or keep it with
    `retain_graph=True`. Raises TypeError for anything but a Tensor or a Value.
    """
    if isinstance(root, Value):
        return _first_wrong_value(root)
    if not isinstance(root, Tensor):
        raise TypeError(
            f"first_wrong needs a Tensor or a Value, not {type(root).__name__}: "
            "pass the result that your computation ends in."
        )
    nodes = operations(root)
    if nodes and nodes[-1].saved is None:
        nodes[-1].check_usable()
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        known = known_values(nodes)
        for position, node in enumerate(nodes, start=1):
            if node.saved is not None and (wrong := _check(node, known, position, rng)):
                return wrong
    return None


# Tensors ---------------------------------------------------------------------------------------------------------


def _check(node: Node, known: dict[int, Any], position: int, rng: np.random.Generator) -> WrongRule | None:
    arguments = [
        _stand_in(node, i, rng) if value is None else _as_float64(value)
        for i, value in enumerate(arguments_of(node, known))
    ]
    for i, parent in enumerate(node.parents):
        if parent is None:
            continue
        verdicts = []
        for inputs, v in _places(arguments, i, rng):
            given, expected, problem, clear = _compare(node, inputs, i, v, rng)
            if not problem and clear and abs(given - expected) <= _RTOL * max(abs(given), abs(expected)):
                break
            if problem or clear:
                verdicts.append((given, expected, problem))
        else:
            if verdicts:
                shapes = tuple(np.shape(a) for a in arguments)
                given, expected, problem = verdicts[0]
                return WrongRule(node.name, i + 1, shapes, node.shape, given, expected, position, problem)
    return None


def _places(arguments: list[Any], i: int, rng: np.random.Generator) -> Iterator[tuple[list[Any], np.ndarray]]:
    """Inputs to judge a rule at, with a direction of argument i: the recorded ones first, then some close by.

    Directions are of the size of 1 and of the size of the argument in turn: the one suits small numbers that
    meet large ones, the other large numbers, and small ones at the border of a domain.
    """
    for attempt in range(_ATTEMPTS):
        inputs = list(arguments)
        if attempt >= 2:
            inputs = [_nudged(a, rng) for a in arguments]
        x = np.asarray(inputs[i])
        v = rng.standard_normal(x.shape)
        yield inputs, v * (np.abs(x) + (x == 0)) if attempt % 2 else v


def _compare(
    node: Node, inputs: list[Any], i: int, v: np.ndarray, rng: np.random.Generator
) -> tuple[float, float, str, bool]:
    """The rule's number, that of finite differences, what the rule did wrong otherwise, and whether the two
    can be told apart from rounding.
    """
    primitive, fused = node.primitive, isinstance(node.primitive, Fused)
    ran = primitive.forward(*inputs, **node.params)
    out, kept = ran if fused else (ran, None)
    out = np.asarray(out)
    epsilon = np.finfo(out.dtype).eps if out.dtype.kind == "f" else np.finfo(float).eps
    step = float(epsilon) ** (1 / 3)
    u = rng.standard_normal(out.shape)

    def moved(by: float) -> np.ndarray:
        there = primitive.forward(*inputs[:i], inputs[i] + by * v, *inputs[i + 1 :], **node.params)
        return np.asarray(there[0] if fused else there)

    expected = float(np.vdot(u, moved(step) - moved(-step))) / (2 * step)
    rounding = float(epsilon) * float(np.vdot(np.abs(u), np.abs(out))) / step
    saved = (kept if fused else out, *inputs)
    shape = np.shape(inputs[i])
    try:
        g = primitive.pull(u.astype(out.dtype), (node.parents, saved, (), node.params))[i]
    except Exception as error:
        return np.nan, expected, f"it raises {type(error).__name__}: {error}".rstrip("."), True
    if np.shape(g) != shape and not _repeats(shape, np.shape(g)):
        return np.nan, expected, f"it gives the shape {np.shape(g)} in place of {shape}", True
    # Where an argument was broadcast, a rule may leave it to the engine to sum over the repeats.
    given = float(np.vdot(g, np.broadcast_to(v, np.shape(g))))
    largest = max(abs(given), abs(expected))
    if not np.isfinite(expected):
        return given, expected, "", False
    if not np.isfinite(given):
        return given, expected, "it gives a number that is not finite", True
    return given, expected, "", largest == 0 or rounding < _CLEAR * largest


def _repeats(shape: tuple[int, ...], larger: tuple[int, ...]) -> bool:
    """Whether an array of the one shape can be broadcast to the other."""
    try:
        return np.broadcast_shapes(shape, larger) == larger
    except ValueError:
        return False


def _nudged(a: Any, rng: np.random.Generator) -> Any:
    """Numbers moved by a thousandth of their size, away from kinks and ties; others as they are."""
    if not isinstance(a, np.ndarray) or a.dtype.kind != "f":
        return a
    return a + 1e-3 * rng.uniform(-1, 1, a.shape) * (np.abs(a) + (a == 0))


def _stand_in(node: Node, i: int, rng: np.random.Generator) -> Any:
    """Positive random numbers, in every operation's domain, in the shape of an argument that was not kept."""
    parent = node.parents[i]
    if parent is not None:
        shape = parent.shape
    elif "starts" in node.params:  # concatenate: where along the axis each argument begins
        axis, starts = node.params["axis"], node.params["starts"]
        shape = (*node.shape[:axis], starts[i + 1] - starts[i], *node.shape[axis + 1 :])
    else:  # the others broadcast, or set one value at many places
        shape = () if node.name == "set_item" else node.shape
    return rng.uniform(0.5, 1.5, shape)


def _as_float64(a: Any) -> Any:
    a = np.asarray(a) if isinstance(a, np.generic) else a
    return a.astype(float) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a


# Single numbers --------------------------------------------------------------------------------------------------


def _first_wrong_value(root: Value) -> WrongRule | None:
    nodes = sorted(root._computed_nodes(), key=lambda node: node._number)
    for position, node in enumerate(nodes, start=1):
        function = _function_of(node.op)
        numbers = [parent.data for parent in node.parents]
        for i, given in enumerate(node.partials):
            sides = [_slope(function, numbers, i, way) for way in (1.0, -1.0)]
            (one, noise), (other, _) = sides
            slack = _RTOL * max(abs(one), abs(other)) + noise
            # At a kink the two sides differ, and any slope between them will do. On a border they are NaN.
            if given < min(one, other) - slack or given > max(one, other) + slack:
                shapes = ((),) * len(numbers)
                return WrongRule(node.op, i + 1, shapes, (), given, (one + other) / 2, position)
    return None


def _slope(function: Callable[..., float], numbers: list[float], i: int, way: float) -> tuple[float, float]:
    """The derivative by number i from one side, and how much rounding may have changed it."""
    x = numbers[i]
    h = 1e-5 * (abs(x) or 1.0) * way
    try:
        y0, y1, y2 = (function(*numbers[:i], x + k * h, *numbers[i + 1 :]) for k in (0, 1, 2))
    except (ArithmeticError, ValueError):
        return np.nan, np.nan
    return (4 * y1 - y2 - 3 * y0) / (2 * h), 4e-16 * (abs(y0) + abs(y1) + abs(y2)) / abs(h)


def _function_of(op: str) -> Callable[..., float]:
    """The operation that a Value's `op` names: "*", or with a plain number that took part, "*2" or "2/"."""
    if op in RULES:
        return lambda *numbers: RULES[op](*numbers)[0]
    for name in sorted(RULES, key=len, reverse=True):  # "**" before "*"
        pattern = rf"(.*){re.escape(name)}(.*)" if name != "+" else r"()([+-][\din].*)"
        match = re.fullmatch(pattern, op)
        if match and match[1]:
            return lambda x, c=float(match[1]), rule=RULES[name]: rule(c, x)[0]
        if match:
            return lambda x, c=float(match[2]), rule=RULES[name]: rule(x, c)[0]
    raise ValueError(f"There is no rule for the operation '{op}'.")
