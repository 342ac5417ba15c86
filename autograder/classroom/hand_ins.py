"""The hand-ins of a class, on the disk and in the gradebook: whose they are, and which of them was graded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError
from ..unit.assignment import Assignment
from ..unit.folder import pick_file
from ..unit.raw import read_bytes
from ..unit.receipt import receipt_of_bytes, typed
from .attempts import earlier_files
from .classroom import Classroom
from .gradebook import opened
from .receipts import known_receipts, note_collected


@dataclass(frozen=True)
class HandIn:
    """A hand-in that the class knows."""

    unit: str
    student: str
    receipt: str
    #: whether it is the one that was graded
    graded: bool
    #: the file; empty where it is not there any more
    file: str = ""


def note_receipts(
    classroom: Classroom, names: Mapping[str, str], collected: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    """Note the receipts of what was collected, by student and unit; gives them, empty where a file is damaged.

    `names` are the notebooks' names by unit.
    """
    found = {}
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        for student, unit in collected:
            path = classroom.folder("submitted", student, unit) / f"{names[unit]}.ipynb"
            found[student, unit] = receipt = _receipt(path)
            known_receipts(gradebook, unit)  # makes the table
            if receipt:
                note_collected(gradebook, unit, student, receipt)
                gradebook.db.commit()
    return found


def _receipt(path: Path) -> str:
    try:
        return receipt_of_bytes(read_bytes(path))
    except UserError:  # which grading tells
        return ""


def files_of(folder: Path, assignment: Assignment) -> list[Path]:
    """The hand-ins in a student's folder, the oldest first."""
    last, _ = pick_file(folder, assignment.name, assignment)
    return earlier_files(folder, assignment) + ([last] if last else [])


def hand_ins(classroom: Classroom, assignments: Sequence[Assignment], wanted: str = "") -> list[HandIn]:
    """The hand-ins of these units, or those whose receipt begins as `wanted`. Raises UserError where that is none."""
    start = typed(wanted) if wanted else ""
    found: list[HandIn] = []
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        for assignment in assignments:
            known = known_receipts(gradebook, assignment.unit)
            there = dict(_on_disk(classroom, assignment))
            for student, receipt in sorted({*known, *there}):
                file = there.get((student, receipt), "")
                one = HandIn(assignment.unit, student, receipt, known.get((student, receipt), False), file)
                found += [one] if receipt.startswith(start) else []
    return found


def _on_disk(classroom: Classroom, assignment: Assignment) -> Iterable[tuple[tuple[str, str], str]]:
    """Whose files have which receipts."""
    for student in classroom.students(assignment.unit):
        for path in _readable(classroom.folder("submitted", student, assignment.unit), assignment):
            if receipt := _receipt(path):
                yield (student, receipt), path.name


def _readable(folder: Path, assignment: Assignment) -> Iterator[Path]:
    try:
        yield from files_of(folder, assignment)
    except OSError:  # what cannot be looked at has no receipt; grading says why
        return
