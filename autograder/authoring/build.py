"""Builds the notebooks: `solutions/UNIT/NAME.py` -> executed solution -> released notebook in `course/`.

Beside both goes `likely.json`, by which a learner's notebook recognises the mistakes of the bank, and answers
predictions.
"""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from ..errors import UserError
from ..lesson import likely
from ..sandbox.walls import SandboxError
from ..unit.assignment import Course
from ..unit.settings import configured_sandbox, load_config
from ..unit.source import read_source
from . import edited
from .fingerprints import file_is_for, made_from, make
from .frames import placeholders_left
from .guesses import GUESSES, read_guesses, with_guesses
from .release import release_steps
from .told import notice, outdated

#: The kernel colours tracebacks; who reads them in a terminal or a file would see codes.
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def execute(notebook: NotebookNode, folder: Path, timeout: int = 300) -> None:
    """Run all cells and keep their outputs. Raises UserError when a cell fails or writes to stderr."""
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": folder}},
        extra_arguments=["--log-level=ERROR"],  # it would warn of its loopback port
    )
    language = notebook.metadata["language_info"]
    try:
        # In colours and with pictures, whatever the author's own terminal is to show.
        hidden = ("NO_COLOR", "MPLBACKEND")
        client.execute(env={name: value for name, value in os.environ.items() if name not in hidden})
    except CellExecutionError as error:
        if error.ename == "TestFault":  # which says by itself what to do
            cell = next(cell for cell in reversed(notebook.cells) if _has_raised(cell))
            raise UserError(f"{folder.name}: the cell {cell.id} is at fault: {error.evalue}") from None
        raise UserError(
            f"{folder.name}: a cell of the solution fails.\n{COLOURS.sub('', str(error))}"
        ) from None
    notebook.metadata["language_info"] = language
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = _join_streams(cell.outputs)
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                said = COLOURS.sub("", output.text)[:300]
                raise UserError(f"{folder.name}: the cell {cell.id} writes to stderr: {said}")
            if output.output_type in ("execute_result", "display_data"):
                # How wide a picture is shown belongs to it; all else is the front end's.
                output.metadata = {k: v for k, v in output.metadata.items() if k == "image/png"}


def _has_raised(cell: NotebookNode) -> bool:
    return any(output.output_type == "error" for output in cell.get("outputs", []))


def _join_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join printed pieces that follow each other: where the kernel cuts them varies from run to run."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and last.output_type == output.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def release(notebook: NotebookNode) -> NotebookNode:
    """What students get, by nbgrader's own steps: no solutions, no hidden tests, no outputs."""
    released = nbformat.from_dict(copy.deepcopy(notebook))
    resources: dict[str, Any] = {}
    for step in release_steps():
        released, resources = step.preprocess(released, resources)
    return released


@dataclass(frozen=True)
class Product:
    """A file that the build makes, and what should be in it."""

    path: Path
    notebook: NotebookNode

    @property
    def text(self) -> str:
        return nbformat.writes(self.notebook, version=nbformat.NO_CONVERT) + "\n"


def build_unit(course: Course, unit: str) -> list[Product]:
    """Execute a unit's source; gives the two notebooks, not written yet."""
    source = _source_of(course, unit)
    solution = read_source(source)
    execute(solution, source.parent)
    target = source.with_suffix(".ipynb")
    if (old := edited.read(target)) is not None:
        _keep_equal_outputs(solution, old)
    return [Product(target, solution), Product(_course_path(course, unit, source), release(solution))]


def check_unit(course: Course, unit: str) -> Iterator[str]:
    """What of a unit's notebooks is not what its source produces; nothing is run or written."""
    source = _source_of(course, unit)
    target = source.with_suffix(".ipynb")
    if not target.is_file():
        yield f"{target.relative_to(course.root)} is missing"
        return
    built = edited.read(target)
    if built is None or edited.is_edited(built):
        yield f"{target.relative_to(course.root)} was edited after it was built"
        return
    if _is_behind(built, source):
        yield f"{target.relative_to(course.root)} is not what {source.name} produces"
        return
    for cell in built.cells:
        if cell.cell_type == "code" and cell.source.strip() and cell.execution_count is None:
            yield f"{target.relative_to(course.root)}: the cell {cell.id} has not been executed"
            return
    released = _course_path(course, unit, source)
    if not released.is_file():
        yield f"{released.relative_to(course.root)} is missing"
    elif released.read_text(encoding="utf-8").rstrip("\n") != _text(release(built)):
        yield f"{released.relative_to(course.root)} is not the release of {target.name}"
    yield from check_likely(course, unit)


def check_likely(course: Course, unit: str) -> Iterator[str]:
    """What of the digests and sentences of a unit is not what its bank, its checks and its guesses make."""
    own, copied = likely_paths(course, unit)
    assignment = course.assignment(unit)
    text = own.read_text(encoding="utf-8") if own.is_file() else ""
    if not text:
        yield f"{own.relative_to(course.root)} is missing"
    elif file_is_for(text) != made_from(assignment):
        yield f"{own.relative_to(course.root)} was made from other mistakes or other checks"
    elif text != with_guesses(text, read_guesses(assignment)):
        yield f"{own.relative_to(course.root)} says something else to predictions than {GUESSES}"
    elif assignment.exam:
        if copied.exists():
            yield f"{copied.relative_to(course.root)} is there, and an exam gives no sentences"
    elif not copied.is_file() or copied.read_bytes() != own.read_bytes():
        yield f"{copied.relative_to(course.root)} is not a copy of that in {own.parent.relative_to(course.root)}"


