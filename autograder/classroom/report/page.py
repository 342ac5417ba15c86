"""The report of a class: one HTML page that needs nothing else, and the table behind it as CSV.

It says what an instructor asks after grading: how did it go, which exercise is hard, which mistakes are made, who
needs a look. Everything on it that comes from students is escaped.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ...lesson.checks import MISSING, PASSED, TIMEOUT
from ...referee.bank import Entry
from ...referee.judge import tidy
from ...unit.assignment import Assignment
from ...unit.cell import ANSWER
from ...unit.ingest import RENAMED
from ..platforms.table import Cell, csv_text
from ..records import STATUSES, Record, Records
from .charts import bar, histogram, patterns, stacked
from .markup import Child, Markup, joined, tag
from .similar import Group, near_identical

#: The notes that more than this share of a class have say something of the class, not of a student.
COMMON = 0.5
MOST_MISTAKES = 30
SLOWEST = 10
GROUP = "Nearly the same as others: group "


@dataclass(frozen=True)
class Mistake:
    """A mistake of the bank, or one that is recognised everywhere (`name` is empty then), and who made it."""

    exercise: str
    name: str
    sentence: str
    students: tuple[str, ...]


@dataclass
class Findings:
    """What the page says, as data."""

    assignment: Assignment
    records: Records
    mistakes: list[Mistake]
    groups: list[Group]
    #: what to look at, by student
    looks: dict[str, list[str]]
    #: notes that most of the class have
    common_notes: list[tuple[str, int]]

    @property
    def graded(self) -> list[Record]:
        return self.records.graded


def findings(assignment: Assignment, entries: Iterable[Entry], records: Records) -> Findings:
    """Work out what a class's records say."""
    graded = records.graded
    template = [cell.source for cell in assignment.released if cell.kind == ANSWER]
    groups = near_identical({record.student: record.code for record in graded}, template)
    counts = Counter(note for record in graded for note in set(record.notes))
    often = [(note, n) for note, n in counts.most_common() if n > 3 and n > COMMON * len(graded)]
    looks: dict[str, list[str]] = defaultdict(list)
    for record in graded:
        found = looks[record.student]
        late = [kept.name for kept in record.exercises if kept.status == TIMEOUT]
        if late:
            found.append(f"Time ran out: {', '.join(late)}.")
        doubtful = [kept.name for kept in record.exercises if kept.doubtful]
        if doubtful:
            every = len(doubtful) == len(record.exercises)
            found.append(f"Needs manual grading: {'everything' if every else ', '.join(doubtful)}.")
        common = {note for note, _ in often}
        found += [note for note in record.notes if note not in common and not note.startswith(RENAMED)]
    for number, group in enumerate(groups, start=1):
        for student in group.students:
            looks[student].append(f"{GROUP}{number}.")
    looks = {student: found for student, found in looks.items() if found}
    return Findings(assignment, records, mistakes_of(graded, entries), groups, looks, often)


def mistakes_of(graded: Sequence[Record], entries: Iterable[Entry]) -> list[Mistake]:
    """The mistakes of a class, the most frequent first."""
    sentences = {(entry.exercise, entry.name): entry.sentence for entry in entries}
    made: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for record in graded:
        for kept in record.exercises:
            if kept.status != PASSED and (kept.mistake or kept.diagnosis):
                sentence = sentences.get((kept.name, kept.mistake), kept.diagnosis)
                made[kept.name, kept.mistake, sentence].append(record.student)
    found = [Mistake(*what, tuple(students)) for what, students in made.items()]
    return sorted(found, key=lambda m: (-len(m.students), m.exercise, m.name))


# -- The page ---------------------------------------------------------------------------------------------------------

STYLE = Path(__file__).with_suffix(".css")


def page(found: Findings, today: date | None = None) -> str:
    """The report as one HTML page."""
    title = str(
        found.assignment.notebook.metadata.get("autograder", {}).get("title") or found.assignment.unit
    )
    body = [
        patterns(),
        tag("h1", title),
        tag(
            "p",
            f"Report of a class: {found.assignment.unit}, {(today or date.today()).isoformat()}. Automatic scores, "
            "without late penalties and without what was given by hand; the gradebook has those.",
            class_="quiet",
        ),
        *_left_out(found),
    ]
    if found.graded:
        body += [_scores(found), _exercises(found), _mistakes(found), _looks(found), _slowest(found)]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = Markup(
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
    )
    head = joined(
        head,
        tag("title", f"{found.assignment.unit}: report"),
        tag("style", Markup(STYLE.read_text(encoding="utf-8"))),
    )
    return f"<!DOCTYPE html>\n{tag('html', tag('head', head), tag('body', tag('main', *body)), lang='en')}\n"


