"""Parts of figures: a labelled curve, ticks, titles, and a legend where nothing is drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .style import COLOURS, DASHES, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def next_look(ax: Axes) -> int:
    """The number of curves that are there, so that a second call on the same axes goes on in the series."""
    return sum(not str(line.get_label()).startswith("_") for line in ax.lines)


def add_curve(
    ax: Axes, x: np.ndarray, y: np.ndarray, name: str, markers: bool = False, look: int | None = None
) -> str:
    """Draw a labelled curve in the next look of the series; returns its colour."""
    look = (next_look(ax) if look is None else look) % len(COLOURS)
    colour = COLOURS[look]
    logs = [(axis, v) for axis, v, s in (("x", x, ax.get_xscale()), ("y", y, ax.get_yscale())) if s == "log"]
    for axis, values in logs:
        if (values < 0).any() or (axis == "x" and (values == 0).any()):
            raise ValueError(
                f"A logarithmic axis shows positive values, and '{name}' has {np.nanmin(values):g} in {axis}: "
                "draw it on a linear axis."
            )
    zero = (y == 0) if ax.get_yscale() == "log" else np.zeros(len(y), dtype=bool)
    ax.plot(
        x,
        np.where(zero, np.nan, y) if zero.any() else y,
        color=colour,
        linestyle=DASHES[look],
        marker=MARKERS[look] if markers else "",
        markevery=max(1, len(x) // 25),
        label=name,
    )
    if zero.any():
        ax.plot(
            x[zero],
            np.full(zero.sum(), 0.02),
            "v",
            color=colour,
            fillstyle="none",
            clip_on=False,
            transform=ax.get_xaxis_transform(),  # the height is a share of the axes
        )
    return colour


def finish(
    ax: Axes, xlabel: str, ylabel: str, title: str, legend: bool = True, outside: bool = False
) -> Axes:
    ax.set_title(title)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() == "log":
            _log_ticks(axis)
    if legend:
        add_legend(ax, inside=not outside)
    return ax


def _log_ticks(axis: Any) -> None:
    """Labels as Python prints numbers, 0.01 and 1e-08, and enough of them on a short axis too."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    decades = math.log10(high / low) if low > 0 else 1.0
    if decades < 1:
        axis.set_major_locator(MaxNLocator(5))
    else:
        inches = (
            axis.axes.bbox.width if axis.axis_name == "x" else axis.axes.bbox.height
        ) / axis.axes.figure.dpi
        room = int(inches / (0.62 if axis.axis_name == "x" else 0.3))  # labels that stand free of each other
        subs = (1.0, 2.0, 5.0) if 3 * decades < room else (1.0,)
        axis.set_major_locator(LogLocator(subs=subs, numticks=max(2, room)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def add_legend(ax: Axes, inside: bool = True, beside: bool = False) -> None:
    """A legend in a place where nothing is drawn, or else beside the axes; below, where these are narrow."""
    if not ax.get_legend_handles_labels()[1]:
        return
    legend = ax.legend(loc="upper right")
    if inside:
        points = _drawn_points(ax)
        box = legend.get_window_extent()
        # The layout is made later and changes sizes a little: ask for somewhat more than the legend takes.
        width, height = 1.1 * box.width / ax.bbox.width + 0.05, 1.1 * box.height / ax.bbox.height + 0.05
        sides = {
            "right": 1 - points[:, 0],
            "left": points[:, 0],
            "center": abs(points[:, 0] - 0.5) + width / 2,
        }
        ends = {"upper": 1 - points[:, 1], "lower": points[:, 1]}
        for side, up in ((side, up) for side in sides for up in ends):
            if not ((sides[side] < width) & (ends[up] < height)).any():
                place: Any = f"{up} {side}"
                legend.set_loc(place)
                return
    if beside or ax.bbox.width / ax.figure.dpi > 3.5:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    else:
        from matplotlib.transforms import ScaledTranslation

        below = ax.transAxes + ScaledTranslation(0, -0.42, ax.figure.dpi_scale_trans)  # past the axis's label
        ax.legend(
            loc="upper left", bbox_to_anchor=(0.0, 0.0), bbox_transform=below, frameon=False, borderpad=0.0
        )


def _drawn_points(ax: Axes) -> np.ndarray:
    """Points that cover all lines and dots of the axes, (n, 2), in shares of the axes."""
    ax.get_xlim(), ax.get_ylim()  # matplotlib brings its scales up to date when it is asked for limits
    found = [np.empty((0, 2))]
    for line in ax.lines:
        ends = line.get_transform().transform(line.get_xydata())
        between = np.linspace(0, 1, 12)[:, None, None]
        found.append((ends[:-1] + between * (ends[1:] - ends[:-1])).reshape(-1, 2) if len(ends) > 1 else ends)
    for dots in ax.collections:
        found.append(dots.get_offset_transform().transform(np.ma.filled(dots.get_offsets(), np.nan)))
    return ax.transAxes.inverted().transform(np.concatenate(found))
