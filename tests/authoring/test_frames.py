"""A course of one's own: from nothing to a graded submission, by the commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import yaml

from autograder.authoring import frames
from autograder.authoring.build import build
from autograder.errors import UserError
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY


@pytest.fixture(scope="module")
def command() -> Callable[..., str]:
    def run(*words: str, folder: Path) -> str:
        """A command as one types it, in a process of its own; its output."""
        line = [sys.executable, "-c", "from autograder.cli.app import main; main()", *words]
        done = subprocess.run(
            line, cwd=folder, capture_output=True, text=True, timeout=300, check=False,
            env={**os.environ, "COLUMNS": "200"},
        )  # fmt: skip
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    return run


@pytest.fixture(scope="module")
def course(command: Callable[..., str], tmp_path_factory: pytest.TempPathFactory, bubblewrap: None) -> Path:
    """Begun and built with the commands."""
    folder = tmp_path_factory.mktemp("own") / "my course"
    assert "Next: " in command("init", str(folder), folder=folder.parent)
    command("new", "02_my_unit", folder=folder)
    command("build", folder=folder)
    return folder


def test_both_units_are_proved_as_they_are(course: Path, command: Callable[..., str]) -> None:
    command("build", "--check", folder=course)
    told = command("prove", folder=course)
    assert [line.split(":")[0] for line in told.splitlines() if ": proved; 3 wrong and 1 right" in line] == [
        frames.FIRST,
        "02_my_unit",
    ]


def test_what_init_makes_passes_its_own_ci_at_the_first_push(
    command: Callable[..., str], tmp_path: Path, bubblewrap: None
) -> None:
    told = command("init", "mine", folder=tmp_path)
    assert (
        f"✓ course/{frames.FIRST}/a_first_unit.ipynb" in told and "Next: cd mine && autograder prove" in told
    )
    workflow = yaml.safe_load((tmp_path / "mine" / ".github" / "workflows" / "checks.yml").read_text())
    lines = [step["run"].split() for step in workflow["jobs"]["checks"]["steps"] if "run" in step]
    for words in lines:
        if words[0] == "autograder":
            command(*words[1:], folder=tmp_path / "mine")
        elif words[0] == "pytest":
            done = subprocess.run(
                [sys.executable, "-m", *words],
                cwd=tmp_path / "mine",
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
    assert {words[0] for words in lines} >= {"autograder", "pytest"}


def test_a_submission_of_one_s_own_unit_is_graded(
    course: Path, command: Callable[..., str], tmp_path: Path
) -> None:
    command("bundle", "02", "--out", str(tmp_path / "out.zip"), folder=course)
    command_line = [sys.executable, "-m", "zipfile", "-e", str(tmp_path / "out.zip"), str(tmp_path / "ada")]
    subprocess.run(command_line, check=True)
    path = tmp_path / "ada" / "02_my_unit" / "my_unit.ipynb"
    notebook = nbformat.read(path, as_version=4)
    (answer,) = [c for c in notebook.cells if "raise NotImplementedError" in c.source]
    answer.source = "def square_vjp(g, x):\n    return g * 2 * x"
    nbformat.write(notebook, path)
    report = json.loads(command("score", str(path), "--json", folder=course))
    assert (report["score"], report["max_score"]) == (2, 2), report
    place = course / "submitted" / "ada" / "02_my_unit" / path.name
    place.parent.mkdir(parents=True)
    place.write_bytes(path.read_bytes())
    assert re.search(r"ada +2 / 2", command("grade", "02", folder=course))


@pytest.mark.parametrize("check", [False, True])
def test_a_sentence_of_the_frame_that_still_stands_is_named_in_one_line(check: bool, course: Path) -> None:
    for words in frames.PLACEHOLDERS:
        assert words in (frames.FRAME / "unit.py.txt").read_text(encoding="utf-8")
    told: list[str] = []
    assert build(Course(course), ["02_my_unit"], check, told.append)
    (line,) = [line for line in told if "frame" in line]
    assert line.startswith("! 02_my_unit/my_unit.py, line 20: students read the frame's sentence “Say what")
    source = course / "solutions" / "02_my_unit" / "my_unit.py"
    before = source.read_text(encoding="utf-8")
    source.write_text(before.replace(frames.PLACEHOLDERS[0], "What squares are."), encoding="utf-8")
    assert frames.placeholders_left(source) == ""
    source.write_text(before, encoding="utf-8")


def test_the_readme_of_a_new_course_names_what_a_class_needs(tmp_path: Path) -> None:
    frames.new_course(tmp_path / "mine")
    told = (tmp_path / "mine" / "README.md").read_text(encoding="utf-8")
    for words in ("students import", "due", "collect", "grade", "feedback", "export"):
        assert f"\n| `autograder {words} " in told
    for page, section in (
        ("solutions/README.md", "## A class from release to feedback"),
        ("docs/authors.md", "# "),
    ):
        assert f"/blob/main/{page}" in told
        assert section in (REPOSITORY / page).read_text(encoding="utf-8")


def test_the_configuration_is_the_course_s_own(tmp_path: Path) -> None:
    """Else the grader that is tested here is not the one that a new course has."""
    frames.new_course(tmp_path / "mine")
    ours = (REPOSITORY / "nbgrader_config.py").read_text(encoding="utf-8")
    theirs = (tmp_path / "mine" / "nbgrader_config.py").read_text(encoding="utf-8")
    assert theirs == ours.replace('"autograd"', '"mine"')


@pytest.mark.parametrize("place", ["a new course", "the repository"])
def test_git_passes_over_what_names_students_and_their_scores(place: str, tmp_path: Path) -> None:
    root = REPOSITORY
    if place == "a new course":
        root = tmp_path / "mine"
        frames.new_course(root)
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    files = [
        "grades.csv", "grades-canvas.earlier-1.csv", "feedback-03_x-canvas.zip", "feedback-03_x-moodle.earlier-1.zip",
        "report-03_x.html", "gradebook.db", "submitted/ada/x.ipynb", "autograded/a", "feedback/b",
    ]  # fmt: skip
    done = subprocess.run(
        ["git", "check-ignore", *files], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == files


def test_the_workflow_runs_what_it_says(tmp_path: Path) -> None:
    frames.new_course(tmp_path / "mine")
    workflow = yaml.safe_load((tmp_path / "mine" / ".github" / "workflows" / "checks.yml").read_text())
    lines = [step["run"] for step in workflow["jobs"]["checks"]["steps"] if "run" in step]
    assert {"autograder build --check", "autograder prove"} <= set(lines)
    (nbval,) = [line for line in lines if "--nbval" in line]
    assert (tmp_path / "mine" / re.search(r"sanitize-with=(\S+)", nbval)[1]).is_file()  # type: ignore[index]


def test_nothing_is_overwritten_and_names_are_sensible(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="not empty"):
        frames.new_course(tmp_path)
    mine = tmp_path / "mine"
    frames.new_course(mine)
    for name in ("my_unit", "2_unit", "02", "02_My", "../02_x", "02_a/b"):
        with pytest.raises(UserError, match="is no name for a unit"):
            frames.new_unit(mine / "solutions", name)
    with pytest.raises(UserError, match="01_a_first_unit already"):
        frames.new_unit(mine / "solutions", "01_other")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be made a folder"):
        frames.new_course(tmp_path / "file")
    assert Course(mine).units() == [frames.FIRST]
