"""The picture of a computation graph: boxes for values, circles for operations, arrows as it was computed."""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .layout import Layout, Point, lay_out
from .render import Arrowhead, Box, Curve, Picture, Shape, Text

_INK, _QUIET, _GRADIENT = Text.colour, "#5a6672", "#b4236a"
_LEAF, _INNER, _ROOT = ("#eaf2fb", "#4a7ebb"), ("#ffffff", "#9aa5b1"), ("#fff4e0", "#d9902f")
_OPERATION = ("#3e4c59", "#3e4c59")
_SENDS = "#fde8f1"  # behind what a backward pass has just put there
_ROW, _PAD, _MARGIN = 15.0, 9.0, 10.0
_FONT, _SMALL = Text.size, 10.0
_NARROWEST = 74.0  # most boxes of a column are so of one width
_BETWEEN = 7.0  # columns of numbers
_GAP = 4.0  # between a table of data and one of gradients


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
    @property
    def data_rows(self) -> tuple[tuple[str, ...], ...]: ...
    @property
    def grad_rows(self) -> tuple[tuple[str, ...], ...]: ...
    @property
    def shape(self) -> str: ...


#: The node whose gradient is being passed back, and those that it has reached.
Way = tuple[int | None, tuple[int, ...]]


@dataclass(frozen=True)
class Line:
    """A line of a box: a word and a text, or a row of numbers."""

    key: str
    cells: tuple[str, ...]
    colour: str
    ground: str = ""


def picture_of(
    nodes: Sequence[Drawable], direction: str, title: str | None, note: str, way: Way = (None, ())
) -> Picture:
    """Lay out boxes for values and circles for operations, the last node being the root.

    `way` marks the node that passes its gradient back, those that it reaches, and the arrows, which then point back.
    """
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

    goes_back = _goes_back(nodes, vertex_of, edges, way)
    for edge, points, port in zip(edges, bends, _ports(edges, centres, bends, sizes, direction), strict=True):
        arrow = _arrow_back if edge in goes_back else _arrow
        picture.shapes += arrow(port, points, direction, edge[0] in stubs)
    picture.shapes += _circles(operations, stubs, centres, sizes)
    for i, node in enumerate(nodes):
        colours = _ROOT if i == len(nodes) - 1 else _INNER if node.op else _LEAF
        picture.shapes += _box(
            node, centres[vertex_of[i]], sizes[vertex_of[i]], colours, i == way[0], i in way[1]
        )
    if note:
        picture.height += _ROW
        below = picture.height - _MARGIN
        picture.shapes.append(Text(_MARGIN, below, caption, _QUIET, _SMALL, anchor="start"))
    return picture


def _circles(
    operations: list[tuple[int, str]],
    stubs: list[int],
    centres: list[Point],
    sizes: list[tuple[float, float]],
) -> list[Shape]:
    """Operations, and the dots that stand for what is left out."""
    shapes: list[Shape] = []
    for centre, op in operations:
        (x, y), (width, height) = centres[centre], sizes[centre]
        shapes.append(Box(x - width / 2, y - height / 2, width, height, height / 2, *_OPERATION))
        shapes.append(Text(x, y + 0.36 * _FONT, _pretty(op), "#ffffff", bold=True))
    for stub in stubs:
        shapes.append(Text(centres[stub][0], centres[stub][1] + 2.0, "...", _QUIET, bold=True))
    return shapes


def _goes_back(
    nodes: Sequence[Drawable], vertex_of: list[int], edges: list[tuple[int, int]], way: Way
) -> set[tuple[int, int]]:
    """The edges along which the gradient of the node at work goes: to its operation, and on to the nodes it reaches."""
    at_work, sent = way
    if at_work is None or not nodes[at_work].op:
        return set()
    (first,) = (edge for edge in edges if edge[1] == vertex_of[at_work])
    return {first} | {(vertex_of[place], first[0]) for place in sent}


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


def _lines(node: Drawable, ground: str = "") -> list[Line]:
    """What stands in a node's box under its label; `ground` is the colour behind its gradient."""
    data = Line("shape" if node.data.startswith("(") else "data", (node.data,), _INK)
    lines = [data] if not node.data_rows else _table("data", node.data_rows, _INK)
    if node.grad:
        grad = Line("grad", (node.grad,), _GRADIENT, ground)
        lines += [grad] if not node.grad_rows else _table("grad", node.grad_rows, _GRADIENT, ground)
    return lines


def _table(key: str, rows: tuple[tuple[str, ...], ...], colour: str, ground: str = "") -> list[Line]:
    return [Line(key if k == 0 else "", row, colour, ground) for k, row in enumerate(rows)]


