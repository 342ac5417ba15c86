"""`autograder site`: every page and link is there, no answer is, and in a browser it asks nobody else for anything."""

from __future__ import annotations

import functools
import http.server
import io
import json
import os
import re
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from autograder.classroom.site import publish as publishing
from autograder.errors import UserError
from autograder.unit.assignment import Course

from ...cli.played import in_this_process
from ...cli.shown import filled_in
from ...cli.test_cli import Said, run
from ...conftest import REPOSITORY
from ...lab import ARGUMENTS, chromium

__all__ = ["run"]

Run = Callable[..., Said]

COURSE = Course(REPOSITORY)
PYODIDE = "https://cdn.jsdelivr.net/pyodide/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole course, built once."""
    out = tmp_path_factory.mktemp("built") / "site"
    code, told = in_this_process(filled_in("autograder site --out DIR", DIR=out)[1:], REPOSITORY)
    assert code == 0 and f"{out}: {len(COURSE.units())} units." in told, told
    return out


class Page(HTMLParser):
    """A page's links, its anchors and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.text: list[str] = []
        self.hidden = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.text.append(data)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """All pages but JupyterLite's own."""
    found = {path.relative_to(site).as_posix(): path for path in site.rglob("*.html")}
    return {name: Page(path) for name, path in sorted(found.items()) if not name.startswith("lite/")}


def test_every_unit_has_a_page_with_its_figures_and_a_button_that_opens_it(
    site: Path, pages: dict[str, Page]
) -> None:
    for unit in COURSE.units():
        assignment = COURSE.assignment(unit)
        page = pages[f"units/{unit}.html"]
        assert f"../lite/lab/index.html?path={unit}/{assignment.name}.ipynb" in page.links
        assert f"../notebooks/{unit}/{assignment.name}.ipynb" in page.links
        pictures = {link for link in page.links if f"{unit}-figure_" in link}
        drawn = [
            cell.id
            for cell, output in ((c, o) for c in assignment.notebook.cells for o in c.get("outputs", []))
            if cell.id.startswith("figure_") and "image/png" in output.get("data", {})
        ]
        assert pictures == {f"../_images/{unit}-{name}.png" for name in drawn} and drawn
        for exercise in assignment.exercises:
            assert exercise.name in "".join(page.text)
        steps = any(cell.id == "figure_steps" for cell in assignment.cells)
        assert steps == ("Recorded: " in "".join(page.text))
        assert f"units/{unit}.html" in pages["index.html"].links
        listing = json.loads((site / "lite" / "api" / "contents" / unit / "all.json").read_text())
        assert {entry["name"] for entry in listing["content"]} == {f"{assignment.name}.ipynb", "likely.json"}


def test_the_handbooks_and_the_engine_are_there_and_nothing_is_a_page_twice(pages: dict[str, Page]) -> None:
    for name in (
        "learners",
        "handbook/instructors",
        "handbook/grader",
        "handbook/reference",
        "engine/index",
        "search",
    ):
        assert f"{name}.html" in pages
    assert "autograd_ref.core.tensor.Tensor.backward" in pages["engine/api/core.tensor.html"].anchors
    assert "autograd_ref.nn.Linear" in pages["engine/api/nn.html"].anchors
    assert "autograder.exercise.close" in pages["handbook/reference.html"].anchors


def broken(site: Path, pages: dict[str, Page]) -> Iterator[str]:
    """The links inside the site that lead nowhere."""
    for name, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (site / name).parent / unquote(address.path) if address.path else site / name
            target = target.resolve()
            if not target.is_file():
                yield f"{name}: {link}"
            elif address.fragment and target.suffix == ".html":
                there = pages.get(target.relative_to(site.resolve()).as_posix())
                if there is not None and unquote(address.fragment) not in there.anchors:
                    yield f"{name}: {link}"


def test_every_link_inside_the_site_leads_somewhere(site: Path, pages: dict[str, Page]) -> None:
    assert list(broken(site, pages)) == []


def test_a_link_that_leads_nowhere_is_found(site: Path, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html">b</a><a href="#c">c</a><a href="a.html#d" id="d">d</a>'
    )
    assert list(broken(tmp_path, {"a.html": Page(tmp_path / "a.html")})) == ["a.html: b.html", "a.html: #c"]


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def everything(site: Path) -> Iterator[tuple[str, str]]:
    """The text of all that is not JupyterLite's own: pages as they are read, notebooks, wheels, the index."""
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if not path.is_file() or name.startswith(("lite/build/", "lite/extensions/")):
            continue
        if path.suffix == ".html":
            yield name, "".join(Page(path).text)
        elif path.suffix == ".whl":
            with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as wheel:
                for inside in wheel.namelist():
                    yield f"{name}/{inside}", wheel.read(inside).decode("utf-8", "replace")
        elif path.suffix == ".ipynb":
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            yield name, "\n".join("".join(cell["source"]) for cell in cells)
        elif path.suffix in (".json", ".js", ".md", ".txt", ".css"):
            yield name, path.read_text(encoding="utf-8", errors="replace")


