"""Slides for about 15 minutes, as a notebook with the field's own metadata; what they say comes from the unit."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from ...authoring.guesses import read_guesses
from ...lesson.predict import predictions_of
from ...unit.cell import FIGURE
from ...unit.notebook import digest_of
from .chosen import Example, Hunt, Question, example_of, hunt_of, last_question, questions_of, two_of
from .items import Item, Lesson, Picture, blocks
from .layout import LINES, PICTURE, fenced, fits, halves, height, pages, shortened

SLIDE, FRAGMENT, NOTES, SKIP = "slide", "fragment", "notes", "skip"
GOALS = re.compile(r"At the end you\b")
TIME = "**Time:**"

ABOUT = """\
These slides were made from the unit by `autograder teach {unit}`. They are yours to edit: an edited file is kept when
the command runs again. To present them: `jupyter nbconvert --to slides --post serve {unit}.slides.ipynb`, or open the
HTML beside this file; the key S opens the speaker notes. This cell is no slide."""
PACE = "Let everybody write a prediction down before you show the answer."
ASK = "**Ask the class:** What do you suspect? What would you try next, to make it show?"
ASK_NOTES = """\
Two minutes in pairs, then collect suspects before anybody runs anything. The repair is the exercise: leave it open."""

#: What a notebook asks for, and a slide cannot.
OPEN_OURS = re.compile(r",? then open ours|\s*Then open ours\.")
OURS = re.compile(r"<details><summary>One way to say it</summary>(.*?)</details>", re.DOTALL)

Answers = Mapping[str, tuple[str, Picture | None]]


class Deck:
    """Cells of slides, in order."""

    def __init__(self) -> None:
        self.cells: list[NotebookNode] = []

    def add(self, kind: str, source: str, pictures: Sequence[Picture] = ()) -> None:
        """Add a cell; its pictures are attached, so that the notebook is one file."""
        if not source.strip():
            return
        cell = new_markdown_cell(
            source, id=f"teach-{len(self.cells) + 1}", metadata={"slideshow": {"slide_type": kind}}
        )
        if pictures:
            cell["attachments"] = {
                f"picture-{i}.png": {"image/png": one.png} for i, one in enumerate(pictures, start=1)
            }
        self.cells.append(cell)

    def slides(self, heading: str, parts: Sequence[str | Picture], room: int = LINES) -> None:
        """Blocks under a heading, on one slide or on several."""
        blocks_of: list[str] = []
        pictures: dict[str, Picture] = {}
        for part in parts:
            if isinstance(part, Picture):
                pictures[shown := f"![{_alt(part)}](attachment:picture-{len(pictures) + 1}.png)"] = part
                part = shown
            blocks_of.append(part)
        for page in pages(blocks_of, room):
            here = [pictures[block] for block in page if block in pictures]
            text = "\n\n".join([f"## {heading}", *page] if heading else page)
            for i, picture in enumerate(here, start=1):
                text = re.sub(
                    re.escape(f"![{_alt(picture)}](attachment:") + r"picture-\d+",
                    lambda _, i=i, p=picture: f"![{_alt(p)}](attachment:picture-{i}",  # type: ignore[misc]
                    text,
                    count=1,
                )
            self.add(SLIDE, text, here)


def _alt(picture: Picture) -> str:
    return re.sub(r"[\[\]]", "", picture.alt) or "A picture of the unit"


def chosen_questions(lesson: Lesson, answers: Answers) -> list[Question]:
    """The two predictions whose question and answer are short enough for a slide."""
    found = [
        question
        for question in questions_of(lesson)
        if question.cell.cell.id in answers
        and fits(answers[question.cell.cell.id][0])
        and sum(map(height, blocks(question.asked))) <= LINES - 6
    ]
    return two_of(found, lesson.places)


def slides(lesson: Lesson, answers: Answers) -> NotebookNode:
    """The slides of a unit. `answers` is what the cells of its predictions print."""
    deck, unit = Deck(), lesson.assignment.unit
    deck.add(SKIP, ABOUT.format(unit=unit))
    questions = chosen_questions(lesson, answers)
    _opening(deck, lesson, bool(questions))
    example = example_of(lesson)
    if example:
        _example(deck, example)
    for question in questions:
        _question(deck, question, answers, example, guesses_told(lesson, question))
    if hunt := hunt_of(lesson):
        _hunt(deck, hunt)
    if item := last_question(lesson):
        deck.slides(item.heading, blocks(OPEN_OURS.sub("", item.body)))
        deck.add(NOTES, ours_of(item))
    notebook = new_notebook(cells=deck.cells)
    notebook.metadata = NotebookNode(
        title=lesson.title,
        kernelspec=lesson.assignment.notebook.metadata["kernelspec"],
        language_info=lesson.assignment.notebook.metadata["language_info"],
        autograder={"slides_of": unit, "digest": digest_of(notebook)},
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return nbformat.from_dict(notebook)


def _opening(deck: Deck, lesson: Lesson, asks: bool) -> None:
    """The title, the first picture, and what students will be able to do; `asks` whether there are predictions."""
    head = next((blocks(item.body) for item in lesson.items if item.level == 1), [])
    first = head[0] if head else ""
    intro, goals, time = _introduction(lesson)
    before, mark, see = first.partition("What to see:")
    if mark and before.strip():
        title, caption = before.strip(), mark + see
    else:
        title, caption = first, first
    deck.add(SLIDE, "\n\n".join(filter(None, [f"# {lesson.title}", title, time])))
    drawn = next((one for one in lesson.items if one.picture and one.cell.kind == FIGURE), None)
    shares = _shares(lesson, bool(drawn and drawn.picture), bool(goals), asks)
    deck.add(NOTES, " ".join([PACE] * asks + [f"Of about 15 minutes: {shares}."] * bool(shares)))
    if drawn and drawn.picture:
        deck.slides("", [caption, drawn.picture])
        deck.add(NOTES, f"In words: {drawn.picture.alt}" if drawn.picture.alt else "")
    elif caption != title:
        deck.slides("", [caption])
    if goals:
        deck.slides("What you will be able to do", [*filter(None, [intro]), *goals])


def _shares(lesson: Lesson, picture: bool, goals: bool, asks: bool) -> str:
    """How 15 minutes may be spent on what this unit has."""
    hunt, last = hunt_of(lesson) is not None, last_question(lesson) is not None
    opening = " and ".join(["the picture"] * picture + ["the goals"] * goals)
    shares = [(3, opening, bool(opening)), (3, "the example", example_of(lesson) is not None)]
    shares += [(4, "the predictions", asks), (4, "the bug hunt", hunt), (1, "the last question", last)]
    return ", ".join(f"{minutes} for {what}" for minutes, what, there in shares if there)


def ours_of(item: Item) -> str:
    """The unit's own words for its last question, which a learner may open below it."""
    found = OURS.search(item.cell.source)
    return f"One way to say it: {found[1].strip()}" if found else ""


