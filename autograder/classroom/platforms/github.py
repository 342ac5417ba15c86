"""Repositories of students: what grades them on their push. It holds nothing that students do not have.

Whoever can write to a repository can read what its workflows read, and change what they say. So neither solutions nor
hidden tests are in these files: they grade by the checks of the released notebook.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

from ...errors import UserError
from ...lesson import likely
from ...unit.assignment import Assignment
from ...unit.notebook import Node, write_text
from . import classroom50_script

#: Where a student's repository keeps the notebook as it was released.
CHECKS = ".github/checks"

README = """# {title}

Work in `{name}.ipynb`; keep `likely.json` beside it, from which its checks know what common mistakes look like.
To work on your own machine: `pip install "autograd-course[lab]"` (Python 3.11 or newer), then `autograder lab`.

Each push runs the notebook's own checks ({points} points; *Actions* shows what they say). Your instructor may grade
with more of them.
"""

WORKFLOW = """name: check
on: [push, workflow_dispatch]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install "autograd-course[grade]=={version}"
      - run: autograder score {name}.ipynb --unit {unit} --solutions {checks} --unsandboxed --fail-under {points}
"""


def classroom50(assignment: Assignment) -> dict[str, str]:
    """The files of an assignment in Classroom 50's configuration repository, by name. Raises UserError."""
    tests = []
    for exercise in assignment.exercises:
        for name, points in exercise.parts or (("", exercise.points),):
            if points != int(points):
                raise UserError(
                    f"Classroom 50 counts whole points, and {exercise.name} of {assignment.unit} has {points:g}."
                )
            told = f"{exercise.name}: {name}" if name else exercise.name
            tests.append({"test-name": told, "max-score": int(points)})
    about = {"unit": assignment.unit, "version": _version(), "tests": tests}
    script = Path(classroom50_script.__file__).read_text(encoding="utf-8")
    return {"autograder.py": script, "unit.json": json.dumps(about, indent=1) + "\n"} | checks_of(assignment)


def repository(assignment: Assignment) -> dict[str, str]:
    """The files that a student's repository begins with: the unit as it is released, and a workflow that checks it."""
    name, unit = assignment.name, assignment.unit
    points = f"{assignment.max_score:g}"
    title = assignment.notebook.metadata["autograder"].get("title", unit)
    released = write_text(assignment.release)
    checks = checks_of(assignment)
    sentences = {file: text for file, text in checks.items() if file == likely.FILE}
    return {
        f"{name}.ipynb": released,
        **sentences,
        "README.md": README.format(title=title, name=name, points=points),
        ".gitignore": ".ipynb_checkpoints/\n",
        ".github/workflows/check.yml": WORKFLOW.format(
            version=_version(), name=name, unit=unit, checks=CHECKS, points=points
        ),
    } | {f"{CHECKS}/{file}": text for file, text in checks.items()}


def checks_of(assignment: Assignment) -> dict[str, str]:
    """What grades a unit by the checks that students see: the released notebook, which says so of itself.

    Raises UserError for a unit of practice, and for an exam.
    """
    if not assignment.graded:
        raise UserError(f"{assignment.unit} is for practice and has no points, so there is nothing to grade.")
    if assignment.exam:
        raise UserError(
            f"{assignment.unit} is an exam, and what a push is told there is told at once: grade it where you are."
        )
    notebook = Node(assignment.release)
    notebook.metadata = Node(notebook.metadata)
    notebook.metadata["autograder"] = Node(notebook.metadata["autograder"]) | {"released": True}
    files = {f"{assignment.name}.ipynb": write_text(notebook)}
    sentences = assignment.path.parent / likely.FILE
    if sentences.is_file():
        files[likely.FILE] = sentences.read_text(encoding="utf-8")
    return files


def _version() -> str:
    return importlib.metadata.version("autograd-course")


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder that is not there yet, or empty. Raises UserError."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UserError(f"{folder} is there already: name an empty folder with --out.")
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}.") from None
