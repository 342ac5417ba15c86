"""Tables as CSV: quoted, and safe to open in a spreadsheet, whatever a cell's text is."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence

from ...lesson.wire import printable

Cell = str | int | float | None

#: A spreadsheet takes a text that begins so for a formula, and could send or run things with it. The last four are
#: the wide forms of East Asian keyboards.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
MOST_CHARS = 2000


def safe(cell: Cell) -> Cell:
    """A cell as it may be written: numbers stay numbers, a text that would be a formula gets an apostrophe.

    >>> [safe(cell) for cell in (-1.5, "-1.5", "=1+1", "Ada", None)]
    [-1.5, "'-1.5", "'=1+1", 'Ada', '']
    """
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    if not isinstance(cell, str):
        return int(cell) if float(cell).is_integer() else round(cell, 6)
    plain = printable(cell, MOST_CHARS)
    return f"'{plain}" if cell.startswith(FORMULA) or plain.startswith(FORMULA) else plain


def csv_text(rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as the text of a CSV file."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows([safe(cell) for cell in row] for row in rows)
    return out.getvalue()
