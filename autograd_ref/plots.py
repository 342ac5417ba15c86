"""Figures for the course. Each function draws on an axes (a new one if you give none) and returns it.

This is the only module that imports matplotlib, and it does so when a figure is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_ref.modes import no_grad
from autograd_ref.tensor import Tensor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def learning_curves(
    curves: Mapping[str, Sequence[float]], ax: Axes | None = None, log: bool = False, smooth: int = 1
) -> Axes:
    """One line per name over the steps: see whether the loss falls, and whether training and validation part.

    `smooth` > 1 draws the running mean of that many values over a faint line of the values themselves.
    """
    ax = _axes(ax)
    for name, values in curves.items():
        array = np.asarray(values, dtype=float)
        if smooth > 1 and len(array) >= smooth:
            (line,) = ax.plot(array, alpha=0.25)
            mean = np.convolve(array, np.full(smooth, 1 / smooth), mode="valid")
            ax.plot(np.arange(smooth - 1, len(array)), mean, color=line.get_color(), label=name)
        else:
            ax.plot(array, label=name)
    ax.set_xlabel("step")
    if log:
        ax.set_yscale("log")
    ax.legend()
    return ax


def decision_boundary(
    predict: Callable[[np.ndarray], Any],
    x: np.ndarray,
    y: np.ndarray,
    ax: Axes | None = None,
    resolution: int = 150,
) -> Axes:
    """The regions of the plane by predicted class, with the points on top: see which points lie in the
    wrong region.

    `predict` maps points (n, 2) to scores (n, classes), of which the largest wins, or to one logit (n,) or
    (n, 1), positive for class 1; a model will do. `x` has shape (n, 2) and `y` (n,) integer labels.
    """
    if x.ndim != 2 or x.shape[1] != 2:
        raise ValueError(f"decision_boundary draws points of the plane, (n, 2), and x has shape {x.shape}.")
    ax = _axes(ax)
    low, high = x.min(axis=0), x.max(axis=0)
    margin = 0.1 * (high - low) + 1e-9
    across, up = (np.linspace(a, b, resolution) for a, b in zip(low - margin, high + margin, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    with no_grad():
        scores = _array(predict(grid)).reshape(len(grid), -1)
    label = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
    classes = int(max(label.max(), np.max(y))) + 1
    levels = np.arange(classes + 1) - 0.5
    ax.contourf(across, up, label.reshape(resolution, resolution), levels=levels, alpha=0.3, cmap="viridis")
    ax.scatter(x[:, 0], x[:, 1], c=y, cmap="viridis", vmin=0, vmax=classes - 1, edgecolors="white", s=25)
    ax.set_aspect("equal")
    return ax


def optimizer_paths(
    function: Callable[[Tensor], Tensor],
    paths: Mapping[str, Any],
    ax: Axes | None = None,
    resolution: int = 120,
    levels: int = 25,
) -> Axes:
    """Paths of optimizers on the level lines of a function of the plane: see who zigzags and who goes
    straight.

    `function` maps a tensor (..., 2) to (...,); every path is an array (steps, 2).
    """
    ax = _axes(ax)
    arrays = {name: _array(path) for name, path in paths.items()}
    for name, path in arrays.items():
        if path.ndim != 2 or path.shape[1] != 2:
            raise ValueError(f"A path is an array (steps, 2), and '{name}' has shape {path.shape}.")
    points = np.concatenate(list(arrays.values()))
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.25 * (high - low) + 0.1
    across, up = (np.linspace(a, b, resolution) for a, b in zip(low - margin, high + margin, strict=True))
    with no_grad():
        values = _array(function(Tensor(np.stack(np.meshgrid(across, up), axis=-1))))
    lowest = values.min()
    ax.contour(across, up, np.log1p(values - lowest), levels=levels, cmap="Greys", linewidths=0.7)
    for name, path in arrays.items():
        ax.plot(path[:, 0], path[:, 1], marker=".", markersize=4, linewidth=1.2, label=name)
    ax.legend()
    return ax


def activation_histograms(activations: Mapping[str, Any], bins: int = 50) -> Figure:
    """A histogram per layer, side by side: see where units die (all zero) or saturate (all at the ends).

    `activations` maps a layer's name to its output, of any shape. The titles give mean and standard
    deviation.
    """
    import matplotlib.pyplot as plt

    if not activations:
        raise ValueError("activation_histograms got no activations to draw.")
    count = len(activations)
    figure, row = plt.subplots(1, count, figsize=(2.6 * count, 2.4), squeeze=False, constrained_layout=True)
    for ax, (name, values) in zip(row[0], activations.items(), strict=True):
        array = _array(values).ravel()
        ax.hist(array, bins=bins)
        ax.set_title(f"{name}\nmean {array.mean():.2g}, std {array.std():.2g}", fontsize=9)
        ax.set_yticks([])
    return figure


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(5, 4), constrained_layout=True)[1]


def _array(values: Any) -> np.ndarray:
    return np.asarray(values.data if isinstance(values, Tensor) else values)
