"""Toy problems in the plane and on the line, made up from a seed.

The classifications return `x` of shape (n, 2), float64, and labels `y` of shape (n,), int64. `noise` is the
standard deviation of a normal disturbance of every coordinate. The same seed gives the same numbers.
"""

from __future__ import annotations

import numpy as np

Labelled = tuple[np.ndarray, np.ndarray]


def xor(n: int | None = None, noise: float = 0.0, seed: int = 0) -> Labelled:
    """The exclusive or: the four corners of the unit square, or `n` points that take turns around them.

    The smallest problem that no linear classifier solves (Minsky and Papert 1969).

    >>> xor()[1]
    array([0, 1, 1, 0])
    """
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    count = 4 if n is None else _positive("n", n)
    which = np.arange(count) % 4
    x = corners[which]
    return _disturbed(x, noise, seed), (x[:, 0] != x[:, 1]).astype(np.int64)


def circles(n: int = 200, noise: float = 0.05, factor: float = 0.5, seed: int = 0) -> Labelled:
    """A circle of radius 1 (label 0) around one of radius `factor` (label 1).

    >>> x, y = circles(100, noise=0.0)
    >>> bool(np.allclose(np.hypot(*x[y == 1].T), 0.5))
    True
    """
    if not 0 < factor < 1:
        raise ValueError(f"factor is the radius of the inner circle and lies between 0 and 1, not {factor}.")
    y = np.arange(_positive("n", n)) % 2
    angle = 2 * np.pi * np.arange(n) / n
    radius = np.where(y == 0, 1.0, factor)[:, None]
    x = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return _disturbed(x, noise, seed), y.astype(np.int64)


def moons(n: int = 200, noise: float = 0.1, seed: int = 0) -> Labelled:
    """Two half circles that reach into one another.

    >>> x, y = moons(100)
    >>> x.shape, int(y.sum())
    ((100, 2), 50)
    """
    y = np.arange(_positive("n", n)) % 2
    angle = np.pi * np.arange(n) / max(n - 1, 1)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    return _disturbed(np.where(y[:, None] == 0, upper, lower), noise, seed), y.astype(np.int64)


def spirals(n: int = 300, arms: int = 3, turns: float = 0.8, noise: float = 0.03, seed: int = 0) -> Labelled:
    """`arms` spirals that wind `turns` times around the origin, one class each, with radii up to 1.

    After the spirals of the Stanford course CS231n.

    >>> x, y = spirals(90, arms=5)
    >>> np.bincount(y)
    array([18, 18, 18, 18, 18])
    """
    y = np.arange(_positive("n", n)) % _positive("arms", arms)
    radius = (np.arange(n) // arms + 1) / -(-n // arms)
    angle = 2 * np.pi * (turns * radius + y / arms)
    x = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return _disturbed(x, noise, seed), y.astype(np.int64)


def sine(n: int = 100, noise: float = 0.1, seed: int = 0) -> Labelled:
    """Points of the sine on [-pi, pi], for regression: `x` and `y` of shape (n, 1); only `y` is disturbed.

    >>> x, y = sine(5, noise=0.0)
    >>> y.round(2).ravel() + 0.0
    array([ 0., -1.,  0.,  1.,  0.])
    """
    x = np.linspace(-np.pi, np.pi, _positive("n", n))[:, None]
    return x, _disturbed(np.sin(x), noise, seed)


def _positive(name: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{name} is a count and must be at least 1, not {value}.")
    return value


def _disturbed(x: np.ndarray, noise: float, seed: int) -> np.ndarray:
    if noise < 0:
        raise ValueError(f"noise is a standard deviation and cannot be negative, as {noise} is.")
    return x + noise * np.random.default_rng(seed).standard_normal(x.shape)
