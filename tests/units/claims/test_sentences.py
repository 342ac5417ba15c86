"""No sentence of a notebook speaks of PyTorch without a test, and no test of a sentence that is gone."""

from __future__ import annotations

import ast
import contextlib
import importlib
import math
import pkgutil
import re
from collections.abc import Iterator

import numpy as np
import pytest

from tests.units import claims
from tests.units.claims import (
    PROVED,
    about_pytorch,
    flat,
    numbers_in_code,
    numbers_in_prose,
    text_of,
    units,
)

for module in pkgutil.iter_modules(claims.__path__):
    if module.name.startswith("test_") and module.name != "test_sentences":
        importlib.import_module(f"{claims.__name__}.{module.name}")


@pytest.mark.parametrize("unit", units())
def test_every_sentence_about_pytorch_has_a_test(unit: str) -> None:
    sentences = list(about_pytorch(unit))
    missing = [sentence for sentence in sentences if (unit, sentence) not in PROVED]
    assert not missing, "write a test in tests/units/claims, marked with @proves, for:\n" + "\n".join(missing)


@pytest.mark.parametrize("unit", units())
def test_every_sentence_that_has_a_test_stands_in_its_notebook(unit: str) -> None:
    gone = [sentence for place, sentence in PROVED if place == unit and sentence not in text_of(unit)]
    assert not gone, "the tests of tests/units/claims prove sentences that are gone:\n" + "\n".join(gone)


@pytest.mark.parametrize("unit", units())
def test_every_number_in_the_prose_is_computed_somewhere(unit: str) -> None:
    typed = [
        f"{number}: {sentence}"
        for sentence, number in numbers_in_prose(unit)
        if number not in numbers_in_code(unit) and (unit, sentence) not in PROVED
    ]
    assert not typed, "compute these in the notebook, or in tests/units/claims:\n" + "\n".join(typed)


#: `"sum" in "cumsum"` is True; nan > 1e-6 is False
TRUTH = re.compile(r"(?:`([^`]+)`|\b((?:nan|inf|\d)[\w. *+-]* [<>=!]=? [\w. *+-]*?)) is (True|False)\b")


def truths_of(text: str) -> Iterator[tuple[str, bool]]:
    """What a text says of Python's own expressions, as it stands there, and what they are said to be."""
    for quoted, plain, said in TRUTH.findall(text):
        with contextlib.suppress(SyntaxError):
            names = {node.id for node in ast.walk(ast.parse(quoted or plain)) if isinstance(node, ast.Name)}
            if names <= set(KNOWN):  # not what belongs to PyTorch or to the unit: that has tests of its own
                yield quoted or plain, said == "True"


KNOWN = {"nan": math.nan, "inf": math.inf, "np": np}


def test_what_python_says_is_what_a_notebook_says_of_it() -> None:
    said = {(unit, *truth) for unit in units() for truth in truths_of(text_of(unit))}
    assert len(said) >= 5, said
    assert not [
        f"{unit}: {code} is not {value}"
        for unit, code, value in said
        if bool(eval(code, dict(KNOWN))) is not value
    ]
    once = '`"mul" in "matmul sum"` is False, and nan > 1e-6 is True, and `requires_grad` is False.'
    assert list(truths_of(once)) == [('"mul" in "matmul sum"', False), ("nan > 1e-6", True)]
    assert [bool(eval(code, dict(KNOWN))) for code, _ in truths_of(once)] == [True, False]


def test_every_proof_names_a_unit_of_the_course() -> None:
    assert {unit for unit, _ in PROVED} <= set(units())


def test_every_unit_from_the_first_to_the_last_speaks_of_pytorch() -> None:
    # Otherwise the extraction would be blind, and the test above would pass on nothing.
    assert all(len(list(about_pytorch(unit))) >= 4 for unit in units())


def test_sentences_rows_headings_and_comments_are_told_apart() -> None:
    markdown = (
        "### Exercise `f` (1 point)\nOne is so. Two, as in PyTorch:\n\n$$x$$\n\n- an item, as in\n  torch\n\n"
        "| here | in PyTorch |\n|---|---|\n| `f` | `g` |\n| `h` | `k` in PyTorch Lightning |\n\nThree."
    )
    assert list(claims.sentences_of(markdown)) == [
        "### Exercise `f` (1 point)",
        "One is so.",
        "Two, as in PyTorch:",
        "$$x$$",
        "- an item, as in torch",
        "| here | in PyTorch |",
        "|---|---|",
        "| `f` | `g` |",
        "| `h` | `k` in PyTorch Lightning |",
        "Three.",
    ]
    assert flat(" a\n  b ") == "a b"
