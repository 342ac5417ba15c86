"""A line that a learner's own network wrote, chosen by the learner for the page at the end of the course."""

from __future__ import annotations

from typing import Any

from .logbook import note_line
from .predict import EMPTY
from .wire import printable

#: The longest line that the page has room for, in characters.
LONGEST = 120


def keep_line(line: Any, written: str) -> None:
    """Keep a line of the text `written` for the learner's page, and say so; where it is none of it, say that.

    >>> keep_line(None, "From fairest creatures")
    none chosen yet: put a line of it between quotes in place of None, and run this cell again
    >>> keep_line("fairest features", "From fairest creatures")
    ✗ kept nothing: this line does not stand in the text. Copy one exactly.
    >>> keep_line(" fairest creatures", "From fairest creatures")
    ✓ kept for your page: fairest creatures
    """
    if isinstance(line, str | None) and line in EMPTY:
        print("none chosen yet: put a line of it between quotes in place of None, and run this cell again")
        return
    chosen = line.strip() if isinstance(line, str) else ""
    if not chosen or not any(chosen in row for row in written.splitlines()):
        print("✗ kept nothing: this line does not stand in the text. Copy one exactly.")
    elif len(chosen) > LONGEST:
        print(f"✗ kept nothing: this line has {len(chosen)} characters, and the page has room for {LONGEST}.")
    else:
        note_line(chosen)
        print("✓ kept for your page:", printable(chosen, LONGEST))


__all__ = ["keep_line"]
