"""A page for the instructor: how long each exercise takes, and what students get wrong in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from ...lesson.parts import listed
from ...referee.bank import Entry
from ...referee.report import tidy
from ...unit.assignment import Exercise
from ..records import Record
from ..report.charts import bar
from ..report.document import document
from ..report.findings import Mistake, mistakes_of
from ..report.markup import Child, Markup, tag
from ..report.pieces import code_name, counted, table_of
from .export import MARK
from .items import Lesson
from .minutes import Minutes

#: So many sentences of the bank, and so many mistakes of a class, are told of an exercise.
MOST = 8


def page(
    lesson: Lesson,
    minutes: Minutes,
    entries: Sequence[Entry],
    graded: Sequence[Record],
    today: date | None = None,
) -> str:
    """The page as HTML that needs nothing else. With a graded class its mistakes are counted; else the bank speaks."""
    unit = lesson.assignment.unit
    of_class = mistakes_of(graded, entries) if graded else []
    body = [
        tag("h1", lesson.title),
        tag(
            "p",
            f"For the instructor: {unit}, {(today or date.today()).isoformat()}. Not for students: it tells the "
            "mistakes that the tests know.",
            class_="quiet",
        ),
        _overview(lesson, minutes),
        tag("h2", "What students get wrong"),
        tag("p", _where_from(len(graded), bool(entries))),
        *(
            _exercise(e, minutes, [m for m in of_class if m.exercise == e.name], entries, len(graded))
            for e in lesson.assignment.exercises
        ),
    ]
    return document(f"{unit}: teaching", *body, mark=Markup(MARK))


def _overview(lesson: Lesson, minutes: Minutes) -> Markup:
    sections = sections_of(lesson)
    head = ["exercise", "in the section", "points", "minutes, about"][: 4 if minutes.exercises else 3]
    rows: list[Sequence[Child]] = []
    for e in lesson.assignment.exercises:
        row: list[Child] = [code_name(e.name), sections.get(e.name, ""), e.points]
        if minutes.exercises:
            waits = number_of(sections.get(e.name, "")) in minutes.waiting
            row.append(f"{minutes.exercises.get(e.name, '')}{', can wait' * waits}")
        rows.append(row)
    return tag(
        "section",
        tag("h2", "How long it takes"),
        tag("p", told_minutes(minutes, lesson.assignment.graded)),
        table_of(counted(len(rows), "exercise"), head, rows, numbers=(2, 3)),
    )


def told_minutes(minutes: Minutes, graded: bool) -> str:
    """Where the minutes come from, in a sentence or two."""
    known = f" The minutes of {', '.join(sorted(minutes.known))} are the header's." if minutes.known else ""
    if minutes.waiting:
        sections = [str(number) for number in sorted(minutes.waiting)]
        known += (
            f" Nothing else in the unit needs what section{'s' * (len(sections) > 1)} {listed(sections)} "
            f"hold{'s' * (len(sections) == 1)}: without, it takes about {minutes.short} minutes."
        )
    if not minutes.whole:
        return f"The unit does not say how many minutes it takes.{known}"
    by = "by their points" if graded else "evenly"
    return (
        f"An estimate: of the unit's {minutes.whole} minutes, {minutes.reading} are for reading its "
        f"{minutes.words:,} words and running its cells; the rest is shared out among the exercises {by}.{known}"
    )


def sections_of(lesson: Lesson) -> dict[str, str]:
    """The section that each exercise stands in, by its heading."""
    found, section = {}, ""
    for item in lesson.items:
        section = item.heading if item.level == 2 else section
        if item.exercise:
            found[item.exercise] = section
    return found


def number_of(heading: str) -> int:
    """The number that a section's heading begins with; 0 where there is none.

    >>> number_of("7. Bug hunt"), number_of("Pitfalls")
    (7, 0)
    """
    found = re.match(r"(\d+)\.", heading)
    return int(found[1]) if found else 0


def _where_from(graded: int, bank: bool) -> str:
    if graded:
        return (
            f"Counted in {counted(graded, 'graded submission')} of this class, the most frequent first. The sentence "
            "is what the student reads."
        )
    if bank:
        return (
            "Nothing of this unit has been graded here, so these are mistakes that the unit's bank knows, in its "
            "order, and not counted. The sentence is what the student reads."
        )
    return "Nothing of this unit has been graded here, and it has no bank of mistakes."


def _exercise(
    exercise: Exercise, minutes: Minutes, made: Sequence[Mistake], entries: Sequence[Entry], graded: int
) -> Markup:
    about = [f"{tidy(exercise.points)} point{'s' * (exercise.points != 1)}"] if exercise.points else []
    if exercise.name in minutes.exercises:
        about.append(f"about {counted(minutes.exercises[exercise.name], 'minute')}")
    told_of = f" ({', '.join(about)})" if about else ""
    head = tag("h3", code_name(exercise.name), tag("span", told_of, class_="quiet"))
    if graded:
        return tag("section", head, _counted(made), class_="together")
    told = sentences_of(entries, exercise.name)
    if not told:
        return tag("section", head, tag("p", "The bank has no mistake of this exercise.", class_="quiet"))
    return tag("section", head, tag("ul", *(tag("li", sentence) for sentence in told)), class_="together")


def _counted(made: Sequence[Mistake]) -> Markup:
    if not made:
        return tag("p", "No mistake was recognised.", class_="quiet")
    rows = [
        (
            code_name(m.name) if m.name else tag("span", "general", class_="quiet"),
            len(m.students),
            bar(len(m.students) / len(made[0].students)),
            m.sentence,
        )
        for m in made[:MOST]
    ]
    more = len(made) - len(rows)
    caption = f"The {MOST} most frequent of {len(made)} mistakes" if more else counted(len(made), "mistake")
    return table_of(caption, ("mistake", "students", "", "sentence"), rows, numbers=(1,))


def sentences_of(entries: Iterable[Entry], exercise: str) -> list[str]:
    """What the bank says of an exercise's wrong answers: each sentence once, in the bank's order."""
    told = [" ".join(e.sentence.split()) for e in entries if e.exercise == exercise]
    return list(dict.fromkeys(filter(None, told)))[:MOST]
