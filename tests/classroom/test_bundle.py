"""`autograder bundle`: what an instructor hands out holds no answer, and is all that a learner needs."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.classroom.bundle import bundle
from autograder.unit.assignment import Course

from ..cli.test_cli import Said, run
from ..conftest import REPOSITORY

__all__ = ["run"]

Run = Callable[..., Said]


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    course = Course(REPOSITORY)
    with zipfile.ZipFile(io.BytesIO(bundle(course, course.units()))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_it_holds_the_released_notebooks_and_pages_and_nothing_else(files: dict[str, str]) -> None:
    units = Course(REPOSITORY).units()
    released = {
        path.relative_to(REPOSITORY / "course").as_posix(): path.read_text(encoding="utf-8")
        for path in (REPOSITORY / "course").glob("*/*")
        if path.suffix in (".ipynb", ".json") and "(kept" not in path.name and path.parent.name in units
    }
    pages = {"README.md", "AGENTS.md", "binder/requirements.txt", "binder/runtime.txt"}
    assert files.keys() == released.keys() | pages
    assert {name: files[name] for name in released} == released
    assert all(unit in files["README.md"] for unit in units)


def test_no_answer_and_no_hidden_test_is_in_it(files: dict[str, str]) -> None:
    course = Course(REPOSITORY)
    everything = "\n".join(
        cell["source"]
        for name, text in files.items()
        if name.endswith(".ipynb")
        for cell in nbformat.reads(text, as_version=4).cells
    )
    assert "HIDDEN TESTS" not in everything and "BEGIN SOLUTION" not in everything
    for unit in course.units():
        for exercise in course.assignment(unit).exercises:
            assert exercise.solution.strip() not in everything, exercise.name


def test_the_same_course_gives_the_same_bytes(mini_course: Course) -> None:
    assert bundle(mini_course, ["mini"]) == bundle(mini_course, ["mini"])


def test_from_the_bundle_to_a_grade(run: Run, mini_course: Course, tmp_path: Path, bubblewrap: None) -> None:
    out = tmp_path / "hand out.zip"
    said = run("bundle", "mini", "--out", out, cwd=mini_course.root)
    assert (said.code, said.out == f"{out}: 1 unit\n") == (0, True), said
    with zipfile.ZipFile(out) as archive:
        archive.extractall(tmp_path / "mine")
    mine = tmp_path / "mine"
    assert "0 of 2" in run("progress", cwd=mine).out
    path = mine / "mini" / "mini.ipynb"
    notebook = nbformat.read(path, as_version=4)
    solved = {cell.id: cell.source for cell in mini_course.assignment("mini").solved().cells}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = solved[cell.id]
    nbformat.write(notebook, path)
    handed = tmp_path / "my work.ipynb"
    shutil.copy(path, handed)
    assert "5 of 5 points" in run("score", handed, cwd=mini_course.root).out


def test_nothing_is_overwritten_unless_one_says_so(run: Run, mini_course: Course, tmp_path: Path) -> None:
    out = tmp_path / "course.zip"
    out.write_text("something else")
    said = run("bundle", "--out", out, cwd=mini_course.root)
    assert said.code == 2 and "is there already" in said.err and out.read_text() == "something else"
    assert run("bundle", "--out", out, "--force", cwd=mini_course.root).code == 0
    assert zipfile.is_zipfile(out)
    said = run("bundle", "nothing", "--out", tmp_path / "b.zip", cwd=mini_course.root)
    assert said.code == 2 and "There is no unit" in said.err
    said = run("bundle", "--out", tmp_path / "no" / "b.zip", cwd=mini_course.root)
    assert said.code == 2 and "cannot be written" in said.err
