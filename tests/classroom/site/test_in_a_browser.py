"""The units where there is no process, no thread, and of packages only NumPy, matplotlib and IPython: in a browser."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom.site.browser import contents, with_note
from autograder.classroom.site.wheels import learners_wheel
from autograder.unit.assignment import Course
from autograder.unit.notebook import write_text

from ...conftest import REPOSITORY

COURSE = Course(REPOSITORY)
PROGRAM = Path(__file__).with_name("as_a_browser.py")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The learner's wheel, unpacked."""
    place = tmp_path_factory.mktemp("wheel")
    name, data = learners_wheel()
    (place / name).write_bytes(data)
    with zipfile.ZipFile(place / name) as wheel:
        assert wheel.testzip() is None
        wheel.extractall(place / "installed")
    return place / "installed"


def told_of(installed: Path, notebooks: list[Path]) -> dict[str, dict[str, Any]]:
    command = [sys.executable, "-P", str(PROGRAM), str(installed), *map(str, notebooks)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return {Path(path).parent.name: told for path, told in json.loads(done.stdout.splitlines()[-1]).items()}


def test_every_released_notebook_runs_and_only_open_exercises_are_open(
    installed: Path, tmp_path: Path
) -> None:
    assignments = [COURSE.assignment(unit) for unit in COURSE.units()]
    for name, text in contents("The course", assignments).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    told = told_of(installed, [tmp_path / a.unit / f"{a.name}.ipynb" for a in assignments])
    record = tmp_path / ".progress.jsonl"
    for assignment in assignments:
        unit = told[assignment.unit]
        checks = {exercise.check_id for exercise in assignment.exercises}
        assert checks <= unit["errors"].keys()
        for cell, error in unit["errors"].items():
            assert error.partition(":")[0] not in LACKS, (cell, error)
        assert unit["stderr"] == "", assignment.unit
        names = {exercise.name for exercise in assignment.exercises}
        assert names <= {json.loads(line).get("exercise") for line in record.read_text().splitlines()}


#: How a notebook would end where it needs what a browser does not have.
LACKS = {"ModuleNotFoundError", "ImportError", "RuntimeError", "AttributeError", "OSError", "PermissionError"}


@pytest.mark.parametrize("unit", COURSE.units())
def test_a_solved_notebook_is_all_right(unit: str, installed: Path, tmp_path: Path) -> None:
    assignment = COURSE.assignment(unit)
    path = tmp_path / unit / f"{assignment.name}.ipynb"
    path.parent.mkdir()
    path.write_text(write_text(with_note(assignment.solved())), encoding="utf-8")
    told = told_of(installed, [path])[unit]
    assert (told["errors"], told["stderr"]) == ({}, "")
    assert told["again"] == {}, (
        "who goes back, and runs a cell again when all have run, finds another name in its place"
    )
    for exercise in assignment.exercises:
        assert f"✓ {exercise.name}" in told["printed"]


def test_the_learner_s_own_engine_says_what_it_lacks_there(installed: Path, tmp_path: Path) -> None:
    """Its modules import, too; without any notebook it ends in the sentence that says so."""
    source = ["from autograder import mine\n", "mine.engine('.')"]
    cell = {"cell_type": "code", "id": "mine", "metadata": {}, "source": source, "outputs": []}
    path = tmp_path / "unit" / "mine.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    told = told_of(installed, [path])["unit"]
    assert told["errors"]["mine"].startswith("UserError: "), told


def test_what_is_taken_away_is_missed(installed: Path, tmp_path: Path) -> None:
    """Else the tests above would prove nothing."""
    tries = {
        "thread": "import threading\nthreading.Thread(target=print).start()",
        "process": "import subprocess\nsubprocess.run(['true'])",
        "fork": "import os\nos.fork()",
        "package": "import nbformat",
        "users": "import pwd",
        "timer": "import signal\nsignal.setitimer",
        "grader": "import autograder.referee",
    }
    cells = [
        {"cell_type": "code", "id": name, "metadata": {}, "source": code, "outputs": []}
        for name, code in tries.items()
    ]
    path = tmp_path / "unit" / "tries.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    errors = told_of(installed, [path])["unit"]["errors"]
    assert errors.keys() == tries.keys()
    assert {error.partition(":")[0] for error in errors.values()} <= LACKS
