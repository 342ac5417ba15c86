"""Pictures that move and passes that open step by step, in JupyterLab, in a real browser.

Nothing runs here: the notebooks are opened as they are stored, and JupyterLab does not trust them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..conftest import REPOSITORY
from ..lab import Lab, chromium, jupyterlab

#: A released notebook whose first picture moves, and solved ones with steps of arrays and of a matrix product.
MOVING = "course/09_optimizers/optimizers.ipynb"
STEPS = {
    "solutions/05_tensors/tensors.ipynb": ["h (3, 2), and what to c (3, 1)?", "s (3, 2)?", "b (2,)?"],
    "solutions/06_shapes_and_matmul/shapes_and_matmul.ipynb": [
        "s (4, 3)?",
        "b (3,)?",
        "x (4, 2), and what to W (2, 3)?",
    ],
}


@pytest.fixture(scope="module")
def _chromium() -> None:
    if not chromium():
        assert not os.environ.get("CI"), "CI needs Chromium"
        pytest.skip("Chromium is not installed")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, _chromium: None) -> Iterator[Lab]:
    """JupyterLab on 800 pixels, with the notebooks as they are stored. What themes do to them is `test_seen`'s."""
    root = tmp_path_factory.mktemp("lab")
    for path in (MOVING, *STEPS):
        shutil.copy(REPOSITORY / path, root)
    with jupyterlab(root, tmp_path_factory.mktemp("private"), theme="Dark", width=800) as running:
        yield running


def moves(picture: Any) -> bool:
    """Whether a picture that is seen changes within some seconds."""
    seen = set()
    for _ in range(12):
        seen.add(picture.screenshot())
        if len(seen) > 1:
            return True
        picture.page.wait_for_timeout(250)
    return False


def check_movie(area: Any) -> None:
    """Still until it is asked to move, told in words, and still again when the fold is closed."""
    still, moving = area.locator("img").nth(0), area.locator("details img")
    summary = area.locator("summary")
    still.scroll_into_view_if_needed()
    assert still.is_visible() and not moving.is_visible()
    assert not moves(still)
    assert "Watch it move" in summary.text_content()
    summary.click()
    moving.scroll_into_view_if_needed()
    assert moving.is_visible() and moves(moving)
    # On a narrow page it shrinks a little, and then its box scrolls; the page does not.
    assert moving.evaluate("i => i.width / i.naturalWidth") >= 0.84
    box = area.bounding_box()
    assert box["x"] + box["width"] <= area.page.viewport_size["width"]
    for picture in (still, moving):
        assert len(picture.get_attribute("alt").split()) >= 6
    summary.click()
    assert not moving.is_visible()


def check_steps(steps: Any, asked: list[str]) -> None:
    """Each step asks first, and shows words and picture when it is opened."""
    assert steps.count() == len(asked)
    for k, words in enumerate(asked):
        step = steps.nth(k)
        step.scroll_into_view_if_needed()
        assert step.locator("summary").text_content().endswith(words)
        assert not step.locator("img").is_visible()
        step.locator("summary").click()
        step.locator("img").scroll_into_view_if_needed()
        assert step.locator("img").is_visible()
        told = step.locator("div").first.text_content()
        assert told.startswith("To " if k == 0 else "Its gradient is ")


def test_a_stored_picture_moves_in_jupyterlab_when_it_is_asked_to(lab: Lab) -> None:
    lab.open(Path(MOVING).name)
    area = lab.page.locator(".jp-NotebookPanel .jp-OutputArea-output:has(details img)").first
    area.wait_for(state="attached")
    check_movie(area)
    lab.picture(f"moving-{lab.page.evaluate('document.body.dataset.jpThemeLight')}")


@pytest.mark.parametrize("notebook", STEPS)
def test_stored_steps_of_arrays_open_in_jupyterlab(lab: Lab, notebook: str) -> None:
    lab.open(Path(notebook).name)
    steps = lab.page.locator(".jp-OutputArea-output details:has(summary:has-text('is at work'))")
    for _ in range(60):  # JupyterLab draws what is far away when it has nothing else to do
        if steps.count() == len(STEPS[notebook]):
            break
        lab.page.wait_for_timeout(500)
    check_steps(steps, STEPS[notebook])
