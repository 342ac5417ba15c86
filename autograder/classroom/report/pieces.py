"""The pieces that every section of the page is made of: tables, names, counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...referee.report import tidy
from ..records import Record
from .markup import Child, Markup, joined, tag


def table_of(
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


def across(caption: str, head: tuple[str, str], pairs: Sequence[tuple[str, int]]) -> Markup:
    """A table of two rows."""
    rows = [
        tag("tr", tag("th", head[0], scope="row"), *(tag("th", label, scope="col") for label, _ in pairs)),
        tag("tr", tag("th", head[1], scope="row"), *(tag("td", count) for _, count in pairs)),
    ]
    return tag(
        "div", tag("table", tag("caption", caption), tag("tbody", *rows), class_="across"), class_="table"
    )


def code_name(name: str) -> Markup:
    return tag("span", name, class_="name")


def who(student: str) -> Markup:
    return tag("span", student, class_="name who")


def names_of(names: Sequence[str], most: int = 40) -> Markup:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    shown = [piece for name in names[:most] for piece in (", ", who(name))][1:]
    return joined(*shown, more)


def score_of(record: Record) -> str:
    return f"{tidy(record.score)} / {tidy(record.max_score)}"


def counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' if n != 1 else ''}"


def share(count: int, n: int) -> str:
    return f"{count / n:.0%}" if n else ""


def of(count: int, n: int) -> str:
    return f"{count} of {n}"


def duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
