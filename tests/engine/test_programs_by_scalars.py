"""Random programs give the values and gradients of an independent engine of single numbers; no other library needed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from .programs.language import OURS, Program, code, printed
from .programs.running import Session, array, is_tensor
from .programs.scalars import Scalars, Tensor
from .programs.writing import KINDS, Writer

#: What the engine of single numbers does not have: other dtypes, NumPy's writes, modules, optimizers.
WITHOUT = {
    "arrays", "cast", "copying", "index_array_changes", "mixed", "modules", "optimizing", "outside", "transforming",
    "wanting", "changing_integers", "integers",
}  # fmt: skip


def written(seed: int) -> Program:
    """A program in float64, written by our engine alone."""
    writer = Writer(seed, session=Session(alone=True))
    writer.single = False
    writer.kinds = {name: kind for name, kind in writer.kinds.items() if name not in WITHOUT}
    return writer.write()


def same(ours: np.ndarray, numbers: Tensor) -> bool:
    """Equal within rounding; where a value is infinite or NaN nothing is said."""
    theirs = numbers.values()
    if ours.shape != theirs.shape or not (
        np.isfinite(ours).all() and np.isfinite(theirs.astype(float)).all()
    ):
        return ours.shape == theirs.shape
    scale = max(1.0, float(np.abs(theirs).max())) if theirs.size else 1.0
    return bool(np.allclose(ours, theirs, rtol=1e-7, atol=1e-8 * scale))


def compared(program: Program) -> tuple[int, int]:
    """How many values and how many gradients were compared, until one engine says that it cannot go on."""
    here, there = Session(alone=True), Scalars()
    values = gradients = 0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, statement in enumerate(program):
            if here.ours.do(statement):
                return values, gradients
            try:
                exec(code(statement.text(OURS)), there.space)
            except (AttributeError, TypeError, NotImplementedError, NameError):
                return values, gradients
            if statement.effect == "value" and statement.form.ours != "{0}.grad":
                mine, numbers = here.ours.value(statement.to), there.space[statement.to]
                if not isinstance(numbers, Tensor):
                    continue
                assert same(array(mine), numbers), shown(
                    program[: i + 1], statement.to, array(mine), numbers.values()
                )
                values += 1
                continue
            for name, mine in here.ours.variables():
                numbers = there.space.get(name)
                if not is_tensor(mine) or numbers is None:
                    continue
                assert same(array(mine), numbers), shown(
                    program[: i + 1], name, array(mine), numbers.values()
                )
                if mine.is_leaf and mine.grad is not None:
                    g = array(mine.grad)
                    assert numbers.grad is not None or not g.any(), shown(program[: i + 1], name, g, None)
                    if numbers.grad is not None:
                        assert same(g, numbers.grad), shown(
                            program[: i + 1], f"{name}.grad", g, numbers.grad.values()
                        )
                        gradients += 1
    return values, gradients


def shown(program: Program, name: str, ours: object, theirs: object) -> str:
    return f"{printed(program, OURS)}\n{name}\nhere: {ours}\nnumbers: {theirs}"


@pytest.mark.parametrize("batch", range(4))
def test_random_programs_agree_with_an_engine_of_single_numbers(batch: int) -> None:
    counts = [compared(written(seed)) for seed in range(100 * batch, 100 * batch + 100)]
    values, gradients = map(sum, zip(*counts, strict=True))
    assert values > 500 and gradients > 60, f"{values} values and {gradients} gradients show little"


def test_what_is_left_out_are_kinds_of_statement() -> None:
    assert set(KINDS) >= WITHOUT


def test_the_single_numbers_see_a_wrong_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    from autograd_ref import ops

    monkeypatch.setattr(ops.tanh, "vjps", (lambda g, ans, _x: g * ans,))
    with pytest.raises(AssertionError, match=r"tanh[\s\S]*grad"):
        _ = [compared(written(seed)) for seed in range(400)]
