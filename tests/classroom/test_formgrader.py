"""nbgrader's Formgrader in a real browser: its button grades through the referee, its pages show no live markup."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder.classroom.classroom import Classroom
from autograder.classroom.run import grade_class
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course

from ..lab import TOKEN, Lab, chromium, jupyterlab

BAIT = "<script>window.stolen = 1</script><img src=x onerror='window.stolen = 1'>"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, mini_course: Course, sandbox: Sandbox) -> Iterator[Lab]:
    if not chromium():
        assert not os.environ.get("CI"), "CI needs Chromium"
        pytest.skip("Chromium is not installed")
    root = tmp_path_factory.mktemp("class")
    shutil.copytree(mini_course.root, root, dirs_exist_ok=True)
    course = Course(root)
    assignment = course.assignment("mini")
    for student in ("ada", "mallory"):
        folder = root / "submitted" / student / "mini"
        folder.mkdir(parents=True)
        nbformat.write(submission(assignment, student), folder / "mini.ipynb")
    grade_class(Classroom(course), assignment, ["ada"], sandbox=sandbox)
    with jupyterlab(root, tmp_path_factory.mktemp("private")) as running:
        running.page.goto(f"{running.base}/lab?token={TOKEN}")  # the token becomes a cookie
        yield running


def submission(assignment: Assignment, student: str) -> nbformat.NotebookNode:
    if student == "ada":
        return assignment.solved()
    answer = f'def mul_vjp(g, a, b):\n    print("{BAIT}")\n    raise ValueError("{BAIT}")'
    notebook = assignment.solved({"mul_vjp": answer})
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell(f"{BAIT} [x](javascript:window.stolen=1) `` ``` "))
    notebook.cells.insert(
        2, nbformat.v4.new_code_cell(f'from IPython.display import HTML\nprint("{BAIT}")\nHTML("{BAIT}")')
    )
    return notebook


def test_the_autograde_button_grades_through_the_referee(lab: Lab) -> None:
    page = lab.page
    page.goto(f"{lab.base}/formgrader/manage_submissions/mini")
    row = page.locator("tr", has_text="mallory")
    row.locator(".autograde a").click(timeout=30_000)
    page.wait_for_selector(".modal.in, .modal.show", timeout=120_000)
    page.wait_for_timeout(500)
    assert "Success" in page.locator(".modal-title").first.inner_text()
    page.goto(f"{lab.base}/formgrader/manage_submissions/mini")
    page.wait_for_selector("tr:has-text('mallory') td:has-text('3 / 5')", timeout=30_000)
    page.wait_for_selector("tr:has-text('ada') td:has-text('5 / 5')", timeout=30_000)


def test_formgrader_and_feedback_show_a_student_s_markup_and_do_not_run_it(lab: Lab) -> None:
    page = lab.page
    page.set_content(BAIT)
    page.wait_for_function("window.stolen === 1")  # the bait works where markup is live
    page.goto(f"{lab.base}/formgrader/gradebook/mini/mini")
    page.wait_for_selector("a[href*='/submissions/']", timeout=30_000)
    links = page.eval_on_selector_all("a[href*='/submissions/']", "found => found.map(a => a.href)")
    shown = 0
    for link in dict.fromkeys(links):
        page.goto(link)
        page.wait_for_timeout(1500)
        assert page.evaluate("window.stolen === undefined")
        shown += "window.stolen" in page.locator("body").inner_text()
    assert shown == 1
    from nbgrader.apps.api import NbGraderAPI

    classroom = Classroom(Course(lab.root))
    result = NbGraderAPI(classroom.folders, config=classroom.config).generate_feedback(
        "mini", "mallory", force=True
    )
    assert result["success"], result
    html: Path = lab.root / "feedback" / "mallory" / "mini" / "mini.html"
    page.goto(html.as_uri())
    page.wait_for_timeout(1000)
    assert page.evaluate("window.stolen === undefined")
    assert "window.stolen" in page.locator("body").inner_text()
    assert "your code raised ValueError" in page.locator("body").inner_text()
