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
        optimizer.step()


# -- Runs of the network ------------------------------------------------------------------------------------------


@proves(
    UNIT,
    "Momentum and Nesterov soon lie on one another.",
    "Rates decide, too: at 0.2 momentum ends near Adam, SGD still far behind, and Nesterov diverges.",
    "Momentum's 0.05 acts as 0.5, where SGD diverges.",
)
def test_the_rates_decide_a_race_too(names: dict[str, Any]) -> None:
    train = names["train"]
    momentum, nesterov = (np.log10(train(name)) for name in ("momentum", "Nesterov"))
    assert abs(momentum - nesterov)[50:].max() < 0.1 < abs(momentum - nesterov)[:50].max()
    adam = train("Adam")[-1]
    ends = {name: quiet(lambda name=name: train(name, constant(0.2)))[-1] for name in names["RULES"]}
    assert 0.5 * adam < ends["momentum"] < 2 * adam < ends["SGD"] / 10
    assert not np.isfinite(ends["Nesterov"])
    assert names["RULES"]["momentum"][2] / (1 - 0.9) == pytest.approx(0.5)
    assert not np.isfinite(quiet(lambda: train("SGD", constant(0.5)))[-1])


@proves(UNIT, "Where does the loss begin to bounce, and where does it end lowest?")
def test_where_adam_begins_to_bounce_is_not_where_it_ends_lowest(names: dict[str, Any]) -> None:
    ends, rises = {}, {}
    for rate in (0.01, 0.03, 0.1, 0.3, 1.0):
        losses = names["train"]("Adam", constant(rate))
        ends[rate], rises[rate] = losses[-1], int(np.sum(np.diff(losses[-100:]) > 0))
    assert rises[0.03] < 20 < 30 < rises[0.1]
    assert min(ends, key=lambda rate: ends[rate]) == 0.3


@proves(
    UNIT,
    "RMSprop corrects nothing: its first step is ten times `lr` long.",
    "What to see: at the rate 0.05 its loss leaps at once, and stays restless.",
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


@proves(UNIT, "What to see: without, a single batch undoes all that momentum had learnt.")
def test_one_batch_undoes_what_was_learnt_unless_it_is_clipped(names: dict[str, Any]) -> None:
    without = names["train"]("momentum", change=names["unlucky"])
    clipped = names["train"]("momentum", change=names["unlucky_and_clipped"])
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
    "AdamW treats them alike: 0.999 to the power of 1,000 is 0.37.",
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
    "One fault shows below, and hides another.",
    "Under the root it makes 0.01 of it.",
    "The 0.99 is `eps` at work: 1e-6 / (1e-6 + 1e-8).",
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
