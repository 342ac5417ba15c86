"""Padding in PyTorch's manner: the widths begin at the last axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_ref import ops

#: How NumPy names what PyTorch calls so.
_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(x: Any, pad: Sequence[int], mode: str = "constant", value: float = 0.0) -> Any:
    """`x` with a border: `pad` is (before, after) of the last axis, then of the one before it, and so on.

    `mode` fills it with `value` ("constant"), with the mirrored elements ("reflect"), the last one ("replicate") or
    those of the other end ("circular"). Negative widths cut off. `ops.pad` takes NumPy's widths. Raises ValueError for
    widths that are no pairs or that do not fit.

    >>> pad(np.array([[1.0, 2.0]]), (1, 2))
    array([[0., 1., 2., 0., 0.]])
    >>> pad(np.array([1.0, 2.0, 3.0]), (1, 1), "reflect")
    array([2., 1., 2., 3., 2.])
    """
    x, widths = ops.shaped(x), [int(n) for n in pad]
    if len(widths) % 2 or len(widths) > 2 * x.ndim:
        raise ValueError(
            f"'pad' needs pairs (before, after) for the last axes, at most {x.ndim} of them, not {tuple(widths)}."
        )
    pairs = [(0, 0)] * (x.ndim - len(widths) // 2) + list(zip(widths[-2::-2], widths[::-2], strict=True))
    if any(n + min(before, 0) + min(after, 0) < 0 for n, (before, after) in zip(x.shape, pairs, strict=True)):
        raise ValueError(f"'pad' cannot cut {tuple(widths)} off shape {x.shape}: there is less.")
    if mode == "constant":
        if any(n < 0 for n in widths):
            x = ops.getitem(x, tuple(_inner(n, *pair) for n, pair in zip(x.shape, pairs, strict=True)))
            pairs = [(max(before, 0), max(after, 0)) for before, after in pairs]
        return ops.pad(x, pairs, value) if any(map(any, pairs)) else ops.clone(x)
    if mode not in _MODES:
        raise ValueError(f"mode is 'constant', 'reflect', 'replicate' or 'circular', not {mode!r}.")
    for axis, pair in enumerate(pairs):
        if any(pair):
            x = ops.take(x, _places(x.shape[axis], pair, mode), axis)
    return x if any(map(any, pairs)) else ops.clone(x)


def _inner(n: int, before: int, after: int) -> slice:
    """What negative widths leave of an axis."""
    return slice(max(-before, 0), n - max(-after, 0))


def _places(n: int, pair: tuple[int, int], mode: str) -> np.ndarray:
    """The positions along an axis that stand in the border and between."""
    left = np.arange(n)[_inner(n, *pair)]
    most = {"reflect": n - 1, "circular": n}.get(mode, max(pair) if n else 0)
    if max(pair) > most or not left.size:
        raise ValueError(
            f"'pad' in mode {mode!r} has at most {most} elements for a border of an axis of {n}."
        )
    return np.pad(left, [max(width, 0) for width in pair], mode=_MODES[mode])  # type: ignore[call-overload]
