"""Mutants that pass and are no fault: `equivalents.toml` beside the bank, with a reason for each."""

from __future__ import annotations

from ..errors import UserError
from ..unit.assignment import Assignment
from .beside import read_toml

EQUIVALENTS = "equivalents.toml"


def read_equivalents(assignment: Assignment) -> dict[str, dict[str, str]]:
    """The mutants that are no fault, by exercise, with their reasons. Raises UserError when the file is broken."""
    path, found = assignment.path.parent / EQUIVALENTS, read_toml(assignment, EQUIVALENTS)
    known = {exercise.name for exercise in assignment.exercises} | {"*"}
    for name, reasons in found.items():
        if name not in known:
            raise UserError(f"{path}: [{name}] is no exercise of {assignment.unit}.")
        if not isinstance(reasons, dict) or not all(isinstance(r, str) and r for r in reasons.values()):
            raise UserError(f"{path}: under [{name}] each line is a mutant's name and the reason, as text.")
    return found