def _left_out(found: Findings) -> list[Markup]:
    told = []
    if not found.graded:
        told.append(tag("p", "No submission of this unit has been graded yet."))
    grade = f"autograder grade {found.assignment.unit}"
    for students, what, command in (
        (found.records.waiting, "handed in and not graded yet", grade),
        (found.records.old, "graded before this report's data were kept, and not in it", f"{grade} --force"),
    ):
        if students:
            told += [
                tag(
                    "p",
                    tag("strong", _counted(len(students), "submission")),
                    f" {what}: run ",
                    _name(command),
                    ".",
                ),
                tag("p", _names(students, 200)),
            ]
    return told


def _scores(found: Findings) -> Markup:
    scores = [record.score for record in found.graded]
    top = found.assignment.max_score
    median, n = statistics.median(scores), len(scores)
    full = sum(score >= top for score in scores)
    empty = sum(all(kept.status == MISSING for kept in record.exercises) for record in found.graded)
    spread = statistics.quantiles(scores, n=4, method="inclusive") if n > 1 else [scores[0]] * 3
    figures = {
        "submissions": str(n),
        "median": f"{median:g} of {top:g}",
        "mean": f"{statistics.fmean(scores):.1f}",
        "middle half": f"{spread[0]:g} to {spread[2]:g}",
        "full marks": _of(full, n),
        "nothing to grade": _of(empty, n),
    }
    bins = bins_of(scores, top)
    at = (median + 0.5) / width_of(top)
    told = f"Columns from 0 to {top:g} points for {_counted(n, 'submission')}; the median is {median:g}."
    return tag(
        "section",
        tag("dl", *(tag("div", tag("dt", k), tag("dd", v)) for k, v in figures.items()), class_="figures"),
        tag("h2", "Scores"),
        tag("div", histogram(bins, median, at, told), class_="together"),
        _across("Submissions by score", ("points", "submissions"), bins),
    )


def width_of(top: float) -> int:
    """How many points a column stands for: one, or more when there would be too many columns."""
    return max(1, math.ceil((top + 1) / 31))


def bins_of(scores: Iterable[float], top: float) -> list[tuple[str, int]]:
    """How many scores lie in which column.

    >>> bins_of([0, 1.5, 2, 2], 2)
    [('0', 1), ('1', 1), ('2', 2)]
    >>> bins_of([0, 39, 40], 40)[0], bins_of([0, 39, 40], 40)[-1]
    (('0–1', 1), ('40', 1))
    """
    width = width_of(top)
    last = math.floor(top / width)
    counts = Counter(min(max(math.floor(score / width), 0), last) for score in scores)

    def label(i: int) -> str:
        low, high = i * width, min((i + 1) * width - 1, math.floor(top))
        return str(low) if low == high else f"{low}–{high}"

    return [(label(i), counts[i]) for i in range(last + 1)]


def _exercises(found: Findings) -> Markup:
    n = len(found.graded)
    counts: dict[str, Counter[str]] = {exercise.name: Counter() for exercise in found.assignment.exercises}
    for record in found.graded:
        for kept in record.exercises:
            counts[kept.name][kept.status] += 1
    hardest = min(counts, key=lambda name: counts[name][PASSED])
    told = (
        f"A bar for each of {len(counts)} exercises, divided by what became of it. "
        f"Fewest passed {hardest}: {_of(counts[hardest][PASSED], n)}."
    )
    rows: list[Sequence[Child]] = [
        (
            _name(e.name),
            e.points,
            *(counts[e.name][status] for status in STATUSES),
            _share(counts[e.name][PASSED], n),
        )
        for e in found.assignment.exercises
    ]
    return tag(
        "section",
        tag("h2", "Exercises"),
        tag(
            "p",
            f"Of {_counted(n, 'submission')}, what became of each exercise. Fewest passed ",
            _name(hardest),
            ".",
        ),
        tag("div", stacked([(name, counts[name]) for name in counts], n, told), class_="together"),
        _table(
            "Submissions by exercise and result",
            ("exercise", "points", *STATUSES, "share that passed"),
            rows,
            numbers=range(1, 3 + len(STATUSES)),
        ),
    )


def _mistakes(found: Findings) -> Markup:
    if not found.mistakes:
        return tag("section", tag("h2", "Mistakes"), tag("p", "No mistake was recognised."))
    shown = found.mistakes[:MOST_MISTAKES]
    rows = [
        (
            _name(m.exercise),
            _name(m.name) if m.name else tag("span", "general", class_="quiet"),
            len(m.students),
            bar(len(m.students) / len(shown[0].students)),
            m.sentence,
        )
        for m in shown
    ]
    more = len(found.mistakes) - len(shown)
    return tag(
        "section",
        tag("h2", "Mistakes"),
        tag(
            "p",
            "What failed answers behave like: entries of the unit's bank by name, and general mistakes. The sentence "
            "is what the student reads.",
        ),
        _table(
            "Mistakes, the most frequent first",
            ("exercise", "mistake", "students", "", "sentence"),
            rows,
            (2,),
        ),
        tag("p", f"{_counted(more, 'rarer mistake')} not shown.", class_="quiet") if more else "",
    )


