"""Pictures made of boxes, curves and lines of text, and the two ways to write them: SVG and PNG.

Lengths are in points, y runs downwards. Both writers draw the same list of shapes, so the SVG and the PNG
are the same picture.
"""

import io
import math
import warnings
from dataclasses import dataclass, field
from html import escape
from typing import Any

Point = tuple[float, float]

_PIXELS_PER_POINT = 2.0
_MAX_PIXELS = 12e6  # a picture takes 4 bytes of memory for each while it is drawn
_LINE = "#7b8794"


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str
    stroke: str
    line: float = 1.0


@dataclass(frozen=True)
class Curve:
    """Bézier pieces: a start, then two control points and an end for each piece."""

    points: list[Point]
    dotted: bool = False
    colour: str = _LINE
    line: float = 1.2


@dataclass(frozen=True)
class Arrowhead:
    corners: list[Point]
    colour: str = _LINE


@dataclass(frozen=True)
class Text:
    x: float
    y: float
    text: str
    colour: str = "#1f2933"
    size: float = 11.0
    bold: bool = False
    anchor: str = "middle"


Shape = Box | Curve | Arrowhead | Text


@dataclass
class Picture:
    width: float = 0.0
    height: float = 0.0
    shapes: list[Shape] = field(default_factory=list)


def to_svg(picture: Picture, description: str = "") -> str:
    """Write the picture as a standalone SVG; `description` is read out by screen readers."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{picture.width:.0f}" '
        f'height="{picture.height:.0f}" viewBox="0 0 {picture.width:.1f} {picture.height:.1f}" '
        f'font-family="DejaVu Sans, Verdana, sans-serif">',
        f"<desc>{escape(description)}</desc>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for shape in picture.shapes:
        match shape:
            case Box():
                lines.append(
                    f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" '
                    f'height="{shape.height:.1f}" rx="{shape.radius:.1f}" fill="{shape.fill}" '
                    f'stroke="{shape.stroke}" stroke-width="{shape.line:g}"/>'
                )
            case Curve():
                (x, y), *rest = shape.points
                path = f"M{x:.1f},{y:.1f}C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in rest)
                dash = ' stroke-dasharray="2 3"' if shape.dotted else ""
                lines.append(
                    f'<path d="{path}" fill="none" stroke="{shape.colour}" stroke-width="{shape.line:g}"{dash}/>'
                )
            case Arrowhead():
                corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.corners)
                lines.append(f'<polygon points="{corners}" fill="{shape.colour}"/>')
            case Text():
                weight = ' font-weight="bold"' if shape.bold else ""
                lines.append(
                    f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:g}" '
                    f'text-anchor="{shape.anchor}" fill="{shape.colour}"{weight}>{escape(shape.text)}</text>'
                )
    return "\n".join([*lines, "</svg>"])


def _outline(box: Box) -> list[Point]:
    """A rounded rectangle as Bézier pieces; matplotlib's own rounds corners too little for a circle."""
    points: list[Point] = []
    r, handle = box.radius, 0.4477 * box.radius
    left, right, top, bottom = box.x, box.x + box.width, box.y, box.y + box.height
    for x, y, dx, dy in (
        (left, top, 0, 1),
        (right, top, -1, 0),
        (right, bottom, 0, -1),
        (left, bottom, 1, 0),
    ):
        # Clockwise into the corner against (dx, dy), and out of it along the same turned by a quarter.
        ex, ey = -dy, dx
        start, out = (x + dx * r, y + dy * r), (x - ex * r, y - ey * r)
        points += [start] * 3 if points else [start]
        points += [(x + dx * handle, y + dy * handle), (x - ex * handle, y - ey * handle), out]
    return [*points, points[0], points[0], points[0]]


def _palette(picture: Picture) -> bytes:
    """The picture's own colours, exactly, then the steps from each ink to each fill that smooth edges need.

    A palette chosen by how often a colour occurs would lose the few gradients in a large picture.
    """
    fills, inks = (
        {"#ffffff": None},
        {_LINE: None},
    )  # dicts, because sets of texts have a different order each run
    for shape in picture.shapes:
        if isinstance(shape, Box):
            fills[shape.fill] = None
            if shape.stroke != shape.fill:
                inks[shape.stroke] = None
        elif isinstance(shape, Text | Curve):
            inks[shape.colour] = None
    inks.pop("#ffffff", None)  # steps from white to a pale fill would be mistaken for white
    shades = [(colour, colour, 0.0) for colour in fills | inks]
    shades += [(ink, fill, k / 6) for ink in inks for fill in fills for k in range(1, 6)]
    return b"".join(
        bytes(
            round(a + (b - a) * t)
            for a, b in zip(bytes.fromhex(ink[1:]), bytes.fromhex(fill[1:]), strict=True)
        )
        for ink, fill, t in shades[:256]
    )


def to_png(picture: Picture) -> bytes:
    """Write the picture as a PNG, two pixels to the point; needs matplotlib, but no pyplot and no backend."""
    import matplotlib.style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image  # matplotlib depends on it

    scale = min(_PIXELS_PER_POINT, math.sqrt(_MAX_PIXELS / (picture.width * picture.height)))
    # The reader's own matplotlib settings must not change the picture, and a character that the font lacks
    # must not put a warning under it.
    with matplotlib.style.context("default"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = Figure(figsize=(picture.width / 72, picture.height / 72), dpi=72 * scale, facecolor="white")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0.0, picture.width), ylim=(picture.height, 0.0))
        axes.set_axis_off()
        _put_shapes(axes, picture.shapes)
        canvas.draw()
    pixels = Image.frombuffer("RGBA", canvas.get_width_height(), bytes(canvas.buffer_rgba())).convert("RGB")
    # A palette makes a notebook that is kept with its pictures three times smaller.
    palette = Image.new("P", (1, 1))
    palette.putpalette(_palette(picture))
    out = io.BytesIO()
    pixels.quantize(palette=palette, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def _put_shapes(axes: Any, shapes: list[Shape]) -> None:
    """Draw the shapes on matplotlib's axes, one over the other."""
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    def path(points: list[Point]) -> Path:
        return Path(points, [Path.MOVETO] + [Path.CURVE4] * (len(points) - 1))

    for order, shape in enumerate(shapes):
        match shape:
            case Box():
                axes.add_patch(
                    PathPatch(
                        path(_outline(shape)), fc=shape.fill, ec=shape.stroke, lw=shape.line, zorder=order
                    )
                )
            case Curve():
                dash = (0, (2, 3)) if shape.dotted else "solid"
                axes.add_patch(
                    PathPatch(
                        path(shape.points), fill=False, ec=shape.colour, lw=shape.line, ls=dash, zorder=order
                    )
                )
            case Arrowhead():
                axes.add_patch(Polygon(shape.corners, fc=shape.colour, lw=0.0, zorder=order))
            case Text():
                axes.text(
                    shape.x,
                    shape.y,
                    shape.text,
                    color=shape.colour,
                    fontsize=shape.size,
                    fontfamily="DejaVu Sans",
                    fontweight="bold" if shape.bold else "normal",
                    horizontalalignment={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
                    verticalalignment="baseline",
                    parse_math=False,
                    zorder=order,
                )
