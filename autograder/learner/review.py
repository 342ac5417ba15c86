"""Old exercises once more: those that are due, each in a notebook of its own, empty as at first.

What one has to recall stays, and it stays longer each time (Cepeda and others 2006 collect 184 studies of it). So an
exercise that was solved comes again after some days, and when it was solved again after twice as many. One that was
wrong when it came again begins anew, and one that never was right at once comes sooner. All that is known of it is the
record that checks keep: one for the units, and one for the reviews, which change nothing in a unit's progress.

    course/review/03_reverse_mode/mul_vjp 2026-11-21.ipynb
    course/review/.progress.jsonl
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..lesson import likely, locked, logbook
from ..lesson.logbook import REVIEW, Record
from ..unit.cell import GIVEN, SETUP
from ..unit.raw import cells_of, metadata_of, parse, source_of
from .fresh import released
from .progress import Unit

#: Days until an exercise comes again: after it was first solved, after the first time that it came again, and so on.
DAYS = (2, 4, 8, 16, 32, 64)
#: The share of these days for an exercise that was wrong before it was right.
HARDER = 0.5


@dataclass(frozen=True)
class Card:
    """An exercise that was solved, and what the records say of it."""

    unit: Unit
    exercise: str
    #: when it was last right
    last: datetime
    #: how often it was solved again since it was last wrong in a review
    again: int = 0
    #: whether it was wrong before it was right
    harder: bool = False

    @property
    def wait(self) -> timedelta:
        """How long it rests after it was last right."""
        return timedelta(days=DAYS[min(self.again, len(DAYS) - 1)] * (HARDER if self.harder else 1))

    @property
    def due(self) -> datetime:
        return self.last + self.wait

    def overdue(self, now: datetime) -> float:
        """How many times its rest it has had; from 1 on it is due."""
        return (now - self.last) / self.wait

    def said(self, now: datetime) -> str:
        """When it was last right, in words."""
        days = (now - self.last).days
        when = "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"
        return f"last right {when}"


@dataclass(frozen=True)
class Drawn:
    """An exercise that is to be done again, and its notebook."""

    card: Card
    notebook: Path


def cards(units: Iterable[Unit], folder: Path) -> list[Card]:
    """The exercises that were ever solved, those first that have waited longest for their rest. Times are aware."""
    first = logbook.read(folder)
    second = logbook.read(folder / REVIEW)
    found = []
    for unit in units:
        for name in unit.points:
            card = _solved(unit, name, first)
            if card is not None:
                found.append(_reviewed(card, second))
    now = datetime.now().astimezone()
    return sorted(found, key=lambda card: card.overdue(now), reverse=True)


def _events(name: str, records: Sequence[Record]) -> list[tuple[datetime, bool]]:
    """When a check of this exercise said right or wrong, in the order of the file."""
    events = []
    for record in records:
        if record.get("exercise") == name and isinstance(passed := record.get("passed"), bool):
            try:
                date = datetime.fromisoformat(record["date"])
            except (KeyError, TypeError, ValueError):
                continue
            events.append((date.astimezone(), passed))
    return events


def _solved(unit: Unit, name: str, records: Sequence[Record]) -> Card | None:
    """The card of an exercise after its unit's own record; None when it was never right there."""
    events = _events(name, records)
    right = [date for date, passed in events if passed]
    if not right:
        return None
    harder = any(not passed for date, passed in events if date <= right[0])
    return Card(unit, name, right[-1], harder=harder)


def _reviewed(card: Card, records: Sequence[Record]) -> Card:
    """The same after the reviews. Several times on one day count as one, and what was wrong first was not known."""
    wrong_on = None
    right_on = card.last.date()
    for date, passed in _events(card.exercise, records):
        if not passed:
            wrong_on = date.date()
            card = replace(card, again=0)
        else:
            if date.date() not in (wrong_on, right_on):
                card = replace(card, again=card.again + 1)
            right_on = date.date()
            card = replace(card, last=max(card.last, date))
    return card


