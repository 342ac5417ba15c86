"""Takes in what a learning platform hands out: archives and folders of notebooks, into `submitted/STUDENT/UNIT/`.

Who a file belongs to is said by the platform's name of it (`names`) and by the gradebook (`roster`), never by what is
inside. Two people's work never comes together: where it is not clear whose something is, it is skipped with a sentence.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from ...errors import UserError
from ...lesson.wire import printable
from ...referee.autograded import write_file
from ...unit.assignment import Assignment
from ...unit.ingest import worked_on
from ...unit.raw import CALLED_NOTEBOOK, parse, unit_of
from .archives import MAX_ARCHIVE_BYTES, File, Reader
from .aside import Archive, doubt, move_from_before_the_roster
from .found import Collected, Found, listed, shown, times_of
from .late_mark import TIMESTAMP, mark_times, stamp_of
from .names import CANVAS, FOLDER, MOODLE, Layout, Owner
from .placing import RECORD, place, recorded, text_of
from .roster import Match, Person, Roster, folder_name, same_name


def files_of(source: Path, skip: Callable[[str], None]) -> tuple[list[File], list[str]]:
    """What may be notebooks in an archive or a folder, and the paths of all files there. Raises UserError."""
    reader = Reader(skip)
    if source.is_dir():
        items = reader.folder(source)
    elif source.is_file():
        if source.stat().st_size > MAX_ARCHIVE_BYTES:
            raise UserError(f"{source} has more than {MAX_ARCHIVE_BYTES >> 30} GiB: collect it in parts.")
        try:
            readable = zipfile.is_zipfile(source)
        except zipfile.BadZipFile:  # one part of several
            readable = False
        if not readable:
            raise UserError(f"{source} is no zip archive: give the archive from your platform, or a folder.")
        items = reader.archive(source, source.name, "", 1)
    else:
        raise UserError(f"There is no archive or folder {source}.")
    return list(items), reader.others


def collect(
    source: Path,
    units: Mapping[str, str] | Mapping[str, Assignment],
    target: Callable[[str, str], Path],
    *,
    unit: str | None = None,
    people: Iterable[Person] = (),
    due: Mapping[str, datetime] | None = None,
    anyway: bool = False,
) -> Collected:
    """Put every notebook into its place.

    `units` maps each unit to its assignment (or to its notebook's name alone), `target` gives a student's folder of a
    unit, `people` are the students of the gradebook, `due` says when a unit is due. An earlier submission stays beside
    the new one, under a name that is not graded. `anyway` takes also what is else put nowhere (`aside`), and what says
    another unit than `unit`. Raises UserError when the source cannot be used.
    """
    return _Collection(source, units, target, unit, Roster(people), due or {}, anyway).result


class _Collection:
    """One run of `collect`."""

    def __init__(
        self,
        source: Path,
        units: Mapping[str, str] | Mapping[str, Assignment],
        target: Callable[[str, str], Path],
        unit: str | None,
        roster: Roster,
        due: Mapping[str, datetime],
        anyway: bool,
    ) -> None:
        self.result = Collected()
        self.units: Mapping[str, str | Assignment] = units
        self.names = {name: about if isinstance(about, str) else about.name for name, about in units.items()}
        self.target, self.unit, self.roster, self.due, self.anyway = target, unit, roster, due, anyway
        #: of whom a notebook was seen
        self.seen: set[tuple[str, ...]] = set()
        files, others = files_of(source, self.skip)
        layout = Layout([*others, *(file.path for file in files)], roster.knows, units)
        found = [one for file in files if (one := self._found(file, layout))]
        found = self._without_names(found)
        times = times_of(found)
        apart = self._apart(found)
        archive = Archive(apart)
        for one in self._latest(apart):
            self.result.notes += move_from_before_the_roster(one, list(units), target)
            if not self._put_aside(one, archive):
                self._place(one, times.get(one.file.path))
        self._without_notebook(others, layout)
        self.result.missing = self._missing()

    def skip(self, reason: str) -> None:
        self.result.skipped.append(printable(reason, 500).replace("\n", " "))

    # -- Whose is it, and what is it? -------------------------------------------------------------------------------

    def _found(self, file: File, layout: Layout) -> Found | None:
        where = printable(file.path, 300)
        certain = bool(CALLED_NOTEBOOK.search(file.path))
        try:
            owner = layout.owner(file.path)
        except ValueError as unclear:
            self.skip(f"{where}: {unclear}")
            return None
        notebook: dict[str, Any] = {}
        broken = ""
        try:
            notebook = parse(file.data, where)
        except UserError as error:
            broken = str(error)  # taken all the same: nobody's work is lost, and a hand-in was in time
            if not certain:  # a file of data
                return None
        if owner is None:
            self.skip(f"{where}: its name does not say whose it is")
            return None
        if certain:
            self.seen.add(owner.key)
        said = unit_of(notebook)
        unit = self.unit or said or self._unit_in(file.path, owner)
        if problem := self._wrong_unit(unit, said):
            if certain or said:
                self.skip(f"{where}: {problem}")
            return None
        match = self.roster.find(owner)
        if match.problem:
            self.skip(f"{where}: {match.problem}")
            return None
        self.seen.add(owner.key)
        return Found(owner, match, file, unit, broken=broken)

    def _wrong_unit(self, unit: str, said: str) -> str:
        """Why a notebook that says so is not taken as one of this unit; empty when it is."""
        if said and said not in self.units and not (self.unit and self.anyway):
            return (
                f"it says that it is {said}, which is no unit of this course; if it is meant as one, name that with "
                "--unit UNIT --anyway"
            )
        if said and said != unit and not self.anyway:
            return f"it says that it is {said}, and not {unit}: leave out --unit, or insist with --anyway"
        if unit not in self.units:
            return "it does not say which unit it is; name it with --unit"
        return ""

    def _unit_in(self, path: str, owner: Owner) -> str:
        """A unit that the path names, as a folder or by its notebook's name."""
        parts = PurePosixPath(path).parts
        for unit, name in self.names.items():
            if unit in parts or re.fullmatch(rf"{re.escape(name)}([-( ]+\d+\)?)?(\.\w+)+", owner.file):
                return unit
        return ""

    @staticmethod
    def _without_names(found: list[Found]) -> list[Found]:
        """Where Moodle hides the names, everybody is "Participant" in some language, and the number is all there is."""
        hidden = [one for one in found if one.owner.platform == MOODLE and len(one.owner.name.split()) == 1]
        if len({one.owner.name for one in hidden}) != 1 or len({one.owner.number for one in hidden}) < 2:
            return found
        if any(one.match.sure for one in hidden):
            return found
        match = {one.owner.number: Match(folder_name(one.owner.name, one.owner.number)) for one in hidden}
        return [replace(one, match=match[one.owner.number]) if one in hidden else one for one in found]

    def _apart(self, found: Sequence[Found]) -> list[Found]:
        """Those whose folder is theirs alone. Names that come out as the same folder are nobody's."""
        holders: dict[str, dict[tuple[str, ...], Found]] = {}
        for one in found:
            holders.setdefault(one.match.student.casefold(), {})[one.owner.key] = one
        good = []
        for one in found:
            others = holders[one.match.student.casefold()]
            exact = [key for key, other in others.items() if other.exact]
            problem = self._taken(one)
            if len(others) > 1 and exact != [one.owner.key]:
                names = sorted(map(shown, others.values()))
                problem = f"{listed(names)} would all be the student {one.match.student}"
            if problem:
                told = (
                    "rename the folder, or add the students first (`autograder students import ROSTER.csv`)"
                )
                self.skip(f"{printable(one.file.path, 300)}: {problem}: {told}")
            else:
                good.append(one)
        return good

    def _taken(self, one: Found) -> str:
        """Why a student's folder belongs to somebody else, as an earlier run has noted; empty when it does not."""
        student, owner = one.match.student, one.owner
        for unit in self.units:
            record = recorded(self.target(student, unit))
            if not record or (one.match.sure and record["sure"]):
                continue
            same = record["name"] == owner.name or (one.match.sure and same_name(record["name"], owner.name))
            if owner.platform == record["platform"] == CANVAS:
                same = record["number"] == owner.number
            elif owner.platform == record["platform"] == MOODLE:
                # In another assignment the same person has another number.
                same = same and (one.match.sure or unit != one.unit or record["number"] == owner.number)
            elif owner.platform != record["platform"]:
                same = same_name(record["name"], owner.name)
            if not same:
                whose = f"{record['name']!r}" + (f" ({record['number']})" if record["number"] else "")
                return f"the folder {student} holds the work of {whose} of {record['platform'] or 'a folder'}"
        return ""

    def _latest(self, found: Sequence[Found]) -> Iterator[Found]:
        """Of each student's copies of a unit, the one that counts."""
        copies: dict[tuple[str, str], list[Found]] = {}
        for one in found:
            copies.setdefault((one.match.student, one.unit), []).append(one)
        for (student, unit), some in sorted(copies.items()):
            if len(some) > 1:
                some = [replace(one, worked_on=self._worked_on(unit, one.file.data)) for one in some]
            *older, last = sorted(some, key=lambda one: one.order)
            for one in reversed(older):
                where = printable(one.file.path, 300)
                if one.worked_on or not last.worked_on:
                    self.skip(f"{where}: {student} handed in a newer one of {unit}")
                else:
                    self.skip(f"{where}: it is as released, and {student} handed in another one of {unit}")
            yield last

    def _worked_on(self, unit: str, data: bytes) -> bool:
        about = self.units[unit]
        try:
            return isinstance(about, str) or worked_on(parse(data), about)
        except UserError:  # damaged; grading says how
            return True

    def _without_notebook(self, others: Sequence[str], layout: Layout) -> None:
        """Name everybody of whom the platform handed out files, and no notebook."""
        told = {reason.partition(":")[0] for reason in self.result.skipped}
        for path in sorted(others):
            try:
                owner = layout.owner(path)
            except ValueError:
                continue
            # Only a platform's name surely means a person; a folder may be anything.
            if owner is None or owner.platform == FOLDER or owner.key in self.seen:
                continue
            self.seen.add(owner.key)
            shown = printable(path, 300)
            if shown.partition(":")[0] not in told:
                match = self.roster.find(owner)
                self.skip(f"{shown}: {match.student or owner.name} handed in no notebook")

    def _put_aside(self, one: Found, archive: Archive) -> bool:
        """Whether something speaks against putting a hand-in into its place; then it is told."""
        student, unit = one.match.student, one.unit
        path = self.target(student, unit) / f"{self.names[unit]}.ipynb"
        reason = "" if self.anyway else doubt(one, archive, path, self._worked_on)
        if reason:
            self.skip(f"{printable(one.file.path, 300)}: {reason}")
        return bool(reason)

    def _missing(self) -> list[str]:
        """Of whom nothing was collected, now or before, of the units that came now."""
        units = {unit for _, unit in self.result.placed}
        there = {student for student, _ in self.result.placed}
        for person in self.roster.people:
            if any((self.target(person.id, unit) / f"{self.names[unit]}.ipynb").exists() for unit in units):
                there.add(person.id)
        return sorted({person.id for person in self.roster.people} - there)

    # -- Into the course --------------------------------------------------------------------------------------------

    def _place(self, one: Found, when: datetime | None) -> None:
        student, unit, owner = one.match.student, one.unit, one.owner
        folder, due = self.target(student, unit), self.due.get(unit)
        marked = owner.late and when is None
        late = ""
        if owner.late:
            late = "late, says the platform"
            late += ", and not by how much: counted as one second" if marked and due is not None else ""
        elif when is not None and due is not None and when > due:
            late = f"late, handed in {when:%Y-%m-%d %H:%M} UTC"
        if late:
            self.result.late[student, unit] = late
        before = recorded(folder)
        copied = (RECORD,) if before.get("late") else ()
        path = folder / f"{self.names[unit]}.ipynb"
        what, kept = place(path, one.file.data, beside=(TIMESTAMP,), copied=copied)
        self.result.placed[student, unit] = what
        if kept:
            self.result.kept[student, unit] = kept
        if one.broken:
            self.result.broken[student, unit] = one.broken
        ours = before.get("timestamp", "") if what == "unchanged" else ""
        stamp, there = folder / TIMESTAMP, text_of(folder / TIMESTAMP)
        text = stamp_of(when) if when is not None else ""
        # What an instructor has written for the same notebook stays.
        if text and text != there and there in ("", ours):
            write_file(stamp, text)
            ours = text
        elif ours and there == ours and owner.platform == CANVAS and not owner.late:
            stamp.unlink()  # it was late, and is not any more
            ours = ""
        about = {
            "platform": owner.platform,
            "name": owner.name,
            "number": owner.number,
            "sure": one.exact,
            "given": owner.given,
            "late": marked,
        }
        if about | {"timestamp": ours} != before:
            write_file(folder / RECORD, json.dumps(about | {"timestamp": ours}, ensure_ascii=False) + "\n")
        mark_times(folder, due)