def _introduction(lesson: Lesson) -> tuple[str, list[str], str]:
    """What leads to the unit's goals, the goals, and the line that names the minutes; each may be empty."""
    intro, time = "", ""
    goals: list[str] = []
    for item in lesson.items:
        if item.level == 2 or item.exercise:
            break
        found = blocks(item.body)
        for i, block in enumerate(found):
            at = GOALS.search(block)
            if at and not goals and item.level == 0:
                intro = block[: at.start()].strip()
                goals = [block[at.start() :], *found[i + 1 : i + 2]]
            elif block.startswith(TIME):
                time = block
    return intro, goals, time


def _code(item: Item) -> list[str]:
    return [fenced(half) for half in halves(item.cell.source)]


def _asked_about(question: Question) -> list[str]:
    """The code that a question speaks of as standing below, without the lines that ask for the prediction."""
    if "below" not in question.asked:
        return []
    lines = [line for line in question.cell.cell.source.splitlines() if not line.startswith("prediction =")]
    at = next((i for i, line in enumerate(lines) if line.startswith("if predicted(")), len(lines))
    code = "\n".join([*lines[:at], textwrap.dedent("\n".join(lines[at + 1 :]))])
    return [fenced(code.strip("\n"))]


def _shown(item: Item) -> list[str | Picture]:
    """A cell as blocks: its code, unless it only draws, then what it printed and drew."""
    parts: list[str | Picture] = []
    if item.cell.kind != FIGURE:
        parts += _code(item)
        if item.printed:
            parts.append(fenced(shortened(item.printed), "text"))
    if len(parts) == 2 and sum(height(str(part)) for part in parts) <= LINES + 2:
        parts = ["\n\n".join(map(str, parts))]  # what was printed stays below its code
    return [*parts, *([item.picture] if item.picture else [])]


