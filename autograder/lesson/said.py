"""Whether what a learner said is what is so: numbers, words, and rows of them in any form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any


def same(answer: Any, wanted: Any) -> bool:
    """Whether an answer says the same: the same numbers up to the third digit, the same words in any case."""
    found, expected = list(parts(answer)), list(parts(wanted))
    return len(found) == len(expected) and all(map(equal, found, expected))


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return str(a).strip().lower() == str(b).strip().lower()
    try:
        return math.isclose(a, b, rel_tol=5e-3, abs_tol=1e-9)
    except TypeError:
        return bool(a == b)


def parts(value: Any) -> Iterator[Any]:
    """The numbers and texts of a value: of an array, a Tensor, a list, a tuple, a dict's values, or of one alone."""
    value = list(value.values()) if isinstance(value, dict) else plain(value)
    if isinstance(value, list | tuple):
        for part in value:
            yield from parts(part)
    else:
        yield value


def plain(value: Any) -> Any:
    """A value as numbers and lists of Python's own."""
    value = getattr(value, "data", value) if hasattr(value, "backward") else value
    return value.tolist() if hasattr(value, "tolist") else value


def shown(value: Any) -> str:
    """A value in few digits."""
    value = plain(value)
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))}{',' if len(value) == 1 else ''})"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
