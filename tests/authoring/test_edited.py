"""A notebook that was edited in Jupyter is built anew, and what it held is kept and named."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from autograder.authoring import build as building
from autograder.authoring.build import Product, build, check_unit, unbuilt
from autograder.errors import UserError
from autograder.unit.assignment import Course
from autograder.unit.source import read_source

from ..conftest import make_course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course whose unit is built without being run, which would take seconds for each test."""
    monkeypatch.setattr(building, "execute", lambda notebook, folder: None)
    monkeypatch.setattr(building, "build_likely", lambda course, unit, say: None)
    return make_course(tmp_path)


def built(course: Course) -> list[str]:
    """What a build says of edited notebooks."""
    lines: list[str] = []
    build(course, ["mini"], check=False, say=lines.append)
    return [line for line in lines if line.startswith("!")]


def edit(path: Path, old: str, new: str, kind: str = "code") -> str:
    """Save a notebook as Jupyter does, with one cell changed; gives its text."""
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if old in cell.source and cell.cell_type == kind)
    cell.source = cell.source.replace(old, new)
    nbformat.write(notebook, path)
    return path.read_text(encoding="utf-8")


def test_what_was_edited_in_a_solution_is_kept_and_named_once(course: Course) -> None:
    path = course.solutions / "mini" / "mini.ipynb"
    before = path.read_text(encoding="utf-8")
    assert built(course) == [] and not (course.root / "edited").exists()
    text = edit(path, "### BEGIN SOLUTION\n", "### BEGIN SOLUTION\n    # an hour's work\n")
    assert "was edited after it was built" in next(check_unit(course, "mini"))
    assert "was edited after mini was built" in unbuilt(course, "mini")
    kept = course.root / "edited" / "solutions" / "mini" / "mini.ipynb"
    (told,) = built(course)
    assert "solutions/mini/mini.ipynb was edited after it was built" in told
    assert "kept as edited/solutions/mini/mini.ipynb." in told and "belongs in mini.py" in told
    assert kept.read_text(encoding="utf-8") == text and path.read_text(encoding="utf-8") == before
    assert built(course) == []


def test_a_second_edit_does_not_replace_the_first_and_the_same_is_kept_once(course: Course) -> None:
    path = course.solutions / "mini" / "mini.ipynb"
    for text, name in (("One", "mini.ipynb"), ("Two", "mini-2.ipynb"), ("One", "mini.ipynb")):
        edit(path, "The rule", f"{text}. The rule", kind="markdown")
        (told,) = built(course)
        assert f"kept as edited/solutions/mini/{name}." in told
    assert len(list((course.root / "edited").rglob("*.ipynb"))) == 2


def test_so_is_what_was_written_into_the_released_one(course: Course) -> None:
    path = course.root / "course" / "mini" / "mini.ipynb"
    text = edit(path, "raise NotImplementedError", "pass  # raise NotImplementedError")
    (told,) = built(course)
    assert "course/mini/mini.ipynb was edited" in told
    assert (course.root / "edited" / "course" / "mini" / "mini.ipynb").read_text(encoding="utf-8") == text


def test_a_source_that_changed_or_cells_that_ran_again_are_no_edit(course: Course) -> None:
    source = course.solutions / "mini" / "mini.py"
    notebook = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    next(cell for cell in notebook.cells if cell.cell_type == "code").execution_count = 7
    notebook.metadata.language_info.version = "3.13.1"
    nbformat.write(notebook, source.with_suffix(".ipynb"))
    source.write_text(source.read_text(encoding="utf-8").replace("The rule", "A rule"), encoding="utf-8")
    assert built(course) == [] and "has changed since mini was built" not in unbuilt(course, "mini")


def test_a_notebook_of_somebody_s_own_or_half_a_file_is_kept_and_one_without_a_digest_is_not(
    course: Course,
) -> None:
    path = course.solutions / "mini" / "mini.ipynb"
    path.write_text("<<<<<<< HEAD", encoding="utf-8")
    assert len(built(course)) == 1
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("Mine")]), path)
    assert len(built(course)) == 1
    older = read_source(path.with_suffix(".py"))  # built by a version that wrote none
    del older.metadata.autograder["digest"]
    path.write_text(Product(path, older).text, encoding="utf-8")
    assert unbuilt(course, "mini") == ""
    assert built(course) == []


def test_where_it_cannot_be_kept_nothing_is_built(course: Course) -> None:
    path = course.solutions / "mini" / "mini.ipynb"
    text = edit(path, "The rule", "Mine", kind="markdown")
    (course.root / "edited").write_text("a file", encoding="utf-8")
    with pytest.raises(UserError, match=r"cannot be kept as .*: nothing was built"):
        built(course)
    assert path.read_text(encoding="utf-8") == text
