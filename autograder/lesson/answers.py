"""What a call of a student's code comes back with: a value, or an exception, a limit, a lost process, as data."""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from .syntax import syntax_tree

#: Of functions that are not written so many are named.
MOST_NAMED = 8
#: Of a line of code so much is shown where it stands beside another one.
LONGEST = 80
#: A line that does one thing, "…": returns or raises it, gives it to a name, or takes a name apart into it.
ALONE = re.compile(r"((return|yield|raise|[\w., ]+=) ?)?…(= *\w+)?")


class AnswerError(Exception):
    """The student's code raised an exception while a probe called it."""

    def __init__(self, type_name: str, message: str = "", place: str = "", name: str = "") -> None:
        super().__init__(type_name, message, place, name)
        self.type_name = type_name
        self.message = message
        #: where it happened: a line of the student's own code, or empty
        self.place = place
        #: for a NameError, the name that is not there; for a stub, the functions that are not written, with commas
        self.name = name

    @property
    def unfinished(self) -> bool:
        """True when the exception is the stub's own: nothing has been written yet."""
        return self.type_name == "NotImplementedError"

    def __str__(self) -> str:
        return f"{self.type_name}: {self.message}" if self.message else self.type_name


class AnswerTimeout(Exception):
    """A call did not come back in time; the text says which limit was reached."""


class AnswerLost(Exception):
    """The process that runs the student's code ended; the text says how, as far as that can be known."""


class AnswerNotAsked(RuntimeError):
    """A call could not be made, or its answer not be heard, which says nothing of the answer."""


@dataclass(frozen=True)
class Reply:
    """What a call gave: its value, and which arguments it changed in place (by the answering side's own account)."""

    value: Any
    mutated: tuple[int, ...] = ()
    #: what it asked of the check's subject: kinds of question, and how many of each
    asked: tuple[tuple[str, int], ...] = ()


def describe(error: BaseException, beside: str = "") -> AnswerError:
    """An exception of the student's code as data: type, text, and the line of the notebook where it happened."""
    try:
        message = str(error)
    except Exception:
        message = ""
    place = ""
    name = getattr(error, "name", None) if isinstance(error, NameError) else None
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if is_notebook_file(frame.filename) and frame.filename != beside
    ]
    if frames:
        frame = frames[-1]
        place = _place(frames)
        if isinstance(error, NotImplementedError):
            name = ", ".join(_open_beside(_function_of(error.__traceback__, frame), frame.filename, message))
    if isinstance(error, NotImplementedError) and not place and message.isidentifier():
        name = message  # a probe that found nothing written says what it looked for
    return AnswerError(type(error).__name__[:80], message[:500], place[:200], name or "")


def _place(frames: Sequence[traceback.FrameSummary]) -> str:
    """The line at which it happened; where two cells have a part in it, a line of each."""
    frame, line = frames[-1], _line_of(frames[-1])
    # A function of another cell counts its own lines: it is named. A comprehension has no name of its own.
    inside = [f.name for f in frames if f.filename == frame.filename and f.name.isidentifier()]
    if frame.filename == frames[0].filename or not inside:
        return f"line {frame.lineno}: {line}{_here(frame)}" if line else f"line {frame.lineno}"
    caller = next(f for f in reversed(frames) if f.filename == frames[0].filename)
    if line.startswith("raise "):  # a given function refuses what it is called with: by whom?
        return f"line {caller.lineno}: {_line_of(caller)} (refused by {inside[-1]})"
    # Either may be the answer's: it calls what is given, or is called by it.
    called, there = f"line {caller.lineno} of {caller.name}", f"line {frame.lineno} of {inside[-1]}"
    return f"{called}: {_line_of(caller)[:LONGEST]} (in {there}{f': {line[:LONGEST]}' if line else ''})"


def _here(frame: traceback.FrameSummary) -> str:
    """The part of the line that failed, in parentheses; empty where that is all that the line does, or unknown."""
    if frame.end_lineno != frame.lineno or frame.colno is None or frame.end_colno is None:
        return ""
    line = linecache.getline(frame.filename, frame.lineno or 0).encode()  # columns count bytes
    cuts = (None, frame.colno), (frame.colno, frame.end_colno), (frame.end_colno, None)
    before, part, behind = (line[start:end].decode(errors="replace").strip() for start, end in cuts)
    if not part or part.isidentifier() or ALONE.fullmatch(f"{before}…{behind}"):
        return ""
    return f" (here: {part[:LONGEST]})"


def _line_of(frame: traceback.FrameSummary) -> str:
    return linecache.getline(frame.filename, frame.lineno or 0).strip()


def _function_of(tb: TracebackType | None, frame: traceback.FrameSummary) -> str:
    """The function of this frame; of a method, with its class: nobody has written an exercise `__init__`."""
    name = frame.name
    while tb is not None:
        code = tb.tb_frame.f_code
        if (code.co_filename, code.co_name, tb.tb_lineno) == (frame.filename, frame.name, frame.lineno):
            name = code.co_qualname.rpartition("<locals>.")[2]
        tb = tb.tb_next
    name = name.removesuffix(".__init__")
    return name if all(part.isidentifier() for part in name.split(".")) else ""


def _open_beside(name: str, filename: str, message: str) -> list[str]:
    """This function, and the others of its cell that raise the same: in the order of the cell behind it."""
    try:
        tree = syntax_tree("".join(linecache.getlines(filename)))
        others = list(dict.fromkeys(filter(None, _stubs(tree, message, ""))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # whatever a learner has written there
        return [name]
    # Without a name, or where the cell is another by now, what else stands there says nothing.
    return [name, *(other for other in others if other != name)][:MOST_NAMED] if name in others else [name]


def _stubs(tree: ast.AST, message: str, inside: str) -> Iterator[str]:
    """The functions in which `raise NotImplementedError(message)` stands, called as `_function_of` calls them."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.ClassDef():
                yield from _stubs(node, message, f"{inside}{node.name}.")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for found in _stubs(node, message, ""):
                    yield found or f"{inside}{node.name}".removesuffix(".__init__")
            case ast.Raise(
                exc=ast.Call(func=ast.Name(id="NotImplementedError"), args=[ast.Constant(value=said)])
            ):
                if said == message:
                    yield ""
            case ast.stmt() | ast.excepthandler() | ast.match_case():  # an expression holds none
                yield from _stubs(node, message, inside)


def is_notebook_file(filename: str) -> bool:
    """True for the names that IPython and ipykernel give to cells."""
    return filename.startswith(("<ipython-input", "<cell")) or "ipykernel_" in filename
