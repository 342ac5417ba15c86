"""A platform's mark that something is late, where it does not say by how much: the least that it can be, one second.

When that was depends on the due date, which may be set or moved before or after collecting. So the mark is kept beside
the notebook, and the time is worked out from it whenever a unit is collected, graded or given another due date.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...referee.autograded import write_file
from .placing import RECORD, recorded, text_of

TIMESTAMP = "timestamp.txt"


def stamp_of(when: datetime) -> str:
    """The text of a `timestamp.txt`.

    >>> stamp_of(datetime(2026, 11, 20, 22, 59, tzinfo=UTC))
    '2026-11-20 22:59:00 UTC\\n'
    """
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC\n"


def mark_times(folder: Path, due: datetime | None) -> None:
    """Give each hand-in of a folder that is marked as late its time, by the due date as it is now.

    What an instructor has written into a `timestamp.txt` stays.
    """
    wanted = "" if due is None else stamp_of(due + timedelta(seconds=1))
    for name, stamp in _marked(folder):
        record = recorded(folder, name)
        there, ours = text_of(stamp), record["timestamp"]
        if stamp.is_symlink() or there not in ("", ours, wanted):
            continue
        if wanted and there != wanted:
            write_file(stamp, wanted)
        elif not wanted and there:
            stamp.unlink()
        if ours != wanted:  # written last: a run that ends before it is made up for by the next
            write_file(folder / name, json.dumps(record | {"timestamp": wanted}, ensure_ascii=False) + "\n")


def _marked(folder: Path) -> Iterator[tuple[str, Path]]:
    """The records of hand-ins that are marked as late, the last one's and earlier ones', and where their times are."""
    for path in sorted(folder.glob(f"{RECORD}*")):
        if recorded(folder, path.name).get("late") is True:
            yield path.name, folder / f"{TIMESTAMP}{path.name.removeprefix(RECORD)}"
