"""Hooks: functions that see a gradient on its way back, and may put another in its place.

A node's hooks stand in front of its rules: `Hooked` takes the place of the node's primitive, so a graph without hooks
pays nothing for them. A leaf has no node. What comes to a leaf with hooks during a backward pass is gathered, and goes
through them at its end.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from .modes import enable_grad, no_grad
from .node import Node, Record
from .tensor import Tensor, wrap

Hook = Callable[[Tensor], Tensor | None]

_numbers = itertools.count()


class Hooks(dict[int, Any]):
    """Hooks in the order in which they were registered, by the number of their handles."""

    def add(self, hook: Callable[..., Any]) -> Handle:
        """Add a hook at the end."""
        number = next(_numbers)
        self[number] = hook
        return Handle(self, number)


class Handle:
    """What registering a hook returns: `remove()` takes it away again."""

    def __init__(self, hooks: Hooks, number: int) -> None:
        self._hooks, self._number = hooks, number

    def remove(self) -> None:
        """Take the hook away; a second time nothing happens."""
        self._hooks.pop(self._number, None)


class Hooked:
    """In the place of a node's primitive: its hooks see the gradient of its result before its rules do."""

    add_part = None  # the gradient of a part has to be seen alone

    def __init__(self, primitive: Any) -> None:
        self.primitive, self.hooks = primitive, Hooks()
        self.keeper: Callable[[], Tensor | None] = lambda: None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.primitive, name)

    def pull(self, g: Any, record: Record) -> Any:
        """The gradients of the node's parents, from what the hooks make of `g`."""
        g = through(self.hooks, g)
        tensor = self.keeper()
        if tensor is not None:
            held, recorded = tensor.grad, isinstance(g, Tensor)
            given = g.clone() if recorded else wrap(np.array(g))
            with enable_grad() if recorded else no_grad():
                tensor.grad = given if held is None else held + given
        return self.primitive.pull(g, record)


def through(hooks: Hooks, g: Any) -> Any:
    """What the hooks, one after the other, make of a gradient: an array, or a tensor where it is recorded."""
    for hook in list(hooks.values()):
        if isinstance(g, Tensor):
            given = hook(g)
        else:
            with no_grad():
                given = hook(wrap(g))
        if given is None:
            continue
        if not isinstance(given, Tensor) or (given.shape, given.dtype) != (g.shape, g.dtype):
            what = (
                f"{given.dtype} of shape {given.shape}" if isinstance(given, Tensor) else type(given).__name__
            )
            raise TypeError(
                f"A hook returns None or a gradient like that which it got, a Tensor of {g.dtype} of {g.shape}, "
                f"and this one returned {what}."
            )
        g = given if isinstance(g, Tensor) else given._data
    return g


def register(tensor: Tensor, hook: Hook) -> Handle:
    """Let `hook` see the gradient of a tensor in every backward pass that reaches it."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "A hook waits for a gradient, and this tensor does not require one: use requires_grad_()."
        )
    if tensor.grad_fn is not None:
        return _hooked(tensor.grad_fn).hooks.add(hook)
    key = id(tensor)
    if key not in watched:
        watched[key] = weakref.ref(tensor, lambda _: watched.pop(key, None)), Hooks()
    return watched[key][1].add(hook)


def retain(tensor: Tensor) -> None:
    """Let backward leave the gradient of a computed tensor in its `.grad`, too."""
    if not tensor.requires_grad:
        raise RuntimeError("retain_grad() keeps a gradient, and this tensor does not require one.")
    if tensor.grad_fn is not None:
        _hooked(tensor.grad_fn).keeper = weakref.ref(tensor)


def _hooked(node: Node) -> Hooked:
    if not isinstance(node.primitive, Hooked):
        node.primitive = Hooked(node.primitive)
    return node.primitive


def moved(tensor: Tensor, old: Node | None) -> None:
    """A change in place has given the tensor another node: what was to be retained is the gradient of the new value."""
    if old is not None and isinstance(old.primitive, Hooked) and old.primitive.keeper() is tensor:
        old.primitive.keeper = lambda: None
        retain(tensor)


# Leaves --------------------------------------------------------------------------------------------------------------

watched: dict[int, tuple[weakref.ref[Tensor], Hooks]] = {}
"""The hooks of leaves, by the leaf's id."""


class _Gathering(threading.local):
    """The gradients of leaves with hooks that the backward pass of this thread has found so far."""

    found: dict[int, tuple[Tensor, Any]] | None = None


gathering = _Gathering()


def gathered(leaf: Tensor, g: Any) -> bool:
    """Keep a leaf's gradient until the pass ends, if the leaf has hooks; whether that was so."""
    found, key = gathering.found, id(leaf)
    if found is None or key not in watched:
        return False
    found[key] = leaf, (g if key not in found else found[key][1] + g)
    return True
