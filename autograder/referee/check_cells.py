"""Check cells and the trusted set-up, run here: their code, their names, and the line at which one ended."""

from __future__ import annotations

import functools
import inspect
import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from ..lesson.failures import CheckFailed
from ..lesson.probes import AnswerError, Call, Probe, Session, use_session
from ..unit.assignment import Assignment
from ..unit.cell import SETUP


def setup_names(assignment: Assignment) -> dict[str, Any]:
    """What the check cells may use: the names of the trusted set-up cells."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in assignment.cells:
        if cell.kind == SETUP:
            filename = f"<setup {assignment.unit} {cell.name}>"
            remember(filename, cell.source)
            exec(compiled(cell.source, filename), names)
    return names


def known_probes(assignment: Assignment) -> list[tuple[str, str]]:
    """The probes of the set-up cells, by name and text: students have them, in a cell above the check."""
    released = "\n".join(cell.source for cell in assignment.released if cell.kind == SETUP)
    found = [value for value in setup_names(assignment).values() if isinstance(value, Probe)]
    return [(one.name, one.source) for one in found if one.source is not None and one.source in released]


@functools.lru_cache(512)
def compiled(source: str, filename: str) -> CodeType:
    """The code of one of our own cells: every submission runs the same ones."""
    return compile(source, filename, "exec")


def remember(filename: str, source: str) -> None:
    """Let inspect.getsource find the probes' text."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)


@contextmanager
def checking(session: Session) -> Iterator[None]:
    """Around a check cell that runs here, in which what a wrong answer gave may overflow without a warning of ours."""
    import numpy as np

    with use_session(session), np.errstate(all="ignore"):
        yield


def line_of(error: BaseException, filename: str) -> int:
    """The line of a check cell at which it ended; 0 when it was not there.

    Of several parts that failed, the first line that students see, if there is one.
    """
    if isinstance(error, CheckFailed) and error.failure.parts:
        ended = [part.line for part in error.failure.parts if part.failure is not None]
        check = "".join(linecache.getlines(filename))
        return next((line for line in ended if not in_hidden_part(check, line)), ended[0])
    line = 0
    # An exception of the answer's own is turned into a CheckFailed at the end of the `with` block.
    inner = error.__context__ if isinstance(error.__context__, AnswerError) else error
    traceback = inner.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename and code.co_name == "<module>":
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


class Calls(list[Call]):
    """The calls of a check, each with the line of the check cell that made it."""

    def __init__(self, filename: str) -> None:
        super().__init__()
        self.filename = filename
        self.lines: list[int] = []

    def append(self, call: Call) -> None:
        frame = inspect.currentframe()
        while frame and (frame.f_code.co_filename, frame.f_code.co_name) != (self.filename, "<module>"):
            frame = frame.f_back
        self.lines.append(frame.f_lineno if frame else 0)
        super().append(call)

    def clear(self) -> None:
        self.lines.clear()
        super().clear()

    def shown(self, check: str, which: slice) -> list[Call]:
        """Those of some that the visible part of the check makes, as a student's own notebook does."""
        some = zip(self[which], self.lines[which], strict=True)
        return [call for call, line in some if not in_hidden_part(check, line)]


def in_hidden_part(check: str, line: int) -> bool:
    """True when a line of a check cell stands between the marks of the hidden tests."""
    hidden = False
    for number, text in enumerate(check.splitlines(), start=1):
        if "BEGIN HIDDEN TESTS" in text:
            hidden = True
        elif "END HIDDEN TESTS" in text:
            hidden = False
        if number == line:
            return hidden
    return False
