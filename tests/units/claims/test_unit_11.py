"""What unit 11 says of PyTorch, and its numbers."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import numpy as np

from . import proves

UNIT = "11_testing_gradients"


def cube_with(torch: ModuleType, slope: Any, forward_slope: Any = None) -> Any:
    """x³ with rules of our own."""

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * slope(*ctx.saved_tensors)

        @staticmethod
        def jvp(ctx: Any, v: Any) -> Any:
            return v * (forward_slope or slope)(*ctx.saved_tensors)

    return Cube.apply


@proves(
    UNIT,
    "`torch.autograd.gradcheck` is this unit's test: in double precision, by central differences.",
    "The cell runs it where PyTorch is installed, on a right and on a wrong rule, and compares with yours.",
    "import torch",
    "| `mended_test`, every entry | `torch.autograd.gradcheck` |",
    "| `rule_is_right`, one random direction | `gradcheck(..., fast_mode=True)` |",
)
def test_gradcheck_finds_wrong_rules_by_all_entries_and_along_one_direction(torch: ModuleType) -> None:
    x = torch.tensor([0.5, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    for options in ({}, {"fast_mode": True}):
        check = torch.autograd.gradcheck
        assert check(cube_with(torch, lambda x: 3 * x**2), (x,), **options)
        assert not check(cube_with(torch, lambda x: 2 * x**2), (x,), raise_exception=False, **options)
    count = []

    def counted(x: Any) -> Any:
        count.append(1)
        return (x**3).sum()

    many = torch.rand(50, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(counted, (many,))
    entries = len(count)
    count.clear()
    torch.autograd.gradcheck(counted, (many,), fast_mode=True)
    assert entries > 100 > 10 > len(count)


@proves(UNIT, "| `dot_product_test` | `gradcheck(..., check_forward_ad=True)`, forward against differences |")
def test_gradcheck_checks_forward_mode_where_it_is_asked_to(torch: ModuleType) -> None:
    x = torch.tensor([0.5, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    half = cube_with(torch, lambda x: 3 * x**2, lambda x: 2 * x**2)
    assert torch.autograd.gradcheck(half, (x,))
    assert not torch.autograd.gradcheck(half, (x,), check_forward_ad=True, raise_exception=False)


@proves(UNIT, "| the tolerance | its `eps=1e-6`, `atol=1e-5`, `rtol=1e-3` |")
def test_the_defaults_of_gradcheck(torch: ModuleType) -> None:
    defaults = inspect.signature(torch.autograd.gradcheck).parameters
    assert [defaults[name].default for name in ("eps", "atol", "rtol")] == [1e-6, 1e-5, 1e-3]


@proves(UNIT, "Along $v = (1, 0.5)$ the product grows by 5 · 1 + 2 · 0.5 = 6.")
def test_the_worked_numbers(solved: Any) -> None:
    names = solved(UNIT)
    arrays = [np.array([2.0]), np.array([5.0])]
    along = names["slope_along"](
        lambda a, b: a * b, arrays, np.ones(1), [np.array([1.0]), np.array([0.5])], 1e-4
    )
    assert round(along, 6) == 5 * 1 + 2 * 0.5 == 6


@proves(
    UNIT,
    "If e is a hundred times the tolerance, then about one random direction in a hundred misses it.",
    "With $h = 10^{-6}$ it is $2 \\cdot 10^{-10}$ where f is near 1, but $2 \\cdot 10^{-4}$ near a million.",
    "equally large near the cube root of ε, here 0.005.",
)
def test_how_often_a_direction_misses_and_how_much_rounding_moves_a_slope() -> None:
    rng = np.random.default_rng(0)
    error = rng.standard_normal(6)
    seen = rng.standard_normal((100_000, 6)) @ error
    missed = (np.abs(seen) < 0.01 * np.linalg.norm(error)).mean()
    assert 0.006 < missed < 0.01
    eps = np.finfo(float).eps
    assert f"{eps / 1e-6:.0e}" == "2e-10"
    assert f"{eps * 1e6 / 1e-6:.0e}" == "2e-04"
    assert round(float(np.finfo(np.float32).eps) ** (1 / 3), 3) == 0.005
