"""`autograder start`: the released units in a learner's own folder, and newer ones later."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.errors import UserError
from autograder.learner import arrival, released
from autograder.learner.progress import KEPT, MARK, units_folder

from ..cli.test_cli import Said, run
from ..conftest import REPOSITORY

__all__ = ["run"]

Run = Callable[..., Said]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two small units as a release has them."""
    for unit in ("00_start", "01_next"):
        notebook = {
            "cells": [],
            "metadata": {"autograder": {"unit": unit}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        folder = tmp_path / "release" / unit
        folder.mkdir(parents=True)
        (folder / f"{unit[3:]}.ipynb").write_text(json.dumps(notebook))
        (folder / "likely.json").write_text("{}")
    (tmp_path / "release" / "README.md").write_text("# A course")
    return tmp_path / "release"


def test_the_units_are_put_there_once(source: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    placed = released.place(mine, source)
    assert sorted(placed.new) == [
        "00_start/likely.json",
        "00_start/start.ipynb",
        "01_next/likely.json",
        "01_next/next.ipynb",
        "README.md",
    ]
    again = released.place(mine, source)
    assert (again.new, again.renewed, again.left) == ([], [], {})
    assert not list(mine.rglob("*.part"))


def test_what_a_learner_has_changed_stays_and_the_new_version_stands_beside_it(
    source: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    released.place(mine, source)
    own, other = mine / "00_start" / "start.ipynb", mine / "01_next" / "next.ipynb"
    own.write_text("my work")
    placed = released.place(mine, source)  # nothing new in the release: nothing to say
    assert (placed.renewed, placed.left) == ([], {})
    for name in ("00_start/start.ipynb", "01_next/next.ipynb", "00_start/likely.json"):
        path = source / name
        path.write_text(path.read_text() + " ")
    placed = released.place(mine, source)
    assert own.read_text() == "my work"
    beside = mine / "00_start" / placed.left["00_start/start.ipynb"]
    assert beside.read_bytes() == (source / "00_start" / "start.ipynb").read_bytes()
    assert sorted(placed.renewed) == ["00_start/likely.json", "01_next/next.ipynb"]
    assert other.read_bytes() == (source / "01_next" / "next.ipynb").read_bytes()
    again = released.place(mine, source)
    assert (again.new, again.renewed, again.left) == ([], [], {})
    beside.write_text("work in the new one")
    own_again = source / "00_start" / "start.ipynb"
    own_again.write_text(own_again.read_text() + " ")
    third = released.place(mine, source).left["00_start/start.ipynb"]
    assert beside.read_text() == "work in the new one" and third != beside.name


@pytest.mark.parametrize("text", ["", "[]", "{", '{"files": 3}', '{"files": {"README.md": 5}}'])
def test_a_damaged_mark_costs_no_work(source: Path, tmp_path: Path, text: str) -> None:
    mine = tmp_path / "mine"
    released.place(mine, source)
    (mine / "00_start" / "start.ipynb").write_text("my work")
    (mine / MARK).write_text(text)
    released.place(mine, source)
    assert (mine / "00_start" / "start.ipynb").read_text() == "my work"
    assert json.loads((mine / MARK).read_text())["files"].keys() == released.files_of(source).keys()


def test_a_folder_that_is_there_keeps_what_is_in_it(source: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "00_start").mkdir(parents=True)
    (mine / "00_start" / "start.ipynb").write_text("older work, from a download")
    (mine / "README.md").write_text("my notes")
    placed = released.place(mine, source)
    assert (mine / "00_start" / "start.ipynb").read_text() == "older work, from a download"
    assert (mine / "README.md").read_text() == "my notes"
    assert set(placed.left) == {"00_start/start.ipynb", "README.md"}


def test_which_readme_was_left_is_said(
    run: Run, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(released, "packaged", lambda: source)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").write_text("my notes")
    told = f"README.md is yours and stays as it is; the course's own is {source / 'README.md'}."
    assert told in run("start", "mine", "--no-lab", cwd=tmp_path).out
    assert "README.md" not in run("start", "mine", "--no-lab", cwd=tmp_path).out, "it is said once"


def test_a_place_that_cannot_be_written_is_a_sentence(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be put into"):
        released.place(tmp_path / "file", source)
    with pytest.raises(UserError, match="instructor's course"):
        released.place(REPOSITORY, source)


@pytest.mark.parametrize("inside", ["mine", "00_start/sub", "."])
def test_a_course_inside_of_one_s_course_is_refused_and_the_way_to_go_on_named(
    inside: str, run: Run, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "my course"
    released.place(mine, source)
    before = sorted(mine.rglob("*"))
    here = mine if inside != "." else mine / "00_start"
    said = run("start", inside, "--no-lab", cwd=here)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said
    assert f"inside of yours, {mine}:" in said.err and "`autograder lab`" in said.err
    assert f"`autograder start '{mine}'`" in said.err
    assert sorted(mine.rglob("*")) == before
    assert run("start", ".", "--no-lab", cwd=mine).code == 0


def test_a_course_inside_of_units_without_a_mark_is_refused_too(source: Path, tmp_path: Path) -> None:
    shutil.copytree(source, tmp_path / "unpacked")
    for inside in ("00_start", "00_start/sub"):
        with pytest.raises(UserError, match="inside of units of the course"):
            released.place(tmp_path / "unpacked" / inside, source)
    released.place(tmp_path / "unpacked", source)  # as they are: theirs, and renewed from now on


def test_a_course_inside_of_an_instructor_s_is_refused_since_its_checks_would_note_nothing(
    source: Path, tmp_path: Path
) -> None:
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    (tmp_path / "solutions").mkdir()
    with pytest.raises(UserError, match="inside of an instructor's course"):
        released.place(tmp_path / "mine", source)
    assert not (tmp_path / "mine").exists()


def test_it_is_said_that_work_is_as_it_was(run: Run, tmp_path: Path) -> None:
    run("start", "mine", "--no-lab", cwd=tmp_path)
    for unit, name in (("03_reverse_mode", "reverse_mode"), ("05_tensors", "tensors")):
        with (tmp_path / "mine" / unit / f"{name}.ipynb").open("a") as file:
            file.write(" ")
    assert run("start", "mine", "--no-lab", cwd=tmp_path).out == (
        "mine is up to date; your work is as it was, in 2 notebooks that you have changed.\n"
    )
    (tmp_path / "mine" / "01_derivatives" / "derivatives.ipynb").unlink()
    assert run("start", "mine", "--no-lab", cwd=tmp_path).out.splitlines() == [
        "1 unit put into mine.",
        "Your work is as it was, in 2 notebooks that you have changed.",
    ]


def test_a_learner_s_own_files_are_not_taken_for_the_release(source: Path) -> None:
    folder = source / "00_start"
    for name in (
        f"start{KEPT}2026-01-01).ipynb",
        ".ipynb_checkpoints/start.ipynb",
        "data.txt",
        "../.progress.jsonl",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    assert len(released.files_of(source)) == 5


def test_the_command_and_what_works_in_the_folder_afterwards(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(arrival, "start", lambda folder, options: opened.append(folder) or 0)
    said = run("start", "mine", cwd=tmp_path)
    mine = tmp_path / "mine"
    units = len(list((REPOSITORY / "course").glob("*/*.ipynb")))
    assert (said.code, said.out.splitlines()[0]) == (0, f"{units} units put into mine."), said
    assert opened == [mine]
    assert run("start", "mine", "--no-lab", cwd=tmp_path).out == "mine is up to date.\n"
    assert units_folder(mine) == units_folder(mine / "03_reverse_mode") == mine
    assert "03_reverse_mode" in run("progress", cwd=mine).out
    assert run("lab", cwd=mine / "03_reverse_mode").code == 0 and opened[-1] == mine


def test_a_folder_of_units_without_any_mark_is_found_too(source: Path, tmp_path: Path) -> None:
    shutil.copytree(source, tmp_path / "unpacked")
    assert units_folder(tmp_path / "unpacked") == tmp_path / "unpacked"
