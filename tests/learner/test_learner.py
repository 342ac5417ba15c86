"""`autograder progress`, `autograder fresh` and `autograder lab`, as a learner meets them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from autograder.errors import UserError
from autograder.learner import arrival
from autograder.learner.fresh import start_afresh
from autograder.lesson import logbook
from autograder.unit.assignment import Assignment, Course

from ..cli.test_cli import Said, run

__all__ = ["run"]

Run = Callable[..., Said]


@pytest.fixture
def course(mini_course: Course, tmp_path: Path) -> Course:
    """A course of three units: `mini`, a copy of it with other names, and one with nothing graded."""
    shutil.copytree(mini_course.root, tmp_path / "checkout")
    folder = tmp_path / "checkout" / "course"
    text = (folder / "mini" / "mini.ipynb").read_text(encoding="utf-8")
    for old, new in (("mul_vjp", "second"), ("unbox", "third"), ('"unit": "mini"', '"unit": "02_next"')):
        assert old in text
        text = text.replace(old, new)
    (folder / "02_next").mkdir()
    (folder / "02_next" / "next.ipynb").write_text(text, encoding="utf-8")
    start = nbformat.v4.new_notebook(metadata={"autograder": {"unit": "00_start"}})
    (folder / "00_start").mkdir()
    nbformat.write(start, folder / "00_start" / "start.ipynb")
    return Course(tmp_path / "checkout")


def passed(course: Course, *names: str) -> None:
    for name in names:
        logbook.append(course.root / "course", {"exercise": name, "passed": True})


def failed(course: Course, *names: str) -> None:
    for name in names:
        logbook.append(course.root / "course", {"exercise": name, "passed": False})


@pytest.mark.parametrize("place", ["", "course", "course/mini", "solutions/mini", "course/mini/deeper"])
def test_progress_is_the_same_from_everywhere_in_the_course(place: str, run: Run, course: Course) -> None:
    passed(course, "mul_vjp", "unbox")
    failed(course, "unbox")
    (course.root / place).mkdir(parents=True, exist_ok=True)
    said = run("progress", cwd=course.root / place)
    assert said.code == 0
    assert [line.rstrip() for line in said.out.splitlines()] == [
        "unit      exercises  points",
        "00_start          –       –",
        "02_next      0 of 2  0 of 5  ░░░░░░░░░░░░░░░░░░░░",
        "mini         1 of 2  2 of 5  ████████░░░░░░░░░░░░",
        "",
        "mini",
        " ✓ mul_vjp  2 points",
        " ! unbox    3 points  was right, now fails",
        "",
        "next: unbox, in mini/mini.ipynb",
    ]


def test_progress_names_a_unit_that_is_asked_for(run: Run, course: Course) -> None:
    for wanted in ("02_next", "02", "2"):
        said = run("progress", wanted, cwd=course.root)
        assert "○ second" in said.out
        assert "next: second, in 02_next/next.ipynb" in said.out
    said = run("progress", "07", cwd=course.root)
    assert said.code == 2
    assert "There is no unit '07'; there is 00_start, 02_next, mini." in said.err


def test_progress_goes_on_with_the_next_unit_and_ends_at_the_end(run: Run, course: Course) -> None:
    passed(course, "second", "third")
    assert "next: mul_vjp, in mini/mini.ipynb" in run("progress", cwd=course.root).out
    passed(course, "mul_vjp", "unbox")
    assert "all exercises of all units are right" in run("progress", cwd=course.root).out
    failed(course, "third")
    assert "next: third, in 02_next/next.ipynb" in run("progress", "mini", cwd=course.root).out


def test_progress_as_json_keeps_its_contract(run: Run, course: Course) -> None:
    failed(course, "unbox")
    said = run("progress", "--json", cwd=course.root)
    result = json.loads(said.out)
    assert list(result) == ["units", "next"]
    assert [unit["unit"] for unit in result["units"]] == ["00_start", "02_next", "mini"]
    assert result["units"][2] == {
        "unit": "mini", "title": "", "done": 0, "points": 0, "max_points": 5,
        "exercises": [
            {"name": "mul_vjp", "points": 2, "state": "open"},
            {"name": "unbox", "points": 3, "state": "not right yet"},
        ],
    }  # fmt: skip
    assert result["next"] == {"unit": "mini", "exercise": "mul_vjp"}


def test_damaged_and_copied_notebooks_do_not_stop_progress(run: Run, course: Course) -> None:
    folder = course.root / "course"
    shutil.copy(folder / "mini" / "mini.ipynb", folder / "mini" / "a copy.ipynb")
    (folder / "mini" / "a.ipynb").write_text("{")
    (folder / "02_next" / "next.ipynb").write_text("{")
    said = run("progress", cwd=course.root)
    assert said.code == 0
    assert "next: mul_vjp, in mini/mini.ipynb" in said.out
    assert "02_next" not in said.out


def test_where_there_is_no_course_a_sentence_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.unit.assignment.__file__", str(tmp_path / "site" / "autograder" / "x.py"))
    for command in (["progress"], ["fresh", "03"]):
        said = run(*command, cwd=tmp_path)
        assert said.code == 2
        assert said.err.startswith("autograder: No course here: neither ")
        assert "Traceback" not in said.err


# -- to start afresh ----------------------------------------------------------------------------------------------


def test_fresh_keeps_the_old_notebook_and_resets_that_unit_only(
    run: Run, course: Course, mini: Assignment
) -> None:
    folder = course.root / "course" / "mini"
    released = (folder / "mini.ipynb").read_bytes()
    nbformat.write(mini.solved(), folder / "mini.ipynb")
    worked = (folder / "mini.ipynb").read_bytes()
    passed(course, "mul_vjp", "second")
    said = run("fresh", "mini", cwd=folder)
    assert (said.code, said.err) == (0, "")
    assert (folder / "mini.ipynb").read_bytes() == released
    (kept,) = folder.glob("mini (kept ????-??-?? ????).ipynb")
    assert kept.read_bytes() == worked
    assert kept.name in said.out
    assert "reload it" in said.out
    told = "1 exercise that was right counts as open now, in your progress and on your certificate, until"
    assert f"{told} a check passes again; your old answers are in mini/{kept.name}." in said.out
    assert "open now" not in run("fresh", "mini", cwd=folder).out, "there is nothing to forget any more"
    assert sorted(p.name for p in folder.iterdir()) == [kept.name, "mini.ipynb"]
    assert logbook.standing(logbook.read(folder.parent)) == {"second": "right"}
    assert any(record.get("exercise") == "mul_vjp" for record in logbook.read(folder.parent))  # the history


def test_fresh_never_overwrites_what_was_kept(course: Course) -> None:
    folder = course.root / "course"
    moment = datetime(2026, 11, 21, 10, 30)
    names = []
    for i in range(3):
        (folder / "mini" / "mini.ipynb").write_text(f"work {i}")
        done = start_afresh(folder, "mini", moment)
        assert done.kept is not None
        assert done.kept.read_text() == f"work {i}"
        names.append(done.kept.name)
    stem = "mini (kept 2026-11-21 1030"
    assert names == [f"{stem}).ipynb", f"{stem}, 2).ipynb", f"{stem}, 3).ipynb"]
    # A notebook without any work is not worth keeping.
    assert start_afresh(folder, "mini", moment).kept is None


def test_fresh_brings_back_a_notebook_that_was_deleted(course: Course) -> None:
    folder = course.root / "course"
    before = (folder / "mini" / "mini.ipynb").read_bytes()
    shutil.rmtree(folder / "mini")
    assert start_afresh(folder, "mini").kept is None
    assert (folder / "mini" / "mini.ipynb").read_bytes() == before


def test_fresh_takes_the_notebook_from_git_where_there_are_no_solutions(course: Course) -> None:
    folder = course.root / "course"
    before = (folder / "02_next" / "next.ipynb").read_bytes()
    shutil.rmtree(course.root / "solutions")
    (folder / "02_next" / "next.ipynb").write_text("work")
    with pytest.raises(UserError, match="There is no released notebook of 02_next to start from"):
        start_afresh(folder, "2")
    assert (folder / "02_next" / "next.ipynb").read_text() == "work"
    (folder / "02_next" / "next.ipynb").write_bytes(before)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(course.root)]
    for step in (["init", "-q"], ["add", "course"], ["commit", "-q", "-m", "released"]):
        subprocess.run([*git, *step], check=True, capture_output=True)
    (folder / "02_next" / "next.ipynb").write_text("work")
    done = start_afresh(folder, "02")
    assert done.notebook.read_bytes() == before
    assert done.kept is not None
    assert done.kept.read_text() == "work"


def test_fresh_leaves_everything_where_it_was_when_it_cannot_write(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = course.root / "course"
    (folder / "mini" / "mini.ipynb").write_text("work")

    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(UserError, match="cannot be replaced: Permission denied"):
        start_afresh(folder, "mini")
    assert (folder / "mini" / "mini.ipynb").read_text() == "work"
    assert logbook.read(folder) == []


# -- JupyterLab's options -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "given", "passed_on"),
    [
        (1000, [], []),
        (1000, ["--", "--no-browser", "--port", "8889"], ["--no-browser", "--port", "8889"]),
        (1000, ["--no-browser", "--port=8889"], ["--no-browser", "--port=8889"]),
        (0, [], ["--allow-root"]),
        (0, ["--ServerApp.allow_root=True"], ["--ServerApp.allow_root=True"]),
        (0, ["--allow-root"], ["--allow-root"]),
    ],
)
def test_lab_passes_options_on_and_lets_root_in(
    user: int,
    given: list[str],
    passed_on: list[str],
    run: Run,
    course: Course,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(os, "execve", lambda program, argv, environment: called.append(argv))
    monkeypatch.setattr(arrival.subprocess, "Popen", lambda argv, env: SimpleNamespace(wait=lambda: 0))
    said = run("lab", *given, cwd=course.root)
    assert said.code == 0
    ((python, minus_m, module, *options),) = called
    assert (python, minus_m, module) == (sys.executable, "-m", "jupyterlab")
    assert f"--ServerApp.root_dir={course.root / 'course'}" in options
    assert options[len(options) - len(passed_on) :] == passed_on
    assert ("You are root" in said.out) == (user == 0 and len(given) == 0)
