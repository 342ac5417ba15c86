"""Mutants: a right answer with one small fault, made by machine from its syntax tree.

A bank of wrong answers holds what its authors thought of. Mutants look where they did not: `mutants(source)` gives
every answer that differs from a right one by one exchanged operator, one dropped factor, one axis, one missing copy.
Most are wrong, and a check has to say so; one that passes shows a gap in the check, or is no fault at all.

A mutant replaces a piece of the text and leaves the rest as it was written, so that the difference can be read.
"""

from __future__ import annotations

import ast
import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass

from ..lesson.syntax import syntax_tree
from . import fault_flow, fault_likely, fault_objects, fault_values
from .source_text import Edit, Source

#: Changes of this file's operators make other mutants, and so need other verdicts.
VERSION = 2


@dataclass(frozen=True)
class Mutant:
    """A source with a fault, or with two."""

    source: str
    edits: tuple[Edit, ...]

    @property
    def kind(self) -> str:
        return " and ".join(edit.kind for edit in self.edits)

    @property
    def told(self) -> str:
        return ", and ".join(edit.told for edit in self.edits)

    @property
    def key(self) -> str:
        """A digest of what it does as a program: its layout does not count."""
        return hashlib.sha256(ast.dump(syntax_tree(self.source)).encode()).hexdigest()[:16]


def mutants(source: str, at_least: int = 100, most: int = 400) -> list[Mutant]:
    """The mutants of an answer cell: each with one fault, and where these are few, pairs of faults up to `at_least`.

    The same source gives the same mutants. Raises SyntaxError when the source is not Python.
    """
    tree = syntax_tree(source)
    original = ast.dump(tree)
    seen = {original}
    found: list[Mutant] = []
    edits = list(_edits(source))

    def add(*chosen: Edit) -> None:
        text = apply(source, chosen)
        try:
            shape = ast.dump(syntax_tree(text))
        except (SyntaxError, ValueError):
            return
        if shape not in seen:
            seen.add(shape)
            found.append(Mutant(text, chosen))

    for edit in edits:
        add(edit)
    order = random.Random(len(source))
    if len(found) > most:
        found = order.sample(found, most)
    tries = 0
    while len(found) < at_least and len(edits) > 1 and tries < 20 * at_least:
        tries += 1
        one, two = sorted(order.sample(edits, 2), key=lambda edit: edit.start)
        if one.end <= two.start:
            add(one, two)
    return found


def likely_mutants(source: str) -> list[Mutant]:
    """Every mutant with one fault, and with one of those that only learners' mistakes are compared with.

    Raises SyntaxError when the source is not Python.
    """
    more = (fault for node in _places(source) for make in fault_likely.FAULTS for fault in make(*node))
    seen = {ast.dump(syntax_tree(source))}
    found = mutants(source, at_least=0, most=10_000)
    seen |= {ast.dump(syntax_tree(mutant.source)) for mutant in found}
    for edit in more:
        text = apply(source, (edit,))
        try:
            shape = ast.dump(syntax_tree(text))
        except (SyntaxError, ValueError):
            continue
        if shape not in seen:
            seen.add(shape)
            found.append(Mutant(text, (edit,)))
    return found


def _places(source: str) -> Iterator[tuple[Source, ast.AST]]:
    tree = syntax_tree(source)
    places = Source(source, tree)
    for node in ast.walk(tree):
        if not places.is_docstring(node) and not places.in_annotation(node):
            yield places, node


def apply(source: str, edits: tuple[Edit, ...]) -> str:
    """The source with these edits, which do not overlap."""
    # Of two at one place what is put in before the other comes last, or the other would fall into it.
    for edit in sorted(edits, key=lambda edit: (-edit.start, -edit.end)):
        source = source[: edit.start] + edit.text + source[edit.end :]
    return source


def _edits(source: str) -> Iterator[Edit]:
    """Every fault at every place, in the order of the tree."""
    for places, node in _places(source):
        for fault in (*fault_values.FAULTS, *fault_flow.FAULTS, *fault_objects.FAULTS):
            yield from fault(places, node)
