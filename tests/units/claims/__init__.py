"""Sentences of the notebooks, each with the test that holds it to the truth.

A test says which sentences it proves:

    @proves("05_tensors", "Where both are equal, each gets **half**, as in PyTorch.")
    def test_maximum_shares_at_a_tie(torch): ...

`test_sentences.py` extracts every sentence about PyTorch from all notebooks. One without a test fails there, and so
does a test whose sentence is no longer in its notebook. A number of two digits or more needs such a test, too, unless
the notebook's own code holds or prints it.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import nbformat

SOLUTIONS = Path(__file__).resolve().parents[3] / "solutions"

Test = TypeVar("Test", bound=Callable[..., Any])

#: The tests of each sentence: {(unit, sentence): [name of a test]}.
PROVED: dict[tuple[str, str], list[str]] = {}


def proves(unit: str, *sentences: str) -> Callable[[Test], Test]:
    """Mark a test as the proof of sentences of a unit, white space aside; of a table, a row is a sentence."""

    def mark(test: Test) -> Test:
        for sentence in sentences:
            PROVED.setdefault((unit, flat(sentence)), []).append(test.__name__)
        return test

    return mark


def flat(text: str) -> str:
    return " ".join(text.split())


def units() -> list[str]:
    return sorted(path.parent.name for path in SOLUTIONS.glob("[0-9]*/mistakes.py"))


@cache
def notebook(unit: str) -> nbformat.NotebookNode:
    """The executed notebook of a unit."""
    (path,) = (SOLUTIONS / unit).glob("*.ipynb")
    return nbformat.read(path, as_version=4)


@cache
def text_of(unit: str) -> str:
    """All that a learner reads in a unit, on one line: prose, code and what the code printed."""
    parts = []
    for cell in notebook(unit).cells:
        parts.append(cell.source)
        for output in cell.get("outputs", []):
            parts.append(output.get("text", ""))
    return flat("\n".join(parts))


def printed_by(unit: str, names: dict[str, Any], mark: str) -> str:
    """What the unit's one code cell with this text prints among these names, where its prediction is there."""
    (source,) = (c.source for c in notebook(unit).cells if c.cell_type == "code" and mark in c.source)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(source, mark, "exec"), {**names, "predicted": lambda *_: True})
    return said.getvalue()


def sentences_of(markdown: str) -> Iterator[str]:
    """The sentences of a markdown text; a heading, an item of a list and a row of a table are one each."""
    for block in re.split(r"\n\s*\n|\n(?=[|#]|- )|(?<=\|)\n|(?m:(?<=^)(#+ .*)\n)", markdown):
        block = re.sub(r"<[^>]*>", " ", block or "").strip()
        if block.startswith(("|", "#", "- ", "```")):
            yield flat(block)
        elif block:
            yield from map(flat, re.split(r"(?<=[.?!:])\s+(?=[A-Z`*(\"$])", block))


def about_pytorch(unit: str) -> Iterator[str]:
    """Every sentence, comment and docstring of a unit that speaks of PyTorch, and every row of a table of its names."""
    for cell in notebook(unit).cells:
        if cell.cell_type == "code":
            said = (re.search(r"#.*|\"\"\".*|^[^=()\[\]]*$", line) for line in cell.source.splitlines())
            yield from (flat(words[0]) for words in said if words and "torch" in words[0].lower())
            continue
        in_table = False
        for sentence in sentences_of(cell.source):
            row = sentence.startswith("|")
            if row and re.search(r"\| in PyTorch\b", sentence):
                in_table = True  # this is its heading, the rows make the claims
            elif row and in_table and set(sentence) <= set("|- :"):
                pass
            else:
                in_table = in_table and row
                if in_table or "torch" in sentence.lower():
                    yield sentence


#: A number that stands by itself: 9.61, 1,797 or 3.72e-44, and not the 2 of `W2`.
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\d)")


def numbers_in_prose(unit: str) -> Iterator[tuple[str, str]]:
    """Each sentence of a unit with a number in it of two digits or more, and the number; 0s do not count."""
    for cell in notebook(unit).cells:
        if cell.cell_type != "markdown" or cell.id == "going_on":  # which names the next unit by its number
            continue
        # A block of code is none, and one of text is a table.
        for sentence in sentences_of(re.sub(r"```(?!text).*?```", " ", cell.source, flags=re.DOTALL)):
            if sentence.startswith(("#", "**Time:**")):
                continue
            for number in NUMBER.findall(sentence):
                if "e" in number or len(re.sub(r"[^1-9]", "", number)) >= 2:
                    yield sentence, number.replace(",", "")


@cache
def numbers_in_code(unit: str) -> frozenset[str]:
    """The numbers that a unit's code holds, or prints."""
    text = []
    for cell in notebook(unit).cells:
        if cell.cell_type == "code":
            text.append(cell.source)
            for output in cell.get("outputs", []):
                text += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
    return frozenset(number.replace(",", "") for number in NUMBER.findall("\n".join(text)))
