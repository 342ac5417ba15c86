"""Whose function it is that an answer calls: names that two cells define, and answers that stand in another file.

The functions that check an answer live in the same notebook. Where a learner's helper has the name of one of them, the
cell that ran last has replaced the other's, and a right answer fails, or its check does. And a notebook alone is handed
in: what it imports from a file beside it is not there when it is graded.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

from .failures import MISSING, CheckFailed, Failure
from .probes import LocalBoundary, Probe, Session


def defined(source: str) -> set[str]:
    """The functions and classes that a cell's text defines by itself; it need not be readable.

    >>> sorted(defined("def f(x):\\n    def g(): ...\\nclass A: ..."))
    ['A', 'f']
    """
    return set(re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", source, re.MULTILINE))


def two_names(name: str) -> str:
    """What is said of a name of an answer's own that is one of the cells that check it, too."""
    return f"`{name}` is a name of your answer's, and one of a cell that checks it, too"


def bound(source: str) -> set[str]:
    r"""The functions, classes and values that a cell's text gives names to; it need not be readable.

    >>> sorted(bound("A, b = 1, 2\nc: int = 3\nd == e\ndef f(x):\n    y = 1"))
    ['A', 'b', 'c', 'f']
    """
    lines = re.findall(r"^([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*(?::[^=\n]+)?=(?!=)", source, re.MULTILINE)
    return defined(source) | {name for line in lines for name in re.findall(r"\w+", line)}


def refuse_what_clashes(exercise: str, check: str, called: Iterable[str], session: Session) -> None:
    """Raises CheckFailed in a notebook where a helper of the answer's and one of the check's have the same name, or
    where the answer is imported from a file beside the notebook. `called` are the names that the check asks for.
    """
    if not session.is_notebook or not isinstance(session.boundary, LocalBoundary):
        return
    namespace, called = session.boundary.namespace, set(called)
    for name in sorted(called):
        if file := _file_beside(namespace.get(name)):
            headline = f"`{name}` comes from {file}, and only this notebook is handed in"
            hint = "put the text of that file into the answer cell, run it, then this one again"
            raise CheckFailed(Failure(exercise, MISSING, headline, hint=hint, not_run=True))
    probes = [namespace.get(name) for name in set(re.findall(r"\w+", check))]
    cells = {_cell_of(one) for one in probes if isinstance(one, Probe)} - {""}
    checking = {name for cell in cells for name in _bound_in(cell)}
    answers = {file for name in called - checking if (file := _cell_of(namespace.get(name)))}
    for cell in sorted(cells):
        for name in sorted(_bound_in(cell)):
            if any(name in _bound_in(answer) for answer in answers - cells):
                headline = two_names(name)
                hint = "give yours another name, run the answer cell, then all cells from there to this one again"
            elif _cell_of(namespace.get(name)) not in ("", cell):
                headline = f"`{name}`, which checks the answer, was replaced by another function of this name"
                hint = "run all cells from the answer cell to this one again"
            else:
                continue
            raise CheckFailed(Failure(exercise, MISSING, headline, hint=hint, not_run=True))


def _bound_in(cell: str) -> set[str]:
    return bound("".join(linecache.getlines(cell)))


def _cell_of(thing: Any) -> str:
    """The file name under which Python knows the cell of a function or class; empty for anything else."""
    if isinstance(thing, Probe):
        thing = thing.function
    function = next(_functions_of(thing), None)
    return function.__code__.co_filename if function is not None and thing.__module__ == "__main__" else ""


def _functions_of(thing: Any) -> Iterator[FunctionType]:
    if isinstance(thing, FunctionType):
        yield thing
    elif isinstance(thing, type):
        yield from (value for value in vars(thing).values() if isinstance(value, FunctionType))


def _file_beside(thing: Any) -> str:
    """The name of the file in the notebook's folder from which a function or class was imported; else empty."""
    module = sys.modules.get(getattr(thing, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    if (
        not isinstance(thing, (FunctionType, type))
        or not file
        or getattr(module, "__name__", "") == "__main__"
    ):
        return ""
    return Path(file).name if Path(file).parent == Path.cwd() else ""
