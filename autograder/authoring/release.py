"""From a solution notebook to what students get, by nbgrader's own steps."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
)

from ..unit.notebook import STUB, let_run_on

Pair = tuple[NotebookNode, dict[str, Any]]


class ClearOutputs(ClearOutput):
    """Clears outputs, but for the pictures that belong to the text (`keep=true`); lets *Run All* run on at errors."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> Pair:
        kept = None
        if cell.cell_type == "code" and cell.metadata.get("autograder", {}).get("keep"):
            kept = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        cell, resources = super().preprocess_cell(cell, resources, index)
        if cell.cell_type == "code":
            let_run_on(cell.metadata)
        if kept:
            for output in kept:
                if output.output_type == "execute_result":
                    output.execution_count = None
            cell.outputs = kept
        return cell, resources


def release_steps() -> list[Any]:
    """The steps of `nbgrader generate_assignment` as nbgrader_config.py orders them, without its database."""
    return [
        LockCells(),
        ClearSolutions(code_stub={"python": STUB}),
        ClearOutputs(),
        CheckCellMetadata(),
        ComputeChecksums(),
        ClearHiddenTests(),
        ComputeChecksums(),
        CheckCellMetadata(),
    ]
