"""What unit 05 says of arrays that are shared and changed, and of whole numbers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from . import proves


@proves(
    "05_tensors",
    "So a rule **never writes into its arguments**: `g * b` makes a new array, `g *= b` does not.",
    "Beware: `x += y` writes into `x`, and after `add_rule` two parents may hold *the same array*.",
    "(Your `unbroadcast` may copy, and hide this fault.",
    "The check's `fit` does not.)",
)
def test_a_sum_in_place_is_seen_only_where_nothing_copies(solved: Any) -> None:
    names = dict(solved("05_tensors"))
    g = np.array([10.0, -1.0])
    for_a, for_b = names["add_rule"](g, None, None, None)
    assert for_a is for_b is g
    copied = names["unbroadcast"](g, g.shape)
    assert copied.tolist() == g.tolist() and not np.shares_memory(copied, g)

    def in_place(node: Any, rules: Any, fit: Any) -> None:
        for parent, c in zip(node.parents, rules[node.op](node.grad, node.data, *node.inputs), strict=True):
            if parent.grad is None:
                parent.grad = fit(c, parent.data)
            else:
                parent.grad += fit(c, parent.data)

    def grads(fit: Any) -> list[Any]:
        x, y = names["Tensor"]([1, 2]), names["Tensor"]([3, 4])
        for node in (x + y, x + x):
            node.grad = g.copy()
            in_place(node, names["RULES"], fit)
        return [x.grad.tolist(), y.grad.tolist()]

    assert grads(names["fit"]) == [[30, -3], [10, -1]] != grads(lambda c, array: c)


def test_whole_numbers_are_floats_in_a_tensor_and_get_gradients_of_floats(solved: Any) -> None:
    names = solved("05_tensors")
    for whole in ([1, 2, 3], np.array([1, 2, 3])):
        x = names["Tensor"](whole)
        for half in (x * 0.5, 0.5 * x):
            assert half.data.tolist() == [0.5, 1.0, 1.5]
            names["backward"](half.sum())
            assert x.grad.tolist() == [0.5, 0.5, 0.5]
        assert (x + 0.7).data.tolist() == [1.7, 2.7, 3.7]
    assert names["Tensor"](4).data.dtype == float
    narrow = names["Tensor"](np.ones(2, dtype="float32"))
    mask = names["Tensor"](np.array([True, False]))
    assert names["where"](mask, narrow, 0.5).data.tolist() == [1.0, 0.5]


@proves(
    "05_tensors",
    "So unit 03's topological order comes without a search.",
    "Where nothing arrived, nothing is sent on.",
)
def test_backward_goes_from_young_to_old_and_past_what_got_nothing(solved: Any) -> None:
    names = dict(solved("05_tensors"))
    Tensor, visited = names["Tensor"], []
    x, a, b = Tensor([1, 0]), Tensor([2, 3]), Tensor([4, 5])
    condition = x * 1  # computed, and a condition gets None
    out = names["where"](condition, a, b * a.sigmoid())

    def send_back(node: Any, rules: Any, fit: Any) -> None:
        visited.append(node)
        names["send_back"](node, rules, fit)

    given = names["backward"].__globals__
    kept = given["send_back"]
    given["send_back"] = send_back
    try:
        names["backward"](out, [10, 10])
    finally:
        given["send_back"] = kept
    s = 1 / (1 + np.exp(-3.0))
    assert x.grad is condition.grad is None and condition not in visited
    assert np.allclose(a.grad, [10, 10 * 5 * s * (1 - s)]) and np.allclose(b.grad, [0, 10 * s])
    place = {node: k for k, node in enumerate(visited)}
    assert all(place[node] < place[p] for node in visited for p in node.parents if p in place)


def test_a_mended_rule_counts_once_the_tables_are_made_again(solved: Any) -> None:
    names = dict(solved("05_tensors"))
    assert names["RULES"]["*"] is names["mul_rule"] and names["FORWARD"]["sigmoid"] is names["sigmoid"]


@proves(
    "05_tensors",
    "Here are 19,807 / 24 = 825 times fewer boxes.",
    "Unit 04 had 1.378, 0.046 and 100.",
)
def test_boxes_are_fewer_and_the_run_is_unit_04s(solved: Any) -> None:
    names = solved("05_tensors", demonstrations=True)
    assert "boxes in the graph: 19,807 numbers, or 24 arrays" in names["printed"]
    assert round(19807 / 24) == 825
    assert "the same loss and the same 105 gradients, to 12 digits" in names["printed"]
    assert "loss 1.378 at first, 0.046 at last, 100 of 100 right" in names["printed"]
    printed = solved("04_scalar_networks", demonstrations=True)["printed"]
    assert "loss: 1.378 at first, 0.046 in the last of 80 steps" in printed and "right: 100 of 100" in printed


@proves(
    "05_tensors",
    "No error, and nothing learned: each score met all 100 targets, half of them 1 and half -1.",
    "So 0 is the best score; its loss is log 2, 0.693.",
)
def test_a_flat_target_trains_to_log_2_without_a_warning(solved: Any) -> None:
    names = solved("05_tensors", demonstrations=True)
    flat = names["target"].ravel()
    assert (flat == 1).sum() == (flat == -1).sum() == 50
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = names["eighty_steps"](names["first_layers"](), target=flat)
    assert told == "loss 0.969 at first, 0.693 at last, 52 of 100 right" and f"{math.log(2):.3f}" == "0.693"
    losses = [float(np.log1p(np.exp(-flat * score)).mean()) for score in (-0.1, 0.0, 0.1)]
    assert min(losses) == losses[1] == math.log(2)


@proves(
    "05_tensors",
    "One float64 is enough to lose that: the wider dtype wins, from there to the end (section 8).",
    "With float64 points only the six weights and biases stay narrow.",
    "In float32 alone the network learns as well.",
)
def test_one_float64_widens_all_that_is_made_from_it(solved: Any) -> None:
    names = solved("05_tensors", demonstrations=True)

    def narrow_boxes(of_x: str, of_target: str) -> list[Any]:
        layers = [
            tuple(names["Tensor"](t.data.astype("float32")) for t in pair) for pair in names["first_layers"]()
        ]
        inputs = names["Tensor"](names["points"].astype(of_x)), names["target"].astype(of_target)
        made = names["boxes"](names["array_step"](layers, 0.0, *inputs))
        narrow = [t for t in made if t.data.dtype == "float32"]
        told = names["eighty_steps"](layers, *inputs)
        assert told == "loss 1.378 at first, 0.046 at last, 100 of 100 right"
        return [len(made), len(narrow), {id(t) for t in narrow} == {id(t) for pair in layers for t in pair}]

    assert narrow_boxes("float64", "float64") == [24, 6, True]
    assert narrow_boxes("float32", "float64")[:2] == [24, 15]
    assert narrow_boxes("float32", "float32")[:2] == [24, 24]


@proves("05_tensors", "A single NumPy number does not (since NumPy 2), and `np.sqrt` gives one.")
def test_a_single_number_of_numpy_is_as_wide_as_an_array() -> None:
    x = np.ones(2, dtype="float32")
    assert int(np.__version__.split(".")[0]) >= 2
    assert (x * 2.0).dtype == np.float32 and (x * np.sqrt(4.0)).dtype == np.float64
    assert isinstance(np.sqrt(4.0), np.float64)
