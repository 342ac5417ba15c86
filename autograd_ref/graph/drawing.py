"""A drawn graph: what each value was, as a table, in Graphviz's language, as a picture."""

import base64
import json
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from .picture import picture_of
from .render import Picture, to_png, to_svg


@dataclass(frozen=True)
class Node:
    """One value as it was when it was drawn; `parents` are positions in the drawing's `nodes`.

    `label` and `grad` are "" where there is none. `hidden_parents` counts parents that were left out. `data_rows` and
    `grad_rows` hold an array's numbers, where these are drawn in rows and columns, and `shape` is then its shape.
    """

    label: str
    data: str
    grad: str
    op: str
    parents: tuple[int, ...]
    hidden_parents: int = 0
    data_rows: tuple[tuple[str, ...], ...] = ()
    grad_rows: tuple[tuple[str, ...], ...] = ()
    shape: str = ""


@dataclass(frozen=True)
class Drawing:
    """A drawn graph: a picture in a notebook, a table as text. Make one with `draw`.

    `nodes` stand in the order of computation, the root last. Later changes of the values do not show. `at_work` is the
    position of a node whose gradient is being passed back, to the nodes at the positions `sent`: the way is marked.
    """

    nodes: tuple[Node, ...]
    direction: str = "LR"
    title: str | None = None
    left_out: int = 0
    at_work: int | None = None
    sent: tuple[int, ...] = ()

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

    @property
    def alt(self) -> str:
        """The picture in words, value by value, for who hears it read out.

        >>> from autograd_ref.graph import draw
        >>> from autograd_ref.scalar import Value
        >>> draw(Value(2.0, label="x") * 3).alt
        'A graph of 2 values. x: data 2. v1 = *3 of x: data 6.'
        """
        said = [self.title, f"A graph of {len(self.nodes)} values"]
        for name, node in zip(self.names, self.nodes, strict=True):
            sources = [self.names[p] for p in node.parents] + ["..."] * node.hidden_parents
            made = f" = {node.op} of {' and '.join(sources)}" if node.op else ""
            grad = f", grad {node.grad}" if node.grad else ""
            said.append(f"{name}{made}: data {node.data}{grad}")
        return " ".join(f"{part}." for part in [*said, self.note] if part)

    def to_dot(self) -> str:
        """The graph in Graphviz's DOT language.

        >>> from autograd_ref.graph import draw
        >>> from autograd_ref.scalar import Value
        >>> print(draw(Value(2.0, label="x") * 3).to_dot())
        digraph {
          rankdir=LR;
          n0 [shape=box, style=rounded, label="x\\ndata 2"];
          n1 [shape=box, style=rounded, label="data 6"];
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
        return to_svg(self._picture(), description=self.text())

    def to_png(self) -> bytes:
        """The picture as a PNG, the same bytes every time with the same matplotlib."""
        return to_png(self._picture())

    def _picture(self) -> Picture:
        way = (self.at_work, self.sent)
        return picture_of(self.nodes, self.direction, self.title, self.note, way)

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        png, width = self._png()
        data = {"text/plain": self.text(), "text/html": self._image(png, width), "image/png": png}
        return data, {"image/png": {"width": width, "alt": self.alt}}

    def html(self) -> str:
        """The picture as HTML, with its words."""
        return self._image(*self._png())

    def _png(self) -> tuple[str, int]:
        """The PNG in base64, and how wide it is shown: it has more pixels, to be crisp on every screen."""
        picture = self._picture()
        return base64.b64encode(to_png(picture)).decode("ascii"), round(picture.width)

    def _image(self, png: str, width: int) -> str:
        # On a narrow page it shrinks a little; before its text is too small to be read, it scrolls.
        shown = f'alt="{escape(self.alt)}" width="{width}" style="min-width: {round(0.85 * width)}px"'
        return f'<div style="overflow-x: auto"><img {shown} src="data:image/png;base64,{png}"></div>'


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