def _looks(found: Findings) -> Markup:
    scores = {record.student: record for record in found.graded}
    rows = [
        (
            _who(student),
            _score(scores[student]),
            tag("ul", *(tag("li", reason) for reason in reasons), class_="plain"),
        )
        for student, reasons in sorted(found.looks.items())
        if not all(reason.startswith(GROUP) for reason in reasons)  # the groups have a table of their own
    ]
    parts: list[Child] = [tag("h2", "Worth a look")]
    if not rows and not found.groups:
        parts.append(tag("p", "Nothing stands out."))
    for note, count in found.common_notes:
        parts.append(tag("p", f"In {_of(count, len(found.graded))} submissions: {note}"))
    if rows:
        parts += [
            tag(
                "p",
                "Time that ran out, what asks for manual grading, and what the referee noted. A note has changed no "
                "score.",
            ),
            _table(_counted(len(rows), "submission"), ("student", "score", "why"), rows, (1,)),
        ]
    if found.groups:
        parts += [
            tag("h3", "Nearly the same"),
            tag(
                "p",
                "Compared is what the template does not give and few wrote, with names, comments and layout left "
                "aside. It is a reason to read them side by side, not a verdict.",
            ),
            _table(
                "Groups, those with most in common first",
                ("group", "students", "in common", "passages"),
                [
                    (i, _names(group.students), f"{group.alike:.0%}", group.common)
                    for i, group in enumerate(found.groups, start=1)
                ],
                (0, 2, 3),
            ),
        ]
    return tag("section", *parts)


def _slowest(found: Findings) -> Markup:
    slow = sorted(found.graded, key=lambda record: -record.seconds)[:SLOWEST]
    longest = max((record.seconds for record in slow), default=0.0) or 1.0
    total = sum(record.seconds for record in found.graded)
    median = statistics.median(record.seconds for record in found.graded)
    rows = [(_who(r.student), f"{r.seconds:.2f} s", bar(r.seconds / longest), _score(r)) for r in slow]
    return tag(
        "section",
        tag("h2", "Slowest submissions"),
        tag("p", f"The median is {median:.2f} s, and all together took {_duration(total)} of one worker."),
        _table("The time that grading took", ("student", "time", "", "score"), rows, (1, 3)),
    )


def _table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[Child]],
    numbers: Iterable[int] = (),
) -> Markup:
    right = dict.fromkeys(numbers, "number")
    columns = [
        tag("th", name, scope="col", class_=right.get(i)) if name else tag("td", aria_hidden="true")
        for i, name in enumerate(head)
    ]
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row", class_=right.get(0)),
            *(tag("td", cell, class_=right.get(i)) for i, cell in enumerate(row[1:], start=1)),
        )
        for row in rows
    ]
    table = tag("table", tag("caption", caption), tag("thead", tag("tr", *columns)), tag("tbody", *body))
    return tag("div", table, class_="table")


def _across(caption: str, head: tuple[str, str], pairs: Sequence[tuple[str, int]]) -> Markup:
    """A table of two rows."""
    rows = [
        tag("tr", tag("th", head[0], scope="row"), *(tag("th", label, scope="col") for label, _ in pairs)),
        tag("tr", tag("th", head[1], scope="row"), *(tag("td", count) for _, count in pairs)),
    ]
    return tag(
        "div", tag("table", tag("caption", caption), tag("tbody", *rows), class_="across"), class_="table"
    )


def _name(name: str) -> Markup:
    return tag("span", name, class_="name")


def _who(student: str) -> Markup:
    return tag("span", student, class_="name who")


def _names(names: Sequence[str], most: int = 40) -> Markup:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    shown = [piece for name in names[:most] for piece in (", ", _who(name))][1:]
    return joined(*shown, more)


def _score(record: Record) -> str:
    return f"{tidy(record.score)} / {tidy(record.max_score)}"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' if n != 1 else ''}"


def _share(count: int, n: int) -> str:
    return f"{count / n:.0%}" if n else ""


def _of(count: int, n: int) -> str:
    return f"{count} of {n}"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


# -- The table --------------------------------------------------------------------------------------------------------


def table(found: Findings) -> str:
    """The table behind the page, a row a submission, as the text of a CSV file."""
    names = [exercise.name for exercise in found.assignment.exercises]
    head: list[Cell] = ["student", "score", "max_score", "seconds"]
    for name in names:
        head += [f"{name} points", f"{name} status", f"{name} mistake"]
    rows: list[list[Cell]] = [[*head, "look", "notes"]]
    for record in found.graded:
        row: list[Cell] = [record.student, record.score, record.max_score, record.seconds]
        for kept in record.exercises:
            row += [kept.points, kept.status, kept.mistake or kept.diagnosis]
        rows.append([*row, " ".join(found.looks.get(record.student, [])), " ".join(record.notes)])
    return csv_text(rows)
