"""Tab completes commands and units, in a course, in a learner's folder and elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.cli import completion

from ..conftest import REPOSITORY

AUTOGRADER = Path(sys.executable).with_name("autograder")


def offered(line: str, folder: Path) -> list[str]:
    """What bash is told when Tab is pressed at the end of the line."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_AUTOGRADER_COMPLETE": "complete_bash"}
    run = subprocess.run(
        [AUTOGRADER],
        cwd=folder,
        env=os.environ | asked,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert not run.stderr
    return run.stdout.split()


def test_commands_and_units_are_offered() -> None:
    assert offered("autograder gra", REPOSITORY) == ["grade", "gradescope"]
    assert offered("autograder grade 03", REPOSITORY / "tests") == ["03_reverse_mode"]


def test_units_are_found_by_name_or_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for unit in ("03_reverse_mode", "13_second", "notes", "09_empty"):
        (tmp_path / unit).mkdir()
        if unit != "09_empty":
            (tmp_path / unit / "a.ipynb").touch()
    (tmp_path / "04_a_file").touch()
    monkeypatch.chdir(tmp_path / "03_reverse_mode")
    assert completion.units("") == ["03_reverse_mode", "13_second"]
    assert completion.units("3") == completion.units("03_r") == ["03_reverse_mode"]
    assert completion.units("7") == []


def test_where_there_is_no_course_nothing_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert completion.units("") == []


def test_the_shell_is_set_up_as_the_page_says(tmp_path: Path) -> None:
    run = subprocess.run(
        ["bash", "-c", f"'{AUTOGRADER}' --install-completion; true"],
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "completion installed" in run.stdout, run.stderr
    assert "_autograder_completion" in (tmp_path / ".bash_completions" / "autograder.sh").read_text()
