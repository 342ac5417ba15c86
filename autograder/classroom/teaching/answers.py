"""What the cells of predictions print once somebody has predicted: the unit runs once, with something filled in."""

from __future__ import annotations

import copy
import re

import nbformat

from ...authoring.build import execute
from ...authoring.guesses import filled_in
from ...unit.cell import ANSWER, DEMO, GIVEN, SETUP
from .items import Lesson, Picture, picture_of, printed_by

#: How a prediction is told, and answered.
OWN_LINE = re.compile(r"^your prediction:.*\n?(?:→ .*\n?)?|[ \t]*your prediction:.*$", re.MULTILINE)


def answers_of(lesson: Lesson, wanted: set[str]) -> dict[str, tuple[str, Picture | None]]:
    """What each of these cells prints and draws, by their ids. Raises UserError when the unit does not run.

    Run are the cells that define something and those to play with, up to the last one that is wanted: no figures, no
    checks.
    """
    assignment = lesson.assignment
    last = max((i for i, cell in enumerate(assignment.cells) if cell.id in wanted), default=-1)
    if last < 0:
        return {}
    notebook = nbformat.from_dict(copy.deepcopy(assignment.notebook))
    notebook.cells = [
        built
        for cell, built in zip(assignment.cells[: last + 1], notebook.cells, strict=False)
        if cell.kind in (SETUP, GIVEN, ANSWER, DEMO) and not cell.name.endswith("_probes")
    ]
    for cell in notebook.cells:
        if "predicted(prediction, " in cell.source:
            cell.source = filled_in(cell.source)
    execute(notebook, assignment.path.parent)
    return {
        cell.id: (told(printed_by(cell.outputs)), picture_of(cell.outputs))
        for cell in notebook.cells
        if cell.id in wanted
    }


def told(printed: str) -> str:
    """What a cell says without the words that repeat the prediction, and answer it.

    >>> told("your prediction: 7\\n→ Two too many.\\nit is 5\\nA: right  your prediction: 7")
    'it is 5\\nA: right'
    """
    return OWN_LINE.sub("", printed).strip("\n")