def likely_paths(course: Course, unit: str) -> tuple[Path, Path]:
    """Where the digests of a unit's wrong answers are: with its solution, and with what is released."""
    return course.solutions / unit / likely.FILE, course.root / "course" / unit / likely.FILE


def build_likely(course: Course, unit: str, say: Callable[[str], None]) -> None:
    """Write the digests of a unit's wrong answers, where they have changed; that needs the sandbox."""
    paths = likely_paths(course, unit)
    assignment = course.assignment(unit)
    text = paths[0].read_text(encoding="utf-8") if paths[0].is_file() else ""
    if file_is_for(text) != made_from(assignment):
        try:
            sandbox = configured_sandbox(load_config(course.root), course.root)
        except SandboxError as no_walls:
            kept = "the old one is kept" if text else "there is none now"
            say(f"! {paths[0].relative_to(course.root)} is not made anew, {kept}. {no_walls}")
            return
        say(f"… {unit}: running its wrong answers")
        text = make(assignment, sandbox)
    text = with_guesses(text, read_guesses(assignment))
    for path in paths[:1] if assignment.exam else paths:
        say(_write(course, path, text))
    if assignment.exam:
        paths[1].unlink(missing_ok=True)


def _write(course: Course, path: Path, text: str) -> str:
    """Write a file, if that changes anything; gives the line that says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    if old != text:
        path.write_text(text, encoding="utf-8")
    return f"✓ {path.relative_to(course.root)}" + ("" if old != text else " (unchanged)")


def _is_behind(built: NotebookNode, source: Path) -> bool:
    """Whether a notebook, but for what its cells gave, is another than its source makes."""
    bare = copy.deepcopy(built)
    for cell in bare.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    fresh = read_source(source)
    if "digest" not in bare.metadata.autograder:  # it was built before there were digests
        del fresh.metadata.autograder["digest"]
    return _text(bare) != _text(fresh)


def unbuilt(course: Course, unit: str) -> str:
    """A sentence for whoever is about to grade a unit whose source has changed since it was built; else empty."""
    source = _source_of(course, unit)
    built = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    if edited.is_edited(built):
        return (
            f"! {source.stem}.ipynb was edited after {unit} was built, and what runs here is the edited one: "
            f"`autograder build {unit}` makes it anew, and keeps the edited one."
        )
    if not _is_behind(built, source):
        return ""
    return (
        f"! {source.name} has changed since {unit} was built, and what runs here is the notebook as it was: "
        f"`autograder build {unit}` first."
    )


def build(course: Course, units: list[str], check: bool, say: Callable[[str], None]) -> bool:
    """Build or check units; True when nothing differs (or all was written).

    A last line says of which units no sentences about mutants are told, where their verdicts are out of date.
    """
    good, left_out = True, []
    for unit in units:
        if check:
            problems = list(check_unit(course, unit))
            for problem in problems:
                say(f"✗ {problem}: run `autograder build {unit}`")
            if not problems:
                say(f"✓ {unit}: up to date")
            good = good and not problems
        else:
            say(f"… {unit}: running its solution")
            products = build_unit(course, unit)
            for line in edited.keep(course.root, *((one.path, one.notebook) for one in products)):
                say(line)
            for product in products:
                say(_write(course, product.path, product.text))
            build_likely(course, unit, say)
        if told := placeholders_left(_source_of(course, unit)):
            say(told)
        with suppress(UserError, OSError):  # one that was never built
            if names := outdated(course.assignment(unit)):
                left_out.append((unit, len(names)))
    if left_out:
        say(notice(left_out))
    return good


def _source_of(course: Course, unit: str) -> Path:
    folder = course.solutions / unit
    sources = [p for p in sorted(folder.glob("*.py")) if p.name != "mistakes.py"]
    if len(sources) != 1:
        raise UserError(f"{folder} should hold one notebook source, and holds {len(sources)}.")
    return sources[0]


def _course_path(course: Course, unit: str, source: Path) -> Path:
    return course.root / "course" / unit / f"{source.stem}.ipynb"


def _text(notebook: NotebookNode) -> str:
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT)


def _keep_equal_outputs(new: NotebookNode, old: NotebookNode) -> None:
    """Keep the old pictures where nothing changed that they are drawn from: pixels vary with library versions.

    Cells depend on the cells before them, and figures on the modules that draw them: one digest stands for all.
    """
    before = {cell.id: cell for cell in old.cells if cell.cell_type == "code"}
    if old.metadata.get("autograder", {}).get("drawn_from") != new.metadata.autograder["drawn_from"]:
        return
    for cell in new.cells:
        twin = before.get(cell.id)
        if cell.cell_type == "code" and twin is not None and twin.source == cell.source:
            if [_without_pictures(o) for o in twin.outputs] == [_without_pictures(o) for o in cell.outputs]:
                cell.outputs = twin.outputs


def _without_pictures(output: NotebookNode) -> Any:
    bare = copy.deepcopy(output)
    if "data" in bare:
        # An HTML with a picture in it is the picture, with the text that stands in the output as well.
        bare.data = {
            mime: data
            for mime, data in bare.data.items()
            if not mime.startswith("image/") and "data:image/" not in data
        }
    bare.pop("execution_count", None)
    return bare
