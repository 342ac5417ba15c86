"""Reads what a student handed in. It reads JSON and never runs anything.

Cells are recognised by nbgrader's `grade_id`, and where that was lost, by the cell's own id. So copied, deleted,
moved, renamed and retyped cells, lost metadata, a byte-order mark or an old notebook format do not discard honest
work. Only two things are taken: the text of answer cells, and the cells that the student added.

A notebook may come compressed, in a zip archive of its own, with something behind its end, or under another ending.
It is read all the same, and a note says so.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..lesson.wire import MAX_PARTS, first_parsed, parsed, printable
from .assignment import Assignment
from .cell import ANSWER, CHECK, Cell, grade_id

MAX_FILE_BYTES = 30 * 1024 * 1024
MAX_SOURCE_CHARS = 200_000
#: What browsers, mail programs and systems that hide endings make of `NAME.ipynb`; and what may be a notebook as well.
CALLED_NOTEBOOK = re.compile(r"\.ipynb(?:\.(?:txt|json|gz|download))?$", re.IGNORECASE)
CALLED_JSON = re.compile(r"\.(?:json|txt)$", re.IGNORECASE)
MAX_ADDED_CELLS = 200
#: Files beside the graded one that a note names.
MAX_NAMED = 5


@dataclass(frozen=True)
class AddedCell:
    """A cell that the student added, and the id of the release's cell that it stands behind (empty: at the top)."""

    after: str
    cell_type: str
    source: str


