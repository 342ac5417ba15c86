"""The released units that come with the package, and a learner's own copy of them.

A copy has a mark, a file that holds the version that it came from and a digest of each file as it was put there. So a
file that nobody has changed since can be renewed, and one that somebody has worked on is never touched.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UserError
from ..lesson.logbook import units_folder
from .progress import KEPT, MARK

#: The endings of what a unit's folder may hold.
KINDS = {".ipynb", ".json", ".md", ".png", ".npz", ".csv"}


@dataclass
class Placed:
    """What became of each file, by its name in the folder: put there, renewed, or left because somebody changed it."""

    new: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    #: changed by the learner and by the release: theirs, and where the new one stands, if it is a notebook
    left: dict[str, str] = field(default_factory=dict)
    #: changed by the learner alone, since the release has no newer one
    kept: list[str] = field(default_factory=list)


def packaged() -> Path:
    """The folder of the released units: in an installed package its own, in a checkout `course/`.

    Raises UserError when there is none.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "released", package.parent / "course"):
        if folder.is_dir():
            return folder
    raise UserError(
        "This installation came without the units: `pip install --force-reinstall autograd-course` mends that."
    )


def files_of(folder: Path) -> dict[str, Path]:
    """The files of released units by their names in the folder, without what a learner's work leaves there."""
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in KINDS and path.is_file()]
    found = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: path for name, path in found.items() if "/." not in f"/{name}" and KEPT not in name}


def place(folder: Path, source: Path | None = None) -> Placed:
    """Put the released units into a folder, or a newer version of them; what a learner has changed stays as it is.

    Raises UserError when the folder cannot be written, or is no place for them.
    """
    source = packaged() if source is None else source
    if (folder / "nbgrader_config.py").exists():
        raise UserError(f"{folder} is an instructor's course: name another folder for your own work.")
    if not (folder / MARK).is_file():
        _refuse_inside_a_course(folder)
    placed = Placed()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before = _read_mark(folder)
        digests = dict(before)
        for name, path in files_of(source).items():
            _place_one(folder, name, path.read_bytes(), digests, placed)
        mark = {"version": importlib.metadata.version("autograd-course"), "files": digests}
        if digests != before:
            write_whole(folder / MARK, (json.dumps(mark, indent=1) + "\n").encode())
    except OSError as error:
        raise UserError(
            f"The units cannot be put into {folder}: {error.strerror or error}. Name a folder that you may write to."
        ) from None
    return placed


def _refuse_inside_a_course(folder: Path) -> None:
    """Raises UserError where a new folder would be a second course in a first: what was done would seem lost."""
    for above in folder.parents:
        if (above / "nbgrader_config.py").is_file() and (above / "solutions").is_dir():
            raise UserError(
                f"{folder} is inside of an instructor's course, {above}: name a folder outside of it."
            )
        if (above / MARK).is_file():
            raise UserError(
                f"{folder} would be a second course inside of yours, {above}: to go on with your work, run "
                f"`autograder lab` there; for a newer version of it, `autograder start {shlex.quote(str(above))}`."
            )
    home = next(filter(None, map(units_folder, (folder, *folder.parents))), None)
    if home is not None:
        raise UserError(
            f"{folder} is inside of units of the course, {home}: to go on with these, run `autograder lab` there, or "
            "name a folder outside of it."
        )


def _place_one(folder: Path, name: str, data: bytes, digests: dict[str, str], placed: Placed) -> None:
    target, digest = folder / name, _digest(data)
    put = digests.get(name)
    if not target.exists():
        write_whole(target, data)
        placed.new.append(name)
    elif (there := _digest(target.read_bytes())) == put != digest:
        write_whole(target, data)
        placed.renewed.append(name)
    elif there != digest and put != digest:
        placed.left[name] = _beside(target, data) if target.suffix == ".ipynb" else ""
    elif there != digest:
        placed.kept.append(name)
    digests[name] = digest


def _beside(target: Path, data: bytes) -> str:
    """Put a newer notebook beside one that was changed, under a name that nothing has yet."""
    version = importlib.metadata.version("autograd-course")
    for count in range(1, 1000):
        again = f", {count}" if count > 1 else ""
        path = target.with_name(f"{target.stem} (new {version}{again}){target.suffix}")
        if not path.exists():
            write_whole(path, data)
        if path.read_bytes() == data:
            return path.name
    raise OSError(0, f"there are too many new versions beside {target.name}")


def _read_mark(folder: Path) -> dict[str, str]:
    """The digests of the files as they were put there; none where nothing was, or the mark is damaged."""
    try:
        files = json.loads((folder / MARK).read_text(encoding="utf-8"))["files"]
        return {str(name): str(digest) for name, digest in files.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Write all of a file, or nothing; its folder is made. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    os.replace(part, path)
