"""Numbers out of what is given to a figure: arrays, tensors, a student's values, functions; and numbers as text."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np


def numbers_of(values: Any) -> np.ndarray:
    """Numbers as an array of floats, from numbers, arrays, objects with `.data`, and lists of these."""
    if not isinstance(values, np.ndarray | np.generic | memoryview) and hasattr(values, "data"):
        values = values.data
    if isinstance(values, list | tuple) and not all(isinstance(v, int | float) for v in values):
        values = [numbers_of(v) for v in values]
    return np.asarray(values, dtype=float)


def value_at(function: Callable[..., Any], *numbers: float) -> float:
    """The function's value as a float, or NaN where it has none."""
    try:
        with np.errstate(all="ignore"):
            value = function(*numbers)
    except (ArithmeticError, ValueError):
        return math.nan
    return float(numbers_of(value).reshape(()))


def values_over(predict: Callable[[Any], Any], grid: np.ndarray) -> np.ndarray:
    """The predictions at all of the grid's points: in one call if `predict` takes arrays, or one by one."""
    with no_grad():
        try:
            values = numbers_of(predict(grid))
            if values.size == grid.size:
                return values.ravel()
        except Exception:  # a function of one float: called so below, it tells what is wrong with it
            pass
        return np.array([float(numbers_of(predict(a)).reshape(())) for a in grid.tolist()])


def grid_around(points: np.ndarray, share: float, least: float, resolution: int) -> tuple[np.ndarray, ...]:
    """Coordinates around the points, with a margin, and the points (resolution squared, 2) of their grid."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = share * (high - low) + least
    across, up = (np.linspace(a, b, resolution) for a, b in zip(low - margin, high + margin, strict=True))
    return across, up, np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)


def no_grad() -> AbstractContextManager[None]:
    """The engine's `no_grad` if the engine is loaded: only then can anything be recorded."""
    modes = sys.modules.get("autograd_ref.modes")
    return modes.no_grad() if modes else nullcontext()


def at_least_one(function: str, named: Mapping[str, Any]) -> Mapping[str, Any]:
    if not named:
        raise ValueError(f"{function} got nothing to draw: give it a dictionary with at least one name.")
    return named


def short(value: float, digits: int = 3) -> str:
    """A number as a reader wants it in a figure.

    >>> [short(v) for v in (2000.0, -1.0, 0.123456, 12345.6, 1e-9, float("nan"))]
    ['2,000', '-1', '0.123', '12,346', '1e-09', 'nan']
    """
    if math.isfinite(value) and value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.{digits}g}"


def cells(values: np.ndarray) -> list[list[str]]:
    """The numbers of a matrix with as many decimals each, so that columns of them can be read.

    >>> cells(np.array([[1.0, -2.0]])), cells(np.array([[1.0, -0.123]])), cells(np.array([[1e-5, 2e-6]]))
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
