"""Curves that move: a tangent that rolls along, fits while they are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .curves import fit, lines
from .moving import Movie, movie, without_legend
from .parts import add_curve
from .style import COLOURS, NEGATIVE, POSITIVE, SIZE, WIDTH, in_style, panels
from .values import at_least_one, numbers_of, short, value_at, values_over

_INK = "#333333"


@in_style
def moving_tangent(
    f: Callable[[float], Any],
    slope: Callable[[float], Any],
    low: float,
    high: float,
    *,
    name: str = "f(x)",
    title: str = "The tangent rolls along",
    frames: int = 84,
) -> Movie:
    """A tangent that rolls along the curve of `f` from `low` to `high`, while its slope draws a curve below: see that
    the second curve is 0 where the first is level, and high where it is steep.

    `f` and `slope` map a float to a number, such as a function and your derivative of it.

    >>> shown = moving_tangent(lambda x: x * x, lambda x: 2 * x, -1.0, 2.0, frames=4)
    >>> shown.told
    'A tangent rolls along f(x) from x = -1 to x = 2. Below, its slope is drawn: from -2 to 4, and 0 near x = 0.'
    """
    # Long, because each moment and the still picture are drawn from the same numbers on the same axes.
    x = np.linspace(low, high, max(frames, 121))
    heights, steep = (np.array([value_at(g, float(a)) for a in x]) for g in (f, slope))
    top, bottom = panels(2, columns=1, height=2.1)
    lines({name: (x, heights)}, title=title, ax=top)
    lines({"slope": (x, steep)}, title="its slope", xlabel="x", ax=bottom)
    for ax in (top, bottom):
        without_legend(ax)
    bottom.lines[0].set(color="#CCCCCC", linewidth=1.0, label="_")  # where it will go
    top.lines[0].set(color=_INK, zorder=4.5)
    bottom.axhline(0, color=_INK, linewidth=1.0)
    room = 0.22 * (np.nanmax(heights) - np.nanmin(heights))
    top.set(ylim=(np.nanmin(heights) - room, np.nanmax(heights) + room), ylabel=name)
    bottom.set_ylabel("slope")

    def tangent(k: int, reach: float) -> None:
        colour = _signed(steep[k])
        # As long as it is seen, whatever the axes' scales are.
        middle = top.transData.transform((x[k], heights[k]))
        along = top.transData.transform((x[k] + 1.0, heights[k] + steep[k])) - middle
        ends = middle + np.outer([-1, 1], along / np.hypot(*along) * reach * top.bbox.width)
        top.plot(*top.transData.inverted().transform(ends).T, color=colour, linewidth=3.2, zorder=4)
        top.plot(x[k], heights[k], "o", color=colour, markersize=8, markeredgecolor="white", zorder=5)
        bottom.plot([x[k]] * 2, [0, steep[k]], color=colour, linewidth=3.2, zorder=4)
        bottom.plot(x[k], steep[k], "o", color=colour, markersize=8, markeredgecolor="white", zorder=5)

    def frame(moment: int) -> str:
        k = _place(moment, frames, len(x))
        bottom.plot(x[: k + 1], steep[: k + 1], color=_INK, linewidth=1.8, zorder=3)
        tangent(k, reach=0.11)
        return f"x = {_signed_text(x[k])}   slope {_signed_text(steep[k])}"

    def still() -> None:
        bottom.plot(x, steep, color=_INK, linewidth=1.8, zorder=3, label="slope")
        for place in np.linspace(0.08, 0.92, 7):
            tangent(round(place * (len(x) - 1)), reach=0.06)

    rise = np.diff(steep)
    crossed = np.flatnonzero((np.diff(np.sign(steep)) != 0) & np.isfinite(rise))
    zeros = x[crossed] - steep[crossed] / rise[crossed] * np.diff(x)[crossed]  # between two places
    level = list(dict.fromkeys(short(round(float(zero), 1) + 0.0) for zero in zeros))
    told = f"A tangent rolls along {name} from x = {short(low)} to x = {short(high)}. Below, its slope is drawn: "
    told += f"from {short(steep[0])} to {short(steep[-1])}"
    if level:
        told += f", and 0 near x = {' and '.join(level)}"
    return movie([top, bottom], frame, frames, still=still, told=told + ".")


@in_style
def moving_fits(
    x: Any,
    y: Any,
    runs: Mapping[str, Sequence[Callable[[Any], Any]]],
    *,
    xlabel: str = "x",
    ylabel: str = "y",
    measure: str = "error",
    names: Sequence[str] | None = None,
    frames: int = 48,
) -> Movie:
    """Curves while they are fitted to points, one run beside the other, with their mean squared errors below, which the
    picture calls by the word `measure`: see which run gets near, and after how many steps.

    A run is a list of functions, as in `fit`: the curve before the first step, after it, and so on. Of a long run the
    moments that are shown lie close together at first, where most happens; all runs go step by step together.

    >>> flat, steep = (lambda a: 0 * a), (lambda a: 2 * a)
    >>> shown = moving_fits([0, 1, 2], [0, 2, 4], {"descent": [flat, steep]}, frames=2)
    >>> shown.told
    'descent: the mean squared error falls from 6.67 to 0 in 1 step.'
    """
    # Long, because each moment and the still picture are drawn from the same numbers on the same axes.
    import matplotlib.pyplot as plt

    across, up = numbers_of(x).ravel(), numbers_of(y).ravel()
    at_least_one("moving_fits", runs)
    errors = {
        name: np.array([((values_over(model, across) - up) ** 2).mean() for model in models])
        for name, models in runs.items()
    }
    steps = max(len(models) for models in runs.values()) - 1
    _, places = plt.subplot_mosaic(
        [list(runs), ["error"] * len(runs)],
        figsize=(max(SIZE[0], min(WIDTH, 3.6 * len(runs))), 4.5),
        height_ratios=(3, 2),
    )
    margin = 0.05 * np.ptp(across)
    grid = np.linspace(across.min() - margin, across.max() + margin, 101)
    for name in runs:
        fit(across, up, {}, title=name, xlabel=xlabel, ylabel=ylabel, ax=places[name])
        without_legend(places[name])
        room, first = 0.15 * np.ptp(up), values_over(runs[name][0], grid)
        # With the first curve, where that is not far away: it is what the run begins with.
        near = first[abs(first - np.median(up)) < 1.5 * np.ptp(up)]
        ends = np.concatenate([up, near])
        places[name].set(ylim=(ends.min() - room, ends.max() + room))
    below = places["error"]
    shown = {name: (np.arange(len(values)), values) for name, values in errors.items()}
    lines(
        shown,
        xlabel="step",
        ylabel=measure,
        log="y" if min(map(np.min, errors.values())) > 0 else "",
        ax=below,
    )
    for line in below.lines:
        line.set(alpha=0.25)
    # Half of the moments are the first steps; then strides grow.
    moments = (
        np.unique(np.round(np.geomspace(1, steps + 1, frames) - 1).astype(int)) if steps else np.array([0])
    )

    def draw(step: int) -> None:
        for k, (name, models) in enumerate(runs.items()):
            here, colour = min(step, len(models) - 1), COLOURS[k % len(COLOURS)]
            ax = places[name]
            ax.plot(grid, values_over(models[here], grid), color=colour, linewidth=2.4, label=name)
            place: Any = {"transform": ax.transAxes, "ha": "left", "va": "top", "fontsize": 10}
            ax.text(0.03, 0.96, f"{measure} {short(errors[name][here])}", **place)
            add_curve(below, np.arange(here + 1), errors[name][: here + 1], "_", look=k)
            below.plot(here, errors[name][here], "o", color=colour, markersize=8, markeredgecolor="white")

    def frame(moment: int) -> str:
        draw(moments[moment])
        return f"step {moments[moment]}"

    said = []
    for name, values in errors.items():
        count = f"{len(values) - 1} step{'s' * (len(values) != 2)}"
        said.append(
            f"{name}: the mean squared error falls from {short(values[0])} to {short(values[-1])} in {count}."
        )
    return movie([*(places[name] for name in runs), below], frame, len(moments), told=" ".join(said), rate=12)


def _place(moment: int, frames: int, places: int) -> int:
    """Where to be at a moment: slower at both ends."""
    share = moment / max(1, frames - 1)
    return round((0.5 * share + 0.5 * share * share * (3 - 2 * share)) * (places - 1))


def _signed(value: float) -> str:
    """The colour of rising, of falling, of level."""
    return _INK if abs(value) < 1e-9 else POSITIVE if value > 0 else NEGATIVE


def _signed_text(value: float) -> str:
    """With as many places each time, so that the text stands still: `+0.50`, `−1.25`."""
    return f"{value:+.2f}".replace("-", "−")
