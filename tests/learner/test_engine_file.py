"""`autograder mine engine.py`: an engine as a file is checked as the answer is, and gets into the notebook whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import nbformat
import pytest

from autograder.errors import UserError
from autograder.learner import certificate, engine_file, progress
from autograder.learner.engine_file import EXERCISE, UNIT
from autograder.lesson import logbook
from autograder.lesson.failures import TIMEOUT
from autograder.referee import judge
from autograder.referee.report import Outcome, Report
from autograder.unit.assignment import Assignment, Course

from ..cli.test_cli import Said, run
from ..conftest import REPOSITORY

__all__ = ["run"]

Run = Callable[..., Said]
COURSE = Course(REPOSITORY)


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return COURSE.assignment(UNIT)


@pytest.fixture
def engine(assignment: Assignment, tmp_path: Path) -> Path:
    """The model answer as a file, with its own import, as an editor on Windows writes it."""
    path = tmp_path / "engine.py"
    text = "import numpy as np\n\n\n" + assignment.exercise(EXERCISE).solution
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A learner's folder with the unit as released."""
    shutil.copytree(REPOSITORY / "course" / UNIT, tmp_path / "units" / UNIT)
    return tmp_path / "units"


def answer_in(folder: Path) -> str:
    (path,) = (folder / UNIT).glob("*.ipynb")
    (cell,) = (cell for cell in nbformat.read(path, as_version=4).cells if cell.id == EXERCISE)
    assert cell.outputs == [] and cell.execution_count is None
    return str(cell.source)


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("options", [(), ("--hidden",)])
def test_a_right_engine_earns_all_points(
    options: tuple[str, ...], run: Run, engine: Path, tmp_path: Path
) -> None:
    said = run("mine", engine, *options, "--json", "--seed", 3, cwd=REPOSITORY)
    assert said.code == 0, said.err
    (outcome,) = json.loads(said.out)["exercises"]
    assert (outcome["name"], outcome["status"], outcome["points"]) == (EXERCISE, "passed", 17)


#: A power that is wrong for one exponent, which the visible check never asks for.
ONE_POWER = """
_power = Tensor.__pow__
Tensor.__pow__ = lambda self, n: _power(self, 0.71 if n == 0.7 else n)
"""


@pytest.mark.usefixtures("bubblewrap")
def test_what_only_hidden_tests_see_is_seen_with_the_answer_key_alone(run: Run, engine: Path) -> None:
    with engine.open("a", encoding="utf-8", newline="") as file:
        file.write(ONE_POWER.replace("\n", "\r\n"))
    assert "17 of 17 points" in run("mine", engine, cwd=REPOSITORY).out
    said = run("mine", engine, "--solutions", REPOSITORY / "solutions", cwd=REPOSITORY)
    assert "16 of 17 points" in said.out
    assert "values not yet" in said.out and "(x * x) ** 0.7" in said.out


@pytest.mark.usefixtures("bubblewrap")
def test_a_file_that_is_no_python_is_told_its_error(run: Run, engine: Path) -> None:
    engine.write_text("import math\nclass Tensor\n", encoding="utf-8")
    said = run("mine", engine, cwd=REPOSITORY)
    assert said.code == 2 and f"{engine}, line 2: expected ':': class Tensor" in said.err


@pytest.mark.usefixtures("bubblewrap")
def test_an_engine_that_imports_the_reference_earns_nothing(run: Run, engine: Path) -> None:
    engine.write_text("from autograd_ref import Tensor\n", encoding="utf-8")
    assert "0 of 17" in run("mine", engine, cwd=REPOSITORY).out


def recorded(folder: Path) -> list[dict[str, object]]:
    return [{key: record[key] for key in record if key != "date"} for record in logbook.read(folder)]


@pytest.mark.usefixtures("bubblewrap")
def test_what_the_check_said_is_in_the_record_of_the_folder_in_which_the_file_lies(
    run: Run, engine: Path, folder: Path
) -> None:
    there = folder / UNIT / "engine.py"
    there.write_text("", encoding="utf-8")
    expected = []
    for text, passed in (
        ("x = 1\n", None),
        ("class Tensor:\n    pass\n", False),
        (engine.read_text("utf-8"), True),
    ):
        there.write_text(text, encoding="utf-8")
        said = run("mine", there, cwd=REPOSITORY)
        expected.append({"exercise": EXERCISE, "passed": passed, "file": "engine.py"})
        assert recorded(folder) == expected
        assert (f"Your certificate of {folder.name}/ names it" in said.out) is bool(passed)
    (unit,) = progress.units(folder)
    assert unit.done == []  # nothing of it is in the notebook
    page = certificate.of_folder(folder)
    assert page.facts[0].startswith("0 of 3 exercises are right")
    assert "Their own engine was checked as a file: engine.py" in page.facts and page.built
    logbook.append(folder, {"exercise": EXERCISE, "passed": True})  # the notebook's own check, later
    page = certificate.of_folder(folder)
    assert (page.file, page.mended) == ("", 0)  # what failed was a file
    assert progress.units(folder)[0].done == [EXERCISE]
    there.write_text("x = 1 / 0\n", encoding="utf-8")
    assert run("mine", there, "--json", cwd=REPOSITORY).out.startswith("{")
    assert recorded(folder)[-1] == {"exercise": EXERCISE, "passed": False, "file": "engine.py"}
    assert certificate.of_folder(folder).file == ""
    assert progress.units(folder)[0].done == [EXERCISE]  # a scratch file takes nothing away


