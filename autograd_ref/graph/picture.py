"""The picture of a computation graph: boxes for values, circles for operations, arrows as it was computed."""

import math
import unicodedata
from collections.abc import Sequence
from typing import Protocol

from .layout import Layout, Point, lay_out
from .render import Arrowhead, Box, Curve, Picture, Shape, Text

_INK, _QUIET, _GRADIENT = Text.colour, "#5a6672", "#b4236a"
_LEAF, _INNER, _ROOT = ("#eaf2fb", "#4a7ebb"), ("#ffffff", "#9aa5b1"), ("#fff4e0", "#d9902f")
_OPERATION = ("#3e4c59", "#3e4c59")
_ROW, _PAD, _MARGIN = 15.0, 9.0, 10.0
_FONT, _SMALL = Text.size, 10.0
_NARROWEST = 74.0  # most boxes of a column are so of one width


class Drawable(Protocol):
    """What the picture reads of a node; `graph.Node` has it."""

    @property
    def label(self) -> str: ...
    @property
    def data(self) -> str: ...
    @property
    def grad(self) -> str: ...
    @property
    def op(self) -> str: ...
    @property
    def parents(self) -> tuple[int, ...]: ...
    @property
    def hidden_parents(self) -> int: ...


def picture_of(nodes: Sequence[Drawable], direction: str, title: str | None, note: str) -> Picture:
    """Lay out boxes for values and circles for operations, the last node being the root."""
    sizes: list[tuple[float, float]] = []
    edges: list[tuple[int, int]] = []
    vertex_of: list[int] = []  # of each node's box
    operations: list[tuple[int, str]] = []
    stubs: list[int] = []

    def vertex(width: float, height: float) -> int:
        sizes.append((width, height))
        return len(sizes) - 1

    for node in nodes:
        if node.hidden_parents:
            stubs.append(vertex(18.0, _ROW))
        if node.op:
            operation = vertex(max(28.0, _text_width(_pretty(node.op), _FONT, True) + 16.0), 28.0)
            operations.append((operation, node.op))
            edges += [(vertex_of[parent], operation) for parent in node.parents]
            edges += [(stubs[-1], operation)] if node.hidden_parents else []
        vertex_of.append(vertex(*_box_size(node)))
        if node.op:
            edges.append((operation, vertex_of[-1]))

    layout = lay_out(sizes, edges, direction)
    caption = f"... and {note}" if note else ""
    picture, top = _sheet(layout, title or "", caption)
    centres = [(_MARGIN + x, top + y) for x, y in layout.centres]
    bends = [[(_MARGIN + x, top + y) for x, y in points] for points in layout.bends]

    ports = _ports(edges, centres, bends, sizes, direction)
    for (start, _), points, (out, into) in zip(edges, bends, ports, strict=True):
        picture.shapes += _arrow(out, points, into, direction, dotted=start in stubs)
    for centre, op in operations:
        (x, y), (width, height) = centres[centre], sizes[centre]
        picture.shapes.append(Box(x - width / 2, y - height / 2, width, height, height / 2, *_OPERATION))
        picture.shapes.append(Text(x, y + 0.36 * _FONT, _pretty(op), "#ffffff", bold=True))
    for stub in stubs:
        picture.shapes.append(Text(centres[stub][0], centres[stub][1] + 2.0, "...", _QUIET, bold=True))
    for i, node in enumerate(nodes):
        colours = _ROOT if i == len(nodes) - 1 else _INNER if node.op else _LEAF
        picture.shapes += _box(node, centres[vertex_of[i]], sizes[vertex_of[i]], colours)
    if note:
        picture.height += _ROW
        picture.shapes.append(
            Text(_MARGIN, picture.height - _MARGIN, caption, _QUIET, _SMALL, anchor="start")
        )
    return picture


def _sheet(layout: Layout, title: str, caption: str) -> tuple[Picture, float]:
    """A picture with room for the layout and these words, and how far down the layout begins."""
    picture, top = Picture(), _MARGIN
    if title:
        picture.shapes.append(Text(_MARGIN, top + _FONT, title, size=_FONT + 1, bold=True, anchor="start"))
        top += 1.7 * _ROW
    words = [_text_width(title, _FONT + 1, True), _text_width(caption, _SMALL, True)]
    picture.width = 2 * _MARGIN + max(layout.width, *words)
    picture.height = top + layout.height + _MARGIN
    return picture, top


