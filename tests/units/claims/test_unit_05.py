"""What unit 05 says of arrays that are shared and changed, and of whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import proves


@proves(
    "05_tensors",
    "So a rule **never writes into its arguments**: `g * b` makes a new array, `g *= b` does not.",
    "Beware: `x += y` writes into `x`, and after `add_rule` two parents may hold *the same array*.",
    "(An `unbroadcast` by its hint 2 always copies, which hides the fault here.",
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
