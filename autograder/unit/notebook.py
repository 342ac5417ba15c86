"""Notebooks as plain JSON, and what is released of one.

nbformat and nbgrader do the same, and `build` uses them; but they take seconds to import, most of it for what grading
does not need. The tests hold both ways to the same result.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from ..lesson.unfinished import MESSAGE

#: What takes the place of a solution. It lets the cell run to its end, and tells the check that nothing is there yet.
STUB = f'raise NotImplementedError("{MESSAGE}")'


#: The tag of a cell whose error does not end *Run All*.
RUN_ON = "raises-exception"


class Node(dict[str, Any]):
    """A JSON object whose keys are attributes too, as nbformat's nodes are."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def node(**items: Any) -> Node:
    """An object of these items."""
    return Node(items)


def read_notebook(path: Path) -> Node:
    """A notebook of format 4 that we wrote ourselves. Raises OSError or ValueError."""
    notebook = json.loads(path.read_text(encoding="utf-8"), object_hook=Node)
    if not isinstance(notebook, Node) or notebook.get("nbformat") != 4:
        raise ValueError("it is no notebook of format 4")
    for cell in notebook["cells"]:
        cell["source"] = _joined(cell["source"])
        for output in cell.get("outputs", []):
            if "text" in output:
                output["text"] = _joined(output["text"])
            for mime, data in output.get("data", {}).items():
                if not mime.endswith("json"):
                    output["data"][mime] = _joined(data)
    return notebook


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def write_text(notebook: dict[str, Any], indent: int | None = 1) -> str:
    """A notebook's text, as nbformat writes it; without an indent it is made ten times as fast, and still JSON."""
    cells = []
    for cell in notebook["cells"]:
        cell = cell | {"source": cell["source"].splitlines(True)}
        if "outputs" in cell:
            cell["outputs"] = [_split(output) for output in cell["outputs"]]
        cells.append(cell)
    separators = (",", ": ") if indent else (",", ":")
    whole = notebook | {"cells": cells}
    return json.dumps(whole, ensure_ascii=False, indent=indent, sort_keys=True, separators=separators) + "\n"


def _split(output: dict[str, Any]) -> dict[str, Any]:
    if isinstance(output.get("text"), str):
        return output | {"text": output["text"].splitlines(True)}
    if "data" not in output:
        return output
    data = {
        mime: value.splitlines(True) if isinstance(value, str) and mime.startswith("text/") else value
        for mime, value in output["data"].items()
    }
    return output | {"data": data}


def release(notebook: dict[str, Any]) -> Node:
    """What students get of a solution: no solutions, no hidden tests, no outputs but pictures that are kept."""
    released: Node = json.loads(json.dumps(notebook), object_hook=Node)
    for cell in released.cells:
        about = cell.metadata.get("nbgrader", {})
        if about.get("solution"):
            cell.source = _without(cell.source, "SOLUTION", STUB)
        if about.get("grade"):
            cell.source = _without(cell.source, "HIDDEN TESTS")
        if about.get("solution") or about.get("grade") or about.get("locked"):
            cell.metadata["deletable"] = False
            if not about.get("solution"):
                cell.metadata["editable"] = False
            about["checksum"] = checksum(cell)
            about["cell_type"] = cell.cell_type
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = _kept(cell)
            let_run_on(cell.metadata)
    return released


def let_run_on(metadata: dict[str, Any]) -> None:
    """Tag a released cell so that *Run All* goes on when it raises: an exercise that is open stops nobody.

    JupyterLab, Notebook, nbclient and nbconvert know the tag. A solution has none: there an error is a fault.
    """
    tags = metadata.get("tags", [])
    if RUN_ON not in tags:
        metadata["tags"] = [*tags, RUN_ON]


def _without(source: str, mark: str, stub: str = "") -> str:
    """The text without its marked regions; `stub` stands in the place of each."""
    lines, inside = [], False
    for line in source.split("\n"):
        if f"### BEGIN {mark}" in line:
            inside = True
            if stub:
                lines.append(line[: len(line) - len(line.lstrip())] + stub)
        elif f"### END {mark}" in line:
            inside = False
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def _kept(cell: Node) -> list[Node]:
    if not cell.metadata.get("autograder", {}).get("keep"):
        return []
    kept = [output for output in cell.outputs if "image/png" in output.get("data", {})]
    for output in kept:
        if output.output_type == "execute_result":
            output.execution_count = None
    return kept


def checksum(cell: Node) -> str:
    """nbgrader's checksum of a cell."""
    about = cell.metadata.nbgrader
    parts = [
        cell.source,
        cell.cell_type,
        str(about.grade),
        str(about.solution),
        str(about.locked),
        about.grade_id,
    ]
    if about.grade:
        parts.append(str(float(about.points)))
    return hashlib.md5("".join(parts).encode(), usedforsecurity=False).hexdigest()


def digest_of(notebook: dict[str, Any]) -> str:
    """A digest of what is written in a notebook's cells, whatever they gave."""
    written = [[cell["cell_type"], cell["source"]] for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(written).encode()).hexdigest()[:16]


def visible_part(check: str) -> str:
    """A check cell's text without its hidden tests."""
    return re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", "", check, flags=re.DOTALL)
