"""A notebook's file as it comes: bytes, whatever their wrapping and encoding, and the JSON in them.

Nothing is run. A notebook may come compressed, in a zip archive of its own, with something behind its end, or under
another ending. It is read all the same, and a note says so.
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
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..lesson.wire import MAX_PARTS, first_parsed, parsed, printable

MAX_FILE_BYTES = 30 * 1024 * 1024
#: What browsers, mail programs and systems that hide endings make of `NAME.ipynb`; and what may be a notebook as well.
CALLED_NOTEBOOK = re.compile(r"\.ipynb(?:\.(?:txt|json|gz|download))?$", re.IGNORECASE)
CALLED_JSON = re.compile(r"\.(?:json|txt)$", re.IGNORECASE)
#: An archive of one notebook may list so many files, and a file in it be so many times its packed size.
MAX_ENTRIES = 20_000
MAX_RATIO = 200


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
