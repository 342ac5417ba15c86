"""Where `autograder site` writes, what it needs, and what it says where it cannot work."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom.site import browser, publish
from autograder.unit.assignment import Course

from ...cli.test_cli import Said, run

__all__ = ["run"]

Run = Callable[..., Said]


def test_a_folder_that_is_named_from_here_holds_jupyterlite_too(
    run: Run, mini_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "build_pages", lambda *_: None)
    here = tmp_path / "here"
    here.mkdir()
    (here / "solutions").symlink_to(mini_course.solutions)
    (here / "nbgrader_config.py").symlink_to(mini_course.root / "nbgrader_config.py")
    elsewhere = set(Path(os.environ.get("TMPDIR", "/tmp")).glob(".*.part"))
    said = run("site", "mini", "--out", "../a site", cwd=here)
    assert said.code == 0, said
    out = tmp_path / "a site"
    assert (out / "lite" / "lab" / "index.html").is_file()
    assert (out / "lite" / "files" / "mini" / "mini.ipynb").is_file()
    assert set(Path(os.environ.get("TMPDIR", "/tmp")).glob(".*.part")) <= elsewhere
    assert not list(tmp_path.rglob(".*.part"))


def test_a_site_without_jupyterlite_is_no_success(
    run: Run, mini_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "build_pages", lambda *_: None)
    monkeypatch.setattr(browser, "_run", lambda place: None)
    said = run("site", "--out", tmp_path / "site", cwd=mini_course.root)
    assert said.code == 2 and "there is no" in said.err and "lab/index.html" in said.err
    assert not list(tmp_path.iterdir())


def test_where_there_is_no_course_the_command_that_makes_a_site_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.unit.assignment.__file__", str(tmp_path / "site" / "autograder" / "x.py"))
    said = run("site", "--out", "out", cwd=tmp_path)
    assert said.code == 2 and said.err.count("\n") == 1
    assert "git clone https://github.com/autograd-course/autograd-course && cd autograd-course" in said.err
    assert "'.[site]' && autograder site" in said.err and "--solutions" not in said.err


def test_what_is_not_installed_is_named_with_the_extra_that_brings_it(
    run: Run, mini_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def without(name: str, *more: Any) -> Any:
        return None if name in ("furo", "jupyterlite_core") else find(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    said = run("site", "--out", tmp_path / "site", cwd=mini_course.root)
    assert said.code == 2
    assert said.err == (
        "autograder: The site needs furo, jupyterlite_core, not installed here: "
        "`pip install 'autograd-course[site]'`.\n"
    )


def test_the_extra_is_named_in_the_help(run: Run) -> None:
    told = " ".join(run("site", "--help").out.split())
    assert "autograd-course[site]" in told and "cdn.jsdelivr.net" in told


def test_the_first_cell_says_what_it_looks_like_when_python_cannot_be_loaded() -> None:
    text = browser.NOTE.replace("\n", " ")
    assert "cdn.jsdelivr.net" in text and "[*]" in text and "Python (Pyodide) | Unknown" in text


def test_what_runs_without_a_clone_says_so_without_an_option_that_it_has_not(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.unit.assignment.__file__", str(tmp_path / "site" / "autograder" / "x.py"))
    grade = run("grade", "00", cwd=tmp_path)
    assert grade.code == 2 and "--solutions" not in grade.err and "an instructor's" in grade.err
    (tmp_path / "a.ipynb").write_text("{}")
    assert "--solutions" in run("score", "a.ipynb", cwd=tmp_path).err
