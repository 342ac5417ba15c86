"""What unit 06 says of its bug hunt and of the way in which a network is fooled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from . import notebook, proves

UNIT = "06_shapes_and_matmul"

#: Each bug of the colleague, mended, and an input that shows it; that of the repeats stands in the hints.
BUGS = {
    "transposition": ("dz @ W\n", "dz @ W.T\n", ([3, 0, 2], [[1, 2], [0, 1]])),
    "rows": ("np.zeros((index.max() + 1, len(W)))", "np.zeros_like(table)", ([1, 0, 2], np.eye(2))),
    "repeats": ("dtable[index] += dx", "np.add.at(dtable, index, dx)", ([3, 0, 3], np.eye(2))),
}


def colleague(names: dict[str, Any], *mended: str) -> Any:
    """The colleague's function with some of its lines mended."""
    (source,) = (c.source for c in notebook(UNIT).cells if "def lookup_backward" in c.source)
    for bug in mended:
        old, new, _ = BUGS[bug]
        assert source.count(old) == 1
        source = source.replace(old, new)
    place = dict(names)
    exec(source, place)
    return place["lookup_backward"]


def is_right(names: dict[str, Any], backward: Any, bug: str) -> bool:
    try:
        off = names["lookup_test"](backward, *BUGS[bug][2])
    except ValueError:
        return False
    return max(off.values()) < 1e-3


@proves(
    UNIT,
    "The test says 0 for all three gradients.",
    "Yet **three lines are wrong.**",
    "Still off, or an error: each of the three inputs shows one bug.",
)
def test_each_of_three_inputs_shows_one_bug(solved: Any) -> None:
    names = solved(UNIT)
    (hints,) = (c.source for c in notebook(UNIT).cells if "### Exercise `mended_lookup`" in c.source)
    assert f"{BUGS['repeats'][2][0]}, np.eye(2)" in hints
    off = names["lookup_test"](names["lookup_backward"], [3, 0, 2], np.eye(2))
    assert off == {"table": 0, "W": 0, "v": 0}
    for bug in BUGS:
        shown = [
            other for other in BUGS if not is_right(names, colleague(names, *(set(BUGS) - {other})), bug)
        ]
        assert shown == [bug]
        assert is_right(names, colleague(names, *BUGS), bug)


@proves(
    UNIT,
    "Distinct indices hide a lost sum, and the last one a table that is too short.",
)
def test_distinct_indices_with_the_last_one_hide_two_bugs(solved: Any) -> None:
    names = solved(UNIT)
    off = names["lookup_test"](colleague(names, "transposition"), [2, 3, 0], [[1, 2], [0, 1]])
    assert max(off.values()) < 1e-3


@proves(
    UNIT,
    "You have **100 calls** of the two together, about 50 steps.",
    "Small steps, and look after each; but 50 steps of 0.005 do not use up the 0.3.",
)
@pytest.mark.parametrize(("size", "there"), [(0.005, False), (0.01, True), (0.05, True), (0.2, True)])
def test_steps_of_many_sizes_lead_there_and_tiny_ones_do_not(solved: Any, size: float, there: bool) -> None:
    names = dict(solved(UNIT))
    for cell in notebook(UNIT).cells:
        if cell.id == "fooled_probes":
            exec(compile(cell.source, cell.id, "exec"), names)
    assert names["CALLS"] == 100 == 2 * 50

    def fooled(image: Any, digit: int, scores: Any, back: Any) -> Any:
        now = image
        while (seen := scores(now).argmax()) != digit:
            g = np.eye(10)[digit] - np.eye(10)[seen]
            now = (now + size * np.sign(back(now, g))).clip(image - 0.3, image + 0.3).clip(0, 1)
        return now

    names["fooled"] = fooled
    probe = names["fooled_by"].function
    cases = ((1700, 0, 1), (1497, 1, 3), (315, 0, 3), (1134, 0, 1))
    told = [probe(*case) for case in cases]
    assert all(one["calls"] <= 100 for one in told) is there
    if size == 0.005:
        images = [names["load_digits"]()[0][place, 0] for place, _, _ in cases]
        moved = [abs(np.asarray(one["image"]) - image).max() for one, image in zip(told, images, strict=True)]
        assert max(moved) < 0.3


def test_who_goes_on_when_the_digit_is_seen_is_told_to_stop(solved: Any) -> None:
    names = dict(solved(UNIT))
    for cell in notebook(UNIT).cells:
        if cell.id == "fooled_probes":
            exec(compile(cell.source, cell.id, "exec"), names)

    def without_end(image: Any, digit: int, scores: Any, back: Any) -> Any:
        now = image
        while True:
            g = np.eye(10)[digit] - np.eye(10)[scores(now).argmax()]
            now = (now + 0.05 * np.sign(back(now, g))).clip(image - 0.3, image + 0.3).clip(0, 1)

    class Check:
        def true(self, value: bool, why: str) -> None:
            assert value, why

        def equal(self, value: Any, expected: Any, why: str) -> None:
            assert value == expected, why

    names["fooled"] = without_end
    with pytest.raises(AssertionError) as told:
        names["judge"](Check(), 1700, 0, 1)
    assert "all 100 calls are used up" in str(told.value)
    assert "The last image was seen as 0 already: stop as soon as it is." in str(told.value)


@pytest.mark.parametrize(
    ("said", "right"), [([1 / 3] * 3 + [0], False), ([0.5] * 3, False), ([0.5] * 3 + [0], True)]
)
def test_the_prediction_of_the_ties_is_judged(solved: Any, said: list[float], right: bool) -> None:
    (source,) = (
        c.source for c in notebook(UNIT).cells if 'predicted(prediction, "tied_maximum")' in c.source
    )
    assert source.count("[None, None, None, None]") == 1
    printed: list[Any] = []
    names = {**solved(UNIT), "predicted": lambda *_: True, "print": lambda *words: printed.extend(words)}
    exec(source.replace("[None, None, None, None]", repr(said)), names)
    assert printed[-1] is right


@proves(UNIT, "Shuffled, they do nothing.")
def test_the_same_changes_at_other_pixels_fool_nobody(solved: Any) -> None:
    printed = solved(UNIT, demonstrations=True)["printed"]
    assert "shuffled: 0 of 1,000 are seen as 8, 1,000 as 5" in printed


@proves(UNIT, "With your rules in its table it finds the way back by itself:")
def test_the_engine_calls_the_notebook_s_rules_and_finds_the_same(solved: Any) -> None:
    names = solved(UNIT, demonstrations=True)
    assert "the engine's gradients of pixels and weights: off by 0.0" in names["printed"]
    for op, rule in (("@", "batched_matmul_rule"), ("max", "amax_rule"), ("permute", "permute_rule")):
        assert names["OPERATIONS"][op][1] is names[rule]
