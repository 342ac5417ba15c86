"""Pictures that move and passes that open step by step, on plain pages that nbconvert makes, in a real browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter

from ..conftest import REPOSITORY
from ..lab import ARGUMENTS, chromium
from .test_moving import MOVING, STEPS, check_movie, check_steps


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A page of 800 pixels that asks nobody for anything: no network."""
    from playwright.sync_api import sync_playwright

    if not chromium():
        assert not os.environ.get("CI"), "CI needs Chromium"
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 800, "height": 1000}, offline=True)
        yield context.new_page()
        browser.close()


def as_page(notebook: str, folder: Path) -> str:
    """A stored notebook as a web page of its own; gives its address."""
    page, _ = HTMLExporter().from_notebook_node(nbformat.read(REPOSITORY / notebook, as_version=4))
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


def test_a_picture_moves_on_a_plain_page(page: Any, tmp_path: Path) -> None:
    page.goto(as_page(MOVING, tmp_path), wait_until="domcontentloaded")
    check_movie(page.locator(".jp-OutputArea-output:has(details img)").first)


@pytest.mark.parametrize("notebook", STEPS)
def test_steps_open_on_a_plain_page(page: Any, tmp_path: Path, notebook: str) -> None:
    page.goto(as_page(notebook, tmp_path), wait_until="domcontentloaded")
    check_steps(page.locator("details:has(summary:has-text('is at work'))"), STEPS[notebook])
