"""The record of one operation. Nodes and the leaves they lead back to are the computation graph.

Nodes are numbered in the order in which they were made. An input is always older than what is computed from it,
so walking the numbers downwards visits every node after all of its consumers, and no sort of the graph is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

from .saved import check

if TYPE_CHECKING:
    from .tensor import Tensor

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
    for the same places, and then for the primitive's constants, when a saved value was last changed in place.
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
        """Raise RuntimeError if a backward pass has freed this node, or a value that it saved was changed."""
        check(self)
