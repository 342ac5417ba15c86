"""Cells that were run and that Python could not read: their answers are still what an earlier version made them.

A kernel that meets a SyntaxError runs nothing of the cell, so the old function is still there. A check that judged it
would say of the new text what is true of the old one.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from .clashes import defined, refuse_what_clashes
from .failures import MISSING, CheckFailed, Failure
from .probes import LocalBoundary, Probe, Session


@dataclass
class Unread:
    """A cell whose last run ended before its first line."""

    #: the notebook's name of the cell, where its front end tells it
    cell: str | None
    #: what it was to define, as far as no other cell has defined it since
    names: set[str]
    #: what is wrong, such as "SyntaxError in line 3"
    fault: str


#: The cells of this kernel that Python could not read when they were last run.
_unread: list[Unread] = []
#: The source of the cell that is running: a check's own.
_running = [""]


def begins(source: str) -> None:
    """A cell begins to run."""
    _running[0] = source


def ended(source: str, cell: str | None, error: BaseException | None) -> None:
    """A cell was run; `error` is what kept it from being run at all."""
    if error is not None and not isinstance(error, SyntaxError):
        return  # interrupted, say: nothing has changed
    names = defined(source)
    for one in [*_unread]:
        left = one.names - names
        if (cell is not None and one.cell == cell) or (one.names and not left):
            _unread.remove(one)
        one.names = left
    if isinstance(error, SyntaxError) and (names or cell):
        where = f" in line {error.lineno}" if error.lineno else ""
        _unread.append(Unread(cell, names, f"{type(error).__name__}{where}"))


def refuse_to_judge(exercise: str, session: Session) -> None:
    """Raises CheckFailed in a notebook where the exercise's answer was last run and could not be read, or clashes."""
    if not session.is_notebook:
        return
    boundary = session.boundary
    namespace = boundary.namespace if isinstance(boundary, LocalBoundary) else {}
    called = set(_called(_running[0], namespace))
    for one in _unread:
        # A cell's name in this course is its exercise's. A front end that has names of its own tells nothing by them.
        another = one.cell is not None and one.cell.isidentifier()
        if exercise == one.cell or exercise in one.names or (not another and one.names & called):
            headline = f"its answer cell was not run: {one.fault}"
            hint = "mend that line, run the answer cell, then this one again: until then its old version is there"
            raise CheckFailed(Failure(exercise, MISSING, headline, hint=hint, not_run=True))
    refuse_what_clashes(exercise, _running[0], {exercise, *called}, session)


def _called(check: str, namespace: Mapping[str, Any]) -> Iterator[str]:
    """The notebook's names that a check's text asks for: by itself, and through its probes."""
    yield from re.findall(r"\byours\.(\w+)", check)
    for name in set(re.findall(r"\w+", check)):
        probe = namespace.get(name)
        if isinstance(probe, Probe) and probe.function is not None:
            yield from _globals_of(probe.function.__code__)


def _globals_of(code: CodeType) -> Iterator[str]:
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield str(step.argval)
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield from _globals_of(inside)
