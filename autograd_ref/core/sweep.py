"""Walking the graph: backward with vector-Jacobian products, forward with Jacobian-vector products.

Both walks read the same record. `backward` starts at a result and visits nodes by falling number, so a node
comes after everything that used it and its gradient is then complete. `forward` starts at the inputs and
visits nodes by rising number. Neither recurses, so a chain of a million operations needs no deep stack.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from . import hooks
from .modes import enable_grad, state
from .node import Node, Record
from .saved import changed, check, free_of_grad, stamp_of
from .tensor import Tensor, wrap

Edge = Node | Tensor
"""Where a gradient goes: the node that made a value or, for a leaf, the tensor itself."""


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
    results are arrays, or tensors with `create_graph`, which also records the gradients' own graph. A gradient
    shares its memory with nothing else.
    """
    if create_graph and not state.recording:
        with enable_grad():
            return backward(root, gradient, True, True, inputs)
    found: dict[Edge, Any] | None = None if inputs is None else dict.fromkeys(map(edge_of, inputs))
    if hooks.watched and found is None and hooks.gathering.found is None:
        return _with_hooks_of_leaves(root, gradient, retain_graph, create_graph)
    start = edge_of(root)
    if isinstance(start, Tensor):
        deposit(start, gradient, create_graph, found)
    else:
        walk(start, gradient, retain_graph or create_graph, create_graph, found)
    return [own(found[edge_of(t)]) for t in inputs] if inputs and found else []


def _with_hooks_of_leaves(root: Tensor, gradient: Any, retain_graph: bool, create_graph: bool) -> list[Any]:
    """A backward pass after which the gradients of leaves with hooks go through these."""
    gathered: dict[int, tuple[Tensor, Any]] = {}
    hooks.gathering.found = gathered
    try:
        backward(root, gradient, retain_graph, create_graph)
    finally:
        hooks.gathering.found = None
    for leaf, g in gathered.values():
        deposit(leaf, hooks.through(hooks.watched[id(leaf)][1], g), create_graph, None)
    return []


def walk(start: Node, gradient: Any, retain: bool, create: bool, found: dict[Edge, Any] | None) -> None:
    """Take the youngest node that waits for nothing more, call its rules, hand the results to its parents."""
    oldest = _oldest(found) if found is not None else 0
    waiting: dict[Node, Any] = {start: gradient}
    heap = [(-start.number, start)]
    while heap:
        _, node = heappop(heap)
        g = waiting.pop(node)
        if found is not None and node in found:
            found[node] = g
        if node.number <= oldest:
            return
        record = check(node)
        if create:
            record = on_graph(node)
        grads = node.primitive.pull(g, record)
        if not retain:
            node.record = None
        if state.anomaly:
            check_gradients(node, grads)
        for parent, g in zip(record[0], grads, strict=True):
            if isinstance(parent, Tensor):
                deposit(parent, g, create, found)
            elif parent in waiting:
                waiting[parent] = waiting[parent] + g
            elif parent is not None:
                waiting[parent] = g
                heappush(heap, (-parent.number, parent))


def deposit(leaf: Tensor, g: Any, create: bool, found: dict[Edge, Any] | None) -> None:
    """Add `g` to `leaf.grad`, or to `found` if the caller asked for this leaf."""
    if found is None and hooks.gathered(leaf, g):
        return
    if found is not None:
        if leaf in found:
            found[leaf] = g if found[leaf] is None else found[leaf] + g
    elif not leaf.requires_grad:
        return  # frozen since
    elif leaf.grad_fn is not None:
        raise RuntimeError(
            f"A leaf of shape {leaf.shape}, frozen by requires_grad_(False) after it was used, has become the result "
            f"of '{leaf.grad_fn.name}' by a change in place, and has no gradient: change a clone()."
        )
    elif leaf._grad is None:
        leaf._grad = own(g)
    elif create:
        leaf.grad = leaf.grad + g
    else:
        held = leaf.grad
        assert held is not None
        held._data[...] += g
        changed(held._stamp, "backward(), which adds to .grad")


