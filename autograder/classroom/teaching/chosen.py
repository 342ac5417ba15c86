"""Which of a unit's pieces come onto slides: one worked example, two predictions, the bug hunt, the last question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import UserError
from ...unit.cell import ANSWER, CHECK, DEMO, FIGURE, GIVEN, SETUP
from .items import PREDICT, Item, Lesson, blocks

NUMBERED = re.compile(r"\d+\. ")
HUNT = re.compile(r"\bbug hunt\b", re.IGNORECASE)
OWN_WORDS, TRY_NEXT = "In your own words", "One thing to try next"
#: What a notebook asks for, and a slide cannot.
NOT_ON_SLIDES = (
    (re.compile(r"\s*\bPut\s+your\s+prediction\s[^.]*\.(?:\s*Nobody\s+checks\s+it[^.]*\.)?"), ""),
    (re.compile(r"\bput\s+(the\s[^.]*?)\s+in\s+the\s+first\s+line"), r"find \1"),
)
#: Words by which a question shows that it is about the picture before it.
OF_A_PICTURE = re.compile(r"\b(?:curves?|rows?|columns?|pictures?|above|left)\b")
#: A calculation that stands in the text; a number, and how many of them work something out.
CALCULATION = re.compile(r"```(?:text)?\n[^`]*\d[^`]*\d")
NUMBER, MANY = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?"), 6


@dataclass(frozen=True)
class Example:
    """A worked example: the heading and the text before it, what it needs, the cell, and what is said after it."""

    heading: str
    text: str
    given: Item | None
    cell: Item | None
    after: str


@dataclass(frozen=True)
class Question:
    """A prediction: its section, what leads to it, what is asked, its cell, and the text that explains the answer."""

    heading: str
    before: str
    asked: str
    picture: Item | None
    cell: Item
    after: str


@dataclass(frozen=True)
class Hunt:
    """The bug hunt up to the colleague's test: items in their order, and what is asked for."""

    heading: str
    story: str
    shown: tuple[Item, ...]
    statement: Item | None


def example_of(lesson: Lesson) -> Example | None:
    """The cell that the header names; else the first section's worked example, in a cell or in the text; else a demo.

    Sections count from the first that is numbered. Predictions are no examples: their answer would be on the slide.
    """
    if named := str(lesson.assignment.notebook.metadata["autograder"].get("slides", {}).get("example", "")):
        return _named(lesson, named)
    items = lesson.items
    for k, item in enumerate(items):
        if item.level == 2 and NUMBERED.match(item.heading) and not HUNT.search(item.heading):
            found = _in_section(items, k)
            if found.cell or any(map(is_worked, blocks(found.text))):
                return found
    for k, item in enumerate(items):
        if item.is_code and not item.is_prediction and not is_recall(item):
            if item.cell.kind == DEMO or (item.picture and NUMBERED.match(section_of(items, k))):
                return _around(items, k)
    return None


def is_worked(block: str) -> bool:
    """Whether a piece of text works something out: a formula, a calculation, a sentence with many numbers.

    >>> is_worked("With p = (1, -2), g = (10, -4) and lr = 0.1, the step leads to (0, -1.6)."), is_worked("Add 2.")
    (True, False)
    """
    if block.startswith("```"):
        return bool(CALCULATION.match(block))
    return block.startswith("$$") or (not block.startswith("|") and len(NUMBER.findall(block)) >= MANY)


def _named(lesson: Lesson, name: str) -> Example:
    for k, item in enumerate(lesson.items):
        if item.is_code and name in (item.cell.id, item.cell.name, item.cell.name.removeprefix("figure_")):
            if item.cell.kind not in (DEMO, FIGURE, GIVEN) or item.is_prediction:
                told = "a prediction" if item.is_prediction else "no example"
                raise UserError(
                    f"{lesson.assignment.unit}: the header names {name!r} as the slides' example, and that cell is "
                    f"{told}: name one that shows or draws something."
                )
            return _around(lesson.items, k)
    raise UserError(
        f"{lesson.assignment.unit}: the header names {name!r} as the slides' example, and no cell has that id."
    )


