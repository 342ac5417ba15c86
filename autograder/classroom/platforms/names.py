"""Whose a file is, by the name that a learning platform or an instructor gave to it.

Canvas names a file `NAME[_LATE]_USER_ATTACHMENT_OWNNAME`: the sortable name in small letters without what is no letter,
digit or underscore, the user's number, the upload's number (`lib/content_zipper.rb` of canvas-lms). Students without
names are `anon_XXXXX`. Moodle names a folder, or in older versions a file, `NAME_NUMBER_assignsubmission_PLUGIN`, with
spaces in the place of underscores in the name (`mod/assign/classes/downloader.php` of moodle). Its number belongs to
the pair of an assignment and a person (the table `assign_user_mapping`): in the next assignment it is another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ...unit.raw import CALLED_NOTEBOOK

CANVAS, MOODLE, FOLDER = "Canvas", "Moodle", ""

# Leftmost first: what stands further to the right is the student's own name of the file.
_ANONYMOUS = re.compile(r"(?P<late>LATE_)?anon_(?P<id>[A-Za-z0-9]{5})_(?P<upload>[0-9]{1,20})_(?P<file>.+)")
_CANVAS = re.compile(
    r"(?P<name>.+?)(?P<late>_(?:LATE|late))?_(?P<id>[0-9]{1,20})_(?:(?P<upload>[0-9]{1,20})_(?P<file>.+)|(?P<text>(?:text|link)\.html))"
)
_MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<id>[0-9]{1,20}))?_assignsubmission_[a-z]+_?(?P<file>.*)")


@dataclass(frozen=True)
class Owner:
    """What a name says: a person, the platform's number for them, and the name of their own file."""

    name: str
    number: str
    file: str
    late: bool = False
    platform: str = FOLDER
    #: of a name of Canvas' that can be read in two ways, the other number
    other_number: str = ""
    #: the file or folder as the platform has named it, by which it takes something back
    given: str = field(default="", repr=False, compare=False)
    #: Canvas' number of the file: a later file has a greater one
    upload: str = field(default="", repr=False, compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """The same for everything that one person handed in to one assignment."""
        return (
            (self.platform, self.number)
            if self.platform == CANVAS
            else (self.platform, self.number, self.name)
        )


def platform_owner(part: str) -> Owner | None:
    """Read the name of one file or folder. None when no platform has given it.

    >>> platform_owner("van_gogh_LATE_4711_98765_reverse_mode-1.ipynb")
    Owner(name='van_gogh', number='4711', file='reverse_mode-1.ipynb', late=True, platform='Canvas', other_number='')
    >>> platform_owner("Ada Lovelace_4711_assignsubmission_file_").number
    '4711'
    >>> platform_owner("reverse_mode.ipynb") is None
    True
    """
    if moodle := _MOODLE.fullmatch(part):
        return Owner(moodle["name"].strip(), moodle["id"] or "", moodle["file"], platform=MOODLE)
    if hidden := _ANONYMOUS.fullmatch(part):
        late, name = hidden["late"] is not None, f"anon_{hidden['id']}"
        return Owner(name, "", hidden["file"], late, CANVAS + ", without names", upload=hidden["upload"])
    if canvas := _CANVAS.fullmatch(part):
        file = canvas["file"] or canvas["text"]
        # `ada_4711_98765_5_x.ipynb`: by Canvas' rule Ada, who is 4711; or "ada_4711", whose number is 98765.
        shifted = canvas["upload"] if re.match(r"[0-9]{1,20}_", file) else None
        late, upload = canvas["late"] is not None, canvas["upload"] or ""
        return Owner(canvas["name"].strip(), canvas["id"], file, late, CANVAS, shifted or "", upload=upload)
    return None


class Layout:
    """Says of each path of an archive or a folder whose it is.

    Only one part of a path is a platform's or an instructor's word: the first, or the second where one folder lies
    around everything. What stands below it was named by the student, who may have chosen a platform's name of
    somebody else.
    """

    def __init__(
        self,
        paths: Iterable[str],
        is_student: Callable[[str], bool] = lambda name: False,
        units: Iterable[str] = (),
    ) -> None:
        self.is_student, self.units = is_student, set(units)
        self.skip = 0
        #: parts that hold files of several people and stand beside others: nobody's
        self.unclear: dict[str, str] = {}
        split = {tuple(parts_of(path)) for path in paths}
        while split and self._look({parts for parts in split if parts}):
            self.skip += 1
            split = {parts[1:] for parts in split}

    def _look(self, split: set[tuple[str, ...]]) -> bool:
        """Whether the first parts are only a folder around the students. Notes what is not clear."""
        below: dict[str, set[tuple[str, ...]]] = {}
        for first, *rest in split:
            below.setdefault(first, set()).add(tuple(rest))
        platforms = {first for first in below if platform_owner(first)}
        students: set[str] = set()
        around: dict[str, set[tuple[str, ...]]] = {}  # what may be a folder around files of several people
        for first in below.keys() - platforms:
            inside = [rest for rest in below[first] if rest]
            owners = [platform_owner(rest[0]) for rest in inside]
            if self.is_student(first) or not all(owners):
                students |= {first} if inside else set()
            elif inside:
                around[first] = {owner.key for owner in owners if owner}
        if around and not platforms and not students:
            if len(set().union(*around.values())) > 1:
                return True
            self.unclear |= dict.fromkeys(around, "is a student or a folder around a student's file")
        for first, keys in around.items():
            # One classmate's name in one of many students' folders is the sender's own choice.
            if platforms or len(keys) > 1:
                self.unclear[first] = "is a student or a folder around the files of several"
        if len(students) == 1 and not platforms and not around:
            (first,) = students
            return not self.is_student(first) and self._around_students(first, below[first])
        return False

    def _around_students(self, first: str, rests: set[tuple[str, ...]]) -> bool:
        """Whether plain folders inside one folder are students': one of them is known, or two hold the same file."""
        holders: dict[tuple[str, ...], set[str]] = {}
        for rest in rests:
            if len(rest) > 1:
                holders.setdefault(rest[1:], set()).add(rest[0])
        folders = set().union(*holders.values())
        if any(map(self.is_student, folders)) or any(len(some) > 1 for some in holders.values()):
            return not folders & self.units
        if (
            folders
            and not folders & self.units
            and not any(len(rest) == 1 and CALLED_NOTEBOOK.search(rest[0]) for rest in rests)
        ):
            self.unclear[first] = "is a student or a folder around students"
        return False

    def owner(self, path: str) -> Owner | None:
        """Whose a path is. None when it names nobody. Raises ValueError, with the reason, when that is not clear."""
        parts = parts_of(path)[self.skip :]
        if not parts:
            return None
        if parts[0] in self.unclear:
            raise ValueError(
                f"it is not clear whether {parts[0]!r} {self.unclear[parts[0]]}; collect that folder by itself, or add "
                "the student first"
            )
        owner = platform_owner(parts[0])
        if owner is not None:
            own = owner.file if len(parts) == 1 and owner.file else parts[-1]
            return replace(owner, file=own, given=parts[0])
        return Owner(parts[0].strip(), "", parts[-1]) if len(parts) > 1 else None


def parts_of(path: str) -> list[str]:
    """The parts of a path, without those that would lead somewhere."""
    return [part for part in PurePosixPath(path.replace("\\", "/")).parts if part not in ("/", ".", "..")]
