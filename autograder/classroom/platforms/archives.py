"""Reads archives and folders that strangers have filled: within limits, no file unpacked, no link followed."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from ...errors import UserError
from ...unit.raw import CALLED_JSON, CALLED_NOTEBOOK, MAX_FILE_BYTES, looks_like_a_notebook, read_bytes
from .names import parts_of, platform_owner

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
#: So much of a file with another ending is looked at, to see whether it is a notebook.
PEEK = 4096

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


@dataclass(frozen=True)
class File:
    """What may be a notebook, and where it was."""

    path: str
    data: bytes = field(repr=False)
    #: when it was last changed, as whoever packed or copied it says; None where that is no time
    changed: datetime | None = None
    #: where it lies in an archive that a platform made: the first entry is 0; -1 elsewhere
    place: int = -1


@dataclass
class _Count:
    """What has been read: files, and bytes."""

    files: int = 0
    total: int = 0


class Reader:
    """Walks through archives and folders, within limits."""

    def __init__(self, skip: Callable[[str], None]) -> None:
        self.skip = skip
        self.all = _Count()
        #: what platforms handed out and is no notebook: somebody may have handed in nothing else
        self.others: list[str] = []

    def folder(self, root: Path) -> Iterator[File]:
        for path in sorted(root.rglob("*")):
            where = path.relative_to(root).as_posix()
            if path.is_symlink():
                self.skip(f"{where}: it is a link, and links are not followed")
            elif not path.is_file() or any(part.startswith(".") for part in path.relative_to(root).parts):
                continue
            elif path.suffix.lower() == ".zip":
                self.others.append(where)
                yield from self.archive(path, where, where, 1)
            elif CALLED_NOTEBOOK.search(path.name) or CALLED_JSON.search(path.name):
                self.others.append(where)
                try:
                    data = read_bytes(path)
                    if CALLED_NOTEBOOK.search(path.name) or looks_like_a_notebook(data):
                        yield File(where, data, datetime.fromtimestamp(int(path.stat().st_mtime), UTC))
                except UserError as error:
                    self.skip(f"{where}: {error}")
            else:
                self.others.append(where)

    def archive(self, source: Path | io.BytesIO, where: str, prefix: str, depth: int) -> Iterator[File]:
        """The notebooks of an archive. `prefix` is the path of one that lies inside something."""
        # None for what a platform packed, which has no limits but those of all.
        parts = parts_of(prefix)
        students = len(parts) > 1 or any(map(platform_owner, parts[:1]))
        own = _Count() if depth > 1 or students else None
        try:
            if own is not None and _entries(source) > MAX_STUDENT_FILES:
                raise _TooMuch(f"it holds more than {MAX_STUDENT_FILES} files")
            with zipfile.ZipFile(source) as archive:
                for place, entry in enumerate(archive.infolist()):
                    try:
                        yield from self._entry(archive, entry, place, where, prefix, depth, own)
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
        place: int,
        where: str,
        prefix: str,
        depth: int,
        own: _Count | None,
    ) -> Iterator[File]:
        name = entry.filename
        path = f"{prefix}/{name}" if prefix else name
        at = path if own is None else f"{where}: {name}"
        is_archive = name.lower().endswith(".zip")
        hidden = any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
        if not name or entry.is_dir() or hidden:
            return
        if own is None:
            self.others.append(path)
        if not is_archive and not CALLED_NOTEBOOK.search(name):
            if not CALLED_JSON.search(name) or not self._begins_like_a_notebook(archive, entry):
                return
        if own is not None:
            own.files += 1
            if own.files > MAX_STUDENT_NOTEBOOKS:
                raise _TooMuch(f"it holds more than {MAX_STUDENT_NOTEBOOKS} notebooks")
        self.all.files += 1
        if self.all.files > MAX_FILES:
            raise UserError(f"There are more than {MAX_FILES} files: collect the archive in parts.")
        limit = MAX_STUDENT_BYTES if is_archive else MAX_FILE_BYTES
        if problem := _refused(entry, limit, too_deep=depth >= MAX_DEPTH and is_archive):
            self.skip(f"{at}: {problem}")
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
        if is_archive:
            yield from self.archive(io.BytesIO(data), at, path, depth + 1)
        else:
            yield File(path, data, _changed(entry), place if own is None else -1)

    @staticmethod
    def _begins_like_a_notebook(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return False
        with archive.open(entry) as file:
            return looks_like_a_notebook(file.read(PEEK))


def _refused(entry: zipfile.ZipInfo, limit: int, too_deep: bool) -> str:
    """Why an archive's entry is not opened, by what its header says; empty when it is."""
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a link, and links are not followed"
    if entry.flag_bits & 1:
        return "it is encrypted"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The others take as much memory as the sender says.
        return "it is packed in a way that is not opened; pack it as a plain zip archive"
    if entry.file_size > limit:
        return f"it has {entry.file_size >> 20} MiB, and the limit is {limit >> 20}"
    if entry.file_size > MAX_RATIO * max(entry.compress_size, 1) + 100_000:
        return f"it unpacks to more than {MAX_RATIO} times its size"
    if too_deep:
        return "archives inside archives are opened once, and this one is deeper"
    return ""


def _changed(entry: zipfile.ZipInfo) -> datetime | None:
    """When an entry was last changed, by its Unix time where there is one; else by this machine's clock."""
    extra = entry.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == 0x5455 and size >= 5 and len(extra) >= 9 and extra[4] & 1:
            return datetime.fromtimestamp(struct.unpack_from("<I", extra, 5)[0], UTC)
        extra = extra[4 + size :]
    try:
        return datetime(*entry.date_time).astimezone(UTC)
    except (ValueError, OverflowError, OSError):  # a month 0, for example
        return None


def _entries(source: Path | io.BytesIO) -> int:
    """At least as many entries as an archive lists. What its end says of their number is the sender's word."""
    if isinstance(source, Path):
        if source.stat().st_size > MAX_STUDENT_BYTES:
            raise _TooMuch(f"it has more than {MAX_STUDENT_BYTES >> 20} MiB")
        data = source.read_bytes()
    else:
        data = source.getvalue()
    return data.count(zipfile.stringCentralDir)  # type: ignore[attr-defined]
