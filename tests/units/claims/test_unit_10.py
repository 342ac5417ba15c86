"""What unit 10 says of its own runs: luck, splits, bugs and rates, each measured here."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import numpy as np
import pytest

from . import notebook, proves

UNIT = "10_training"


@pytest.fixture
def ran(solved: Any) -> dict[str, Any]:
    """All names of the unit, its runs included."""
    return solved(UNIT, True)


def folded(mark: str) -> str:
    """The code of the folded answer that holds these words."""
    texts = [cell.source for cell in notebook(UNIT).cells if cell.cell_type == "markdown"]
    (code,) = (
        code for text in texts for code in re.findall(r"```python\n(.*?)```", text, re.S) if mark in code
    )
    return str(code)


@proves(
    UNIT,
    "The recipe: 64-128-10 with ReLU, dropout 0.3, AdamW with rate 0.005, batches of 64, 40 epochs. 80 % of 1,797 "
    "digits are for training.",
)
def test_a_constant_column_and_the_digits(solved: Any) -> None:
    names = solved(UNIT)
    assert 0 < np.full(3, 0.1).std() < 2e-17
    train, held = names["standardise"](np.full((3, 1), 0.1), np.array([[0.1], [0.3]]))
    assert abs(train).max() < 1e-15 and held[:, 0] == pytest.approx([0.0, 0.2], abs=1e-15)
    assert len(names["load_digits"]()[1]) == 1797


@proves(UNIT, "Where three arms meet, the noise mixes them: two points at the centre stay wrong (in rings).")
def test_what_is_not_learnt_of_three_arms_lies_among_points_of_the_others(ran: dict[str, Any]) -> None:
    for name, ((x, y), *_) in ran["RUNS"].items():
        wrong = ran["outputs"](ran["TRAINED"][name], x).argmax(axis=1) != y
        assert wrong.sum() == (2 if name == "three arms" else 0)
    (x, y), noise = ran["RUNS"]["three arms"][0], 0.03
    wrong = ran["outputs"](ran["TRAINED"]["three arms"], x).argmax(axis=1) != y
    assert np.hypot(*x[wrong].T).max() < 0.05
    for point, label in zip(x[wrong], y[wrong], strict=True):
        assert np.hypot(*(x[y != label] - point).T).min() < noise


@proves(
    UNIT,
    "Validation begins below training, for `train_epoch` measures before its step and `evaluate` after it.",
    "What follows is the luck of few points: on three of eight splits validation lies above from the third epoch on, "
    "and on five the kept state's test loss lies above its validation loss.",
)
def test_small_parts_are_luck(ran: dict[str, Any]) -> None:
    assert ran["HISTORY"]["validation"][0] < ran["HISTORY"]["training"][0]
    x, y = ran["moons"](240, noise=0.35)
    loss_fn, above_soon, above_in_the_test = ran["functional"].cross_entropy, 0, 0
    for seed in range(8):
        few, valid, test = ran["split"](240, 1 / 6, 1 / 4, np.random.default_rng(seed))
        model = ran["network"](2, 64, 64, 2)
        optimizer = ran["optim"].AdamW(model.parameters(), lr=0.01)
        stopping, above = ran["EarlyStopping"](patience=25), []
        for _ in range(100):
            loss = ran["train_epoch"](model, optimizer, loss_fn, x[few], y[few], [np.arange(40)])
            found = ran["evaluate"](model, loss_fn, x[valid], y[valid])
            above.append(found > loss)
            if stopping.update(found, ran["state_dict"](model)):
                break
        assert not above[0]
        above_soon += all(above[2:])
        ran["load_state_dict"](model, stopping.best_state)
        above_in_the_test += ran["evaluate"](model, loss_fn, x[test], y[test]) > stopping.best_loss
    assert (above_soon, above_in_the_test) == (3, 5)


@proves(UNIT, "With $k$ classes the first loss should be near $\\log k$, the loss of equal probabilities.")
def test_the_first_loss_and_the_loss_of_one_batch(solved: Any) -> None:
    names = solved(UNIT)
    digits, labels = names["load_digits"](flat=True)
    model = names["network"](64, 64, 10, act=names["nn"].ReLU).to("float32")
    loss_fn = names["functional"].cross_entropy
    losses = names["fit"](model, loss_fn, digits[:32].astype("float32"), labels[:32], lr=0.01, epochs=100)
    assert abs(losses[0] - np.log(10)) < 0.2 and losses[-1] < 0.01


@proves(
    UNIT,
    "Choose the best of many, and luck is chosen too.",
    "**Predict, then run.** The accuracy of the best on validation, and of the same network on 360 test examples.",
    "The best is a coin again.",
    "All forty share 40 validation labels, so even their mean is 46.9 %.",
)
def test_the_best_of_forty_coins_looks_better_than_a_coin(ran: dict[str, Any]) -> None:
    # Without networks: forty answers drawn by a coin, on 40 examples, are as good as this.
    rng = np.random.default_rng(0)
    best = (rng.random((1000, 40, 40)) < 0.5).mean(axis=2).max(axis=1)
    assert 0.6 < np.median(best) < 0.75
    parts = ran["split"](600, 1 / 3, 1 / 15, np.random.default_rng(0))
    assert [len(part) for part in parts] == [200, 40, 360]
    by_validation, by_test = ran["by_validation"], ran["by_test"]
    assert len(by_validation) == 40 and by_validation.max() > 0.6 and 0.45 < ran["reported"] < 0.55
    assert round(100 * by_validation.mean(), 1) == 46.9
    # Forty validation parts of their own would leave a deviation of 0.0125.
    assert abs(by_validation.mean() - 0.5) > 0.025 > 5 * abs(by_test.mean() - 0.5)


@proves(UNIT, "At the end your program reads 97 of 100 digits that it has never seen.")
@proves(UNIT, "It was the best: speak of mean and range.")
def test_a_share_of_one_split_is_luck(ran: dict[str, Any]) -> None:
    shares = ran["shares"]
    assert len(shares) == 8 and max(shares) == shares[0] > np.mean(shares) + 0.01 and np.mean(shares) > 0.97


@proves(UNIT, "The first 200 of its 920 steps.")
def test_the_picture_shows_the_reader_itself(ran: dict[str, Any]) -> None:
    names, digits, labels = ran, ran["DIGITS"], ran["LABELS"]
    train, _, held = names["split"](len(digits), 0.8, 0.0, np.random.default_rng(0))
    model = names["network"](64, 128, 10, act=names["nn"].ReLU, drop=0.3).to("float32")
    optimizer, rng = names["optim"].AdamW(model.parameters(), lr=0.005), np.random.default_rng(0)
    cut = names["batches"](len(train), 64, rng)
    assert 40 * len(cut) == 920
    for batch in cut:
        model.eval()
        names["outputs"](model, digits[held])
        loss_fn = names["functional"].cross_entropy
        names["train_epoch"](model, optimizer, loss_fn, digits[train], labels[train], [batch])
    reader, _ = names["read_digits"](0, epochs=1)
    for mine, its in zip(model.parameters(), reader.parameters(), strict=True):
        assert (mine.data == its.data).all()


@proves(UNIT, "It chooses 0.005 and reads 98 % of the test.")
def test_the_folded_answer_chooses_a_rate_by_validation(ran: dict[str, Any]) -> None:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(folded("def reader"), dict(ran))
    rate, share = map(float, said.getvalue().split())
    assert rate == 0.005 and 0.975 <= share < 0.985


def test_the_folded_loop_counts_what_the_picture_shows(ran: dict[str, Any]) -> None:
    labels, answers, counts = ran["LABELS"][ran["HELD"]], ran["answers"], np.zeros((10, 10), dtype=int)
    exec(folded("counts[label, answer] += 1"), {"labels": labels, "answers": answers, "counts": counts})
    assert counts.sum() == len(labels) and counts.trace() == (labels == answers).sum()
    assert ran["confusion"](labels, answers, 10).sum() == 0  # the learner's lines are not there


@proves(
    UNIT,
    "The loss falls while the rate grows a thousandfold, to 0.1.",
    "Crosses are runs that diverged.",
    "A tenth is safe, and slow: no start fails, and none gets as low as half of those at 0.1.",
)
def test_the_loss_falls_up_to_the_edge(ran: dict[str, Any]) -> None:
    rates, found = ran["RATES"], ran["FOUND"]
    good = rates < 0.11
    assert rates[0] == pytest.approx(1e-4) and rates[good][-1] == pytest.approx(0.1)
    assert (np.diff(found[good]) < 0).all() and not np.isfinite(found[~good]).any() and (~good).sum() == 3
    assert ran["rate_to_use"](rates, found) == pytest.approx(0.01)
    best, tenth = (np.sort(ran["LONG"][name]) for name in ("the best", "a tenth"))
    assert len(best) == len(tenth) == 8 and np.isfinite(best).sum() == 6
    assert best[3] < tenth[0] and tenth[-1] < 0.1


@proves(
    UNIT,
    "It runs without an error, reads one digit in ten, and has **four bugs**.",
    "Labels apart (not drawn) leave chance.",
    "The leak does not show, and on some splits a program with a bug reads 96 of 100.",
)
def test_what_each_bug_of_the_training_script_costs(ran: dict[str, Any]) -> None:
    read = ran["READ"]
    assert all(len(found) == 5 for found in read.values())
    assert min(read["none"]) > 93 and 96.5 < np.mean(read["none"]) < 97.5
    assert 5 < np.mean(read["all four"]) < 15
    assert 5 < np.mean(read["labels apart"]) < 15 and max(read["labels apart"]) < 20
    assert abs(np.mean(read["the leak"]) - np.mean(read["none"])) < 0.5
    for bug in ("gradients added up", "dropout stays on"):
        assert (
            95.5 < max(read[bug]) < np.mean(read["none"]) and np.mean(read[bug]) < np.mean(read["none"]) - 1
        )
    pictures = " ".join(
        str(out.get("data", {}).get("text/plain", ""))
        for cell in notebook(UNIT).cells
        for out in cell.get("outputs", [])
    )
    assert "gradients added up: 5 points" in pictures and "the leak: 5 points" in pictures


@proves("10_training", "With (0.8, 0.92, 0.79) and (0.83, 0.69, 0.85) it is 0.69.")
def test_the_example_of_an_honest_score_is_one(solved: Any) -> None:
    validation, test = np.array([0.8, 0.92, 0.79]), np.array([0.83, 0.69, 0.85])
    assert solved("10_training")["honest_score"](validation, test) == 0.69
