"""The notebook that goes back where a page cannot: the autograded one, with what was graded and written by hand."""

from __future__ import annotations

from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from ...errors import UserError
from ...referee.report import tidy
from ...unit.notebook import Node, node, read_notebook, write_text
from .page import by_hand


def graded_notebook(gradebook: Gradebook, path: Path, unit: str, name: str, student: str) -> str:
    """An autograded notebook as text, with its points on top and comments below the answers.

    Raises UserError when it is not there or not in the gradebook.
    """
    try:
        notebook = read_notebook(path)
        graded = gradebook.find_submission_notebook(name, unit, student)
    except (OSError, ValueError, MissingEntry):
        raise UserError(f"There is no graded notebook of {student} for {unit}.") from None
    comments = {comment.name: by_hand(comment.comment) for comment in graded.comments}
    late = graded.late_submission_penalty or 0
    told = f"**{tidy(round(graded.score - late, 2))} of {tidy(round(graded.max_score, 2))} points**"
    told += f", after {tidy(round(late, 2))} for being late" if late else ""
    counted = notebook.metadata.get("autograder", {}).get("counted", "")
    told += f"\n\n{counted}" if counted else ""
    receipt = notebook.metadata.get("autograder", {}).get("receipt", "")
    told += f"\n\nReceipt of what was graded: `{receipt}`" if receipt else ""
    cells = [_words("points", told)]
    for cell in notebook.cells:
        cells.append(cell)
        said = comments.get(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
        if said and cell.metadata["nbgrader"].get("solution"):
            cells.append(_words(f"comment-{cell.id}"[:64], f"**Comment**\n\n{said}"))
    notebook.cells = cells
    return write_text(notebook)


def _words(label: str, source: str) -> Node:
    return node(id=label, cell_type="markdown", source=source, metadata=node())
