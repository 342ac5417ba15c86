"""The walk back, with as little memory as it needs: gradients are added in place, and become `.grad` as they are.

CPython counts owners, so whether somebody else holds an array is known and not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from sys import getrefcount
from typing import Any

import numpy as np

from autograd_ref.core import hooks, sweep
from autograd_ref.core.modes import state
from autograd_ref.core.node import Node
from autograd_ref.core.promotion import constant
from autograd_ref.core.saved import check, newest
from autograd_ref.core.sweep import Edge, check_gradients, on_graph
from autograd_ref.core.tensor import Tensor

from .place import Place

_plain_backward, _plain_deposit, _plain_seed_for = sweep.backward, sweep.deposit, sweep.seed_for
ndarray = np.ndarray


def _counts() -> tuple[int, int]:
    box = (np.empty(0),)
    alone = getrefcount(box[0])
    for _, array in zip((0,), box, strict=True):  # zip's own pair refers to it, too
        walked = getrefcount(array)
    return alone, walked


_IN_BOX, _IN_WALK = _counts()
"""What getrefcount says of an array that only a container holds, and of one that a loop over the container is at.
Nothing else refers to such an array, so its buffer may be used again. Python's versions count differently."""


def backward(
    root: Tensor,
    gradient: Any,
    retain_graph: bool = False,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | None = None,
) -> list[Any]:
    """`core.sweep.backward`, straight to the walk where gradients go to the leaves and are not recorded."""
    start = root.grad_fn
    if start is None or create_graph or inputs is not None or hooks.watched:
        return _plain_backward(root, gradient, retain_graph, create_graph, inputs)
    walk(start, gradient, retain_graph, False, None)
    return []


def walk(start: Node, gradient: Any, retain: bool, create: bool, found: dict[Edge, Any] | None) -> None:
    """`core.sweep.walk` without the heap for a node that is alone in waiting, as all are in a chain."""
    # Long, because every call in this loop would be one for each node or argument of the graph.
    oldest = sweep._oldest(found) if found is not None else 0
    # Gradients wait under the negated number of their node, so that the heap yields the youngest node first.
    waiting: dict[int, Any] = {}
    nodes: dict[int, Node] = {}
    heap: list[int] = []
    anomaly = state.anomaly
    to_leaves = found is None and not create and not hooks.watched
    node: Any = start
    g = gradient
    while True:
        number = node.number
        if found is not None:
            if node in found:
                found[node] = g
            if number <= oldest:
                return
        record = node.record
        if record is None or newest[0] > number:
            check(node)
        parents = record[0]
        primitive = node.primitive
        if primitive.add_part is not None and not create and not anomaly:
            total = _total(parents[0], waiting, to_leaves)
            if total is not None and primitive.add_part(total, g, **record[3]):
                primitive = None
            total = None
        grads = primitive.pull(g, on_graph(node) if create else record) if primitive else ()
        if not retain:  # Let go of the arrays and of the older part of the graph.
            node.record = None
        if anomaly:
            check_gradients(node, grads)
        node = g = record = None
        for parent, out in zip(parents, grads):  # noqa: B905  a keyword costs more than all the rest of this line
            if parent is None:
                continue
            if type(parent) is not Node:
                held: Any = parent._grad
                if (
                    not to_leaves
                    or not parent.requires_grad
                    or parent.grad_fn is not None
                    or (held is not None and type(held) is not Place)
                ):
                    deposit(parent, out, create, found)
                elif held is not None:
                    if out is not held.array:
                        held.array[...] = out
                    parent._grad = held.array
                elif type(out) is ndarray and out.base is None and getrefcount(out) <= _IN_WALK:
                    parent._grad = out
                else:  # Somebody else may hold the same buffer.
                    parent._grad = np.array(out)
            elif node is None and not heap:
                node, g = parent, out
            else:
                if node is not None:
                    key = -node.number
                    nodes[key], waiting[key] = node, g
                    heap.append(key)
                    node = g = None
                key = -parent.number
                if key not in waiting:
                    nodes[key] = parent
                    waiting[key] = out
                    heappush(heap, key)
                elif _may_reuse(waiting, key):
                    waiting[key] += out
                else:
                    waiting[key] = waiting[key] + out
        grads = out = None  # Free what is not waiting before the next rule allocates.
        if node is None:
            if not heap:
                return
            key = heappop(heap)
            node, g = nodes.pop(key), waiting.pop(key)


def _total(parent: Any, waiting: dict[int, Any], to_leaves: bool) -> Any:
    """The sum of the gradients that have come to a parent, if it may be written to."""
    if type(parent) is not Node:
        held = parent._grad
        wanted = parent.requires_grad and parent.grad_fn is None
        return held if to_leaves and wanted and type(held) is ndarray else None
    key = -parent.number
    return waiting[key] if key in waiting and _may_reuse(waiting, key) else None


def _may_reuse(box: Any, key: Any) -> bool:
    return getrefcount(box[key]) <= _IN_BOX and type(box[key]) is ndarray and box[key].base is None


def deposit(leaf: Tensor, g: Any, create: bool, found: dict[Edge, Any] | None) -> None:
    """`core.sweep.deposit` that leaves a gradient an array as long as nobody has looked at it."""
    if found is None and hooks.gathered(leaf, g):
        return
    held: Any = leaf._grad
    if type(held) is Place:
        if found is None:
            leaf._grad = None
        elif g is held.array:  # the next gradient may be computed there, too
            g = g.copy()
    wanted = leaf.requires_grad and leaf.grad_fn is None
    if found is None and not create and type(held) is ndarray and wanted:
        held += g
    else:
        _plain_deposit(leaf, g, create, found)


def seed_for(root: Tensor, gradient: Any, create_graph: bool) -> Any:
    """`core.sweep.seed_for` with a kept 1 for a result that is one number."""
    if gradient is None and not create_graph and not root._data.shape:
        return constant(1.0, root._data.dtype)
    return _plain_seed_for(root, gradient, create_graph)
