"""What a figure shows, in words: its alternative text, for who hears a notebook read out; and how Jupyter gets both."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from .values import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_PANELS = 6  # more are counted, and their titles told
_MOST_BARS = 12  # of a bar chart, which are told one by one
_MOST_CELLS = 40  # of a matrix that is told number by number


def described(figure: Figure) -> str:
    """The figure in words: titles and axes, and of each curve, bar and matrix the numbers that matter.

    >>> from autograd_ref.plots import lines
    >>> ax = lines({"halved": ([0, 1, 2], [8, 4, 2])}, xlabel="step", ylabel="value", title="Halving")
    >>> described(ax.figure)
    'Halving. value against step. halved: 3 points, from 8 at 0 to 2 at 2.'
    """
    drawn = [ax for ax in figure.axes if ax.get_label() != "<colorbar>" and (ax.has_data() or _texts(ax))]
    said = [_one_line(figure.get_suptitle())]
    if len(drawn) > _MOST_PANELS:
        titles = [title for ax in drawn if (title := _title(ax))]
        said += [f"{len(drawn)} panels" + (f": {', '.join(titles)}" if titles else "")]
    else:
        for k, ax in enumerate(drawn):
            said += [f"Panel {k + 1}"] if len(drawn) > 1 else []
            said += _of_axes(ax)
    return " ".join(f"{part.rstrip('.')}." for part in said if part)


def _of_axes(ax: Axes) -> list[str]:
    across, up = _one_line(ax.get_xlabel()), _one_line(ax.get_ylabel())
    said = [_title(ax), f"{up} against {across}" if across and up else across or up]
    scales = [name for name, scale in (("x", ax.get_xscale()), ("y", ax.get_yscale())) if scale == "log"]
    said += [f"logarithmic in {' and '.join(scales)}"] if scales else []
    return said + (_images(ax) + _bars(ax) + _curves(ax) + _clouds(ax) or [", ".join(_texts(ax))])


def _texts(ax: Axes) -> list[str]:
    """What is written on axes, such as the boxes of a sketch that holds nothing else."""
    return [_one_line(text.get_text()) for text in ax.texts if text.get_text()]


def _title(ax: Axes) -> str:
    return _one_line(ax.get_title() or ax.get_title("left"))


def _curves(ax: Axes) -> list[str]:
    said = []
    for line in ax.get_lines():
        name = str(line.get_label())
        x, y = (np.asarray(part, dtype=float) for part in line.get_data())
        good = np.isfinite(x) & np.isfinite(y)
        if not name or name.startswith("_") or not good.any():
            continue
        x, y = x[good], y[good]
        if (np.diff(x) <= 0).any():  # a path in the plane
            first, last = (f"({short(x[k])}, {short(y[k])})" for k in (0, -1))
            said.append(f"{_one_line(name)}: {len(x)} points, from {first} to {last}")
            continue
        ends = f"from {short(y[0])} at {short(x[0])} to {short(y[-1])} at {short(x[-1])}"
        told = f"{_one_line(name)}: {len(x)} points, {ends}"
        low, high = y.argmin(), y.argmax()
        inside = [
            f"{word} {short(y[k])} at {short(x[k])}"
            for word, k in (("lowest", low), ("highest", high))
            if y[k] not in (y[0], y[-1])
        ]
        said.append(", ".join([told, *inside]))
    return said


def _bars(ax: Axes) -> list[str]:
    said = []
    for container in ax.containers:
        patches = [patch for patch in container if hasattr(patch, "get_width")]
        if not patches:
            continue
        if getattr(container, "orientation", "vertical") == "horizontal":
            labels = [_one_line(text.get_text()) for text in ax.get_yticklabels()]
            names = labels if len(labels) == len(patches) else [""] * len(patches)
            lengths = [f"{name} {short(p.get_width())}" for name, p in zip(names, patches, strict=True)]
            said.append("bars: " + ", ".join(map(str.strip, lengths)))
            continue
        middles = [patch.get_x() + patch.get_width() / 2 for patch in patches]
        heights = [patch.get_height() for patch in patches]
        step = (middles[-1] - middles[0]) / max(1, len(patches) - 1)
        if len(patches) <= _MOST_BARS and patches[0].get_width() < 0.99 * step:  # a histogram leaves no gaps
            pairs = zip(middles, heights, strict=True)
            said.append("bars: " + ", ".join(f"at {short(x)} {short(y)}" for x, y in pairs))
        else:
            tallest = max(range(len(patches)), key=lambda i: heights[i])
            said.append(f"a histogram, tallest near {short(middles[tallest])}")
    return said


def _images(ax: Axes) -> list[str]:
    said = []
    for image in ax.images:
        values: np.ndarray = np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), np.nan)
        if values.ndim != 2 or not np.isfinite(values).any():
            continue
        size = f"{values.shape[0]} rows, {values.shape[1]} columns"
        if values.size <= _MOST_CELLS:
            said.append(f"{size}: " + "; ".join(" ".join(map(short, row)) for row in values.tolist()))
        else:
            said.append(f"{size}, from {short(np.nanmin(values))} to {short(np.nanmax(values))}")
    return said


def _clouds(ax: Axes) -> list[str]:
    from matplotlib.collections import PathCollection

    counts = [len(np.atleast_2d(c.get_offsets())) for c in ax.collections if isinstance(c, PathCollection)]
    return [f"{sum(counts)} points"] if counts else []


def _one_line(text: str) -> str:
    return " ".join(text.split())


def as_image(png: str, alt: str, width: int) -> str:
    """A PNG (base64) as HTML, with its alternative text: JupyterLab knows none for a PNG alone.

    On a narrow page it shrinks a little; before its text is too small to be read, it scrolls.

    >>> as_image("iVBO", 'a "b"', 20)[30:]
    '<img alt="a &quot;b&quot;" style="min-width: 17px" src="data:image/png;base64,iVBO"></div>'
    """
    looks = f"min-width: {round(0.85 * width)}px"
    source = f"data:image/png;base64,{png}"
    return f'<div style="overflow-x: auto"><img alt="{escape(alt)}" style="{looks}" src="{source}"></div>'


def give_words(drawn: Any) -> None:
    """Let the figures that were drawn on show themselves in a notebook with their alternative text."""
    for one in drawn if isinstance(drawn, list | tuple) else [drawn]:
        figure = getattr(one, "figure", None) or one
        if hasattr(figure, "canvas"):
            figure._ipython_display_ = lambda figure=figure: _show(figure)


def _show(figure: Figure) -> None:
    """Show the figure as its PNG, as the same in HTML with its alternative text, and in words."""
    from IPython.display import display

    (png, width), alt = _png(figure), described(figure)
    data = {"text/plain": f"Figure. {alt}", "text/html": as_image(png, alt, width), "image/png": png}
    display(data, metadata={"image/png": {"alt": alt}}, raw=True)


def _png(figure: Figure) -> tuple[str, int]:
    """The figure as a PNG in base64, and its width in pixels. A palette makes it three times smaller."""
    from PIL import Image  # matplotlib depends on it

    drawn, out = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=figure.dpi, bbox_inches="tight", facecolor="white")
    pixels = Image.open(drawn).convert("RGB")
    pixels.quantize(255, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode("ascii"), pixels.width
