"""The page that a student gets back: the points, exercise by exercise, then the notebook with each answer's verdict.

nbgrader makes it (`nbgrader generate_feedback`, formgrader's button, `autograder feedback`) through `FeedbackExporter`,
so what was graded and commented by hand is on it. It is one file without script, and asks no network for anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape
from nbconvert.exporters import Exporter
from nbconvert.filters import ansi2html, strip_ansi
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from traitlets import Bool, Unicode

from ...referee.report import tidy
from ...sandbox.walls import NO_WALL, UNPROTECTED
from ..exchange import put_beside_the_page
from ..held import held_until, is_over, told
from .words import html_of

EMPTY = Markup("")
_FENCED = re.compile(r"(`{3,})text\n[✓✗] .*\n\1", re.DOTALL)


class FeedbackExporter(Exporter):
    """Writes an autograded notebook, with nbgrader's grades in it, as a page."""

    output_mimetype = "text/html"
    file_extension = Unicode(".html").tag(config=True)
    anyway = Bool(False, help="Write pages also while results are held back.").tag(config=True)

    def from_notebook_node(
        self, nb: NotebookNode, resources: Mapping[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The page, and what nbconvert and nbgrader know of the notebook."""
        nb, graded = super().from_notebook_node(nb, resources, **kw)
        if not self.anyway:
            _refuse_while_held(graded["nbgrader"])
        if isinstance(self.parent, GenerateFeedback):
            _serve_the_exchange(self.parent, graded["nbgrader"])
        return page(nb, graded["nbgrader"]), graded


def _refuse_while_held(about: Mapping[str, Any]) -> None:
    """Stops nbgrader, and with it Formgrader's button, with a sentence while results are held back."""
    with Gradebook(about["db_url"]) as gradebook:
        until = held_until(gradebook, about["assignment"])
    if until is not None and not is_over(until):
        raise NbGraderException(told(about["assignment"], until))


def _serve_the_exchange(converter: GenerateFeedback, about: Mapping[str, Any]) -> None:
    folders = converter.coursedir
    submitted, feedback = (
        Path(folders.format_path(kind, about["student"], about["assignment"]))
        for kind in (folders.submitted_directory, folders.feedback_directory)
    )
    put_beside_the_page(submitted, feedback)


@dataclass(frozen=True)
class Row:
    """An exercise in the table at the top: its mark, what it earned, and its verdict in a few words."""

    name: str
    right: bool
    score: float
    points: float
    said: Markup
    #: what the check gave, where somebody has given other points by hand
    automatic: float | None = None


@dataclass(frozen=True)
class Block:
    """A piece of the notebook as HTML. `kind` is "words", "code", "folded", "answer" or "check"."""

    kind: str
    source: Markup
    output: Markup = EMPTY
    comment: Markup = EMPTY
    row: Row | None = None
    #: what stands on a folded one
    name: str = ""


def page(notebook: NotebookNode, graded: Mapping[str, Any]) -> str:
    """The page. `graded` is what nbgrader knows: student, notebook, score, max_score, late_penalty."""
    about = notebook.metadata.get("autograder", {})
    title = about.get("title") or graded.get("notebook", "")
    blocks = [block for cell in notebook.cells if (block := _block(cell, title)) is not None]
    rows = [block.row for block in blocks if block.row]
    score, most = float(graded["score"]), float(graded["max_score"])
    return _template().render(
        title=title,
        student=graded.get("student", ""),
        score=tidy(round(score, 2)),
        most=tidy(round(most, 2)),
        share=round(100 * max(score, 0) / most) if most else 0,
        late=tidy(round(float(graded.get("late_penalty") or 0), 2)),
        unprotected=UNPROTECTED if about.get("wall") == NO_WALL else "",
        receipt=about.get("receipt", ""),
        counted=about.get("counted", ""),
        notes=about.get("notes", []),
        rows=rows,
        blocks=blocks,
        css=_css(),
    )


def _block(cell: NotebookNode, title: str) -> Block | None:
    if cell.cell_type != "code":
        source = cell.source.removeprefix(f"# {title}\n")  # which stands above the points
        return None if cell.get("id") == "results" else Block("words", Markup(html_of(source)))
    about = cell.metadata.get("nbgrader", {})
    output = EMPTY.join(map(_output, cell.get("outputs", [])))
    source = _code(cell.source)
    if about.get("solution"):
        return Block("answer", source, output, _comment(about.get("comment")), name=about["grade_id"])
    if about.get("grade"):
        text = _verdict("\n".join(_text(one) for one in cell.get("outputs", [])))
        row = _row(about, text)
        return Block("check", source, Markup(ansi2html(text)), row=row, name=row.name)
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        return Block("folded", source, output, name=cell.source.strip().split("\n")[0][:70])
    return Block("code", source, output)


def _row(about: Mapping[str, Any], verdict: str) -> Row:
    name = str(about["grade_id"]).removesuffix("_check")
    score, points = float(about.get("score") or 0), float(about.get("points") or 0)
    first = strip_ansi(verdict).split("\n")[0]
    earned = re.search(r" \(([\d.]+) of [\d.]+ points\)$", first)
    said = first[: earned.start()] if earned else first
    said = said.strip().removeprefix("✓").removeprefix("✗").strip().removeprefix(name).strip()
    automatic = float(earned[1]) if earned and float(earned[1]) != score else None
    shown = Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(said))))
    return Row(name, score >= points, tidy(round(score, 2)), tidy(round(points, 2)), shown, automatic)


def _verdict(text: str) -> str:
    """A check's message without what to do next in a notebook."""
    return re.sub(r"\n  next {6}.*(\n {12}.*)*", "", text).strip("\n")


def by_hand(comment: str | None) -> str:
    """What somebody wrote; empty for the check's own message, which stands at the check."""
    return _FENCED.sub("", (comment or "").removeprefix(UNPROTECTED)).strip()


def _comment(text: str | None) -> Markup:
    return Markup(html_of(said)) if (said := by_hand(text)) else EMPTY


@lru_cache(maxsize=2000)
def _code(source: str) -> Markup:
    return Markup(highlight(source, PythonLexer(stripnl=False), HtmlFormatter()))


def _text(output: NotebookNode) -> str:
    if output.output_type == "error":
        return "\n".join(output.traceback)
    return str(output.get("text") or output.get("data", {}).get("text/plain", ""))


def _output(output: NotebookNode) -> Markup:
    data = output.get("data", {})
    if "image/png" in data:
        alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
        return Markup('<img alt="{}" src="data:image/png;base64,{}">').format(alt, data["image/png"].strip())
    text = _text(output)
    return Markup("<pre>{}</pre>").format(Markup(ansi2html(text))) if text else EMPTY


@cache
def _template() -> jinja2.Template:
    folder = jinja2.FileSystemLoader(Path(__file__).parent)
    rooms = jinja2.Environment(loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return rooms.get_template("page.html.j2")


@cache
def _css() -> Markup:
    def colours(style: str) -> str:
        return str(HtmlFormatter(style=style).get_style_defs(".highlight"))

    own = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{colours('github-dark')}\n}}"
    return Markup("\n".join([colours("default"), dark, own]))
