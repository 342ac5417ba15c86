"""Unit 14 rebuilds what the reference has: an answer that takes it from there, or from PyTorch, earns nothing."""

from __future__ import annotations

import pytest

from autograder.referee.judge import grade
from autograder.sandbox.walls import Sandbox
from autograder.unit.ingest import Submission

from .test_units import assignment_of

UNIT = "14_convolution"

#: For an exercise, an answer that leaves the work to others.
TAKEN = {
    "patches": """
def patches(x, kh, kw, stride=1, padding=0):
    from autograd_ref.functional.convolution import pad_image, windows
    found = windows(pad_image(x, (padding, padding)), (kh, kw), (stride, stride))
    return found.reshape(len(x), x.shape[1] * kh * kw, -1)
""",
    "mended_rule": """
def mended_rule(g, x, weight, stride, padding):
    from autograd_ref import Tensor, functional
    x, weight = (Tensor(a, requires_grad=True) for a in (x, weight[:, None]))
    functional.conv2d(x, weight, stride=stride, padding=padding, groups=len(weight)).backward(g)
    return x.grad.data, weight.grad.data[:, 0]
""",
    "max_pool": """
def max_pool(x, k):
    import autograd_ref
    return autograd_ref.functional.max_pool2d(x, k)


def max_pool_back(g, x, k):
    import autograd_ref
    t = autograd_ref.Tensor(x, requires_grad=True)
    autograd_ref.functional.max_pool2d(t, k).backward(g)
    return t.grad.data
""",
}


def test_an_answer_that_imports_what_the_unit_rebuilds_earns_nothing(sandbox: Sandbox) -> None:
    assignment = assignment_of(UNIT)
    answers = {e.name: e.solution for e in assignment.exercises} | TAKEN
    report = grade(assignment, Submission(answers=answers), sandbox, seed=3)
    outcomes = {outcome.name: outcome for outcome in report.outcomes}
    for name, outcome in outcomes.items():
        if name in TAKEN:
            assert outcome.points == 0
            assert "is what this unit rebuilds, so an answer may not import it" in outcome.text
        else:
            assert outcome.status == "passed"


@pytest.mark.parametrize("name", TAKEN)
def test_outside_of_the_grader_the_same_answer_is_right(name: str) -> None:
    # Otherwise the test above would pass on an answer that is wrong by itself.
    import numpy as np

    names: dict[str, object] = {"np": np}
    exec(TAKEN[name], names)
    solved: dict[str, object] = {"np": np}
    for cell in assignment_of(UNIT).cells:
        if cell.name in ("places_along", "windows", name):
            exec(cell.source, solved)
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((2, 3, 5, 6)), rng.standard_normal((3, 2, 2))
    calls = {
        "patches": [("patches", (x, 2, 3, 2, 1))],
        "mended_rule": [("mended_rule", (rng.standard_normal((2, 3, 3, 4)), x, weight, 2, 1))],
        "max_pool": [("max_pool", (x, 2)), ("max_pool_back", (rng.standard_normal((2, 3, 2, 3)), x, 2))],
    }
    for function, given in calls[name]:
        ours, theirs = (space[function](*given) for space in (names, solved))  # type: ignore[operator]
        for a, b in zip(*([r] if isinstance(r, np.ndarray) else r for r in (ours, theirs)), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)
