"""What nbgrader's exchange directory needs to give feedback back: two small files beside each page.

`nbgrader submit` writes them, `nbgrader release_feedback` asks for them beside the page. Nothing else that a student
handed in beside the notebook goes on, so neither do these by themselves.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from ..errors import UserError
from ..unit.raw import read_bytes
from .attempts import read_timestamp

#: By it a student's own nbgrader finds the page, and nobody else's.
SECRET = "submission_secret.txt"
_WELL_FORMED = re.compile(rb"[0-9a-f]{1,512}")


def put_beside_the_page(submitted: Path, feedback: Path) -> None:
    """Copy both files from a student's hand-in to the folder of the page, where they came by the exchange."""
    with suppress(UserError, OSError):
        secret = read_bytes(submitted / SECRET)
        if _WELL_FORMED.fullmatch(secret) and read_timestamp(submitted / "timestamp.txt"):
            (feedback / "timestamp.txt").write_bytes(read_bytes(submitted / "timestamp.txt"))
            (feedback / SECRET).write_bytes(secret)