def _example(deck: Deck, example: Example) -> None:
    parts: list[str | Picture] = list(blocks(example.text))
    if example.given and len(example.given.cell.source.splitlines()) <= LINES:
        parts += _code(example.given)
    if example.cell:
        parts += _shown(example.cell)
    deck.slides(example.heading or "An example", parts)
    deck.add(NOTES, example.after)


def guesses_told(lesson: Lesson, question: Question) -> str:
    """What a class is likely to say, and what the unit tells who says so; empty where it tells nothing."""
    said = read_guesses(lesson.assignment)
    names = [name for name in predictions_of([question.cell.cell.source]) if name in said]
    lines = [f"- {in_words(guess)}: {sentence}" for name in names for guess, sentence in said[name]["told"]]
    return "\n".join(["What a class may say, and an answer:", "", *lines]) if lines else ""


def in_words(guess: Sequence[Any]) -> str:
    """A guess as it is read aloud.

    >>> in_words([4, "_", "80..88"]), in_words(["<30"]), in_words([True, "a tie"])
    ('4, anything, 80 to 88', 'below 30', 'True, a tie')
    """
    words = {"_": "anything", "<": "below ", ">": "above "}
    told = (words.get(str(part)) or re.sub("^[<>]", lambda sign: words[sign[0]], str(part)) for part in guess)
    return ", ".join(re.sub(r"(?<=\d)\.\.(?=[-.\d])", " to ", part) for part in told)


def _question(
    deck: Deck, question: Question, answers: Answers, example: Example | None, guesses: str = ""
) -> None:
    """The question, and below it the answer as a fragment; why it is so stands in the speaker notes.

    So do usual wrong `guesses`, and what to say to them.
    """
    printed, picture = answers[question.cell.cell.id]
    asked = [*blocks(f"**Predict.** {question.asked}"), *_asked_about(question)]
    room = LINES - len(printed.splitlines()) - 2
    seen = example is not None and question.picture is example.cell
    lead = [block for block in blocks(question.before) if not example or block not in blocks(example.text)]
    while lead and sum(map(height, [*lead, *asked])) > room:
        lead.pop(0)
    drawn = [question.picture.picture] if question.picture and question.picture.picture and not seen else []
    if drawn and sum(map(height, [*lead, *asked])) + len(printed.splitlines()) > LINES - PICTURE:
        deck.slides(question.heading, drawn)  # which is then seen before its question
        drawn = []
    deck.slides(question.heading or "Predict", [*drawn, *lead, *asked], room=LINES + 12)
    deck.add(
        FRAGMENT,
        fenced(printed, "text") + ("\n\n![The answer](attachment:picture-1.png)" if picture else ""),
        [picture] if picture else [],
    )
    deck.add(NOTES, "\n\n".join(filter(None, [question.after, guesses])))


def _hunt(deck: Deck, hunt: Hunt) -> None:
    """The story, the colleague's code and test, and what to ask the class: the statement, and no repair."""
    parts: list[str | Picture] = list(blocks(hunt.story))
    for item in hunt.shown:
        parts += _shown(item) if item.is_code else blocks(item.body)
    deck.slides(hunt.heading, parts)
    statement = blocks(hunt.statement.body) if hunt.statement else []
    deck.slides(hunt.heading, [ASK, *statement])
    deck.add(NOTES, ASK_NOTES)
