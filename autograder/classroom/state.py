"""What a class keeps of a unit: its seed, its costs, the price of a late day. In the gradebook's database, for nobody
else.

Tables of our own stand beside nbgrader's, which it neither reads nor changes. So they are where the gradebook is, in
SQLite or PostgreSQL, for one grader or several at once, and in nothing that students are given.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from typing import TypeVar

from nbgrader.api import Gradebook
from sqlalchemy import Column, Float, MetaData, String, Table, delete, insert, select, update
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError

Found = TypeVar("Found")

TABLES = MetaData()
UNITS = Table(
    "autograder_units",
    TABLES,
    Column("unit", String(128), primary_key=True),
    Column("seed", String(40), nullable=False),
    Column("key", String(64)),
    Column("solution_seconds", Float),
)
RESULTS = Table(
    "autograder_results",
    TABLES,
    Column("unit", String(128), primary_key=True),
    Column("student", String(128), primary_key=True),
    Column("seed", String(40), nullable=False),
)

LATE = Table(
    "autograder_late",
    TABLES,
    Column("unit", String(128), primary_key=True),
    Column("percent", String(40), nullable=False),
)

#: A seed has so many bits: who has seen random inputs in a feedback cannot try them all.
SEED_BITS = 63


def seed_of(gradebook: Gradebook, unit: str) -> int:
    """The seed with which everybody's submissions of a unit are graded; drawn when it is first asked for."""

    def find() -> int | None:
        found = gradebook.db.execute(select(UNITS.c.seed).where(UNITS.c.unit == unit)).scalar()
        return None if found is None else int(found)

    seed = with_tables(gradebook, find)
    if seed is not None:
        return seed
    with contextlib.suppress(IntegrityError):
        try:
            gradebook.db.execute(insert(UNITS).values(unit=unit, seed=str(secrets.randbits(SEED_BITS))))
            gradebook.db.commit()
        except IntegrityError:  # another grader was faster: it is that one's
            gradebook.db.rollback()
            raise
    seed = find()
    assert seed is not None
    return seed


def draw_seed(gradebook: Gradebook, unit: str) -> int:
    """Draw another seed for a unit. All that was graded with the old one has to be graded again."""
    seed_of(gradebook, unit)
    seed = secrets.randbits(SEED_BITS)
    gradebook.db.execute(update(UNITS).where(UNITS.c.unit == unit).values(seed=str(seed)))
    gradebook.db.commit()
    return seed


def cost_of(gradebook: Gradebook, unit: str, key: str) -> float | None:
    """The CPU seconds of a unit's solution, if those of this answer key have been measured in this class."""
    query = select(UNITS.c.solution_seconds).where((UNITS.c.unit == unit) & (UNITS.c.key == key))
    return with_tables(gradebook, lambda: gradebook.db.execute(query).scalar())


def keep_cost(gradebook: Gradebook, unit: str, key: str, seconds: float) -> None:
    """Keep what has been measured, beside the unit's seed."""
    one = update(UNITS).where(UNITS.c.unit == unit)
    gradebook.db.execute(one.values(key=key, solution_seconds=seconds))
    gradebook.db.commit()


def seeds_of_results(gradebook: Gradebook, unit: str) -> dict[str, int]:
    """With which seed each student's submission was graded."""
    query = select(RESULTS.c.student, RESULTS.c.seed).where(RESULTS.c.unit == unit)
    found = with_tables(gradebook, lambda: gradebook.db.execute(query).all())
    return {student: int(seed) for student, seed in found}


def record_seed(gradebook: Gradebook, unit: str, student: str, seed: int) -> None:
    """Note with which seed a submission was graded; takes effect with the transaction that holds its scores."""
    one = (RESULTS.c.unit == unit) & (RESULTS.c.student == student)
    gradebook.db.execute(delete(RESULTS).where(one))
    gradebook.db.execute(insert(RESULTS).values(unit=unit, student=student, seed=str(seed)))


def late_percent(gradebook: Gradebook, unit: str) -> float | None:
    """How many percent of a unit's points a day of lateness costs in this class; None where nobody has said."""
    query = select(LATE.c.percent).where(LATE.c.unit == unit)
    found = with_tables(gradebook, lambda: gradebook.db.execute(query).scalar())
    return None if found is None else float(found)


def set_late_percent(gradebook: Gradebook, unit: str, percent: float | None) -> None:
    """Keep what a day of lateness costs; with None, nbgrader's own configuration counts again."""
    late_percent(gradebook, unit)  # makes the table
    gradebook.db.execute(delete(LATE).where(LATE.c.unit == unit))
    if percent is not None:
        gradebook.db.execute(insert(LATE).values(unit=unit, percent=repr(percent)))
    gradebook.db.commit()


def with_tables(gradebook: Gradebook, read: Callable[[], Found]) -> Found:
    """What `read` gives, when the tables are there; else they are made first."""
    try:
        return read()
    except (OperationalError, ProgrammingError):
        gradebook.db.rollback()
    with contextlib.suppress(OperationalError, ProgrammingError, IntegrityError):  # another grader was faster
        TABLES.create_all(gradebook.engine)
    return read()
