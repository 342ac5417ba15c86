"""A picture of a computation graph: every value with its gradient, every operation between them.

Drawn are Tensors, and any objects with `data`, `grad`, `op` (text, "" for a leaf) and `parents` (a tuple): the
engine's Value and those that students write. A `label` or a `name`, where there is one, is shown.

In a notebook the picture is a PNG with a text twin, because every viewer shows that: JupyterLab (trusted or
not), GitHub, nbviewer, nbconvert's pages. It needs no Graphviz, and matplotlib only while a PNG is made.

    >>> from autograd_ref.scalar import Value
    >>> a, b, c = Value(2.0), Value(3.0), Value(1.0)
    >>> L = (a * b + c) ** 2
    >>> L.backward()
    >>> draw(L, labels={"a": a, "b": b, "c": c, "L": L})
    name  op   from   data  grad
    a                    2    42
    b                    3    28
    v1    *    a, b      6    14
    c                    1    14
    v2    +    v1, c     7    14
    L     **2  v2       49     1

A Tensor's graph lives until `backward`, so it is drawn before that, and the gradients are asked for. What has
more than four numbers shows its shape:

    >>> from autograd_ref import Tensor
    >>> w = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    >>> loss = ((w @ [1.0, -1.0]) ** 2).sum()
    >>> draw(loss, labels={"w": w, "loss": loss}, gradients=True)
    name  op      from            data          grad
    w                           (3, 2)        (3, 2)
    v1                         [1, -1]
    v2    matmul  w, v1   [-1, -1, -1]  [-2, -2, -2]
    v3                               2
    v4    pow     v2, v3     [1, 1, 1]     [1, 1, 1]
    loss  sum     v4                 3             1
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograd_ref.graph_picture import picture_of
from autograd_ref.graph_render import to_png, to_svg
from autograd_ref.graph_tensor import recorded

MAX_NODES = 60  # a larger picture cannot be read in the width of a page
_MAX_LABEL = 24
_MAX_NUMBERS = 4  # of an array that is shown by its numbers


@dataclass(frozen=True)
class Node:
    """One value as it was when it was drawn; `parents` are positions in the drawing's `nodes`.

    `label` and `grad` are "" where there is none. `hidden_parents` counts parents that were left out.
    """

    label: str
    data: str
    grad: str
    op: str
    parents: tuple[int, ...]
    hidden_parents: int = 0


@dataclass(frozen=True)
class Drawing:
    """A drawn graph: a picture in a notebook, a table as text. Make one with `draw`.

    `nodes` stand in the order of computation, the root last. Later changes of the values do not show.
    """

    nodes: tuple[Node, ...]
    direction: str = "LR"
    title: str | None = None
    left_out: int = 0

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A different name for each node: its label, or v1, v2, ... for the others."""
        taken = {node.label for node in self.nodes}
        fresh = (name for k in range(1, 2 * len(self.nodes) + 1) if (name := f"v{k}") not in taken)
        names: list[str] = []
        seen: dict[str, int] = {}
        for node in self.nodes:
            name = node.label or next(fresh)
            seen[name] = seen.get(name, 0) + 1
            names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
        return tuple(names)

    @property
    def note(self) -> str:
        """A sentence on what the drawing does not show, or ""."""
        values = "value that is" if self.left_out == 1 else "values that are"
        return f"{self.left_out} more {values} further from the result" if self.left_out else ""

    def text(self) -> str:
        """The graph as a table with one row per value, in the order of computation."""
        rows: list[tuple[str, ...]] = [("name", "op", "from", "data", "grad")]
        for name, node in zip(self.names, self.nodes, strict=True):
            sources = [self.names[p] for p in node.parents] + ["..."] * node.hidden_parents
            rows.append((name, node.op, ", ".join(sources), node.data, node.grad))
        if not any(node.grad for node in self.nodes):
            rows = [row[:4] for row in rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [self.title] if self.title else []
        for row in rows:
            cells = [
                cell.rjust(width) if k >= 3 else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines + [f"... and {self.note}"] * bool(self.left_out))

    __repr__ = text

    def to_dot(self) -> str:
        """The graph in Graphviz's DOT language.

        >>> from autograd_ref.scalar import Value
        >>> print(draw(Value(2.0, label="x") * 3).to_dot())
        digraph {
          rankdir=LR;
          n0 [shape=box, style=rounded, label="x\\ndata 2\\ngrad 0"];
          n1 [shape=box, style=rounded, label="data 6\\ngrad 0"];
          op1 [shape=circle, label="*3"];
          n0 -> op1;
          op1 -> n1;
        }
        """
        lines = [f"rankdir={self.direction};"]
        caption = "\n".join(filter(None, [self.title, self.note]))
        if caption:
            lines.append(f"label={_quoted(caption)};")
        for i, node in enumerate(self.nodes):
            rows = [node.label, f"data {node.data}", node.grad and f"grad {node.grad}"]
            lines.append(
                f"n{i} [shape=box, style=rounded, label={_quoted(chr(10).join(filter(None, rows)))}];"
            )
            if node.op:
                lines.append(f"op{i} [shape=circle, label={_quoted(node.op)}];")
                lines += [f"n{p} -> op{i};" for p in node.parents]
                lines.append(f"op{i} -> n{i};")
            if node.hidden_parents:
                lines += [f'more{i} [shape=plaintext, label="..."];', f"more{i} -> op{i} [style=dotted];"]
        return "digraph {\n" + "\n".join("  " + line for line in lines) + "\n}"

    def to_svg(self) -> str:
        """The picture as a standalone SVG."""
        return to_svg(picture_of(self.nodes, self.direction, self.title, self.note), description=self.text())

    def to_png(self) -> bytes:
        """The picture as a PNG, the same bytes every time with the same matplotlib."""
        return to_png(picture_of(self.nodes, self.direction, self.title, self.note))

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        picture = picture_of(self.nodes, self.direction, self.title, self.note)
        png = base64.b64encode(to_png(picture)).decode("ascii")
        # The PNG has more pixels than it is wide on the page, so that it is crisp on every screen.
        shown = {"width": round(picture.width), "alt": f"Computation graph with {len(self.nodes)} values."}
        return {"text/plain": self.text(), "image/png": png}, {"image/png": shown}


def draw(
    root: Any,
    *,
    labels: Mapping[str, Any] | None = None,
    direction: str = "LR",
    title: str | None = None,
    gradients: bool = False,
) -> Drawing:
    """Draw the graph that `root` was computed by.

    `labels` maps names to values, and goes before a value's own `label` or `name`; `direction` is "LR" (from
    left to right) or "TB" (from top to bottom). A value whose `grad` is None or missing shows no gradient;
    an array of more than four numbers shows its shape, and a dtype other than float64 is named. Of more than
    60 values the 60 nearest to the root are drawn.

    The graph of a Tensor of one element may be drawn with `gradients=True`: they are then computed for all
    values, and no `.grad` is changed. Otherwise leaves show their `.grad`, and values in between, of which the
    engine keeps none, show nothing. A number that has no gradient and that no rule reads is drawn as "...".

    Raises TypeError if `root` is no Tensor and has no `data` and `parents`, ValueError for another direction or
    if a value is computed from itself, RuntimeError if a backward pass has freed the graph.
    """
    if direction not in ("LR", "TB"):
        raise ValueError(
            f"direction must be 'LR' or 'TB', but it is {direction!r}: "
            "choose 'LR' for left to right or 'TB' for top to bottom."
        )
    if hasattr(root, "grad_fn") and not hasattr(root, "parents"):
        root, labels = recorded(root, labels or {}, gradients), None
    if not (hasattr(root, "data") and hasattr(root, "parents")):
        raise TypeError(
            f"root must have the attributes data and parents, but it is of type {type(root).__name__}: "
            "pass the value that your computation ends in."
        )
    names = {id(value): name for name, value in (labels or {}).items()}
    near, left_out = _nearest(root)
    position: dict[int, int] = {}
    nodes: list[Node] = []
    for value in _in_order_of_computation(root, near):
        parents = _parents(value)
        drawn = [p for p in parents if id(p) in near]
        position[id(value)] = len(nodes)
        nodes.append(
            Node(
                label=_one_line(names.get(id(value)) or _own_label(value)),
                data=_with_dtype(getattr(value, "data", value)),
                grad=_shown(getattr(value, "grad", None)),
                op=_one_line(getattr(value, "op", "") or ("?" if parents else "")),
                parents=tuple(position[id(p)] for p in drawn),
                hidden_parents=len(parents) - len(drawn) + getattr(value, "hidden", 0),
            )
        )
    return Drawing(tuple(nodes), direction, title, left_out)


def _parents(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, "parents", None) or ())


