"""What unit 09 says of its own runs, and of where Nesterov's gradient is measured."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from . import notebook, proves

UNIT = "09_optimizers"


@pytest.fixture
def names(solved: Any) -> dict[str, Any]:
    """What the unit's model answers and given cells define."""
    found: dict[str, Any] = solved(UNIT)
    return found


def constant(rate: float) -> Any:
    return lambda step: rate


def quiet(run: Any) -> list[float]:
    """The losses of a run that may overflow."""
    with np.errstate(all="ignore"):
        return list(run())


# -- SGD and momentum ---------------------------------------------------------------------------------------------


@proves(
    UNIT,
    "With lr = 0.05, `y` is multiplied by 1 - 1.25 = -0.25: it changes sides, and shrinks.",
    "`x` is multiplied by 0.95.",
    "The steepest direction sets the limit, and the flat one pays: at 0.08, `x` needs 56 steps to shrink to a "
    "hundredth.",
)
def test_a_step_multiplies_the_distance_by_its_factor(names: dict[str, Any]) -> None:
    def path(lr: float, steps: int) -> Any:
        return names["path_of"](lambda p, g: (names["sgd_step"](p, g, lr),), steps=steps)

    start, after = path(0.05, 1)
    assert after / start == pytest.approx([0.95, -0.25])
    x = path(0.08, 60)[:, 0] / start[0]
    assert x[55] > 0.01 > x[56]


@proves(
    UNIT,
    "While `g` stays the same, `v` tends to g / (1 - mu): with mu = 0.9, momentum's steps become ten times as long as "
    "SGD's.",
)
def test_under_a_gradient_that_stays_momentum_goes_ten_times_as_far(names: dict[str, Any]) -> None:
    g, p, v = np.array([3.0]), np.zeros(1), np.zeros(1)
    for _ in range(300):
        before, (p, v) = p, names["momentum_step"](p, g, v, 0.1, 0.9)
    assert v == pytest.approx(g / (1 - 0.9))
    assert p - before == pytest.approx(10 * names["sgd_step"](0 * g, g, 0.1))


@proves(
    UNIT,
    "Nesterov looks ahead: it measures the gradient where the velocity is about to lead, at p - lr · mu · v.",
    "In PyTorch's form `p` is that place itself.",
    "A step goes back by lr · mu · v, then on by lr times the new `v`, and ahead by lr · mu times it: in all, minus lr "
    "times (g + mu · v).",
)
def test_pytorch_s_parameter_is_the_place_ahead(torch: ModuleType) -> None:
    lr, mu, curvatures = 0.02, 0.8, np.array([1.0, 25.0])
    p, v = np.array([-4.5, 1.0]), np.zeros(2)
    theirs = torch.tensor(p.copy(), requires_grad=True)
    optimizer = torch.optim.SGD([theirs], lr=lr, momentum=mu, nesterov=True)
    for _ in range(10):
        ahead = p - lr * mu * v
        assert theirs.detach().numpy() == pytest.approx(ahead, rel=1e-12)
        v = mu * v + curvatures * ahead  # momentum, with the gradient of the place ahead
        p = p - lr * v
        theirs.grad = torch.tensor(curvatures) * theirs.detach()
        before = theirs.detach().numpy().copy()
        optimizer.step()
        assert theirs.detach().numpy() == pytest.approx(
            before - lr * (curvatures * before + mu * v), rel=1e-12
        )


def height(curvatures: Any, lr: float, mu: float, steps: int) -> float:
    """The share of the height that momentum leaves, from (1, 1, ...)."""
    p, v = np.ones(len(curvatures)), np.zeros(len(curvatures))
    for _ in range(steps):
        v = mu * v + curvatures * p
        p = p - lr * v
    share = (curvatures * p * p).sum() / curvatures.sum()
    return float(share)


@proves(UNIT, "Momentum's limit is $2\\,(1 + \\mu)/L$, here 0.144.", "At lr = 0.1 SGD diverges here.")
def test_the_limit_with_momentum(names: dict[str, Any]) -> None:
    steep = np.array([25.0])
    assert round(2 * (1 + 0.8) / 25, 6) == 0.144
    assert height(steep, 0.143, 0.8, 600) < 1e-3 < 1e3 < height(steep, 0.145, 0.8, 600)
    assert height(steep, 0.1, 0.0, 100) > 1e6


