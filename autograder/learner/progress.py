"""What a learner asks for on the command line: how far am I, and may I start this unit afresh."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..lesson import logbook
from ..lesson.logbook import BROKEN, MARKS, OPEN, RIGHT, WRONG
from ..lesson.progress import bar, worth_of
from ..unit.assignment import Course, unit_named
from ..unit.raw import cells_of, metadata_of, parse, read_bytes, unit_of

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {RIGHT: "green", WRONG: "red", BROKEN: "yellow", OPEN: "default"}

#: In the name of a notebook that was kept when its unit was started afresh.
KEPT = " (kept "
#: The file by which `autograder start` knows what it has put into a folder.
MARK = ".autograder.json"


@dataclass(frozen=True)
class Unit:
    """A unit in the learner's folder: its exercises with their points, in order, and how each of them stands."""

    name: str
    title: str
    notebook: Path
    points: Mapping[str, float]
    states: Mapping[str, str]

    @property
    def done(self) -> list[str]:
        return [name for name in self.points if self.states[name] == RIGHT]

    @property
    def left(self) -> list[str]:
        return [name for name in self.points if self.states[name] != RIGHT]

    @property
    def earned(self) -> float:
        return sum(self.points[name] for name in self.done)

    @property
    def most(self) -> float:
        return sum(self.points.values())


def units_folder(start: Path | None = None) -> Path:
    """The folder of the learner's units, seen from a folder in or above it. Raises UserError when there is none."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "nbgrader_config.py").is_file() and (folder / "course").is_dir():
            return folder / "course"
        if (folder / logbook.FILE).is_file() or (folder / MARK).is_file():
            return folder
        if found := logbook.units_folder(folder) or logbook.reviewed_folder(folder):
            return found
    if any(logbook.units_folder(place) == start for place in _folders(start)):
        return start
    try:
        return Course.find(start).root / "course"
    except UserError:
        raise UserError(
            f"No course here: neither {start} nor a folder above it holds notebooks of the course. "
            "Change to the course's folder first, or make one with `autograder start FOLDER`."
        ) from None


def _folders(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return [place for place in folder.iterdir() if place.is_dir()]
    return []


def units(folder: Path) -> list[Unit]:
    """The units in a learner's folder, in order."""
    states = logbook.standing(logbook.read(folder))
    found = []
    for place in sorted(folder.iterdir()) if folder.is_dir() else []:
        if place.is_dir() and (unit := _unit(place, states)):
            found.append(unit)
    return found


def _unit(folder: Path, states: Mapping[str, str]) -> Unit | None:
    # The unit's own notebook rather than a copy of it.
    paths = sorted(folder.glob("*.ipynb"), key=lambda path: (KEPT in path.name, len(path.name), path.name))
    for path in paths:
        try:
            notebook = parse(read_bytes(path), path.name)
        except UserError:
            continue
        if unit_of(notebook) == folder.name:
            points = points_of(notebook)
            title = metadata_of(notebook)["autograder"].get("title")
            return Unit(
                folder.name,
                title if isinstance(title, str) else "",
                path,
                points,
                {name: states.get(name, OPEN) for name in points},
            )
    return None


def points_of(notebook: dict[str, Any]) -> dict[str, float]:
    """The exercises of a notebook and their points, in order, from its check cells."""
    points: dict[str, float] = {}
    for cell in cells_of(notebook):
        about = metadata_of(cell).get("nbgrader")
        if not isinstance(about, dict) or not about.get("grade") or about.get("solution"):
            continue
        name, worth = about.get("grade_id"), about.get("points")
        if isinstance(name, str) and isinstance(worth, (int, float)):
            points.setdefault(name.removesuffix("_check"), worth)
    return points


def find(found: list[Unit], wanted: str) -> Unit:
    """The unit of this name, or of this number. Raises UserError when there is none."""
    name = unit_named([unit.name for unit in found], wanted)
    return next(unit for unit in found if unit.name == name)


def current(found: list[Unit], folder: Path) -> Unit | None:
    """The unit that is being worked on: where the last check ran, or the one that follows it when it is done."""
    graded = [unit for unit in found if unit.points]
    last = graded[0] if graded else None
    for record in reversed(logbook.read(folder)):
        here = [unit for unit in graded if record.get("exercise") in unit.points]
        if here:
            last = here[0]
            break
    return following(graded, last) or last


def following(found: list[Unit], unit: Unit | None) -> Unit | None:
    """The first unit with something left to do, from this one on and then from the start; None when all is done."""
    start = found.index(unit) if unit in found else 0
    return next((one for one in [*found[start:], *found[:start]] if one.left), None)


def as_json(found: list[Unit], shown: Unit | None) -> dict[str, Any]:
    """The contract of `autograder progress --json`."""
    coming = following(found, shown)
    return {
        "units": [
            {
                "unit": unit.name,
                "title": unit.title,
                "done": len(unit.done),
                "points": unit.earned,
                "max_points": unit.most,
                "exercises": [
                    {"name": name, "points": points, "state": unit.states[name]}
                    for name, points in unit.points.items()
                ],
            }
            for unit in found
        ],
        "next": {"unit": coming.name, "exercise": coming.left[0]} if coming else None,
    }


def show(found: list[Unit], shown: Unit | None, console: Console) -> None:
    """Print a table of the units, the exercises of one of them, and what comes next."""
    from rich.table import Table  # which a notebook that runs in a browser does not have
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("unit")
    table.add_column("exercises", justify="right")
    table.add_column("points", justify="right")
    table.add_column("", no_wrap=True)
    for unit in found:
        if unit.points:
            table.add_row(
                Text(unit.name, style="bold" if unit is shown else "default"),
                f"{len(unit.done)} of {len(unit.points)}",
                f"{unit.earned:g} of {unit.most:g}" if unit.most else "practice",
                Text(
                    bar(unit.earned, unit.most) if unit.most else bar(len(unit.done), len(unit.points)),
                    style="default" if unit.left else "green",
                ),
            )
        else:
            table.add_row(Text(unit.name), "–", "–", "")  # nothing is graded
    console.print(table)
    if shown is None:
        return
    console.print()
    console.print(Text(f"{shown.name}  {shown.title}".rstrip(), style="bold"), soft_wrap=True)
    exercises = Table(box=None, show_header=False)
    for name, points in shown.points.items():
        state = shown.states[name]
        exercises.add_row(
            Text(f"{MARKS[state]} {name}", style=STYLES[state]),
            worth_of(points),
            Text(state if state in (WRONG, BROKEN) else "", style=STYLES[state]),
        )
    console.print(exercises)
    console.print()
    coming = following(found, shown)
    if coming:
        where = f"{coming.left[0]}, in {coming.name}/{coming.notebook.name}"
    else:
        where = "nothing; all exercises of all units are right"
    console.print(Text(f"next: {where}", style="bold"), soft_wrap=True)
