"""Takes in what a learning platform hands out: archives and folders of notebooks, into `submitted/STUDENT/UNIT/`.

Who a file belongs to is said by the platform's name of it, never by what is inside. No name in an archive is used as
a path, nothing is unpacked to the disk, links are not followed, and what is too large is skipped, with a reason.
"""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ...errors import UserError
from ...lesson.wire import printable
from ...referee.autograded import write_bytes
from ...unit.ingest import MAX_FILE_BYTES, parse, read_bytes, unit_of

#: An archive inside an archive is opened (a platform packs what a student packed), one inside that is not.
MAX_DEPTH = 2
MAX_FILES = 50_000
MAX_ARCHIVE_BYTES = 4 << 30
#: What all files of one archive may have together, unpacked, and how much more that may be than packed.
MAX_TOTAL_BYTES = 8 << 30
#: What a student's own archive may have, unpacked, how many notebooks and archives, and how many files of any kind (a
#: repository with all its objects has thousands): no more, so that it uses up no limit of all.
MAX_STUDENT_BYTES = 4 * MAX_FILE_BYTES
MAX_STUDENT_NOTEBOOKS = 200
MAX_STUDENT_FILES = 20_000
MAX_RATIO = 200


@dataclass(frozen=True)
class Found:
    """A notebook, whose it is by the platform's name, and where it was."""

    student: str
    name: str
    where: str
    data: bytes
    #: later copies win: the platform's counter, then the date
    order: tuple[int, tuple[int, ...]] = (0, ())
    late: bool = False


@dataclass
class Collected:
    """What became of an archive or a folder."""

    #: student -> "new", "unchanged" or "replaced"
    students: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


# -- Whose is it? -----------------------------------------------------------------------------------------------------

CANVAS = re.compile(
    r"(?P<name>[^_/]+)(?P<late>_LATE)?_(?P<id>[0-9]{1,20})_(?P<submission>[0-9]{1,20})_(?P<file>[^/]+)"
)
MOODLE = re.compile(r"(?P<name>[^_/]+)_(?P<id>[0-9]{1,20})_assignsubmission_file_?/?(?P<file>[^/]*)")


@dataclass(frozen=True)
class Owner:
    """What a platform's name says: a person, the platform's number for them, and the name of their own file."""

    name: str
    number: str
    file: str
    late: bool = False


def owner_of(path: str, plain: bool = False) -> Owner | None:
    """Read a platform's path. None when it names nobody.

    Where the folders of students have `plain` names, only the first part of a path is a platform's or an instructor's
    word; what is below it was named by the student.

    >>> owner_of("lovelaceada_LATE_4711_98765_reverse_mode-1.ipynb")
    Owner(name='lovelaceada', number='4711', file='reverse_mode-1.ipynb', late=True)
    >>> owner_of("Ada Lovelace_4711_assignsubmission_file_/reverse_mode.ipynb")
    Owner(name='Ada Lovelace', number='4711', file='reverse_mode.ipynb', late=False)
    >>> owner_of("ada/03_reverse_mode/reverse_mode.ipynb")
    Owner(name='ada', number='', file='reverse_mode.ipynb', late=False)
    >>> owner_of("reverse_mode.ipynb") is None
    True
    """
    parts = [part for part in PurePosixPath(path.replace("\\", "/")).parts if part not in ("/", ".", "..")]
    if not parts:
        return None
    for i, part in enumerate(parts[:1] if plain else parts):
        if moodle := MOODLE.fullmatch(part):
            return Owner(moodle["name"].strip(), moodle["id"], moodle["file"] or parts[-1])
        if canvas := CANVAS.fullmatch(part):
            file = canvas["file"] if i == len(parts) - 1 else parts[-1]
            return Owner(canvas["name"].strip(), canvas["id"], file, canvas["late"] is not None)
    return Owner(parts[0].strip(), "", parts[-1]) if len(parts) > 1 else None


def student_id(owner: Owner, known: Mapping[str, str]) -> str:
    """The name of a student's folder: nbgrader's, where the platform's number is known there; else made of the name.

    Letters, digits, `-` and `_` only, so that no name can be a path or a hidden file.
    """
    if owner.number and owner.number in known:
        return known[owner.number]
    plain = unicodedata.normalize("NFKC", owner.name)
    plain = re.sub(r"[^\w-]+", "-", plain).strip("-_")[:60]
    plain = plain.encode()[:200].decode(errors="ignore")  # with a number, a file's name has room for it
    return "-".join(filter(None, [plain, owner.number])) if plain else ""


# -- What is in it? ---------------------------------------------------------------------------------------------------


#: What reading a damaged archive raises.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    MemoryError,
)


class _TooMuch(Exception):
    """A student's own archive has more than it may; the text says of what."""


