"""Unit 16 rebuilds what the reference has: an answer that takes it from there earns nothing."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.referee.judge import grade
from autograder.sandbox.walls import Sandbox
from autograder.unit.ingest import Submission

from .test_units import assignment_of

UNIT = "16_small_gpt"

#: For an exercise, an answer that leaves the work to others.
TAKEN = {
    "tied_rule": """
def tied_rule(ids, g, h, to_logits):
    from autograd_ref import Tensor
    E = Tensor(np.zeros((to_logits.shape[1], h.shape[1])), requires_grad=True)
    ((E[ids] * g).sum() + ((h @ E.T) * to_logits).sum()).backward()
    return E.grad.data
""",
    "with_temperature": """
def with_temperature(logits, temperature):
    from autograd_ref.ops import softmax
    return softmax(logits / temperature)
""",
    "mended_attend": """
def mended_attend(q, k, v, cache):
    from autograd_ref.functional import scaled_dot_product_attention
    keys, values = np.concatenate([cache[0], k], axis=1), np.concatenate([cache[1], v], axis=1)
    seen = np.tri(q.shape[1], keys.shape[1], k=cache[0].shape[1], dtype=bool)
    return scaled_dot_product_attention(q, keys, values, seen), (keys, values)
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
    exec(next(cell.source for cell in assignment_of(UNIT).cells if cell.name == name), solved)
    rng = np.random.default_rng(0)
    ids, g, h, to_logits = rng.integers(0, 7, 9), *(rng.standard_normal((9, n)) for n in (4, 4, 7))
    q, k, v = rng.standard_normal((3, 2, 6, 4))
    given = {
        "tied_rule": (ids, g, h, to_logits),
        "with_temperature": (to_logits, 0.7),
        "mended_attend": (q[:, 4:], k[:, 4:], v[:, 4:], (k[:, :4], v[:, :4])),
    }[name]
    ours, theirs = (space[name](*given) for space in (taken, solved))  # type: ignore[operator]
    for a, b in zip(*([r] if isinstance(r, np.ndarray) else r for r in (ours, theirs)), strict=True):
        for one, other in zip(a, b, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)
