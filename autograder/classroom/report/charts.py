"""The two drawings of a class's report, as SVG that needs nothing else: no script, no font, no file.

The colours are Okabe and Ito's, told apart with any sight; each has a pattern too, so that a black and white print
says the same. Numbers stand in a table beside every drawing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...lesson.failures import ERROR, FAILED, MISSING, PASSED, TIMEOUT
from .markup import Markup, joined, tag

BLUE = "#0072B2"
#: What each status is painted with: a colour of Okabe and Ito (their grey for nothing written), and lines upon it.
COLOURS = {
    PASSED: "#009E73",
    FAILED: "#D55E00",
    ERROR: "#CC79A7",
    TIMEOUT: "#F0E442",
    MISSING: "#DDDDDD",
}
LINES = {
    PASSED: "",
    FAILED: "M0 8L8 0M-2 2L2 -2M6 10L10 6",
    ERROR: "M0 0L8 8M0 8L8 0",
    TIMEOUT: "M0 4H8",
    MISSING: "M4 3V5",
}
WIDTH = 760


def patterns() -> Markup:
    """The definitions of the paints, once a page."""
    found = []
    for status, colour in COLOURS.items():
        lines = tag(
            "path", d=LINES[status], stroke="#000", stroke_opacity="0.45", stroke_width=1.2, fill="none"
        )
        found.append(
            tag(
                "pattern",
                tag("rect", width=8, height=8, fill=colour),
                lines if LINES[status] else "",
                id=f"paint-{status}",
                width=8,
                height=8,
                patternUnits="userSpaceOnUse",
            )
        )
    return tag("svg", tag("defs", *found), width=0, height=0, aria_hidden="true", class_="paints")


def drawing(name: str, title: str, told: str, height: float, *parts: Markup) -> Markup:
    """A drawing with a title and a description for those who do not see it."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", told, id=f"{name}-told"),
        *parts,
        role="img",
        aria_labelledby=f"{name}-title {name}-told",
        viewBox=f"0 0 {WIDTH} {height:g}",
    )


def _text(x: float, y: float, text: str | int, anchor: str = "middle", class_: str | None = None) -> Markup:
    return tag("text", text, x=round(x, 1), y=round(y, 1), text_anchor=anchor, class_=class_)


def _line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return tag("line", x1=round(x1, 1), y1=round(y1, 1), x2=round(x2, 1), y2=round(y2, 1), class_=class_)


def _rect(x: float, y: float, width: float, height: float, fill: str) -> Markup:
    return tag(
        "rect",
        x=round(x, 1),
        y=round(y, 1),
        width=round(max(width, 0), 1),
        height=round(height, 1),
        fill=fill,
        class_="bar",
    )


def ticks(top: float, most: int = 6) -> list[int]:
    """Round numbers from 0 to `top`.

    >>> ticks(26), ticks(1), ticks(940)
    ([0, 5, 10, 15, 20, 25], [0, 1], [0, 200, 400, 600, 800])
    """
    for power in range(12):
        for first in (1, 2, 5):
            step = first * 10**power
            if top / step <= most - 0.5:
                return list(range(0, math.floor(top) + 1, step))
    return [0]


def histogram(bins: Sequence[tuple[str, int]], median: float, at: float, told: str) -> Markup:
    """Columns of how many students have which score; the median is drawn `at` so many columns from the left."""
    left, right, above, below, height = 48, 12, 42, 44, 190
    inside = WIDTH - left - right
    tallest = max((count for _, count in bins), default=0) or 1
    step = inside / len(bins)
    base = above + height
    parts, counts = [_line(left, base, WIDTH - right, base, "axis")], []
    for tick in ticks(tallest, 5):
        y = base - tick / tallest * height
        parts += [_line(left, y, WIDTH - right, y, "grid"), _text(left - 8, y + 4, tick, "end")]
    every = math.ceil(len(bins) / 14)
    for i, (label, count) in enumerate(bins):
        x = left + i * step
        bar = count / tallest * height
        parts.append(_rect(x + 1.5, base - bar, step - 3, bar, BLUE))
        if i % every == 0 or i == len(bins) - 1:
            parts.append(_text(x + step / 2, base + 17, label))
        if count and step >= 22:
            counts.append(_text(x + step / 2, base - bar - 5, count, class_="count"))
    x = left + at * step
    anchor = "end" if x > WIDTH - 160 else "start"
    parts += [
        _line(x, 4, x, base, "median"),
        _text(x + (-6 if anchor == "end" else 6), 15, f"median {median:g}", anchor, "strong"),
        _text(left + inside / 2, base + 38, "points"),
    ]
    return drawing("scores", "Distribution of scores", told, base + below, *parts, *counts)


def stacked(rows: Sequence[tuple[str, Mapping[str, int]]], total: int, told: str) -> Markup:
    """A bar for each exercise, divided by what became of it."""
    left, right, pitch, above = 190, 12, 27, 34
    inside = WIDTH - left - right
    parts = []
    x = float(left)
    for status in COLOURS:
        parts += [_rect(x, 6, 16, 16, f"url(#paint-{status})"), _text(x + 22, 19, status, "start")]
        x += 40 + 8.5 * len(status)
    for i, (name, counts) in enumerate(rows):
        y = above + i * pitch
        short = name if len(name) <= 26 else name[:25] + "…"
        parts.append(_text(left - 10, y + 15, short, "end"))
        x = float(left)
        for status in COLOURS:
            width = counts.get(status, 0) / max(total, 1) * inside
            if width:
                parts.append(_rect(x, y, width, pitch - 6, f"url(#paint-{status})"))
            if width >= 12 + 8 * len(str(counts.get(status, 0))):
                parts.append(_text(x + width / 2, y + 15, counts[status], class_="inside"))
            x += width
    height = above + len(rows) * pitch + 2
    return drawing("exercises", "What became of each exercise", told, height, joined(*parts))


def bar(share: float) -> Markup:
    """A small bar beside a number in a table, for the eye alone."""
    width = round(100 * min(max(share, 0.0), 1.0), 1)
    return tag(
        "svg",
        tag("rect", width=width, height=10, fill=BLUE),
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        class_="small",
        aria_hidden="true",
    )