Secret = tuple[str, str, str]


def secrets(course: Course) -> Iterator[Secret]:
    """Every answer and every hidden test: its unit, what it is, its text."""
    for unit in course.units():
        for exercise in course.assignment(unit).exercises:
            for kind, cell in (("SOLUTION", exercise.solution), ("HIDDEN TESTS", exercise.check)):
                for part in re.findall(rf"### BEGIN {kind}\n(.*?)\n[^\n]*### END {kind}", cell, re.DOTALL):
                    yield unit, f"{exercise.name}, {kind.lower()}", part
            yield unit, f"{exercise.name}, the whole answer", exercise.solution


def may_stand_in(unit: str, what: str, name: str, course: Course) -> bool:
    """A later unit brings along what it builds on, and the engine computes the same things as the answers.

    Whole answers and hidden tests are nowhere.
    """
    if not what.endswith(", solution"):
        return False
    others = [other for other in course.units() if other != unit]
    return ".whl/" in name or any(f"/{other}/" in name or f"/{other}.html" in name for other in others)


def found_in(texts: list[tuple[str, str]], parts: list[Secret], course: Course = COURSE) -> list[str]:
    """Where which secret stands. A single short line, such as `return a + b`, stands in any text: it says nothing."""
    whole = [(name, squeezed(text)) for name, text in texts]
    told = []
    for unit, what, part in parts:
        wanted = squeezed(part).strip()
        if len(wanted) >= 60 or part.strip().count("\n"):
            there = [name for name, text in whole if wanted in text]
            told += [
                f"{unit}, {what}: {name}" for name in there if not may_stand_in(unit, what, name, course)
            ]
    return told


def test_no_answer_and_no_hidden_test_is_on_it(site: Path) -> None:
    texts = list(everything(site))
    names = {name for name, _ in texts}
    assert {
        "units/03_reverse_mode.html",
        "searchindex.js",
        "notebooks/03_reverse_mode/reverse_mode.ipynb",
    } <= names
    assert any(name.endswith(".whl/autograder/__init__.py") for name in names)
    # The handbook explains the marks, and some code looks for them; elsewhere there would be answers.
    explained = re.compile(r"^handbook/|\.whl/autograder/unit/")
    assert not [name for name, text in texts if "### END HIDDEN TESTS" in text and not explained.search(name)]
    assert found_in(texts, list(secrets(COURSE))) == []


def test_an_answer_would_be_found() -> None:
    for one in ("the whole answer", "hidden tests", "solution"):
        unit, what, text = next(s for s in secrets(COURSE) if s[1].endswith(one) and s[2].count("\n") > 1)
        for name in (f"units/{unit}.html", "index.html", f"lite/files/{unit}/x.ipynb"):
            assert found_in([(name, f"before {text} after")], [(unit, what, text)]), (one, name)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing of each request."""


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The site's address, under a path of its own, as GitHub Pages has it."""
    handler = functools.partial(Quiet, directory=str(site.parent))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{site.name}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not chromium():
        assert not os.environ.get("CI"), "CI needs Chromium"
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield started
        started.close()


def test_from_the_list_of_units_to_a_notebook_that_is_open(served: str, browser: Any) -> None:
    asked: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.on("request", lambda request: asked.append(request.url))
    context.route(
        f"{PYODIDE}**", lambda route: route.abort()
    )  # whether it can be reached is not the site's affair
    page = context.new_page()
    failed: list[str] = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    page.goto(f"{served}index.html")
    assert page.locator(".card").count() == len(COURSE.units())
    page.click(".card:has-text('Reverse mode')")
    page.wait_for_url("**/units/03_reverse_mode.html")
    assert page.locator("figure img").first.evaluate("e => e.complete && e.naturalWidth") > 100
    assert page.locator("math").count() > 0
    page.click(".button.work")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=90_000)
    page.wait_for_function(
        "document.querySelector('.jp-NotebookPanel').textContent.includes('Download')", timeout=30_000
    )
    assert page.locator(".jp-Dialog").count() == 0
    page.wait_for_function(  # the kernel is asked for: the last thing that a page asks of others
        "performance.getEntriesByType('resource').length > 20", timeout=30_000
    )
    page.wait_for_timeout(3000)
    assert not [url for url in failed if "favicon" not in url]
    others = {url for url in asked if not url.startswith((served, PYODIDE, "data:", "blob:"))}
    kernel = {url for url in others if "/lite/api/" in url and url.startswith("ws")}
    assert others - kernel == set()
    context.close()


