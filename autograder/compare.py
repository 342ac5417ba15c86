"""Finds the first place where an answer differs from what was expected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .wire import Opaque

RTOL = 1e-7
ATOL = 1e-9


@dataclass(frozen=True)
class Difference:
    """Where (`[0][2]`, or empty for the whole value) and what: a sentence without its full stop."""

    where: str
    what: str


def is_number(value: object) -> bool:
    """An int or a float, NumPy's included, but not a bool."""
    if type(value) in (int, float):
        return True
    dtype = getattr(value, "dtype", None)
    return dtype is not None and dtype.kind in "iuf" and getattr(value, "ndim", 1) == 0


def is_array(value: object) -> bool:
    """A NumPy array with at least one axis."""
    return hasattr(value, "dtype") and getattr(value, "ndim", 0) > 0


def kind_of(value: object) -> str:
    """How a message names the kind of a value."""
    if value is None:
        return "None"
    if isinstance(value, Opaque):
        return article(value.type_name)
    if is_array(value):
        return f"an array of shape {value.shape}"  # type: ignore[attr-defined]
    names = {bool: "a bool", int: "an int", float: "a float", str: "a text"}
    if type(value) in names:
        return names[type(value)]
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} of {len(value)}"
    return article(type(value).__name__)


def article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def close(got: float, expected: float, rtol: float, atol: float) -> bool:
    """True when two numbers agree; NaN agrees with NaN, an infinity with itself."""
    got, expected = float(got), float(expected)
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    if math.isinf(expected) or math.isinf(got):
        return got == expected
    return abs(got - expected) <= atol + rtol * abs(expected)


def difference(
    got: Any, expected: Any, rtol: float = RTOL, atol: float = ATOL, where: str = ""
) -> Difference | None:
    """The first difference between `got` and `expected`, or None when they agree.

    Numbers are compared within the tolerances, an int stands for the float of the same value, and a list for a
    tuple of the same items; everything else must be equal.

    >>> difference((1.0, 2.0), (1.0, 2.5))
    Difference(where='[1]', what='2.0 instead of 2.5')
    >>> difference(None, (1.0,)).what
    'None instead of a tuple of 1'
    """
    if is_number(expected):
        if not is_number(got):
            return Difference(where, f"{kind_of(got)} instead of a number")
        if not close(got, expected, rtol, atol):
            return Difference(where, f"{show(got)} instead of {show(expected)}")
        return None
    if is_array(expected):
        return _array_difference(got, expected, rtol, atol, where)
    if isinstance(expected, (list, tuple)):
        if not isinstance(got, (list, tuple)):
            return Difference(where, f"{kind_of(got)} instead of {kind_of(expected)}")
        if len(got) != len(expected):
            return Difference(where, f"{len(got)} items instead of {len(expected)}")
        for i, (g, e) in enumerate(zip(got, expected, strict=True)):
            found = difference(g, e, rtol, atol, f"{where}[{i}]")
            if found:
                return found
        return None
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return Difference(where, f"{kind_of(got)} instead of a dict")
        for key in expected:
            if key not in got:
                return Difference(where, f"the key {key!r} is missing")
            found = difference(got[key], expected[key], rtol, atol, f"{where}[{key!r}]")
            if found:
                return found
        extra = [key for key in got if key not in expected]
        return Difference(where, f"the key {extra[0]!r} should not be there") if extra else None
    if type(got) is not type(expected) or got != expected:
        return Difference(where, f"{show(got)} instead of {show(expected)}")
    return None


def _array_difference(got: Any, expected: Any, rtol: float, atol: float, where: str) -> Difference | None:
    import numpy as np

    if not hasattr(got, "dtype"):
        return Difference(where, f"{kind_of(got)} instead of {kind_of(expected)}")
    if got.shape != expected.shape:
        return Difference(where, f"shape {got.shape} instead of {expected.shape}")
    good = np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    if good.all():
        return None
    index = tuple(int(i) for i in np.argwhere(~good)[0])
    spot = "[" + ", ".join(map(str, index)) + "]"
    return Difference(where + spot, f"{show(got[index])} instead of {show(expected[index])}")


def show(value: Any, limit: int = 160) -> str:
    """A value as a message shows it: short, six significant digits, no NumPy type names.

    >>> show((0.1 + 0.2, -0.0, [1.5, None]))
    '(0.3, 0.0, [1.5, None])'
    """
    text = _show(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _show(value: Any) -> str:
    if is_number(value):
        if type(value) is int or getattr(getattr(value, "dtype", None), "kind", "f") in "iu":
            return str(int(value)) if abs(int(value)) < 10**12 else f"{float(value):.6g}"
        number = float(value)
        if number == 0:
            return "0.0"
        if math.isfinite(number) and number == int(number) and abs(number) < 1e6:
            return f"{number:.1f}"
        return f"{number:.6g}"
    if is_array(value):
        import numpy as np

        with np.printoptions(precision=4, suppress=True, threshold=12):
            return str(value).replace("\n", "")
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_show, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(_show, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_show(k)}: {_show(v)}" for k, v in value.items()) + "}"
    return repr(value)