def _rows(node: Drawable) -> list[tuple[str, str, str]]:
    data = ("shape" if node.data.startswith("(") else "data", node.data, _INK)
    return [data, ("grad", node.grad, _GRADIENT)] if node.grad else [data]


def _box_size(node: Drawable) -> tuple[float, float]:
    rows = _rows(node)
    inner = max(_text_width(key, _SMALL) + 8.0 + _text_width(value, _FONT, True) for key, value, _ in rows)
    width = max(inner, _text_width(node.label, _FONT + 1, True)) + 2 * _PAD
    return max(width, _NARROWEST), (len(rows) + bool(node.label)) * _ROW + _PAD


def _box(node: Drawable, centre: Point, size: tuple[float, float], colours: tuple[str, str]) -> list[Shape]:
    (x, y), (width, height) = centre, size
    left, right, baseline = x - width / 2, x + width / 2, y - height / 2 + _PAD / 2 + 0.74 * _ROW
    shapes: list[Shape] = [Box(left, y - height / 2, width, height, 6.0, *colours)]
    if node.label:
        shapes.append(Text(x, baseline, node.label, size=_FONT + 1, bold=True))
        baseline += _ROW
    for key, value, colour in _rows(node):
        shapes.append(Text(left + _PAD, baseline, key, _QUIET, _SMALL, anchor="start"))
        shapes.append(Text(right - _PAD, baseline, value, colour, bold=True, anchor="end"))
        baseline += _ROW
    return shapes


def _ports(
    edges: list[tuple[int, int]],
    centres: list[Point],
    bends: list[list[Point]],
    sizes: list[tuple[float, float]],
    direction: str,
) -> list[tuple[Point, Point]]:
    """Where each edge leaves its start and meets its end: side by side, in the order in which they arrive."""
    side = 1 if direction == "LR" else 0
    ports = []
    for k, (start, end) in enumerate(edges):
        fan = [j for j, edge in enumerate(edges) if edge[1] == end]
        fan.sort(key=lambda j: (bends[j][-1] if bends[j] else centres[edges[j][0]])[side])
        twins = [j for j, edge in enumerate(edges) if edge == (start, end)]
        step = min(9.0, 18.0 / len(fan))
        into = (fan.index(k) - (len(fan) - 1) / 2) * step
        out = (twins.index(k) - (len(twins) - 1) / 2) * 9.0
        radius = sizes[end][side] / 2
        # A circle's edge curves away from the middle; a box has only one edge coming in, at its middle.
        depth = sizes[end][1 - side] / 2 - (radius - math.sqrt(radius**2 - into**2))
        half = sizes[start][1 - side] / 2
        (x, y), (u, v) = centres[start], centres[end]
        if direction == "LR":
            ports.append(((x + half, y + out), (u - depth, v + into)))
        else:
            ports.append(((x + out, y + half), (u + into, v - depth)))
    return ports


def _arrow(out: Point, bends: list[Point], into: Point, direction: str, dotted: bool) -> list[Shape]:
    length, half = 6.0, 3.0
    (x, y) = into
    if direction == "LR":
        tip, corners = (x - length, y), [into, (x - length - 1, y - half), (x - length - 1, y + half)]
    else:
        tip, corners = (x, y - length), [into, (x - half, y - length - 1), (x + half, y - length - 1)]
    points = [out]
    for point in [*bends, tip]:
        (x0, y0), (x1, y1) = points[-1], point
        if direction == "LR":
            points += [((x0 + x1) / 2, y0), ((x0 + x1) / 2, y1), point]
        else:
            points += [(x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2), point]
    return [Curve(points, dotted), Arrowhead(corners)]


def _pretty(op: str) -> str:
    return "×" + op[1:] if op.startswith("*") and not op.startswith("**") else op


def _text_width(text: str, size: float, bold: bool = False) -> float:
    """An estimate that is a little generous, since the fonts of the reader's browser are not known."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return size * ((0.69 if bold else 0.61) * (len(text) - wide) + wide)
