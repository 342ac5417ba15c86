"""What unit 04 says of its own runs: two borders, rates, and an island far from 0."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

from . import proves


@proves(
    "04_scalar_networks",
    "What to see: each neuron draws one border, their score has two.",
    "The output sees the corners at $(h_0, h_1)$: two of one target meet there, so one line is enough.",
    "What to see: what its neurons learned; two corners that meet, and two borders.",
    "Both diagonals are solutions.",
)
def test_two_neurons_cut_twice_and_their_output_once(solved: Any) -> None:
    names = solved("04_scalar_networks", demonstrations=True)
    rows = names["xor_by_hand"]()
    diagonal = [(k / 100, k / 100) for k in range(101)]
    other = [(x, 1 - y) for x, y in diagonal]

    def changes(score: Any, points: Any) -> int:
        signs = [score(*x) > 0 for x in points]
        return sum(a != b for a, b in itertools.pairwise(signs))

    for row in rows[:2]:
        assert changes(lambda *x: names["neuron"](row, *x), diagonal) == 1  # noqa: B023
    assert changes(lambda *x: names["two_neurons"](rows, *x), diagonal) == 2
    v0, v1, c = rows[2]
    for x, target in zip(names["corners"], names["xor_targets"], strict=True):
        h0, h1 = (names["neuron"](row, *x) for row in rows[:2])
        assert target * (v0 * h0 + v1 * h1 + c) > 0.5

    def meet(hidden: Any) -> bool:
        near = [
            (a, b)
            for a, b in itertools.combinations(range(4), 2)
            if math.dist(hidden[a], hidden[b]) < 0.2 and names["xor_targets"][a] == names["xor_targets"][b]
        ]
        return len(near) == 1

    assert meet([[names["neuron"](row, *x) for row in rows[:2]] for x in names["corners"]])
    learned = [[h.data for h in names["hidden_values"](names["xor_network"](x))] for x in names["corners"]]
    assert [len(h) for h in learned] == [2] * 4 and meet(learned)
    # What the machine finds runs the other way.
    found = [changes(lambda *x: names["xor_network"](list(x)).data, points) for points in (diagonal, other)]
    assert found == [0, 2]


def test_all_suspects_begin_at_the_same_loss(solved: Any) -> None:
    names = solved("04_scalar_networks")
    assert len({names["run_with"](bug)[0] for bug in names["BUGS"]}) == 1


@proves(
    "04_scalar_networks",
    "The first 20 steps with the rates 0.1, 1, 3 and 10.",
    "At which is the loss after 20 steps no better than with nothing learned?",
    "At 10 the loss jumps up again and again: the steps lead too far.",
)
def test_of_four_rates_only_10_breaks(solved: Any) -> None:
    train = solved("04_scalar_networks", demonstrations=True)["train_moons"]
    for rate in (0.1, 1.0, 3.0):
        losses = train(rate, 20)[1]
        assert losses[-1] < losses[0] / 3
    losses = train(10.0, 20)[1]
    rises = sum(b > a for a, b in itertools.pairwise(losses))
    assert losses[-1] > math.log(2) and max(losses) > 3 * losses[0] and rises > 5


@proves(
    "04_scalar_networks",
    "The first layer has learned eight straight lines; the second adds up what they say, and bends.",
)
def test_the_first_hidden_layer_is_straight_and_the_second_is_not(solved: Any) -> None:
    names = solved("04_scalar_networks", demonstrations=True)
    # Three points on a line: the sums before tanh of the first layer are on a line, too.
    points = [[-1.0, -0.5], [0.5, 0.25], [2.0, 1.0]]
    said = [[math.atanh(h.data) for h in names["hidden_values"](names["network"](x))] for x in points]
    bent = [abs(a + c - 2 * b) for a, b, c in zip(*said, strict=True)]
    assert len(bent) == 16 and max(bent[:8]) < 1e-9 < 0.01 < min(bent[8:])


@proves(
    "04_scalar_networks",
    "After each repair, look at `trial(mended_training)`: with all three mended, the numbers never rise and end "
    "at 0.33.",
    "(With one left, they may end lower, after rises: it makes steps longer.)",
)
def test_only_the_fully_mended_loop_never_rises_and_ends_at_033(solved: Any) -> None:
    names = solved("04_scalar_networks")

    def loop(apart: bool, stale: bool, growing: bool) -> Any:
        def training(score: Any, optimizer: Any, inputs: Any, targets: Any, orders: Any, size: int) -> Any:
            history = []
            for order in orders:
                optimizer.zero_grad()
                losses: list[Any] = []
                for start in range(0, len(order), size):
                    chosen = order[start : start + size]
                    wanted = targets[start : start + size] if apart else [targets[i] for i in chosen]
                    losses = losses if growing else []
                    losses += [
                        names["margin_loss"]([score(inputs[i])], [t])
                        for i, t in zip(chosen, wanted, strict=True)
                    ]
                    loss = sum(losses) / len(losses)
                    if not stale:
                        optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    history.append(loss.data)
            return history

        return training

    for bugs in itertools.product((False, True), repeat=3):
        means = names["trial"](loop(*bugs))
        met = means == sorted(means, reverse=True) and means[-1] == 0.33
        assert met == (not any(bugs)), (bugs, means)
        if bugs == (False, False, True):
            assert means[-1] < 0.33
    assert means == names["trial"](names["colleague_training"])


@proves(
    "04_scalar_networks",
    "Give them numbers near 0: subtract the middle of the points (dividing alone is not enough), and divide until most "
    "lie between -1.5 and 1.5.",
)
def test_an_island_is_learned_near_0_and_not_by_dividing_alone(solved: Any) -> None:
    names = solved("04_scalar_networks")

    def right(island: int, middle: tuple[float, float], by: float) -> tuple[int, float]:
        points, targets = names["island"](random.Random(island), 180)
        near = [[(x - middle[0]) / by, (y - middle[1]) / by] for x, y in points]
        network = names["MLP"]([2, 8, 1], seed=5)
        optimizer = names["SGD"](network.parameters(), rate=1.0)
        for _ in range(60):
            names["training_step"](optimizer, lambda: names["loss_on"](network, near[:80], targets[:80]))
        inside = sum(abs(x) < 1.5 and abs(y) < 1.5 for x, y in near) / len(near)
        return names["count_right"](network, near[80:], targets[80:]), inside

    for island, by in ((0, 10.0), (1, 10.0), (0, 12.0), (1, 12.0)):
        signs, inside = right(island, (140.0, 125.0), by)
        assert signs > 85 and inside > 0.8, (island, by, signs, inside)
    for by in (20.0, 100.0):
        assert right(0, (0.0, 0.0), by)[0] < 75


@proves("04_scalar_networks", "What to see: a closed shore.")
def test_the_shore_of_the_last_picture_is_closed(solved: Any) -> None:
    names = solved("04_scalar_networks", demonstrations=True)
    shown = names["island_points"][80:]
    (west, east), (south, north) = ((min(numbers), max(numbers)) for numbers in zip(*shown, strict=True))
    for k in range(101):
        x, y = west + (east - west) * k / 100, south + (north - south) * k / 100
        for frame in ((x, south), (x, north), (west, y), (east, y)):
            assert names["score_at"](frame) < 0, frame
    right = [
        names["score_at"](point) * target > 0
        for point, target in zip(shown, names["island_targets"][80:], strict=True)
    ]
    assert sum(right) >= 90
