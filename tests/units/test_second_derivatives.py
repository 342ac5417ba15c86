"""Unit 13: its pictures say what is told of them, whichever right answers a learner has written."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pytest

from autograd_ref import Tensor
from autograder.referee.bank import load_bank
from autograder.unit.cell import kind

from .claims import notebook
from .claims.conftest import names_of
from .test_units import assignment_of

matplotlib.use("Agg")

UNIT = "13_second_derivatives"
#: The figures that use what a learner has written; each asserts what its sentence says.
FIGURES = ["tanh_family", "exact", "fifty", "bent", "two_minima", "penalised", "solved_equation", "unrolled"]


def others(exercise: str) -> list[str]:
    """The right answers of the bank to an exercise."""
    return [e.source for e in load_bank(assignment_of(UNIT)) if e.right and e.exercise == exercise]


@pytest.mark.parametrize("turn", [0, 1])
def test_the_pictures_hold_with_answers_that_are_written_otherwise(turn: int) -> None:
    assignment = assignment_of(UNIT)
    replaced = {e.name: others(e.name) for e in assignment.exercises}
    assert all(len(sources) >= 2 for sources in replaced.values())
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda shown: None}
    drawn = []
    for cell in notebook(UNIT).cells:
        if cell.cell_type != "code" or cell.id.endswith("_probes"):
            continue
        if kind(cell) in ("setup", "given", "answer"):
            exec(compile(cell.source, cell.id, "exec"), names)
        if kind(cell) == "answer":
            exec(compile(replaced[cell.id][turn], f"{cell.id}, otherwise", "exec"), names)
        if kind(cell) == "figure" and cell.id.removeprefix("figure_") in FIGURES:
            exec(compile(cell.source, cell.id, "exec"), names)
            drawn.append(cell.id.removeprefix("figure_"))
    assert drawn == FIGURES


@pytest.mark.parametrize("cut", ["tanh_rule", "gradients"])
def test_the_family_of_tanh_shows_a_graph_that_is_cut(cut: str) -> None:
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda shown: None}
    wrong = {
        "tanh_rule": "def tanh_rule(g, out, a):\n    return (g * Node(1 - out.data**2),)",
        "gradients": "right = gradients\ndef gradients(root, leaves):\n"
        "    return [Node(part.data) for part in right(root, leaves)]",
    }
    for cell in notebook(UNIT).cells:
        if cell.cell_type == "code" and kind(cell) in ("setup", "given", "answer"):
            if not cell.id.endswith("_probes"):
                exec(compile(cell.source, cell.id, "exec"), names)
            if cell.id == cut:
                exec(wrong[cut], names)
    (figure,) = (cell for cell in notebook(UNIT).cells if cell.id == "figure_tanh_family")
    with pytest.raises(AssertionError):
        exec(compile(figure.source, figure.id, "exec"), names)


#: What a learner may write in a rule or in a pass, of a Node x.
PLAIN = {
    "x + 2": lambda x: x + 2.0,
    "2 - x": lambda x: 2.0 - x,
    "x - 2": lambda x: x - 2.0,
    "1 / x": lambda x: 1.0 / x,
    "x / 3": lambda x: x / 3.0,
    "-x": lambda x: -x * x,
    "an array on the left of *": lambda x: np.array([2.0, -3.0]) * x * x,
    "an array on the left of -": lambda x: (np.array([2.0, -3.0]) - x) * x,
    "an array on the left of /": lambda x: np.array([2.0, -3.0]) / x,
    "a number of NumPy": lambda x: np.float64(2.0) * x * x,
    **{f"x ** {n}": lambda x, n=n: x**n for n in (-2, -1, 0, 1, 2, 3, np.int64(4))},
}


@pytest.mark.parametrize("told", PLAIN)
def test_a_node_has_the_operators_of_a_tensor(told: str) -> None:
    names = names_of(UNIT)
    leaf = names["Node"]([0.5, -2.0])
    at = Tensor([0.5, -2.0], requires_grad=True)
    here, there = PLAIN[told](leaf), PLAIN[told](at)
    np.testing.assert_allclose(here.data, there.data)
    for _ in range(3):
        (here,), there = names["gradients"](here, [leaf]), names["gradient"](there, at)
        np.testing.assert_allclose(here.data, there.data, rtol=1e-12)


def test_the_power_0_and_1_of_0_have_a_slope_and_a_root_has_none() -> None:
    names = names_of(UNIT)
    leaf = names["Node"]([0.0])
    slopes = [names["gradients"](leaf**n, [leaf])[0].data.item() for n in (0, 1, 2)]
    assert slopes == [0.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="whole powers"):
        leaf**0.5


@pytest.mark.parametrize(
    "rule", [*others("tanh_rule"), "def tanh_rule(g, out, a):\n    return (g * (1 - out ** 2),)"]
)
def test_each_right_rule_of_tensors_is_a_rule_of_nodes(rule: str) -> None:
    names = names_of.__wrapped__(UNIT)  # names of its own: the rule is replaced
    exec(rule, names["Node"].tanh.__globals__)
    leaf = names["Node"]([0.5, -1.0])
    slope = leaf.tanh()
    t = slope.data
    for want in (1 - t * t, -2 * t * (1 - t * t)):
        (slope,) = names["gradients"](slope, [leaf])
        np.testing.assert_allclose(slope.data, want)


@pytest.mark.parametrize("x", [Tensor([1.0, 2.0]), np.array([1.0, 2.0])])
def test_the_helpers_refuse_an_x_that_no_graph_knows(x: Any) -> None:
    names = names_of(UNIT)
    with pytest.raises(ValueError, match=r"gradient: no graph knows this x.*requires_grad=True"):
        names["gradient"](Tensor([3.0]) * 2.0, x)
    with pytest.raises(ValueError, match=r"along: no graph knows this x.*requires_grad=True"):
        names["along"](Tensor([3.0]) * 2.0, x, np.ones(2))
