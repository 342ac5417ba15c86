"""The notebook to grade: the release's cells, with a student's answers and additions in their places."""

from __future__ import annotations

from dataclasses import dataclass

from ..unit.assignment import Assignment
from ..unit.cell import ANSWER, CHECK, FIGURE
from ..unit.ingest import Submission


@dataclass(frozen=True)
class Step:
    """One cell to run: `label` is the cell's id in the rebuilt notebook."""

    label: str
    kind: str
    name: str
    source: str
    added: bool = False


def rebuild(assignment: Assignment, submission: Submission) -> list[Step]:
    """The notebook to grade: the release's cells in order, the student's answers and additions in place."""
    steps: list[Step] = []

    def additions(after: str) -> None:
        for i, cell in enumerate(submission.added):
            if cell.after == after:
                steps.append(
                    Step(f"added-{i + 1}", "added", "", cell.source if cell.cell_type == "code" else "", True)
                )

    additions("")
    for cell in assignment.released:
        if cell.kind == ANSWER:
            # A missing answer stays empty: a stub here would undo what an added cell defines.
            steps.append(Step(cell.id, ANSWER, cell.exercise, submission.answers.get(cell.exercise, "")))
        elif cell.kind == CHECK:
            steps.append(Step(cell.id, CHECK, cell.exercise, ""))
        elif cell.kind:
            steps.append(Step(cell.id, cell.kind, cell.name, cell.source))
        additions(cell.id)
    return steps


def known_cells(assignment: Assignment) -> list[str | None]:
    """The cells that every submission runs, in order, as students have them; None for an answer."""
    return [
        None if step.kind == ANSWER else step.source
        for step in rebuild(assignment, Submission())
        if step.kind == ANSWER or (step.kind not in (CHECK, FIGURE) and step.source.strip())
    ]
