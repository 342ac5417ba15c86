"""Unit 13: its pictures say what is told of them, whichever right answers a learner has written."""

from __future__ import annotations

from typing import Any

import matplotlib
import pytest

from autograder.referee.bank import load_bank
from autograder.unit.cell import kind

from .claims import notebook
from .test_units import assignment_of

matplotlib.use("Agg")

UNIT = "13_second_derivatives"
#: The figures that use what a learner has written; each asserts what its sentence says.
FIGURES = ["tanh_family", "exact", "bent", "two_minima", "penalised", "solved_equation", "unrolled"]


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
