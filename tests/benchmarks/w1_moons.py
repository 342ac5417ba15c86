"""W1: the scalar `Value` on micrograd's own demo: an MLP 2-16-16-1 on 100 points of two moons, one
full-batch step.

The network, the hinge loss and the regularisation are those of micrograd's notebook (A. Karpathy, 2020),
written once for any class of scalars. There is no floor here: the goal is to be at least six times as fast
as micrograd.
"""

import importlib.util
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from .timing import compare, interleave

REQUIRED = 6.0
SIZES = (2, 16, 16, 1)


def program(value: Any) -> tuple[Callable[[], Any], list[Any]]:
    """A step of the demo (forward, backward, update) with this class of scalars, and its parameters."""
    from autograd_ref.data import moons

    rng = np.random.default_rng(1)
    x, y = moons(100)
    points, signs = x.tolist(), (2 * y - 1).tolist()
    layers = [
        [([value(w) for w in rng.uniform(-1, 1, n_in).tolist()], value(0.0)) for _ in range(n_out)]
        for n_in, n_out in pairwise(SIZES)
    ]
    parameters = [p for layer in layers for weights, bias in layer for p in (*weights, bias)]

    def model(values: list[Any]) -> Any:
        for i, layer in enumerate(layers):
            sums = [sum((w * v for w, v in zip(ws, values, strict=True)), b) for ws, b in layer]
            values = [s.relu() for s in sums] if i < len(layers) - 1 else sums
        return values[0]

    def step() -> Any:
        scores = [model(point) for point in points]
        losses = [(1 + -sign * score).relu() for sign, score in zip(signs, scores, strict=True)]
        total = sum(losses) * (1.0 / len(losses)) + 1e-4 * sum(p * p for p in parameters)
        for p in parameters:
            p.grad = 0.0
        total.backward()
        for p in parameters:
            p.data -= 1e-3 * p.grad
        return total

    return step, parameters


def print_row() -> bool:
    """Measure and print; False if the goal was missed. Without micrograd or `autograd_ref.scalar`, say so."""
    missing = [m for m in ("micrograd", "autograd_ref.scalar") if importlib.util.find_spec(m) is None]
    if missing:
        print(f"W1 moons demo with scalars: not measured, {' and '.join(missing)} cannot be imported")
        return True
    from micrograd.engine import Value as Theirs

    from autograd_ref.scalar import Value as Ours

    (ours, p), (theirs, q) = program(Ours), program(Theirs)
    first = {"loss": np.array(ours().data), "gradients": np.array([v.grad for v in p])}
    compare("W1", first, {"loss": np.array(theirs().data), "gradients": np.array([v.grad for v in q])}, 1e-9)
    seconds = interleave({"ours": ours, "theirs": theirs}, rounds=5, slice_seconds=0.1)
    ratio = float(np.median(seconds["theirs"] / seconds["ours"]))
    print(
        f"W1 moons demo with scalars: ours {np.median(seconds['ours']) * 1e3:.0f} ms, "
        f"micrograd {np.median(seconds['theirs']) * 1e3:.0f} ms, "
        f"{ratio:.1f} times as fast (required {REQUIRED:.0f})"
    )
    return ratio >= REQUIRED
