"""Checkpointing: keep what goes into a part of the graph, and compute the part again when its gradient is wanted.

Memory against time: of a network cut into parts, only what stands between the parts is kept, and the inside of one
part at a time; the forward pass runs twice. Griewank 1992, doi:10.1080/10556789208805505; Chen et al. 2016,
arXiv:1604.06174.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import Any

import numpy as np

from autograd_ref.core import sweep
from autograd_ref.core.modes import enable_grad, state
from autograd_ref.core.node import Node, Record
from autograd_ref.core.saved import check, is_view, stamps_in, tick
from autograd_ref.core.sweep import Edge
from autograd_ref.core.tensor import Tensor, wrap
from autograd_ref.nn.init import generator


def checkpoint(function: Callable[..., Any], *args: Any, use_reentrant: bool = False, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, of which nothing is kept but the arguments: backward calls the function again.

    The function gives one tensor, and the same one when it is called again with the same arguments. Tensors that it
    uses besides its arguments, such as the parameters of a layer, get their gradients, too. Random numbers of `nn`'s
    generator are the same both times; of any other source they are not. The function gets twins of its arguments, which
    share their memory and are leaves.

    As PyTorch's `torch.utils.checkpoint.checkpoint` with `use_reentrant=False`; the other way is not there, and raises
    ValueError. Raises TypeError when the function gives something else than a tensor, RuntimeError in backward when an
    argument or a parameter was changed in place in between, or when the second call gives another shape or other
    numbers, or reads another graph: what it reads was changed, or it draws random numbers of its own. (PyTorch then
    gives a gradient of something else, and says nothing.) The result's norm and a few of its elements are what is
    compared.

    >>> from autograd_ref import Tensor
    >>> x, calls = Tensor([1.0, 2.0], requires_grad=True), []
    >>> def part(x):
    ...     calls.append("called")
    ...     return (x * x * x).sum()
    >>> checkpoint(part, x).backward()
    >>> x.grad, calls
    (Tensor([ 3., 12.]), ['called', 'called'])
    """
    if use_reentrant:
        raise ValueError(
            "checkpoint(use_reentrant=True) is not there: leave it out, and gradients are the same."
        )
    if not state.recording:
        return function(*args, **kwargs)
    call = _Call(function, args, kwargs)
    born = tick()
    twins = [_twin(a._data, a._stamp, a.requires_grad) for a in call.tensors_of(args)]
    out = call.again(twins)
    if not isinstance(out, Tensor):
        raise TypeError(
            f"checkpoint() is for functions that give one tensor, and this one gave a {type(out).__name__}: "
            "concatenate what it gives, or checkpoint its parts."
        )
    return out if out.grad_fn is None else _as_one(call, call.tensors_of(args), twins, out, born)


def checkpoint_sequential(
    functions: Sequence[Callable[[Any], Any]], segments: int, input: Any, use_reentrant: bool = False
) -> Any:
    """What goes through all functions, one after the other, kept at the borders of `segments` parts of equal length.

    The last part, which backward needs first, is not checkpointed and takes what is left over. `functions` may be an
    `nn.Sequential`. As PyTorch's `torch.utils.checkpoint.checkpoint_sequential`. Raises ValueError when there are no
    segments, or more than functions.

    >>> import numpy as np
    >>> from autograd_ref import Tensor, ops
    >>> x = Tensor(np.array([0.5]), requires_grad=True)
    >>> checkpoint_sequential([ops.sin, ops.exp, ops.tanh], 3, x).backward()
    >>> round(x.grad.item(), 4)
    0.2075
    """
    parts = list(functions)
    if not 1 <= segments <= len(parts):
        raise ValueError(f"{len(parts)} functions cannot be cut into {segments} segments.")
    size = len(parts) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(_chain(parts[start : start + size]), input, use_reentrant=use_reentrant)
    return _chain(parts[size * (segments - 1) :])(input)


