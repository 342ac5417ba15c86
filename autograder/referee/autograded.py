"""The autograded notebook: what the referee saw, for formgrader, feedback and the student. Nothing in it can run."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ..lesson.colours import GREEN, RED, badge
from ..lesson.failures import PASSED
from ..sandbox.walls import UNPROTECTED
from ..unit.assignment import Assignment
from ..unit.cell import ANSWER, CHECK
from ..unit.ingest import AddedCell, Submission
from ..unit.notebook import Node, node, write_text
from .report import Outcome, Report, tidy


def comment_text(outcome: Outcome) -> str:
    """A message as a comment: a literal block, so that nothing in it is taken for markup."""
    return literal(outcome.text, "text")


def literal(text: str, language: str = "") -> str:
    """A markdown block that shows `text` as it is."""
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)
    longest = max((len(run) for run in re.findall(r"`+|~+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def autograded(assignment: Assignment, submission: Submission, report: Report) -> Node:
    """The rebuilt notebook with what the referee saw.

    Nothing in it can run: outputs are text, and what the student wrote as markdown is shown as it was typed.
    """
    notebook = Node(assignment.release)
    # What is changed below is replaced, not changed in place.
    notebook.cells = [Node(cell) for cell in notebook.cells]
    notebook.metadata = Node(notebook.metadata)
    notebook.metadata["autograder"] = notebook.metadata["autograder"] | {
        "score": tidy(report.score),
        "max_score": tidy(report.max_score),
        "sandboxed": report.sandboxed,
        "wall": report.wall,
        "receipt": report.receipt,
    }
    outcomes = {outcome.name: outcome for outcome in report.outcomes}
    cells = [_markdown("results", _results(report))]

    def additions(after: str) -> None:
        cells.extend(
            _added(i, cell, report) for i, cell in enumerate(submission.added) if cell.after == after
        )

    additions("")
    for cell, known in zip(notebook.cells, assignment.released, strict=True):
        if known.kind == ANSWER:
            cell.source = submission.answers.get(known.exercise, "")
        if known.kind == CHECK:
            _show_outcome(cell, outcomes[known.exercise])
        elif known.kind:
            cell["outputs"] = [_plain_picture(output) for output in cell.get("outputs", [])]
            _show_result(cell, report)
        cells.append(cell)
        additions(cell.id)
    notebook.cells = cells
    return notebook


def _added(number: int, cell: AddedCell, report: Report) -> Node:
    """A cell that the student added."""
    label = f"added-{number + 1}"
    if cell.cell_type != "code":
        return _markdown(label, literal(cell.source))
    code = node(
        id=label, cell_type="code", source=cell.source, metadata=node(), execution_count=None, outputs=[]
    )
    _show_result(code, report)
    return code


def _results(report: Report) -> str:
    """The first thing to read: what each exercise earned, and the referee's notes."""
    width = max(len(outcome.name) for outcome in report.outcomes)
    lines = []
    for outcome in report.outcomes:
        headline = outcome.message.split("\n")[0].partition(": ")[2]
        points = f"{tidy(outcome.points)}/{tidy(outcome.max_points)}"
        lines.append(f"{outcome.message[:1]} {outcome.name:<{width}}  {points:>5}  {headline}".rstrip())
        if outcome.diagnosis and outcome.status != PASSED:
            lines.append(" " * (width + 11) + outcome.diagnosis)
    text = f"**Automatic result: {tidy(report.score)} of {tidy(report.max_score)} points**\n\n"
    if not report.protected:
        text += f"**{UNPROTECTED}**\n\n"
    text += literal("\n".join(lines))
    if report.receipt:
        text += f"\n\nReceipt of what was graded: `{report.receipt}`"
    if report.notes:
        text += "\n\n**Notes of the referee**\n\n" + literal("\n".join(report.notes))
    return text


def _markdown(label: str, source: str) -> Node:
    return node(id=label, cell_type="markdown", source=source, metadata=node())


def _show_result(cell: Node, report: Report) -> None:
    result = report.outputs.get(cell.id)
    if result is None:
        return
    text = result.text
    if result.error is not None and str(result.error) not in text:
        text += f"{result.error}\n"
    cell.outputs = [_text_output(text)] if text else cell.outputs


def _show_outcome(cell: Node, outcome: Outcome) -> None:
    earned = f"({tidy(outcome.points)} of {tidy(outcome.max_points)} points)"
    first, *rest = map(_plain, outcome.text.split("\n"))
    named, _, said = first.partition(": ")
    if outcome.status == PASSED:
        shown = f"{badge(named, GREEN)} {said} {earned}\n"
        cell.outputs = [node(output_type="stream", name="stdout", text=shown)]
        return
    lines = [f"{badge(named, RED)} {said} {earned}", *rest]
    cell.outputs = [
        node(output_type="error", ename="CheckFailed", evalue=_plain(first), traceback=["\n".join(lines)])
    ]


def _plain_picture(output: Any) -> Any:
    """A picture without its HTML, which feedback would leave out for its data; the PNG brings its words along."""
    if "image/png" not in output.get("data", {}):
        return output
    bare = {kind: data for kind, data in output["data"].items() if kind != "text/html"}
    return Node({**output, "data": Node(bare)})


def _plain(text: str) -> str:
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)


def _text_output(text: str) -> Node:
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    return node(output_type="stream", name="stdout", text=re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text))


def write_notebook(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook in one step, so that an interrupted run leaves the old file or the new one."""
    write_file(path, write_text(notebook))


def write_file(path: Path, text: str) -> None:
    """Write a text in one step."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file in one step: at every moment it is the old one or the new one, whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError:  # such as a full disk, which the part would keep full
        part.unlink(missing_ok=True)
        raise
