"""Stock nbgrader, without a word of the referee in the course's configuration: no submission runs in a plain kernel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute

from autograder.classroom import seal
from autograder.classroom.classroom import Classroom
from autograder.classroom.run import grade_class
from autograder.classroom.ways_in import who_grades
from autograder.sandbox.walls import PACKAGE, Sandbox
from autograder.unit.assignment import Assignment, Course

GUARD = PACKAGE / "classroom" / "nbgrader_config.json"
STOCK = """
c = get_config()
c.CourseDirectory.course_id = "autograd"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "course"
"""
#: nbgrader's own steps, named: no configuration of the environment comes before them.
OWN_STEPS = json.loads(GUARD.read_text())["Autograde"]["autograde_preprocessors"][1:]
PLAIN = f"c.Autograde.autograde_preprocessors = {OWN_STEPS!r}\n"


@pytest.fixture
def place(mini_course: Course, mini: Assignment, tmp_path: Path) -> Path:
    """A course whose configuration does not name the referee, and a submission that writes on the host."""
    root = tmp_path / "class"
    shutil.copytree(
        mini_course.root, root, ignore=shutil.ignore_patterns("__pycache__", "nbgrader_config.py")
    )
    (root / "nbgrader_config.py").write_text(STOCK)
    notebook = mini.solved()
    notebook.cells.insert(0, nbformat.v4.new_code_cell(f"open({str(tmp_path / 'was-here')!r}, 'w').close()"))
    folder = root / "submitted" / "eve" / "mini"
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / "mini.ipynb")
    return root


def nbgrader(root: Path, *words: str, guarded: bool) -> str:
    """Run a command of nbgrader's as it is installed; with the file that comes with this package, or without."""
    private = root.parent / ("guarded" if guarded else "bare")
    private.mkdir(exist_ok=True)
    if guarded:
        shutil.copy(GUARD, private / "nbgrader_config.json")
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_PATH": str(private),
        "HOME": str(private),
        "PYTHONPATH": str(PACKAGE.parent),
    }
    command = [sys.executable, "-m", "nbgrader", *words]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=180)
    return done.stdout + done.stderr


def test_stock_nbgrader_runs_a_submission_on_the_host(place: Path) -> None:
    """So the tests below can fail."""
    (place / "nbgrader_config.py").write_text(STOCK + PLAIN)
    nbgrader(place, "generate_assignment", "mini", "--force", guarded=False)
    nbgrader(place, "autograde", "mini", guarded=False)
    assert (place.parent / "was-here").exists()


def test_where_this_package_is_installed_stock_nbgrader_refuses_with_a_sentence(place: Path) -> None:
    nbgrader(place, "generate_assignment", "mini", "--force", guarded=True)
    said = nbgrader(place, "autograde", "mini", guarded=True)
    assert seal.NO_REFEREE in said
    assert not (place.parent / "was-here").exists()
    assert not (place / "autograded" / "eve" / "mini" / "mini.ipynb").exists()


def test_a_gradebook_of_ours_is_sealed_whatever_the_configuration_says_later(
    place: Path, mini_course: Course, sandbox: Sandbox
) -> None:
    shutil.copy(mini_course.root / "nbgrader_config.py", place)
    course = Course(place)
    (row,) = grade_class(Classroom(course), course.assignment("mini"), ["eve"], sandbox=sandbox)
    assert row.score == 5
    assert not (place.parent / "was-here").exists()
    (place / "nbgrader_config.py").write_text(STOCK + PLAIN)
    said = nbgrader(place, "autograde", "mini", "--force", guarded=False)
    assert "graded-by-the-referee" in said
    assert not (place.parent / "was-here").exists()


def test_formgrader_refuses_too(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the interface that its button uses, with the settings that its extension loads."""
    nbgrader(place, "generate_assignment", "mini", "--force", guarded=True)
    private = place.parent / "guarded"
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(private))
    monkeypatch.chdir(place)
    app = NbGrader()
    app.load_config_file()
    api = NbGraderAPI(CourseDirectory(config=app.config, root=str(place)), config=app.config)
    result = api.autograde("mini", "eve")
    assert not result["success"]
    assert seal.NO_REFEREE in result["log"]
    assert not (place.parent / "was-here").exists()


def test_other_courses_in_the_same_environment_are_graded_as_ever(tmp_path: Path) -> None:
    root = tmp_path / "other"
    (root / "source" / "ps1").mkdir(parents=True)
    cell = nbformat.v4.new_code_cell("assert 1 + 1 == 2")
    about = {
        "grade": True,
        "grade_id": "a",
        "locked": True,
        "points": 1,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }
    cell.metadata["nbgrader"] = {**about, "cell_type": "code"}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": kernel})
    nbformat.write(notebook, root / "source" / "ps1" / "p1.ipynb")
    (root / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "other"\n')
    nbgrader(root, "generate_assignment", "ps1", guarded=True)
    (root / "submitted" / "ada").mkdir(parents=True)
    shutil.copytree(root / "release" / "ps1", root / "submitted" / "ada" / "ps1")
    said = nbgrader(root, "autograde", "ps1", guarded=True)
    assert (root / "autograded" / "ada" / "ps1" / "p1.ipynb").exists(), said


def test_the_doctor_s_word_on_a_folder(
    place: Path, mini_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, guarded = tmp_path / "bare", tmp_path / "guarded"
    for private in (bare, guarded):
        private.mkdir()
    shutil.copy(GUARD, guarded / "nbgrader_config.json")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(bare))
    monkeypatch.setenv("HOME", str(bare))
    assert who_grades(mini_course.root) == (
        True,
        f"autograde and Formgrader grade through the referee in {mini_course.root}",
    )
    (place / "nbgrader_config.py").write_text(STOCK + PLAIN)
    good, said = who_grades(place)
    assert not good and "would run submissions in a plain kernel" in said
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(guarded))
    assert not who_grades(place)[0]  # the course's own word is the last one
    (place / "nbgrader_config.py").write_text(STOCK)
    assert who_grades(place)[0]
    (place / "nbgrader_config.py").write_text("c = get_config(\n")
    assert not who_grades(place)[0]


def test_the_file_that_comes_with_the_package_puts_one_step_before_nbgrader_s_own() -> None:
    from nbgrader.converters.autograde import Autograde

    steps = json.loads(GUARD.read_text())["Autograde"]["autograde_preprocessors"]
    assert steps[0] == f"{seal.__name__}.RefuseWithoutReferee"
    own = [step.__name__ for step in Autograde.autograde_preprocessors.default_args[0]]
    assert [step.rpartition(".")[2] for step in steps[1:]] == own
    assert Execute.__name__ in own