@dataclass
class Submission:
    """What is taken from a student's file."""

    answers: dict[str, str] = field(default_factory=dict)
    added: list[AddedCell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: why nothing could be taken from the file; empty when something could
    problem: str = ""
    #: the version of Python that the notebook ran on, as it says; empty where it does not
    python: tuple[int, ...] = ()


def read_bytes(path: Path) -> bytes:
    """The content of a regular file, symbolic links not followed. Raises UserError."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except OSError as error:
        if error.errno == errno.ELOOP:  # O_NOFOLLOW; to look once more may not be permitted
            raise UserError(f"{path.name} is a symbolic link, and links are not followed.") from None
        raise UserError(f"{path.name} cannot be opened: {error.strerror}.") from None
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode):
        os.close(handle)
        raise UserError(f"{path.name} is not a file that can be read as a notebook.")
    with os.fdopen(handle, "rb") as file:
        if about.st_size > MAX_FILE_BYTES:
            raise UserError(
                f"{path.name} has {about.st_size / 2**20:.0f} MiB and the limit is {MAX_FILE_BYTES >> 20}: clear its "
                "outputs (Edit, Clear Outputs of All Cells), save it and hand it in again."
            )
        return file.read(MAX_FILE_BYTES + 1)


#: An archive of one notebook may list so many files, and a file in it be so many times its packed size.
MAX_ENTRIES = 20_000
MAX_RATIO = 200


def looks_like_a_notebook(beginning: bytes) -> bool:
    """Whether a file that is not called a notebook begins like one."""
    plain = beginning[:4096].replace(b"\0", b"")  # UTF-16 has them between the letters
    return plain.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"{") and bool(
        re.search(rb'"(?:cells|worksheets|nbformat)"\s*:', plain)
    )


def unwrapped(data: bytes, name: str) -> tuple[bytes, str]:
    """A notebook's text out of its wrapping, and a note on the wrapping. Raises UserError when it cannot be opened."""
    if data.startswith(b"\x1f\x8b"):
        try:
            opened = zlib.decompressobj(31).decompress(data, MAX_FILE_BYTES + 1)
        except zlib.error:
            raise UserError(
                f"{name} is compressed (gzip) and damaged: hand in the notebook itself."
            ) from None
        if len(opened) > MAX_FILE_BYTES:
            raise UserError(
                f"{name} is compressed, and what is in it is larger than {MAX_FILE_BYTES >> 20} MiB."
            )
        return opened, "The file was compressed (gzip); the notebook in it was graded."
    if data.startswith(b"PK\x03\x04"):
        return _in_archive(data, name)
    return data, ""


def _in_archive(data: bytes, name: str) -> tuple[bytes, str]:
    """The one notebook of a zip archive."""
    try:
        if data.count(zipfile.stringCentralDir) > MAX_ENTRIES:  # type: ignore[attr-defined]
            raise UserError(
                f"{name} is an archive of more than {MAX_ENTRIES} files: hand in the notebook itself."
            )
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = [
                entry
                for entry in archive.infolist()
                if CALLED_NOTEBOOK.search(entry.filename)
                and not any(part.startswith((".", "__MACOSX")) for part in entry.filename.split("/"))
            ]
            if len(found) != 1:
                raise UserError(
                    f"{name} is an archive with {len(found) or 'no'} notebooks: hand in the notebook itself."
                )
            (entry,) = found
            size, packed = entry.file_size, max(entry.compress_size, 1)
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or entry.flag_bits & 1:
                raise UserError(f"{name} is an archive that is not opened: hand in the notebook itself.")
            if size > MAX_FILE_BYTES or size > MAX_RATIO * packed + 100_000:
                raise UserError(f"{name} is an archive, and what is in it is too large.")
            with archive.open(entry) as file:
                opened = file.read(MAX_FILE_BYTES + 1)  # what the header says is the sender's word
        if len(opened) > MAX_FILE_BYTES:
            raise UserError(f"{name} is an archive, and what is in it is too large.")
    except UserError:
        raise
    except Exception:  # damaged archives raise a dozen kinds
        raise UserError(f"{name} is an archive that is damaged: hand in the notebook itself.") from None
    return opened, f"The file was a zip archive; {printable(entry.filename, 100)!r} in it was graded."


def parse(data: bytes, name: str = "the file", notes: list[str] | None = None) -> dict[str, Any]:
    """A notebook's JSON, whatever its encoding and its wrapping. Raises UserError when it is not a notebook.

    What was not as Jupyter writes it is added to `notes`, a sentence each.
    """
    data, note = unwrapped(data, name)
    if not data.strip():
        raise UserError(f"{name} is empty.")
    if data.count(b"[") + data.count(b"{") > MAX_PARTS:
        raise UserError(
            f"{name} has more than {MAX_PARTS} parts: clear its outputs (Edit, Clear Outputs of All Cells), save it "
            "and hand it in again."
        )
    told = [note] if note else []
    text = data.decode(json.detect_encoding(data), "replace")
    try:
        notebook = parsed(text)
    except ValueError:
        try:
            notebook, behind = first_parsed(text)
            if not isinstance(notebook, dict):  # a file of Python begins with a text, too
                raise ValueError
        except ValueError:
            raise UserError(f"{name} is not a notebook: its text is not JSON, or it was cut off.") from None
        told.append(f"Behind the notebook's end the file has {behind} more characters, which were left out.")
    if not isinstance(notebook, dict) or not (
        isinstance(notebook.get("cells"), list) or isinstance(notebook.get("worksheets"), list)
    ):
        raise UserError(f"{name} is not a notebook: it has no list of cells.")
    if notes is not None:
        notes += told
    return notebook


def cells_of(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a notebook of any format, those that are not even objects left out."""
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        sheets = [sheet for sheet in notebook.get("worksheets") or [] if isinstance(sheet, dict)]
        lists = [sheet["cells"] for sheet in sheets if isinstance(sheet.get("cells"), list)]
        cells = [cell for found in lists for cell in found]
    return [cell for cell in cells if isinstance(cell, dict)]


def source_of(cell: dict[str, Any]) -> str:
    """A cell's text; notebooks of format 3 call it `input`."""
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    source = source if isinstance(source, str) else ""
    source = source.encode("utf-8", "replace").decode("utf-8")  # JSON can hold lone surrogates, files cannot
    return source.replace("\r\n", "\n").replace("\r", "\n")


def metadata_of(cell: dict[str, Any]) -> dict[str, Any]:
    found = cell.get("metadata")
    return found if isinstance(found, dict) else {}


def unit_of(notebook: dict[str, Any]) -> str:
    """The unit that a notebook names in its metadata, or an empty text."""
    about = metadata_of(notebook).get("autograder")
    unit = about.get("unit") if isinstance(about, dict) else None
    return unit if isinstance(unit, str) and re.fullmatch(r"[\w-]{1,80}", unit) else ""


def python_of(notebook: dict[str, Any]) -> tuple[int, ...]:
    """The version of Python that a notebook says it ran on, such as (3, 13); empty where it says none."""
    about = metadata_of(notebook).get("language_info")
    version = about.get("version") if isinstance(about, dict) else None
    found = re.match(r"([0-9]{1,2})\.([0-9]{1,3})(?:\.|$)", version) if isinstance(version, str) else None
    return tuple(map(int, found.groups())) if found else ()


def read_submission(path: Path, assignment: Assignment) -> Submission:
    """Take the answers from a file. A file that cannot be used is a Submission with a `problem`, not an exception."""
    try:
        return submission_of(read_bytes(path), assignment, path.name)
    except UserError as error:
        return Submission(problem=printable(str(error), 500))


def submission_of(data: bytes, assignment: Assignment, name: str = "The file") -> Submission:
    """Take the answers from a file's bytes; one that cannot be used is a Submission with a `problem`."""
    notes: list[str] = []
    try:
        submission = take(parse(data, name, notes), assignment)
    except UserError as error:
        return Submission(problem=printable(str(error), 500))
    submission.notes[:0] = notes
    return submission


def worked_on(notebook: dict[str, Any], assignment: Assignment) -> bool:
    """Whether anything in a notebook is a student's: an answer that is not the stub, or code of their own."""
    submission = take(notebook, assignment)
    stubs = {exercise.name: exercise.stub.strip() for exercise in assignment.exercises}
    return any(text.strip() not in ("", stubs[name]) for name, text in submission.answers.items()) or any(
        cell.cell_type == "code" for cell in submission.added
    )


def take(notebook: dict[str, Any], assignment: Assignment) -> Submission:
    """Sort a submission's cells into answers and additions."""
    released = assignment.released
    by_name = {cell.name: cell for cell in released if cell.name}
    by_id = {cell.id: cell for cell in released}
    before = {cell.name: last for last, cell in zip(["", *by_id], released, strict=False)}
    stubs = {exercise.name: exercise.stub for exercise in assignment.exercises}

    submission = Submission(python=python_of(notebook))
    copies: dict[str, list[str]] = {}
    ignored = _Ignored(notebook, assignment)
    after = ""
    for cell in cells_of(notebook):
        source = source_of(cell)
        own_id = cell.get("id")
        known = by_name.get(grade_id({"metadata": metadata_of(cell)}))
        if known is None and isinstance(own_id, str):
            known = by_id.get(own_id)
        if len(source) > MAX_SOURCE_CHARS:
            submission.notes.append(
                f"A cell of {len(source)} characters was left out: the limit is {MAX_SOURCE_CHARS}."
            )
            source = ""
        if known is None:
            cell_type = "code" if cell.get("cell_type") == "code" else "markdown"
            if source.strip():
                submission.added.append(AddedCell(after, cell_type, source))
            continue
        after = known.id
        ignored.look(cell, source, known)
        if known.kind == ANSWER:
            copies.setdefault(known.name, []).append(source)

    for name, sources in copies.items():
        changed = [source for source in sources if source.strip() not in ("", stubs[name].strip())]
        if len(sources) > 1:
            submission.notes.append(
                f"The answer cell of {name} is there {len(sources)} times; the last one that is not the stub counts."
            )
        # A cell that was split in two is there twice as well: run the earlier parts just before it.
        submission.added += [AddedCell(before[name], "code", source) for source in changed[:-1]]
        submission.answers[name] = (changed or sources)[-1]
    if len(submission.added) > MAX_ADDED_CELLS:
        submission.notes.append(
            f"Of {len(submission.added)} added cells the first {MAX_ADDED_CELLS} were kept."
        )
        del submission.added[MAX_ADDED_CELLS:]
    if not copies:
        submission.notes.append(f"No answer cell of {assignment.unit} was found in the file.")
    submission.notes += ignored.notes(complete=bool(copies))
    return submission


#: Begins the note on check cells that a student has changed.
CHANGED_CHECKS = "Changed check cells are ignored"
#: What a cell's metadata says of its grading, and what a notebook's says of the unit or of an earlier grading. The
#: release's own counts; another value is told.
OF_A_CELL = ("grade_id", "grade", "locked", "points", "solution", "task")
OF_THE_NOTEBOOK = ("allow", "graded", "unit", "exercises", "fingerprint", "max_score", "mistakes", "score")


class _Ignored:
    """What a file has in the place of the release's own and is not used: told in a note, and not punished."""

    def __init__(self, notebook: dict[str, Any], assignment: Assignment) -> None:
        self.released = {cell.id: cell for cell in assignment.released}
        #: what a cell may hold: the release's text, or that of the solution's notebook, with the hidden tests
        self.own = {cell.id: {_bare(cell.source)} for cell in assignment.released}
        for cell in assignment.cells:
            self.own.setdefault(cell.id, set()).add(_bare(cell.source))
        self.seen: set[str] = set()
        #: locked cells, by id: those of which every copy was changed
        self.changed: dict[str, bool] = {}
        self.tags: dict[str, None] = {}
        self.values: dict[str, None] = {}
        about, own = (
            metadata_of(notebook).get("autograder"),
            assignment.release.metadata.get("autograder", {}),
        )
        if isinstance(about, dict):
            found = [key for key in OF_THE_NOTEBOOK if key in about and about[key] != own.get(key)]
            self.values |= dict.fromkeys(f"{key} of the notebook" for key in found)

    def look(self, cell: dict[str, Any], source: str, known: Cell) -> None:
        """Compare a cell with the release's."""
        self.seen.add(known.id)
        name, own = _name(known), known.about
        if own.get("locked"):
            other = (
                _bare(source) not in self.own[known.id] or cell.get("cell_type", "code") != known.cell_type
            )
            self.changed[known.id] = other and self.changed.get(known.id, True)
        if not own:
            return
        tags, own_tags = metadata_of(cell).get("tags"), known.metadata.get("tags", ())
        for tag in tags if isinstance(tags, list) else ():
            if isinstance(tag, str) and tag not in own_tags:
                self.tags[f"{printable(tag, 40)!r} on {name}"] = None
        about = metadata_of(cell).get("nbgrader")
        if isinstance(about, dict):
            found = [key for key in OF_A_CELL if key in about and about[key] != own.get(key)]
            self.values |= dict.fromkeys(f"{key} of {name}" for key in found)

    def notes(self, complete: bool) -> list[str]:
        """A sentence for each kind of thing; deleted cells are told of a file that is `complete` otherwise."""
        changed = [self.released[i] for i, is_so in self.changed.items() if is_so]
        checks = [cell for cell in self.released.values() if cell.kind == CHECK]
        gone = [_name(cell) for cell in checks if cell.id not in self.seen] if complete else []
        told = {
            f"{CHANGED_CHECKS}, the released ones count": [
                _name(cell) for cell in changed if cell.kind == CHECK
            ],
            "Deleted check cells were put back": gone,
            "Changed locked cells are ignored, the released ones count": [
                _name(cell) for cell in changed if cell.kind != CHECK
            ],
            "Tags of cells are ignored": self.tags,
            "Changed metadata is ignored, the released counts": self.values,
        }
        return [f"{what}: {_listed(names)}." for what, names in told.items() if names]


def _name(cell: Cell) -> str:
    """What to call a cell of the release: by its exercise, where it is a check."""
    return cell.exercise or cell.id


def _bare(source: str) -> str:
    """A source without the white space that editors change."""
    return "\n".join(line.rstrip() for line in source.strip().split("\n"))


def _listed(names: Iterable[str], most: int = 5) -> str:
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


#: Begins the note on a notebook that has another name; nothing to look at.
RENAMED = "The file is called "
#: Begins the part of a note that names notebooks which were left aside.
BESIDE = "Not graded, because one notebook counts: "
#: Of a student's folder so many files are looked at, and folders so deep.
MAX_LOOKED_AT = 2000
MAX_FOLDERS_DEEP = 4
#: So many are read to see whether they were worked on.
MAX_READ = 10


def pick_file(folder: Path, name: str, assignment: Assignment | None = None) -> tuple[Path | None, str]:
    """The notebook that was handed in: the one of the right name, or else the newest.

    Where the assignment is given, a notebook that was worked on goes before the untouched release. With the path comes
    a note on an unexpected name and on what lies beside it, or on why there is none.
    """
    if folder.is_symlink():
        return None, f"The folder {folder.name} is a symbolic link, and links are not followed."
    path = folder / f"{name}.ipynb"
    there = path.exists() or path.is_symlink()
    found = list(_candidates(folder))
    if not there and not found:
        return None, f"There is no notebook in {folder.name}."
    rest = [p for p in found if p != path]
    note = ""
    if rest and not (there and (assignment is None or _worked_on(path, assignment))):
        rest.sort(key=lambda p: (name in p.name, p.lstat().st_mtime, p.name), reverse=True)
        some = (p for p in rest[:MAX_READ] if assignment is None or _worked_on(p, assignment))
        chosen = next(some, path if there else rest[0])
        shown = printable(chosen.relative_to(folder).as_posix(), 200)
        if there and chosen != path:
            note = f"{RENAMED}{shown!r}; it was graded, because {name}.ipynb is as it was released."
        elif chosen != path:
            note = f"{RENAMED}{shown!r}; it was graded as {name}.ipynb."
        path = chosen
    others = [repr(p.relative_to(folder).as_posix()) for p in found if p != path]
    if len(others) > MAX_NAMED:
        others[MAX_NAMED:] = [f"and {len(others) - MAX_NAMED} more"]
    if others:
        note = f"{note} {BESIDE}{', '.join(others)}.".lstrip()
    return path, note


def _candidates(folder: Path) -> Iterator[Path]:
    """What may be the notebook: files that are called so; where there are none, such as look like it."""
    files = list(_files(folder))
    named = [path for path in files if CALLED_NOTEBOOK.search(path.name)]
    yield from named or [path for path in files[:MAX_NAMED] if _may_hold_a_notebook(path)]


def _files(folder: Path, deep: int = 1, left: list[int] | None = None) -> Iterator[Path]:
    """The files of a folder and of those in it, hidden ones left out, the nearest first."""
    left = [MAX_LOOKED_AT] if left is None else left
    folders = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        left[0] -= 1
        if left[0] < 0:
            return
        if path.name.startswith((".", "__")):
            continue
        if path.is_symlink() or not path.is_dir():
            yield path
        elif deep < MAX_FOLDERS_DEEP:
            folders.append(path)
    for inner in folders:
        yield from _files(inner, deep + 1, left)


def _may_hold_a_notebook(path: Path) -> bool:
    ending = path.suffix.lower()
    if ending not in (".zip", ".gz") and not CALLED_JSON.search(path.name):
        return False
    try:
        data = read_bytes(path)
        if ending == ".zip":
            return bool(unwrapped(data, path.name)[0])
        return looks_like_a_notebook(unwrapped(data, path.name)[0])
    except UserError:
        return False


def _worked_on(path: Path, assignment: Assignment) -> bool:
    try:
        return worked_on(parse(read_bytes(path), path.name), assignment)
    except UserError:
        return False


def side_files(folder: Path, released: Collection[str], graded: Path | None = None) -> str:
    """A note on what was handed in beside the notebooks, or an empty text. Nothing of it is read.

    `released` names what belongs there: files that come with the unit. `graded` is the file that counts.
    """
    if folder.is_symlink() or not folder.is_dir():
        return ""
    expected = {*released, "timestamp.txt", "__pycache__"}
    found = [
        repr(printable(path.name, 80) + "/" * (path.is_dir() and not path.is_symlink()))
        for path in sorted(folder.iterdir())
        if path.name not in expected
        and not CALLED_NOTEBOOK.search(path.name)
        and not path.name.startswith(".")
        and not re.search(r"\.earlier-\d+$", path.name)
        and not (graded is not None and graded.is_relative_to(path))
    ]
    return f"Files beside the notebook are not used: {_listed(found)}." if found else ""
