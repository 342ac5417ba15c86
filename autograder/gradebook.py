"""Into nbgrader: scores and comments in its gradebook, autograded notebooks that formgrader opens."""

from __future__ import annotations

import copy
import os
import re
import sysconfig
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry

from .assignment import ANSWER, CHECK, Assignment, grade_id, kind
from .checks import PASSED
from .errors import UserError
from .ingest import Submission
from .referee import Outcome, Report, tidy

# nbgrader calls `alembic` by its bare name, which is not on the path of a virtual environment that is not activated.
if (scripts := sysconfig.get_path("scripts")) not in os.environ.get("PATH", "").split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join(filter(None, [os.environ.get("PATH"), scripts]))


def register(gradebook: Gradebook, assignment: Assignment, db_url: str) -> None:
    """Make the assignment known to the gradebook, by nbgrader's own step.

    Raises UserError when exercises have come or gone since a submission was graded: nbgrader allows it no more.
    """
    from . import nbgrader_plugin

    try:
        known = gradebook.find_notebook(assignment.name, assignment.unit)
        points = {cell.name: cell.max_score for cell in known.grade_cells}
        now = {e.check_id: e.points for e in assignment.exercises}
        if points == now:
            return
        if points.keys() != now.keys() and known.submissions:
            changed = ", ".join(sorted(name.removesuffix("_check") for name in points.keys() ^ now.keys()))
            raise UserError(
                f"The gradebook has submissions of {assignment.unit} from before {changed} was added or removed: "
                "give the changed unit a new name, or remove its old grades, those given by hand too, with "
                f"`nbgrader db assignment remove {assignment.unit} --force`, and grade again."
            )
    except MissingEntry:
        pass
    gradebook.update_or_create_assignment(assignment.unit)
    nbgrader_plugin.save_cells(assignment, db_url)
    gradebook.db.expire_all()


def record(gradebook: Gradebook, assignment: Assignment, student: str, report: Report) -> None:
    """Write a report's scores and messages. A score or comment that a person gave stays."""
    for outcome, exercise in zip(report.outcomes, assignment.exercises, strict=True):
        where = (assignment.name, assignment.unit, student)
        grade = gradebook.find_grade(exercise.check_id, *where)
        grade.auto_score = outcome.points
        grade.needs_manual_grade = outcome.doubtful or grade.manual_score is not None
        comment = gradebook.find_comment(exercise.name, *where)
        comment.auto_comment = None if outcome.status == PASSED else comment_text(outcome)
    gradebook.db.commit()


def comment_text(outcome: Outcome) -> str:
    """A message as a comment: a literal block, so that nothing in it is taken for markup."""
    return literal(outcome.text, "text")


def literal(text: str, language: str = "") -> str:
    """A markdown block that shows `text` as it is."""
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)
    longest = max((len(run) for run in re.findall(r"`+|~+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def autograded(assignment: Assignment, submission: Submission, report: Report) -> NotebookNode:
    """The rebuilt notebook with what the referee saw.

    Nothing in it can run: outputs are text, and what the student wrote as markdown is shown as it was typed.
    """
    notebook = copy.deepcopy(assignment.release)
    notebook.metadata["autograder"] |= {
        "score": tidy(report.score),
        "max_score": tidy(report.max_score),
        "seed": report.seed,
        "sandboxed": report.sandboxed,
    }
    outcomes = {outcome.name: outcome for outcome in report.outcomes}
    cells = [_markdown("results", _results(report))]

    def additions(after: str) -> None:
        for i, cell in enumerate(submission.added):
            if cell.after != after:
                continue
            label = f"added-{i + 1}"
            if cell.cell_type == "code":
                code = nbformat.v4.new_code_cell(cell.source, id=label)
                _show_result(code, report)
                cells.append(code)
            else:
                cells.append(_markdown(label, literal(cell.source)))

    additions("")
    for cell in notebook.cells:
        if kind(cell) == ANSWER:
            cell.source = submission.answers.get(grade_id(cell), "")
        if kind(cell) == CHECK:
            _show_outcome(cell, outcomes[grade_id(cell).removesuffix("_check")])
        elif cell.cell_type == "code":
            _show_result(cell, report)
        cells.append(cell)
        additions(cell.id)
    notebook.cells = cells
    return notebook


def _results(report: Report) -> str:
    """The first thing to read: what each exercise earned, and the referee's notes."""
    width = max(len(outcome.name) for outcome in report.outcomes)
    lines = []
    for outcome in report.outcomes:
        headline = outcome.message.split("\n")[0].partition(": ")[2]
        points = f"{tidy(outcome.points)}/{tidy(outcome.max_points)}"
        lines.append(f"{outcome.message[:1]} {outcome.name:<{width}}  {points:>5}  {headline}".rstrip())
        if outcome.diagnosis and outcome.points == 0:
            lines.append(" " * (width + 11) + outcome.diagnosis)
    text = f"**Automatic result: {tidy(report.score)} of {tidy(report.max_score)} points**\n\n" + literal(
        "\n".join(lines)
    )
    if report.notes:
        text += "\n\n**Notes of the referee**\n\n" + literal("\n".join(report.notes))
    return text


def _markdown(label: str, source: str) -> NotebookNode:
    return nbformat.v4.new_markdown_cell(source, id=label)


def _show_result(cell: NotebookNode, report: Report) -> None:
    result = report.outputs.get(cell.id)
    if result is None:
        return
    text = result.text
    if result.error is not None and str(result.error) not in text:
        text += f"{result.error}\n"
    cell.outputs = [_text_output(text)] if text else cell.outputs


def _show_outcome(cell: NotebookNode, outcome: Outcome) -> None:
    earned = f"({tidy(outcome.points)} of {tidy(outcome.max_points)} points)"
    if outcome.status == PASSED:
        cell.outputs = [_text_output(f"{outcome.message} {earned}\n")]
        return
    first, *rest = outcome.text.split("\n")
    lines = [f"\x1b[31m{_plain(first)}\x1b[0m {earned}", *map(_plain, rest)]
    cell.outputs = [
        nbformat.v4.new_output(
            "error", ename="CheckFailed", evalue=_plain(first), traceback=["\n".join(lines)]
        )
    ]


def _plain(text: str) -> str:
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)


def _text_output(text: str) -> NotebookNode:
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    return nbformat.v4.new_output("stream", name="stdout", text=re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text))


def write_notebook(path: Path, notebook: NotebookNode) -> None:
    """Write a notebook in one step, so that an interrupted run leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n", encoding="utf-8")
    os.replace(part, path)
