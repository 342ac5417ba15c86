"""A cell of a unit's notebook, read once: what kind it is, whose exercise it belongs to, what it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

#: Kinds of code cells. `figure` cells only draw, so grading skips them.
SETUP, GIVEN, ANSWER, CHECK, FIGURE, DEMO = "setup", "given", "answer", "check", "figure", "demo"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a solution, of a release or of an autograded notebook."""

    id: str
    #: SETUP, GIVEN, ANSWER, CHECK, FIGURE or DEMO; empty for a cell of text
    kind: str
    #: nbgrader's id of the cell; empty where it has none
    name: str
    source: str
    #: "code" or "markdown"
    cell_type: str
    points: float
    metadata: Mapping[str, Any]

    @property
    def exercise(self) -> str:
        """The exercise that an answer cell or a check cell belongs to; of another cell, its name."""
        return self.name.removesuffix("_check") if self.kind == CHECK else self.name

    @property
    def about(self) -> Mapping[str, Any]:
        """What nbgrader is told of the cell."""
        found = self.metadata.get("nbgrader", {})
        return found if isinstance(found, dict) else {}


def read_cells(notebook: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cells of a notebook of ours, in its order."""
    cells: Iterable[dict[str, Any]] = notebook["cells"]
    return tuple(read_cell(cell) for cell in cells)


def read_cell(cell: Mapping[str, Any]) -> Cell:
    """A cell of a notebook of ours, from its JSON."""
    metadata = cell["metadata"]
    points = metadata.get("nbgrader", {}).get("points", 0)
    return Cell(
        str(cell.get("id", "")),
        kind(cell),
        grade_id(cell),
        cell["source"],
        cell["cell_type"],
        float(points),
        metadata,
    )


def grade_id(cell: Mapping[str, Any]) -> str:
    """nbgrader's id of a cell, or an empty text."""
    about = cell.get("metadata", {}).get("nbgrader", {})
    found = about.get("grade_id", "") if isinstance(about, dict) else ""
    return found if isinstance(found, str) else ""


def kind(cell: Mapping[str, Any]) -> str:
    """The kind of a code cell of a solution or release; empty for other cells."""
    if cell["cell_type"] != "code":
        return ""
    about = cell["metadata"].get("nbgrader", {})
    if about.get("solution"):
        return ANSWER
    if about.get("grade"):
        return CHECK
    return str(cell["metadata"].get("autograder", {}).get("kind", DEMO))
