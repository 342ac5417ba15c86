"""How far a learner is in a unit, drawn under its last cell: what is done, what is open, where to go on.

The picture is HTML with inline styles, which is all that an untrusted notebook keeps; beside it goes the same as text.
Its colours come with their own background or are the theme's, and each state has a mark of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from . import logbook
from .colours import GREEN, RED, css
from .logbook import BROKEN, MARKS, OPEN, RIGHT, WRONG

_FULL = f"background: {css(GREEN)}; color: #ffffff; border: 1px solid {css(GREEN)}"
_LOOKS = {
    RIGHT: _FULL,
    WRONG: f"background: {css(RED)}; color: #ffffff; border: 1px solid {css(RED)}",
    BROKEN: f"background: #ffffff; color: {css(RED)}; border: 1px solid {css(RED)}",
    OPEN: "border: 1px solid #808080",
}
_CHIP = "display: inline-block; margin: 2px 4px 2px 0; padding: 1px 8px; border-radius: 10px"


@dataclass(frozen=True)
class Standing:
    """What there is to say of a unit: its exercises with points and states, its predictions, and what follows."""

    unit: str
    points: Mapping[str, float]
    states: Mapping[str, str]
    predictions: Sequence[str]
    predicted: frozenset[str]
    after: Path | None  # the next unit's notebook

    @property
    def done(self) -> list[str]:
        return [name for name in self.points if self.states.get(name) == RIGHT]

    @property
    def left(self) -> list[str]:
        return [name for name in self.points if self.states.get(name) != RIGHT]

    @property
    def share(self) -> tuple[float, float]:
        """How much is done, and of how much: in points, or in exercises where none has points."""
        most = sum(self.points.values())
        if most:
            return sum(self.points[name] for name in self.done), most
        return len(self.done), len(self.points)

    @property
    def summary(self) -> str:
        exercises = f"{len(self.done)} of {len(self.points)} exercises"
        if not sum(self.points.values()):
            return f"{exercises} (practice)"
        earned, most = self.share
        return f"{exercises}, {earned:g} of {most:g} points"

    @property
    def of_predictions(self) -> str:
        made = sum(name in self.predicted for name in self.predictions)
        return f"{made} of {len(self.predictions)} predictions made" if self.predictions else ""

    @property
    def next_unit(self) -> str:
        return self.after.parent.name if self.after else ""


def progress(unit: str, points: Mapping[str, float], predictions: Sequence[str] = ()) -> None:
    """Show which exercises of a unit are done, the points and predictions so far, and what comes next."""
    here = logbook.started_in()
    folder = logbook.units_folder(here) if here is not None else None
    records = logbook.known(folder)
    told = Standing(
        unit,
        points,
        logbook.standing(records),
        predictions,
        logbook.predictions(records),
        _notebook_after(folder, unit),
    )
    text = "\n".join(lines(told))
    shell = logbook.shell()
    if shell is None:
        print(text)
    else:
        shell.display_pub.publish({"text/html": drawn(told), "text/plain": text}, {})


def lines(told: Standing) -> Iterator[str]:
    """The standing as text."""
    yield f"{told.unit}  {bar(*told.share)}  {told.summary}"
    yield ""
    width = max(map(len, told.points), default=0)
    for name, worth in told.points.items():
        state = told.states.get(name, OPEN)
        said = f"  {state}" if state in (WRONG, BROKEN) else ""
        yield f"  {MARKS[state]} {name:<{width}}  {worth_of(worth)}{said}".rstrip()
    yield ""
    if told.predictions:
        yield told.of_predictions
    if told.left:
        yield f"Next: {told.left[0]}"
    else:
        following = f" Next: unit {told.next_unit}" if told.after else ""
        yield f"All exercises of this unit are right.{following}"


def drawn(told: Standing) -> str:
    """The standing as HTML, with all its looks in the elements themselves."""
    part, whole = told.share
    full = round(100 * part / whole) if whole else 0
    chips = "".join(_chip(name, told.states.get(name, OPEN), worth) for name, worth in told.points.items())
    rows = [
        f'<div style="font-weight: bold">{escape(told.unit)}</div>',
        f'<div style="margin: 4px 0; height: 12px; border: 1px solid #808080; border-radius: 6px">'
        f'<div style="width: {full}%; height: 12px; background: {css(GREEN)}; border-radius: 6px"></div></div>',
        f"<div>{told.summary}</div>",
        f'<div style="margin: 6px 0">{chips}</div>',
    ]
    if told.predictions:
        marks = " ".join("●" if name in told.predicted else "○" for name in told.predictions)
        rows.append(f"<div>{marks} {told.of_predictions}</div>")
    rows.append(f'<div style="margin: 6px 0 0 0">{_going_on(told)}</div>')
    return f'<div style="max-width: 720px">{"".join(rows)}</div>'


def _chip(name: str, state: str, worth: float) -> str:
    said = f"{MARKS[state]} {escape(name)}" + (f" · {worth:g}" if worth else "")
    title = escape(", ".join(filter(None, [name, worth_of(worth), state])))
    return f'<span style="{_CHIP}; {_LOOKS[state]}" title="{title}">{said}</span>'


def _going_on(told: Standing) -> str:
    if told.left:
        left = told.left[0]
        state = told.states.get(left, OPEN)
        said = f" ({state})" if state != OPEN else ""
        return f"Next: <b>{escape(left)}</b>{said}"
    done = "All exercises of this unit are right."
    if told.after is None:
        return done
    link = quote(f"../{told.next_unit}/{told.after.name}")
    return f'{done} Next: <a href="{link}">unit {escape(told.next_unit)}</a>'


def worth_of(points: float) -> str:
    """What an exercise is worth, in words; nothing for one of practice.

    >>> worth_of(1), worth_of(2), worth_of(0)
    ('1 point', '2 points', '')
    """
    return f"{points:g} point{'' if points == 1 else 's'}" if points else ""


def bar(part: float, whole: float, width: int = 20) -> str:
    """
    >>> bar(3, 4, 8)
    '██████░░'
    """
    full = int(width * part / whole) if whole else 0
    return "█" * full + "░" * (width - full)


def _notebook_after(folder: Path | None, unit: str) -> Path | None:
    """The notebook of the unit that follows, where the units are; None when this is the last."""
    if folder is None:
        return None
    try:
        units = [p for p in folder.iterdir() if re.match(r"\d+_", p.name) and p.name > unit]
        found = [(place.name, min(_notebooks(place))) for place in units if _notebooks(place)]
    except OSError:
        return None
    return min(found)[1][-1] if found else None


def _notebooks(place: Path) -> list[tuple[int, str, Path]]:
    """The notebooks of a unit; its own has a shorter name than what was kept of it."""
    return [(len(path.name), path.name, path) for path in place.glob("*.ipynb")]


__all__ = ["progress"]
