"""The frame of a course of one's own, and of a unit: files that work as they are, to be replaced bit by bit."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import UserError
from ..unit.assignment import Course

FRAME = Path(__file__).with_name("frame")

#: The files of a course, by their names in the frame.
COURSE = {
    "nbgrader_config.py": "nbgrader_config.py.txt",
    ".gitignore": "gitignore.txt",
    "README.md": "README.md.txt",
    "nbval.cfg": "nbval.cfg.txt",
    ".github/workflows/checks.yml": "checks.yml.txt",
}
#: What in the frame of a unit is said to its author alone, and students would read.
PLACEHOLDERS = ("Say what the unit is about, and what one can do at its end.",)
#: The unit that a new course begins with.
FIRST = "01_a_first_unit"


def new_course(folder: Path) -> list[Path]:
    """Make a course with one small unit in a new or empty folder; gives its files. Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        filled = sorted(path.name for path in folder.iterdir() if path.name != ".git")
    except OSError as error:
        raise UserError(f"{folder} cannot be made a folder: {error.strerror}.") from None
    if filled:
        raise UserError(
            f"{folder} is not empty (it has {filled[0]}); name a new folder, so that nothing is overwritten."
        )
    course = re.sub(r"[^\w-]+", "_", folder.name) or "course"
    return [
        *(_write(folder / name, frame, {"course": course}) for name, frame in COURSE.items()),
        *new_unit(folder / "solutions", FIRST),
    ]


def new_unit(solutions: Path, unit: str) -> list[Path]:
    """Write a unit's source and bank, with one exercise that works. Raises UserError where one of that name is."""
    if not re.fullmatch(r"\d\d_[a-z][a-z0-9_]*", unit):
        raise UserError(
            f"{unit!r} is no name for a unit: write two digits, an underscore and small letters, as in 02_my_unit."
        )
    if solutions.is_dir():
        taken = [name for name in Course(solutions.parent).units() if name[:3] == unit[:3]]
        if taken or (solutions / unit).exists():
            raise UserError(f"There is {taken[0] if taken else unit} already: take another number.")
    stem = unit[3:]
    words = {"unit": unit, "title": stem.replace("_", " ").capitalize()}
    return [
        _write(solutions / unit / f"{stem}.py", "unit.py.txt", words),
        _write(solutions / unit / "mistakes.py", "mistakes.py.txt", {}),
    ]


def placeholders_left(source: Path) -> str:
    """A line that says where a sentence of the frame still stands in a unit's source; empty where none does."""
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        for words in PLACEHOLDERS:
            if words in line:
                where = f"{source.parent.name}/{source.name}, line {number}"
                return (
                    f"! {where}: students read the frame's sentence “{words}”: write your own in its place."
                )
    return ""


def _write(path: Path, frame: str, words: dict[str, str]) -> Path:
    text = (FRAME / frame).read_text(encoding="utf-8")
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from None
    return path
