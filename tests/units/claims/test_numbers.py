"""Numbers in the notebooks' prose, each computed here, by the unit's own functions where there are some."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from . import proves

# -- 00 -----------------------------------------------------------------------------------------------------------


@proves("00_start_here", "Prices 2.5, 4 and 0.5 with counts 4, 3 and 6 make 10 + 12 + 3 = 25.")
@proves("00_start_here", "At x = 3 it is 7 + 0 + 18 = 25.")
def test_the_worked_examples_of_unit_00(solved: Any) -> None:
    names = solved("00_start_here")
    assert names["total_price"]([2.5, 4, 0.5], [4, 3, 6]) == 10 + 12 + 3 == 25
    assert names["Polynomial"]([7, 0, 2])(3) == 7 + 0 + 18 == 25


# -- 02 and 03 ----------------------------------------------------------------------------------------------------


@proves(
    "02_forward_mode",
    "The sum rises by 0.002 and the product by about 0.013: slopes of 2 and 13.",
    "`da * db`: the slope of a product is not the product of the slopes. -6 in the place of 21: each slope was "
    "multiplied by its own number.",
)
def test_how_far_a_sum_and_a_product_rise(solved: Any) -> None:
    (a, da), (b, db) = (2.0, 3.0), (5.0, -1.0)
    assert (a + 0.001 * da) + (b + 0.001 * db) - (a + b) == pytest.approx(0.002)
    assert (a + 0.001 * da) * (b + 0.001 * db) - a * b == pytest.approx(0.013, abs=5e-6)
    assert solved("02_forward_mode")["mul_jvp"](a, da, b, db) == (10.0, 13.0)
    assert solved("02_forward_mode")["mul_jvp"](2.0, 3.0, 8.0, -1.5) == (16.0, 21.0)  # its first example
    assert 2.0 * 3.0 + 8.0 * -1.5 == -6.0


@proves("02_forward_mode", "At 1.6 its error is 0; elsewhere the rounding of floats remains.")
def test_the_error_of_forward_mode_is_that_of_floats(solved: Any) -> None:
    derivative = solved("02_forward_mode")["derivative"]

    def error(x: float) -> float:
        right = (2 * x**3 + 3 * x**2) / (1 + x) ** 2
        return abs(derivative(lambda x: x * x * x / (1 + x), x) - right) / right

    assert error(1.6) == 0.0
    errors = [error(x) for x in np.linspace(0.1, 10.0, 997).tolist()]
    assert 0.2 < np.mean(np.array(errors) > 0) < 0.8
    assert max(errors) < 1e-15


@proves(
    "02_forward_mode",
    "Without air, and from the ground, 45 degrees are best.",
    "The farthest throw is low: air takes most from a long flight, and a roof gives time to fly.",
)
def test_air_and_a_roof_make_the_best_throw_a_lower_one(solved: Any) -> None:
    names = solved("02_forward_mode")

    def best(drag: float, hand: float) -> float:
        angle = names["best_angle"](lambda angle: names["landing"](20.0, angle, drag, hand))
        return math.degrees(angle)

    assert best(0.0, 0.0) == pytest.approx(45.0, abs=0.5)
    assert best(0.02, 6.0) < min(best(0.02, 0.0), best(0.0, 6.0)) < max(best(0.02, 0.0), best(0.0, 6.0)) < 44


@pytest.mark.parametrize("roof", [(20.0, 0.02, 6.0), (14.0, 0.005, 1.8), (27.0, 0.035, 11.0)])
def test_the_landing_has_no_kinks_so_newton_on_its_slope_finds_the_best_throw_too(
    solved: Any, roof: tuple[float, float, float]
) -> None:
    names, (speed, *rest) = solved("02_forward_mode"), roof

    def reach(angle: Any) -> Any:
        return names["landing"](speed, angle, *rest)

    def slope(angle: Any) -> Any:
        return names["derivative"](reach, angle)

    angle = 0.7
    for _ in range(8):
        angle = names["newton_step"](slope, angle)
    assert angle == pytest.approx(names["best_angle"](reach), abs=2e-4)  # half of what 12 halvings leave
    slopes = [slope(0.1 + 0.005 * k) for k in range(261)]
    assert all(a > b for a, b in itertools.pairwise(slopes[40:]))


@proves(
    "03_reverse_mode",
    "Here `x` is multiplied by itself until it is `x ** 10000`, with the derivative `10000 * x ** 9999`.",
)
def test_a_power_of_ten_thousand(solved: Any) -> None:
    names = solved("03_reverse_mode")
    x = names["Value"](1.0001)
    product = x
    for _ in range(9_999):
        product = product * x
    names["backpropagate"](product)
    assert x.grad == pytest.approx(10_000 * 1.0001**9_999, rel=1e-9)


@proves(
    "03_reverse_mode",
    "But Python stops nested calls at a limit, 1,000 unless you raise it, and long computations are deeper:",
)
def test_python_stops_nested_calls_at_1_000() -> None:
    ask = "import sys, ipykernel.kernelapp; print(sys.getrecursionlimit())"
    limit = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert limit.stdout.strip() == "1000"


# -- 04 and 05 ----------------------------------------------------------------------------------------------------


@proves(
    "04_scalar_networks",
    "With the weights 0.5 and -1, the bias 1.4 and the inputs 3 and 2, the sum is 0.9 and the neuron says tanh(0.9) = "
    "0.716.",
    "A margin of 2 costs 0.127, a margin of -2 costs 2.127: being sure and wrong is expensive.",
)
def test_a_neuron_and_its_loss(solved: Any) -> None:
    names = solved("04_scalar_networks")
    assert round(names["neuron"]((0.5, -1.0, 1.4), 3.0, 2.0), 3) == round(math.tanh(0.9), 3) == 0.716
    assert [round(names["margin_loss"]([s], [1]), 3) for s in (2.0, -2.0)] == [0.127, 2.127]


@proves(
    "04_scalar_networks",
    "A gradient from 10 points costs a tenth of one from 100, and the average over all batches is the full one.",
)
def test_the_mean_over_small_batches_is_the_whole_gradient(solved: Any) -> None:
    from autograd_ref.data import moons

    names = solved("04_scalar_networks")
    points, labels = moons(100, noise=0.1, seed=0)
    inputs, targets = points.tolist(), [1 if label else -1 for label in labels.tolist()]
    network = names["MLP"]([2, 4, 1], seed=5)
    optimizer = names["SGD"](network.parameters(), rate=1.0)

    def gradient_on(chosen: Any) -> tuple[list[float], int]:
        optimizer.zero_grad()
        loss = names["loss_on"](network, [inputs[i] for i in chosen], [targets[i] for i in chosen])
        loss.backward()
        return [p.grad for p in network.parameters()], names["kept_alive"]([loss])

    whole, work = gradient_on(range(100))
    tens = [gradient_on(range(i, i + 10)) for i in range(0, 100, 10)]
    mean = [sum(column) / 10 for column in zip(*(gradient for gradient, _ in tens), strict=True)]
    assert mean == pytest.approx(whole, abs=1e-12)
    parameters = len(network.parameters())
    assert all(10 * (ten - parameters) == pytest.approx(work - parameters, rel=0.01) for _, ten in tens)


@proves("04_scalar_networks", "The loop that learned the moons fails here.")
def test_the_loop_of_the_moons_fails_on_an_island(solved: Any) -> None:
    import random

    names = solved("04_scalar_networks")
    points, targets = names["island"](random.Random(2), 80)
    network = names["MLP"]([2, 8, 8, 1], seed=5)
    optimizer = names["SGD"](network.parameters(), rate=1.0)
    for _ in range(40):
        names["training_step"](optimizer, lambda: names["loss_on"](network, points, targets))
    assert names["count_right"](network, points, targets) < 60


@proves("05_tensors", "The true values: 3.72e-44 (float32: 3.78e-44), 2.1e-09 and 1.")
@proves(
    "05_tensors",
    "The first lies under yours, and fails at -88; the second fails at 88; the third loses digit after digit on the "
    "left.",
)
def test_three_formulas_of_the_sigmoid(solved: Any) -> None:
    names = solved("05_tensors", demonstrations=True)
    assert f"{names['sigmoid'](np.array(-100.0)):.2e}" == "3.72e-44"
    assert f"{np.float32(math.exp(-100)):.2e}" == f"{names['sigmoid'](np.float32(-100)):.2e}" == "3.78e-44"
    assert f"{names['sigmoid'](np.array(-20.0)):.1e}" == "2.1e-09"

    first, second, third = names["FORMULAS"].values()
    with np.errstate(all="ignore"):
        assert first(np.float32(-88)) > 0 == first(np.float32(-89))
        assert np.isfinite(second(np.float32(88))) and np.isnan(second(np.float32(89)))
        errors = [abs(third(np.float32(a)) * (1 + math.exp(-a)) - 1) for a in (-4, -8, -12, -20)]
    assert errors == sorted(errors) and errors[-1] == 1.0


# -- 07 to 10 -----------------------------------------------------------------------------------------------------


@proves(
    "07_losses",
    "Off by 0.919: the square root of 2π is missing.",
    "With 50,000 classes the matrix has 2.5 billion entries.",
    "The second is wrong from its fourth digit on: float32 holds about seven, and 10000.69 spends five before the "
    "point.",
    "If your first loss is far from it, look for an error before you train.",
    "| 10 classes: the loss stays above 1.46 | softmax in the network *and* in the loss |",
)
def test_the_numbers_of_the_losses() -> None:
    assert round(math.log(math.sqrt(2 * math.pi)), 3) == 0.919
    assert 50_000**2 == 2.5e9
    assert round(10_000 + math.log(2), 2) == 10000.69 and f"{-math.log(2):.3f}" == "-0.693" == "-0.693359"[:6]
    assert f"{math.log(10):.4f}" == "2.3026" and round(math.log(10), 1) == 2.3
    assert 1.46 < math.log(math.e + 9) - 1 < 1.47  # all of the probability on the right class


@proves(
    "08_layers",
    "With weights drawn around 0 the last part is 0 on average, and only the squares add up.",
)
def test_a_layer_s_factor_is_that_of_the_mean_square() -> None:
    rng = np.random.default_rng(5)
    for inputs in (
        rng.normal(size=(4000, 100)),
        np.abs(rng.normal(size=(4000, 100))),
        rng.random((4000, 100)) + 3,
    ):
        weights = rng.normal(0.0, 0.2, (400, 100))
        rms = np.sqrt((inputs**2).mean())
        out = inputs @ weights.T
        assert np.sqrt((out**2).mean()) == pytest.approx(math.sqrt(100) * 0.2 * rms, rel=0.05)
    centred = rng.normal(size=100_000)
    assert centred.std() == pytest.approx(np.sqrt((centred**2).mean()), rel=1e-3)


@proves(
    "08_layers",
    "**LayerNorm** sets the scale in every step: it brings each example, each row of `x`, to mean 0 and variance 1.",
)
def test_layer_norm_gives_1_unless_eps_outweighs_the_variance(solved: Any) -> None:
    from autograd_ref import Tensor

    norm = solved("08_layers")["layer_norm"]
    x = np.random.default_rng(0).normal(size=(500, 128))
    ones, zeros = Tensor(np.ones(128)), Tensor(np.zeros(128))
    for size in (100.0, 0.1, 3e-3, 1e-3, 1e-4):
        expected = size / math.sqrt(size**2 + 1e-5)
        assert norm(Tensor(size * x), ones, zeros).data.std() == pytest.approx(expected, rel=0.01)


@proves("08_layers", "All numbers positive: `rng.uniform(a)` goes from a to 1.")
def test_uniform_with_one_argument_goes_from_there_to_1() -> None:
    numbers = np.random.default_rng(0).uniform(0.2, size=10_000)
    assert 0.2 <= numbers.min() < 0.21 and 0.99 < numbers.max() < 1.0


@proves("10_training", "if the names differ, it raises a `KeyError`, before it changes anything.")
def test_a_refused_state_leaves_the_model_as_it_was(solved: Any) -> None:
    names = solved("10_training")
    layer = names["nn"].Linear(2, 3)
    before = names["state_dict"](layer)
    with pytest.raises(KeyError):
        names["load_state_dict"](layer, {"weight": np.zeros((3, 2)), "other": np.zeros(3)})
    assert all((p.data == before[n]).all() for n, p in layer.named_parameters())


@proves(
    "10_training",
    "Batches of 2 and 1 with losses 10 and 9 give (2 · 10 + 9) / 3 = 9.67, not 9.5: the small batch counts less.",
    "w = 3.8 in place of 2.8: the first batch's gradient is still there.",
    "A loss of 9.5: each batch counted alike.",
)
def test_an_epoch_by_hand(solved: Any) -> None:
    from autograd_ref import nn, optim

    assert round((2 * 10 + 9) / 3, 2) == 9.67 and (10 + 9) / 2 == 9.5

    class Line(nn.Module):
        def __init__(self) -> None:
            self.w = nn.Parameter(np.zeros(1))

        def forward(self, x: Any) -> Any:
            return self.w * x

    class Forgetful(optim.SGD):
        def zero_grad(self, *args: Any, **kwargs: Any) -> None:
            pass

    x, cut = np.array([1.0, 2.0, 3.0]), [np.array([0, 1]), np.array([2])]
    ends = []
    for kind in (optim.SGD, Forgetful):
        model = Line()
        solved("10_training")["train_epoch"](
            model, kind(model.parameters(), lr=0.1), lambda out, y: ((out - y) ** 2).mean(), x, 2 * x, cut
        )
        ends.append(model.w.data[0])
    assert ends == pytest.approx([2.8, 3.8])


@proves("10_training", "Add `1e-12` *under* the root.", "After it, it would not change the slope.")
def test_what_is_added_under_the_root_keeps_the_gradient_finite(solved: Any) -> None:
    from autograd_ref import Tensor

    b, ends = np.array([[0.0, 0.0], [1.0, 1.0]]), []
    for under, after in ((1e-12, 0.0), (0.0, 1e-12)):
        a = Tensor([[3.0, 4.0], [1.0, 1.0]], requires_grad=True)
        with np.errstate(all="ignore"):
            (((((a - b) ** 2).sum(axis=1) + under).sqrt() + after).mean()).backward()
        ends.append(a.grad.data)
    assert ends[0] == pytest.approx(np.array([[0.3, 0.4], [0.0, 0.0]]), abs=1e-5)
    assert np.isnan(ends[1][1]).all()
