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
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from .wire import parsed

FILE = ".progress.jsonl"

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
    name = re.compile(rf'"unit":\s*"{re.escape(here.name)}"')
    for notebook in here.glob("*.ipynb"):
        with contextlib.suppress(OSError, ValueError):
            if name.search(notebook.read_text(encoding="utf-8")):
                return here.parent
    return None


def note(exercise: str, passed: bool | None) -> None:
    """Note what a check said: right, wrong, or (None) that nothing is written yet. Never raises.

    It goes to the file in a learner's notebook only, not where instructors build or test the solutions.
    """
    record = {"exercise": exercise, "passed": passed, "date": now()}
    try:
        folder = units_folder(_here) if _here is not None and _in_a_kernel() else None
        if folder is not None:
            append(folder, record)
            return
    except (OSError, ValueError):
        pass
    _unwritten.append(record)


def now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _in_a_kernel() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


def append(folder: Path, record: Record) -> None:
    """Add a line to the folder's file. Raises OSError when it cannot be written."""
    handle = os.open(folder / FILE, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
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


def read(folder: Path | None) -> list[Record]:
    """The lines of the folder's file that can be read, in order; none when there is no such file."""
    if folder is None:
        return []
    try:
        text = (folder / FILE).read_bytes().decode("utf-8", "replace")
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


def standing(records: Iterable[Record]) -> dict[str, str]:
    """How each exercise stands after these records; one that is not named is open."""
    found: dict[str, str] = {}
    for record in records:
        if "fresh" in record:  # a unit was started afresh
            names = record.get("exercises")
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str):
                    found.pop(name, None)
            continue
        name, passed = record.get("exercise"), record.get("passed")
        if not isinstance(name, str):
            continue
        if passed is True:
            found[name] = RIGHT
        elif found.get(name) in (RIGHT, BROKEN):
            found[name] = BROKEN
        else:
            found[name] = WRONG if passed is False else OPEN
    return found


def progress(unit: str, points: Mapping[str, float]) -> None:
    """Print which exercises of a unit are done, the points so far, and what comes next."""
    folder = units_folder(_here) if _here is not None else None
    states = standing([*read(folder), *_unwritten])
    print("\n".join(_lines(unit, points, states, _unit_after(folder, unit))))


def _lines(unit: str, points: Mapping[str, float], states: Mapping[str, str], after: str) -> Iterable[str]:
    done = [name for name in points if states.get(name) == RIGHT]
    earned, most = sum(points[name] for name in done), sum(points.values())
    if most:
        share, told = bar(earned, most), f", {earned:g} of {most:g} points"
    else:  # a unit of practice
        share, told = bar(len(done), len(points)), " (practice)"
    yield f"{unit}  {share}  {len(done)} of {len(points)} exercises{told}"
    yield ""
    width = max(map(len, points), default=0)
    for name, worth in points.items():
        state = states.get(name, OPEN)
        told = f"  {state}" if state in (WRONG, BROKEN) else ""
        yield f"  {MARKS[state]} {name:<{width}}  {worth_of(worth)}{told}".rstrip()
    yield ""
    left = [name for name in points if name not in done]
    if left:
        yield f"Next: {left[0]}"
    else:
        yield "All exercises of this unit are right." + (f" Next: unit {after}" if after else "")


def worth_of(points: float) -> str:
    """What an exercise is worth, in words; nothing for one of practice.

    >>> worth_of(1), worth_of(2), worth_of(0)
    ('1 point', '2 points', '')
    """
    return f"{points:g} point{'' if points == 1 else 's'}" if points else ""


def bar(part: float, whole: float, width: int = 20) -> str:
    """
    >>> bar(3, 4, 8)
    '██████░░'
    """
    full = int(width * part / whole) if whole else 0
    return "█" * full + "░" * (width - full)


def _unit_after(folder: Path | None, unit: str) -> str:
    """The unit that follows, where the units are; empty when this is the last."""
    if folder is None:
        return ""
    try:
        names = [p.name for p in folder.iterdir() if re.match(r"\d+_", p.name) and any(p.glob("*.ipynb"))]
    except OSError:
        return ""
    return min((name for name in names if name > unit), default="")


__all__ = ["progress"]
