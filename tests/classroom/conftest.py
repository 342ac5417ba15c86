"""A class whose work came from a platform, for the tests of this room."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.referee.autograded import write_notebook
from autograder.unit.assignment import Course


@pytest.fixture
def handed_in(mini_course: Course, tmp_path: Path) -> Callable[..., Course]:
    """Makes a course whose `all.zip` holds a solved notebook under each of these names."""

    def make(*names: str) -> Course:
        root = tmp_path / "course"
        shutil.copytree(
            mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db")
        )
        course = Course(root)
        write_notebook(tmp_path / "x.ipynb", course.assignment("mini").solved())
        with zipfile.ZipFile(root / "all.zip", "w") as archive:
            for name in names:
                archive.write(tmp_path / "x.ipynb", name)
        return course

    return make
