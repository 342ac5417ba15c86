"""All figures of the course, in one style. Each function draws on an axes (a new one if you give none) and
returns it; a list of axes where there are several panels.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> left, right = panels(2)
    >>> ax = lines({"x squared": ([0, 1, 2], [0, 1, 4])}, xlabel="x", ylabel="y", ax=left)
    >>> ax = bars({"forward mode": 1000, "reverse mode": 1}, title="Passes", log=True, ax=right)

Curves differ by colour, by dashes and by marker, so that a grey print can be read. Values may be numbers,
arrays, or anything with its numbers in `.data`, such as a Tensor or a student's Value.

This module imports nothing of the engine: a unit in which students may not use the engine's Tensor still
draws. matplotlib is imported when a figure is drawn, and its settings are left as they were.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Okabe and Ito's palette without its yellow, which is too pale for lines on white: https://jfly.uni-koeln.de/color/
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1.2, 1.4)),
    (0, (6, 2, 1.2, 2)),
    (0, (3, 1.5)),
    (0, (8, 2, 2, 2)),
    (0, (1, 3)),
)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_NEGATIVE, _ZERO, _POSITIVE = "#0072B2", "#FFFFFF", "#D55E00"

_WIDTH = 8.2  # inches of a row of panels: what fits the page of a notebook at 90 pixels to the inch
_SIZE = (6.2, 3.5)
_SQUARE = (5.4, 4.0)
_STYLE: Any = {
    "figure.dpi": 90,
    "figure.max_open_warning": 0,  # a warning would stand on stderr, in the middle of a notebook
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 11,
    "figure.titlesize": 11,
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.handlelength": 2.8,  # long enough to tell the dashes apart
    "legend.framealpha": 1.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
}


def _in_style(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """Draw with the course's settings, whatever the reader's are, and put the reader's back."""

    @functools.wraps(draw)
    def styled(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        import matplotlib.style

        interactive = matplotlib.is_interactive()
        try:
            with matplotlib.style.context("default"), matplotlib.rc_context(_STYLE):
                try:
                    return draw(*args, **kwargs)
                finally:
                    interactive = matplotlib.is_interactive()
        finally:
            # A notebook's backend comes with the first figure, and says here that it shows what is drawn.
            matplotlib.interactive(interactive)

    return styled


@_in_style
def panels(n: int, *, columns: int = 3, title: str = "", height: float = 2.9) -> list[Axes]:
    """`n` empty axes of one figure, side by side, to give to the other functions as `ax`.

    At most `columns` stand in a row; `height` is a row's, in inches. `title` stands above them all.

    >>> [type(ax).__name__ for ax in panels(2)]
    ['Axes', 'Axes']
    """
    import matplotlib.pyplot as plt

    if n < 1 or columns < 1:
        raise ValueError(f"panels needs at least one panel and one column, and got n={n}, columns={columns}.")
    across = min(n, columns)
    rows = math.ceil(n / across)
    width = _SIZE[0] if across == 1 else _WIDTH
    figure, grid = plt.subplots(rows, across, figsize=(width, rows * height), squeeze=False)
    for spare in grid.flat[n:]:
        spare.remove()
    if title:
        figure.suptitle(title)
    return list(grid.flat[:n])


@_in_style
def lines(
    curves: Mapping[str, tuple[Any, Any]],
    *,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    log: str = "",
    markers: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """One curve per label, given as (x, y): see which is higher, and where they cross.

    `log` names the logarithmic axes: "", "x", "y" or "xy". A value of exactly 0 has no place on a logarithmic
    axis: it is drawn as a hollow triangle on the lower edge. `markers` shows the points themselves.

    >>> ax = lines({"halved": ([0, 1, 2, 3], [8, 4, 2, 1])}, xlabel="step", ylabel="value", log="y", markers=True)
    """
    if log not in ("", "x", "y", "xy"):
        raise ValueError(f"log names the logarithmic axes: '', 'x', 'y' or 'xy', and not {log!r}.")
    ax = _axes(ax)
    if "x" in log:
        ax.set_xscale("log")
    if "y" in log:
        ax.set_yscale("log")
    for name, pair in _given("lines", curves).items():
        if len(pair) != 2:
            raise ValueError(f"A curve is a pair (x, y), and '{name}' has {len(pair)} parts.")
        x, y = (_array(values).ravel() for values in pair)
        if len(x) != len(y):
            raise ValueError(f"'{name}' has {len(x)} values of x and {len(y)} of y: give as many of each.")
        _curve(ax, x, y, name, markers)
    return _finish(ax, xlabel, ylabel, title)


@_in_style
def functions(
    named: Mapping[str, Callable[[float], Any]],
    low: float,
    high: float,
    *,
    slopes: Mapping[str, Callable[[float], Any]] | None = None,
    title: str = "",
    xlabel: str = "x",
    points: int = 241,
    ax: Any = None,
) -> Any:
    """Functions of one float between `low` and `high`; with `slopes`, those in a second panel on the right:
    see that the slope is 0 where the value is level, and how steep is steep.

    Returns the axes, with `slopes` the two of them (and `ax`, if given, is then a pair). Where a function
    raises a ValueError or an ArithmeticError, such as log(-1), its curve has a gap.

    >>> import math
    >>> left, right = functions({"sin": math.sin}, -3, 3, slopes={"sin": math.cos})
    """
    if not low < high:
        raise ValueError(f"functions draws from low to high, and low is {low} and high is {high}.")
    x = np.linspace(low, high, points)
    sides = [("value", named)] if slopes is None else [("value", named), ("slope", slopes)]
    if slopes is None:
        sheet = [_axes(ax)]
    else:
        sheet = panels(2, title=title) if ax is None else list(ax)
    looks: dict[str, int] = {}  # a function and its slope look the same
    for one, (side, group) in zip(sheet, sides, strict=True):
        for name, function in _given("functions", group).items():
            y = np.array([_at(function, float(a)) for a in x])
            if not np.isfinite(y).any():
                raise ValueError(f"'{name}' has no finite value between {low} and {high}: draw it elsewhere.")
            _curve(one, x, y, name, look=looks.setdefault(name, len(looks)))
        heading = title if slopes is None else side
        _finish(one, xlabel, side if slopes is None else "", heading, legend=slopes is None)
    if slopes is None:
        return sheet[0]
    _legend(sheet[1], inside=False, beside=True)
    return sheet


@_in_style
def error_against_step(
    steps: Any,
    errors: Mapping[str, Any],
    *,
    title: str = "Error of a numerical derivative against its step",
    xlabel: str = "step h",
    ylabel: str = "error",
    ax: Axes | None = None,
) -> Axes:
    """Errors against the step on two logarithmic axes: see the error fall with the step, as steeply as the
    order of the formula, and turn up again where rounding takes over. A ring marks each smallest error.

    `steps` and every list of errors are of one length; signs are dropped. An error of exactly 0 is a hollow
    triangle on the lower edge.

    >>> ax = error_against_step([1e-1, 1e-2], {"forward": [5e-2, 5e-3], "central": [2e-3, 2e-5]})
    """
    ax = _axes(ax)
    ax.set_xscale("log")
    ax.set_yscale("log")
    h = _array(steps).ravel()
    for name, values in _given("error_against_step", errors).items():
        y = np.abs(_array(values).ravel())
        if len(y) != len(h):
            raise ValueError(
                f"There are {len(h)} steps, and '{name}' has {len(y)} errors: give one for each."
            )
        order = np.argsort(h)
        best = int(np.nanargmin(y)) if np.isfinite(y).any() else None
        label = name if best is None else f"{name}: smallest at {h[best]:.0e}"
        colour = _curve(ax, h[order], y[order], label, markers=True)
        if best is not None and y[best] > 0:
            ax.plot(h[best], y[best], "o", markersize=12, color=colour, fillstyle="none", markeredgewidth=1.8)
    return _finish(ax, xlabel, ylabel, title)


@_in_style
def fit(
    x: Any,
    y: Any,
    models: Mapping[str, Callable[[Any], Any]],
    *,
    title: str = "Data and fit",
    xlabel: str = "x",
    ylabel: str = "y",
    ax: Axes | None = None,
) -> Axes:
    """Points with one or several fitted curves: see which curve follows the points and which cannot bend.

    `x` and `y` hold one number per point. A model is a function of a float, or of an array (n,) at once, such
    as a fitted line; results of shape (n, 1) will do.

    >>> ax = fit([0, 1, 2], [1, 3, 5], {"line": lambda x: 1 + 2 * x})
    """
    ax = _axes(ax)
    across, up = _array(x).ravel(), _array(y).ravel()
    if len(across) != len(up) or not len(across):
        raise ValueError(
            f"fit needs a y for each x, and got {len(across)} x and {len(up)} y: give as many of each."
        )
    ax.scatter(across, up, s=22, color="#666666", zorder=3, label="data")
    margin = 0.05 * (across.max() - across.min()) or 0.5
    grid = np.linspace(across.min() - margin, across.max() + margin, 201)
    for k, (name, predict) in enumerate(models.items()):
        _curve(ax, grid, _over(predict, grid), name, look=k)
    return _finish(ax, xlabel, ylabel, title)


@_in_style
def learning_curves(
    curves: Mapping[str, Sequence[float]],
    ax: Axes | None = None,
    log: bool = False,
    smooth: int = 1,
    *,
    title: str = "Learning curves",
    xlabel: str = "step",
    ylabel: str = "loss",
) -> Axes:
    """One line per name over the steps: see whether the loss falls, and whether training and validation part.

    `smooth` > 1 draws the running mean of that many values over a faint line of the values themselves.

    >>> ax = learning_curves({"training": [3, 2, 1], "validation": [3.1, 2.5, 2.4]}, log=True)
    """
    ax = _axes(ax)
    if log:
        ax.set_yscale("log")
    for name, values in _given("learning_curves", curves).items():
        y = _array(values).ravel()
        x = np.arange(len(y))
        if smooth > 1 and len(y) >= smooth:
            look = _next_look(ax)
            ax.plot(x, y, color=_COLOURS[look % 7], alpha=0.25, linewidth=1.2)
            y, x = np.convolve(y, np.full(smooth, 1 / smooth), mode="valid"), x[smooth - 1 :]
        _curve(ax, x, y, name)
    return _finish(ax, xlabel, ylabel, title)


@_in_style
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
    points, labels = _array(x), _array(y).ravel()
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
    labels = labels.astype(int)
    ax = _axes(ax, _SQUARE)
    across, up, grid = _grid(points, 0.1, 1e-9, resolution)
    with _no_grad():
        if pointwise:
            scores = np.stack([_array(predict(point)).ravel() for point in grid.tolist()])
        else:
            scores = _array(predict(grid)).reshape(len(grid), -1)
    if scores.shape[1] == 1:
        scores = np.concatenate([-scores, scores], axis=1)
    winner = scores.argmax(axis=1)
    classes = int(max(scores.shape[1], labels.max() + 1))
    colours = _class_colours(classes)
    for k in range(scores.shape[1]):
        # The lead over the best other class is smooth, and 0 on the boundary: better edges than from labels.
        lead = scores[:, k] - np.delete(scores, k, axis=1).max(axis=1)
        tie = 1e-9 * (np.nanmax(np.abs(lead)) or 1.0)
        lead = np.where(winner == k, np.maximum(lead, tie), np.minimum(lead, -tie)).reshape(resolution, -1)
        if (lead > 0).any():
            ax.contourf(across, up, lead, levels=[0, np.nanmax(lead) + 1], colors=[colours[k]], alpha=0.25)
        if (lead > 0).any() and (lead < 0).any():
            ax.contour(across, up, lead, levels=[0], colors="#333333", linewidths=1.0)
    _class_points(ax, points, labels, colours)
    ax.set_aspect("equal")
    ax.grid(False)
    return _finish(ax, xlabel, ylabel, title, legend=False)


@_in_style
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
    ax = _axes(ax, _SQUARE)
    across, up = np.linspace(*x, resolution), np.linspace(*y, resolution)
    values = np.array([[_at(f, float(a), float(b)) for a in across] for b in up])
    _level_lines(ax, across, up, values, levels)
    _paths(ax, _as_paths(paths or {}))
    ax.set(xlim=x, ylim=y)
    return _finish(ax, xlabel, ylabel, title, outside=True)


@_in_style
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
    ax = _axes(ax, _SQUARE)
    arrays = _as_paths(_given("optimizer_paths", paths))
    across, up, grid = _grid(np.concatenate(list(arrays.values())), 0.25, 0.1, resolution)
    grid = grid.reshape(resolution, resolution, 2)
    tensor = getattr(sys.modules.get("autograd_ref.tensor"), "Tensor", np.asarray)
    with _no_grad():
        values = _array(function(tensor(grid)))
    _level_lines(ax, across, up, values, levels)
    _paths(ax, arrays)
    return _finish(ax, xlabel, ylabel, title, outside=True)


@_in_style
def bars(
    values: Mapping[str, Any],
    *,
    xlabel: str = "",
    title: str = "",
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """A horizontal bar with its number for each name, the first on top: see how many times longer one is.

    `log` draws lengths on a logarithmic axis, where every value must be positive.

    >>> ax = bars({"central difference": 2000, "reverse mode": 1}, xlabel="evaluations", log=True)
    """
    numbers = {name: float(_array(value)) for name, value in _given("bars", values).items()}
    if log and min(numbers.values()) <= 0:
        worst = min(numbers, key=lambda name: numbers[name])
        raise ValueError(
            f"A logarithmic axis needs positive values, and '{worst}' is {numbers[worst]:g}: give log=False."
        )
    ax = _axes(ax, (_SIZE[0], 0.9 + 0.38 * len(numbers)))
    drawn = ax.barh(list(numbers), list(numbers.values()), color=_COLOURS[0], height=0.65)
    if log:
        ax.set_xscale("log")
    ax.bar_label(drawn, [_short(value) for value in numbers.values()], padding=4, fontsize=9)
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.margins(x=0.14)  # room for the numbers
    if not log:
        ax.axvline(0, color="#333333", linewidth=1.0)
    _finish(ax, xlabel, "", title, legend=False)
    ax.xaxis.set_major_formatter(lambda value, _: _short(value))  # as beside the bars
    return ax


@_in_style
def matrix(
    array: Any,
    *,
    title: str = "",
    annotate: bool = True,
    rows: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    limit: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A matrix (rows, columns) as coloured cells with their numbers: blue below 0, white at 0, orange above.

    `rows` and `columns` name them, otherwise they are counted from 0. `limit` is the size that gets the full
    colour, the largest one if you give none. Numbers that do not fit their cells give way to a colour bar.
    A vector is drawn as one row.

    >>> ax = matrix([[1, -2, 0], [0.5, 0, 3]], title="A", rows=["a", "b"])
    """
    from matplotlib.colors import LinearSegmentedColormap

    values = np.atleast_2d(_array(array))
    if values.ndim != 2 or not values.size:
        raise ValueError(f"matrix draws an array (rows, columns), and got shape {values.shape}.")
    height, width = values.shape
    for names, count, word in ((rows, height, "rows"), (columns, width, "columns")):
        if names is not None and len(names) != count:
            raise ValueError(f"The matrix has {count} {word}, and there are {len(names)} names for them.")
    if ax is None:
        cell = min(0.62, (_WIDTH - 1.0) / width, 6.0 / height)
        ax = _axes(None, (max(cell * width + 1.0, 2.2), max(cell * height + 0.9, 1.5)))
    finite = np.abs(values[np.isfinite(values)])
    limit = limit or (float(finite.max()) if finite.size else 0.0) or 1.0
    cmap = LinearSegmentedColormap.from_list("signed", [_NEGATIVE, _ZERO, _POSITIVE])
    ax.set_facecolor("#BBBBBB")  # of cells that are not finite
    image = ax.imshow(np.ma.masked_invalid(values), cmap=cmap, vmin=-limit, vmax=limit)
    texts = _cells(values)
    # A figure of text is about 0.62 of its size wide; the layout, made later, takes a little of the axes.
    room = 72 * 0.9 * min(ax.bbox.width / width, ax.bbox.height / height) / ax.figure.dpi
    if annotate and room >= max(14.0, 0.62 * 9 * max(len(text) for row in texts for text in row)):
        for (i, j), value in np.ndenumerate(values):
            dark = np.isfinite(value) and abs(value) > 0.75 * limit
            ink = "white" if dark else "black"
            ax.text(j, i, texts[i][j], ha="center", va="center", fontsize=9, color=ink)
    elif annotate:
        ax.figure.colorbar(image, ax=ax, shrink=0.8)
    for axis, names, count in ((ax.xaxis, columns, width), (ax.yaxis, rows, height)):
        step = 1 if names is not None else max(1, math.ceil(count / 12))
        ticks = range(0, count, step)
        axis.set_ticks(list(ticks), [str(k if names is None else names[k]) for k in ticks])
        axis.set_tick_params(length=0)
    if columns is not None and max(len(str(name)) for name in columns) > 5:
        ax.tick_params(axis="x", rotation=45)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    xlabel, ylabel = ("column" if columns is None else ""), ("row" if rows is None else "")
    return _finish(ax, xlabel, ylabel, title, legend=False)


@_in_style
def matrices(
    arrays: Mapping[str, Any],
    *,
    title: str = "",
    annotate: bool = True,
    rows: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    shared: bool = True,
) -> list[Axes]:
    """Several matrices side by side, each as `matrix` draws it: see which cells differ.

    `shared` gives one number the same colour in all of them. Returns a list of axes.

    >>> a, b = matrices({"A": [[1, 2], [3, 4]], "A transposed": [[1, 3], [2, 4]]})
    """
    import matplotlib.pyplot as plt

    named = {name: np.atleast_2d(_array(array)) for name, array in _given("matrices", arrays).items()}
    finite = [float(np.abs(a[np.isfinite(a)]).max(initial=0.0)) for a in named.values()]
    ratios = [a.shape[-1] for a in named.values()]
    cell = min(0.62, (_WIDTH - 0.7 * len(named)) / sum(ratios))
    width, deep = cell * sum(ratios) + 0.7 * len(named), max(cell * a.shape[0] for a in named.values())
    size = (width, max(deep + 0.9, 1.5) + 0.3 * bool(title))
    figure, sheet = plt.subplots(1, len(named), figsize=size, width_ratios=ratios, squeeze=False)
    if title:
        figure.suptitle(title)
    for ax, (name, array) in zip(sheet[0], named.items(), strict=True):
        limit = max(finite) if shared else None
        matrix(array, title=name, annotate=annotate, rows=rows, columns=columns, limit=limit, ax=ax)
    return list(sheet[0])


@_in_style
def images(
    array: Any, titles: Iterable[Any] | None = None, *, columns: int = 8, title: str = ""
) -> list[Axes]:
    """Small grey pictures (n, h, w), such as digits, the larger a number the darker: see what the data are.

    `titles` stand above them, one each; all pictures share one scale of grey.

    >>> axes = images(np.arange(18.0).reshape(2, 3, 3), ["first", "second"])
    """
    import matplotlib.pyplot as plt

    pictures = _array(array)
    if pictures.ndim != 3 or not len(pictures):
        raise ValueError(f"images draws an array (n, h, w), and got shape {pictures.shape}: reshape it.")
    captions = [""] * len(pictures) if titles is None else [str(text) for text in titles]
    if len(captions) != len(pictures):
        raise ValueError(f"There are {len(pictures)} images and {len(captions)} titles: give one for each.")
    across = min(columns, len(pictures))
    rows = math.ceil(len(pictures) / across)
    side = min(1.0, _WIDTH / across)
    lines_of_text = max(text.count("\n") + bool(text) for text in captions)
    size = (
        side * across,
        rows * (side * pictures.shape[1] / pictures.shape[2] + 0.17 * lines_of_text + 0.05),
    )
    figure, grid = plt.subplots(rows, across, figsize=(size[0], size[1] + 0.3 * bool(title)), squeeze=False)
    if title:
        figure.suptitle(title)
    for ax in grid.flat:
        ax.set_axis_off()
    for ax, picture, text in zip(grid.flat, pictures, captions, strict=False):
        ax.imshow(picture, cmap="Greys", vmin=np.nanmin(pictures), vmax=np.nanmax(pictures))
        ax.set_title(text, fontsize=9, pad=2)
    return list(grid.flat[: len(pictures)])


@_in_style
def histograms(
    values: Mapping[str, Any], bins: int = 50, *, title: str = "", xlabel: str = "value"
) -> Figure:
    """A histogram per name, such as one per layer's activations: see where units die (all zero) or saturate
    (all at the ends).

    `values` maps a name to numbers of any shape. The titles give mean and standard deviation; values that
    are not finite are counted there and not drawn. Returns the figure.

    >>> figure = histograms({"layer 1": np.linspace(-1, 1, 100), "layer 2": np.zeros(100)})
    """
    sheet = panels(len(_given("histograms", values)), columns=4, title=title, height=2.3)
    for ax, (name, numbers) in zip(sheet, values.items(), strict=True):
        array = _array(numbers).ravel()
        good = array[np.isfinite(array)]
        ax.hist(good, bins=bins, color=_COLOURS[0])
        about = f"mean {good.mean():.2g}, std {good.std():.2g}" if good.size else "no finite value"
        lost = f"\n{len(array) - len(good)} not finite" if len(good) < len(array) else ""
        ax.set_title(f"{name}\n{about}{lost}", fontsize=9)
        ax.set_yticks([])
        ax.grid(False)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(xlabel)
    figure: Any = sheet[0].figure  # typed as a Figure or a SubFigure, and never the second here
    return figure


activation_histograms = histograms


@_in_style
def layer_statistics(
    statistics: Mapping[str, Any],
    *,
    log: bool = True,
    title: str = "From layer to layer",
    xlabel: str = "layer",
    ylabel: str = "standard deviation",
    ax: Axes | None = None,
) -> Axes:
    """One number per layer, such as the standard deviation of its activations: see it stay level, die out or
    blow up on the way through the layers.

    Layers are counted from 1. Where `log`, a value of exactly 0 is a hollow triangle on the lower edge.

    >>> ax = layer_statistics({"too small": [0.5, 0.05, 0.005], "just right": [1.0, 1.1, 0.9]})
    """
    from matplotlib.ticker import MaxNLocator

    ax = _axes(ax)
    if log:
        ax.set_yscale("log")
    for name, values in _given("layer_statistics", statistics).items():
        y = _array(values).ravel()
        _curve(ax, np.arange(1, len(y) + 1), y, name, markers=True)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return _finish(ax, xlabel, ylabel, title)


# Numbers out of what is given ------------------------------------------------------------------------------------


def _array(values: Any) -> np.ndarray:
    """Numbers as an array of floats, from numbers, arrays, objects with `.data`, and lists of these."""
    if not isinstance(values, np.ndarray | np.generic | memoryview) and hasattr(values, "data"):
        values = values.data
    if isinstance(values, list | tuple) and not all(isinstance(v, int | float) for v in values):
        values = [_array(v) for v in values]
    return np.asarray(values, dtype=float)


def _at(function: Callable[..., Any], *numbers: float) -> float:
    """The function's value as a float, or NaN where it has none."""
    try:
        with np.errstate(all="ignore"):
            value = function(*numbers)
    except (ArithmeticError, ValueError):
        return math.nan
    return float(_array(value).reshape(()))


def _over(predict: Callable[[Any], Any], grid: np.ndarray) -> np.ndarray:
    """The predictions at all of the grid's points: in one call if `predict` takes arrays, or one by one."""
    with _no_grad():
        try:
            values = _array(predict(grid))
            if values.size == grid.size:
                return values.ravel()
        except Exception:  # a function of one float: called so below, it tells what is wrong with it
            pass
        return np.array([float(_array(predict(a)).reshape(())) for a in grid.tolist()])


def _grid(points: np.ndarray, share: float, least: float, resolution: int) -> tuple[np.ndarray, ...]:
    """Coordinates around the points, with a margin, and the points (resolution squared, 2) of their grid."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = share * (high - low) + least
    across, up = (np.linspace(a, b, resolution) for a, b in zip(low - margin, high + margin, strict=True))
    return across, up, np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)


def _no_grad() -> AbstractContextManager[None]:
    """The engine's `no_grad` if the engine is loaded: only then can anything be recorded."""
    modes = sys.modules.get("autograd_ref.modes")
    return modes.no_grad() if modes else nullcontext()


def _given(function: str, named: Mapping[str, Any]) -> Mapping[str, Any]:
    if not named:
        raise ValueError(f"{function} got nothing to draw: give it a dictionary with at least one name.")
    return named


def _short(value: float, digits: int = 3) -> str:
    """A number as a reader wants it in a figure.

    >>> [_short(v) for v in (2000.0, -1.0, 0.123456, 12345.6, 1e-9, float("nan"))]
    ['2,000', '-1', '0.123', '12,346', '1e-09', 'nan']
    """
    if math.isfinite(value) and value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.{digits}g}"


def _cells(values: np.ndarray) -> list[list[str]]:
    """The numbers of a matrix with as many decimals each, so that columns of them can be read.

    >>> _cells(np.array([[1.0, -2.0]])), _cells(np.array([[1.0, -0.123]])), _cells(np.array([[1e-5, 2e-6]]))
    ([['1', '-2']], [['1.00', '-0.12']], [['1e-05', '2e-06']])
    """
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max(initial=0.0))
    if (finite == np.round(finite)).all() and largest < 1e5:
        form = ".0f"
    elif 1e-3 <= largest < 1e5:
        form = f".{max(0, (2 if largest >= 1 else 1) - math.floor(math.log10(largest)))}f"
    else:
        form = ".0e"
    return [[f"{value:z{form}}" for value in row] for row in values]


# Parts of figures ------------------------------------------------------------------------------------------------


def _axes(ax: Axes | None, size: tuple[float, float] = _SIZE) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size)[1]


def _next_look(ax: Axes) -> int:
    """The number of curves that are there, so that a second call on the same axes goes on in the series."""
    return sum(not str(line.get_label()).startswith("_") for line in ax.lines)


def _curve(
    ax: Axes, x: np.ndarray, y: np.ndarray, name: str, markers: bool = False, look: int | None = None
) -> str:
    """Draw a labelled curve in the next look of the series; returns its colour."""
    look = (_next_look(ax) if look is None else look) % len(_COLOURS)
    colour = _COLOURS[look]
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
        linestyle=_DASHES[look],
        marker=_MARKERS[look] if markers else "",
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


def _finish(
    ax: Axes, xlabel: str, ylabel: str, title: str, legend: bool = True, outside: bool = False
) -> Axes:
    ax.set_title(title)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() == "log":
            _log_ticks(axis)
    if legend:
        _legend(ax, inside=not outside)
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


def _legend(ax: Axes, inside: bool = True, beside: bool = False) -> None:
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


def _class_colours(classes: int) -> list[Any]:
    from matplotlib import colormaps

    if classes <= len(_COLOURS):
        return list(_COLOURS[:classes])
    return [colormaps["viridis"](k / (classes - 1)) for k in range(classes)]


def _class_points(ax: Axes, points: np.ndarray, labels: np.ndarray, colours: list[Any]) -> None:
    """Points with a colour and a marker per class, and a legend of the classes."""
    from matplotlib.lines import Line2D
    from matplotlib.markers import MarkerStyle

    shapes = [MarkerStyle(_MARKERS[k % len(_MARKERS)]) for k in range(len(colours))]
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
    arrays = {name: _array(path) for name, path in paths.items()}
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
        look = _next_look(ax) % len(_COLOURS)
        colour = _COLOURS[look]
        style = {"color": colour, "linestyle": _DASHES[look], "marker": _MARKERS[look]}
        ax.plot(path[:, 0], path[:, 1], **style, markersize=3.5, linewidth=1.5, label=name)
        ax.plot(*path[0], "o", markersize=10, color=colour, fillstyle="none", markeredgewidth=1.5)
        ax.plot(*path[-1], "*", markersize=13, color=colour, markeredgecolor="white", zorder=4)
