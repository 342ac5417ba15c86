"""A unit that takes long says which of its sections can wait, and about how long it takes without them."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator

import pytest

from autograder.classroom.teaching.items import SHORT_TOLD, TIME_TOLD, Lesson
from autograder.classroom.teaching.minutes import WORDS, minutes_of, numbers_told
from autograder.unit.assignment import Assignment, Course
from autograder.unit.cell import ANSWER, Cell

from ..conftest import REPOSITORY

COURSE = Course(REPOSITORY)
SECTION = re.compile(r"^## (?:(\d+)\. )?", re.MULTILINE)
#: So far the minutes that are told may be from those that are counted.
NEAR = 12


def prose(assignment: Assignment) -> str:
    return "\n".join(cell.source for cell in assignment.cells if cell.cell_type == "markdown")


SHORTENED = [unit for unit in COURSE.units() if SHORT_TOLD.search(prose(COURSE.assignment(unit)))]


def in_sections(assignment: Assignment) -> Iterator[tuple[int, Cell]]:
    """Every cell with the number of its section; where a section has none, and before the first, it is 0."""
    number = 0
    for cell in assignment.cells:
        if cell.cell_type == "markdown":
            for found in SECTION.finditer(cell.source):
                number = int(found[1] or 0)
        yield number, cell


def test_every_long_unit_says_so() -> None:
    long = {
        unit
        for unit in COURSE.units()
        if (told := TIME_TOLD.search(prose(COURSE.assignment(unit)))) and int(told[1]) > 100
    }
    assert long - set(SHORTENED) == {"16_small_gpt", "17_from_an_empty_page"}  # in two sittings, and in parts
    assert set(SHORTENED) <= long


@pytest.mark.parametrize("unit", SHORTENED)
def test_nothing_else_needs_what_can_wait(unit: str) -> None:
    assignment = COURSE.assignment(unit)
    told = SHORT_TOLD.search(prose(assignment))
    assert told
    waits, cells = numbers_told(told[2]), list(in_sections(assignment))
    assert waits <= {number for number, _ in cells}
    made = {
        name
        for number, cell in cells
        if number in waits and cell.cell_type == "code"
        for node in ast.parse(cell.source).body
        for name in names_made(node)
    }
    for number, cell in cells:
        if number in waits or cell.cell_type != "code" or "progress()" in cell.source:
            continue
        here = {name for node in ast.parse(cell.source).body for name in names_made(node)}
        used = set(names_asked_for(symtable.symtable(cell.source, cell.id, "exec"))) & made - here
        defined_before = {
            name
            for before, other in cells[: [c for _, c in cells].index(cell)]
            if before not in waits and other.cell_type == "code"
            for node in ast.parse(other.source).body
            for name in names_made(node)
        }
        assert not used - defined_before, f"{cell.id}, in section {number}, needs {used - defined_before}"


def names_made(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a cell binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import | ast.ImportFrom):
            for alias in inner.names:
                yield (alias.asname or alias.name).split(".")[0]
        elif isinstance(inner, ast.FunctionDef):
            yield inner.name
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id


def names_asked_for(table: symtable.SymbolTable) -> Iterator[str]:
    """The names that a cell takes from the notebook, in its functions too."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (symbol.is_global() or table.get_type() == "module"):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from names_asked_for(inner)


@pytest.mark.parametrize("unit", SHORTENED)
def test_it_takes_about_so_long(unit: str) -> None:
    assignment = COURSE.assignment(unit)
    told = SHORT_TOLD.search(prose(assignment))
    assert told
    minutes, waits = minutes_of(Lesson.of(assignment)), numbers_told(told[2])
    spared = 0.0
    for number, cell in in_sections(assignment):
        if number in waits and cell.cell_type == "markdown":
            spared += len(cell.source.split()) / WORDS * min(1, minutes.reading * WORDS / minutes.words)
        elif number in waits and cell.kind == ANSWER:
            spared += minutes.exercises[cell.name]
    assert minutes.whole - spared == pytest.approx(int(told[1]), abs=NEAR)