@proves(
    UNIT,
    "Boris Polyak's pair of 1964 is the best for both ends of the curvatures: lr = 0.0331 and mu = 0.669 for 1 and "
    "100, 0.111 and 0.444 in our valley.",
    "Which formula, with both curvatures' roots, gives Polyak's pairs?",
    "With mu = 0.9 old gradients fade too slowly.",
    "25 times the curvature needs a 25th of the rate.",
)
def test_no_other_settings_are_as_good_at_both_ends(names: dict[str, Any]) -> None:
    ends = np.array([1.0, 100.0])

    def slowest(lr: float, mu: float) -> float:
        """The factor by which the distance shrinks in a step in the long run, in the worse of both directions."""
        steps = [np.array([[1 - lr * c, -lr * mu], [c, mu]]) for c in ends]
        return float(max(np.abs(np.linalg.eigvals(step)).max() for step in steps))

    # The model answer is that formula.
    lr, mu = names["lr_and_mu"](ends)
    assert (lr, mu) == pytest.approx((0.0331, 0.669), abs=5e-4)
    assert names["lr_and_mu"](np.array([1.0, 25.0])) == pytest.approx((0.111, 0.444), abs=5e-4)
    best = slowest(lr, mu)
    assert best == pytest.approx(9 / 11, rel=1e-6)
    others = [
        slowest(a * lr, b)
        for a in (0.5, 0.9, 0.99, 1.01, 1.1, 2)
        for b in (0, 0.5, 0.6, 0.66, 0.68, 0.7, 0.8, 0.9)
    ]
    assert min(others) > best
    assert all(slowest(part * 3.8 / 100, 0.9) ** 200 > 1e-6 for part in np.linspace(0.02, 1, 50))
    assert names["lr_and_mu"](25 * ends)[0] == pytest.approx(lr / 25)


# -- Runs of the network ------------------------------------------------------------------------------------------


@proves(UNIT, "SGD and momentum have an edge.", "Adam is good over two powers of ten.")
def test_where_each_rule_is_good(names: dict[str, Any]) -> None:
    def end(name: str, rate: float) -> float:
        return float(np.mean(quiet(lambda: names["train"](name, constant(rate)))[-30:]))

    assert all(end("Adam", rate) < 0.01 for rate in (0.01, 0.03, 0.1, 0.2, 0.4, 1.0))
    for name in ("SGD", "momentum"):
        assert end(name, 0.2) < end(name, 0.01) / 5
        assert not end(name, 0.4) < 2


@proves(
    UNIT,
    "A friend takes the rate 0.1 from SGD to Adam, and the last 30 losses jump between 0.0001 and 0.007.",
)
def test_the_friend_s_losses_jump(names: dict[str, Any]) -> None:
    last = names["train"]("Adam", constant(0.1))[-30:]
    assert 0.00005 < min(last) < 0.00015 and 0.0065 < max(last) < 0.0075


@proves(
    UNIT,
    "Settings decide a race: Adam with its usual betas is behind SGD, momentum with Polyak's numbers far ahead.",
)
def test_settings_decide_the_first_race(names: dict[str, Any]) -> None:
    def adam(betas: tuple[float, float]) -> Any:
        def step(p: Any, g: Any, m: Any, v: Any, t: int) -> Any:
            return (*names["adam_step"](p, g, m, v, t, 0.3, betas), t + 1)

        return names["path_of"](step, (np.zeros(2), np.zeros(2), 1))

    def momentum(lr: float, mu: float) -> Any:
        return names["path_of"](lambda p, g, v: names["momentum_step"](p, g, v, lr, mu), (np.zeros(2),))

    paths = [
        momentum(0.111, 0.444),
        adam((0.8, 0.99)),
        momentum(0.02, 0.8),
        momentum(0.07, 0.0),
        adam((0.9, 0.999)),
    ]
    heights = [names["ravine"](*path[-1]) for path in paths]
    assert heights == sorted(heights) and heights[0] < heights[1] / 10