def draw(folder: Path, units: Sequence[Unit], count: int, anyway: bool = False) -> list[Drawn]:
    """Make notebooks of the exercises that are due, `count` at most; `anyway` of those that are due next, too.

    One that was drawn today is there already, and stays as it is. Raises UserError when nothing was ever solved, or a
    notebook cannot be written.
    """
    now = datetime.now().astimezone()
    known = cards(units, folder)
    if not known:
        raise UserError("Nothing to review yet: no exercise is solved. `autograder lab` opens the first one.")
    # One that was solved today has nothing to be recalled yet.
    rested = [card for card in known if card.last.date() < now.date()]
    wanted = [card for card in rested if anyway or card.overdue(now) >= 1][:count]
    return [Drawn(card, _notebook(folder, card, now)) for card in wanted]


def _notebook(folder: Path, card: Card, now: datetime) -> Path:
    """The notebook of an exercise to do again, written where there is none of today yet."""
    place = folder / REVIEW / card.unit.name
    path = place / f"{card.exercise} {now:%Y-%m-%d}.ipynb"
    if path.exists():
        return path
    _, text = released(folder, card.unit.name)
    notebook = once_more(parse(text.encode("utf-8")), card, now)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name in (likely.FILE, locked.FILE):  # so its checks know what a wrong answer means
            if (source := card.unit.notebook.parent / name).is_file():
                shutil.copyfile(source, place / name)
        part = path.with_name(f".{path.name}.new")
        part.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from None
    return path


def once_more(released_unit: dict[str, Any], card: Card, now: datetime) -> dict[str, Any]:
    """The notebook of one exercise: its words, what the unit gave before it (folded), its empty answer, its check."""
    cells = cells_of(released_unit)
    ids = [_grade_id(cell) for cell in cells]
    answer, check = ids.index(card.exercise), ids.index(f"{card.exercise}_check")
    prose = [i for i in range(answer) if cells[i].get("cell_type") == "markdown"]
    heading = f"### Exercise `{card.exercise}`"
    first = max((i for i in prose if heading in source_of(cells[i])), default=prose[-1])
    before = [cell for cell in cells[:answer] if _defines(cell)]
    between = [cell for cell in cells[answer + 1 : check] if _defines(cell)]
    about = (
        f"**Once more: `{card.exercise}`, from unit {card.unit.name}**, {card.said(now)}. Run all cells, write the "
        "answer from memory, and run its check. The folded cells hold what the unit gave. Your notebook of the unit "
        "and your progress there stay as they are."
    )
    told = "Right? Then it rests for longer than before. `autograder review` says what else is due."
    kept = [
        _prose("about", about),
        *(_folded(cell, f"before-{i}") for i, cell in enumerate(before)),
        *(_prose(f"statement-{i}", source_of(cells[i])) for i in prose if i >= first),
        _code("answer", source_of(cells[answer]), {}),
        *(_folded(cell, f"probe-{i}") for i, cell in enumerate(between)),
        _code("check", source_of(cells[check]), {"editable": False, "deletable": False}),
        _prose("next", told),
    ]
    metadata = {
        key: value
        for key, value in metadata_of(released_unit).items()
        if key in ("kernelspec", "language_info")
    }
    # Not as units have it: this is no notebook to hand in.
    metadata["autograder"] = {"review": {"unit": card.unit.name, "exercise": card.exercise}}
    return {"cells": kept, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _grade_id(cell: dict[str, Any]) -> str:
    about = metadata_of(cell).get("nbgrader")
    name = about.get("grade_id") if isinstance(about, dict) else None
    return name if isinstance(name, str) else ""


def _defines(cell: dict[str, Any]) -> bool:
    """Whether checks may need what a cell defines: set-up, given code, and the empty answers of other exercises."""
    about = metadata_of(cell)
    graded, ours = about.get("nbgrader"), about.get("autograder")
    if isinstance(graded, dict) and graded.get("solution"):
        return True
    return isinstance(ours, dict) and ours.get("kind") in (SETUP, GIVEN)


def _prose(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def _code(name: str, text: str, metadata: dict[str, Any]) -> dict[str, Any]:
    metadata = {**metadata, "tags": ["raises-exception"]}  # an open exercise does not end Run All
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": metadata,
        "outputs": [],
        "source": text,
    }


def _folded(cell: dict[str, Any], name: str) -> dict[str, Any]:
    return _code(name, source_of(cell), {"jupyter": {"source_hidden": True}})
