"""A unit's text and code in the order in which it is read: hints left out, a piece of text for each heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...unit.assignment import Assignment
from ...unit.cell import Cell

HINTS = re.compile(r"<details>.*?</details>\s*", re.DOTALL)
HEADING = re.compile(r"(#{1,4}) +(.+)")
FENCE = re.compile(r" {0,3}(```|~~~)")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
PREDICT = "**Predict, then run.**"
TIME_TOLD = re.compile(r"\*\*Time:\*\* (?:about )?(\d+) minutes")
#: "(90 without sections 7, 8)": the minutes without them, and the sections
SHORT_TOLD = re.compile(r"minutes \((\d+) without sections? ([\d, to]+)\)\.")


@dataclass(frozen=True)
class Picture:
    """A picture that a cell has drawn: its PNG in base64, and what it shows in words."""

    png: str
    alt: str


@dataclass(frozen=True)
class Item:
    """A heading with the text below it, or a cell of code with what it gave."""

    #: the place of its cell in the notebook
    place: int
    cell: Cell
    #: 1 to 4; 0 for code, and for text that has no heading
    level: int = 0
    heading: str = ""
    body: str = ""
    picture: Picture | None = None
    printed: str = ""

    @property
    def is_code(self) -> bool:
        return self.cell.cell_type == "code"

    @property
    def is_prediction(self) -> bool:
        return self.is_code and "predicted(prediction, " in self.cell.source

    @property
    def exercise(self) -> str:
        """The exercise whose statement this is; else empty."""
        found = re.match(r"Exercise `(\w+)`", self.heading)
        return found[1] if found else ""


@dataclass(frozen=True)
class Lesson:
    """A unit as it is read."""

    assignment: Assignment
    items: tuple[Item, ...]
    title: str = field(default="")

    @classmethod
    def of(cls, assignment: Assignment) -> Lesson:
        """The unit's notebook, as it was built."""
        items = tuple(_items(assignment))
        heads = [item.heading for item in items if item.level == 1]
        title = heads[0] if heads else str(assignment.notebook.metadata["autograder"].get("title", ""))
        return cls(assignment, items, title or assignment.unit)

    @property
    def places(self) -> int:
        """How many cells the notebook has."""
        return len(self.assignment.cells)


def _items(assignment: Assignment) -> Iterator[Item]:
    # Checks and answers are taken as students get them, so that nothing else can come onto a slide.
    cells = zip(assignment.released, assignment.notebook.cells, strict=True)
    for place, (cell, built) in enumerate(cells):
        if cell.cell_type == "code":
            outputs = built.get("outputs", [])
            yield Item(place, cell, picture=picture_of(outputs), printed=printed_by(outputs))
        else:
            yield from _pieces(place, cell)


def _pieces(place: int, cell: Cell) -> Iterator[Item]:
    """The pieces of a cell of text, one for each of its headings; a `##` in a block of code is no heading."""
    level, heading, fenced = 0, "", False
    lines: list[str] = []
    for line in [*HINTS.sub("", cell.source).splitlines(), "# "]:
        found = None if fenced else HEADING.fullmatch(line.rstrip())
        fenced ^= bool(FENCE.match(line))
        if found or line == "# ":
            body = "\n".join(lines).strip()
            if heading or body:
                yield Item(place, cell, level, heading, body)
        if found:
            level, heading, lines = len(found[1]), found[2], []
        else:
            lines.append(line)


def picture_of(outputs: Sequence[Any]) -> Picture | None:
    """The first picture of a cell's outputs."""
    for output in outputs:
        if "image/png" in output.get("data", {}):
            alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
            return Picture("".join(output["data"]["image/png"].split()), " ".join(str(alt).split()))
    return None


def printed_by(outputs: Sequence[Any]) -> str:
    """What a cell has printed and shown as text, without colours."""
    found = []
    for output in outputs:
        data = output.get("data", {})
        shown = "" if "image/png" in data else data.get("text/plain", "")
        found.append(output.get("text", "") or (shown + "\n" if shown else ""))
    return ANSI.sub("", "".join(found)).strip("\n")


def blocks(text: str) -> list[str]:
    """Paragraphs, lists, tables, formulas and blocks of code, one after the other.

    >>> blocks("a\\nb\\n\\n```\\nc\\n\\nd\\n```")
    ['a\\nb', '```\\nc\\n\\nd\\n```']
    """
    found: list[list[str]] = [[]]
    fenced = False
    for line in text.splitlines():
        fenced ^= bool(FENCE.match(line))
        if line.strip() or fenced:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return ["\n".join(lines) for lines in found if lines]
