"""What an exercise depends on: of the cells around it, the statements that its answers and its check can reach.

Verdicts on mutants take minutes, and are kept under a digest of what they depend on. A whole unit's cells in it would
ask for all mutants anew whenever one probe changes.
"""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from ..lesson.syntax import syntax_tree
from ..referee.bank import Entry
from ..unit.assignment import Assignment, Exercise
from ..unit.notebook import visible_part

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: Statements of several: what they set is not all that they do.
_COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try)


@dataclass(frozen=True)
class _Statement:
    """One statement at the top of a cell: its text, what it sets, and what it looks at."""

    text: str
    #: names that it defines or assigns, and those of which it changes an item or an attribute
    sets: frozenset[str]
    uses: frozenset[str]

    def counts_for(self, names: set[str]) -> bool:
        """Whether it may change what these names mean: one that sets nothing may write into all that it looks at."""
        return not names.isdisjoint(self.sets or self.uses)


def around(
    assignment: Assignment, exercise: Exercise, entries: Iterable[Entry], hidden: bool = True
) -> list[str]:
    """The texts on which an exercise depends besides its own: the bank's right answers, and what all of it reaches.

    Without `hidden` tests, what their visible parts reach.
    """

    def seen(text: str) -> str:
        return text if hidden else visible_part(text)

    right = [entry.source for entry in entries if entry.right and entry.exercise == exercise.name]
    cells = [seen(cell.source) for cell in assignment.trusted_cells() if cell.name != exercise.name]
    return right + reached(cells, (seen(exercise.check), exercise.solution, *right))


def reached(cells: Iterable[str], roots: Iterable[str]) -> list[str]:
    """The statements of these cells, in their order, that the roots' names lead to; a cell that is no Python is whole.

    A text that is an expression counts as one: `yours("f")` reaches f. A name that is put together while it runs is
    not seen.

    >>> cells = ["import json, math", "def f(x):\\n    return math.exp(x)", "def g(x):\\n    return json.loads(x)"]
    >>> reached(cells, ["f(1)"])
    ['import math', 'def f(x):\\n    return math.exp(x)']
    """
    names = {name for root in roots for one in _statements(root) for name in one.uses}
    statements = [statement for cell in cells for statement in _statements(cell)]
    found: set[int] = set()
    while more := {i for i, one in enumerate(statements) if i not in found and one.counts_for(names)}:
        found |= more
        for i in more:
            names |= statements[i].uses
    return [statements[i].text for i in sorted(found)]


@functools.lru_cache(1024)
def _statements(cell: str) -> tuple[_Statement, ...]:
    try:
        tree = syntax_tree(cell)
    except SyntaxError:
        return (_Statement(cell, frozenset(), frozenset(cell.split())),)
    found: list[_Statement] = []
    lines = cell.splitlines(keepends=True)
    for node in tree.body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        text = "".join(lines[first - 1 : node.end_lineno]).rstrip()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found += _imports(node)
            continue
        own = () if isinstance(node, _COMPOUND) else _set_by(node)
        found.append(_Statement(text, frozenset(own), frozenset(_used(node))))
    return tuple(found)


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[_Statement]:
    """Each name by itself: which ones share a line says nothing."""
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        if isinstance(node, ast.Import):
            one: ast.stmt = ast.Import([alias])
        else:
            one = ast.ImportFrom(node.module, [alias], node.level)
        yield _Statement(ast.unparse(one), frozenset({name}), frozenset())


def _set_by(node: ast.AST) -> Iterator[str]:
    """What a statement gives a meaning, or another one; what stands inside of a function is its own affair."""
    if isinstance(node, _FUNCTIONS):
        yield node.name
        return
    stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    if stored and isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        base: ast.AST = node
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        yield from _used(base)
    for child in ast.iter_child_nodes(node):
        yield from _set_by(child)


def _used(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield from _in_text(one.value)


def _in_text(text: str) -> Iterator[str]:
    """The names of a text that is an expression; a sentence is none."""
    with suppress(SyntaxError, ValueError), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of "2or 3" Python says that it is no number
        for node in ast.walk(syntax_tree(text.strip())):
            if isinstance(node, ast.Name):
                yield node.id
