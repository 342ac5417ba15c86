"""The picture at the top of a notebook shows typed numbers, for nothing is solved there yet: here they are computed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from . import notebook, proves


def picture_of(unit: str) -> str:
    """The source of the cell that draws the first picture."""
    (source,) = (cell.source for cell in notebook(unit).cells if cell.id == "figure_goal")
    return str(source)


def typed(unit: str) -> list[np.ndarray]:
    """The tables of numbers that stand in it as texts."""
    texts = re.findall(r'"""(.*?)"""', picture_of(unit), re.DOTALL)
    return [np.array(text.split(), dtype=float) for text in texts]


@proves(
    "01_derivatives",
    "The curves are one parabola at four moments of its training: it starts flat at 0, and step by step it learns "
    "where the ball was.",
)
def test_the_parabola_at_four_moments_of_its_training(solved: Any) -> None:
    names = solved("01_derivatives")

    def loss(p: np.ndarray) -> float:
        return float(names["mean_squared_error"](names["polynomial"](p, names["seconds"]), names["metres"]))

    path = names["gradient_descent"](lambda p: names["array_gradient"](loss, p, 1e-5), np.zeros(3), 0.4, 300)
    curves = re.findall(
        r'"after (\d+) steps": lambda t: ([\d.]+) \+ ([\d.]+) \* t - ([\d.]+) \* t\*\*2',
        picture_of("01_derivatives"),
    )
    assert [int(steps) for steps, *_ in curves] == [10, 30, 300]
    for steps, a, b, c in curves:
        assert path[int(steps)].round(2).tolist() == [float(a), float(b), -float(c)]


@proves(
    "04_scalar_networks",
    "What to see: the border that it draws, at first and after 20 and 80 steps of training.",
)
def test_the_border_at_first_and_after_20_and_80_steps(solved: Any) -> None:
    from autograd_ref.data import moons

    names = solved("04_scalar_networks")
    points, labels = moons(100, noise=0.1, seed=0)
    targets = [1 if label else -1 for label in labels.tolist()]
    network = names["MLP"]([2, 8, 8, 1], seed=5)
    parameters = network.parameters()
    optimizer = names["SGD"](parameters, rate=1.0)
    shown = dict(zip((20, 80), typed("04_scalar_networks"), strict=True))
    for step in range(81):
        if step in shown:
            assert np.abs(shown[step] - [p.data for p in parameters]).max() < 0.00501
        names["training_step"](optimizer, lambda: names["loss_on"](network, points.tolist(), targets))


@proves("06_shapes_and_matmul", 'On the right, the gradient of the network\'s score for "3" by each pixel.')
def test_the_gradient_by_each_pixel(solved: Any) -> None:
    names = solved("06_shapes_and_matmul", demonstrations=True)
    g = np.eye(10)[[3]]
    dx = names["two_layer_rule"](g, g, names["features"][[45]], *names["weights"])[0]
    found = 100 * names["to_pixels"](dx, names["images"][[45]])[0]
    (shown,) = typed("06_shapes_and_matmul")
    assert np.abs(shown.reshape(8, 8) - found).max() < 0.51
    assert names["labels"][45] == 3


@proves(
    "09_optimizers",
    "A valley, steep across and almost flat along its floor (mind the scales), and twenty steps of three optimizers "
    "from the ring towards the minimum at (0, 0).",
)
def test_twenty_steps_of_three_optimizers(solved: Any) -> None:
    names = solved("09_optimizers")
    zero = np.zeros(2)

    def adam(p: Any, g: Any, m: Any, v: Any, t: int) -> Any:
        return (*names["adam_step"](p, g, m, v, t, 0.3, (0.8, 0.99)), t + 1)

    paths = [
        names["path_of"](lambda p, g: (names["sgd_step"](p, g, 0.07),)),
        names["path_of"](lambda p, g, v: names["momentum_step"](p, g, v, 0.02, 0.8), (zero,)),
        names["path_of"](adam, (zero, zero, 1)),
    ]
    for found, shown in zip(paths, typed("09_optimizers"), strict=True):
        assert found == pytest.approx(shown.reshape(21, 2), abs=0.00501)
