"""Runs what a learner wrote in one unit's notebook, in a namespace of its own, and says whose each part is.

Run are set-up, given and answer cells, as text from the saved notebook; never checks, probes or figures. Of cells to
play with and of added cells only definitions are run, because an answer may call a helper that stands there.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import linecache
import traceback
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...lesson.syntax import syntax_tree
from ...lesson.unfinished import MESSAGE
from ...unit.raw import cells_of, metadata_of, parse, read_bytes, source_of
from .parts import Part

YOURS = "yours"
NOT_WRITTEN = "reference, not written yet"

#: Where a cell of the learner's ends up in tracebacks: unit and cell.
_PLACE = "<your {unit}, cell {cell}>"

Names = dict[str, Any]


@dataclass
class Unit:
    """What the cells of one notebook defined, with stand-ins where an answer is missing."""

    name: str
    names: Names = field(default_factory=dict)
    #: for each exercise that the engine uses: YOURS, or why it is not
    whose: dict[str, str] = field(default_factory=dict)
    #: the given cells, each with the reason why it does not run, or None
    given: dict[str, str | None] = field(default_factory=dict)


def run_unit(
    name: str, notebook: Path, parts: list[Part], after: Mapping[str, Callable[[Names], None]] | None = None
) -> Unit:
    """Run a notebook's cells; `after` a cell of that name its function may change what is defined."""
    unit = Unit(name, {"__name__": name})
    by_exercise = {part.exercise: part for part in parts}
    for part in parts:
        unit.names |= part.stand_ins
        unit.whose[part.exercise] = NOT_WRITTEN
    for cell in cells_of(parse(read_bytes(notebook), notebook.name)):
        if cell.get("cell_type") != "code":
            continue
        cell_name, kind = _cell(cell, by_exercise)
        source = source_of(cell)
        if kind == "other":
            _run_definitions(unit, cell, source)
        elif kind == "answer" and cell_name in by_exercise:
            _run_answer(unit, by_exercise[cell_name], source)
        elif kind in ("answer", "given"):
            error = _run(unit, cell_name, source)
            if kind == "given":
                unit.given[cell_name] = _brief(error) if error is not None else None
        if after and cell_name in after and unit.given.get(cell_name, "not run") is None:
            after[cell_name](unit.names)
    return unit


def _cell(cell: dict[str, Any], exercises: Container[str]) -> tuple[str, str]:
    """A cell's name, and what it is: "given" (set-up as well), "answer", "other", or empty for what is not run."""
    metadata = metadata_of(cell)
    about, ours = metadata.get("nbgrader"), metadata.get("autograder")
    if not isinstance(about, dict):  # where metadata was lost, the cell's id still tells, as when grading
        own_id = cell.get("id")
        return (own_id, "answer") if isinstance(own_id, str) and own_id in exercises else ("", "other")
    name = about.get("grade_id")
    name = name if isinstance(name, str) else ""
    if about.get("solution"):
        return name, "answer"
    kind = ours.get("kind") if isinstance(ours, dict) else None
    given = kind in ("setup", "given") and not name.endswith("_probes")
    return name, "given" if given else ""


def _run_answer(unit: Unit, part: Part, source: str) -> None:
    unwritten = _unwritten(source)
    if unit.whose[part.exercise] == YOURS and (unwritten or not source.strip()):
        return  # a copy of the cell that holds no answer
    stand_ins = {name: unit.names.get(name) for name in part.stand_ins}
    error = _run(unit, part.exercise, source)
    missing = [n for n, old in stand_ins.items() if n in unwritten or unit.names.get(n) is old]
    if error is not None and not _is_stub(error):
        unit.whose[part.exercise] = f"reference, because yours does not run: {_brief(error)}"
        missing = list(stand_ins)
    elif not missing:
        unit.whose[part.exercise] = YOURS
    elif len(missing) < len(stand_ins):
        unit.whose[part.exercise] = f"yours; reference for {', '.join(missing)}, not written yet"
    for name, stand_in in stand_ins.items():
        if name in missing:
            unit.names[name] = stand_in
        elif isinstance(unit.names[name], type):
            _explain_methods(unit.names[name], unit.name, part.exercise)
        else:
            unit.names[name] = explained(unit.names[name], unit.name, part.exercise)


