"""Compares our engine with that of single numbers, statement by statement."""

from __future__ import annotations

import warnings

import numpy as np

from .language import OURS, Program, code, printed
from .running import Session, array, is_tensor
from .scalars import Scalars, Tensor


def same(ours: np.ndarray, numbers: Tensor) -> bool:
    """Equal within rounding; where a value is infinite or NaN nothing is said."""
    theirs = numbers.values()
    if ours.shape != theirs.shape or not (
        np.isfinite(ours).all() and np.isfinite(theirs.astype(float)).all()
    ):
        return ours.shape == theirs.shape
    scale = max(1.0, float(np.abs(theirs).max())) if theirs.size else 1.0
    return bool(np.allclose(ours, theirs, rtol=1e-7, atol=1e-8 * scale))


def compared(program: Program) -> tuple[int, int, bool]:
    """How many values and gradients were compared, and whether the program came to its end.

    AssertionError where our engine and that of single numbers differ; it ends early where one of them cannot go on.
    """
    here, there = Session(alone=True), Scalars()
    values = gradients = 0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, statement in enumerate(program):
            if here.ours.do(statement):
                return values, gradients, False
            try:
                exec(code(statement.text(OURS)), there.space)
            except (AttributeError, TypeError, NotImplementedError, NameError, ValueError):
                return values, gradients, False
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
    return values, gradients, True


def shown(program: Program, name: str, ours: object, theirs: object) -> str:
    return f"{printed(program, OURS)}\n{name}\nhere: {ours}\nnumbers: {theirs}"
