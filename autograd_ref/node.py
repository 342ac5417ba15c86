"""The record of one operation. Nodes and the tensors between them are the computation graph.

A node knows the primitive that ran, the nodes its inputs came from, and the arrays its gradient rule will
read. Nodes are numbered in the order in which they were made. An input is always older than what is computed
from it, so walking the numbers downwards visits every node after all of its consumers, and no sort of the
graph is needed.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from autograd_ref.tensor import Tensor

Stamp = list[tuple[int, str]]
"""`[(time, where)]` of the last in-place change of an array, shared by a tensor and its views."""

NEVER = (0, "")
"""The stamp of an array that has not been changed in place."""

tick = itertools.count(1).__next__
"""The one clock. It numbers the nodes and dates in-place changes, so that "changed after it was saved" is
`stamp[0][0] > node.number` and nothing has to be counted or copied when a value is saved."""

newest = [0]
"""When anything was last changed in place. A node that is younger need not look at its stamps: as a training
loop changes parameters before the next forward pass, that is every node (0.2 microseconds less for each)."""


def changed(stamp: Stamp, where: str) -> None:
    """Date an in-place change."""
    newest[0] = now = tick()
    stamp[0] = (now, where)


_HERE = str(Path(__file__).parent)


NO_PARAMS: dict[str, Any] = {}

Parents = Sequence["Node | Tensor | None"]
Record = tuple[Parents, Sequence[Any], Sequence[Any], dict[str, Any]]
"""`(parents, saved, stamps, params)` of an operation: see Node."""


@final
class Node:
    """One recorded operation.

    `record` is `(parents, saved, stamps, params)`, what a backward pass needs and lets go of, in one piece. `parents`
    tells where the gradient of each argument goes: to the node that made the argument, to a leaf tensor, or, with
    None, nowhere. `saved` is `(ans, *args)` as the rules take them, with None for what no rule reads. `stamps` tells
    for the same places when a saved value was last changed in place: a stamp, or the tensor that has it.
    """

    __slots__ = ("number", "primitive", "record", "shape", "where")

    number: int
    primitive: Any
    record: Record | None
    shape: tuple[int, ...]
    where: str

    @property
    def name(self) -> str:
        """The operation's name, for example 'mul'."""
        return str(self.primitive.name)

    @property
    def parents(self) -> Parents:
        """Where the gradients of the arguments go; empty when a backward pass has freed this node."""
        return self.record[0] if self.record else ()

    @property
    def saved(self) -> Sequence[Any] | None:
        """The arrays `(ans, *args)` that the rules read; None when a backward pass has freed this node."""
        return self.record[1] if self.record else None

    @property
    def params(self) -> dict[str, Any]:
        """The operation's options."""
        return self.record[3] if self.record else NO_PARAMS

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def check_usable(self) -> None:
        """Raise the sentence for a second backward pass, or for a saved value that was changed in place."""
        if self.record is None:
            raise RuntimeError(
                f"This graph was already used by a backward pass, which freed what '{self.name}' saved: "
                "call backward(retain_graph=True) the first time, or compute the result again."
            )
        _, saved, stamps, _ = self.record
        for place, has in enumerate(stamps):
            stamp = has if isinstance(has, list) else getattr(has, "_stamp", None)
            if stamp is not None and stamp[0][0] > self.number:
                which = "its result" if place == 0 else f"its argument number {place}"
                shape = self.shape if place == 0 else saved[place].shape
                raise RuntimeError(
                    f"'{self.name}' saved {which}, of shape {shape}, for its gradient, "
                    f"but that value was later changed in place by {stamp[0][1]}: "
                    "change a clone(), or use an operation that makes a new tensor."
                )


def call_site() -> str:
    """`file:line` of the nearest caller outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
