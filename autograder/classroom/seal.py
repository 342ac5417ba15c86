"""Keeps nbgrader's own steps from running a submission in a plain kernel, where no configuration names the referee.

Two things, each enough by itself: the gradebook has a kernel for our units that there is not (`SealedCells`), and where
this package is installed nbgrader reads `nbgrader_config.json`, which puts `RefuseWithoutReferee` before its steps.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from nbformat import NotebookNode, from_dict
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor, SaveCells

Pair = tuple[NotebookNode, dict[str, Any]]

#: The kernel that the gradebook has of our units. There is none of this name.
SEAL = {"name": "graded-by-the-referee", "display_name": "graded by the referee", "language": "python"}

NO_REFEREE = (
    "This unit is graded by the referee, and nbgrader's configuration does not name it: nothing was run. Grade in the "
    "course's folder, with its own nbgrader_config.py, or with `autograder grade`."
)


def is_sealed(kernelspec: str | None) -> bool:
    """Whether a notebook in the gradebook has the kernel that there is not."""
    return bool(kernelspec) and json.loads(str(kernelspec)).get("name") == SEAL["name"]


class SealedCells(SaveCells):
    """Saves the cells with a kernel that there is not, so that nobody but the referee can run a submission.

    nbgrader's own steps take the kernel from the gradebook: where a configuration does not name the referee (any more),
    they stop before a line of a submission has run.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Pair:
        own = nb.metadata.get("kernelspec")
        nb.metadata["kernelspec"] = from_dict(copy.deepcopy(SEAL))
        try:
            nb, resources = super().preprocess(nb, resources)
        finally:
            nb.metadata.pop("kernelspec", None)
            if own is not None:
                nb.metadata["kernelspec"] = own
        return nb, resources


class RefuseWithoutReferee(NbGraderPreprocessor):
    """Stands before nbgrader's own steps wherever this package is installed: units of ours are not for a kernel."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Pair:
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            saved = gradebook.find_notebook(about["notebook"], about["assignment"])
            sources = [cell.source or "" for cell in saved.source_cells]
            ours = is_sealed(saved.kernelspec)
        if ours or any(re.search(r"^with exercise\(", source, re.MULTILINE) for source in sources):
            raise NbGraderException(NO_REFEREE)
        return nb, resources
