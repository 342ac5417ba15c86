"""What a learner sees in JupyterLab, in the light theme and in the dark one, measured in a real browser."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest

from autograder.lesson import logbook
from autograder.lesson.colours import GREEN, RED
from autograder.referee import bank
from autograder.unit.assignment import Assignment, Course

from ..conftest import REPOSITORY
from ..lab import CONTRASTS, Lab, chromium, jupyterlab

UNIT = "03_reverse_mode"


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return Course(REPOSITORY).assignment(UNIT)


@pytest.fixture(scope="module", params=["Light", "Dark"])
def lab(request: Any, tmp_path_factory: pytest.TempPathFactory, assignment: Assignment) -> Iterator[Lab]:
    """JupyterLab in a theme, on 800 pixels: a notebook with right, wrong, open and stopped answers, run."""
    if not chromium():
        assert not os.environ.get("CI"), "CI needs Chromium"
        pytest.skip("Chromium is not installed")
    root = tmp_path_factory.mktemp("lab")
    folder = root / UNIT
    folder.mkdir()
    shutil.copytree(REPOSITORY / "course" / "04_scalar_networks", root / "04_scalar_networks")
    _, wrong, *_, unwritten, raising = assignment.exercises
    entry = next(e for e in bank.load_bank(assignment) if e.exercise == wrong.name and not e.right)
    answers = {
        wrong.name: entry.answer(wrong.solution),
        unwritten.name: unwritten.stub,
        raising.name: raising.solution.replace("### BEGIN SOLUTION", "1 / 0"),
    }
    notebook = assignment.solved(answers)
    for cell in notebook.cells:
        if cell.cell_type == "code" and "predicted(prediction, " in cell.source:
            cell.source = cell.source.replace("None", "7")
    nbformat.write(notebook, folder / "reverse_mode.ipynb")
    nbformat.write(assignment.notebook, folder / "stored.ipynb")
    once_right = assignment.exercises[-1].name
    logbook.append(root, {"exercise": once_right, "passed": True})
    with jupyterlab(root, tmp_path_factory.mktemp("private"), theme=request.param, width=800) as running:
        running.open(f"{UNIT}/reverse_mode.ipynb")
        running.run_all()
        running.picture(f"seen-{request.param}")
        yield running


def test_everything_that_is_said_can_be_read(lab: Lab) -> None:
    until = time.monotonic() + 60
    while len(found := lab.page.evaluate(CONTRASTS)) <= 40 and time.monotonic() < until:
        lab.page.wait_for_timeout(500)  # JupyterLab draws what is far away when it has nothing else to do
    assert len(found) > 40
    assert [said for said in found if said[1] < 4.5] == []


def test_right_is_green_and_wrong_is_red_and_each_has_its_mark(lab: Lab) -> None:
    grounds = {}
    for text, _, _, ground in lab.page.evaluate(CONTRASTS):
        if text[:1] in ("✓", "✗"):
            grounds.setdefault(text[:1], set()).add(tuple(ground))
    assert grounds == {"✓": {GREEN}, "✗": {RED}}


PICTURE = """i => ({
  alt: i.alt, shape: i.width / i.height, natural: i.naturalWidth / i.naturalHeight,
  shrunk: i.width / (Number(i.getAttribute('width')) || i.naturalWidth),
  page: i.closest('.jp-OutputArea').getBoundingClientRect().right <= document.documentElement.clientWidth,
})"""


def test_every_picture_has_its_words_and_stays_large_enough_to_be_read(lab: Lab) -> None:
    pictures = lab.page.locator(".jp-NotebookPanel .jp-OutputArea-output img:visible")
    assert pictures.count() >= 4
    for k in range(pictures.count()):
        pictures.nth(k).scroll_into_view_if_needed()
        lab.page.wait_for_timeout(300)
        picture = pictures.nth(k).evaluate(PICTURE)
        assert len(picture["alt"].split()) >= 6
        assert picture["shape"] == pytest.approx(picture["natural"], rel=0.03)
        assert picture["shrunk"] >= 0.84  # so that 11 pixels of a letter stay 9
        assert picture["page"]


def test_progress_is_drawn_and_says_where_to_go_on(lab: Lab, assignment: Assignment) -> None:
    drawn = lab.page.locator(".jp-RenderedHTMLCommon", has_text="predictions made").last
    drawn.scroll_into_view_if_needed()
    text = drawn.text_content()
    right, wrong, *_, unwritten, raising = (exercise.name for exercise in assignment.exercises)
    for said in (f"✓ {right}", f"✗ {wrong}", f"○ {unwritten}", f"! {raising}"):
        assert said in text
    assert "4 of 4 predictions made" in text
    assert f"Next: {wrong}" in text
    box, page = drawn.bounding_box(), lab.page.viewport_size["width"]
    assert box["x"] + box["width"] <= page
    full = drawn.locator("div div div").first.bounding_box()
    assert full["width"] > 20 and full["height"] >= 10  # the bar
    link = lab.page.locator(".jp-MarkdownOutput a", has_text="Scalar networks").last
    link.scroll_into_view_if_needed()
    link.click()
    lab.page.wait_for_selector(
        '#jp-main-dock-panel .lm-TabBar-tabLabel:has-text("scalar_networks.ipynb")', timeout=30_000
    )


STEPS = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output details:has(img)"


def test_a_backward_pass_opens_step_by_step_on_a_stored_page_and_where_a_kernel_runs(lab: Lab) -> None:
    lab.open(f"{UNIT}/stored.ipynb")  # it has never run here, so JupyterLab does not trust it
    for ran in (False, True):
        if ran:
            lab.run_all()
        steps = lab.page.locator(STEPS)
        steps.nth(3).wait_for(state="attached")
        assert steps.count() == 4
        for k in range(4):
            step = steps.nth(k)
            step.scroll_into_view_if_needed()
            assert not step.locator("img").is_visible()
            assert "What does it send" in step.locator("summary").text_content()
            step.locator("summary").click()
            step.locator("img").scroll_into_view_if_needed()
            assert step.locator("img").is_visible()
            assert "To " in step.locator("div").first.text_content()
