"""The plane: regions by predicted class, level lines, and paths on them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .parts import finish, next_look
from .style import COLOURS, DASHES, MARKERS, SQUARE, axes_for, in_style
from .values import at_least_one, grid_around, no_grad, numbers_of, value_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@in_style
def decision_boundary(
    predict: Callable[[Any], Any],
    x: Any,
    y: Any,
    ax: Axes | None = None,
    resolution: int = 150,
    *,
    pointwise: bool = False,
    title: str = "Regions by predicted class",
    xlabel: str = "x0",
    ylabel: str = "x1",
) -> Axes:
    """The regions of the plane by predicted class, with the points on top: see which points lie in the
    wrong region.

    `predict` maps points (n, 2) to scores (n, classes), of which the largest wins, or to one logit (n,) or
    (n, 1), positive for class 1; a model will do. `x` has shape (n, 2) and `y` (n,) integer labels; labels
    -1 and 1 are taken as 0 and 1. A network of single numbers is slow: give `resolution=40`, and
    `pointwise=True` to have it called with one point at a time, a list of two floats.

    >>> ax = decision_boundary(lambda p: p[0] + p[1], [[-1, -1], [1, 1]], [0, 1], resolution=10, pointwise=True)
    """
    points, labels = labelled(x, y)
    ax = axes_for(ax, SQUARE)
    across, up, grid = grid_around(points, 0.1, 1e-9, resolution)
    scores = scores_of(predict, grid, pointwise)
    classes = int(max(scores.shape[1], labels.max() + 1))
    colours = _class_colours(classes)
    regions(ax, across, up, scores, colours)
    class_points(ax, points, labels, colours)
    ax.set_aspect("equal")
    ax.grid(False)
    return finish(ax, xlabel, ylabel, title, legend=False)


@in_style
def contour(
    f: Callable[[float, float], Any],
    paths: Mapping[str, Any] | None = None,
    *,
    x: tuple[float, float],
    y: tuple[float, float],
    title: str = "Paths on the level lines",
    xlabel: str = "x",
    ylabel: str = "y",
    resolution: int = 60,
    levels: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """Level lines of a function f(x, y) of two floats, darker where it is lower, with paths on them: see who
    zigzags and who goes straight. A path starts at a hollow ring and ends at a star.

    A path is a list of points (x, y), `x` and `y` say what part of the plane is drawn.

    >>> ax = contour(lambda x, y: x * x + 4 * y * y, {"steps": [(2, 1), (1, 0.2), (0.3, 0)]}, x=(-3, 3), y=(-2, 2))
    """
    ax = axes_for(ax, SQUARE)
    across, up = np.linspace(*x, resolution), np.linspace(*y, resolution)
    values = np.array([[value_at(f, float(a), float(b)) for a in across] for b in up])
    _level_lines(ax, across, up, values, levels)
    _paths(ax, _as_paths(paths or {}))
    ax.set(xlim=x, ylim=y)
    return finish(ax, xlabel, ylabel, title, outside=True)


@in_style
def optimizer_paths(
    function: Callable[[Any], Any],
    paths: Mapping[str, Any],
    ax: Axes | None = None,
    resolution: int = 120,
    levels: int = 12,
    *,
    title: str = "Paths on the level lines",
    xlabel: str = "w0",
    ylabel: str = "w1",
) -> Axes:
    """Paths of optimizers on the level lines of a function of the plane: see who zigzags and who goes
    straight. A path starts at a hollow ring and ends at a star.

    `function` maps a tensor (..., 2) to (...,), or an array where the engine is not loaded; every path is an
    array (steps, 2). `contour` draws the same for a function of two floats.

    >>> ax = optimizer_paths(lambda p: (p * p).sum(-1), {"SGD": [[1.0, 1.0], [0.5, 0.8], [0.0, 0.1]]})
    """
    ax = axes_for(ax, SQUARE)
    arrays = _as_paths(at_least_one("optimizer_paths", paths))
    across, up, grid = grid_around(np.concatenate(list(arrays.values())), 0.25, 0.1, resolution)
    grid = grid.reshape(resolution, resolution, 2)
    tensor = getattr(sys.modules.get("autograd_ref.tensor"), "Tensor", np.asarray)
    with no_grad():
        values = numbers_of(function(tensor(grid)))
    _level_lines(ax, across, up, values, levels)
    _paths(ax, arrays)
    return finish(ax, xlabel, ylabel, title, outside=True)


def _class_colours(classes: int) -> list[Any]:
    from matplotlib import colormaps

    if classes <= len(COLOURS):
        return list(COLOURS[:classes])
    return [colormaps["viridis"](k / (classes - 1)) for k in range(classes)]


def class_points(ax: Axes, points: np.ndarray, labels: np.ndarray, colours: list[Any]) -> None:
    """Points with a colour and a marker per class, and a legend of the classes."""
    from matplotlib.lines import Line2D
    from matplotlib.markers import MarkerStyle

    shapes = [MarkerStyle(MARKERS[k % len(MARKERS)]) for k in range(len(colours))]
    dots = ax.scatter(
        points[:, 0], points[:, 1], s=28, c=[colours[k] for k in labels], edgecolors="white", linewidths=0.8
    )
    dots.set_paths([shapes[k].get_path().transformed(shapes[k].get_transform()) for k in labels])
    keys = [
        Line2D([], [], color=colours[k], marker=shapes[k], linestyle="", label=f"class {k}")
        for k in sorted(set(labels.tolist()))
    ]
    ax.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, handlelength=1.2)


def _as_paths(paths: Mapping[str, Any]) -> dict[str, np.ndarray]:
    arrays = {name: numbers_of(path) for name, path in paths.items()}
    for name, path in arrays.items():
        if path.ndim != 2 or path.shape[1] != 2:
            raise ValueError(f"A path is an array (steps, 2), and '{name}' has shape {path.shape}.")
    return arrays


def _level_lines(ax: Axes, across: np.ndarray, up: np.ndarray, values: np.ndarray, levels: int) -> None:
    finite = values[np.isfinite(values)]
    if not finite.size:
        raise ValueError("The function has no finite value in this part of the plane: draw another part.")
    # Every ring between two lines takes its share of the picture: in a valley there are lines too. The square
    # makes the rings of a bowl equally far apart.
    heights = np.unique(np.quantile(finite, np.linspace(0, 1, levels + 1) ** 2))
    ax.grid(False)
    if len(heights) < 2:  # a plateau
        return
    values = np.ma.masked_invalid(values)
    greys = [str(shade) for shade in np.linspace(0.80, 0.98, len(heights) - 1)]
    ax.contourf(across, up, values, levels=heights, colors=greys)
    ax.contour(across, up, values, levels=heights[1:-1], colors="#999999", linewidths=0.7)


def _paths(ax: Axes, arrays: Mapping[str, np.ndarray]) -> None:
    for name, path in arrays.items():
        look = next_look(ax) % len(COLOURS)
        colour = COLOURS[look]
        style = {"color": colour, "linestyle": DASHES[look], "marker": MARKERS[look]}
        ax.plot(path[:, 0], path[:, 1], **style, markersize=3.5, linewidth=1.5, label=name)
        ax.plot(*path[0], "o", markersize=10, color=colour, fillstyle="none", markeredgewidth=1.5)
        ax.plot(*path[-1], "*", markersize=13, color=colour, markeredgecolor="white", zorder=4)


def labelled(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Points of the plane (n, 2) and their classes (n,), counted from 0."""
    points, labels = numbers_of(x), numbers_of(y).ravel()
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"decision_boundary draws points of the plane, (n, 2), and x has shape {points.shape}."
        )
    if len(labels) != len(points):
        raise ValueError(
            f"decision_boundary needs a label for each point: {len(points)} points, {len(labels)} labels."
        )
    if set(labels.tolist()) <= {-1, 1}:
        labels = labels > 0
    return points, labels.astype(int)


