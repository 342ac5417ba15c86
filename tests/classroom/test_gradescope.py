"""`autograder gradescope`: its scripts, run as Gradescope runs them, and the form of what they write."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.unit.assignment import Assignment, Course

from ..cli.test_cli import Said, run
from ..conftest import REPOSITORY

__all__ = ["run"]

Run = Callable[..., Said]


@pytest.fixture
def root(run: Run, mini_course: Course, tmp_path: Path) -> Path:
    """The folder /autograder of an image, with the zip's files where Gradescope puts them."""
    out = tmp_path / "autograder.zip"
    assert run("gradescope", "mini", "--out", out, cwd=mini_course.root).code == 0
    root = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    with zipfile.ZipFile(out) as archive:
        archive.extractall(root / "source")
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755
    (root / "venv" / "bin").mkdir(parents=True)
    script = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); from autograder.cli.app import main; main()"
    )
    (root / "venv" / "bin" / "autograder").write_text(f"#!{sys.executable}\n{script}\n")
    (root / "venv" / "bin" / "autograder").chmod(0o755)
    return root


def graded(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", root / "source" / "run_autograder"],
        cwd=root,
        env={**os.environ, "AUTOGRADER_ROOT": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_submission_is_graded_as_it_would_be_there(root: Path, mini: Assignment, bubblewrap: None) -> None:
    notebook = mini.solved({"mul_vjp": "def mul_vjp(g, a, b):\n    return b, a"})
    nbformat.write(notebook, root / "submission" / "my homework (2).ipynb")
    done = graded(root)
    assert done.returncode == 0, done.stderr
    found = json.loads((root / "results" / "results.json").read_text())
    assert found["score"] == 3
    assert [(t["name"], t["score"], t["max_score"], t["status"]) for t in found["tests"]] == [
        ("mul_vjp", 0, 2, "failed"),
        ("unbox", 3, 3, "passed"),
    ]
    assert "did not multiply them by g" in found["tests"][0]["output"]
    assert "my homework (2).ipynb" in found["output"]
    text = json.dumps(found)
    (seed,) = re.findall(r"--seed (\d+)", (root / "source" / "run_autograder").read_text())
    assert int(seed) >= 2**31 and seed not in text and "no_upstream" not in text


def test_what_is_no_notebook_gives_no_result_and_a_sentence(root: Path, bubblewrap: None) -> None:
    (root / "submission" / "notes.txt").write_text("")
    done = graded(root)
    assert done.returncode == 2 and "There is no notebook" in done.stderr
    assert not list((root / "results").iterdir())


def test_the_zip_holds_the_unit_and_nothing_of_the_others(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "a.zip"
    assert run("gradescope", "3", "--out", out, cwd=REPOSITORY).code == 0
    with zipfile.ZipFile(out) as archive:
        names = set(archive.namelist())
    assert {name.split("/")[1] for name in names if "/" in name} == {"03_reverse_mode"}
    assert {"setup.sh", "run_autograder", "solutions/03_reverse_mode/reverse_mode.ipynb"} <= names
    said = run("gradescope", "0", "--out", tmp_path / "b.zip", cwd=REPOSITORY)
    assert said.code == 2 and "for practice" in said.err
    said = run("gradescope", "3", "--out", out, cwd=REPOSITORY)
    assert said.code == 2 and "is there already" in said.err


def test_a_folder_needs_its_unit(run: Run, tmp_path: Path) -> None:
    said = run("score", tmp_path, cwd=REPOSITORY)
    assert said.code == 2 and "is a folder" in said.err
