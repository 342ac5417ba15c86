"""Unit 17 has no given code: an engine that is taken from elsewhere earns nothing, and each part stands for itself."""

from __future__ import annotations

import pytest

from autograder.learner.engine_file import EXERCISE, UNIT
from autograder.referee.bank import load_bank
from autograder.referee.judge import grade
from autograder.referee.report import Outcome
from autograder.sandbox.walls import Sandbox
from autograder.unit.ingest import Submission

from .test_units import assignment_of

#: Ways to an engine that is not one's own.
TAKEN = {
    "imported": "from autograd_ref import Tensor\nfrom autograd_ref.nn import Linear, Sequential\n"
    "from autograd_ref.optim import Adam",
    "in the functions": "class Tensor:\n    def __new__(cls, *args, **options):\n"
    "        from autograd_ref.core.tensor import Tensor\n        return Tensor(*args, **options)",
    "mine": "from autograder import mine\nTensor, nn, optim, functional = mine.engine()\n"
    "Linear, Sequential, Adam = nn.Linear, nn.Sequential, optim.Adam",
    "a file beside the notebook": "from engine import Tensor, Linear, Sequential, Adam",
}


def outcome_of(answer: str, sandbox: Sandbox) -> Outcome:
    report = grade(
        assignment_of(UNIT), Submission(answers={EXERCISE: answer}), sandbox, seed=3, only=EXERCISE
    )
    (outcome,) = report.outcomes
    return outcome


@pytest.mark.parametrize("way", TAKEN)
def test_an_engine_that_is_taken_from_elsewhere_earns_nothing(way: str, sandbox: Sandbox) -> None:
    outcome = outcome_of(TAKEN[way], sandbox)
    assert outcome.points == 0 and outcome.status != "passed"


def test_who_has_the_tensor_alone_earns_its_parts(sandbox: Sandbox) -> None:
    solution = assignment_of(UNIT).exercise(EXERCISE).solution
    tensor = solution[: solution.index("class Linear")]
    assert outcome_of(tensor, sandbox).kept == {
        "values", "graphs", "broadcasting", "shapes", "depth", "memory",
    }  # fmt: skip
    with_layers = solution[: solution.index("class Adam")]
    assert "layers" in outcome_of(with_layers, sandbox).kept


def test_a_product_and_a_sum_earn_nothing_yet_and_are_told_what_is_missing(sandbox: Sandbox) -> None:
    outcome = outcome_of(
        "class Tensor:\n    def __init__(self, data, requires_grad=False): self.data = data", sandbox
    )
    assert outcome.points == 0
    assert "training (1 point): not written yet" in outcome.text


def test_a_part_that_is_not_right_yet_says_how_many_of_its_checks_were(sandbox: Sandbox) -> None:
    solution = assignment_of(UNIT).exercise(EXERCISE).solution
    first = solution.replace("        return -self + other", "        raise TypeError")
    values = next(line for line in outcome_of(first, sandbox).text.splitlines() if "values (1" in line)
    raised = "  part      values (1 point): your code raised TypeError, after 1 check that was right"
    assert values == raised  # 2 - x is its second check
    later = solution.replace("g * (self.data > 0)", "g * (self.data >= 0)")
    graphs = next(line for line in outcome_of(later, sandbox).text.splitlines() if "graphs (3" in line)
    assert graphs.endswith(", after 21 checks that were right")


def test_the_bank_has_wrong_engines_for_each_part_and_right_ones_of_several_designs() -> None:
    entries = [entry for entry in load_bank(assignment_of(UNIT)) if entry.exercise == EXERCISE]
    assert sum(not entry.right for entry in entries) >= 25
    assert sum(entry.right for entry in entries) >= 5
