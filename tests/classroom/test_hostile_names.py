"""Names that others chose never steer a terminal: every command of an instructor's on a class with hostile names."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.unit.assignment import Assignment, Course

from ..cli.test_cli import Said, course, run  # noqa: F401  fixtures

pytestmark = pytest.mark.usefixtures("bubblewrap")

NAMES = [
    "esc\x1b[2Jape",
    "b\u202eidi",
    "iso\u2066late",
    "bell\x07",
    "line\nbreak",
    "c1\x9b2J",
    "ret\rurn",
    "mark\u200f",
]


def unprintable(text: str) -> set[str]:
    """What a terminal would take for a command, or show in another order. Line ends are the commands' own."""
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


def test_what_is_scanned_for_is_found() -> None:
    assert all(unprintable(name) or "\n" in name for name in NAMES)


def test_no_command_prints_a_control_or_a_mark_of_direction(
    run: Callable[..., Said],  # noqa: F811
    course: Course,  # noqa: F811
    mini: Assignment,
) -> None:
    for i, name in enumerate(NAMES):
        if i % 2:
            folder = course.root / "submitted" / name / "mini"
            folder.mkdir(parents=True)
            (folder / "mini.ipynb").write_text(nbformat.writes(mini.solved()))
            (folder / "timestamp.txt").write_text("2026-03-03 00:00:00 UTC")
            (folder / f"beside{name}").write_text("")
    first = run("grade", "mini", cwd=course.root)
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}", "autograd") as gradebook:
        gradebook.update_or_create_assignment("mini", duedate="2026-01-01 00:00:00 UTC")
        for name in NAMES[::2]:
            gradebook.update_or_create_student(name)
    new = course.root / "submitted" / "new\x1b]0;x\x07\u202e" / "mini"
    new.mkdir(parents=True)
    (new / "mini.ipynb").write_text(nbformat.writes(mini.solved()))
    commands = [
        ("grade", "mini", "--force"),
        ("grade", "mini"),
        ("grade", "mini", "--student", "no\x1b[2Jbody\u202e"),
        ("grade", "no\x1b[2Junit"),
        ("score", course.root / "no\x1b[2J\u202e.ipynb"),
        ("collect", course.root / "no\x1b[2J\u202e"),
        ("report", "mini", "--out", course.root / "page\u202e.html"),
        ("export", "--to", "csv", "--out", course.root / "grades\u202e.csv"),
        ("export", "--to", "moodle", "--out", course.root / "g.csv"),
    ]
    told = [first, *(run(*words, cwd=course.root) for words in commands)]
    everything = "".join(said.out + said.err for said in told)
    for word in ("late ", "new ", "missing "):
        assert word in everything
    assert [unprintable(said.out + said.err) for said in told] == [set()] * len(told)
