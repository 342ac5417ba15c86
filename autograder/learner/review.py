"""Old exercises once more: those that are due, each in a notebook of its own, empty as at first.

What one has to recall stays, and it stays longer each time (Cepeda, Pashler, Vul, Wixted and Rohrer 2006, Psychological
Bulletin 132, 354-380, collect 317 experiments on it). So an exercise that was solved comes again after some days, and
when it was solved again after twice as many. One that was wrong when it came again begins anew, and one that was wrong
before it was right comes sooner. All that is known of it is the record that checks keep: one for the units, and one
for the reviews, which change nothing in a unit's progress.

    course/review/03_reverse_mode/mul_vjp 2026-11-21.ipynb
    course/.review.jsonl
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..lesson import likely, locked, logbook
from ..lesson.logbook import REVIEW, REVIEWS, Record
from ..unit.cell import GIVEN, SETUP, grade_id
from ..unit.raw import cells_of, metadata_of, parse, source_of
from .fresh import released
from .progress import Unit
from .released import write_whole

#: Days until an exercise comes again: after it was first solved, after the first time that it came again, and so on.
#: Half as many for one that was wrong before it was right.
DAYS = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Card:
    """An exercise that was solved, and what the records say of it."""

    unit: Unit
    exercise: str
    #: the day on which it was last right
    last: date
    #: how often it was solved again since it was last wrong in a review
    again: int = 0
    #: whether it was wrong before it was right
    harder: bool = False

    @property
    def wait(self) -> int:
        """How many days it rests after it was last right."""
        days = DAYS[min(self.again, len(DAYS) - 1)]
        return days // 2 if self.harder else days

    @property
    def due(self) -> date:
        return self.last + timedelta(days=self.wait)

    def overdue(self, today: date) -> float:
        """How many times its rest it has had; from 1 on it is due."""
        return (today - self.last).days / self.wait

    def said(self, today: date) -> str:
        """When it was last right, in words."""
        days = (today - self.last).days
        when = "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"
        return f"last right {when}"


@dataclass(frozen=True)
class Drawn:
    """An exercise that is to be done again, and its notebook."""

    card: Card
    notebook: Path


def cards(units: Iterable[Unit], folder: Path, today: date) -> list[Card]:
    """The exercises that were ever solved, those first that have waited longest for their rest."""
    first = logbook.read(folder)
    second = logbook.read(folder, REVIEWS)
    found = []
    for unit in units:
        for name in unit.points:
            card = _solved(unit, name, first)
            if card is not None:
                found.append(_reviewed(card, second))
    return sorted(found, key=lambda card: card.overdue(today), reverse=True)


def _events(name: str, records: Sequence[Record]) -> list[tuple[date, bool]]:
    """On which days a check of this exercise said right or wrong, in the order of the file."""
    events = []
    for record in records:
        if record.get("exercise") == name and isinstance(passed := record.get("passed"), bool):
            try:
                moment = datetime.fromisoformat(record["date"])
            except (KeyError, TypeError, ValueError):
                continue
            events.append((moment.astimezone().date(), passed))
    return events


def _solved(unit: Unit, name: str, records: Sequence[Record]) -> Card | None:
    """The card of an exercise after its unit's own record; None when it was never right there."""
    events = _events(name, records)
    right = [day for day, passed in events if passed]
    if not right:
        return None
    harder = not events[0][1]
    return Card(unit, name, right[-1], harder=harder)


def _reviewed(card: Card, records: Sequence[Record]) -> Card:
    """The same after the reviews. Several times on one day count as one, and what was wrong first was not known."""
    wrong_on = None
    right_on = card.last
    for day, passed in _events(card.exercise, records):
        if not passed:
            wrong_on = day
            card = replace(card, again=0)
        else:
            if day not in (wrong_on, right_on):
                card = replace(card, again=card.again + 1)
            right_on = day
            card = replace(card, last=max(card.last, day))
    return card


def draw(folder: Path, units: Sequence[Unit], count: int, today: date, anyway: bool = False) -> list[Drawn]:
    """Make notebooks of the exercises that are due, `count` at most; `anyway` of those that are due next, too.

    One that was drawn since it was last right is there already, and stays as it is. Raises UserError when nothing was
    ever solved, or a notebook cannot be written.
    """
    known = cards(units, folder, today)
    if not known:
        raise UserError("Nothing to review yet: no exercise is solved. `autograder lab` opens the first one.")
    # One that was solved today has nothing to be recalled yet.
    rested = [card for card in known if card.last < today]
    wanted = [card for card in rested if anyway or card.overdue(today) >= 1][:count]
    return [Drawn(card, _notebook(folder, card, today)) for card in wanted]


def _notebook(folder: Path, card: Card, today: date) -> Path:
    """The notebook of an exercise to do again, written where there is none yet since it was last right."""
    place = folder / REVIEW / card.unit.name
    if (open_one := _unsolved(place, card)) is not None:
        return open_one
    path = place / f"{card.exercise} {today}.ipynb"
    _, text = released(folder, card.unit.name)
    notebook = once_more(parse(text.encode("utf-8")), card, today)
    try:
        for name in (likely.FILE, locked.FILE):  # so its checks know what a wrong answer means
            if (source := card.unit.notebook.parent / name).is_file():
                write_whole(place / name, source.read_bytes())
        write_whole(path, (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from None
    return path


def _unsolved(place: Path, card: Card) -> Path | None:
    """The newest notebook of an exercise that was drawn after it was last right."""
    name = re.compile(rf"{re.escape(card.exercise)} (\d{{4}}-\d\d-\d\d)\.ipynb")
    dated = {found[1]: path for path in place.glob("*.ipynb") if (found := name.fullmatch(path.name))}
    newest = max(dated, default="")
    return dated[newest] if newest > card.last.isoformat() else None


def once_more(released_unit: dict[str, Any], card: Card, today: date) -> dict[str, Any]:
    """The notebook of one exercise: its words, what the unit gave before it (folded), its empty answer, its check."""
    cells = cells_of(released_unit)
    ids = [grade_id(cell) for cell in cells]
    answer, check = ids.index(card.exercise), ids.index(f"{card.exercise}_check")
    prose = [i for i in range(answer) if cells[i].get("cell_type") == "markdown"]
    heading = f"### Exercise `{card.exercise}`"
    first = max((i for i in prose if heading in source_of(cells[i])), default=prose[-1])
    before = [cell for cell in cells[:answer] if _defines(cell)]
    between = [cell for cell in cells[answer + 1 : check] if _defines(cell)]
    about = (
        f"**Once more: `{card.exercise}`, from unit {card.unit.name}**, {card.said(today)}. Run all cells, write the "
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
    # No "unit", as units have it: this is no notebook to hand in.
    metadata["autograder"] = {"review": {"of": card.unit.name, "exercise": card.exercise}}
    return {"cells": kept, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


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
