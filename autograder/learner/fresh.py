"""Starts a unit afresh: the learner's notebook is kept under a new name, and a released one put in its place."""

from __future__ import annotations

import contextlib
import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import nbformat

from ..errors import UserError
from ..lesson import logbook
from ..lesson.predict import predictions_of
from ..unit.assignment import Course, unit_named
from ..unit.raw import cells_of, parse, source_of, unit_of
from .progress import KEPT, MARK, points_of
from .released import packaged, write_whole


@dataclass(frozen=True)
class Fresh:
    """What `start_afresh` did: the notebook it wrote, and the name of the old one (None: there was nothing to keep)."""

    notebook: Path
    kept: Path | None
    #: exercises that were right in the record, and are open now
    forgotten: int = 0


def start_afresh(folder: Path, wanted: str, moment: datetime | None = None) -> Fresh:
    """Keep the learner's notebook under a new name, and put a released one in its place.

    Raises UserError when the unit is not known, or when no released notebook can be had.
    """
    unit = _name_of(folder, wanted)
    name, text = released(folder, unit)
    path = folder / unit / name
    kept = None
    try:
        if path.exists() and path.read_bytes() != text.encode("utf-8"):
            kept = _keep(path, moment or datetime.now())
        write_whole(path, text.encode("utf-8"))
    except OSError as error:
        raise UserError(
            f"{path} cannot be replaced: {error.strerror}. Nothing of yours was changed."
        ) from None
    new = parse(text.encode("utf-8"))
    names = list(points_of(new))
    states = logbook.standing(logbook.read(folder))
    record = {
        "fresh": unit,
        "exercises": names,
        "predictions": predictions_of(source_of(cell) for cell in cells_of(new)),
        "date": logbook.now(),
    }
    with contextlib.suppress(OSError):  # without a file there is no record that could be wrong
        logbook.append(folder, record)
    return Fresh(path, kept, sum(states.get(name) == logbook.RIGHT for name in names))


def _name_of(folder: Path, wanted: str) -> str:
    """The unit's full name, even when its notebook was deleted or damaged."""
    names = {path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")}
    if (solutions := _solutions(folder)) is not None:
        names |= set(Course(solutions.parent).units())
    return unit_named(sorted(names), wanted)


def _solutions(folder: Path) -> Path | None:
    path = folder.parent / "solutions"
    return path if folder.name == "course" and path.is_dir() else None


def released(folder: Path, unit: str) -> tuple[str, str]:
    """The name and the text of the unit's released notebook: made from the solution, or as git has it.

    Raises UserError when it cannot be had.
    """
    solutions = _solutions(folder)
    if solutions is not None and any((solutions / unit).glob("*.ipynb")):
        assignment = Course(solutions.parent).assignment(unit)
        return f"{assignment.name}.ipynb", nbformat.writes(
            assignment.release, version=nbformat.NO_CONVERT
        ) + "\n"
    places = [folder]
    if (folder / MARK).is_file():  # `autograder start` put the units there
        home = packaged()
        for path in sorted((home / unit).glob("*.ipynb")) if home.name == "released" else []:
            return path.name, path.read_text(encoding="utf-8")
        places.append(home)  # a checkout's own notebooks may be worked on: git has them as they were
    for place in places:
        for name in _git(place, "ls-tree", "-z", "--name-only", "HEAD", f"./{unit}/").split("\0"):
            if name.endswith(".ipynb") and KEPT not in name:
                text = _git(place, "show", f"HEAD:./{name}")
                with contextlib.suppress(UserError):
                    if unit_of(parse(text.encode("utf-8"))) == unit:
                        return Path(name).name, text
    raise UserError(
        f"There is no released notebook of {unit} to start from: neither the folder solutions nor git has it. "
        "Download the unit once more, and rename your own notebook before you put the new one beside it."
    )


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            timeout=30,
            check=True,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")


def _keep(path: Path, moment: datetime) -> Path:
    """Copy a notebook to a name that nothing has yet. Raises OSError."""
    for count in range(1, 1000):
        again = f", {count}" if count > 1 else ""
        kept = path.with_name(f"{path.stem}{KEPT}{moment:%Y-%m-%d %H%M}{again}){path.suffix}")
        try:
            with kept.open("xb") as file:
                file.write(path.read_bytes())
        except FileExistsError:
            continue
        return kept
    raise OSError(0, "there are too many kept notebooks")
