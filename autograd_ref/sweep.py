"""Walking the graph: backward with vector-Jacobian products, forward with Jacobian-vector products.

Both walks read the same record. `backward` starts at a result and visits nodes by falling number, so a node
comes after everything that used it and its gradient is then complete. `forward` starts at the inputs and
visits nodes by rising number. Neither recurses, so a chain of a million operations needs no deep stack.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from heapq import heappop, heappush
from sys import getrefcount
from typing import Any

import numpy as np

from autograd_ref.modes import enable_grad, state
from autograd_ref.node import Node, Record, changed, newest
from autograd_ref.primitive import ndarray, wrap
from autograd_ref.promotion import constant
from autograd_ref.tensor import Tensor

Edge = Node | Tensor
"""Where a gradient goes: the node that made a value or, for a leaf, the tensor itself."""


def _counts() -> tuple[int, int]:
    box = (np.empty(0),)
    alone = getrefcount(box[0])
    for _, array in zip((0,), box, strict=True):  # zip's own pair refers to it, too
        walked = getrefcount(array)
    return alone, walked


_IN_BOX, _IN_WALK = _counts()
"""What getrefcount says of an array that only a container holds, and of one that a loop over the container is at.
Nothing else refers to such an array, so its buffer may be reused. Python's versions count differently."""


def backward(
    root: Tensor,
    gradient: Any,
    retain_graph: bool = False,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | None = None,
) -> list[Any]:
    """Send `gradient` back through the graph of `root`.

    Without `inputs`, gradients are added to `.grad` of every leaf. With `inputs`, no `.grad` is touched and
    their gradients are returned, None where the result does not depend on an input. `gradient` and the
    results are arrays, or tensors with `create_graph`, which also records the gradients' own graph.
    """
    start = root.grad_fn or root
    found: dict[Edge, Any] | None = None
    oldest = 0
    targets: list[Edge] = []
    if inputs is not None:
        targets = [edge_of(t) for t in inputs]
        found = dict.fromkeys(targets)
        # Nothing older than the oldest input can lead to one; leaves have no age.
        oldest = min((t.number if isinstance(t, Node) else 0 for t in targets), default=0)
    if type(start) is not Node:
        _deposit(start, np.array(gradient) if not create_graph else gradient, create_graph, found)
    elif create_graph:
        with enable_grad():
            _run(start, gradient, True, True, found, oldest)
    else:
        _run(start, gradient, retain_graph, False, found, oldest)
    return [found[t] for t in targets] if found else []


def _run(
    start: Node, gradient: Any, retain: bool, create: bool, found: dict[Edge, Any] | None, oldest: int
) -> None:
    # Gradients wait under the negated number of their node, so that the heap yields the youngest node first.
    # A node that is alone in waiting, as all are in a chain, is the next one and does not go through the heap.
    waiting: dict[int, Any] = {}
    nodes: dict[int, Node] = {}
    heap: list[int] = []
    anomaly = state.anomaly
    plain = found is None and not create
    node: Any = start
    g = gradient
    while True:
        number = node.number
        if found is not None:
            if node in found:
                found[node] = g
            if number <= oldest:
                return  # All that waits is older still.
        record = node.record
        if record is None or newest[0] > number:
            node.check_usable()
        parents = record[0]
        grads = node.primitive.pull(g, on_graph(node) if create else record)
        if not retain:  # Let go of the arrays and of the older part of the graph.
            node.record = None
        if anomaly:
            _check_gradients(node, grads)
        node = g = record = None
        for parent, out in zip(parents, grads):  # noqa: B905  a keyword would take 0.1 microseconds
            if parent is None:
                continue
            if type(parent) is not Node:
                home = parent._home
                if not plain or parent._grad is not None:
                    _deposit(parent, out, create, found)
                elif home is not None:
                    if out is not home:
                        home[...] = out
                    parent._grad = home
                elif type(out) is ndarray and out.base is None and getrefcount(out) <= _IN_WALK:
                    parent._grad = out
                else:  # Someone else may hold the same buffer.
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
                if key not in waiting:  # The first gradient is stored, not added to zeros.
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


def _may_reuse(box: Any, key: Any) -> bool:
    return getrefcount(box[key]) <= _IN_BOX and type(box[key]) is ndarray and box[key].base is None


