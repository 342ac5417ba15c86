"""The report of a class: one HTML page that needs nothing else.

It says what an instructor asks after grading: how did it go, which exercise is hard, which mistakes are made, who
needs a look. Everything on it that comes from students is escaped.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from ...lesson.failures import MISSING, PASSED
from ...sandbox.walls import UNPROTECTED
from ..records import STATUSES
from .charts import bar, histogram, patterns, stacked
from .document import document
from .findings import GROUP, Findings
from .markup import Child, Markup, tag
from .pieces import across, code_name, counted, duration, names_of, of, score_of, share, table_of, who

MOST_MISTAKES = 30
SLOWEST = 10


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
        *_unprotected(found),
        *_left_out(found),
    ]
    if found.graded:
        body += [_scores(found), _exercises(found), _mistakes(found), _looks(found), _slowest(found)]
    return document(f"{found.assignment.unit}: report", *body)


def _unprotected(found: Findings) -> list[Markup]:
    names = [record.student for record in found.graded if not record.protected]
    if not names:
        return []
    told = f"{counted(len(names), 'score')} not protected."
    return [tag("p", tag("strong", told), f" {UNPROTECTED}"), tag("p", names_of(names, 200))]


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
                    tag("strong", counted(len(students), "submission")),
                    f" {what}: run ",
                    code_name(command),
                    ".",
                ),
                tag("p", names_of(students, 200)),
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
        "full marks": of(full, n),
        "nothing to grade": of(empty, n),
    }
    bins = bins_of(scores, top)
    at = (median + 0.5) / width_of(top)
    told = f"Columns from 0 to {top:g} points for {counted(n, 'submission')}; the median is {median:g}."
    return tag(
        "section",
        tag("dl", *(tag("div", tag("dt", k), tag("dd", v)) for k, v in figures.items()), class_="figures"),
        tag("h2", "Scores"),
        tag("div", histogram(bins, median, at, told), class_="together"),
        across("Submissions by score", ("points", "submissions"), bins),
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
        f"Fewest passed {hardest}: {of(counts[hardest][PASSED], n)}."
    )
    rows: list[Sequence[Child]] = [
        (
            code_name(e.name),
            e.points,
            *(counts[e.name][status] for status in STATUSES),
            share(counts[e.name][PASSED], n),
        )
        for e in found.assignment.exercises
    ]
    return tag(
        "section",
        tag("h2", "Exercises"),
        tag(
            "p",
            f"Of {counted(n, 'submission')}, what became of each exercise. Fewest passed ",
            code_name(hardest),
            ".",
        ),
        tag("div", stacked([(name, counts[name]) for name in counts], n, told), class_="together"),
        table_of(
            "Submissions by exercise and result",
            ("exercise", "points", *STATUSES, "share that passed"),
            rows,
            numbers=range(1, 3 + len(STATUSES)),
        ),
        *_parts(found),
    )


def _parts(found: Findings) -> list[Markup]:
    """How many earned each part, where exercises have parts."""
    rows: list[Sequence[Child]] = []
    for i, exercise in enumerate(found.assignment.exercises):
        for part in exercise.parts:
            earned = sum(bool(record.exercises[i].parts.get(part.name)) for record in found.graded)
            many = share(earned, len(found.graded))
            rows.append((code_name(exercise.name), part.name, part.points, earned, many))
    if not rows:
        return []
    head = ("exercise", "part", "points", "earned", "share that earned it")
    return [tag("h3", "Parts"), table_of("Submissions by part", head, rows, numbers=range(2, 5))]


def _mistakes(found: Findings) -> Markup:
    if not found.mistakes:
        return tag("section", tag("h2", "Mistakes"), tag("p", "No mistake was recognised."))
    shown = found.mistakes[:MOST_MISTAKES]
    rows = [
        (
            code_name(m.exercise),
            code_name(m.name) if m.name else tag("span", "general", class_="quiet"),
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
        table_of(
            "Mistakes, the most frequent first",
            ("exercise", "mistake", "students", "", "sentence"),
            rows,
            (2,),
        ),
        tag("p", f"{counted(more, 'rarer mistake')} not shown.", class_="quiet") if more else "",
    )


def _looks(found: Findings) -> Markup:
    scores = {record.student: record for record in found.graded}
    rows = [
        (
            who(student),
            score_of(scores[student]),
            tag("ul", *(tag("li", reason) for reason in reasons), class_="plain"),
        )
        for student, reasons in sorted(found.looks.items())
        if not all(reason.startswith(GROUP) for reason in reasons)  # the groups have a table of their own
    ]
    parts: list[Child] = [tag("h2", "Worth a look")]
    if not rows and not found.groups:
        parts.append(tag("p", "Nothing stands out."))
    for note, count in found.common_notes:
        parts.append(tag("p", f"In {of(count, len(found.graded))} submissions: {note}"))
    if rows:
        parts += [
            tag(
                "p",
                "Time that ran out, what asks for manual grading, and what the referee noted. A note has changed no "
                "score.",
            ),
            table_of(counted(len(rows), "submission"), ("student", "score", "why"), rows, (1,)),
        ]
    if found.groups:
        parts += [
            tag("h3", "Nearly the same"),
            tag(
                "p",
                "Compared is what the template does not give and few wrote, with names, comments and layout left "
                "aside. It is a reason to read them side by side, not a verdict.",
            ),
            table_of(
                "Groups, those with most in common first",
                ("group", "students", "in common", "passages"),
                [
                    (i, names_of(group.students), f"{group.alike:.0%}", group.common)
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
    rows = [(who(r.student), f"{r.seconds:.2f} s", bar(r.seconds / longest), score_of(r)) for r in slow]
    return tag(
        "section",
        tag("h2", "Slowest submissions"),
        tag("p", f"The median is {median:.2f} s, and all together took {duration(total)} of one worker."),
        table_of("The time that grading took", ("student", "time", "", "score"), rows, (1, 3)),
    )
