"""Networks in motion: activations from layer to layer, filters and what is still misread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .moving import Movie, eased, movie
from .parts import finish
from .style import COLOURS, NEGATIVE, POSITIVE, WIDTH, ZERO, in_style, panels
from .values import at_least_one, numbers_of, short

_BINS = 41
_SHADES = 21
_GAP = 3  # between filters, in their own pixels


@in_style
def moving_layers(
    activations: Mapping[str, Sequence[Any]],
    *,
    limit: float = 1.0,
    title: str = "Activations, layer by layer",
    ylabel: str = "activation",
    between: int = 6,
) -> Movie:
    """Histograms of the activations of each layer, side by side, while something changes, such as the size of the first
    weights: see them shrink to a line, or crowd at the ends, and the standard deviations below fall or rise.

    `activations` maps a text for each moment, such as "weights × 0.5", to one array per layer, of any shape; `between`
    frames lead from one moment to the next. Histograms go from -`limit` to `limit`, and what lies outside counts at the
    ends. Numbers that are not finite are left out, and a standard deviation of 0 lies on the lower edge. The still
    picture is the middle one of the moments.

    >>> small, large = ([np.linspace(-s, s, 50)] * 3 for s in (0.1, 1.0))
    >>> moving_layers({"small": small, "large": large}, between=2).told
    'Standard deviations of layers 1 to 3. small: from 0.0589 to 0.0589. large: from 0.589 to 0.589.'
    """
    # Long, because each moment and the still picture are drawn from the same numbers on the same axes.
    from matplotlib.ticker import MaxNLocator

    names = list(at_least_one("moving_layers", activations))
    moments = [[_finite(layer) for layer in layers] for layers in activations.values()]
    count = len(moments[0])
    if any(len(layers) != count for layers in moments):
        raise ValueError("Every moment needs as many layers: they stand side by side.")
    edges = np.linspace(-limit, limit, _BINS + 1)
    middles = (edges[:-1] + edges[1:]) / 2
    widths = np.array([[_histogram(layer, edges) for layer in layers] for layers in moments])
    spreads = np.array([[layer.std() if layer.size else np.nan for layer in layers] for layers in moments])
    top, bottom = panels(2, columns=1, height=2.2)
    finish(top, "", ylabel, title, legend=False)
    top.set(xlim=(0.3, count + 0.7), ylim=(-1.08 * limit, 1.08 * limit))
    bottom.set_yscale("log")
    positive = spreads[spreads > 0] if (spreads > 0).any() else np.ones(1)
    edge = positive.min() / 2
    drawn = np.where(spreads > 0, spreads, edge)
    bottom.set(xlim=(0.3, count + 0.7), ylim=(edge, positive.max() * 2))
    finish(bottom, "layer", "standard deviation", "", legend=False)
    for ax in (top, bottom):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    layer_numbers = np.arange(1, count + 1)

    def draw(k: int, share: float) -> str:
        there = min(k + 1, len(moments) - 1)
        now = widths[k] + share * (widths[there] - widths[k])
        for layer, width in enumerate(now, start=1):
            top.fill_betweenx(
                middles,
                layer - width,
                layer + width,
                where=_with_neighbours(width > 0),
                color=COLOURS[0],
                antialiased=False,  # whose many shades would make the picture twice as large
                linewidth=0.8,
                zorder=3,
            )
        logs = np.log(drawn[k]) + share * (np.log(drawn[there]) - np.log(drawn[k]))
        bottom.plot(layer_numbers, np.exp(logs), "o-", color=COLOURS[1], label="standard deviation")
        return names[k if share < 0.5 else there]

    def frame(moment: int) -> str:
        k, share = divmod(moment, between)
        # Each moment stands still for a while.
        return draw(k, eased(max(0.0, 2 * share / between - 1)))

    said = [
        f"{n}: from {short(s[0])} to {short(s[-1])}." for n, s in zip(names, spreads.tolist(), strict=True)
    ]
    told = f"Standard deviations of layers 1 to {count}. {' '.join(said)}"
    frames = (len(moments) - 1) * between + 1
    still = len(moments) // 2
    return movie([top, bottom], frame, frames, still=lambda: draw(still, 0.0), told=told, rate=12)


@in_style
def moving_filters(
    filters: Any,
    pictures: Any,
    labels: Any,
    answers: Any,
    *,
    steps: Sequence[int] | None = None,
    unit: str = "step",
    names: Sequence[Any] | None = None,
    across: int | None = None,
    columns: int = 24,
    between: int = 2,
) -> Movie:
    """What a network looks for while it is trained, and what it still misreads: see filters come out of noise, and
    the dark digits on orange, which are read wrongly, become few.

    `filters` (moments, n, h, w) are weights at some moments, orange where ink speaks for a unit, blue where it speaks
    against, each moment's largest in full colour; `names` stand over them, `across` in a row. `pictures` (m, h, w) are
    digits with `labels` (m,), and `answers` (moments, m) what is read then; `columns` stand in a row. `steps` numbers
    the moments, from 0 if you give none, and `unit` says of what. The still picture is the last moment.

    >>> filters = np.linspace(-1, 1, 16).reshape(2, 2, 2, 2)
    >>> shown = moving_filters(filters, np.ones((3, 2, 2)), [0, 1, 2], [[0, 0, 0], [0, 1, 0]], columns=3)
    >>> shown.told
    'Of 3 digits, misread after step 0: 2; 1: 1. The 2 filters come out of noise meanwhile.'
    """
    # Long, because each moment and the still picture are drawn from the same numbers on the same axes.
    from matplotlib.colors import LinearSegmentedColormap

    weights, images = numbers_of(filters), numbers_of(pictures)
    wrong = np.asarray(answers) != np.asarray(labels)
    if weights.ndim != 4 or images.ndim != 3 or wrong.shape != (len(weights), len(images)):
        raise ValueError(
            f"moving_filters needs filters (moments, n, h, w), pictures (m, h, w), m labels and answers (moments, m), "
            f"and got {weights.shape}, {images.shape}, {np.shape(labels)} and {np.shape(answers)}."
        )
    numbers = list(range(len(weights))) if steps is None else list(steps)
    import matplotlib.pyplot as plt

    across = across or round(np.sqrt(weights.shape[1]))
    largest = np.quantile(np.abs(weights), 0.99, axis=(1, 2, 3), keepdims=True)
    weights = weights / np.where(largest > 0, largest, 1.0)
    first = _tiled(weights[0], across, np.nan, gap=_GAP), _tiled(images, columns, 1.0)
    ratios = [first[0].shape[1] / (first[0].shape[0] + _GAP), first[1].shape[1] / first[1].shape[0]]
    height = min(3.6, (WIDTH - 0.4) / sum(ratios))
    size = (height * sum(ratios) + 0.4, height + 0.45)
    _, (left, right) = plt.subplots(1, 2, figsize=size, width_ratios=ratios)
    scale = LinearSegmentedColormap.from_list("signed", [NEGATIVE, ZERO, POSITIVE], N=_SHADES)
    signed = scale.with_extremes(bad=(1, 1, 1, 0))  # names stand there
    right.set_title(f"{len(images)} held-out digits")
    for ax, sheet in zip((left, right), first, strict=True):
        ax.set_axis_off()
        ax.grid(False)
        ax.imshow(sheet).remove()  # so that it knows its limits
    left.set_ylim(top=-1.0 - _GAP)
    ink = images / (images.max() or 1.0)
    # Read rightly: a faint digit on white. Misread: a black one on orange.
    white, orange, black, grey = (
        np.array(c) for c in ((1, 1, 1), (1, 0.72, 0.3), (0, 0, 0), (0.78, 0.8, 0.83))
    )
    plain = white + ink[..., None] * (grey - white)
    marked = orange + ink[..., None] * (black - orange)

    def draw(k: int, share: float) -> str:
        there = min(k + 1, len(weights) - 1)
        now = weights[k] + share * (weights[there] - weights[k])
        left.imshow(
            _tiled(now, across, np.nan, gap=_GAP), cmap=signed, vmin=-1, vmax=1, interpolation="nearest"
        )
        seen = np.where(wrong[k][:, None, None, None], marked, plain)
        sheet = np.stack([_tiled(seen[..., c], columns, 1.0) for c in range(3)], axis=-1)
        right.imshow(sheet, interpolation="nearest")
        return f"{unit} {numbers[k]}: {wrong[k].sum()} misread"

    for k, name in enumerate(names or ()):
        row, column = divmod(k, across)
        place = column * (weights.shape[3] + _GAP) - 0.5, row * (weights.shape[2] + _GAP) - 0.8
        left.text(*place, str(name), fontsize=9, va="bottom")

    def frame(moment: int) -> str:
        k, share = divmod(moment, between)
        return draw(k, share / between)

    told_of = sorted({round(k) for k in np.linspace(0, len(numbers) - 1, 6)})
    said = "; ".join(f"{numbers[k]}: {wrong[k].sum()}" for k in told_of)
    told = f"Of {len(images)} digits, misread after {unit} {said}. "
    told += f"The {weights.shape[1]} filters come out of noise meanwhile."
    return movie([right, left], frame, (len(weights) - 1) * between + 1, told=told, rate=10)


def _finite(layer: Any) -> np.ndarray:
    values = numbers_of(layer).ravel()
    return values[np.isfinite(values)]


def _histogram(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Half the width of a layer's shape at each height, 0.42 where it is widest."""
    counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0].astype(float)
    return 0.42 * counts / (counts.max() or 1.0)


def _with_neighbours(there: np.ndarray) -> np.ndarray:
    """What is there, and what is next to it: where a shape of one height ends."""
    wide: np.ndarray = np.convolve(there, np.ones(3), "same") > 0
    return wide


def _tiled(pictures: np.ndarray, columns: int, ground: float, gap: int = 1) -> np.ndarray:
    """Pictures (n, h, w) as one, in rows of so many, with lines of `ground` between them."""
    n, height, width = pictures.shape
    rows = -(-n // columns)
    sheet = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap), ground)
    for k, picture in enumerate(pictures):
        row, column = divmod(k, columns)
        top, side = row * (height + gap), column * (width + gap)
        sheet[top : top + height, side : side + width] = picture
    return sheet