def test_of_a_busy_machine_a_learner_hears_no_word_about_submissions(
    run: Run, engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = Outcome(EXERCISE, 0, 17, TIMEOUT, "✗ Tensor: no answer in time")
    report = Report(UNIT, 1, "none", [outcome], [judge.OVERLOADED])
    monkeypatch.setattr(judge, "grade", lambda *arguments, **options: report)
    said = " ".join(run("mine", engine, cwd=tmp_path).out.split())
    assert engine_file.BUSY in said and "submission" not in said


@pytest.mark.usefixtures("bubblewrap")
def test_nothing_is_recorded_of_a_file_elsewhere_nor_of_hidden_tests(
    run: Run, engine: Path, folder: Path, tmp_path: Path
) -> None:
    said = run("mine", engine, cwd=folder)
    assert "17 of 17 points" in said.out and "Your certificate" not in said.out
    there = shutil.copy(engine, folder / UNIT)
    assert "Your certificate" not in run("mine", there, "--hidden", cwd=REPOSITORY).out
    assert not list(tmp_path.rglob(logbook.FILE))


def test_the_file_gets_into_the_answer_cell_and_nothing_else_changes(
    run: Run, engine: Path, folder: Path
) -> None:
    (path,) = (folder / UNIT).glob("*.ipynb")
    before = json.loads(path.read_text(encoding="utf-8"))
    said = run("mine", engine, "--put", cwd=folder / UNIT)
    assert said.code == 0 and "is in the answer cell" in said.out and "kept" not in said.out
    assert answer_in(folder) == engine_file.read(engine).strip("\n")
    after = json.loads(path.read_text(encoding="utf-8"))
    changed = [a["id"] for a, b in zip(before["cells"], after["cells"], strict=True) if a != b]
    assert changed == [EXERCISE]
    assert {key: before[key] for key in before if key != "cells"} == {
        key: after[key] for key in after if key != "cells"
    }


def test_what_stood_in_the_cell_is_kept_unless_it_is_the_same(engine: Path, folder: Path) -> None:
    moment = datetime(2026, 3, 1, 10, 30)
    assert engine_file.put(engine, folder, moment)[1] is None
    assert engine_file.put(engine, folder, moment)[1] is None
    first = answer_in(folder)
    for count, name in enumerate(("engine (kept 2026-03-01 1030).py", "engine (kept 2026-03-01 1030, 2).py")):
        engine.write_text(f"# another, {count}\n", encoding="utf-8")
        _, kept = engine_file.put(engine, folder, moment)
        assert kept is not None and kept.name == name
        assert kept.read_text(encoding="utf-8") == (first if not count else "# another, 0") + "\n"
    assert answer_in(folder) == "# another, 1"
    (path,) = (folder / UNIT).glob("*.ipynb")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    next(cell for cell in notebook["cells"] if cell["id"] == EXERCISE)["source"] = "\n"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert engine_file.put(engine, folder, moment)[1] is None  # an empty cell is no work


def test_what_cannot_be_an_answer_is_refused(engine: Path, folder: Path, tmp_path: Path) -> None:
    for data, told in (
        (b"\xff\xfe\x00", "no text in UTF-8"),
        (b" \n", "is empty"),
        (b"#" * 200_001, "at most"),
    ):
        engine.write_bytes(data)
        with pytest.raises(UserError, match=told):
            engine_file.read(engine)
    with pytest.raises(UserError, match="cannot be read"):
        engine_file.read(tmp_path / "none.py")


def test_a_notebook_without_the_cell_is_left_alone(engine: Path, folder: Path) -> None:
    (path,) = (folder / UNIT).glob("*.ipynb")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != EXERCISE]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(UserError, match="0 answer cells"):
        engine_file.put(engine, folder)
    assert path.read_bytes() == before
