"""Results that are held back until a time that the instructor sets: nothing goes to students before it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import Column, String, Table, delete, insert, select

from ..errors import UserError
from .gradebook import opened
from .state import TABLES, with_tables

HELD = Table(
    "autograder_held",
    TABLES,
    Column("unit", String(128), primary_key=True),
    Column("until", String(40), nullable=False),
)


def read_time(text: str) -> datetime:
    """A time with its zone, as somebody types it. Raises UserError.

    >>> [str(read_time(f"2026-12-01 09:00 {zone}"))[-6:] for zone in ("UTC", "+01:00", "+0100", "Europe/Berlin")]
    ['+00:00', '+01:00', '+01:00', '+01:00']
    """
    found = re.fullmatch(r"\s*(\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?)\s*(\S+)\s*", text)
    try:
        if found is None:
            raise ValueError
        plain, zone = found.groups()
        if re.fullmatch(r"[+-]\d\d:?\d\d|Z", zone):
            return _in_our_time(datetime.fromisoformat(plain + zone))
        when = datetime.fromisoformat(plain).replace(tzinfo=UTC if zone == "UTC" else ZoneInfo(zone))
    except (ValueError, OSError, KeyError):  # ZoneInfo's are of all three kinds
        raise UserError(
            f'{text!r} is no time with a zone: write it as "2026-12-01 09:00 +01:00", or with UTC or a name such as '
            "Europe/Berlin in the place of the offset."
        ) from None
    if when.utcoffset() != when.replace(fold=1).utcoffset():
        raise UserError(f"In {zone} the clocks change at {plain}: give the offset, such as +01:00.")
    return _in_our_time(datetime.fromisoformat(when.isoformat()))  # the offset is what is kept


def _in_our_time(when: datetime) -> datetime:
    """The same time. Raises UserError for one that is mistyped, and that has no counterpart in some zones."""
    if not 1970 < when.year < 3000:
        raise UserError(f"The year {when.year} is none in which a course is held: look at {when} again.")
    return when


def held_until(gradebook: Gradebook, unit: str) -> datetime | None:
    """Until when a unit's results are held back, also where that is over; None where nobody has said."""
    query = select(HELD.c.until).where(HELD.c.unit == unit)
    found = with_tables(gradebook, lambda: gradebook.db.execute(query).scalar())
    return None if found is None else datetime.fromisoformat(found)


def hold(gradebook: Gradebook, unit: str, until: datetime | None) -> None:
    """Hold a unit's results back until then; with None, no more."""
    held_until(gradebook, unit)  # makes the table
    gradebook.db.execute(delete(HELD).where(HELD.c.unit == unit))
    if until is not None:
        gradebook.db.execute(insert(HELD).values(unit=unit, until=until.isoformat()))
    gradebook.db.commit()


def is_over(until: datetime) -> bool:
    """Whether that time has come, by this machine's clock."""
    return datetime.now(UTC) >= until


def told(unit: str, until: datetime) -> str:
    """The sentence on a unit whose results are held back, or were."""
    now = datetime.now(UTC).astimezone(until.tzinfo)
    was = "were held back until" if is_over(until) else "are held back until"
    return f"The results of {unit} {was} {shown(until)}; this machine's clock says {shown(now)}."


def shown(when: datetime) -> str:
    """A time with its zone.

    >>> shown(read_time("2026-12-01 09:00 +01:00"))
    '2026-12-01 09:00 UTC+01:00'
    """
    return f"{when:%Y-%m-%d %H:%M} {when.tzname()}"


def held_now(folders: CourseDirectory, unit: str) -> datetime | None:
    """Until when a unit's results are held back; None where they are not, or not any more. Makes no gradebook."""
    place = folders.db_url
    if place.startswith("sqlite:///") and not Path(place.removeprefix("sqlite:///")).is_file():
        return None
    with opened(place, folders.course_id) as gradebook:
        until = held_until(gradebook, unit)
    return None if until is None or is_over(until) else until


def refuse_while_held(folders: CourseDirectory, unit: str, anyway: bool) -> None:
    """Raises UserError while a unit's results are held back, unless somebody wants them `anyway`."""
    until = None if anyway else held_now(folders, unit)
    if until is not None:
        raise UserError(
            f"{told(unit, until)} --anyway does it now; `autograder hold {unit} --off` lifts the date."
        )
