"""Curves over a line: of functions, of errors, of fits, of training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .parts import add_curve, add_legend, finish, next_look
from .style import COLOURS, axes_for, in_style, panels
from .values import at_least_one, numbers_of, value_at, values_over

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@in_style
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
    ax = axes_for(ax)
    if "x" in log:
        ax.set_xscale("log")
    if "y" in log:
        ax.set_yscale("log")
    for name, pair in at_least_one("lines", curves).items():
        if len(pair) != 2:
            raise ValueError(f"A curve is a pair (x, y), and '{name}' has {len(pair)} parts.")
        x, y = (numbers_of(values).ravel() for values in pair)
        if len(x) != len(y):
            raise ValueError(f"'{name}' has {len(x)} values of x and {len(y)} of y: give as many of each.")
        add_curve(ax, x, y, name, markers)
    return finish(ax, xlabel, ylabel, title)


@in_style
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
        sheet = [axes_for(ax)]
    else:
        sheet = panels(2, title=title) if ax is None else list(ax)
    looks: dict[str, int] = {}  # a function and its slope look the same
    for one, (side, group) in zip(sheet, sides, strict=True):
        for name, function in at_least_one("functions", group).items():
            y = np.array([value_at(function, float(a)) for a in x])
            if not np.isfinite(y).any():
                raise ValueError(f"'{name}' has no finite value between {low} and {high}: draw it elsewhere.")
            add_curve(one, x, y, name, look=looks.setdefault(name, len(looks)))
        heading = title if slopes is None else side
        finish(one, xlabel, side if slopes is None else "", heading, legend=slopes is None)
    if slopes is None:
        return sheet[0]
    add_legend(sheet[1], inside=False, beside=True)
    return sheet


@in_style
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
    ax = axes_for(ax)
    ax.set_xscale("log")
    ax.set_yscale("log")
    h = numbers_of(steps).ravel()
    for name, values in at_least_one("error_against_step", errors).items():
        y = np.abs(numbers_of(values).ravel())
        if len(y) != len(h):
            raise ValueError(
                f"There are {len(h)} steps, and '{name}' has {len(y)} errors: give one for each."
            )
        order = np.argsort(h)
        best = int(np.nanargmin(y)) if np.isfinite(y).any() else None
        label = name if best is None else f"{name}: smallest at {h[best]:.0e}"
        colour = add_curve(ax, h[order], y[order], label, markers=True)
        if best is not None and y[best] > 0:
            ax.plot(h[best], y[best], "o", markersize=12, color=colour, fillstyle="none", markeredgewidth=1.8)
    return finish(ax, xlabel, ylabel, title)


@in_style
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
    ax = axes_for(ax)
    across, up = numbers_of(x).ravel(), numbers_of(y).ravel()
    if len(across) != len(up) or not len(across):
        raise ValueError(
            f"fit needs a y for each x, and got {len(across)} x and {len(up)} y: give as many of each."
        )
    ax.scatter(across, up, s=22, color="#666666", zorder=3, label="data")
    margin = 0.05 * (across.max() - across.min()) or 0.5
    grid = np.linspace(across.min() - margin, across.max() + margin, 201)
    for k, (name, predict) in enumerate(models.items()):
        add_curve(ax, grid, values_over(predict, grid), name, look=k)
    return finish(ax, xlabel, ylabel, title)


@in_style
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
    ax = axes_for(ax)
    if log:
        ax.set_yscale("log")
    for name, values in at_least_one("learning_curves", curves).items():
        y = numbers_of(values).ravel()
        x = np.arange(len(y))
        if smooth > 1 and len(y) >= smooth:
            look = next_look(ax)
            ax.plot(x, y, color=COLOURS[look % 7], alpha=0.25, linewidth=1.2)
            y, x = np.convolve(y, np.full(smooth, 1 / smooth), mode="valid"), x[smooth - 1 :]
        add_curve(ax, x, y, name)
    return finish(ax, xlabel, ylabel, title)


@in_style
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

    ax = axes_for(ax)
    if log:
        ax.set_yscale("log")
    for name, values in at_least_one("layer_statistics", statistics).items():
        y = numbers_of(values).ravel()
        add_curve(ax, np.arange(1, len(y) + 1), y, name, markers=True)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(ax, xlabel, ylabel, title)
