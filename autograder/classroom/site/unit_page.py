"""A unit as a page to read: its text, its figures, its exercises and their checks as students get them."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator
from typing import Any

from ...unit.assignment import Assignment
from ...unit.cell import ANSWER, CHECK, DEMO, FIGURE, GIVEN, SETUP, Cell
from .browser import address

GITHUB, COLAB = "https://github.com/", "https://colab.research.google.com/github/"


def unit_page(assignment: Assignment, up: str, home: str = "") -> tuple[str, dict[str, bytes]]:
    """The page of a unit in Markdown, and its pictures by their names. `up` leads to the top of the site.

    All code is the released notebook's. Pictures are those that the solution's figures and examples draw.
    """
    figures, drawn = dict(_figures(assignment)), dict(_drawn(assignment))
    parts: list[str] = []
    for cell in assignment.released:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            if len(parts) == 1:
                parts[0] = _headed(cell.source, buttons(assignment, up, home))
        elif cell.kind == FIGURE:
            parts += [_picture(assignment, cell, figures)] if cell.id in figures else []
            parts += [drawn[cell.id]] if cell.id in drawn else []
        else:
            parts.append(_code(cell))
            parts += [_picture(assignment, cell, figures)] if cell.id in figures else []
    pictures = {f"{assignment.unit}-{name}.png": data for name, (data, _) in figures.items()}
    return "\n\n".join(parts) + "\n", pictures


def title_of(assignment: Assignment) -> str:
    """The unit's title, as its notebook says it."""
    for cell in assignment.released:
        if found := re.match(r"# (.+)", cell.source):
            return found[1]
    return assignment.unit


def buttons(assignment: Assignment, up: str, home: str = "") -> str:
    """Where one can work on a unit."""
    file = f"{assignment.unit}/{assignment.name}.ipynb"
    links = [
        (f'class="button work" href="{up}{address(assignment)}"', "Work on it here"),
        (f'class="button" href="{up}notebooks/{file}" download', "Download the notebook"),
    ]
    if home.startswith(GITHUB):
        where = f"{COLAB}{home.removeprefix(GITHUB)}/blob/main/course/{file}"
        links.append((f'class="button" href="{where}"', "Open in Colab"))
    shown = " ".join(f"<a {attributes}>{text}</a>" for attributes, text in links)
    return (
        f'<div class="buttons">{shown}</div>\n'
        '<p class="safari">Safari may stop in the middle here: another browser is safer for working on it.</p>'
    )


def _headed(source: str, what: str) -> str:
    """Put something under the first heading."""
    first, _, rest = source.partition("\n")
    return f"{first}\n\n{what}\n\n{rest.strip()}"


def _code(cell: Cell) -> str:
    code = _fenced(cell.source)
    if cell.kind == ANSWER:
        return f'<div class="answer"><p class="what">Your answer goes here</p>\n\n{code}\n\n</div>'
    if cell.kind == CHECK:
        said = f"The check of <code>{html.escape(cell.exercise)}</code>"
        return _folded(said, code)
    if cell.kind == SETUP:
        return _folded("What the check uses" if cell.name.endswith("_probes") else "What is imported", code)
    assert cell.kind in (GIVEN, DEMO), cell.kind
    return code


def _fenced(code: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", code)), default=0))
    return f"{fence}python\n{code}\n{fence}"


def _folded(summary: str, inside: str) -> str:
    return f'<details class="code"><summary>{summary}</summary>\n\n{inside}\n\n</details>'


def _figures(assignment: Assignment) -> Iterator[tuple[str, tuple[bytes, dict[str, Any]]]]:
    """The pictures of the solution's figures, by the cell's id: what they show is what an answer makes, not how."""
    for cell, read in zip(assignment.notebook.cells, assignment.cells, strict=True):
        if read.kind in (FIGURE, GIVEN, DEMO):
            for output in cell.get("outputs", []):
                if "image/png" in output.get("data", {}):
                    about = output.get("metadata", {}).get("image/png", {})
                    yield cell.id, (base64.b64decode(output.data["image/png"]), about)


def _drawn(assignment: Assignment) -> Iterator[tuple[str, str]]:
    """Figures that are markup, such as a backward pass in steps: on one line, so that they stay markup."""
    for cell, read in zip(assignment.notebook.cells, assignment.cells, strict=True):
        if read.kind == FIGURE and not read.name.startswith("progress_"):
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "text/html" in data and "image/png" not in data:
                    markup = re.sub(r"\s*\n\s*", " ", data["text/html"])
                    yield cell.id, f'<div class="drawn">{markup}</div>'


def _picture(assignment: Assignment, cell: Cell, figures: dict[str, tuple[bytes, dict[str, Any]]]) -> str:
    _, about = figures[cell.id]
    alt = html.escape(str(about.get("alt", "")), quote=True).replace("\n", " ")
    width = f' width="{int(about["width"])}"' if "width" in about else ""
    file = f"../_images/{assignment.unit}-{cell.id}.png"
    return f'<figure><img src="{file}" alt="{alt}"{width} loading="lazy"></figure>'
