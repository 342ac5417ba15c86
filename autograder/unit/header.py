"""The header of a unit's source, and the lines with which its cells begin: which words they may have."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nbformat import NotebookNode

from ..errors import UserError

#: What stands under `autograder:`, and how it is written.
KEYS: dict[str, str] = {
    "unit": "the folder's name",
    "title": "a text",
    "allow": "a list of modules, such as [autograd_ref.plots]",
    "graded": "true or false",
    "exam": "true or false",
    "slides": "the cell that slides show as the example, such as {example: figure_goal}",
    "minutes": "minutes of exercises, such as {mul_vjp: 5}",
}
#: What the line of a cell may say beside whose it is.
BESIDE = ("points", "keep")
#: What Jupyter, jupytext and nbgrader read there.
THEIRS = {
    *(
        "tags",
        "slideshow",
        "editable",
        "deletable",
        "jupyter",
        "collapsed",
        "scrolled",
        "name",
        "title",
        "id",
    ),
    *("region_name", "active", "cell_marker", "lines_to_next_cell", "lines_to_end_of_cell_marker"),
    *("nbgrader", "autograder"),
}


def read_header(metadata: Mapping[str, Any], unit: str, where: str) -> dict[str, Any]:
    """What the header says under `autograder:`. Raises UserError where a key is unknown or its value is of no use.

    A key that nobody reads would be an exam that is handed out with its hints.
    """
    about = metadata.get("autograder")
    if not isinstance(about, dict) or about.get("unit") != unit:
        raise UserError(f"{where}: the header has to say `autograder: {{unit: {unit}}}` under `jupyter:`.")
    for key in about:
        if key not in KEYS:
            near = difflib.get_close_matches(str(key).lower(), KEYS, 1, 0.6)
            known = ", ".join(f"`{name}`" for name in KEYS)
            told = f"did you mean `{near[0]}`?" if near else f"it may hold {known}."
            raise UserError(f"{where}: the header has an unknown key `{key}`: {told}")
    for key in KEYS:
        if key in metadata:
            raise UserError(
                f"{where}: `{key}` stands beside `autograder:` in the header, and belongs under it."
            )
    for key in ("graded", "exam"):
        if not isinstance(about.get(key, True), bool):
            raise UserError(f"{where}: `{key}: {about[key]}` in the header should be {KEYS[key]}.")
    if not isinstance(about.get("title", ""), str):
        raise UserError(
            f"{where}: `title: {about['title']}` in the header should be {KEYS['title']}, in quotes."
        )
    allowed = about.get("allow", [])
    if not isinstance(allowed, list) or not all(isinstance(name, str) for name in allowed):
        raise UserError(f"{where}: `allow: {allowed}` in the header should be {KEYS['allow']}.")
    slides, minutes = about.get("slides", {}), about.get("minutes", {})
    if not isinstance(slides, dict) or not all(
        k == "example" and isinstance(v, str) for k, v in slides.items()
    ):
        raise UserError(f"{where}: `slides: {slides}` in the header should be {KEYS['slides']}.")
    if not isinstance(minutes, dict) or not all(type(n) is int and n >= 0 for n in minutes.values()):
        raise UserError(f"{where}: `minutes: {minutes}` in the header should be {KEYS['minutes']}.")
    return about


def unreadable(text: str, error: Exception) -> str:
    """What is wrong with a source that jupytext cannot read, with the line of the source where it has one.

    YAML counts from the line behind the header's first `# ---`.
    """
    lines = [line.strip() for line in text.splitlines()]
    begins = lines.index("# ---") + 1 if "# ---" in lines else 0
    mark, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None)
    if mark is None or not problem:
        return f" cannot be read as py:percent: {error}"
    number = begins + mark.line + 1
    begun = f", in what begins at line {begins + context.line + 1}" if context else ""
    begun = "" if context and context.line == mark.line else begun
    return f", line {number}: the header is no YAML: {problem}{begun}."


def check_words(cells: Iterable[NotebookNode], known: Sequence[str], text: str, where: str) -> None:
    """Refuse a word in the line of a cell that nobody reads; `known` are the kinds of cells. Raises UserError.

    It would be a check without points, or hidden tests in a cell that is none.
    """
    ours = [*known, *BESIDE]
    for cell in cells:
        one_of_ours = any(word in cell.metadata for word in ours)
        for word, valued in _words(cell.metadata):
            near = difflib.get_close_matches(word.lower(), ours, 1, 0.7 if valued else 0.8)
            if (word in ours and valued) or not (
                near or (valued and one_of_ours)
            ):  # the latter: a title, a remark
                continue
            lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.startswith("# %%")]
            place = next(
                (f", line {n}, in `{line}`" for n, line in lines if re.search(rf"\b{word}\b", line)), ""
            )
            if word in ours:
                raise UserError(
                    f"{where}{place}: `{word}` is not written as it can be read: write it as in "
                    '`# %% check="mul_vjp" points=2` or `# %% figure="goal" keep=true`.'
                )
            may = ", ".join(f"`{name}`" for name in ours)
            told = f"did you mean `{near[0]}`?" if near else f"it may be {may}."
            raise UserError(f"{where}{place}: the word `{word}` is unknown: {told}")


def _words(metadata: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The words of a cell's line that are not read, and whether each has a value."""
    for word, value in metadata.items():
        if word == "incorrectly_encoded_metadata":  # jupytext's, where a value is not written as JSON
            yield from ((found, False) for found in re.findall(r"(\w+)\s*=", str(value)))
        elif word not in THEIRS:
            yield word, value is not None
