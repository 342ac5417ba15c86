"""Notebooks that somebody edited after they were built: a build makes them anew, and keeps what they held.

What is kept lies in `edited/` of the course's folder, by the same path. In the unit's own folder it would be taken for
the unit, and nbgrader would release it with its answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from ..errors import UserError
from ..unit.notebook import digest_of, release

FOLDER = "edited"


def read(path: Path) -> NotebookNode | None:
    """A notebook; None where there is none, or one that cannot be read."""
    try:
        return nbformat.read(path, as_version=4)
    except Exception:  # an editor's half of a file, a merge that stopped
        return None


def is_edited(notebook: NotebookNode) -> bool:
    """Whether the cells of a built notebook are others than those that it was built with, as far as it says."""
    about = notebook.metadata.get("autograder", {})
    if "unit" not in about:  # it was never built
        return True
    return "digest" in about and about["digest"] != digest_of(notebook)


def keep(
    root: Path, solution: tuple[Path, NotebookNode], released: tuple[Path, NotebookNode]
) -> Iterator[str]:
    """Keep the two notebooks that are about to be replaced, where they were edited; gives a line on each.

    Raises UserError where they cannot be kept: then nothing is replaced.
    """
    (path, _), (given, new) = solution, released
    old = read(path)
    if path.is_file() and (old is None or is_edited(old)):
        yield _kept(root, path, path.stem)
    theirs = read(given)
    if given.is_file() and (theirs is None or _is_edited_release(theirs, old, new)):
        yield _kept(root, given, path.stem)


def _is_edited_release(notebook: NotebookNode, old: NotebookNode | None, new: NotebookNode) -> bool:
    """The same of a released one, which has its solution's digest: neither the old nor the new one is released so."""
    about = notebook.metadata.get("autograder", {})
    if "unit" not in about:
        return True
    known = [digest_of(new), *([digest_of(release(old))] if old is not None else [])]
    return "digest" in about and digest_of(notebook) not in known


def _kept(root: Path, path: Path, source: str) -> str:
    """Copy a notebook to where nothing is yet; gives the line that says so."""
    inner, data = path.relative_to(root), path.read_bytes()
    count = 1
    while True:
        name = f"{path.stem}-{count}{path.suffix}" if count > 1 else path.name
        place = root / FOLDER / inner.with_name(name)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                file.write(data)
        except FileExistsError:
            if place.is_file() and place.read_bytes() == data:
                break
            count += 1
            continue
        except OSError as error:
            raise UserError(
                f"{inner} was edited, and cannot be kept as {place} ({error.strerror}): nothing was built."
            ) from None
        break
    return (
        f"! {inner} was edited after it was built, and is built anew: the edited one is kept as "
        f"{place.relative_to(root)}. What should stay of it belongs in {source}.py."
    )
