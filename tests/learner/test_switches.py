"""The line by which a notebook runs on the learner's own answers: one cell, which no grading takes."""

from __future__ import annotations

import copy
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.referee.judge import grade
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course
from autograder.unit.ingest import take
from autograder.unit.notebook import Node

from ..conftest import REPOSITORY

COURSE = Course(REPOSITORY)
#: Units, and the line of each.
SWITCHES = {
    "04_scalar_networks": "from autograder import mine; Value, exp, log, tanh = mine.scalars()",
    "10_training": "from autograder import mine; Tensor, nn, optim, functional = mine.engine()",
}


def switch_cell(notebook: Node, unit: str) -> Node:
    (cell,) = (c for c in notebook.cells if c.cell_type == "code" and SWITCHES[unit] in c.source)
    return cell


def executed(path: Path, unit: str, on: bool) -> Node:
    """A saved notebook after a run in a kernel of its own, with the switch on or off."""
    notebook = nbformat.read(path, as_version=4)
    if on:
        switch_cell(notebook, unit).source = SWITCHES[unit]
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute()
    return notebook


@pytest.mark.parametrize("unit", SWITCHES)
def test_the_switch_is_one_line_in_one_cell_that_is_neither_locked_nor_graded(unit: str) -> None:
    cell = switch_cell(COURSE.assignment(unit).release, unit)
    assert cell.source == f"# {SWITCHES[unit]}"
    assert "nbgrader" not in cell.metadata and cell.metadata.get("editable", True)


def switched(unit: str, how: str) -> Node:
    notebook = COURSE.assignment(unit).solved()
    cell = switch_cell(notebook, unit)
    if how == "in an added cell":
        here = notebook.cells.index(cell)
        notebook.cells.insert(here, copy.deepcopy(cell) | {"source": SWITCHES[unit], "id": "77aa00bb"})
        return notebook
    cell.source = SWITCHES[unit]
    if how == "its id was lost":
        cell.id = "0f3a9c1e"
    return notebook


@pytest.mark.parametrize("how", ["in its cell", "its id was lost", "in an added cell"])
@pytest.mark.parametrize("unit", SWITCHES)
def test_a_submission_that_switches_is_graded_with_the_reference(
    unit: str, how: str, sandbox: Sandbox
) -> None:
    assignment = COURSE.assignment(unit)
    submission = take(switched(unit, how), assignment)
    report = grade(assignment, submission, sandbox, seed=5)
    assert report.score == assignment.max_score
    assert {outcome.status for outcome in report.outcomes} == {"passed"}
    refused = "your own engine is for your own notebook: grading uses the reference"
    said = [name for name, result in report.outputs.items() if refused in str(result.error)]
    if how == "in its cell":
        assert submission.added == [] and said == []  # nothing of that cell is taken
    else:  # the cell runs as one that the student added, and there is nothing to import
        assert len(submission.added) == 1 and said == ["added-1"]