@dataclass
class _Count:
    """What has been read: files, and bytes."""

    files: int = 0
    total: int = 0


class _Reader:
    """Walks through archives and folders, within limits."""

    def __init__(self, skip: Callable[[str], None]) -> None:
        self.skip = skip
        self.all = _Count()
        #: what platforms handed out and is no notebook: somebody may have handed in nothing else
        self.others: list[str] = []

    def folder(self, root: Path) -> Iterator[tuple[str, bytes, tuple[int, ...]]]:
        for path in sorted(root.rglob("*")):
            where = path.relative_to(root).as_posix()
            if path.is_symlink():
                self.skip(f"{where}: it is a link, and links are not followed")
            elif not path.is_file() or any(part.startswith(".") for part in path.relative_to(root).parts):
                continue
            elif path.suffix.lower() == ".zip":
                self.others.append(where)
                yield from self.archive(path, where, where, 1)
            elif path.suffix.lower() == ".ipynb":
                try:
                    date = (int(path.stat().st_mtime),)
                    yield where, read_bytes(path), date
                except UserError as error:
                    self.skip(f"{where}: {error}")
            else:
                self.others.append(where)

    def archive(
        self, source: Path | io.BytesIO, where: str, prefix: str, depth: int
    ) -> Iterator[tuple[str, bytes, tuple[int, ...]]]:
        """The notebooks of an archive. `prefix` is the path of one that lies inside something."""
        # None for what a platform packed, which has no limits but those of all.
        own = _Count() if depth > 1 or (prefix and owner_of(prefix)) else None
        try:
            if own is not None and _entries(source) > MAX_STUDENT_FILES:
                raise _TooMuch(f"it holds more than {MAX_STUDENT_FILES} files")
            with zipfile.ZipFile(source) as archive:
                for entry in archive.infolist():
                    try:
                        yield from self._entry(archive, entry, where, prefix, depth, own)
                    except DAMAGE as error:
                        self.skip(f"{where}: {entry.filename}: it is damaged ({error})")
        except _TooMuch as error:
            self.skip(f"{where}: {error}")
        except DAMAGE as error:
            self.skip(f"{where}: it is no archive that can be read ({error})")

    def _entry(
        self,
        archive: zipfile.ZipFile,
        entry: zipfile.ZipInfo,
        where: str,
        prefix: str,
        depth: int,
        own: _Count | None,
    ) -> Iterator[tuple[str, bytes, tuple[int, ...]]]:
        name = entry.filename
        at = f"{where}: {name}" if depth > 1 or prefix else name
        suffix = PurePosixPath(name).suffix.lower()
        hidden = any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
        if not name or entry.is_dir() or hidden:
            return
        if own is None and suffix != ".ipynb":
            self.others.append(name)
        if suffix not in (".ipynb", ".zip"):
            return
        if own is not None:
            own.files += 1
            if own.files > MAX_STUDENT_NOTEBOOKS:
                raise _TooMuch(f"it holds more than {MAX_STUDENT_NOTEBOOKS} notebooks")
        self.all.files += 1
        if self.all.files > MAX_FILES:
            raise UserError(f"There are more than {MAX_FILES} files: collect the archive in parts.")
        if stat.S_ISLNK(entry.external_attr >> 16):
            self.skip(f"{at}: it is a link, and links are not followed")
            return
        if entry.flag_bits & 1:
            self.skip(f"{at}: it is encrypted")
            return
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # The others take as much memory as the sender says.
            self.skip(f"{at}: it is packed in a way that is not opened; pack it as a plain zip archive")
            return
        limit = MAX_FILE_BYTES if suffix == ".ipynb" else MAX_STUDENT_BYTES
        if entry.file_size > limit:
            self.skip(f"{at}: it has {entry.file_size >> 20} MiB, and the limit is {limit >> 20}")
            return
        if entry.file_size > MAX_RATIO * max(entry.compress_size, 1) + 100_000:
            self.skip(f"{at}: it unpacks to more than {MAX_RATIO} times its size")
            return
        if depth > 1 and suffix == ".zip":
            self.skip(f"{at}: archives inside archives are opened once, and this one is deeper")
            return
        # The parts of an archive may overlap, so small ones can have much together.
        if own is not None:
            own.total += entry.file_size
            if own.total > MAX_STUDENT_BYTES:
                raise _TooMuch(f"it unpacks to more than {MAX_STUDENT_BYTES >> 20} MiB")
        with archive.open(entry) as file:
            data = file.read(limit + 1)  # what the header says is the sender's word
        self.all.total += len(data)
        if len(data) > limit or self.all.total > MAX_TOTAL_BYTES:
            self.skip(f"{at}: it unpacks to more than it says")
            return
        path = f"{prefix}/{name}" if prefix else name
        if suffix == ".zip":
            yield from self.archive(io.BytesIO(data), at, name, depth + 1)
        else:
            yield path, data, tuple(entry.date_time)


