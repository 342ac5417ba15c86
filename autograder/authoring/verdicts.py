"""What runs of a unit found, kept beside its bank under digests of what it depends on.

That is `mutants.json` and `proved.json`. Of what has not changed since, a run takes a part, drawn anew each time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..lesson.wire import parsed
from ..unit.assignment import Assignment

#: Of what has not changed, a run takes one in so many.
SAMPLE = 10


def digest_of(parts: Iterable[str]) -> str:
    """A digest of texts, in their order."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read(assignment: Assignment, name: str) -> dict[str, Any]:
    """What a file beside the bank keeps, by exercise; nothing when it is not there or broken."""
    try:
        found = parsed((assignment.path.parent / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write(assignment: Assignment, name: str, kept: Mapping[str, Any]) -> Path:
    """Keep something in a file beside the bank."""
    path = assignment.path.parent / name
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
