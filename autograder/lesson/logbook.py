"""The learner's own record: which checks passed and which failed, in one small file beside the units.

    course/.progress.jsonl     {"exercise": "add_vjp", "passed": true, "date": "2026-11-21T10:30:00+00:00"}

Each check that a learner runs adds a line: to add a line is one system call, so two notebooks that are open at once
lose nothing, and a damaged line costs only itself. No answer is stored. The file is a help, never a condition: where
it cannot be written, this kernel remembers by itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from .wire import parsed

FILE = ".progress.jsonl"
#: The folder beside the units in which old exercises are done again, and the record of what their checks said.
REVIEW = "review"
REVIEWS = ".review.jsonl"

#: How an exercise stands.
RIGHT, WRONG, BROKEN, OPEN = "right", "not right yet", "was right, now fails", "open"
MARKS = {RIGHT: "✓", WRONG: "✗", BROKEN: "!", OPEN: "○"}

Record = dict[str, Any]


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        return None


# Where the kernel started, whatever the notebook's cells do to the working folder later.
_here = _working_folder()


def started_in() -> Path | None:
    """The folder in which this kernel started: the notebook's own."""
    return _here


#: What this kernel has seen and could not write.
_unwritten: list[Record] = []


def units_folder(here: Path) -> Path | None:
    """The folder that holds the learner's units, seen from the folder of one unit; None when this is not one.

    In a course's checkout only `course/` is a learner's: `solutions/` and what was handed in are not.
    """
    for above in here.parents:
        if (above / "nbgrader_config.py").is_file():
            if here.parent != above / "course":
                return None
            break
    return here.parent if _says(here, rf'"unit":\s*"{re.escape(here.name)}"') else None


def reviewed_folder(here: Path) -> Path | None:
    """The folder that holds the learner's units, seen from where one's exercises are done again; None elsewhere."""
    again = here.parent.name == REVIEW and _says(here, rf'"review":\s*{{\s*"of":\s*"{re.escape(here.name)}"')
    return here.parents[1] if again else None


def _says(here: Path, pattern: str) -> bool:
    """Whether the text of a notebook in this folder matches."""
    for notebook in here.glob("*.ipynb"):
        with contextlib.suppress(OSError, ValueError):
            if re.search(pattern, notebook.read_text(encoding="utf-8")):
                return True
    return False


def note(exercise: str, passed: bool | None) -> None:
    """Note what a check said: right, wrong, or (None) that nothing is written yet. Never raises.

    It goes to the file in a learner's notebook only, not where instructors build or test the solutions.
    """
    _write({"exercise": exercise, "passed": passed, "date": now()})


def note_prediction(name: str) -> None:
    """Note that the learner has predicted something; what it was is nobody's business. Never raises."""
    _write({"prediction": name, "date": now()})


def note_line(line: str) -> None:
    """Note the line of their own network that the learner has chosen to keep. Never raises."""
    _write({"line": line, "date": now()})


def _write(record: Record) -> None:
    try:
        if _here is not None and shell() is not None:
            for folder, file in ((units_folder(_here), FILE), (reviewed_folder(_here), REVIEWS)):
                if folder is not None:
                    append(folder, record, file)
                    return
    except (OSError, ValueError):
        pass
    _unwritten.append(record)


def now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


def shell() -> Any:
    """IPython's shell, where this is a notebook's kernel; else None."""
    ipython = sys.modules.get("IPython")
    found = ipython.get_ipython() if ipython else None
    return found if getattr(found, "kernel", None) is not None else None


def append(folder: Path, record: Record, file: str = FILE) -> None:
    """Add a line to the folder's file. Raises OSError when it cannot be written."""
    handle = os.open(folder / file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        line = json.dumps(record, ensure_ascii=False) + "\n"
        end = os.lseek(handle, 0, os.SEEK_END)
        if end:
            os.lseek(handle, end - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":  # somebody's last line was cut off
                line = "\n" + line
        os.write(handle, line.encode("utf-8"))
    finally:
        os.close(handle)


def read(folder: Path | None, file: str = FILE) -> list[Record]:
    """The lines of the folder's file that can be read, in order; none when there is no such file."""
    if folder is None:
        return []
    try:
        text = (folder / file).read_bytes().decode("utf-8", "replace")
    except OSError:
        return []
    records = []
    for line in text.split("\n"):
        try:
            record = parsed(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    return records


def known(folder: Path | None) -> list[Record]:
    """The lines of the folder's file, and what this kernel has seen and could not write."""
    return [*read(folder), *_unwritten]


def predictions(records: Iterable[Record]) -> frozenset[str]:
    """The names of the predictions that were made, since their unit was last started afresh."""
    made: set[str] = set()
    for record in records:
        if "fresh" in record:
            names = record.get("predictions")
            made -= {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
        elif isinstance(name := record.get("prediction"), str):
            made.add(name)
    return frozenset(made)


def line_of(records: Iterable[Record]) -> str:
    """The line of their own network that the learner chose last; empty where none was chosen."""
    lines = [record["line"] for record in records if isinstance(record.get("line"), str)]
    return lines[-1] if lines else ""


def standing(records: Iterable[Record]) -> dict[str, str]:
    """How each exercise stands in the notebooks after these records; one that is not named is open.

    What was checked as a file of its own is not in a notebook, and counts nothing there.
    """
    found: dict[str, str] = {}
    once: set[str] = set()  # was right, whatever came after it
    for record in records:
        if "fresh" in record:  # a unit was started afresh
            names = record.get("exercises")
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str):
                    found.pop(name, None)
                    once.discard(name)
            continue
        name, passed = record.get("exercise"), record.get("passed")
        if not isinstance(name, str) or "file" in record:
            continue
        if passed is True:
            found[name] = RIGHT
            once.add(name)
        elif passed is False:
            found[name] = BROKEN if name in once else WRONG
        else:  # not written (any more): that is open, and does not fail
            found[name] = OPEN
    return found
