"""Which hand-ins the gradebook knows by their receipts, and which of each student's was graded."""

from __future__ import annotations

from nbgrader.api import Gradebook
from sqlalchemy import Column, String, Table, delete, insert, select, update

from .state import TABLES, with_tables

RECEIPTS = Table(
    "autograder_receipts",
    TABLES,
    Column("unit", String(128), primary_key=True),
    Column("student", String(128), primary_key=True),
    Column("receipt", String(40), primary_key=True),
    Column("graded", String(8), nullable=False),
)
YES, NO = "yes", "no"


def known_receipts(gradebook: Gradebook, unit: str) -> dict[tuple[str, str], bool]:
    """Of a unit, whose receipts the gradebook knows, and whether that one was graded. Makes the table."""
    query = select(RECEIPTS.c.student, RECEIPTS.c.receipt, RECEIPTS.c.graded).where(RECEIPTS.c.unit == unit)
    rows = with_tables(gradebook, lambda: gradebook.db.execute(query).all())
    return {(student, receipt): graded == YES for student, receipt, graded in rows}


def note_graded(gradebook: Gradebook, unit: str, student: str, receipt: str) -> None:
    """Note which hand-in was graded, in place of another; takes effect with the transaction that holds its scores."""
    theirs = (RECEIPTS.c.unit == unit) & (RECEIPTS.c.student == student)
    gradebook.db.execute(update(RECEIPTS).where(theirs).values(graded=NO))
    if receipt:
        gradebook.db.execute(delete(RECEIPTS).where(theirs & (RECEIPTS.c.receipt == receipt)))
        values = {"unit": unit, "student": student, "receipt": receipt, "graded": YES}
        gradebook.db.execute(insert(RECEIPTS).values(**values))


def note_collected(gradebook: Gradebook, unit: str, student: str, receipt: str) -> None:
    """Note a hand-in that is not graded yet; takes effect with the next commit. The table is there."""
    this = (RECEIPTS.c.unit == unit) & (RECEIPTS.c.student == student) & (RECEIPTS.c.receipt == receipt)
    if gradebook.db.execute(select(RECEIPTS.c.graded).where(this)).scalar() is None:
        values = {"unit": unit, "student": student, "receipt": receipt, "graded": NO}
        gradebook.db.execute(insert(RECEIPTS).values(**values))
