"""Generic diagnoses: what kind of mistake turns the expected numbers into those that came back.

They need nothing but the two values and the arguments of the call, so they also work in a student's own notebook.
Each looks for one relation that holds for *every* number of the answer; a relation that holds by chance for one
number is no diagnosis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .compare import as_float, close, difference, is_array, is_number, show
from .wire import Opaque

Numbers = list[float]
#: An answer with more numbers is not looked at one by one.
MAX_NUMBERS = 10_000


def diagnose(got: Any, expected: Any, args: tuple[Any, ...] = (), mutated: tuple[int, ...] = ()) -> str:
    """One sentence on what the mistake probably is, or an empty text.

    >>> diagnose((3.0, 2.0), (-3.0, -2.0))
    'Every number has the wrong sign.'
    >>> diagnose((3.0, 2.0), (30.0, 20.0), (10.0, 2.0, 3.0))
    'Every number lacks the factor 10.0, which is the first argument of the call.'
    """
    for rule in (_kind, _shape, _order, _relation):
        found = rule(got, expected, args)
        if found:
            return found
    if mutated:
        return f"The call changed its {ordinal(mutated[0])} argument in place. Work on a copy."
    return ""


def ordinal(i: int) -> str:
    """The name of position `i`, counted from 0."""
    names = ("first", "second", "third", "fourth", "fifth", "sixth")
    return names[i] if i < len(names) else f"{i + 1}th"


def _kind(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    if got is None and expected is not None:
        return (
            "The function returned None. Is a `return` missing, or is it inside an `if` that was not taken?"
        )
    if isinstance(got, Opaque):
        return f"The answer should be made of plain numbers, and this is a {got.type_name}."
    if isinstance(got, (list, tuple)) and (inside := [item for item in got if isinstance(item, Opaque)]):
        return f"The answer should be made of plain numbers, and it holds a {inside[0].type_name}."
    if isinstance(expected, tuple) and len(expected) == 1 and is_number(got):
        return "The number should be in a tuple of one: write `(x,)`, with the comma."
    if is_number(expected) and isinstance(got, (tuple, list)) and len(got) == 1:
        return "Return the number itself, not a sequence that holds it."
    return ""


def _shape(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    if not (is_array(got) and is_array(expected)) or got.shape == expected.shape:
        return ""
    if got.shape == expected.shape[::-1] and difference(got.T, expected) is None:
        return "The numbers are right and the array is transposed."
    if got.size == expected.size:
        return f"The shape is {got.shape} and should be {expected.shape}: the same numbers in another shape."
    if got.ndim > expected.ndim or all(
        e in (1, g) for g, e in zip(got.shape[::-1], expected.shape[::-1], strict=False)
    ):
        return (
            f"The shape is {got.shape} and should be {expected.shape}: an axis that broadcasting stretched has to be "
            "summed away again."
        )
    return ""


def _order(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    both = isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list))
    if both and len(got) == len(expected) > 1 and difference(expected[::-1], expected) is not None:
        if difference(got[::-1], expected) is None:
            return "The right values, in the opposite order."
        if all(map(is_number, [*got, *expected])) and all(
            close(g, e, 1e-7, 1e-9) for g, e in zip(sorted(got), sorted(expected), strict=True)
        ):
            return "The right values, in another order."
    if is_array(got) and is_array(expected) and got.shape == expected.shape[::-1]:
        if got.ndim > 1 and difference(got.T, expected) is None:
            return "The numbers are right and the array is transposed."
    return ""


def _relation(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    flat_got, flat_expected = _flatten(got), _flatten(expected)
    if flat_got is None or flat_expected is None or len(flat_got) != len(flat_expected) or not flat_got:
        return ""
    if not all(map(math.isfinite, flat_expected)):
        return ""
    if any(map(math.isnan, flat_got)):
        return "There is a NaN: somewhere 0 is divided by 0, or an infinity is subtracted from itself."
    if any(map(math.isinf, flat_got)):
        return "There is an infinity: somewhere a number overflows or is divided by 0."
    if all(g == 0 for g in flat_got):
        return "Every number is zero: nothing has arrived here, or it was set back to zero."
    pairs = list(zip(flat_got, flat_expected, strict=True))
    wrong = [(g, e) for g, e in pairs if not close(g, e, 1e-7, 1e-9)]
    if not wrong:
        return ""  # an exact comparison, and the difference is rounding
    everywhere = "Every number" if len(pairs) > 1 else "The number"
    if len(wrong) < len(pairs):
        everywhere = "Each wrong number"
    if _all(wrong, lambda e: -e):
        return f"{everywhere} has the wrong sign."
    if len(wrong) > 1 or len(pairs) == 1:
        return _factor(wrong, args, everywhere)
    return ""


def _factor(wrong: list[tuple[float, float]], args: tuple[Any, ...], everywhere: str) -> str:
    g, e = wrong[0]
    if e == 0 or g == 0:
        return ""
    ratio = g / e
    if not _all(wrong, lambda expected: ratio * expected) or close(ratio, 1, 1e-6, 0):
        return ""
    for i, arg in enumerate(args):
        if is_number(arg) and abs(arg) not in (0, 1):
            if close(1 / ratio, arg, 1e-7, 0):
                return f"{everywhere} lacks the factor {show(arg)}, which is the {ordinal(i)} argument of the call."
            if close(ratio, arg, 1e-7, 0):
                return (
                    f"{everywhere} has the factor {show(arg)} too much, "
                    f"which is the {ordinal(i)} argument of the call."
                )
    if len(wrong) == 1 and not any(close(r, round(r), 1e-7, 0) and abs(r) <= 64 for r in (ratio, 1 / ratio)):
        return ""  # with one number, some factor always fits
    if abs(ratio) > 1:
        return f"{everywhere} is too large by the factor {show(ratio)}."
    return f"{everywhere} is too small by the factor {show(1 / ratio)}."


def _all(pairs: list[tuple[float, float]], transform: Callable[[float], float]) -> bool:
    return bool(pairs) and all(
        close(g, transform(e), 1e-7, 1e-12) and not (e == 0 and g == 0) for g, e in pairs
    )


def _flatten(value: Any) -> Numbers | None:
    """All numbers of a nested value in order; None when something in it is not a number."""
    if is_number(value):
        return [as_float(value)]
    if is_array(value):
        return (
            [float(x) for x in value.ravel()]
            if value.dtype.kind in "iuf" and value.size <= MAX_NUMBERS
            else None
        )
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (list, tuple)) or len(value) > MAX_NUMBERS:
        return None
    numbers: Numbers = []
    for item in value:
        part = _flatten(item)
        if part is None:
            return None
        numbers += part
    return numbers
