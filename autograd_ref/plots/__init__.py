"""All figures of the course, in one style. Each function draws on an axes (a new one if you give none) and
returns it; a list of axes where there are several panels.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> left, right = panels(2)
    >>> ax = lines({"x squared": ([0, 1, 2], [0, 1, 4])}, xlabel="x", ylabel="y", ax=left)
    >>> ax = bars({"forward mode": 1000, "reverse mode": 1}, title="Passes", log=True, ax=right)

Curves differ by colour, by dashes and by marker, so that a grey print can be read. Values may be numbers,
arrays, or anything with its numbers in `.data`, such as a Tensor or a student's Value.

What begins with `moving_` gives a `Movie`, a still picture with a moving one in a fold under it: show it as the last
line of a cell. `movie` makes one of whatever you draw frame by frame.

This package imports nothing of the engine: a unit in which students may not use the engine's Tensor still
draws. matplotlib is imported when a figure is drawn, and its settings are left as they were.
"""

from .amounts import activation_histograms, bars, histograms
from .arrays import images, matrices, matrix
from .curves import error_against_step, fit, functions, layer_statistics, learning_curves, lines
from .motion_curves import moving_fits, moving_tangent
from .motion_networks import moving_filters, moving_layers
from .motion_planes import moving_boundary, moving_paths
from .moving import Movie, movie
from .planes import contour, decision_boundary, optimizer_paths
from .style import panels

__all__ = [
    "Movie",
    "activation_histograms",
    "bars",
    "contour",
    "decision_boundary",
    "error_against_step",
    "fit",
    "functions",
    "histograms",
    "images",
    "layer_statistics",
    "learning_curves",
    "lines",
    "matrices",
    "matrix",
    "movie",
    "moving_boundary",
    "moving_filters",
    "moving_fits",
    "moving_layers",
    "moving_paths",
    "moving_tangent",
    "optimizer_paths",
    "panels",
]
