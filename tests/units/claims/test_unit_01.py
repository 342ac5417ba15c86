"""What unit 01 says of slopes, chance, rounding and tides, computed by its own functions."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from . import notebook, proves


@proves(
    "01_derivatives",
    "`f` rises from 9 to 9.61, by 0.61 in a step of 0.1.",
    "To both sides: from 8.41 to 9.61, a rise of 1.2 over a distance of 0.2.",
)
def test_the_slopes_of_a_square(solved: Any) -> None:
    names = solved("01_derivatives")
    assert [x**2 for x in (3.0, 3.1, 2.9)] == pytest.approx([9, 9.61, 8.41])
    assert names["forward_difference"](lambda x: x**2, 3.0, 0.1) == pytest.approx(6.1)
    assert names["central_difference"](lambda x: x**2, 3.0, 0.1) == pytest.approx(1.2 / 0.2)


@proves(
    "01_derivatives",
    "The forward rule is off by $3xh + h^2$, for small steps in proportion to $h$: **order 1**.",
    "It is off by $h^2$: order 2.",
)
def test_the_errors_for_a_cube(solved: Any) -> None:
    names = solved("01_derivatives")
    for x, h in ((2.0, 0.5), (-1.5, 0.25), (0.75, 2.0)):
        off = {
            rule: names[f"{rule}_difference"](lambda x: x**3, x, h) - 3 * x**2
            for rule in ("forward", "central")
        }
        assert off == pytest.approx({"forward": 3 * x * h + h**2, "central": h**2}, rel=1e-9)


@proves(
    "01_derivatives",
    "**Predict, then run.** What is the forward difference of $x^2$ at 3 with a step of $10^{-16}$?",
    "A float keeps about 16 digits, and `3 + 1e-16` needs more.",
    "This error is about $10^{-16}\\, |f(x)| / h$: it *grows* when the step shrinks.",
)
def test_rounding_makes_a_small_step_worse(solved: Any) -> None:
    central = solved("01_derivatives")["central_difference"]
    assert -math.log10(sys.float_info.epsilon) == pytest.approx(16, abs=0.5)
    assert 3 + 1e-16 == 3
    for scale in (1.0, 1e3, 1e6):
        for h in (1e-8, 1e-10):
            points = np.linspace(1.0, 2.0, 101)

            def wave(x: float, scale: float = scale) -> float:
                return scale * math.sin(x)

            errors = [abs(central(wave, x, h) - scale * math.cos(x)) for x in points]
            assert 0.01 < np.median(errors) / (1e-16 * scale / h) < 3


@proves("01_derivatives", "For numbers near 1 it gives about ten digits.")
@pytest.mark.parametrize(
    ("f", "slope"), [(math.sin, math.cos), (math.exp, math.exp), (math.log, lambda x: 1 / x)]
)
def test_the_usual_step_gives_about_ten_digits_near_1(f: Any, slope: Any, solved: Any) -> None:
    central = solved("01_derivatives")["central_difference"]
    digits = [-math.log10(abs(central(f, x, 1e-5) / slope(x) - 1) + 1e-17) for x in np.linspace(0.8, 1.4, 61)]
    assert 9.5 < np.median(digits) < 12 and min(digits) > 9


@proves("01_derivatives", "0.30000000000000004 instead of 0.3: adding `h` back does not undo the rounding.")
@proves(
    "01_derivatives",
    "Integers cut 1.00001 down to 1, and 0.99999 to 0:",
    "$(1-0)/0.00002$ is nearly 50,000.",
    "At 2 it is $(4-1)/0.00002$.",
)
def test_the_bugs_of_the_thrifty_gradient(solved: Any) -> None:
    assert 0.3 + 0.1 - 0.2 + 0.1 == 0.30000000000000004
    cut = np.array([1, 1, 2, 2])
    cut[...] = [1 + 1e-5, 1 - 1e-5, 2 + 1e-5, 2 - 1e-5]
    assert cut.tolist() == [1, 0, 2, 1]
    for rule in ("thrifty_gradient", "array_gradient"):
        found = solved("01_derivatives")[rule](lambda p: (p**2).sum(), np.array([1, 2]), 1e-5)
        assert found == pytest.approx([(1 - 0) / 0.00002, (4 - 1) / 0.00002], rel=1e-3), rule


@proves(
    "01_derivatives",
    "**Predict, then run.** A parabola starts flat at 0, about 10 away from the best one.",
    "Each of 150 random changes is about 0.8 long.",
    "What to see when it plays: a leap now and then, and long pauses between.",
    "Three of four changes are wasted.",
    "150 random changes, or 50 steps downhill, compute the loss as often.",
    "For the ball it is nearly a tie in the end, for 100 squares far from one.",
    "What to see when it plays: chance waits for luck, the gradient moves the curve with every step.",
    "Gravity's is -9.81 m/s².",
)
def test_random_search_and_descent_as_they_are_told(solved: Any) -> None:
    names = solved("01_derivatives", demonstrations=True)
    wander, descent = names["wander"], names["downhill"]
    assert names["calls"] == 300 == 50 * 2 * 3 and len(wander) == 151  # two for a change, six for a gradient
    moved = [not np.array_equal(a, b) for a, b in itertools.pairwise(wander)]
    assert sum(moved[:15]) / 15 > 5 * sum(moved[100:]) / 50
    assert 1 - sum(moved) / 150 == pytest.approx(3 / 4, abs=0.02)
    losses = [names["ball_loss"](p) for p in descent[:51]]
    assert all(b < a for a, b in itertools.pairwise(losses))
    least = names["ball_loss"](names["parabola"])
    by_chance, by_gradient = (loss - least for loss in (names["ball_loss"](wander[-1]), losses[-1]))
    assert by_gradient < by_chance < 2 * by_gradient < losses[0] / 1000  # of 49.6, 0.004 and 0.002 are left
    far = float(np.linalg.norm(names["parabola"]))
    changes = 0.5 * np.random.default_rng(1).normal(size=(1000, 3))
    assert far == pytest.approx(10, abs=0.5)
    assert np.linalg.norm(changes, axis=1).mean() == pytest.approx(0.8, abs=0.03)
    assert 2 * names["parabola"][2] == pytest.approx(-9.81, rel=0.01)


@proves(
    "01_derivatives",
    "With 2 parameters few short changes are kept: no more are needed.",
    "With 100 they help little.",
)
def test_chance_and_the_gradient_among_a_hundred_parameters(solved: Any) -> None:
    names = solved("01_derivatives", demonstrations=True)
    left, kept = (
        {
            (n, length): [names["searched"](n, length, seed)[which] for seed in range(8)]
            for n in (2, 100)
            for length in (1.0, 0.1)
        }
        for which in (0, 1)
    )
    assert max(left[2, 0.1]) < 0.01 and max(kept[2, 0.1]) < min(kept[100, 0.1])
    assert min(left[100, 0.1]) > 0.5
    assert max(kept[2, 1.0]) <= 3 and max(kept[100, 1.0]) == 0
    # One step with all of the hundred costs as much as a hundred changes, which need two values each.
    evaluated: list[int] = []
    names["array_gradient"](lambda q: evaluated.append(1) or q.sum(), np.full(100, 0.1), 1e-5)
    assert len(evaluated) == 100 * 2 and (names["point"] ** 2).sum() < 0.1 * min(left[100, 0.1])
    bottom = names["gradient_descent"](names["bowl_gradient"], np.full(100, 0.1), 0.5, 1)[-1]
    assert np.abs(bottom).max() < 1e-9


@proves(
    "01_derivatives",
    "That is the length of $g$ times the cosine of the angle between $d$ and $g$: largest where both point the same "
    "way.",
)
def test_the_slope_along_an_arrow_is_largest_along_the_gradient(solved: Any) -> None:
    names = solved("01_derivatives")

    def loss(p: np.ndarray) -> float:
        return float(names["mean_squared_error"](names["polynomial"](p, names["seconds"]), names["metres"]))

    for p in np.random.default_rng(0).normal(size=(5, 2)):
        g = names["array_gradient"](loss, p, 1e-5)
        angles = np.linspace(0, 2 * math.pi, 721)
        arrows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        slopes = [(loss(p + 1e-5 * d) - loss(p - 1e-5 * d)) / 2e-5 for d in arrows]
        toward = math.atan2(g[1], g[0])
        assert slopes == pytest.approx(np.linalg.norm(g) * np.cos(angles - toward), abs=1e-5)
        assert math.cos(angles[int(np.argmax(slopes))] - toward) > 0.99998


@proves(
    "01_derivatives",
    "The central rule's ring at 5e-04 is one lucky point, with neighbours ten times worse.",
    "Try other `x`: forward is best near 2e-4, central near 5e-3.",
)
def test_the_best_steps_in_single_precision(solved: Any) -> None:
    names, steps = solved("01_derivatives"), np.logspace(0, -15, 46)

    def errors(rule: str, x: float) -> np.ndarray:
        single, slope = names[f"{rule}_difference"], math.cos(np.float32(x))
        return np.array([abs(float(single(np.sin, np.float32(x), np.float32(h))) - slope) for h in steps])

    at_one = {rule: errors(rule, 1.0) for rule in ("forward", "central")}
    k = int(np.argmin(at_one["central"]))
    assert steps[k] == pytest.approx(5e-4, rel=0.1) and int(np.argmin(at_one["forward"])) == k
    assert at_one["central"][[k - 1, k + 1]].min() > 10 * at_one["central"][k]
    for rule, best in (("forward", 2e-4), ("central", 5e-3)):
        typical = np.median([errors(rule, x) for x in np.linspace(0.8, 1.4, 121)], axis=0)
        assert steps[int(np.argmin(typical))] == pytest.approx(best, rel=0.15), rule


def told() -> Callable[..., str]:
    """What the check of the tide says to two errors."""
    (source,) = (cell.source for cell in notebook("01_derivatives").cells if cell.id == "tide_model_probes")
    names: dict[str, Any] = {"np": np, "probe": lambda function: function}
    exec(compile(source, "tide_model_probes", "exec"), names)
    return names["told"]


@proves(
    "01_derivatives",
    "The moon raises it every 12.42 hours.",
    "What to see: a polynomial of degree 14 also follows the two days, and knows nothing of tomorrow.",
)
def test_the_tide_as_it_is_told(solved: Any) -> None:
    names = solved("01_derivatives")
    hours, water = names["hours"], names["water"]
    # The principal lunar tide, M2: 360 degrees at 28.984104 degrees an hour.
    assert abs(360 / 28.984104 - 12.42) < 0.005
    bends, model = np.polyfit(hours / 24 - 1, water, 14), names["tide_model"](hours, water)
    for curve in (model(hours), np.polyval(bends, hours / 24 - 1)):
        assert ((curve - water) ** 2).mean() < 0.05
    third = np.arange(48.0, 72.0)
    assert np.abs(np.polyval(bends, third / 24 - 1) - model(third)).max() > 1000

    def waves(t: np.ndarray) -> np.ndarray:
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    def fitted(rate: float, steps: int, mean: float = 1.0) -> Callable[[np.ndarray], np.ndarray]:
        p, used = np.zeros(3), np.array([mean, 1.0, 1.0])
        with np.errstate(all="ignore"):  # a rate may be too large
            for _ in range(steps):
                p = p - rate * used * 2 * (waves(hours) @ (p @ waves(hours) - water)) / len(hours)
        return lambda t: p @ waves(t)

    def errors(curve: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float]:
        return ((curve(hours) - water) ** 2).mean(), ((curve(third) - model(third)) ** 2).mean()

    assert max(errors(fitted(0.3, 100))) < 0.05
    polynomial = {n: np.poly1d(np.polyfit(hours, water, n)) for n in (0, 3, 8)}
    wrong = {
        "is the rate too large": [fitted(1.1, 100), fitted(2.0, 3000)],
        "the mean height a parameter": [fitted(0.3, 100, mean=0.0), fitted(0.3, 0)],
        "repeat every 12.42 hours?": [polynomial[8], lambda t: np.polyval(bends, t / 24 - 1)],
        "Much is missing": [polynomial[0], polynomial[3]],
        "The wave is there in part": [fitted(0.05, 20), fitted(0.1, 10)],
    }
    for cause, curves in wrong.items():
        for curve in curves:
            with np.errstate(all="ignore"):
                both = errors(curve)
            assert not max(both) < 0.15
            assert cause in told()(*both)
