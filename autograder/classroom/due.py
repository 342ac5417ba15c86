"""When a unit is due, and what is said where lateness can cost nothing because a time is not known."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo

from ..lesson.wire import printable
from ..unit.assignment import Assignment
from .attempts import time_of
from .classroom import Classroom, known_students
from .gradebook import alone, opened, register
from .platforms.late_mark import mark_times
from .platforms.names import CANVAS
from .platforms.placing import recorded
from .state import late_percent

#: A due date as somebody may type it, for sentences that show the command.
EXAMPLE = "2026-11-20 23:59 +01:00"


def set_due(classroom: Classroom, assignment: Assignment, when: datetime | None) -> None:
    """Keep when a unit is due, with None not at all; what a platform has marked as late gets its time."""
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook, alone(gradebook):
        register(gradebook, assignment, classroom.folders.db_url)
        gradebook.update_or_create_assignment(assignment.unit, duedate=when)
    mark_late(classroom, assignment.unit, classroom.students(assignment.unit), when)


def mark_late(classroom: Classroom, unit: str, students: Iterable[str], due: datetime | None) -> None:
    """Give what a platform has marked as late its time, by this due date; in any order, and as often as one likes."""
    for student in students:
        with contextlib.suppress(OSError):  # a folder that cannot be written; `without_time` tells of it
            mark_times(classroom.folder("submitted", student, unit), due)


def marked_late(classroom: Classroom, unit: str, students: Iterable[str]) -> list[str]:
    """Whose last hand-in a platform has marked as late without saying by how much."""
    folders = {student: classroom.folder("submitted", student, unit) for student in students}
    return [student for student, folder in folders.items() if recorded(folder).get("late") is True]


def without_time(classroom: Classroom, unit: str, students: Iterable[str]) -> list[str]:
    """Of whose hand-in nobody says when it came: no `timestamp.txt`, and not by Canvas, which marks what is late."""
    found = []
    for student in students:
        folder = classroom.folder("submitted", student, unit)
        if time_of(folder) is None and not recorded(folder).get("platform", "").startswith(CANVAS):
            found.append(student)
    return found


def told_of_lateness(classroom: Classroom, unit: str, students: Sequence[str]) -> list[str]:
    """Sentences on what a late policy cannot take into account for these students; none where there is no policy."""
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        percent = late_percent(gradebook, unit)
    configured = "LateSubmissionPlugin" in classroom.config or "AssignLatePenalties" in classroom.config
    if percent == 0 or (percent is None and not configured):
        return []
    due = known_students(classroom)[1].get(unit)
    marked, untimed = marked_late(classroom, unit, students), without_time(classroom, unit, students)
    if due is None:
        concerns = [f"{_submissions(marked)} marked as late by the platform"] if marked else []
        concerns += [f"{_submissions(untimed)} of unknown time"] if untimed else []
        which = " and ".join(concerns) or f"{len(students)} in all"
        return [
            f"{unit} has no due date, so nothing is taken off for lateness (it concerns {which}): set it with "
            f'`autograder due {unit} "{EXAMPLE}"` and grade again.'
        ]
    where = printable(str(classroom.folder("submitted", "STUDENT", unit) / "timestamp.txt"), 500)
    told = []
    if marked := [name for name in marked if name not in untimed and _counted(classroom, unit, name)]:
        told.append(
            f"{_submissions(marked)} marked as late by the platform, and not by how much: each counts as one second "
            f"late, until you write its time into {where} and grade again."
        )
    if untimed:
        told.append(
            f"{_submissions(untimed)} of unknown time, counted as in time: write when it came into {where} where you "
            "know it, and grade again."
        )
    return told


def told_without_due_date(unit: str, late: Sequence[str]) -> str:
    """The sentence on what came late by the platform's word, for a unit that has no due date."""
    return (
        f"{unit} has no due date, so {_submissions(late)} marked as late by the platform will lose nothing: set it "
        f'with `autograder due {unit} "{EXAMPLE}"`, now or later.'
    )


def shown_due(unit: str, due: datetime | None, zone: tzinfo | None = None) -> str:
    """The sentence on when a unit is due: in the zone in which somebody has just given it, else in this machine's."""
    if due is None:
        return f'{unit} has no due date: `autograder due {unit} "{EXAMPLE}"` sets one.'
    there = due.astimezone(zone)
    name, offset = there.tzname() or "", there.isoformat()[-6:]
    # A name such as CST is of several zones.
    named = name if name.startswith("UTC") else f"{name} (UTC{offset})"
    return f"{unit} is due {there:%Y-%m-%d %H:%M:%S} {named}."


def _counted(classroom: Classroom, unit: str, student: str) -> bool:
    """Whether the time of a late hand-in is the one that we have worked out, and nobody's own."""
    folder = classroom.folder("submitted", student, unit)
    when, ours = time_of(folder), recorded(folder)["timestamp"]
    return when is not None and ours.startswith(f"{when:%Y-%m-%d %H:%M:%S}")


def _submissions(students: Sequence[str]) -> str:
    names = ", ".join(printable(name, 80) for name in students[:5])
    names += f" and {len(students) - 5} more" if len(students) > 5 else ""
    return f"{len(students)} submission{'s' * (len(students) != 1)} ({names})"
