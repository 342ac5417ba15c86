"""Generic diagnoses: what kind of mistake turns the expected numbers into those that came back.

They need nothing but the values and the arguments of the calls, so they also work in a student's own notebook.
Each looks for one relation that holds for *every* number of the answer; a relation that holds by chance for one
number is no diagnosis. What is said of the numbers is seen in them. What is said of their cause is said only where
no other cause gives the same, and no call that passed speaks against it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from .compare import (
    MAX_NUMBERS,
    as_float,
    close,
    difference,
    is_array,
    is_number,
    numbers_in,
    show,
)
from .in_place import changed_in_place, place_of
from .wrong_form import form_inside, kind, none_inside, number_of_items, shape

ALL_ZERO = (
    "Every number is zero: nothing was added to it, it was set to zero, or a factor or a difference is 0."
)


def diagnose(
    got: Any,
    expected: Any,
    args: tuple[Any, ...] = (),
    mutated: tuple[int, ...] = (),
    passed: Sequence[tuple[tuple[Any, ...], Any]] = (),
    probe: Any = None,
) -> str:
    """One sentence on what the mistake probably is, or an empty text.

    `passed` are the arguments and the results of earlier calls of the same function, which were right; `probe` is what
    was called.

    >>> diagnose((3.0, 2.0), (-3.0, -2.0))
    'Every number has the wrong sign.'
    >>> diagnose((3.0, 2.0), (30.0, 20.0), (10.0, 2.0, 3.0))
    'Every number lacks the factor 10.0, which is the first argument of the call.'
    """
    if got is None and any(value is None for _, value in passed):
        return ""  # None is an answer here, and not a `return` that is missing
    for rule in (kind, number_of_items, none_inside, shape, _precision, _order):
        if found := rule(got, expected, args):
            return found
    if found := _relation(got, expected, args, passed, probe) or form_inside(got, expected, args):
        return found
    return changed_in_place(args, None, mutated, probe) if mutated else ""


#: Kinds of floats with fewer digits than Python's own, and how near they come.
SHORT = {"float32": ("seven", 1e-5), "float16": ("three", 1e-2)}


def _precision(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    """Right numbers of a kind that has too few digits."""
    for name, (digits, near) in SHORT.items():
        if name in _dtypes(got) and name not in _dtypes((expected, args)):
            if difference(got, expected, near, near) is None:
                return (
                    f"The numbers are right to the {digits} digits that {name} has, and more are asked for: on the "
                    f"way something becomes {name}."
                )
    return ""


def _dtypes(value: Any) -> set[str]:
    """The names of NumPy's kinds of numbers in a value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return set().union(*map(_dtypes, value[:MAX_NUMBERS]))
    return {str(value.dtype)} if hasattr(value, "dtype") else set()


def _order(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    both = isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list))
    if both and len(got) == len(expected) > 1 and difference(expected[::-1], expected) is not None:
        # Equal values stand so also where they were sorted or moved along.
        if difference(got[::-1], expected) is None and _all_differ(expected):
            if _negatives(numbers_in(got), numbers_in(expected)):
                return "The right values, in the opposite order, or each with the wrong sign."
            return "The right values, in the opposite order."
        # What is near the right one of its own place has not moved.
        moved = all(map(is_number, [*got, *expected])) and difference(list(got), list(expected)) is not None
        if moved and difference(sorted(got), sorted(expected)) is None:
            return "The right values, in another order."
    if is_array(got) and is_array(expected) and difference(got.T, expected) is None:
        if difference(got.T, got) is not None:
            return "The numbers are right and the array is transposed."
    return ""


def _negatives(got: list[float] | None, expected: list[float] | None) -> bool:
    if got is None or expected is None or len(got) != len(expected):
        return False
    return all(close(g, -e, 1e-7, 1e-9) for g, e in zip(got, expected, strict=True))


def _all_differ(values: Any) -> bool:
    return all(difference(*pair) is not None for pair in itertools.combinations(values[:100], 2))


