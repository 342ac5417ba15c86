"""The unit's notebook in JupyterLab, in a real browser: solved, wrong, unfinished, validated."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import nbformat
import pytest

from autograder.referee import bank
from autograder.unit.assignment import Assignment, Course

from ..conftest import REPOSITORY
from ..lab import Lab, chromium, errors_of, jupyterlab

UNIT = "03_reverse_mode"


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return Course(REPOSITORY).assignment(UNIT)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, assignment: Assignment) -> Iterator[Lab]:
    if not chromium():
        assert not os.environ.get("CI"), "CI needs Chromium"
        pytest.skip("Chromium is not installed")
    root = tmp_path_factory.mktemp("lab")
    shutil.copy(REPOSITORY / "course" / UNIT / f"{assignment.name}.ipynb", root / "released.ipynb")
    nbformat.write(assignment.solved(), root / "solved.ipynb")
    first = assignment.exercises[0]
    entry = next(e for e in bank.load_bank(assignment) if e.exercise == first.name and not e.right)
    nbformat.write(assignment.solved({first.name: entry.answer(first.solution)}), root / "wrong.ipynb")
    with jupyterlab(root, tmp_path_factory.mktemp("private")) as running:
        yield running


def test_a_solved_notebook_runs_without_an_error_and_without_the_network(
    lab: Lab, assignment: Assignment
) -> None:
    lab.open("solved.ipynb")
    lab.run_all()
    lab.picture("solved")
    cells = lab.save("solved.ipynb")
    assert errors_of(cells) == []
    printed = "".join("".join(o.get("text", "")) for c in cells for o in c.get("outputs", []))
    for exercise in assignment.exercises:
        assert f"✓ {exercise.name}: right" in printed
    assert not [o for c in cells for o in c.get("outputs", []) if o.get("name") == "stderr"]
    assert lab.off_site == set()


def test_an_unfinished_notebook_stops_at_its_first_exercise_and_says_so(
    lab: Lab, assignment: Assignment
) -> None:
    lab.open("released.ipynb")
    lab.run_all()
    lab.picture("released")
    (error,) = errors_of(lab.save("released.ipynb"))
    assert error["ename"] == "CheckFailed"
    text = "\n".join(error["traceback"])
    assert "not written yet" in text
    assert assignment.exercises[0].name in text
    assert "Traceback" not in text


def test_a_wrong_answer_is_answered_in_a_few_lines(lab: Lab, assignment: Assignment) -> None:
    lab.open("wrong.ipynb")
    lab.run_all()
    lab.picture("wrong")
    (error,) = errors_of(lab.save("wrong.ipynb"))
    lines = "\n".join(error["traceback"]).splitlines()
    assert error["ename"] == "CheckFailed"
    assert len(lines) <= 10
    assert any(line.strip().startswith("expected") for line in lines)
    assert not any("site-packages" in line or "autograder/" in line for line in lines)


def test_the_validate_button_tells_a_solved_notebook_from_an_unfinished_one(lab: Lab) -> None:
    for notebook, told in (("solved.ipynb", "passes all the tests"), ("released.ipynb", "failed")):
        lab.open(notebook)
        lab.page.click(
            '.jp-NotebookPanel-toolbar button:has-text("Validate"), .jp-Toolbar-item:has-text("Validate")'
        )
        dialog = lab.page.wait_for_selector(".jp-Dialog", timeout=120_000)
        lab.page.wait_for_function(
            "() => /(Success|failed|Validation)/i.test(document.querySelector('.jp-Dialog')?.innerText || '')",
            timeout=120_000,
        )
        dialog = lab.page.query_selector(".jp-Dialog")
        assert told in dialog.inner_text().lower()
        lab.page.keyboard.press("Escape")
