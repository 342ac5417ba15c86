"""What a backward pass will read must still be what it was when the operation ran.

Every tensor carries a *stamp*, the time of the last change in place of its memory; a view has the stamp of its
base. The same clock numbers the nodes, so "changed after it was saved" is one comparison.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .node import Node, Record
    from .primitive import Primitive
    from .tensor import Tensor

Stamp = list[Any]
"""`[(time, where), *views]`: the last change in place of some memory, and the tensors that show parts of it; among
them `gathers`, if it is a gradient's."""

NEVER = (0, "")
"""The date of memory that has not been changed in place."""

tick = itertools.count(1).__next__
"""The one clock: it numbers the nodes and dates changes in place."""

newest = [0]
"""When anything was last changed in place. A younger node need not look at its stamps."""


def changed(stamp: Stamp, where: str) -> None:
    """Date a change in place."""
    newest[0] = now = tick()
    stamp[0] = (now, where)


def check(node: Node) -> Record:
    """The node's record; RuntimeError if a backward pass has freed it, or if a value in it was changed since."""
    if node.record is None:
        raise RuntimeError(
            f"This graph was already used by a backward pass, which freed what '{node.name}' saved: "
            "call backward(retain_graph=True) the first time, or compute the result again."
        )
    for place, stamps in enumerate(node.record[2]):
        for stamp in _flat(stamps):
            if stamp[0][0] > node.number:
                raise RuntimeError(
                    f"'{node.name}' saved {_what(node, place)} for its gradient, "
                    f"but that value was later changed in place by {stamp[0][1]}: "
                    "change a clone(), or use an operation that makes a new tensor."
                )
    return node.record


def _what(node: Node, place: int) -> str:
    assert node.saved is not None
    if place == 0:
        return f"its result, of shape {node.shape},"
    if place < len(node.saved):
        return f"its argument number {place}, of shape {node.saved[place].shape},"
    return f"its {node.primitive.constants[place - len(node.saved)]}"


def stamps_in(value: Any) -> Any:
    """The stamp of an argument, None for what has none; those in an index, as a tuple."""
    if isinstance(value, tuple):
        return tuple([stamps_in(part) for part in value])
    return getattr(value, "_stamp", None)


def _flat(stamps: Any) -> Iterator[Stamp]:
    if isinstance(stamps, tuple):
        for part in stamps:
            yield from _flat(part)
    elif stamps is not None:
        yield stamps


def plain(value: Any) -> Any:
    """An argument or an index with arrays in place of tensors."""
    if isinstance(value, tuple):
        return tuple([plain(part) for part in value])
    return getattr(value, "_data", value)


def kept(value: Any) -> Any:
    """A constant as a node keeps it. An array from outside is copied: nobody would tell of its changes."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        return tuple([kept(part) for part in value])
    return getattr(value, "_data", value)


def keep_old(result: Tensor, overwritten: Tensor) -> None:
    """Where `result` saved the array that it is about to replace, let it have a copy: `x *= y` reads the old x."""
    node, old = result.grad_fn, overwritten._data
    assert node is not None and node.record is not None
    parents, saved, stamps, params = node.record
    places = [value is old for value in saved]
    if any(places):
        copy = old.copy()
        saved = [copy if here else value for here, value in zip(places, saved, strict=True)]
        stamps = [None if i < len(places) and places[i] else stamp for i, stamp in enumerate(stamps)]
        node.record = parents, tuple(saved), stamps, params


class View(weakref.ref):
    """A tensor that shows part of another's memory, with the call that made it.

    `call` is `(primitive, args, params)`, or None if the view was to stay outside of the graph.
    """

    __slots__ = ("call",)

    call: tuple[Primitive, tuple[Any, ...], dict[str, Any]] | None


def share(view: Tensor, call: tuple[Primitive, tuple[Any, ...], dict[str, Any]], recording: bool) -> None:
    """Give a view its base's stamp, and note there how the view was made."""
    view._stamp = stamp = call[1][0]._stamp
    entry = View(view, stamp.remove)
    entry.call = call if recording else None
    stamp.append(entry)


def is_view(tensor: Tensor) -> bool:
    """Whether an operation made this tensor as a view of another."""
    return any(entry() is tensor for entry in tensor._stamp[1:])


def renew_views(base: Tensor) -> None:
    """Views show what a recorded change in place wrote into their base: record them again, as views of the new."""
    renewed = [base]
    for entry in base._stamp[1:]:
        view = entry()
        if view is not None and entry.call is not None:
            primitive, args, params = entry.call
            if any(args[0] is tensor for tensor in renewed):
                primitive.record(view, None, args, params)
                renewed.append(view)


def gathers() -> None:
    """Stands in a stamp among the views when the memory is some tensor's `.grad`, and like a view that is gone."""


def mark_gradient(stamp: Stamp) -> None:
    """Note that a backward pass may add to this memory while it runs."""
    if gathers not in stamp:
        stamp.append(gathers)


def free_of_grad(gradient: Tensor) -> np.ndarray:
    """What a backward pass starts from; a copy where that may be a `.grad` to which the same pass will add."""
    return gradient._data.copy() if gathers in gradient._stamp else gradient._data


_known: dict[int, tuple[weakref.ref[np.ndarray], Stamp]] = {}


def show(array: np.ndarray, stamp: Stamp) -> np.ndarray:
    """Hand out a tensor's array; a tensor that is made of it, or of part of it, will find the stamp."""
    key = id(array)
    if key not in _known:
        _known[key] = weakref.ref(array, lambda _: _known.pop(key, None)), stamp
    return array


def stamp_of(array: np.ndarray) -> Stamp:
    """The stamp of a tensor that has this memory, as far as is known, or a new one."""
    for owner in (array, array.base):
        found = _known.get(id(owner))
        if found is not None:
            return found[1]
    stamp = [NEVER]
    show(array, stamp)
    return stamp


_HERE = str(Path(__file__).parent.parent)


def call_site() -> str:
    """`file:line` of the nearest caller outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
