"""Lets nothing be longer than a slide: paragraphs go on to a next one, long code is split in two."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from .items import FENCE

#: So many lines of text or code are read on one slide, and so many letters make a line of text.
LINES, LETTERS = 18, 80
#: Code that is so little longer is not parted.
SPARE = 2
BEGINS = re.compile(r"(?:def|class|@|[A-Z_]+ =)")
#: A picture takes as much place as so many lines.
PICTURE = 10


def height(block: str) -> int:
    """About how many lines a paragraph, a list, a table, a picture or a block of code takes.

    >>> height("one"), height("- a\\n- b"), height("![a](attachment:b.png)")
    (2, 3, 10)
    """
    lines = block.splitlines()
    if FENCE.match(block):
        return 1 + sum(not FENCE.match(line) for line in lines)
    if block.startswith("!["):
        return PICTURE
    if re.match(r"[-*|] ?|\d+\. |\$\$", block):
        return 1 + sum(math.ceil(len(line) / LETTERS) for line in lines)
    return 1 + math.ceil(len(" ".join(lines)) / LETTERS)


def pages(blocks: Iterable[str], room: int = LINES) -> list[list[str]]:
    """The blocks in as many slides as they need; one that is alone too high stays whole, and "this:" goes with this.

    >>> pages(["a", "b", "c"], room=4), pages(["a", "see:", "c"], room=4)
    ([['a', 'b'], ['c']], [['a'], ['see:', 'c']])
    """
    found: list[list[str]] = [[]]
    used = 0
    for block in blocks:
        needed = height(block)
        if found[-1] and used + needed > room:
            ahead = [found[-1].pop()] if len(found[-1]) > 1 and found[-1][-1].endswith(":") else []
            found.append(ahead)
            used = sum(map(height, ahead))
        found[-1].append(block)
        used += needed
    return [page for page in found if page]


def fenced(code: str, language: str = "python") -> str:
    """A block of code or of text in Markdown."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def halves(code: str, most: int = LINES) -> list[str]:
    """Code as one piece, or as two that fit a slide each; what is more than that is left out, and said.

    It is parted between two definitions if it can be, else at an empty line, else where the first slide is full.

    >>> halves("a = 1\\n\\n\\ndef f():\\n    b = 2\\n    pass", most=3)
    ['a = 1', 'def f():\\n    b = 2\\n    pass']
    >>> halves("a\\nb\\nc\\nd", most=1)
    ['a', 'b\\n# ... and 2 lines more, in the notebook']
    """
    lines = code.strip("\n").splitlines()
    if len(lines) <= most + SPARE:
        return ["\n".join(lines)]
    least = len(lines) - most if len(lines) <= 2 * most else 1
    part = _parted(lines, least, most, len(lines) / 2)
    first, second = lines[:part], lines[part:]
    if len(second) > most:
        end = _parted(second, 1, most, most)
        more = sum(bool(line.strip()) for line in second[end:])
        told = f"# ... and {more} line{'s' * (more > 1)} more, in the notebook"
        second = [*"\n".join(second[:end]).rstrip().splitlines(), told]
    return ["\n".join(half).strip("\n") for half in (first, second)]


def _parted(lines: list[str], least: int, most: int, best: float) -> int:
    """Where code is parted, nearest to the best place: before a definition, else after an empty line, else anywhere."""
    places = range(max(1, least), min(most, len(lines) - 1) + 1)
    definitions = [i for i in places if BEGINS.match(lines[i]) and not lines[i - 1].startswith("@")]
    gaps = [i for i in places if not lines[i - 1].strip()]
    return min(definitions or gaps or places, key=lambda i: abs(i - min(best, most)))


def shortened(text: str, most: int = LINES) -> str:
    """A printed text of so many lines at most.

    >>> shortened("1\\n2\\n3\\n4", most=3)
    '1\\n2\\n...'
    """
    lines = text.splitlines()
    return "\n".join(lines if len(lines) <= most else [*lines[: most - 1], "..."])


def fits(printed: str, most: int = 12, wide: int = 90) -> bool:
    """Whether an answer can be read below its question."""
    lines = printed.splitlines()
    return 0 < len(lines) <= most and max(map(len, lines)) <= wide