def _relation(
    got: Any, expected: Any, args: tuple[Any, ...], passed: Sequence[tuple[tuple[Any, ...], Any]], probe: Any
) -> str:
    flat_got, flat_expected = numbers_in(got), numbers_in(expected)
    if flat_got is None or flat_expected is None or len(flat_got) != len(flat_expected) or not flat_got:
        return ""
    given = [number for arg in args for number in numbers_in(arg) or ()]
    if not all(map(math.isfinite, [*flat_expected, *given])):
        return ""
    if any(map(math.isnan, flat_got)):
        return (
            "There is a NaN: somewhere 0 is divided by 0, an infinity is subtracted from itself, divided by an "
            "infinity or multiplied by 0, or the root or the logarithm of a negative number is taken."
        )
    if any(map(math.isinf, flat_got)):
        return "There is an infinity: somewhere a number overflows, or is divided by 0, or is the logarithm of 0."
    pairs = list(zip(flat_got, flat_expected, strict=True))
    wrong = [(g, e) for g, e in pairs if not close(g, e, 1e-7, 1e-9)]
    everywhere = (
        "Each wrong number" if len(wrong) < len(pairs) else "Every number" if len(pairs) > 1 else "The number"
    )
    if _all(wrong, lambda e: -e):
        return f"{everywhere} has the wrong sign."
    # One number has a hundred causes, and the same number again is no second one.
    if len({f"{abs(e):.6g}" for _, e in wrong}) < 2:
        return ""
    if all(g == 0 for g in flat_got):
        return ALL_ZERO
    return _factor(wrong, args, passed, probe, everywhere, len(pairs))


def _factor(
    wrong: list[tuple[float, float]],
    args: tuple[Any, ...],
    passed: Sequence[tuple[tuple[Any, ...], Any]],
    probe: Any,
    everywhere: str,
    size: int,
) -> str:
    g, e = wrong[0]
    if e == 0 or g == 0:
        return ""
    ratio = g / e
    if ratio == 0 or not _all(wrong, lambda expected: ratio * expected) or close(ratio, 1, 1e-6, 0):
        return ""
    factor = abs(ratio) if abs(ratio) > 1 else 1 / abs(ratio)
    # A factor that has a reason of its own is no sign of an argument that happens to be as large. And some factor
    # always fits: an odd one says little.
    if any(close(factor, likely, 1e-7, 0) for likely in {2, 3, 4, size} | _sizes(args)):
        sign = " has the wrong sign and" if ratio < 0 else ""
        size_is = "large" if abs(ratio) > 1 else "small"
        return f"{everywhere}{sign} is too {size_is} by the factor {round(factor)}."
    causes = []
    for i, arg in enumerate(args):
        if not is_number(arg) or abs(arg) in (0, 1) or _spoken_against(i, passed):
            continue
        told = f"{show(arg)}, which {place_of(i, probe)}."
        if close(1 / ratio, arg, 1e-7, 0):
            causes.append((i, f"{everywhere} lacks the factor {told}"))
        if close(ratio, arg, 1e-7, 0):
            causes.append((i, f"{everywhere} has a factor too much, {told}"))
    if len(causes) != 1 or _made_of_two(factor, args[: causes[0][0]] + args[causes[0][0] + 1 :]):
        return ""
    return causes[0][1]


def _spoken_against(i: int, passed: Sequence[tuple[tuple[Any, ...], Any]]) -> bool:
    """True when a call was right in which a missing factor, argument `i`, would have been seen."""
    return any(
        len(args) > i and is_number(args[i]) and abs(args[i]) != 1 and any(numbers_in(value) or ())
        for args, value in passed
    )


def _made_of_two(factor: float, args: tuple[Any, ...]) -> bool:
    """True when two numbers among the arguments give this factor, too, or its inverse."""
    numbers = [as_float(arg) for arg in args if is_number(arg)]
    pairs = [(a, b) for i, a in enumerate(numbers) for b in numbers[: i + 1]]
    found = [value for a, b in pairs for value in (a + b, a - b, a * b, a / b if b else 0.0)]
    return any(close(abs(value), likely, 1e-7, 0) for value in found for likely in (factor, 1 / factor))


def _sizes(args: tuple[Any, ...]) -> set[int]:
    """The numbers of items by which a sum and a mean of the arguments differ."""
    sizes: set[int] = set()
    for arg in args:
        if is_array(arg):
            sizes |= {arg.size, *arg.shape}
        elif isinstance(arg, (tuple, list)):
            sizes.add(len(arg))
    return sizes


def _all(pairs: list[tuple[float, float]], transform: Callable[[float], float]) -> bool:
    return bool(pairs) and all(
        close(g, transform(e), 1e-7, 1e-12) and not (e == 0 and g == 0) for g, e in pairs
    )