def _as_one(call: _Call, args: list[Tensor], twins: list[Tensor], out: Tensor, born: int) -> Tensor:
    """The numbers of `out` as one operation of the arguments, and of what else the call reached."""
    assert out.grad_fn is not None
    reached = _outside(out.grad_fn, born)
    given = [(a, sweep.edge_of(a) if twin in reached else None) for a, twin in zip(args, twins, strict=True)]
    besides = [edge for edge in reached if edge not in dict.fromkeys(twins)]
    node = Node()
    node.number, node.primitive, node.shape = tick(), AGAIN, out.shape
    node.record = (
        (*[edge for _, edge in given], *besides),
        (None, *[a._data for a, _ in given], *[getattr(edge, "_data", None) for edge in besides]),
        [None, *[a._stamp for a, _ in given], *map(stamps_in, besides)],
        {"call": call, "gave": _Numbers(out._data)},
    )
    result = wrap(out._data)
    result.grad_fn, result.requires_grad = node, True
    return result


def _chain(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        for function in functions:
            x = function(x)
        return x

    return run


class _Call:
    """A call that can be made again, with other tensors in the places of the first, and the same random numbers."""

    def __init__(self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        self.function, self.kwargs = function, kwargs
        self.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.args = [None if i in self.places else a for i, a in enumerate(args)]
        self.random = generator().bit_generator.state

    def tensors_of(self, args: Sequence[Any]) -> list[Tensor]:
        """The tensors among the first arguments. They are not kept here: a node lets go of them after backward."""
        return [args[i] for i in self.places]

    def again(self, tensors: Sequence[Tensor]) -> Any:
        """What the function gives for these tensors; a tensor with memory of its own."""
        args = list(self.args)
        for i, tensor in zip(self.places, tensors, strict=True):
            args[i] = tensor
        out = self.function(*args, **self.kwargs)
        if isinstance(out, Tensor) and (is_view(out) or any(out is tensor for tensor in tensors)):
            out = out.clone()
        return out


class _Numbers:
    """What a call gave, to be known again: the norm of it, and some of its elements. A whole copy is what is saved."""

    MOST = 64

    def __init__(self, result: np.ndarray) -> None:
        self.shape = result.shape
        every = max(1, result.size // self.MOST)
        self.some = result.flat[::every]
        with np.errstate(all="ignore"):
            self.norm = np.vdot(result, result)

    def __eq__(self, other: object) -> bool:
        """Whether they are the same but for rounding: the order of a sum may depend on where its numbers lie."""
        if not isinstance(other, _Numbers) or self.shape != other.shape:
            return False
        size = max(np.abs(self.some[np.isfinite(self.some)]), default=0.0)
        tolerance = np.sqrt(np.finfo(self.some.dtype).eps)
        return np.allclose(self.norm, other.norm, tolerance, 0.0, equal_nan=True) and np.allclose(
            self.some, other.some, 0.0, tolerance * size, equal_nan=True
        )


class _Again:
    """The primitive of a checkpoint's node: its rules make the call again, recorded, and run the rules of that."""

    name = "checkpoint"
    constants = ()
    add_part = None

    def __repr__(self) -> str:
        return "<primitive checkpoint>"

    def pull(self, g: Any, record: Record) -> Sequence[Any]:
        """The gradients of the arguments, and of what the function uses besides."""
        begun = tick()
        out, ends, _ = _recorded(record)
        found = _gradients(out, g, ends, begun)
        return [None if end is None else found[end] for end in ends]

    def push(self, tangents: list[Any], record: Record) -> Any:
        """The tangent of the result."""
        out, ends, tensors = _recorded(record)
        moved = [i for i, t in enumerate(tangents) if t is not None and ends[i] is not None]
        return sweep.forward([out], [tensors[i] for i in moved], [tangents[i] for i in moved])[0]


AGAIN = _Again()


def _recorded(record: Record) -> tuple[Tensor, list[Edge | None], list[Tensor]]:
    """The function's result, recorded anew; for each parent of the node the place in that record where its gradient
    arrives, and a tensor that stands there.

    Arguments stand at places of their own, where the record ends for us: they are leaves, or copies where they are
    tensors, because the gradient is to be recorded.
    """
    parents, saved, stamps, params = record
    call: _Call = params["call"]
    tensors: list[Tensor] = []
    with enable_grad(), _random_numbers(call.random):
        for i, (parent, value, stamp) in enumerate(zip(parents, saved[1:], stamps[1:], strict=True)):
            if i >= len(call.places):
                tensors.append(sweep.on_edge(np.zeros(getattr(parent, "shape", ())), parent))
            elif isinstance(value, Tensor):
                tensors.append(value if parent is None else value.clone())
            else:
                tensors.append(_twin(value, stamp, parent is not None))
        out = call.again(tensors[: len(call.places)])
    _same(out, params["gave"])
    return (
        out,
        [None if p is None else sweep.edge_of(t) for p, t in zip(parents, tensors, strict=True)],
        tensors,
    )


def _same(out: Tensor, gave: _Numbers) -> None:
    """RuntimeError if the second call gave something else than the first: its gradient would be of that."""
    if out.shape != gave.shape:
        raise RuntimeError(
            f"A checkpointed function gave shape {gave.shape} at first, and {out.shape} when backward called it "
            "again: it has to do the same each time."
        )
    if _Numbers(out._data) != gave:
        raise RuntimeError(
            "A checkpointed function gave other numbers when backward called it again. It has to do the same each "
            "time: something that it reads was changed in between (give it a clone()), or it draws random numbers of "
            "its own."
        )


def _gradients(out: Tensor, g: Any, ends: Sequence[Edge | None], begun: int) -> dict[Edge, Any]:
    """Send `g` back through the graph of `out`, not beyond these ends of it; what arrives at each.

    RuntimeError where the graph, begun at `begun`, leads to another one: that is somebody else's to go through.
    """
    found: dict[Edge, Any] = {end: None for end in ends if end is not None}
    start, create = sweep.edge_of(out), isinstance(g, Tensor)
    waiting: dict[Node, Any] = {start: g} if isinstance(start, Node) else {}
    heap = [(-node.number, node) for node in waiting]
    while heap:
        _, node = heappop(heap)
        arrived, record = waiting.pop(node), check(node)
        pulled = node.primitive.pull(arrived, sweep.on_graph(node) if create else record)
        if not create:
            node.record = None
        for parent, part in zip(record[0], pulled, strict=True):
            if parent in found:
                found[parent] = part if found[parent] is None else found[parent] + part
            elif isinstance(parent, Node) and parent in waiting:
                waiting[parent] = waiting[parent] + part
            elif isinstance(parent, Node):
                if parent.number <= begun:
                    raise RuntimeError(
                        "A checkpointed function read another graph when backward called it again: a tensor that it "
                        "uses was changed or made anew in between, though its numbers are the same (give it a clone())."
                    )
                waiting[parent] = part
                heappush(heap, (-parent.number, parent))
    return found


def _outside(start: Node, born: int) -> dict[Edge, None]:
    """The leaves and the older nodes that a graph which was begun at `born` leads back to, each once."""
    found: dict[Edge, None] = {}
    seen, stack = {start}, [start]
    while stack:
        for parent in stack.pop().parents:
            if isinstance(parent, Node) and parent.number > born:
                if parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
            elif parent is not None:
                found[parent] = None
    return found


def _twin(array: np.ndarray, stamp: Any, requires_grad: bool) -> Tensor:
    """A leaf with the memory of another tensor."""
    twin = wrap(array)
    twin._stamp, twin.requires_grad = stamp, requires_grad
    return twin


@contextmanager
def _random_numbers(state_then: Any) -> Iterator[None]:
    """The random numbers of `nn` as they came then; after it, they go on as if nothing had been."""
    bits = generator().bit_generator
    now = bits.state
    bits.state = state_then
    try:
        yield
    finally:
        bits.state = now
