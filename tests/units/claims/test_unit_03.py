"""What unit 03 says of its own runs: a turn that comes too early, what both modes cost, a corner, the sign of g."""

from __future__ import annotations

import math
from typing import Any

from . import printed_by, proves


@proves(
    "03_reverse_mode",
    "s passed on 0, for q had sent it nothing yet.",
    "Its 4 came too late, and `x` keeps the 3 from p alone.",
)
def test_a_value_that_has_its_turn_too_early_passes_on_0(solved: Any) -> None:
    names = solved("03_reverse_mode")
    V = names["graph_of_V"](*names["inputs_of_V"]())
    p, q = V.parents
    x, s = p.parents[0], q.parents[1]
    V.grad, before = 1.0, []
    for node in (V, p, s, q):
        before.append(x.grad)
        names["pass_back"](node, names["RULES"])
    assert before == [0.0, 0.0, 3.0, 3.0]  # s changed nothing
    assert (x.grad, s.grad) == (3.0, 4.0)
    said = printed_by("03_reverse_mode", names, 'prediction, "too_early"')
    assert said == "x.grad: 3.0\ns.grad: 4.0\n"
    names["backpropagate"](V)
    assert (x.grad, s.grad) == (7.0, 4.0)


@proves(
    "03_reverse_mode",
    "What to see, on two logarithmic scales: with one input both cost the same, with 300 it is 300 to one.",
)
def test_with_300_inputs_it_is_300_to_one(solved: Any) -> None:
    counts = solved("03_reverse_mode", demonstrations=True)["counts"]
    assert counts[1] == (1, 1, True)
    reverse, forward, same = counts[300]
    assert same and forward == 300 * reverse and max(counts) == 300


@proves(
    "03_reverse_mode",
    "At its corner `rule_error` blames even a right rule: a numerical derivative averages both sides.",
)
def test_at_its_corner_the_right_rule_of_relu_is_blamed(solved: Any) -> None:
    names = solved("03_reverse_mode")
    relu = names["FORWARD"]["relu"]
    assert names["rule_error"](relu, names["relu_vjp"], 2.0) == 0.0
    assert names["rule_error"](relu, names["relu_vjp"], 0.0) == round(1.7 * (0 + 1) / 2, 6)


@proves("03_reverse_mode", "A rule that looks unusual need not be wrong: trust `rule_error`, not your eyes.")
def test_rule_error_sees_a_rule_that_loses_the_sign_of_g(solved: Any) -> None:
    names = solved("03_reverse_mode")
    for a in (-2.0, 1.7, 3.0):
        assert names["rule_error"](abs, lambda g, out, a: (math.copysign(g, a),), a) > 1.0
        assert names["rule_error"](abs, lambda g, out, a: (g * out / a,), a) == 0.0


@proves("03_reverse_mode", "Tiny angles count, too.")
def test_a_tiny_angle_is_lost_beside_half_of_pi() -> None:
    assert math.sin(-1e-20) == -1e-20
    assert -1e-20 + math.pi / 2 == math.pi / 2
    assert abs(math.cos(-1e-20 + math.pi / 2) / 1e-20) > 1e3  # which -math.sin gives exactly


@proves(
    "03_reverse_mode",
    "This is how wrong gradients survive tests: at 1, and at positive inputs alone.",
)
def test_of_the_three_wrong_rules_two_are_right_at_1_and_one_at_positive_numbers(solved: Any) -> None:
    names = solved("03_reverse_mode")
    rules, error = names["CONTRIBUTED"], names["rule_error"]
    assert error(*rules["cube"], 1.0) == error(*rules["divide"], 1.7, 1.0) == 0.0
    assert error(*rules["cube"], 1.7) > 0.1
    assert error(*rules["divide"], 1.7, 1.7) > 0.1  # equal inputs hide nothing
    assert error(*rules["absolute"], 1.7) == 0.0 < error(*rules["absolute"], -1.7)


@proves(
    "03_reverse_mode",
    "But Python stops nested calls at a limit, 1,000 unless you raise it, and long computations are deeper:",
)
def test_the_recursive_walk_orders_V_and_stops_at_a_long_chain(solved: Any) -> None:
    names = solved("03_reverse_mode", demonstrations=True)
    V = names["graph_of_V"](*names["inputs_of_V"]())
    assert [node.label for node in names["visit"](V, [])] == ["x", "y", "p", "z", "s", "q", "V"]
    assert printed_by("03_reverse_mode", names, "visit(y, [])").startswith("RecursionError")
