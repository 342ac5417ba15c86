"""A backward pass, one value at a time: who is at work, what it sends to whom, and where that adds up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from .drawing import Drawing
from .reading import draw, shown, values_of


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


def backward_steps(root: Any, order: Sequence[Any], step: Callable[[Any], object]) -> BackwardSteps:
    """Go back from `root` one value at a time, and draw the graph after each.

    `order` lists the values such that each comes after its parents, `root` last; `step` passes one value's gradient
    on to its parents. Both are the caller's own, and what they do is what is shown. Every gradient is set to 0 first
    and holds the result afterwards, as after a backward pass.

    Raises ValueError when `root` is not the last in `order`.

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
    for value in order:
        value.grad = 0.0
    root.grad = 1.0
    named = _names(order)
    reached = {id(root)}
    start = _seen(root, named, reached, at_work=None)
    made = ", ".join(_made(value, named) for value in order)
    told = f"Recorded: {made}. The pass goes the other way, and begins with a gradient of 1 at {named[id(root)]}."
    steps = []
    for value in reversed(order):
        parents = _once(value.parents)
        if not parents:
            step(value)
            continue
        before = {id(parent): parent.grad for parent in parents}
        step(value)
        question = (
            f"{_made(value, named)} is at work, with the gradient {shown(value.grad)}. "
            "What does it send, and to whom?"
        )
        answer = " ".join(
            _sent(parent, before[id(parent)], id(parent) in reached, named) for parent in parents
        )
        reached |= set(before)
        steps.append(Step(_seen(root, named, reached, at_work=value), question, answer))
    return BackwardSteps(start, told, tuple(steps))


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


def _sent(parent: Any, before: Any, reached: bool, named: dict[int, str]) -> str:
    """What a parent got, and with what it adds up."""
    got = shown(parent.grad - before)
    if not reached:
        return f"To {named[id(parent)]}: {got}."
    return f"To {named[id(parent)]}: {got}, and with the {shown(before)} from before that is {shown(parent.grad)}."


def _seen(root: Any, named: dict[int, str], reached: set[int], at_work: Any) -> Drawing:
    """The graph with a gradient where one has arrived, and a mark on the value at work."""
    drawing, nodes = draw(root), []
    for node, value in zip(drawing.nodes, values_of(root), strict=True):
        mark = "▶ " if value is at_work else ""
        nodes.append(
            replace(node, label=mark + named[id(value)], grad=node.grad if id(value) in reached else "")
        )
    return replace(drawing, nodes=tuple(nodes))
