"""Sorts what a student handed in: the text of answer cells, and the cells that the student added. Nothing is run.

Cells are recognised by nbgrader's `grade_id`, and where that was lost, by the cell's own id. So copied, deleted,
moved, renamed and retyped cells, lost metadata, a byte-order mark or an old notebook format do not discard honest
work. Only those two things are taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..lesson.wire import printable
from .assignment import Assignment
from .cell import ANSWER, Cell, grade_id
from .ignored import Ignored
from .raw import cells_of, metadata_of, parse, python_of, read_bytes, source_of
from .receipt import receipt_of

MAX_SOURCE_CHARS = 200_000
MAX_ADDED_CELLS = 200


@dataclass(frozen=True)
class AddedCell:
    """A cell that the student added, and the id of the release's cell that it stands behind (empty: at the top)."""

    after: str
    cell_type: str
    source: str


@dataclass
class Submission:
    """What is taken from a student's file."""

    answers: dict[str, str] = field(default_factory=dict)
    added: list[AddedCell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: why nothing could be taken from the file; empty when something could
    problem: str = ""
    #: the version of Python that the notebook ran on, as it says; empty where it does not
    python: tuple[int, ...] = ()
    #: the file's receipt; empty where it is no notebook
    receipt: str = ""


def read_submission(path: Path, assignment: Assignment) -> Submission:
    """Take the answers from a file. A file that cannot be used is a Submission with a `problem`, not an exception."""
    try:
        return submission_of(read_bytes(path), assignment, path.name)
    except UserError as error:
        return Submission(problem=printable(str(error), 500))


def submission_of(data: bytes, assignment: Assignment, name: str = "The file") -> Submission:
    """Take the answers from a file's bytes; one that cannot be used is a Submission with a `problem`."""
    notes: list[str] = []
    try:
        submission = take(parse(data, name, notes), assignment)
    except UserError as error:
        return Submission(problem=printable(str(error), 500))
    submission.notes[:0] = notes
    return submission


def worked_on(notebook: dict[str, Any], assignment: Assignment) -> bool:
    """Whether anything in a notebook is a student's: an answer that is not the stub, or code of their own."""
    submission = take(notebook, assignment)
    stubs = {exercise.name: exercise.stub.strip() for exercise in assignment.exercises}
    return any(text.strip() not in ("", stubs[name]) for name, text in submission.answers.items()) or any(
        cell.cell_type == "code" for cell in submission.added
    )


def take(notebook: dict[str, Any], assignment: Assignment) -> Submission:
    """Sort a submission's cells into answers and additions."""
    submission = Submission(python=python_of(notebook), receipt=receipt_of(notebook))
    ignored = Ignored(notebook, assignment)
    release = _Release(assignment)
    copies: dict[str, list[str]] = {}
    after = ""
    for cell in cells_of(notebook):
        source, known = source_of(cell), release.known(cell)
        if len(source) > MAX_SOURCE_CHARS:
            submission.notes.append(
                f"A cell of {len(source)} characters was left out: the limit is {MAX_SOURCE_CHARS}."
            )
            source = ""
        if known is None:
            cell_type = "code" if cell.get("cell_type") == "code" else "markdown"
            if source.strip():
                submission.added.append(AddedCell(after, cell_type, source))
            continue
        after = known.id
        ignored.look(cell, source, known)
        if known.kind == ANSWER:
            copies.setdefault(known.name, []).append(source)
    _choose(submission, copies, release)
    if len(submission.added) > MAX_ADDED_CELLS:
        submission.notes.append(
            f"Of {len(submission.added)} added cells the first {MAX_ADDED_CELLS} were kept."
        )
        del submission.added[MAX_ADDED_CELLS:]
    if not copies:
        submission.notes.append(f"No answer cell of {assignment.unit} was found in the file.")
    submission.notes += ignored.notes(complete=bool(copies))
    return submission


class _Release:
    """The release's cells, found by a submission's."""

    def __init__(self, assignment: Assignment) -> None:
        released = assignment.released
        self.by_name = {cell.name: cell for cell in released if cell.name}
        self.by_id = {cell.id: cell for cell in released}
        #: the id of the cell before each named one
        self.before = {cell.name: last for last, cell in zip(["", *self.by_id], released, strict=False)}
        self.stubs = {exercise.name: exercise.stub.strip() for exercise in assignment.exercises}

    def known(self, cell: dict[str, Any]) -> Cell | None:
        """The release's cell that a submission's is a copy of; None where the student added it."""
        own_id = cell.get("id")
        found = self.by_name.get(grade_id({"metadata": metadata_of(cell)}))
        return self.by_id.get(own_id) if found is None and isinstance(own_id, str) else found


def _choose(submission: Submission, copies: dict[str, list[str]], release: _Release) -> None:
    """Of each answer's copies, the one that counts."""
    for name, sources in copies.items():
        changed = [source for source in sources if source.strip() not in ("", release.stubs[name])]
        if len(sources) > 1:
            submission.notes.append(
                f"The answer cell of {name} is there {len(sources)} times; the last one that is not the stub counts."
            )
        # A cell that was split in two is there twice as well: run the earlier parts just before it.
        submission.added += [AddedCell(release.before[name], "code", source) for source in changed[:-1]]
        submission.answers[name] = (changed or sources)[-1]
