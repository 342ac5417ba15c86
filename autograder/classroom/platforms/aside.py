"""What speaks against putting a hand-in into its place: another unit than the others', an older or an untouched one.

Such a hand-in is put nowhere, and told; what was collected before stays. Who knows better says so (`--anyway`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from .found import Found, counter_of
from .names import CANVAS, FOLDER, Owner, parts_of, platform_owner
from .placing import recorded
from .roster import folder_name, same_name

Target = Callable[[str, str], Path]
INSIST = "collect it with --anyway if it is meant"


class Archive:
    """What an archive is of, as far as most of it says the same."""

    def __init__(self, found: Sequence[Found]) -> None:
        people: dict[str, set[str]] = {}
        for one in found:
            people.setdefault(one.unit, set()).add(one.match.student)
        everybody = set().union(*people.values())
        most = max(sorted(people), key=lambda unit: len(people[unit]), default="")
        #: the unit of more than half of several people; empty where there is none
        self.unit = most if len(everybody) > 1 and 2 * len(people[most]) > len(everybody) else ""
        self.with_it = people.get(self.unit, set())

    def is_stray(self, one: Found) -> bool:
        """Whether a notebook says another unit than most of the others, and no folder says so, too."""
        return bool(self.unit) and one.unit != self.unit and one.unit not in parts_of(one.file.path)


def doubt(one: Found, archive: Archive, path: Path, worked_on: Callable[[str, bytes], bool]) -> str:
    """Why a hand-in is not put to `path`, in words; empty where nothing speaks against it.

    `worked_on` says of a unit and a file's bytes whether something in it is a student's.
    """
    there = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    if there == one.file.data:
        return ""
    stays = f"{one.match.student}'s {one.unit} that was collected before stays ({path.name})"
    if archive.is_stray(one):
        says = f"it says {one.unit}, and most of the others say {archive.unit}"
        if there is not None:
            return f"{says}: {stays}; {INSIST}"
        # A platform's archive is of one assignment, and a folder may be of anything.
        if one.owner.platform != FOLDER and one.match.student not in archive.with_it:
            return f"{says}: it was put nowhere; {INSIST}"
    if there is None:
        return ""
    if older := _older(one.owner, path.parent):
        return f"it is older than what was collected before ({older}): {stays}; {INSIST}"
    if worked_on(one.unit, there) and not worked_on(one.unit, one.file.data):
        return f"it is as released, and {stays}; {INSIST}"
    return ""


def _older(owner: Owner, folder: Path) -> str:
    """Canvas's numbers of a hand-in and of the newer one that was collected before; empty where it is not newer."""
    record = recorded(folder)
    before = (
        platform_owner(str(record.get("given", ""))) if record.get("platform") == owner.platform else None
    )
    if before is None or not owner.platform.startswith(CANVAS) or before.number != owner.number:
        return ""
    now, then = ((int(some.upload or 0), counter_of(some.file)) for some in (owner, before))
    if now >= then:
        return ""
    return f"Canvas's number {now[0]}, and {then[0]} before" if now[0] != then[0] else f"{before.file} before"


def move_from_before_the_roster(one: Found, units: Sequence[str], target: Target) -> list[str]:
    """Move what was collected of a student before the gradebook knew them into the student's own folder; says so.

    Only Canvas's number says for sure that both are one person.
    """
    student, owner = one.match.student, one.owner
    old = folder_name(owner.name, owner.number)
    if owner.platform != CANVAS or not one.match.sure or old == student:
        return []
    told = []
    for unit in units:
        source, place = target(old, unit), target(student, unit)
        record = recorded(source)
        same = record.get("platform") == CANVAS and record["number"] == owner.number
        if not same or not same_name(record["name"], owner.name) or source.is_symlink():
            continue
        if place.exists():
            told.append(
                f"{source} and {place} are the same person's: look which is right, and remove the other"
            )
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        source.rename(place)
        with contextlib.suppress(OSError):  # it holds something else
            source.parent.rmdir()
        told.append(f"{source} is {student}'s, whom the gradebook knows by now: it is {place} now")
    return told