def own(g: Any) -> Any:
    """A gradient in memory of its own: that of a rule may be shared with other gradients, or with values."""
    return g if g is None else g.clone() if isinstance(g, Tensor) else np.array(g)


def on_graph(node: Node) -> Record:
    """A node's record with tensors that are part of the graph, for rules that are to be recorded."""
    assert node.record is not None
    parents, saved, stamps, params = node.record
    edges = (node, *parents)
    tensors = tuple([on_edge(v, e, stamp) for v, e, stamp in zip(saved, edges, stamps, strict=False)])
    return parents, tensors, stamps, params


def on_edge(value: Any, edge: Edge | None, stamp: Any = None) -> Any:
    """`value` as the tensor that stands at `edge` of the graph, with the stamp of the memory that it is in."""
    if not isinstance(value, np.ndarray) or (edge is None and stamp is None):
        return value
    if isinstance(edge, Tensor):
        return edge
    tensor = wrap(value)
    if stamp is not None:
        tensor._stamp = stamp
    if edge is not None:
        tensor.grad_fn, tensor.requires_grad = edge, True
    return tensor


def edge_of(tensor: Tensor) -> Edge:
    """The place of a tensor in the graph."""
    return tensor.grad_fn or tensor


def _oldest(edges: Iterable[Edge]) -> int:
    """The number of the oldest: nothing older can lead to one of them. Leaves have no age."""
    return min([e.number if isinstance(e, Node) else 0 for e in edges], default=0)


def check_gradients(node: Node, grads: Sequence[Any]) -> None:
    """Raise if a rule gave a NaN or an infinity."""
    for i, g in enumerate(grads):
        data = g._data if isinstance(g, Tensor) else g
        if data is not None and not np.isfinite(data).all():
            kind = "NaN" if np.isnan(data).any() else "an infinity"
            unknown = "a place that is not known, because it was not recorded in this mode"
            raise FloatingPointError(
                f"The backward pass of '{node.name}' produced {kind} in the gradient of its argument number "
                f"{i + 1}. The operation was called at {getattr(node, 'where', unknown)}."
            )


def forward(outputs: Sequence[Tensor], inputs: Sequence[Tensor], tangents: Sequence[Any]) -> list[Any]:
    """Send the tangents of the inputs forward; return those of the outputs (None where nothing reaches one).

    The graph must still be there. Tangents that are tensors are recorded, so forward mode can be
    differentiated. A result shares its memory with nothing else.
    """
    known: dict[Edge, Any] = dict(zip([edge_of(t) for t in inputs], tangents, strict=True))
    create = any(isinstance(t, Tensor) for t in tangents)
    for node in sorted(ancestors([edge_of(t) for t in outputs], _oldest(known)), key=lambda n: n.number):
        if node in known:
            continue
        coming = [None if p is None else known.get(p) for p in node.parents]
        if all(t is None for t in coming):
            continue
        record = check(node)
        t = node.primitive.push(coming, on_graph(node) if create else record)
        known[node] = t if t.shape == node.shape else _broadcast(t, node.shape)
    return [own(known.get(edge_of(t))) for t in outputs]


def seed_for(root: Tensor, gradient: Any, create_graph: bool) -> Any:
    """The gradient that starts the walk from `root`, checked; a tensor with `create_graph`."""
    if gradient is None:
        if root.size != 1:
            raise RuntimeError(
                f"backward() without a gradient needs a result of one element, not shape {root.shape}: "
                "reduce it with .sum() or .mean(), or pass a gradient of the same shape."
            )
        gradient = np.ones(root.shape, root.dtype)
    if not isinstance(gradient, Tensor):
        gradient = wrap(np.asarray(gradient, dtype=root.dtype))
        gradient._stamp = stamp_of(gradient._data)
    if gradient.shape != root.shape:
        raise ValueError(
            f"The gradient passed to backward() has shape {gradient.shape}, the result {root.shape}: "
            "they must be equal."
        )
    return gradient if create_graph else free_of_grad(gradient)


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
