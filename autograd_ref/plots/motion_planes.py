"""The plane in motion: paths on level lines, the border between classes while a model is trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .curves import lines
from .moving import Movie, eased, movie, without_legend
from .planes import class_points, contour, labelled, regions, scores_of
from .style import COLOURS, MARKERS, in_style, panels
from .values import at_least_one, grid_around, numbers_of, short, value_at


@in_style
def moving_paths(
    f: Callable[[float, float], Any],
    paths: Mapping[str, Any],
    *,
    x: tuple[float, float],
    y: tuple[float, float],
    xlabel: str = "x",
    ylabel: str = "y",
    columns: int = 1,
    height: float = 1.7,
    between: int = 4,
) -> Movie:
    """Paths on the level lines of f(x, y), all at once, each on a panel of its own: see who is first, who swings and
    who creeps. A path starts at a hollow ring and ends at a star.

    Each path is a list of points (x, y); a shorter one waits at its end. `between` frames lead from point to point.
    The still picture is what `contour` draws.

    >>> shown = moving_paths(lambda x, y: x * x + y * y, {"SGD": [(1, 1), (0.5, 0.5)]}, x=(-2, 2), y=(-2, 2))
    >>> shown.told
    'SGD, step by step from (1, 1): after 1 step it is at (0.5, 0.5), where the height is 0.5, of 2 at the start.'
    """
    # Long, because each moment and the still picture are drawn from the same numbers on the same axes.
    arrays = {name: numbers_of(path) for name, path in at_least_one("moving_paths", paths).items()}
    heights = {name: [value_at(f, *point) for point in path.tolist()] for name, path in arrays.items()}
    sheet = panels(len(arrays), columns=columns, height=height)
    for ax, name in zip(sheet, arrays, strict=True):
        contour(f, x=x, y=y, title=name, xlabel=xlabel, ylabel=ylabel, ax=ax)
        if columns == 1 and ax is not sheet[-1]:
            ax.set_xlabel("")
    steps = max(len(path) for path in arrays.values()) - 1

    def frame(moment: int) -> str:
        whole, share = divmod(moment, between)
        for k, (ax, (name, path)) in enumerate(zip(sheet, arrays.items(), strict=True)):
            here, there = (path[min(whole + more, len(path) - 1)] for more in (0, 1))
            head = here + eased(share / between) * (there - here)
            trail = path[: whole + 1]
            colour = COLOURS[k % len(COLOURS)]
            ax.plot(*path[0], "o", markersize=10, color=colour, fillstyle="none", markeredgewidth=1.5)
            ax.plot(*np.vstack([trail, head]).T, color=colour, linewidth=1.6)
            ax.plot(*trail.T, MARKERS[k % len(MARKERS)], color=colour, markersize=3.5)
            ax.plot(*head, "o", color=colour, markersize=10, markeredgecolor="white", markeredgewidth=1.5)
            height = heights[name][min(whole, len(path) - 1)]
            ax.text(
                0.985,
                0.93,
                f"height {short(height, 2)}",
                transform=ax.transAxes,
                ha="right",
                va="top",
                fontsize=10,
            )
        return f"step {min(whole, steps)}"

    def still() -> None:
        for k, (ax, (name, path)) in enumerate(zip(sheet, arrays.items(), strict=True)):
            look: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)]}
            ax.plot(
                *path.T, marker=MARKERS[k % len(MARKERS)], markersize=3.5, linewidth=1.5, label=name, **look
            )
            ax.plot(*path[0], "o", markersize=10, fillstyle="none", markeredgewidth=1.5, **look)
            ax.plot(*path[-1], "*", markersize=13, markeredgecolor="white", zorder=4, **look)

    said = []
    for name, path in arrays.items():
        first, last = (f"({short(p[0], 2)}, {short(p[1], 2)})" for p in (path[0], path[-1]))
        count = f"{len(path) - 1} step{'s' * (len(path) != 2)}"
        ends = f"where the height is {short(heights[name][-1], 2)}, of {short(heights[name][0])} at the start"
        said.append(f"{name}, step by step from {first}: after {count} it is at {last}, {ends}.")
    return movie(sheet, frame, steps * between + 1, still=still, told=" ".join(said))


@in_style
def moving_boundary(
    models: Sequence[Callable[[Any], Any]],
    x: Any,
    y: Any,
    *,
    losses: Any = None,
    steps: Sequence[int] | None = None,
    resolution: int = 60,
    pointwise: bool = False,
    title: str = "Regions by predicted class",
    between: int = 3,
) -> Movie:
    """The regions of the plane by predicted class while a model is trained: see how the border finds its way between
    the points.

    `models` are the model at some moments, as `decision_boundary` takes it, and `steps` the number of each, counted
    from 0 if you give none. `between` frames lead from one to the next. With `losses`, one for every step, the loss
    falls in a panel on the right. The still picture is the last moment.

    >>> models = [lambda p, b=b: p[:, 0] - b for b in (-2.0, 0.0)]
    >>> shown = moving_boundary(models, [[-1, 0], [1, 0.5]], [0, 1], resolution=9)
    >>> shown.told
    'The border between the classes moves in 1 step. Right at first: 1 of 2 points, at the end: 2.'
    """
    # Long, because each moment and the still picture are drawn from the same numbers on the same axes.
    points, labels = labelled(x, y)
    across, up, grid = grid_around(points, 0.1, 1e-9, resolution)
    snapshots = [scores_of(model, grid, pointwise) for model in models]
    numbers = list(range(len(snapshots))) if steps is None else list(steps)
    if len(numbers) != len(snapshots):
        raise ValueError(f"There are {len(snapshots)} models and {len(numbers)} steps: give one for each.")
    right = [int((scores_of(model, points, pointwise).argmax(axis=1) == labels).sum()) for model in models]
    sheet = panels(1 if losses is None else 2, height=3.4)
    plane = sheet[0]
    colours = list(COLOURS[: int(max(snapshots[0].shape[1], labels.max() + 1))])
    plane.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]), xlabel="x0", ylabel="x1", title=title)
    plane.grid(False)
    if losses is not None:
        values = numbers_of(losses).ravel()
        lines({"loss": (np.arange(len(values)), values)}, xlabel="step", title="loss", log="y", ax=sheet[1])
        without_legend(sheet[1])
        sheet[1].lines[0].set(color="#CCCCCC", linewidth=1.0, label="_")

    def draw(k: int, share: float) -> str:
        there = min(k + 1, len(snapshots) - 1)
        scores = snapshots[k] + share * (snapshots[there] - snapshots[k])
        step = round(numbers[k] + share * (numbers[there] - numbers[k]))
        regions(plane, across, up, scores, colours)
        class_points(plane, points, labels, colours)
        without_legend(plane)
        if losses is not None:
            done = values[: step + 1]
            sheet[1].plot(np.arange(len(done)), done, color=COLOURS[0], label="loss")
            sheet[1].plot(
                len(done) - 1, done[-1], "o", color=COLOURS[0], markersize=8, markeredgecolor="white"
            )
        return f"step {step}"

    def frame(moment: int) -> str:
        k, share = divmod(moment, between)
        return draw(k, share / between)

    told = f"The border between the classes moves in {numbers[-1]} step{'s' * (numbers[-1] != 1)}. "
    told += f"Right at first: {right[0]} of {len(points)} points, at the end: {right[-1]}."
    return movie(sheet, frame, (len(snapshots) - 1) * between + 1, told=told, rate=15)