def scores_of(predict: Callable[[Any], Any], grid: np.ndarray, pointwise: bool) -> np.ndarray:
    """The scores (n, classes) of the grid's points (n, 2)."""
    with no_grad():
        if pointwise:
            scores = np.stack([numbers_of(predict(point)).ravel() for point in grid.tolist()])
        else:
            scores = numbers_of(predict(grid)).reshape(len(grid), -1)
    if scores.shape[1] == 1:
        scores = np.concatenate([-scores, scores], axis=1)
    return scores


def regions(ax: Axes, across: np.ndarray, up: np.ndarray, scores: np.ndarray, colours: list[Any]) -> None:
    """The part of the plane that each class wins, in its colour, and the lines between."""
    winner = scores.argmax(axis=1)
    for k in range(scores.shape[1]):
        # The lead over the best other class is smooth, and 0 on the boundary: better edges than from labels.
        lead = scores[:, k] - np.delete(scores, k, axis=1).max(axis=1)
        tie = 1e-9 * (np.nanmax(np.abs(lead)) or 1.0)
        lead = np.where(winner == k, np.maximum(lead, tie), np.minimum(lead, -tie)).reshape(len(up), -1)
        if (lead > 0).any():
            ax.contourf(across, up, lead, levels=[0, np.nanmax(lead) + 1], colors=[colours[k]], alpha=0.25)
        if (lead > 0).any() and (lead < 0).any():
            ax.contour(across, up, lead, levels=[0], colors="#333333", linewidths=1.0)
