"""A backward pass, one value at a time: who is at work, what it sends to whom, and where that adds up."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from .drawing import Drawing
from .reading import draw, shown, values_of

_MAX_NUMBERS = 12  # of an array that is shown in full


@dataclass(frozen=True)
class Step:
    """One value's turn: the graph after it, the question that can be asked before, and what happened."""

    picture: Drawing
    question: str
    answer: str


@dataclass(frozen=True)
class BackwardSteps:
    """A backward pass to go through: in a notebook a picture and a fold for each step, elsewhere a text.

    The folds need no kernel and no script, so they open on a saved page and in a notebook that nobody trusts.
    """

    start: Drawing
    told: str
    steps: tuple[Step, ...]

    def text(self) -> str:
        """The steps in words."""
        lines = [self.told]
        for k, step in enumerate(self.steps, 1):
            lines += [f"{k}. {step.question}", f"   {step.answer}"]
        return "\n".join(lines)

    __repr__ = text

    def html(self) -> str:
        """The steps as HTML, with all looks in the elements themselves."""
        parts = [f"<div>{escape(self.told)}</div>", self.start.html()]
        for k, step in enumerate(self.steps, 1):
            parts.append(
                f'<details style="margin: 6px 0"><summary>{k} of {len(self.steps)}. {escape(step.question)}</summary>'
                f'<div style="margin: 4px 0">{escape(step.answer)}</div>{step.picture.html()}</details>'
            )
        return f"<div>{''.join(parts)}</div>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self.html()}


def backward_steps(
    root: Any, order: Sequence[Any], step: Callable[[Any], object], gradient: Any = None
) -> BackwardSteps:
    """Go back from `root` one value at a time, and draw the graph after each.

    `order` lists the values such that each comes after its parents, `root` last; `step` passes one value's gradient
    on to its parents. Both are the caller's own, and what they do is what is shown. Every gradient is set to 0 first,
    of values that hold arrays to None, and holds the result afterwards, as after a backward pass. The pass begins
    with `gradient`, of the shape of `root`, or else with 1. Arrays of at most twelve numbers are shown in full, larger
    ones by their shape.

    Raises ValueError when `root` is not the last in `order`, when it holds more than one number and there is no
    `gradient`, and when the shapes of the two differ.

    >>> from autograd_ref.scalar import Value
    >>> x, y = Value(2.0, label="x"), Value(3.0, label="y")
    >>> w = x * y
    >>> def step(node):
    ...     if node is w:
    ...         x.grad += node.grad * y.data
    ...         y.grad += node.grad * x.data
    >>> print(backward_steps(w, [x, y, w], step))
    Recorded: x, y, v1 = x * y. The pass goes the other way, and begins with a gradient of 1 at v1.
    1. v1 = x * y is at work, with the gradient 1. What does it send, and to whom?
       To x: 3. To y: 2.
    """
    if not order or order[-1] is not root:
        raise ValueError("backward_steps goes back from the last value in order, and that is not the root.")
    arrays = any(_shape(value.data) for value in order)
    first = _first(root.data, gradient)
    for value in order:
        value.grad = None if arrays else 0.0
    root.grad = first
    named = _names(order)
    made = ", ".join(_made(value, named) for value in order)
    begins = f"the gradient {_told(first)}" if _shape(first) else f"a gradient of {_told(first)}"
    told = f"Recorded: {made}. The pass goes the other way, and begins with {begins} at {named[id(root)]}."
    return BackwardSteps(_seen(root, named, {id(root)}), told, tuple(_steps(root, order, step, named)))


def _steps(
    root: Any, order: Sequence[Any], step: Callable[[Any], object], named: dict[int, str]
) -> Iterator[Step]:
    """Each value's turn, of those that have parents."""
    reached = {id(root)}
    for value in reversed(order):
        parents = _once(value.parents)
        if not parents:
            step(value)
            continue
        before = {id(parent): _kept(parent.grad) for parent in parents}
        step(value)
        got = [parent for parent in parents if parent.grad is not None]
        answer = " ".join(
            _sent(value, parent, before[id(parent)] if id(parent) in reached else None, named)
            for parent in parents
        )
        reached |= {id(parent) for parent in got}
        if value is not root:
            answer = f"Its gradient is {_told(value.grad)}. {answer}"
        yield Step(
            _seen(root, named, reached, value, got), _asked(value, parents, named, value is root), answer
        )


def _shape(data: Any) -> tuple[int, ...]:
    return tuple(getattr(data, "shape", ()))


