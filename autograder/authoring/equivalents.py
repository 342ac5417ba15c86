"""Mutants that pass and are no fault: `equivalents.toml` beside the bank, with a reason for each."""

from __future__ import annotations

import tomllib

from ..errors import UserError
from ..unit.assignment import Assignment

EQUIVALENTS = "equivalents.toml"


def read_equivalents(assignment: Assignment) -> dict[str, dict[str, str]]:
    """The mutants that are no fault, by exercise, with their reasons. Raises UserError when the file is broken."""
    path = assignment.path.parent / EQUIVALENTS
    if not path.is_file():
        return {}
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None
    known = {exercise.name for exercise in assignment.exercises} | {"*"}
    for name, reasons in found.items():
        if name not in known:
            raise UserError(f"{path}: [{name}] is no exercise of {assignment.unit}.")
        if not isinstance(reasons, dict) or not all(isinstance(r, str) and r for r in reasons.values()):
            raise UserError(f"{path}: under [{name}] each line is a mutant's name and the reason, as text.")
    return found
