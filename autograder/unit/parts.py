"""The parts that a check names, read from its text: what each is worth is known before anything runs."""

from __future__ import annotations

import ast
import math
from typing import NamedTuple

from ..errors import UserError
from ..lesson.syntax import syntax_tree
from .notebook import visible_part


class PartOf(NamedTuple):
    """A part of an exercise and its points."""

    name: str
    points: float


def parts_of(check: str, points: float, where: str) -> tuple[PartOf, ...]:
    """The parts of a check cell, in order; none where it is all or nothing.

    Raises UserError when what is seen of the cell does not name them all, or their points are not the check's.
    """
    if ".part(" not in check:
        return ()
    try:
        parts = _named(check, where)
    except SyntaxError:
        return ()  # which says more when it runs
    try:
        shown = _named(visible_part(check), where)
    except SyntaxError:  # a block without a statement
        shown = ()
    if parts != shown:
        raise UserError(
            f"{where}: each of its parts needs a check that students see: its name and its points."
        )
    if parts and not math.isclose(sum(part.points for part in parts), points):
        told = " + ".join(f"{part.points:g}" for part in parts)
        raise UserError(f"{where}: its parts give {told} points, and the check {points:g}.")
    return parts


def _named(check: str, where: str) -> tuple[PartOf, ...]:
    tree = syntax_tree(check)
    calls = [node for node in ast.walk(tree) if _is_part(node)]
    found = []
    for block in tree.body:
        for statement in block.body if isinstance(block, ast.With) else ():
            if isinstance(statement, ast.With) and _is_part(call := statement.items[0].context_expr):
                assert isinstance(call, ast.Call)
                found.append(_read(call, where))
    if len(found) != len(calls):
        raise UserError(
            f"{where}: a part is a `with check.part(...):` of its own, right in the exercise's block, where it is "
            "asked once of every answer."
        )
    if len({part.name for part in found}) != len(found):
        raise UserError(f"{where}: two parts have one name.")
    return tuple(found)


def _is_part(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "part"


def _read(call: ast.Call, where: str) -> PartOf:
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "points")]
    values = [value.value for value in given if isinstance(value, ast.Constant)]
    match values:
        case [str(name), int() | float() as points] if len(given) == 2 and 0 < points < 1000 and name.strip():
            return PartOf(name, points)
    raise UserError(f'{where}: a part is written with a name and points, as `check.part("mean", 1)`.')
