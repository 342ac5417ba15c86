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


@proves("06_shapes_and_matmul", "Left: a handwritten 5.", "The network sees an 8.")
def test_a_little_ink_makes_an_8_of_a_5(solved: Any) -> None:
    names = solved("06_shapes_and_matmul", demonstrations=True)
    assert "load_digits()[0][763, 0]" in picture_of("06_shapes_and_matmul") and names["labels"][763] == 5
    (shown,) = typed("06_shapes_and_matmul")
    shown = shown.reshape(8, 8) / 100
    assert np.abs(shown - (names["changed"] - names["five"])).max() < 0.00501
    five = names["images"][763]
    assert 763 in names["held_out"] and names["your_scores"](five).argmax() == 5
    assert names["your_scores"](five + shown).argmax() == 8
    assert f"added: {shown.min()} to {shown.max()}" in picture_of("06_shapes_and_matmul")
    # Drawn as they are: no number is below 0 or above 1.
    assert (five + shown).min() > -0.005 and (five + shown).max() < 1.005


@proves("06_shapes_and_matmul", "A network that reads 9 of 10 digits rightly sees a 5, too.")
def test_nine_of_ten_digits_that_it_has_not_seen_are_right(solved: Any) -> None:
    assert 0.9 < solved("06_shapes_and_matmul", demonstrations=True)["share"] < 1


@proves(
    "09_optimizers",
    "A valley, steep across and almost flat along its floor, and twenty steps of three optimizers from the ring "
    "towards (0, 0).",
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