def _in_section(items: Sequence[Item], start: int) -> Example:
    """What comes before the first exercise and the first prediction of a section, up to a cell that shows something."""
    texts, given = [], None
    for k in range(start, len(items)):
        item = items[k]
        if (k > start and item.level in (1, 2)) or item.exercise or item.cell.kind in (ANSWER, CHECK):
            break
        if not item.is_code:
            texts.append(item.body.partition(PREDICT)[0].strip())
            if PREDICT in item.body:
                break
        elif item.is_prediction:
            break
        elif item.cell.kind == GIVEN:
            given = item
        elif item.picture or (item.cell.kind == DEMO and item.printed and not is_recall(item)):
            text = "\n\n".join(filter(None, texts))
            return Example(items[start].heading, text, given, item, after(items, k))
    return Example(items[start].heading, "\n\n".join(filter(None, texts)), None, None, "")


def _around(items: Sequence[Item], k: int) -> Example:
    """A cell with the text right before it."""
    given, j = None, k - 1
    while j >= 0 and items[j].is_code and items[j].cell.kind in (GIVEN, SETUP, FIGURE):
        given = items[j] if items[j].cell.kind == GIVEN else given
        j -= 1
    text = items[j].body if j >= 0 and not items[j].is_code and not items[j].exercise else ""
    return Example(section_of(items, k), text, given, items[k], after(items, k))


def is_recall(item: Item) -> bool:
    """Whether this cell is about earlier units: the one that takes answers, or the folded one that looks at them."""
    return bool(re.search(r'^(recall\(|answers = \{"unit )', item.cell.source, re.MULTILINE))


def after(items: Sequence[Item], k: int) -> str:
    """The first paragraph of the text that follows a cell, where it speaks of the cell and begins nothing new."""
    following = items[k + 1 : k + 2]
    if not following or following[0].is_code or following[0].heading:
        return ""
    found = blocks(following[0].body.partition(PREDICT)[0])
    return found[0] if found else ""


def section_of(items: Sequence[Item], k: int) -> str:
    """The heading of the section that an item stands in."""
    heads = [item.heading for item in items[: k + 1] if item.level == 2]
    return heads[-1] if heads else ""


def questions_of(lesson: Lesson) -> list[Question]:
    """The unit's predictions; not those about earlier units, and not those of the bug hunt."""
    items = lesson.items
    found = []
    for k, item in enumerate(items):
        text = items[k - 1]
        if not item.is_prediction or k == 0 or text.is_code or PREDICT not in text.body:
            continue
        section = section_of(items, k)
        if HUNT.search(f"{section} {text.heading}") or "from memory" in section:
            continue
        before, _, asked = text.body.partition(PREDICT)
        drawn = items[k - 2] if k > 1 and not text.heading and OF_A_PICTURE.search(text.body) else None
        drawn = drawn if drawn and drawn.picture else None
        for pattern, words in NOT_ON_SLIDES:
            asked = pattern.sub(words, asked)
        found.append(Question(section, before.strip(), asked.strip(), drawn, item, after(items, k)))
    return found


def two_of(questions: Sequence[Question], places: int) -> list[Question]:
    """The first, and of the others the one that is nearest to the middle of the unit."""
    first, others = list(questions[:1]), questions[1:]
    return first + sorted(others, key=lambda question: abs(question.cell.place - places / 2))[:1]


def hunt_of(lesson: Lesson) -> Hunt | None:
    """The bug hunt, if the unit has one: what stands before its answer cell."""
    items = lesson.items
    hunts = [k for k, item in enumerate(items) if item.level >= 2 and HUNT.search(item.heading)]
    if not hunts:
        return None
    start = hunts[0]
    shown: list[Item] = []
    for item in items[start + 1 :]:
        if item.level in (1, 2) or item.cell.kind in (ANSWER, CHECK):
            break
        if item.exercise:
            return Hunt(items[start].heading, items[start].body, tuple(shown), item)
        theirs = item.cell.kind == GIVEN and not any(one.cell.kind == GIVEN for one in shown)
        if not item.is_code or theirs or item.picture or (item.cell.kind == DEMO and item.printed):
            if not item.is_prediction and PREDICT not in item.body:
                shown.append(item)
    return Hunt(items[start].heading, items[start].body, tuple(shown), None)


def last_question(lesson: Lesson) -> Item | None:
    """What students are to say in their own words; where a unit does not ask, what to try next."""
    for heading in (OWN_WORDS, TRY_NEXT):
        for item in lesson.items:
            if item.heading == heading:
                return item
    return None
