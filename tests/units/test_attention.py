"""Unit 15 rebuilds what the reference has: an answer that takes it from there earns nothing."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.referee.judge import grade
from autograder.sandbox.walls import Sandbox
from autograder.unit.ingest import Submission

from .test_units import assignment_of

UNIT = "15_attention"

#: For an exercise, an answer that leaves the work to others.
TAKEN = {
    "causal_softmax": """
def causal_softmax(scores):
    from autograd_ref.ops import softmax
    return softmax(np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf))
""",
    "attention_rule": """
def attention_rule(g, p, q, k, v):
    from autograd_ref import Tensor, functional
    tensors = [Tensor(a, requires_grad=True) for a in (q, k, v)]
    functional.scaled_dot_product_attention(*tensors, is_causal=True).backward(g)
    return tuple(t.grad.data for t in tensors)
""",
    "block_rule": """
def block_rule(g, x, W):
    import autograd_ref
    x, W = (autograd_ref.Tensor(a, requires_grad=True) for a in (x, W))
    n = autograd_ref.functional.layer_norm(x, x.shape[-1])
    (x + (n @ W).tanh()).backward(g)
    return x.grad.data, W.grad.data
""",
}


def test_an_answer_that_imports_what_the_unit_rebuilds_earns_nothing(sandbox: Sandbox) -> None:
    assignment = assignment_of(UNIT)
    answers = {e.name: e.solution for e in assignment.exercises} | TAKEN
    report = grade(assignment, Submission(answers=answers), sandbox, seed=3)
    for outcome in report.outcomes:
        if outcome.name in TAKEN:
            assert outcome.points == 0
            assert "is what this unit rebuilds, so an answer may not import it" in outcome.text
        else:
            assert outcome.status == "passed"


@pytest.mark.parametrize("name", TAKEN)
def test_outside_of_the_grader_the_same_answer_is_right(name: str) -> None:
    # Otherwise the test above would pass on an answer that is wrong by itself.
    taken: dict[str, object] = {"np": np}
    exec(TAKEN[name], taken)
    solved: dict[str, object] = {"np": np}
    for cell in assignment_of(UNIT).cells:
        if cell.name in ("causal_softmax", "normalise", name):
            exec(cell.source, solved)
    rng = np.random.default_rng(0)
    scores, x, W, g = (rng.standard_normal(shape) for shape in ((2, 4, 4), (4, 3), (3, 3), (4, 3)))
    q, k, v, to = rng.standard_normal((4, 2, 4, 3))
    p = solved["causal_softmax"](q @ k.swapaxes(1, 2) / 3**0.5)  # type: ignore[operator]
    given = {"causal_softmax": (scores,), "attention_rule": (to, p, q, k, v), "block_rule": (g, x, W)}[name]
    ours, theirs = (space[name](*given) for space in (taken, solved))  # type: ignore[operator]
    for a, b in zip(*([r] if isinstance(r, np.ndarray) else r for r in (ours, theirs)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
