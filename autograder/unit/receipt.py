"""The receipt of a notebook that is handed in: a digest of what is written in its cells, which anybody can make again.

It says that a file of this content has this digest. Two files of one content have one receipt, whoever wrote them and
whenever: it proves neither a time nor a name.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from ..errors import UserError
from .raw import cells_of, parse, source_of

#: Letters of a receipt. Each has 5 bits: 150 in all, of which nobody finds two contents with the same.
LETTERS = 30
GROUP = 5
#: Of a receipt that somebody looks for, so much has to be given.
LEAST = 5


def receipt_of(notebook: dict[str, Any]) -> str:
    """The receipt of a notebook's JSON.

    The texts of the cells count, in their order. Metadata, outputs, kinds and ids of cells, line ends, empty cells and
    blanks at a cell's end do not: Jupyter and learning platforms change these, and no answer depends on them.

    >>> receipt_of({"cells": [{"source": "x = 1"}, {"source": ["y = 2\\r\\n", ""]}]})
    'ycvc7-6yad5-ljoqg-s5j7a-gahlc-m7ohy'
    """
    texts = [text for cell in cells_of(notebook) if (text := source_of(cell).rstrip(" \t\n"))]
    digest = hashlib.sha256(b"autograder receipt 1\n" + json.dumps(texts).encode("ascii")).digest()
    letters = base64.b32encode(digest).decode("ascii").lower()[:LETTERS]
    return "-".join(letters[start : start + GROUP] for start in range(0, LETTERS, GROUP))


def receipt_of_bytes(data: bytes) -> str:
    """The receipt of a file's bytes; an empty text where they are no notebook."""
    try:
        return receipt_of(parse(data))
    except UserError:
        return ""


def short(receipt: str) -> str:
    """Its first letters, for a table."""
    return receipt[:GROUP]


def typed(text: str) -> str:
    """A receipt, or the beginning of one, as somebody may type it. Raises UserError where it cannot be one.

    >>> typed(" YCVC7 6yad5-l")
    'ycvc7-6yad5-l'
    """
    letters = re.sub(r"[\s-]", "", text).lower()
    if not re.fullmatch(rf"[a-z2-7]{{{LEAST},{LETTERS}}}", letters):
        raise UserError(
            f"{text!r} is no receipt: one has {LETTERS} letters and digits, as `autograder receipt FILE` prints them, "
            f"and the first {LEAST} are enough to look for it."
        )
    return "-".join(letters[start : start + GROUP] for start in range(0, len(letters), GROUP))