def _first(data: Any, gradient: Any) -> Any:
    """What a pass begins with: the gradient that is given, or a 1."""
    if not _shape(data):
        return 1.0 if gradient is None else gradient
    import numpy as np  # which a graph of single numbers does without

    if gradient is None and data.size != 1:
        raise ValueError(
            f"The last value has the shape {data.shape}, and one number is needed to go back from: "
            "give a gradient of this shape."
        )
    first = np.ones_like(data) if gradient is None else np.asarray(gradient, dtype=data.dtype)
    if first.shape != data.shape:
        raise ValueError(
            f"The last value has the shape {data.shape}, and its gradient {first.shape}: give it that shape."
        )
    return first


def _kept(grad: Any) -> Any:
    """The gradient as it is now: a step may write into an array."""
    return grad.copy() if hasattr(grad, "copy") else grad


def _once(values: Iterable[Any]) -> list[Any]:
    """Each object once, in order: a student's class may define ==."""
    return list({id(value): value for value in values}.values())


def _names(order: Sequence[Any]) -> dict[int, str]:
    """A name for each value: its label, or v1, v2, ... in the order given."""
    labels = [getattr(value, "label", "") or "" for value in order]
    fresh = (name for k in range(1, 2 * len(order) + 1) if (name := f"v{k}") not in labels)
    return {id(value): label or next(fresh) for value, label in zip(order, labels, strict=True)}


def _made(value: Any, named: dict[int, str]) -> str:
    """`v1 = x * y`, `v2 = tanh(v1)`, or the name alone."""
    name, parents = named[id(value)], [named[id(parent)] for parent in value.parents]
    if not parents:
        return name
    if len(parents) == 2 and not value.op[:1].isalpha():
        return f"{name} = {parents[0]} {value.op} {parents[1]}"
    if value.op.startswith("**"):
        return f"{name} = {parents[0]} {value.op}"
    return f"{name} = {value.op}({', '.join(parents)})"


def _asked(value: Any, parents: list[Any], named: dict[int, str], first: bool) -> str:
    """The question before a value's turn. Of arrays it tells the shapes, which decide a good part of the answer.

    With which gradient it begins, the first one says: of the others that is what the turns before have found.
    """
    question = (
        f"{_made(value, named)} is at work{f', with the gradient {_told(value.grad)}' if first else ''}. "
    )
    if not any(_shape(parent.data) for parent in parents):
        return question + "What does it send, and to whom?"
    to = [f"{named[id(parent)]} {_shape(parent.data)}" for parent in parents]
    return question + "What goes to " + ", and what to ".join(to) + "?"


def _told(number: Any) -> str:
    return shown(number, _MAX_NUMBERS)


#: Operations that stretch a smaller array to the shape of a larger one.
_STRETCH = ("+", "-", "*", "/", "**", "maximum", "where", "add", "sub", "mul", "div", "pow")


def _sent(value: Any, parent: Any, before: Any, named: dict[int, str]) -> str:
    """What a parent got, and with what it adds up; `before` is None where nothing had arrived."""
    name, shape = named[id(parent)], _shape(parent.data)
    if parent.grad is None:
        return f"To {name}: nothing."
    if shape != _shape(parent.grad):
        return (
            f"To {name}: {_told(parent.grad)}, of the shape {_shape(parent.grad)}, though {name} has {shape}."
        )
    got = _told(parent.grad if before is None else parent.grad - before)
    said = f"To {name}: {got}."
    if before is not None:
        said = f"To {name}: {got}, and with the {_told(before)} from before that is {_told(parent.grad)}."
    out = _shape(value.data)
    if value.op in _STRETCH and math.prod(shape) < math.prod(out):
        said += f" {name} was stretched from {shape} to {out}, so what comes back is summed to {shape}."
    return said


def _seen(
    root: Any, named: dict[int, str], reached: set[int], at_work: Any = None, got: Sequence[Any] = ()
) -> Drawing:
    """The graph with a gradient where one has arrived, and a mark on the value at work and on what it reached."""
    drawing, values = draw(root, numbers=_MAX_NUMBERS), values_of(root)
    nodes = []
    for node, value in zip(drawing.nodes, values, strict=True):
        mark = "▶ " if value is at_work else ""
        node = replace(node, label=mark + named[id(value)])
        nodes.append(node if id(value) in reached else replace(node, grad="", grad_rows=()))
    places = {id(value): place for place, value in enumerate(values)}
    return replace(
        drawing,
        nodes=tuple(nodes),
        at_work=places.get(id(at_work)),
        sent=tuple(places[id(parent)] for parent in got if id(parent) in places),
    )