def _columns(lines: list[Line]) -> list[float]:
    """How wide each column of numbers is, the last one first: columns are drawn from the right."""
    count = max(len(line.cells) for line in lines)
    return [
        max(_text_width(line.cells[-k], _FONT, True) for line in lines if len(line.cells) >= k)
        for k in range(1, count + 1)
    ]


def _box_size(node: Drawable) -> tuple[float, float]:
    lines = _lines(node)
    widths = _columns(lines)
    numbers = sum(widths) + _BETWEEN * (len(widths) - 1)
    width = max(
        max(_text_width(line.key, _SMALL) for line in lines) + 8.0 + numbers,
        _text_width(_heading(node), _FONT + 1, True),
    )
    height = (len(lines) + bool(_heading(node))) * _ROW + _PAD
    return max(width + 2 * _PAD, _NARROWEST), height + (_GAP if node.grad and _is_table(lines) else 0.0)


def _heading(node: Drawable) -> str:
    return f"{node.label} {node.shape}".strip()


def _is_table(lines: list[Line]) -> bool:
    return any(len(line.cells) > 1 or not line.key for line in lines)


def _box(
    node: Drawable,
    centre: Point,
    size: tuple[float, float],
    colours: tuple[str, str],
    at_work: bool,
    reached: bool,
) -> list[Shape]:
    (x, y), (width, height) = centre, size
    colours = (_SENDS, _GRADIENT) if at_work else colours
    lines = _lines(node, _SENDS if reached else "")
    left, right, baseline = x - width / 2, x + width / 2, y - height / 2 + _PAD / 2 + 0.74 * _ROW
    shapes: list[Shape] = [
        Box(left, y - height / 2, width, height, 6.0, *colours, line=2.0 if at_work else 1.0)
    ]
    if heading := _heading(node):
        shapes.append(Text(x, baseline, heading, size=_FONT + 1, bold=True))
        baseline += _ROW
    widths = _columns(lines)
    for line in lines:
        if line.key == "grad" and _is_table(lines):
            baseline += _GAP
        if line.ground:
            top = baseline - 0.78 * _ROW
            shapes.append(Box(left + 3.0, top, width - 6.0, _ROW, 0.0, line.ground, line.ground))
        if line.key:
            shapes.append(Text(left + _PAD, baseline, line.key, _QUIET, _SMALL, anchor="start"))
        end = right - _PAD
        for cell, wide in zip(reversed(line.cells), widths, strict=False):
            shapes.append(Text(end, baseline, cell, line.colour, bold=True, anchor="end"))
            end -= wide + _BETWEEN
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


def _arrow(port: tuple[Point, Point], bends: list[Point], direction: str, dotted: bool) -> list[Shape]:
    out, into = port
    tip, corners = _head(into, direction, 6.0, 3.0)
    return [Curve(_smooth([out, *bends, tip], direction), dotted), Arrowhead(corners)]


def _arrow_back(port: tuple[Point, Point], bends: list[Point], direction: str, dotted: bool) -> list[Shape]:
    """The arrow of a gradient: it ends where the computation's begins."""
    out, into = port
    tip, corners = _head(out, direction, -8.0, 4.5)
    curve = Curve(_smooth([tip, *bends, into], direction), dotted, _GRADIENT, line=2.4)
    return [curve, Arrowhead(corners, _GRADIENT)]


def _head(point: Point, direction: str, length: float, half: float) -> tuple[Point, list[Point]]:
    """Where an arrow's line ends, and the corners of its head with the tip at `point`."""
    x, y = point
    back = length + math.copysign(1.0, length)
    if direction == "LR":
        return (x - length, y), [point, (x - back, y - half), (x - back, y + half)]
    return (x, y - length), [point, (x - half, y - back), (x + half, y - back)]


def _smooth(corners: list[Point], direction: str) -> list[Point]:
    """Bézier pieces from corner to corner that leave and arrive along the drawing's direction."""
    points = corners[:1]
    for point in corners[1:]:
        (x0, y0), (x1, y1) = points[-1], point
        if direction == "LR":
            points += [((x0 + x1) / 2, y0), ((x0 + x1) / 2, y1), point]
        else:
            points += [(x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2), point]
    return points


def _pretty(op: str) -> str:
    return "×" + op[1:] if op.startswith("*") and not op.startswith("**") else op


def _text_width(text: str, size: float, bold: bool = False) -> float:
    """An estimate that is a little generous, since the fonts of the reader's browser are not known."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return size * ((0.69 if bold else 0.61) * (len(text) - wide) + wide)
