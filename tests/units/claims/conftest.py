"""What the proofs need: PyTorch where it is installed, and the units' model answers."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import matplotlib
import pytest

from . import notebook

matplotlib.use("Agg")

#: Cells that define something; demonstrations run only where a test asks for them.
DEFINITIONS = ("setup", "given", "answer")


@pytest.fixture
def torch() -> ModuleType:
    """PyTorch, or a skipped test."""
    return pytest.importorskip("torch")


@cache
def names_of(unit: str, demonstrations: bool = False) -> dict[str, Any]:
    """The names that a solved notebook has, and under "printed" what its cells printed."""
    from autograder.unit.cell import kind

    names: dict[str, Any] = {"__name__": "__main__", "display": lambda shown: None}
    printed = io.StringIO()
    wanted = (*DEFINITIONS, "demo") if demonstrations else DEFINITIONS
    with contextlib.redirect_stdout(printed):
        for cell in notebook(unit).cells:
            if cell.cell_type == "code" and kind(cell) in wanted and not cell.id.endswith("_probes"):
                exec(compile(cell.source, cell.id, "exec"), names)
    return {**names, "printed": printed.getvalue()}


@pytest.fixture
def solved() -> Callable[..., dict[str, Any]]:
    """A function of a unit's name: what its model answers and its given cells define."""
    return names_of