@pytest.mark.parametrize("there", [False, True])
def test_where_python_cannot_be_loaded_the_page_itself_says_so(
    served: str, browser: Any, there: bool
) -> None:
    context = browser.new_context(viewport={"width": 800, "height": 700})
    answer = {
        "status": 200,
        "content_type": "text/javascript",
        "headers": {"Access-Control-Allow-Origin": "*"},
    }
    asked: list[str] = []

    def reply(route: Any) -> None:
        asked.append(route.request.url)
        if there:
            route.fulfill(body="export {};", **answer)
        else:
            route.abort()

    context.route(f"{PYODIDE}**", reply)
    page = context.new_page()
    unit = COURSE.units()[0]
    page.goto(f"{served}lite/lab/index.html?path={unit}/{COURSE.assignment(unit).name}.ipynb")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=90_000)
    page.wait_for_timeout(5000)
    told = page.locator("#no-python")
    assert any(re.fullmatch(rf"{PYODIDE}v[\d.]+/full/pyodide.mjs", url) for url in asked), asked
    assert told.count() == (0 if there else 1)
    if not there:
        assert "Python cannot be loaded here" in told.inner_text() and "cdn.jsdelivr.net" in told.inner_text()
        assert told.bounding_box()["width"] < 780
        told.locator("button").click()
        assert told.count() == 0
    context.close()


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (800, "dark"), (390, "light"), (390, "dark")])
def test_no_page_is_wider_than_the_window(served: str, browser: Any, width: int, theme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    page = context.new_page()
    for name in (
        "index",
        "units/03_reverse_mode",
        "units/06_shapes_and_matmul",
        "handbook/instructors",
        "engine/api/nn",
    ):
        page.goto(f"{served}{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        light = page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
        )
        assert (light > 380) == (theme == "light"), name
    context.close()


def test_a_word_is_found_by_the_search(served: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{served}search.html?q=cotangent")
    page.wait_for_selector("#search-results li a", timeout=30_000)
    found = page.locator("#search-results li a").evaluate_all("links => links.map(link => link.href)")
    assert any("units/03_reverse_mode" in link for link in found)
    page.close()


def test_a_course_of_one_s_own_has_a_site_too(run: Run, mini_course: Course, tmp_path: Path) -> None:
    """Where the command is, when nothing else is said: JupyterLite, too, which has a folder of its own to run in."""
    here, before = tmp_path / "here", set(Path(tempfile.gettempdir()).glob(".*.part"))
    here.mkdir()
    for name in ("solutions", "nbgrader_config.py"):
        (here / name).symlink_to(mini_course.root / name)
    said = run(*filled_in("autograder site")[1:], cwd=here)
    assert said.code == 0 and "1 unit." in said.out, said
    out = here / "site"
    assert (out / "lite" / "lab" / "index.html").is_file()
    assert (out / "lite" / "files" / "mini" / "mini.ipynb").is_file()
    assert not list(tmp_path.rglob(".*.part")) and set(Path(tempfile.gettempdir()).glob(".*.part")) <= before
    assert "lite/lab/index.html?path=mini/mini.ipynb" in (out / "units" / "mini.html").read_text()
    assert not (out / "engine").exists() and not (out / "handbook").exists()
    assert list(broken(out, {p.relative_to(out).as_posix(): Page(p) for p in out.glob("*.html")})) == []
    assert found_in(list(everything(out)), list(secrets(mini_course)), mini_course) == []


def test_only_a_folder_of_its_own_is_replaced(
    run: Run, mini_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    said = run("site", "--out", tmp_path, cwd=mini_course.root)
    assert said.code == 2 and "holds other things" in said.err and (tmp_path / "notes.txt").is_file()
    out = tmp_path / "site"
    out.mkdir()
    (out / publishing.MARK).write_text("")
    (out / "old.html").write_text("old")

    def fails(*_: object) -> None:
        raise UserError("the pages cannot be built")

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "build_pages", fails)
        said = run("site", "--out", out, cwd=mini_course.root)
    assert said.code == 2 and (out / "old.html").is_file(), "an old site stays until there is a new one"
    for step in ("build_pages", "build_browser"):
        monkeypatch.setattr(publishing, step, lambda *_: None)
    assert run("site", "--out", out, cwd=mini_course.root).code == 0
    assert not (out / "old.html").exists() and [path.name for path in tmp_path.iterdir()].count("site") == 1
    assert not list(tmp_path.glob(".*.part"))