@proves(
    UNIT,
    "RMSprop corrects nothing: its first step is ten times `lr` long.",
    "At the rate 0.05 its loss leaps at once, and stays restless.",
    "A schedule with this peak calms both.",
)
def test_warm_up_and_a_cosine_calm_rmsprop(names: dict[str, Any]) -> None:
    first, _ = names["rmsprop_step"](np.zeros(1), np.array([7.0]), np.zeros(1), 0.05, 0.99, 1e-8)
    assert first == pytest.approx([-10 * 0.05])
    rate = names["cosine_rate"]
    without = names["train"]("RMSprop", constant(0.05))
    scheduled = names["train"]("RMSprop", lambda step: rate(step, 300, 20, 0.05))
    assert int(np.argmax(without)) < 5 and max(without) > 10 > 2 > max(scheduled)
    assert np.sum(np.diff(without[-100:]) > 0) > 30 and np.sum(np.diff(scheduled[-100:]) > 0) == 0


@proves(UNIT, "Without, a single batch undoes all that momentum had learnt: its velocity carries on.")
def test_one_batch_undoes_what_was_learnt_unless_it_is_clipped(names: dict[str, Any]) -> None:
    without = names["train"]("momentum", change=names["unlucky"])
    clipped = names["train"]("momentum", change=names["unlucky_and_clipped"])
    assert int(np.argmax(without)) > 155  # and not at once
    assert without[150] < 0.02 and max(without[151:]) > 100 * without[0] and without[-1] > 0.1
    assert max(clipped[151:]) <= clipped[150] and clipped[-1] < 0.01


# -- Adam ---------------------------------------------------------------------------------------------------------


@proves(
    UNIT,
    "At first `m` is 10 times too small.",
    "But `v` is 1,000 times too small, its root 31.6 times, and it catches up later than `m`.",
    "Without, steps are three to seven times as long, the twelfth most.",
)
def test_without_correction_the_twelfth_step_is_the_longest(names: dict[str, Any]) -> None:
    one, m, v, lengths = np.ones(1), np.zeros(1), np.zeros(1), []
    for t in range(1, 51):
        _, m, v = names["adam_step"](one, one, m, v, t, 0.1)
        lengths.append((m / np.sqrt(v)).item())
        if t == 1:
            assert (m.item(), v.item(), np.sqrt(v).item()) == pytest.approx((1 / 10, 1 / 1000, 1 / 31.6228))
    assert int(np.argmax(lengths)) + 1 == 12 and 3 < min(lengths) < max(lengths) < 7


@proves(
    UNIT,
    "AdamW treats them alike: 0.999 to the power of 1,000.",
)
def test_a_thousandth_less_a_thousand_times(names: dict[str, Any]) -> None:
    p, m, v = np.ones(2), np.zeros(2), np.zeros(2)
    for t in range(1, 1001):
        p, m, v = names["whole_adamw"](p, np.array([0.01, 10.0]) * (-1) ** t, m, v, t, 0.01, 0.1)
    assert p == pytest.approx([0.37, 0.37], abs=0.01)
    assert round(0.999**1000, 2) == 0.37


# -- The bug hunt -------------------------------------------------------------------------------------------------


@proves(
    UNIT,
    "One fault shows below, and hides another: copy the class into the answer cell, mend what shows, and test that in "
    "the cell behind the check.",
    "(1e-6,): `eps`, whose right length is 1e-6 / (1e-6 + 1e-8) = 0.99.",
)
def test_the_shared_array_hides_where_eps_is(names: dict[str, Any]) -> None:
    lengths, colleague = names["lengths_of"], names["ColleagueAdam"]
    (source,) = (cell.source for cell in notebook(UNIT).cells if cell.id == "colleague")

    def mended(*pairs: tuple[str, str]) -> Any:
        text, found = source, dict(names)
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        exec(compile(text, "mended", "exec"), found)
        return found["ColleagueAdam"]

    apart = ("(zeros, zeros)", "(zeros, zeros.copy())")
    beside = ("np.sqrt(v_hat + self.eps)", "(np.sqrt(v_hat) + self.eps)")
    assert (lengths(colleague, 1.0) < 0.2).all()  # the one that shows
    # With one array for both, a tiny gradient tells nothing of eps. With two it does.
    assert (lengths(colleague, 1e-6) == lengths(mended(beside), 1e-6)).all()
    assert lengths(mended(apart), 1e-6) == pytest.approx(np.full((1, 3), 0.01))
    assert lengths(mended(apart, beside), 1e-6) == pytest.approx(np.full((1, 3), 0.99))
