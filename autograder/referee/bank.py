"""The bank of mistakes: named wrong answers and other right ones, per exercise, in a unit's `mistakes.py`.

    @wrong("mul_vjp", "no_upstream", "You returned the local derivatives but did not multiply them by g.")
    def mul_vjp(g, out, a, b):
        return b, a

The function replaces the one of that name in the model answer. Code that is not one function is given as text:
`wrong("backward", "name", "sentence", source="...")`. An answer that does not come to an end says `ends=False`.
"""

from __future__ import annotations

import contextvars
import importlib.util
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..errors import UserError
from ..unit.assignment import Assignment

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """One answer of the bank."""

    exercise: str
    name: str
    sentence: str
    source: str
    right: bool
    ends: bool = True
    #: the parts of the check that this wrong answer has right: it has to earn these, and no other
    keeps: tuple[str, ...] = ()

    def answer(self, solution: str) -> str:
        """The text of an answer cell: the model answer with this entry's definitions in the place of its own."""
        return f"{solution}\n\n\n{self.source}"


_collecting: contextvars.ContextVar[list[Entry] | None] = contextvars.ContextVar("collecting", default=None)


def _add(entry: Entry) -> None:
    entries = _collecting.get()
    if entries is not None:
        entries.append(entry)


def _source(function: Callable[..., Any]) -> str:
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(("def ", "class ")))
    return "\n".join(lines[first:])


def _tidy(source: str) -> str:
    return textwrap.dedent(source).strip()


def _given(entry: Entry) -> Callable[[Function], Function]:
    """Add an entry whose source was given as text; above a function, it leaves the function alone."""
    _add(entry)
    return lambda function: function


def wrong(
    exercise: str,
    name: str,
    sentence: str,
    *,
    source: str | None = None,
    ends: bool = True,
    keeps: Sequence[str] = (),
) -> Callable[[Function], Function]:
    """Add a wrong answer, with the sentence that a good tutor would say to it, and the parts that it `keeps`."""

    def entry(source: str) -> Entry:
        return Entry(exercise, name, sentence, source, right=False, ends=ends, keeps=tuple(keeps))

    def add(function: Function) -> Function:
        _add(entry(_source(function)))
        return function

    return add if source is None else _given(entry(_tidy(source)))


def right(exercise: str, name: str, *, source: str | None = None) -> Callable[[Function], Function]:
    """Add a right answer that is written differently from the solution."""

    def add(function: Function) -> Function:
        _add(Entry(exercise, name, "", _source(function), right=True))
        return function

    return add if source is None else _given(Entry(exercise, name, "", _tidy(source), True))


def changed(source: str, *pairs: tuple[str, str]) -> str:
    """A source with some of its text replaced. Raises ValueError for a text that is not in it."""
    for old, new in pairs:
        if old not in source:
            raise ValueError(f"{old!r} is to be changed in a source that does not hold it")
        source = source.replace(old, new)
    return source


def load_bank(assignment: Assignment) -> list[Entry]:
    """The entries of a unit; none when it has no `mistakes.py`. Raises UserError when that file is broken."""
    path: Path = assignment.path.parent / "mistakes.py"
    if not path.is_file():
        return []
    entries: list[Entry] = []
    token = _collecting.set(entries)
    try:
        spec = importlib.util.spec_from_file_location(f"mistakes_{assignment.unit}", path)
        assert spec and spec.loader
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    except Exception as error:
        raise UserError(f"{path} cannot be loaded: {type(error).__name__}: {error}.") from None
    finally:
        _collecting.reset(token)
    twice = [key for key, n in Counter((entry.exercise, entry.name) for entry in entries).items() if n > 1]
    if twice:
        exercise, name = twice[0]
        raise UserError(f"{path}: {exercise} has two answers named {name!r}. Give each a name of its own.")
    known = {exercise.name: [part.name for part in exercise.parts] for exercise in assignment.exercises}
    for entry in entries:
        if entry.exercise not in known:
            raise UserError(
                f"{path}: {entry.name!r} belongs to {entry.exercise!r}, which is no exercise of the unit."
            )
        parts = known[entry.exercise]
        if not set(entry.keeps) <= set(parts):
            told = f"has the parts {', '.join(parts)}" if parts else "has no parts"
            raise UserError(
                f"{path}: {entry.name!r} keeps {', '.join(entry.keeps)}; {entry.exercise} {told}."
            )
        if parts and set(entry.keeps) == set(parts):
            raise UserError(
                f"{path}: {entry.name!r} keeps every part of {entry.exercise}, so it is not wrong."
            )
    return entries