def _deposit(leaf: Any, g: Any, create: bool, found: dict[Edge, Any] | None) -> None:
    """Add `g` to `leaf.grad`, or to `found` if the caller asked for this leaf."""
    if found is not None:
        if leaf in found:
            held = found[leaf]
            g = g.copy() if g is leaf._home else g
            found[leaf] = g if held is None else held + g
    elif create:
        leaf.grad = g if leaf.grad is None else leaf.grad + g
    elif leaf._grad is None:
        leaf._grad = g
    elif type(leaf._grad) is ndarray:  # Nobody has seen it as a tensor yet.
        leaf._grad += g
    else:
        leaf._grad._data += g
        changed(leaf._grad._stamp, "backward(), which adds to .grad")


def on_graph(node: Node) -> Record:
    """A node's record with tensors that are part of the graph, for rules that are to be recorded."""
    assert node.record is not None
    parents, saved, stamps, params = node.record
    tensors = tuple(on_edge(value, edge) for value, edge in zip(saved, (node, *parents), strict=True))
    return parents, tensors, stamps, params


def on_edge(value: Any, edge: Edge | None) -> Any:
    """`value` as the tensor that stands at `edge` of the graph."""
    if edge is None or type(value) is not np.ndarray:
        return value
    if type(edge) is not Node:
        return edge
    tensor = wrap(value)
    tensor.grad_fn, tensor.requires_grad = edge, True
    return tensor


def edge_of(tensor: Tensor) -> Edge:
    """The place of a tensor in the graph."""
    return tensor.grad_fn or tensor


def _check_gradients(node: Node, grads: Sequence[Any]) -> None:
    for i, g in enumerate(grads):
        data = g._data if isinstance(g, Tensor) else g
        if data is not None and not np.isfinite(data).all():
            kind = "NaN" if np.isnan(data).any() else "an infinity"
            where = getattr(
                node, "where", "a place that is not known, because it was not recorded in this mode"
            )
            raise FloatingPointError(
                f"The backward pass of '{node.name}' produced {kind} in the gradient "
                f"of its argument number {i + 1}. "
                f"The operation was called at {where}."
            )


def forward(outputs: Sequence[Tensor], inputs: Sequence[Tensor], tangents: Sequence[Any]) -> list[Any]:
    """Send the tangents of the inputs forward; return those of the outputs (None where nothing reaches one).

    The graph must still be there. Tangents that are tensors are recorded, so forward mode can be
    differentiated.
    """
    known: dict[Edge, Any] = dict(zip([edge_of(t) for t in inputs], tangents, strict=True))
    create = any(isinstance(t, Tensor) for t in tangents)
    oldest = min((t.number if isinstance(t, Node) else 0 for t in known), default=0)
    nodes = ancestors([edge_of(t) for t in outputs], oldest)
    for node in sorted(nodes, key=lambda n: n.number):
        if node in known:
            continue
        coming = [None if p is None else known.get(p) for p in node.parents]
        if all(t is None for t in coming):
            continue
        node.check_usable()
        t = node.primitive.push(coming, on_graph(node) if create else node.record)
        known[node] = t if t.shape == node.shape else _broadcast(t, node.shape)
    return [known.get(edge_of(t)) for t in outputs]


def seed_for(root: Tensor, gradient: Any, create_graph: bool) -> Any:
    """The gradient that starts the walk from `root`, checked; a tensor with `create_graph`."""
    if gradient is None:
        if not root._data.shape and not create_graph:
            return constant(1.0, root._data.dtype)
        if root.size != 1:
            raise RuntimeError(
                f"backward() without a gradient needs a result of one element, not shape {root.shape}: "
                "reduce it with .sum() or .mean(), or pass a gradient of the same shape."
            )
        gradient = np.ones(root.shape, root.dtype)
    if not isinstance(gradient, Tensor):
        gradient = wrap(np.asarray(gradient, dtype=root.dtype))
    if gradient.shape != root.shape:
        raise ValueError(
            f"The gradient passed to backward() has shape {gradient.shape}, the result {root.shape}: "
            "they must be equal."
        )
    return gradient if create_graph else gradient._data


def ancestors(edges: Iterable[Edge], oldest: int = 0, stop: Container[Node] = ()) -> set[Node]:
    """The nodes that lead to `edges`, not older than `oldest` and not behind those in `stop`."""
    seen: set[Node] = set()
    stack = [e for e in edges if isinstance(e, Node)]
    while stack:
        node = stack.pop()
        if node in seen or node.number < oldest:
            continue
        seen.add(node)
        if node not in stop:
            stack += [p for p in node.parents if isinstance(p, Node)]
    return seen


def _broadcast(t: Any, shape: tuple[int, ...]) -> Any:
    return t.broadcast_to(shape) if isinstance(t, Tensor) else np.broadcast_to(t, shape)
