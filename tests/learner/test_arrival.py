"""`autograder lab`, in a real browser: where a learner arrives, what is in the way, and how it ends."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.learner import arrival
from autograder.lesson import logbook

from ..conftest import REPOSITORY
from ..lab import ARGUMENTS, IDLE, TOKEN, chromium, free_port, private_folders, wait_for_server


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A learner's course, with nothing done."""
    root = tmp_path / "a course"
    (root / "solutions").mkdir(parents=True)
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    shutil.copytree(
        REPOSITORY / "course", root / "course", ignore=shutil.ignore_patterns(".*", "__pycache__")
    )
    return root


def do(course: Path, unit: str, but: int = 0) -> None:
    """Note the unit's exercises as right, but for the last ones."""
    from autograder.learner import progress

    names = list(progress.find(progress.units(course / "course"), unit).points)
    for name in names[: len(names) - but]:
        logbook.append(course / "course", {"exercise": name, "passed": True})


class Started:
    """A running `autograder lab`."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process, self.port = process, port
        self.base = f"http://127.0.0.1:{port}"

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            f"{self.base}/api/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {TOKEN}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


@contextmanager
def autograder_lab(course: Path, private: Path, *options: str) -> Iterator[Started]:
    """`autograder lab` as a learner starts it who has never started JupyterLab before."""
    port = free_port()
    command = [sys.executable, "-c", "from autograder.cli import main; main()", "lab", "--", "--no-browser"]
    command += ["--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}", *options]
    with (private / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            env=private_folders(private),
            cwd=course,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_for_server(port, private / "server.log")
            yield Started(process, port)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(30)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    (tmp_path / "private").mkdir()
    return tmp_path / "private"


@contextmanager
def arrived(started: Started, folder: Path) -> Iterator[Any]:
    """A browser at the address that JupyterLab opens by itself, when its notebook and kernel are there."""
    from playwright.sync_api import sync_playwright

    (about,) = folder.glob("runtime/jpserver-*-open.html")
    address = about.read_text(encoding="utf-8").partition("url=")[2].partition('"')[0]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address)
        page.wait_for_selector(".jp-NotebookPanel .jp-Notebook .jp-Cell", timeout=120_000)
        page.wait_for_function(IDLE, timeout=120_000)
        page.wait_for_timeout(3000)
        yield page
        browser.close()


def tabs(page: Any) -> list[str]:
    found = page.query_selector_all("#jp-main-dock-panel .lm-TabBar-tabLabel")
    return [tab.inner_text() for tab in found]


#: Whether the notebook at a path is in front, whole, and its kernel is there.
OPEN = """path => {
  const shown = jupyterapp.shell.currentWidget;
  return shown?.context?.path === path && shown.context.isReady
    && shown.sessionContext.session?.kernel?.status === 'idle' && shown.content.widgets.length > 5
    && !!document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell');
}"""


def unsaved(page: Any) -> bool:
    return bool(page.query_selector(".jp-mod-dirty"))


needs_chromium = pytest.mark.skipif(
    not chromium() and not os.environ.get("CI"), reason="Chromium is not installed"
)


@needs_chromium
def test_a_learner_arrives_at_the_first_notebook_and_nothing_is_in_the_way(
    course: Path, private: Path
) -> None:
    before = (course / "course/00_start_here/start_here.ipynb").read_bytes()
    with autograder_lab(course, private) as started, arrived(started, private) as page:
        assert tabs(page) == ["start_here.ipynb"]
        assert not unsaved(page)
        assert page.query_selector(".Toastify__toast") is None  # the question about news
        assert page.query_selector(".jp-Dialog") is None
        page.click('.lm-MenuBar-item:has-text("Nbgrader")')
        menu = page.wait_for_selector(".lm-Menu").inner_text()
        assert not [word for word in ("Formgrader", "Assignment List", "Course", "Create") if word in menu]
        page.keyboard.press("Escape")
        assert "Validate" in page.inner_text(".jp-NotebookPanel-toolbar")
        # The picture is there before anything has run, and above all code that a learner sees.
        first = page.evaluate(
            """() => {
              const cells = [...document.querySelectorAll('.jp-Notebook .jp-Cell')];
              const picture = cells.findIndex(c => c.querySelector('.jp-OutputArea img'));
              const code = cells.findIndex(c => c.matches('.jp-CodeCell') && !c.querySelector('.jp-InputPlaceholder')
                                                && c.querySelector('.jp-InputArea-editor'));
              return [picture, code];
            }"""
        )
        assert 0 <= first[0] < first[1]
        assert (course / "course/00_start_here/start_here.ipynb").read_bytes() == before
    assert not (private / "server.log").read_text().count("Traceback")


def test_all_released_notebooks_have_one_form() -> None:
    """What JupyterLab adds to a notebook or leaves out when it opens it, it would in all of them."""
    forms = set()
    for path in sorted((REPOSITORY / "course").glob("*/*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        about = {key: value for key, value in notebook["metadata"].items() if key != "autograder"}
        cells = {(cell["cell_type"], *sorted(cell.keys() - {"attachments"})) for cell in notebook["cells"]}
        outputs = {output["output_type"] for cell in notebook["cells"] for output in cell.get("outputs", ())}
        assert outputs <= {"display_data", "stream", "execute_result"}, path
        forms.add(
            json.dumps(
                [about, notebook["nbformat"], notebook["nbformat_minor"], sorted(cells)], sort_keys=True
            )
        )
    assert len(forms) == 1, forms


@needs_chromium
def test_notebooks_of_the_course_open_without_a_change(course: Path, private: Path) -> None:
    """One after the other in one page, as with a double click in the file browser: a page is long in coming."""
    options = ("--LabApp.expose_app_in_browser=True",)
    # JupyterLab and a kernel take four seconds of processor time for each: others in every run, and the path of one
    # that fails is shown. That each has the form in which JupyterLab would store it is tested for all of them.
    some = random.sample(sorted((course / "course").glob("*/*.ipynb")), 7)
    with autograder_lab(course, private, *options) as started, arrived(started, private) as page:
        for notebook in some:
            path = notebook.relative_to(course / "course").as_posix()
            page.evaluate(
                "path => jupyterapp.commands.execute('docmanager:open', {path}).then(() => 0)", path
            )
            page.wait_for_function(OPEN, arg=path, timeout=120_000)
            page.wait_for_timeout(1500)
            assert not unsaved(page), path
            page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
            page.evaluate("() => jupyterapp.shell.currentWidget.close()")
            # It closes without a question whether to save.
            page.wait_for_function("path => jupyterapp.shell.currentWidget?.context?.path !== path", arg=path)


def test_it_opens_where_the_learner_goes_on(course: Path) -> None:
    folder = course / "course"

    def opened() -> str:
        found = arrival.where_to_go_on(folder)
        assert found is not None
        return found.parent.name

    assert opened() == "00_start_here"
    do(course, "00", but=1)
    assert opened() == "00_start_here"
    do(course, "00")
    assert opened() == "01_derivatives"
    do(course, "01")
    do(course, "02", but=2)
    assert opened() == "02_forward_mode"
    # Who leaves two exercises out and goes on is taken to where the work is, not back.
    do(course, "03", but=5)
    assert opened() == "03_reverse_mode"
    do(course, "03")
    assert opened() == "04_scalar_networks"
    for notebook in sorted(folder.glob("*/*.ipynb"))[4:]:
        do(course, notebook.parent.name[:2])
    assert opened() == "02_forward_mode"  # the first that is not finished
    do(course, "02")
    assert opened() == "02_forward_mode"  # all is right: where the last check ran


def test_an_option_of_the_learner_goes_before_ours(course: Path) -> None:
    *_, last = arrival.command(course / "course", ["--LabApp.default_url=/lab"])
    assert last == "--LabApp.default_url=/lab"


def test_a_folder_without_units_opens_as_it_is(tmp_path: Path) -> None:
    assert not [part for part in arrival.command(tmp_path, []) if "default_url" in part]


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_ending_it_ends_jupyterlab_and_its_kernels(
    ending: signal.Signals, course: Path, private: Path
) -> None:
    with autograder_lab(course, private) as started:
        started.ask("kernels", {"name": "python3"})
        family = psutil.Process(started.process.pid).children(recursive=True)
        assert any("ipykernel" in " ".join(child.cmdline()) for child in family)
        if ending == signal.SIGINT:  # a terminal sends it to all
            os.killpg(started.process.pid, ending)
        else:
            os.kill(started.process.pid, ending)
        started.process.wait(30)
        _, alive = psutil.wait_procs(family, timeout=15)
        assert alive == []
        with pytest.raises(urllib.error.URLError):
            started.ask("status")
