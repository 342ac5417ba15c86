"""Random programs give the values and gradients of an independent engine of single numbers; no other library needed."""

from __future__ import annotations

import pytest

from .programs.by_scalars import compared
from .programs.language import Program
from .programs.running import Session
from .programs.writing import KINDS, Writer

#: What the engine of single numbers does not have: other dtypes, NumPy's writes, modules, optimizers, hooks.
WITHOUT = {
    "arrays", "cast", "copying", "index_array_changes", "mixed", "modules", "optimizing", "outside", "transforming",
    "wanting", "changing_integers", "integers", "watching", "own_functions", "checkpointing", "spreading", "attending",
    "labelling", "bordering",
}  # fmt: skip


def written(seed: int) -> Program:
    """A program in float64, written by our engine alone."""
    writer = Writer(seed, session=Session(alone=True))
    writer.single = False
    writer.kinds = {name: kind for name, kind in writer.kinds.items() if name not in WITHOUT}
    return writer.write()


@pytest.mark.parametrize("batch", range(4))
def test_random_programs_agree_with_an_engine_of_single_numbers(batch: int) -> None:
    counts = [compared(written(seed)) for seed in range(100 * batch, 100 * batch + 100)]
    values, gradients, _ = map(sum, zip(*counts, strict=True))
    assert values > 500 and gradients > 60, f"{values} values and {gradients} gradients show little"


def test_what_is_left_out_are_kinds_of_statement() -> None:
    assert set(KINDS) >= WITHOUT


def test_the_single_numbers_see_a_wrong_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    from autograd_ref import ops

    monkeypatch.setattr(ops.tanh, "vjps", (lambda g, ans, _x: g * ans,))
    with pytest.raises(AssertionError, match=r"tanh[\s\S]*grad"):
        _ = [compared(written(seed)) for seed in range(400)]
