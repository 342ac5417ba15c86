"""What a roster says of students and nbgrader's gradebook has no place for: that they are on it, login and section."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nbgrader.api import Gradebook
from sqlalchemy import Column, String, Table, delete, insert, select

from .state import TABLES, with_tables

ROSTER = Table(
    "autograder_roster",
    TABLES,
    Column("student", String(128), primary_key=True),
    Column("login", String(255), nullable=False),
    Column("section", String(255), nullable=False),
)


@dataclass(frozen=True)
class Listed:
    """What the roster's row of a student says, for the platform that it came from."""

    login: str = ""
    section: str = ""


def listed_of(gradebook: Gradebook) -> dict[str, Listed]:
    """The students of the rosters that have been imported."""
    query = select(ROSTER.c.student, ROSTER.c.login, ROSTER.c.section)
    found = with_tables(gradebook, lambda: gradebook.db.execute(query).all())
    return {student: Listed(login, section) for student, login, section in found}


def note_listed(gradebook: Gradebook, rows: Mapping[str, Listed]) -> None:
    """Note students of a roster; what an earlier one said more stays. Takes effect with the next commit."""
    before = listed_of(gradebook)
    for student, row in rows.items():
        old = before.get(student, Listed())
        # Our own exports have a student's id where a login stands.
        login = "" if row.login == student else row.login
        new = Listed(login or old.login, row.section or old.section)
        if student not in before or new != old:
            gradebook.db.execute(delete(ROSTER).where(ROSTER.c.student == student))
            gradebook.db.execute(insert(ROSTER).values(student=student, login=new.login, section=new.section))
