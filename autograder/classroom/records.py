"""What is kept of each grading for the class's report, in the autograded notebook's metadata, and how it is read back.

All of it is plain data, and small. Texts in it may come from students; who shows them escapes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..lesson.failures import ERROR, FAILED, MISSING, PASSED, TIMEOUT
from ..lesson.wire import printable
from ..referee.report import Report, tidy
from ..sandbox.walls import NO_WALL
from ..unit.assignment import Assignment
from ..unit.cell import ANSWER, read_cells
from ..unit.notebook import read_notebook
from .classroom import Classroom

STATUSES = (PASSED, FAILED, ERROR, TIMEOUT, MISSING)
MOST_NOTES = 20
MOST_CHARS = 300


def facts(report: Report, seconds: float) -> dict[str, Any]:
    """What the autograded notebook keeps of a report. What is empty is left out."""
    exercises = []
    for outcome in report.outcomes:
        # The message tells each part's where it stands; a table has one place for all.
        of_parts = " ".join(f"{part.name}: {part.diagnosis}" for part in outcome.parts if part.diagnosis)
        kept: dict[str, Any] = {
            "name": outcome.name,
            "points": tidy(outcome.points),
            "max_points": tidy(outcome.max_points),
            "status": outcome.status,
            "mistake": outcome.mistake,
            "diagnosis": printable(outcome.diagnosis or of_parts, MOST_CHARS),
            "doubtful": outcome.doubtful,
            "parts": {part.name: tidy(part.points) for part in outcome.parts},
        }
        exercises.append(
            {key: value for key, value in kept.items() if value is not False and value not in ("", {})}
        )
    notes = [printable(note, MOST_CHARS) for note in [*report.looks, *report.notes][:MOST_NOTES]]
    return {"exercises": exercises, "seconds": round(seconds, 2), "notes": notes}


@dataclass(frozen=True)
class Kept:
    """What one exercise of one student earned, and why."""

    name: str
    points: float
    max_points: float
    status: str
    mistake: str = ""
    diagnosis: str = ""
    doubtful: bool = False
    #: what each part earned, where it has parts
    parts: dict[str, float] = field(default_factory=dict)


@dataclass
class Record:
    """The grading of one submission, as the report sees it."""

    student: str
    score: float
    max_score: float
    exercises: list[Kept] = field(default_factory=list)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    #: whether it was graded behind a wall
    protected: bool = True
    #: the text of each answer cell, by exercise, and of the code cells that the student added
    answers: dict[str, str] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)

    @property
    def code(self) -> list[str]:
        """All that the student wrote."""
        return [*self.answers.values(), *self.added]


@dataclass
class Records:
    """What could be read of a class."""

    graded: list[Record] = field(default_factory=list)
    #: students whose autograded notebook is from before these facts were kept, or cannot be read
    old: list[str] = field(default_factory=list)
    #: students who have handed in and are not graded
    waiting: list[str] = field(default_factory=list)


def read_records(assignment: Assignment, notebooks: Iterable[tuple[str, Path]]) -> Records:
    """Read the autograded notebooks of a class, given as students and files."""
    found = Records()
    for student, path in notebooks:
        if not path.is_file():
            found.waiting.append(student)
            continue
        try:
            found.graded.append(_record(assignment, student, path))
        except Exception:  # an older one, or damaged: told, and the report goes on
            found.old.append(student)
    return found


def records_of_class(classroom: Classroom, assignment: Assignment) -> Records:
    """What is kept of a unit's grading in this class, of who has handed in and of who was graded."""
    unit = assignment.unit
    students = sorted({*classroom.students(unit), *classroom.students(unit, "autograded")})
    return read_records(
        assignment,
        [
            (name, classroom.folder("autograded", name, unit) / f"{assignment.name}.ipynb")
            for name in students
        ],
    )


def _record(assignment: Assignment, student: str, path: Path) -> Record:
    notebook = read_notebook(path)
    about = notebook.metadata["autograder"]
    exercises = [Kept(**kept) for kept in about["exercises"]]
    if [kept.name for kept in exercises] != [exercise.name for exercise in assignment.exercises]:
        raise ValueError("the unit has other exercises now")
    answers, added = {}, []
    for cell in read_cells(notebook):
        if cell.kind == ANSWER:
            answers[cell.exercise] = cell.source
        elif cell.kind and cell.id.startswith("added-"):
            added.append(cell.source)
    return Record(
        student,
        float(about["score"]),
        float(about["max_score"]),
        exercises,
        float(about["seconds"]),
        [str(note) for note in about["notes"]],
        about.get("wall") != NO_WALL,
        answers,
        added,
    )
