"""The files that authors write beside a unit's source."""

from __future__ import annotations

import tomllib
from typing import Any

from ..errors import UserError
from ..unit.assignment import Assignment


def read_toml(assignment: Assignment, name: str) -> dict[str, Any]:
    """What a file beside the unit's source says; nothing where there is none. Raises UserError when it is broken."""
    path = assignment.path.parent / name
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None
