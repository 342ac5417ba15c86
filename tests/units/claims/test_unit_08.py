"""What unit 08 says of first weights, of what a module finds, and of its predictions."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from . import printed_by, proves

UNIT = "08_layers"


@proves(
    UNIT,
    "Each layer multiplies the size of the numbers by about the same factor, with PyTorch's default by about 0.4.",
    "In three layers that is a fifteenth, in fifty nothing is left of the input, nor of the gradients.",
)
def test_fifty_of_pytorchs_relu_layers_leave_nothing_and_three_leave_a_fifteenth(torch: ModuleType) -> None:
    torch.manual_seed(0)
    first = x = torch.randn(200, 128, requires_grad=True)
    sizes = []
    for _ in range(50):
        x = torch.relu(torch.nn.Linear(128, 128, bias=False)(x))
        sizes.append(float((x**2).mean().sqrt().detach()))
    factors = np.divide(sizes[1:], sizes[:-1])
    assert np.prod(factors) ** (1 / 49) == pytest.approx(0.4, abs=0.03)
    assert factors.min() > 0.3 and factors.max() < 0.55
    assert sizes[2] == pytest.approx(1 / 15, rel=0.2)
    x.backward(torch.ones_like(x))
    assert sizes[-1] < 1e-18 and float((first.grad**2).mean().sqrt()) < 1e-15


@proves(
    UNIT,
    "With weights drawn around 0 the last part is 0 on average, and only the squares add up.",
    "So take the *rms*, the root of the mean square.",
    "Where the mean is 0, it is the std; behind a relu it is larger, and from layer to layer both grow by the same "
    "factor.",
)
@pytest.mark.parametrize("std", [0.15, 0.2, 0.25])
def test_rms_and_std_grow_by_the_same_factor_and_mixed_terms_cancel(std: float) -> None:
    rng = np.random.default_rng(5)
    for drawn in (rng.normal(size=(2, 100_000)), rng.exponential(size=(2, 100_000)) - 1):
        first, second = drawn * std * [[1.5], [-0.7]]  # times two inputs that are what they are
        assert abs((2 * first * second).mean()) < 0.02 * std**2
        assert ((first + second) ** 2).mean() == pytest.approx((first**2 + second**2).mean(), rel=0.02)
    x, found = rng.normal(size=(500, 100)), []
    for _ in range(12):
        x = np.maximum(x @ rng.normal(0.0, std, (100, 100)).T, 0.0)
        found.append((x.std(), np.sqrt((x**2).mean())))
    assert found[-1][1] > 1.1 * found[-1][0]
    of_std, of_rms = (np.array(found)[-1] / np.array(found)[0]) ** (1 / 11)
    assert of_std == pytest.approx(of_rms, rel=0.02)
    assert of_rms == pytest.approx(math.sqrt(100 / 2) * std, rel=0.08)


@proves(UNIT, 'PyTorch\'s `calculate_gain("tanh")`, 5/3, makes up for that.')
def test_pytorchs_gain_for_tanh_keeps_the_size_of_xaviers_weights(torch: ModuleType, solved: Any) -> None:
    gain, names = torch.nn.init.calculate_gain("tanh"), solved(UNIT)
    assert gain == pytest.approx(5 / 3)
    stds = {}
    for factor in (1.0, gain):
        rng = np.random.default_rng(0)
        weights = [factor * names["xavier_uniform"](50, 50, rng) for _ in range(60)]
        stds[factor] = names["layer_stds"](rng.normal(size=(500, 50)), weights, np.tanh)
    assert stds[1.0][59] < 0.8 * stds[1.0][19] and stds[1.0][19] < 0.35 * stds[1.0][0]
    assert 0.8 * stds[gain][0] < min(stds[gain]) and stds[gain][59] > 0.9 * stds[gain][19]


@proves(
    UNIT,
    "PyTorch [keeps it](https://github.com/pytorch/pytorch/issues/1667) so that old programs go on as before.",
)
def test_pytorchs_default_is_still_uniform_up_to_one_over_the_root_of_fan_in(torch: ModuleType) -> None:
    """In that issue of 2017 the default is asked about, and refused a change in 2019, for the sake of old programs."""
    torch.manual_seed(0)
    layer = torch.nn.Linear(300, 400)
    for parameter in (layer.weight, layer.bias):
        sizes = abs(parameter.detach().numpy()) * math.sqrt(300)
        assert sizes.max() <= 1 + 1e-6 and sizes.max() > 0.98
        assert (sizes**2).mean() == pytest.approx(1 / 3, rel=0.1)


@proves(
    UNIT,
    "The start hardly matters any more.",
    "Tiny ones may fail: beside $\\epsilon$ the variances of std 0.0001 are nothing.",
)
def test_a_start_far_below_the_root_of_eps_stays_where_it_is_in_spite_of_the_norm(solved: Any) -> None:
    names = solved(UNIT)
    ones, zeros = names["Tensor"](np.ones(50)), names["Tensor"](np.zeros(50))
    ends = {}
    for std in (0.0001, 0.02):
        weights = names["deep"](names["normal"](std))
        ends[std] = names["learn"](weights, steps=150, norm=lambda h: names["layer_norm"](h, ones, zeros))[-1]
    assert ends[0.02] < 0.15 and ends[0.0001] > 0.5
    assert 50 * 0.0001**2 < 0.1 * 1e-5  # of 50 inputs of rms 1


@proves(
    UNIT,
    "Forty layers with LayerNorm have 160 arrays, and training needs a list of all.",
    "**Predict, then run.** 40 blocks of 4 Parameters in a `Sequential`: how many of the 160 would `owned` find if it "
    "did not ask Modules again?",
)
def test_forty_blocks_have_160_parameters_none_of_them_an_attribute_of_the_whole(solved: Any) -> None:
    said = printed_by(UNIT, solved(UNIT), "with it:")
    assert "without: 0\n" in said and "with it: 160 Parameters" in said
    assert "still in training mode after eval(): 0\n" in said


def test_what_is_predicted_of_the_first_network_is_clear_of_the_other_answers(solved: Any) -> None:
    names = solved(UNIT)
    for seed in range(5):
        out, _ = names["outputs"](names["deep"](names["pytorch_uniform"], seed))
        assert out.data.std() < 1e-7
    for rate in (0.0005, 5.0):
        losses = names["learn"](names["deep"](names["pytorch_uniform"]), rate)
        assert losses[-1] == pytest.approx(losses[0], abs=1e-4)


def test_all_starts_learn_with_the_norm_from_other_seeds_too(solved: Any) -> None:
    names = solved(UNIT)
    ones, zeros = names["Tensor"](np.ones(50)), names["Tensor"](np.zeros(50))
    for start in (names["pytorch_uniform"], names["normal"](0.5)):
        weights = names["deep"](start, 7)
        losses = names["learn"](weights, steps=150, norm=lambda h: names["layer_norm"](h, ones, zeros))
        assert losses[-1] < 0.15 < losses[0]


@proves(
    UNIT,
    "If the weights of a layer begin equal, so do the rows of their gradients:",
    "Every step keeps them equal: the layer remains one neuron.",
)
def test_equal_neurons_stay_equal(solved: Any) -> None:
    names = solved(UNIT)
    weights = names["deep"](lambda fan_in, fan_out, rng: np.full((fan_out, fan_in), 1 / fan_in))
    losses = names["learn"](weights, steps=20)
    assert losses[-1] < losses[0]
    for weight in weights[:-1]:
        assert np.ptp(weight.data, axis=0).max() < 1e-12