def _nearest(root: Any) -> tuple[dict[int, Any], int]:
    """The values nearest to the root by id, and how many others there are."""
    found = {id(root): root}  # identity, because a student's class may define ==
    queue = [root]
    for value in queue:  # grows while it is read
        for parent in _parents(value):
            if id(parent) not in found:
                found[id(parent)] = parent
                queue.append(parent)
    return {id(value): value for value in queue[:MAX_NODES]}, max(0, len(queue) - MAX_NODES)


def _in_order_of_computation(root: Any, near: dict[int, Any]) -> Iterator[Any]:
    """The values in `near`, each after its parents; a stack of iterators stands in for recursion."""
    stack = [(root, iter(_parents(root)))]
    open_, done = {id(root)}, set()
    while stack:
        value, rest = stack[-1]
        for parent in rest:
            if id(parent) in open_:
                shown = _shown(getattr(parent, "data", parent))
                raise ValueError(
                    f"the graph must have no cycle, but the value {shown} is computed from itself: "
                    "look for an operation that puts its own result among its parents."
                )
            if id(parent) in near and id(parent) not in done:
                stack.append((parent, iter(_parents(parent))))
                open_.add(id(parent))
                break
        else:
            stack.pop()
            open_.discard(id(value))
            done.add(id(value))
            yield value


