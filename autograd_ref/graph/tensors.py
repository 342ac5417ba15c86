"""The graph behind a Tensor, read for a drawing: what was computed from what, with values and gradients.

A Tensor keeps no list of parents: its `grad_fn` leads from operation to operation, and an operation keeps only
the arrays that its gradient rule reads. The other values are computed again here. Tensors and nodes are known
by their attributes, because `graph` also serves units in which there is no Tensor to import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import autograd_ref as ag


@dataclass(eq=False)
class Recorded:
    """A value of a tensor graph with the attributes that `graph.draw` reads.

    `hidden` counts inputs of which nothing is known: numbers without a gradient that no rule reads.
    """

    data: Any
    grad: Any = None
    op: str = ""
    parents: tuple[Recorded, ...] = ()
    label: str = ""
    hidden: int = 0


@dataclass
class UnknownValue:
    """Stands for a value of which the shape is known."""

    shape: tuple[int, ...] = field(default=())


def is_operation(place: Any) -> bool:
    """Whether this is a node, and not a leaf: a place in the graph is one or the other."""
    return hasattr(place, "primitive")


def place_of(tensor: Any) -> Any:
    """Where a tensor stands in the graph: at the node that made it, or for itself."""
    return getattr(tensor, "grad_fn", None) or tensor


def operations(tensor: Any) -> list[Any]:
    """The nodes that lead to a tensor, in the order in which they were computed."""
    found = {}
    stack = [place_of(tensor)]
    while stack:
        place = stack.pop()
        if is_operation(place) and id(place) not in found:
            found[id(place)] = place
            stack += [parent for parent in place.parents if parent is not None]
    return sorted(found.values(), key=lambda node: node.number)


def known_values(nodes: Iterable[Any]) -> dict[int, Any]:
    """The arrays at all places of these nodes, by the place's id: saved ones, and the others computed again.

    Left out is what was computed from a number that was not kept.
    """
    known: dict[int, Any] = {}
    for node in nodes:
        for place, value in zip((node, *node.parents), node.saved or (), strict=False):
            if place is None:
                continue
            if not is_operation(place):
                known[id(place)] = place.data
            elif value is not None and not (place is node and hasattr(node.primitive, "definition")):
                known[id(place)] = value  # a fused operation saves something else in the place of its result
    for node in nodes:
        if node.saved is not None and id(node) not in known:
            arguments = arguments_of(node, known)
            if not any(a is None for a in arguments):
                known[id(node)] = compute(node, arguments)
    return known


def arguments_of(node: Any, known: Mapping[int, Any]) -> list[Any]:
    """The values that went into an operation, None where one is not known."""
    return [
        saved if place is None else known.get(id(place))
        for place, saved in zip(node.parents, node.saved[1:], strict=True)
    ]


def compute(node: Any, arguments: Iterable[Any]) -> Any:
    """The result of a node's operation for these arguments."""
    out = node.primitive.forward(*arguments, **node.params)
    return out[0] if isinstance(out, tuple) else out  # a fused operation also returns what it keeps


def recorded(root: Any, labels: Mapping[str, Any], gradients: bool) -> Recorded:
    """The graph of a tensor as linked `Recorded` values; `gradients` computes those of all of them.

    Raises RuntimeError if the graph was freed by a backward pass.
    """
    nodes = operations(root)
    if nodes and nodes[-1].saved is None:
        nodes[-1].check_usable()  # says so
    known = known_values(nodes) | {id(place_of(value)): _array(value) for value in labels.values()}
    names = {id(place_of(value)): name for name, value in labels.items()}
    names |= {id(_array(value)): name for name, value in labels.items() if not is_operation(place_of(value))}
    slopes = _gradients(root, nodes) if gradients and nodes else {}
    done: dict[int, Recorded] = {}

    def leaf(value: Any) -> Recorded:
        """A tensor that was not computed, or the array of an argument without a gradient."""
        if id(value) not in done:
            own = getattr(value, "grad", None)
            done[id(value)] = Recorded(
                _array(value),
                slopes.get(id(value), None if own is None else own.data),
                label=names.get(id(value)) or names.get(id(_array(value)), ""),
            )
        return done[id(value)]

    for node in nodes:
        parents = []
        if node.saved is not None:  # a part of the graph may have been freed with another result
            for place, value in zip(node.parents, arguments_of(node, known), strict=True):
                if place is None and value is not None:
                    parents.append(leaf(value))
                elif place is not None:
                    parents.append(done[id(place)] if is_operation(place) else leaf(place))
        done[id(node)] = Recorded(
            known.get(id(node), UnknownValue(node.shape)),
            slopes.get(id(node)),
            node.name,
            tuple(parents),
            names.get(id(node), ""),
            hidden=len(node.parents) - len(parents) if node.saved is not None else 1,
        )
    if not nodes:
        return leaf(root)
    done[id(nodes[-1])].data = root.data
    return done[id(nodes[-1])]


def _gradients(root: Any, nodes: list[Any]) -> dict[int, Any]:
    """The derivative of the root at every place, by the place's id, without touching any `.grad`."""
    places = {id(p): p for node in nodes for p in (node, *node.parents) if p is not None}
    tensors: list[Any] = [SimpleNamespace(grad_fn=p) if is_operation(p) else p for p in places.values()]
    seed = ag.sweep.seed_for(root, None, False)
    found = ag.sweep.backward(root, seed, retain_graph=True, inputs=tensors)
    slopes = dict(zip(places, found, strict=True))
    slopes[id(nodes[-1])] = seed
    return slopes


def _array(value: Any) -> Any:
    return value.data if hasattr(value, "grad_fn") else value
