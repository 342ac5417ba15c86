"""Arrays as they are: matrices in coloured cells, small pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .parts import finish
from .style import NEGATIVE, POSITIVE, WIDTH, ZERO, axes_for, in_style
from .values import at_least_one, cells, numbers_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@in_style
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

    values = np.atleast_2d(numbers_of(array))
    if values.ndim != 2 or not values.size:
        raise ValueError(f"matrix draws an array (rows, columns), and got shape {values.shape}.")
    height, width = values.shape
    for names, count, word in ((rows, height, "rows"), (columns, width, "columns")):
        if names is not None and len(names) != count:
            raise ValueError(f"The matrix has {count} {word}, and there are {len(names)} names for them.")
    if ax is None:
        cell = min(0.62, (WIDTH - 1.0) / width, 6.0 / height)
        ax = axes_for(None, (max(cell * width + 1.0, 2.2), max(cell * height + 0.9, 1.5)))
    finite = np.abs(values[np.isfinite(values)])
    limit = limit or (float(finite.max()) if finite.size else 0.0) or 1.0
    cmap = LinearSegmentedColormap.from_list("signed", [NEGATIVE, ZERO, POSITIVE])
    ax.set_facecolor("#BBBBBB")  # of cells that are not finite
    image = ax.imshow(np.ma.masked_invalid(values), cmap=cmap, vmin=-limit, vmax=limit)
    if annotate and not _write_numbers(ax, values, limit):
        ax.figure.colorbar(image, ax=ax, shrink=0.8)
    _name_cells(ax, values.shape, rows, columns)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    xlabel, ylabel = ("column" if columns is None else ""), ("row" if rows is None else "")
    return finish(ax, xlabel, ylabel, title, legend=False)


@in_style
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

    named = {
        name: np.atleast_2d(numbers_of(array)) for name, array in at_least_one("matrices", arrays).items()
    }
    finite = [float(np.abs(a[np.isfinite(a)]).max(initial=0.0)) for a in named.values()]
    ratios = [a.shape[-1] for a in named.values()]
    cell = min(0.62, (WIDTH - 0.7 * len(named)) / sum(ratios))
    width, deep = cell * sum(ratios) + 0.7 * len(named), max(cell * a.shape[0] for a in named.values())
    size = (width, max(deep + 0.9, 1.5) + 0.3 * bool(title))
    figure, sheet = plt.subplots(1, len(named), figsize=size, width_ratios=ratios, squeeze=False)
    if title:
        figure.suptitle(title)
    for ax, (name, array) in zip(sheet[0], named.items(), strict=True):
        limit = max(finite) if shared else None
        matrix(array, title=name, annotate=annotate, rows=rows, columns=columns, limit=limit, ax=ax)
    return list(sheet[0])


@in_style
def images(
    array: Any, titles: Iterable[Any] | None = None, *, columns: int = 8, title: str = ""
) -> list[Axes]:
    """Small grey pictures (n, h, w), such as digits, the larger a number the darker: see what the data are.

    `titles` stand above them, one each; all pictures share one scale of grey.

    >>> axes = images(np.arange(18.0).reshape(2, 3, 3), ["first", "second"])
    """
    import matplotlib.pyplot as plt

    pictures = numbers_of(array)
    if pictures.ndim != 3 or not len(pictures):
        raise ValueError(f"images draws an array (n, h, w), and got shape {pictures.shape}: reshape it.")
    captions = [""] * len(pictures) if titles is None else [str(text) for text in titles]
    if len(captions) != len(pictures):
        raise ValueError(f"There are {len(pictures)} images and {len(captions)} titles: give one for each.")
    across = min(columns, len(pictures))
    rows = math.ceil(len(pictures) / across)
    side = min(1.0, WIDTH / across)
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


def _write_numbers(ax: Axes, values: np.ndarray, limit: float) -> bool:
    """Write each number into its cell if all of them fit; returns whether they do."""
    texts = cells(values)
    height, width = values.shape
    # A figure of text is about 0.62 of its size wide; the layout, made later, takes a little of the axes.
    room = 72 * 0.9 * min(ax.bbox.width / width, ax.bbox.height / height) / ax.figure.dpi
    if room < max(14.0, 0.62 * 9 * max(len(text) for row in texts for text in row)):
        return False
    for (i, j), value in np.ndenumerate(values):
        dark = np.isfinite(value) and abs(value) > 0.75 * limit
        ink = "white" if dark else "black"
        ax.text(j, i, texts[i][j], ha="center", va="center", fontsize=9, color=ink)
    return True


def _name_cells(
    ax: Axes, shape: tuple[int, ...], rows: Sequence[Any] | None, columns: Sequence[Any] | None
) -> None:
    """Names or numbers of rows and columns along the matrix."""
    height, width = shape
    for axis, names, count in ((ax.xaxis, columns, width), (ax.yaxis, rows, height)):
        step = 1 if names is not None else max(1, math.ceil(count / 12))
        ticks = range(0, count, step)
        axis.set_ticks(list(ticks), [str(k if names is None else names[k]) for k in ticks])
        axis.set_tick_params(length=0)
    if columns is not None and max(len(str(name)) for name in columns) > 5:
        ax.tick_params(axis="x", rotation=45)
