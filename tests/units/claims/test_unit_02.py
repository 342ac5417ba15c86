"""Sentences of unit 02 about what a Dual holds and what it lacks, each computed here by the unit's own class."""

from __future__ import annotations

import math
from typing import Any

import pytest

from . import proves

UNIT = "02_forward_mode"


@proves(
    UNIT,
    "For a Dual, `sin` passes on *itself*: the `primal` may be a Dual, too (section 5), and `math.sin` takes plain "
    "numbers alone.",
)
def test_the_sine_of_a_dual_that_holds_duals(solved: Any) -> None:
    names = solved(UNIT)
    dual, sin = names["Dual"], names["sin"]
    with pytest.raises(TypeError, match="must be real number, not Dual"):
        math.sin(dual(1.0, 1.0))
    assert sin(dual(dual(1.0, 1.0), 1.0)).tangent.tangent == pytest.approx(-math.sin(1.0))
    with pytest.raises(TypeError):  # which is why it passes itself
        names["of_one"](math.sin, math.cos, dual(dual(1.0, 1.0), 1.0))


@proves(
    UNIT,
    "An inner `derivative` wraps its point in a new Dual.",
    "At `x` the outer slope is inside and the inner one outside: they stay apart.",
    "At 1.0 only the inner slope is there.",
    "Above, `x` and `y` were both `Dual(1.0, 1.0)`: x + y added the two slopes up to 2.",
)
def test_what_the_inner_function_gets(solved: Any) -> None:
    derivative, given = solved(UNIT)["derivative"], []

    def shown(y: Any) -> Any:
        given.append(repr(y))
        return y

    def added(x: Any) -> Any:
        return x * derivative(lambda y: shown(x) + shown(y), 1.0)

    derivative(lambda x: derivative(shown, x), 2.0)
    derivative(lambda x: derivative(shown, 1.0), 2.0)
    assert derivative(added, 1.0) == 2.0
    assert given == ["Dual(Dual(2.0, 1.0), 1.0)", *["Dual(1.0, 1.0)"] * 3]


def test_the_notebook_prints_what_the_inner_function_gets(solved: Any) -> None:
    printed = solved(UNIT, demonstrations=True)["printed"]
    lines = [line for line in printed.splitlines() if line.startswith("the inner function gets")]
    assert [line.rpartition("gets ")[2] for line in lines] == ["Dual(Dual(2.0, 1.0), 1.0)", "Dual(1.0, 1.0)"]
    assert "second derivative of 1 / x at 2: 0.25" in printed


@proves(UNIT, "| TypeError: unsupported or bad operand type | what `Dual` lacks, such as `2**x`, `abs(x)` |")
def test_what_a_dual_lacks(solved: Any) -> None:
    derivative = solved(UNIT)["derivative"]
    with pytest.raises(TypeError, match="unsupported operand type"):
        derivative(lambda x: 2**x, 1.0)
    with pytest.raises(TypeError, match="bad operand type"):
        derivative(abs, 1.0)


def test_a_power_of_0_is_flat_at_0_too(solved: Any) -> None:
    names = solved(UNIT)
    assert names["derivative"](lambda x: x**0, 0.0) == 0.0
    assert names["second_derivative"](lambda x: x**1, 0.0) == 0.0
    assert names["second_derivative"](lambda x: x**2, 0.0) == 2.0
