"""The unit's notebook in JupyterLab, in a real browser: solved, wrong, unfinished, validated."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import nbformat
import pytest

from autograder.lesson.colours import GREEN, badge
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
    alone = assignment.exercise("relu_vjp")  # on which no other cell depends
    entry = next(e for e in bank.load_bank(assignment) if e.exercise == alone.name and not e.right)
    nbformat.write(assignment.solved({alone.name: entry.answer(alone.solution)}), root / "wrong.ipynb")
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
        assert f"{badge(f'✓ {exercise.name}', GREEN)} right" in printed
    assert not [o for c in cells for o in c.get("outputs", []) if o.get("name") == "stderr"]
    assert lab.off_site == set()


def test_an_untouched_notebook_runs_to_its_end_and_each_open_exercise_says_so_in_a_line(
    lab: Lab, assignment: Assignment
) -> None:
    lab.open("released.ipynb")
    lab.run_all()
    lab.picture("released")
    cells = lab.save("released.ipynb")
    code = [cell for cell in cells if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]
    assert [cell["id"] for cell in code if cell["execution_count"] is None] == []
    said = {}
    for cell in code:
        for error in (output for output in cell["outputs"] if output["output_type"] == "error"):
            text = "\n".join(error["traceback"])
            assert "Traceback" not in text, text
            said[cell["id"]] = text
            if error["ename"] != "CheckFailed":
                assert len(text.splitlines()) == 1, text
    for exercise in assignment.exercises:
        assert "not written yet" in said[exercise.check_id], exercise.name


def test_a_half_done_notebook_runs_to_its_end(lab: Lab, assignment: Assignment) -> None:
    first, second = assignment.exercises[0], assignment.exercises[-2]
    answers = {e.name: e.solution for e in (first, second)}
    nbformat.write(assignment.solved(answers, others="stub"), lab.root / "half.ipynb")
    lab.open("half.ipynb")
    lab.run_all()
    lab.picture("half")
    cells = lab.save("half.ipynb")
    assert all(cell["execution_count"] for cell in cells if cell["cell_type"] == "code" and cell["source"])
    printed = "".join("".join(o.get("text", "")) for c in cells for o in c.get("outputs", []))
    assert f"{badge(f'✓ {first.name}', GREEN)} right" in printed
    assert f"{badge(f'✓ {second.name}', GREEN)} right" in printed


def test_a_wrong_answer_is_answered_in_a_few_lines(lab: Lab, assignment: Assignment) -> None:
    lab.open("wrong.ipynb")
    lab.run_all()
    lab.picture("wrong")
    error, *later = errors_of(lab.save("wrong.ipynb"))
    assert not later
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
