"""What a submission has in the place of the release's own cells: it is not used, and a note says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..lesson.wire import printable
from .assignment import Assignment
from .cell import CHECK, Cell
from .notebook import checksum, node
from .raw import metadata_of

#: Begins the note on check cells that a student has changed.
CHANGED_CHECKS = "Changed check cells are ignored"
#: What a cell's metadata says of its grading, and what a notebook's says of the unit or of an earlier grading. The
#: release's own counts; another value is told.
OF_A_CELL = ("grade_id", "grade", "locked", "points", "solution", "task")
OF_THE_NOTEBOOK = ("allow", "graded", "unit", "exercises", "fingerprint", "max_score", "mistakes", "score")


#: Ends what is said of a notebook's own metadata.
OF_ALL = " of the notebook"


def _is_as_released(cell: dict[str, Any], source: str, about: dict[str, Any]) -> bool:
    """Whether a cell is what its checksum says: so it left us once, and it is our release that has changed since.

    Who computes a checksum of their own gains nothing: such a cell is ignored all the same.
    """
    told, name, points = about.get("checksum"), about.get("grade_id"), about.get("points")
    if not isinstance(told, str) or not isinstance(name, str) or (about.get("grade") and points is None):
        return False
    if points is not None and not isinstance(points, int | float):
        return False
    flags = {key: bool(about.get(key)) for key in ("grade", "solution", "locked")}
    own = node(grade_id=name, points=points, **flags)
    kind = str(cell.get("cell_type", "code"))
    return told == checksum(node(source=source, cell_type=kind, metadata=node(nbgrader=own)))


class Ignored:
    """What a file has in the place of the release's own and is not used: told in a note, and not punished."""

    def __init__(self, notebook: dict[str, Any], assignment: Assignment) -> None:
        self.released = {cell.id: cell for cell in assignment.released}
        #: what a cell may hold: the release's text, or that of the solution's notebook, with the hidden tests
        self.own = {cell.id: {_bare(cell.source)} for cell in assignment.released}
        for cell in assignment.cells:
            self.own.setdefault(cell.id, set()).add(_bare(cell.source))
        self.seen: set[str] = set()
        #: locked cells, by id: those of which every copy was changed
        self.changed: dict[str, bool] = {}
        self.tags: dict[str, None] = {}
        self.values: dict[str, None] = {}
        #: whether the file is from another release of ours than the one that counts
        self.older = False
        about, own = (
            metadata_of(notebook).get("autograder"),
            assignment.release.metadata.get("autograder", {}),
        )
        if isinstance(about, dict):
            found = [key for key in OF_THE_NOTEBOOK if key in about and about[key] != own.get(key)]
            self.values |= dict.fromkeys(f"{key}{OF_ALL}" for key in found)

    def look(self, cell: dict[str, Any], source: str, known: Cell) -> None:
        """Compare a cell with the release's."""
        self.seen.add(known.id)
        name, own = _name(known), known.about
        about = metadata_of(cell).get("nbgrader")
        about = about if isinstance(about, dict) else {}
        other = _bare(source) not in self.own[known.id] or cell.get("cell_type", "code") != known.cell_type
        values = [key for key in OF_A_CELL if key in about and about[key] != own.get(key)]
        if (other or values) and _is_as_released(cell, source, about):
            other, values, self.older = False, [], True
        if own.get("locked"):
            self.changed[known.id] = other and self.changed.get(known.id, True)
        if not own:
            return
        tags, own_tags = metadata_of(cell).get("tags"), known.metadata.get("tags", ())
        for tag in tags if isinstance(tags, list) else ():
            if isinstance(tag, str) and tag not in own_tags:
                self.tags[f"{printable(tag, 40)!r} on {name}"] = None
        self.values |= dict.fromkeys(f"{key} of {name}" for key in values)

    def notes(self, complete: bool) -> list[str]:
        """A sentence for each kind of thing; deleted cells are told of a file that is `complete` otherwise."""
        changed = [self.released[i] for i, is_so in self.changed.items() if is_so]
        checks = [cell for cell in self.released.values() if cell.kind == CHECK]
        gone = [_name(cell) for cell in checks if cell.id not in self.seen] if complete else []
        if self.older:  # what it does not have may not have been there, and what it says of itself was so
            gone, self.values = [], {value: None for value in self.values if not value.endswith(OF_ALL)}
        told = {
            f"{CHANGED_CHECKS}, the released ones count": [
                _name(cell) for cell in changed if cell.kind == CHECK
            ],
            "Deleted check cells were put back": gone,
            "Changed locked cells are ignored, the released ones count": [
                _name(cell) for cell in changed if cell.kind != CHECK
            ],
            "Tags of cells are ignored": self.tags,
            "Changed metadata is ignored, the released counts": self.values,
        }
        return [f"{what}: {listed(names)}." for what, names in told.items() if names]


def _name(cell: Cell) -> str:
    """What to call a cell of the release: by its exercise, where it is a check."""
    return cell.exercise or cell.id


def _bare(source: str) -> str:
    """A source without the white space that editors change."""
    return "\n".join(line.rstrip() for line in source.strip().split("\n"))


def listed(names: Iterable[str], most: int = 5) -> str:
    """The first of these names, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