def _run(unit: Unit, cell: str, source: str) -> BaseException | None:
    """Run a cell, quietly; gives what it raised."""
    place = _PLACE.format(unit=unit.name, cell=cell)
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(source, place, "exec"), unit.names)
    except (Exception, SystemExit) as error:  # also an `exit()` in an answer
        return error
    return None


def _run_definitions(unit: Unit, cell: dict[str, Any], source: str) -> None:
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    kinds = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
    lines = source.splitlines()
    for node in tree.body:
        if isinstance(node, kinds) or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)):
            above = "\n" * (node.lineno - 1)  # so that a traceback names the line
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list:
                continue
            _run(unit, str(cell.get("id", "added")), above + text)


def _unwritten(source: str) -> set[str]:
    """The functions and classes of an answer that still raise the stub's error before they return."""
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and any(map(_ends_in_stub, _functions(node)))
    }


def _functions(node: ast.FunctionDef | ast.ClassDef) -> list[ast.FunctionDef]:
    if isinstance(node, ast.FunctionDef):
        return [node]
    return [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]


def _ends_in_stub(function: ast.FunctionDef) -> bool:
    for statement in function.body:
        if isinstance(statement, ast.Return):
            return False
        if isinstance(statement, ast.Raise) and MESSAGE in ast.unparse(statement):
            return True
    return False


def _is_stub(error: BaseException) -> bool:
    return type(error) is NotImplementedError and error.args == (MESSAGE,)


def _brief(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__} in line {error.lineno}: {error.msg}"
    line = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


# -- an answer that raises when it is used ------------------------------------------------------------------------


def explained(function: Callable[..., Any], unit: str, exercise: str) -> Callable[..., Any]:
    """The learner's function; an exception that leaves it says whose it is and where it was raised."""
    name = getattr(function, "__name__", exercise)
    is_rule = name.endswith("_rule")

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            value = function(*args, **kwargs)
            if is_rule and not isinstance(value, tuple | list):
                raise TypeError(
                    f"a rule gives a tuple of cotangents, and this one gave {type(value).__name__}"
                )
            return value
        except Exception as error:
            explain(error, name, unit, exercise)
            raise

    return call


def _explain_methods(owner: type, unit: str, exercise: str) -> None:
    for name, value in list(vars(owner).items()):
        if callable(value) and hasattr(value, "__code__"):
            setattr(owner, name, explained(value, unit, exercise))


def explain(error: Exception, name: str, unit: str, exercise: str) -> None:
    """Let an exception show a sentence and the learner's own line; the first to explain it is the nearest."""
    if hasattr(error, "_render_traceback_"):
        return
    said = [f"Your `{name}` of unit {unit} (exercise `{exercise}`) raised {_brief(error)}"]
    place = _PLACE.format(unit=unit, cell=exercise)
    inside = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == place]
    said += [f"  line {f.lineno} of that answer:  {f.line}" for f in inside[-1:]]

    def shown() -> list[str]:
        # Now the traceback reaches up to the cell that was run.
        cells = [f for f in traceback.extract_tb(error.__traceback__) if "ipykernel_" in f.filename]
        used = [f"  used in line {f.lineno} of the cell:  {f.line}" for f in cells[:1]]
        return ["\n".join(said + used)]

    error._render_traceback_ = shown  # type: ignore[attr-defined]
    error.add_note("\n".join(said))


def explain_file(error: Exception, file: str) -> None:
    """Let an exception that left the engine of a file say so, with the line there that raised it."""
    if hasattr(error, "_render_traceback_") or getattr(error, "__notes__", None):
        return
    inside = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).name == file]
    if inside:
        error.add_note(f"{file} raised this in line {inside[-1].lineno}:  {inside[-1].line}")
