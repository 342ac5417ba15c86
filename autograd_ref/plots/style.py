"""How figures look: the course's colours, dashes, markers and sizes, whatever the reader's settings are."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from .described import give_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_P = ParamSpec("_P")
_R = TypeVar("_R")
#: Okabe and Ito's palette without its yellow, which is too pale for lines on white: https://jfly.uni-koeln.de/color/
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1.2, 1.4)),
    (0, (6, 2, 1.2, 2)),
    (0, (3, 1.5)),
    (0, (8, 2, 2, 2)),
    (0, (1, 3)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
NEGATIVE, ZERO, POSITIVE = "#0072B2", "#FFFFFF", "#D55E00"
WIDTH = 8.2  # inches of a row of panels: what fits the page of a notebook at 90 pixels to the inch
SIZE = (6.2, 3.5)
SQUARE = (5.4, 4.0)
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


def in_style(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """Draw with the course's settings, whatever the reader's are, and put the reader's back."""

    @functools.wraps(draw)
    def styled(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        import matplotlib.style

        interactive = matplotlib.is_interactive()
        try:
            with matplotlib.style.context("default"), matplotlib.rc_context(_STYLE):
                try:
                    drawn = draw(*args, **kwargs)
                    give_words(drawn)
                    return drawn
                finally:
                    interactive = matplotlib.is_interactive()
        finally:
            # A notebook's backend comes with the first figure, and says here that it shows what is drawn.
            matplotlib.interactive(interactive)

    return styled


@in_style
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
    width = SIZE[0] if across == 1 else WIDTH
    figure, grid = plt.subplots(rows, across, figsize=(width, rows * height), squeeze=False)
    for spare in grid.flat[n:]:
        spare.remove()
    if title:
        figure.suptitle(title)
    return list(grid.flat[:n])


def axes_for(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size)[1]
