"""What is found in an archive or a folder, and what becomes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from .archives import File
from .names import FOLDER, MOODLE, Owner
from .roster import Match


@dataclass(frozen=True)
class Found:
    """A notebook, whose it is by the platform's name, and which student of the gradebook that is."""

    owner: Owner
    match: Match
    file: File
    unit: str
    worked_on: bool = True
    #: why no answer can be read from the file; empty where one can
    broken: str = ""

    @property
    def exact(self) -> bool:
        """Whether the student's folder is this one's for sure: by the roster, or because it has that very name."""
        return self.match.sure or (self.owner.platform == FOLDER and self.owner.name == self.match.student)

    @property
    def order(self) -> tuple[bool, int, datetime, str]:
        """Of several copies the greatest counts: worked on, the platform's counter, the date."""
        date = datetime.min.replace(tzinfo=UTC)
        # What a platform packs has the time of the packing: another one with each download.
        if self.file.place < 0 and self.file.changed is not None:
            date = self.file.changed
        return self.worked_on, counter_of(self.owner.file), date, self.file.path


@dataclass
class Collected:
    """What became of an archive or a folder."""

    #: (student, unit) -> "new", "unchanged" or "replaced"
    placed: dict[tuple[str, str], str] = field(default_factory=dict)
    #: who is late, as far as the platform says, and by how much where it does
    late: dict[tuple[str, str], str] = field(default_factory=dict)
    #: under which name the hand-in before is kept, where one was replaced
    kept: dict[tuple[str, str], str] = field(default_factory=dict)
    #: which of the files that were taken cannot be graded, and why
    broken: dict[tuple[str, str], str] = field(default_factory=dict)
    #: what else there is to say
    notes: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def students(self) -> dict[str, str]:
        """What became of each student's notebook (of the last unit, where there are several)."""
        return {student: what for (student, _), what in self.placed.items()}

    @property
    def units(self) -> dict[str, str]:
        """The unit of each student's notebook (the last one)."""
        return dict(list(self.placed))


def counter_of(file: str) -> int:
    """The counter that a platform or a browser put into a file's name; 0 where there is none.

    >>> [counter_of(name) for name in ("reverse_mode-2.ipynb", "reverse_mode (1).ipynb.txt", "mode2.ipynb")]
    [2, 1, 0]
    """
    counter = re.search(r"[-( ]+(\d+)\)?(?:\.[A-Za-z]+)+$", file)
    return int(counter[1][:9]) if counter else 0


def times_of(found: Sequence[Found]) -> dict[str, datetime]:
    """When the notebooks of a platform's archive were handed in, by path; nothing where the archive does not say.

    Canvas and today's Moodle write the time at which the archive was made (rubyzip's and ZipStream's default); Moodle
    before version 4 wrote the stored file's. Times that follow the order of the entries, or lie within minutes, are
    those of the making.
    """
    stamped = [
        (one.file.place, one.file.changed, one.file.path) for one in found if one.owner.platform == MOODLE
    ]
    entries = sorted((place, when, path) for place, when, path in stamped if place >= 0 and when is not None)
    moments = [when for _, when, _ in entries]
    if len(moments) < 3 or moments == sorted(moments) or max(moments) - min(moments) < timedelta(minutes=30):
        return {}
    return {path: when for _, when, path in entries}


def shown(one: Found) -> str:
    """Whose it is, in words."""
    return f"{one.owner.name!r}" + (f" ({one.owner.number})" if one.owner.number else "")


def listed(names: Sequence[str]) -> str:
    """The first names of some."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more
