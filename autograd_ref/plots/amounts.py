"""How much and how often: bars and histograms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .parts import finish
from .style import COLOURS, SIZE, axes_for, in_style, panels
from .values import at_least_one, numbers_of, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@in_style
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
    numbers = {name: float(numbers_of(value)) for name, value in at_least_one("bars", values).items()}
    if log and min(numbers.values()) <= 0:
        worst = min(numbers, key=lambda name: numbers[name])
        raise ValueError(
            f"A logarithmic axis needs positive values, and '{worst}' is {numbers[worst]:g}: give log=False."
        )
    ax = axes_for(ax, (SIZE[0], 0.9 + 0.38 * len(numbers)))
    drawn = ax.barh(list(numbers), list(numbers.values()), color=COLOURS[0], height=0.65)
    if log:
        ax.set_xscale("log")
    ax.bar_label(drawn, [short(value) for value in numbers.values()], padding=4, fontsize=9)
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.margins(x=0.14)  # room for the numbers
    if not log:
        ax.axvline(0, color="#333333", linewidth=1.0)
    finish(ax, xlabel, "", title, legend=False)
    ax.xaxis.set_major_formatter(lambda value, _: short(value))  # as beside the bars
    return ax


@in_style
def histograms(
    values: Mapping[str, Any], bins: int = 50, *, title: str = "", xlabel: str = "value"
) -> Figure:
    """A histogram per name, such as one per layer's activations: see where units die (all zero) or saturate
    (all at the ends).

    `values` maps a name to numbers of any shape. The titles give mean and standard deviation; values that
    are not finite are counted there and not drawn. Returns the figure.

    >>> figure = histograms({"layer 1": np.linspace(-1, 1, 100), "layer 2": np.zeros(100)})
    """
    sheet = panels(len(at_least_one("histograms", values)), columns=4, title=title, height=2.3)
    for ax, (name, numbers) in zip(sheet, values.items(), strict=True):
        array = numbers_of(numbers).ravel()
        good = array[np.isfinite(array)]
        ax.hist(good, bins=bins, color=COLOURS[0])
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