def _entries(source: Path | io.BytesIO) -> int:
    """At least as many entries as an archive lists. What its end says of their number is the sender's word."""
    if isinstance(source, Path):
        if source.stat().st_size > MAX_STUDENT_BYTES:
            raise _TooMuch(f"it has more than {MAX_STUDENT_BYTES >> 20} MiB")
        data = source.read_bytes()
    else:
        data = source.getvalue()
    return data.count(zipfile.stringCentralDir)  # type: ignore[attr-defined]


def find(source: Path, known: Mapping[str, str], skip: Callable[[str], None]) -> Iterator[Found]:
    """The notebooks of an archive or a folder, with their owners. Raises UserError."""
    told: list[str] = []

    def tell(reason: str) -> None:
        told.append(reason)
        skip(reason)

    reader = _Reader(tell)
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
    found = list(items)
    # A file's own name must not say that it is another student's.
    plain = any((owner := owner_of(path)) and not owner.number for path, _, _ in found)
    there: set[str] = set()
    for path, data, date in found:
        owner = owner_of(path, plain)
        student = student_id(owner, known) if owner else ""
        if owner is None or not student:
            tell(f"{path}: its name does not say whose it is")
            continue
        counter = re.search(r"[-( ]+(\d+)\)?\.ipynb$", owner.file)
        order = (int(counter[1][:9]) if counter else 0, date)
        there.add(student)
        yield Found(student, owner.file, printable(path, 300), data, order, owner.late)
    for path in reader.others:
        owner = owner_of(path, plain)
        # Only a platform's name surely means a person; a folder may be anything.
        student = student_id(owner, known) if owner and owner.number else ""
        if student and student not in there and not any(reason.startswith(f"{path}:") for reason in told):
            tell(f"{path}: {student} handed in no notebook")
            there.add(student)


# -- Into the course --------------------------------------------------------------------------------------------------


def collect(
    source: Path,
    notebooks: Mapping[str, str],
    target: Callable[[str, str], Path],
    *,
    unit: str | None = None,
    known: Mapping[str, str] | None = None,
    expected: Iterable[str] = (),
) -> Collected:
    """Put every notebook into its place.

    `notebooks` maps each unit to its notebook's name, `target` gives a student's folder of a unit, `known` maps the
    platform's numbers to students, `expected` says who should have handed in. An earlier submission is kept beside
    the new one, under a name that is not graded. Raises UserError when the source cannot be used.
    """
    result = Collected()

    def skip(reason: str) -> None:
        result.skipped.append(printable(reason, 500).replace("\n", " "))

    newest: dict[tuple[str, str], Found] = {}
    for found in find(source, known or {}, skip):
        try:
            its_unit = unit or unit_of(parse(found.data, found.where))
        except UserError:
            its_unit = ""
        its_unit = its_unit or _unit_in(found, notebooks)
        if its_unit not in notebooks:
            skip(f"{found.where}: it does not say which unit it is; name it with --unit")
            continue
        before = newest.get((found.student, its_unit))
        if before is not None:
            older = min(before, found, key=lambda f: f.order)
            skip(f"{older.where}: {found.student} handed in a newer one of {its_unit}")
        if before is None or found.order >= before.order:
            newest[found.student, its_unit] = found
    for (student, its_unit), found in sorted(newest.items(), key=lambda item: item[0]):
        path = target(student, its_unit) / f"{notebooks[its_unit]}.ipynb"
        result.students[student] = _place(path, found.data)
        result.units[student] = its_unit
        if found.late:
            result.late.append(student)
    result.missing = sorted(set(expected) - set(result.students))
    return result


def _unit_in(found: Found, notebooks: Mapping[str, str]) -> str:
    """A unit that the path names, as a folder or by its notebook's name."""
    parts = PurePosixPath(found.where).parts
    for unit, name in notebooks.items():
        if unit in parts or re.fullmatch(rf"{re.escape(name)}([-( ]+\d+\)?)?\.ipynb", found.name):
            return unit
    return ""


def _place(path: Path, data: bytes) -> str:
    """Write a submission; what was there before stays beside it."""
    for folder in (path.parent, path.parent.parent):
        if folder.is_symlink():
            raise UserError(f"{folder} is a symbolic link: remove it, and collect again.")
    if path.is_symlink():
        path.unlink()
    if not path.exists():
        write_bytes(path, data)
        return "new"
    if path.read_bytes() == data:
        return "unchanged"
    number = 1
    while (earlier := path.with_name(f"{path.name}.earlier-{number}")).exists():
        number += 1
    os.link(path, earlier) if hasattr(os, "link") else earlier.write_bytes(path.read_bytes())
    write_bytes(path, data)
    return "replaced"
