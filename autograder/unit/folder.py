"""A student's folder: which file in it is the notebook that counts, and what lies beside it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ..errors import UserError
from ..lesson.wire import printable
from .assignment import Assignment
from .ignored import listed
from .ingest import worked_on
from .raw import CALLED_JSON, CALLED_NOTEBOOK, looks_like_a_notebook, parse, read_bytes, unwrapped

#: Begins the note on a notebook that has another name; nothing to look at.
RENAMED = "The file is called "
#: Begins the part of a note that names notebooks which were left aside.
BESIDE = "Not graded, because one notebook counts: "
#: Files beside the graded one that a note names.
MAX_NAMED = 5
#: Of a student's folder so many files are looked at, and folders so deep.
MAX_LOOKED_AT = 2000
MAX_FOLDERS_DEEP = 4
#: So many are read to see whether they were worked on.
MAX_READ = 10


def pick_file(folder: Path, name: str, assignment: Assignment | None = None) -> tuple[Path | None, str]:
    """The notebook that was handed in: the one of the right name, or else the newest.

    Where the assignment is given, a notebook that was worked on goes before the untouched release. With the path comes
    a note on an unexpected name and on what lies beside it, or on why there is none.
    """
    if folder.is_symlink():
        return None, f"The folder {folder.name} is a symbolic link, and links are not followed."
    path = folder / f"{name}.ipynb"
    there = path.exists() or path.is_symlink()
    found = list(_candidates(folder))
    if not there and not found:
        return None, f"There is no notebook in {folder.name}."
    rest = [p for p in found if p != path]
    note = ""
    if rest and not (there and (assignment is None or _worked_on(path, assignment))):
        rest.sort(key=lambda p: (name in p.name, p.lstat().st_mtime, p.name), reverse=True)
        some = (p for p in rest[:MAX_READ] if assignment is None or _worked_on(p, assignment))
        chosen = next(some, path if there else rest[0])
        shown = printable(chosen.relative_to(folder).as_posix(), 200)
        if there and chosen != path:
            note = f"{RENAMED}{shown!r}; it was graded, because {name}.ipynb is as it was released."
        elif chosen != path:
            note = f"{RENAMED}{shown!r}; it was graded as {name}.ipynb."
        path = chosen
    others = [repr(p.relative_to(folder).as_posix()) for p in found if p != path]
    if len(others) > MAX_NAMED:
        others[MAX_NAMED:] = [f"and {len(others) - MAX_NAMED} more"]
    if others:
        note = f"{note} {BESIDE}{', '.join(others)}.".lstrip()
    return path, note


def _candidates(folder: Path) -> Iterator[Path]:
    """What may be the notebook: files that are called so; where there are none, such as look like it."""
    files = list(_files(folder))
    named = [path for path in files if CALLED_NOTEBOOK.search(path.name)]
    yield from named or [path for path in files[:MAX_NAMED] if _may_hold_a_notebook(path)]


def _files(folder: Path, deep: int = 1, left: list[int] | None = None) -> Iterator[Path]:
    """The files of a folder and of those in it, hidden ones left out, the nearest first."""
    left = [MAX_LOOKED_AT] if left is None else left
    folders = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        left[0] -= 1
        if left[0] < 0:
            return
        if path.name.startswith((".", "__")):
            continue
        if path.is_symlink() or not path.is_dir():
            yield path
        elif deep < MAX_FOLDERS_DEEP:
            folders.append(path)
    for inner in folders:
        yield from _files(inner, deep + 1, left)


def _may_hold_a_notebook(path: Path) -> bool:
    ending = path.suffix.lower()
    if ending not in (".zip", ".gz") and not CALLED_JSON.search(path.name):
        return False
    try:
        data = read_bytes(path)
        if ending == ".zip":
            return bool(unwrapped(data, path.name)[0])
        return looks_like_a_notebook(unwrapped(data, path.name)[0])
    except UserError:
        return False


def _worked_on(path: Path, assignment: Assignment) -> bool:
    try:
        return worked_on(parse(read_bytes(path), path.name), assignment)
    except UserError:
        return False


def side_files(folder: Path, released: Collection[str], graded: Path | None = None) -> str:
    """A note on what was handed in beside the notebooks, or an empty text. Nothing of it is read.

    `released` names what belongs there: files that come with the unit. `graded` is the file that counts.
    """
    if folder.is_symlink() or not folder.is_dir():
        return ""
    expected = {*released, "timestamp.txt", "__pycache__"}
    found = [
        repr(printable(path.name, 80) + "/" * (path.is_dir() and not path.is_symlink()))
        for path in sorted(folder.iterdir())
        if path.name not in expected
        and not CALLED_NOTEBOOK.search(path.name)
        and not path.name.startswith(".")
        and not re.search(r"\.earlier-\d+$", path.name)
        and not (graded is not None and graded.is_relative_to(path))
    ]
    return f"Files beside the notebook are not used: {listed(found)}." if found else ""