def _own_label(value: Any) -> str:
    labels = (getattr(value, attribute, None) for attribute in ("label", "name"))
    return next((label for label in labels if isinstance(label, str) and label), "")


def _one_line(text: Any) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= _MAX_LABEL else line[: _MAX_LABEL - 1] + "…"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _with_dtype(value: Any) -> str:
    """A value as `_shown` writes it, with the dtype of an array where that is not the usual one."""
    unusual = type(value).__name__ == "ndarray" and str(value.dtype) != "float64"
    return _shown(value) + (f" {value.dtype}" if unusual else "")


def _shown(number: Any) -> str:
    """A number to four digits, a few of them in brackets, a larger array's shape, otherwise a type's name: never
    a memory address.

    >>> [_shown(x) for x in (2.0, 0.70710678, 123456.0, 1e-9, None, "text")]
    ['2', '0.7071', '123456', '1e-09', '', 'str']
    """
    if number is None:
        return ""
    shape = getattr(number, "shape", None)
    if isinstance(shape, tuple) and (shape or not hasattr(number, "__float__")):
        few = 0 < getattr(number, "size", 0) <= _MAX_NUMBERS and hasattr(number, "tolist")
        return _nested(number.tolist()) if few else str(shape)
    try:
        value = float(number) if not isinstance(number, str) else None
    except (TypeError, ValueError):
        value = None
    if value is None:
        return type(number).__name__
    if value.is_integer() and abs(value) < 1e7:
        return str(int(value))
    return f"{value:.4g}"


def _nested(numbers: Any) -> str:
    """Lists of numbers, to three digits each, because several stand side by side."""
    if isinstance(numbers, list):
        return "[" + ", ".join(_nested(number) for number in numbers) + "]"
    return _shown(float(f"{numbers:.3g}"))
