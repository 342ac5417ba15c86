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
    count,
    difference,
    is_array,
    is_number,
    named,
    numbers_in,
    ordinal,
    show,
)
from .in_place import changed_in_place, place_of
from .wire import Opaque

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
    for rule in (_kind, _number_of_items, _none_inside, _shape, _precision, _order):
        if found := rule(got, expected, args):
            return found
    if found := _relation(got, expected, args, passed, probe) or _form_inside(got, expected, args):
        return found
    return changed_in_place(args, None, mutated, probe) if mutated else ""


def _kind(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    if got is None and expected is not None:
        return "The function returned None. Is a `return` missing, or inside an `if` that was not taken?"
    if isinstance(got, Opaque) and got.type_name == "ndarray" and "dtype=object" in got.text:
        if "None" in got.text:
            return "This array holds None where a number belongs."
        return "This is an array of Python's objects (its dtype is object), and one of numbers is wanted."
    if isinstance(got, Opaque) and got.type_name.endswith(("Error", "Exception")):
        return f"This gives {named(got.type_name)} back, as if it were an answer: `raise` it."
    if isinstance(got, Opaque):
        return f"The answer should be made of plain numbers, and this is {named(got.type_name)}."
    if isinstance(got, (list, tuple)) and (inside := [item for item in got if isinstance(item, Opaque)]):
        return f"The answer should be made of plain numbers, and it holds {named(inside[0].type_name)}."
    if isinstance(expected, tuple) and len(expected) == 1 and _stands_alone(got, expected[0]):
        thing = "number" if is_number(got) else "array"
        return f"The {thing} should be in a tuple of one: write `(x,)`, with the comma."
    if is_number(expected) and isinstance(got, (tuple, list)) and len(got) == 1:
        return "Return the number itself, not a sequence that holds it."
    if is_number(expected) and is_array(got) and got.size == 1:
        return "Return the number itself, not an array that holds it."
    if isinstance(expected, (tuple, list)) and is_array(got):
        if (found := _one_of_several(got, expected)) or len(got) == len(expected):
            return found
        if all(map(is_array, expected)):  # its rows are no items
            return f"This is one array, and {len(expected)} are wanted, in a tuple."
        return _there_are(len(got), "item", len(expected))
    if is_array(expected) and isinstance(got, (tuple, list)):
        return (
            f"This is a {type(got).__name__}, and a NumPy array is wanted: `np.array(...)` makes one of it."
        )
    if isinstance(expected, dict) and isinstance(got, (tuple, list)):
        return f"This is a {type(got).__name__}, and a dict is wanted: it has a key for each value."
    if isinstance(expected, (tuple, list)) and isinstance(got, dict):
        return "This is a dict, and its values alone are wanted, in a list or a tuple."
    return ""


def _stands_alone(got: Any, item: Any) -> bool:
    """True when `got` is like the one item that is wanted in a tuple, and not in one."""
    if is_number(got):
        return True
    if not is_array(item):
        return False
    # Nested lists are what `.tolist()` makes of an array. A right number of rows and of numbers is enough.
    rows = isinstance(got, list) and len(got) == len(item) != 1
    return is_array(got) or (rows and len(numbers_in(got) or ()) == item.size)


def _one_of_several(got: Any, expected: Any) -> str:
    """An array where a tuple of several is wanted: most often the others were forgotten."""
    several = len(expected)
    if several < 2 or not all(map(is_array, expected)):
        return ""
    for i, item in enumerate(expected):
        if difference(got, item) is None:
            every = "both" if several == 2 else f"all {several}"
            return (
                f"This is the {ordinal(i)} of {several} arrays that are wanted. Return {every}, in a tuple."
            )
    if any(got.shape == item.shape for item in expected):
        return f"This is one array, and {several} are wanted, in a tuple."
    return ""


def _number_of_items(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    wanted = _plain_count(expected)
    if is_number(got) and wanted > 1:
        return f"This is one number, and {wanted} are wanted."
    given = _plain_count(got)
    if is_number(expected) and given > 1:
        return f"These are {given} numbers, and one is wanted."
    if isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list)) and len(got) != len(expected):
        if given >= 0 and wanted >= 0:
            return _there_are(given, "number", wanted)
        return _there_are(len(got), "item", len(expected))
    return ""


def _plain_count(value: Any) -> int:
    """How many numbers a list or tuple holds; -1 when it is none, or holds something else."""
    return len(value) if isinstance(value, (tuple, list)) and all(map(is_number, value)) else -1


def _there_are(given: int, what: str, wanted: int) -> str:
    # Not "the answer has": what is compared may be what a probe wrote down, such as the calls of a function.
    there, are = ("is" if number == 1 else "are" for number in (given, wanted))
    return f"There {there} {count(given, what)}, and {wanted} {are} wanted."


def _none_inside(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    """A None in a list, tuple or dict, where something else is wanted."""
    if isinstance(got, dict) and isinstance(expected, dict):
        pairs = [(show(key, 40), got[key], expected[key]) for key in expected if key in got]
    elif isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list)):
        pairs = [(str(i), g, e) for i, (g, e) in enumerate(zip(got, expected, strict=False))]
    else:
        return ""
    for place, g, e in pairs:
        if g is None and e is not None:
            return (
                f"The value at [{place}] is None: it was not set, nothing arrived there, "
                "or it came from a function without a `return`."
            )
    return ""


def _shape(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    if not (is_array(got) and is_array(expected)) or got.shape == expected.shape:
        return ""
    if got.shape == expected.shape[::-1] and difference(got.T, expected) is None:
        return "The numbers are right and the array is transposed."
    told = f"The shape is {got.shape} and should be {expected.shape}"
    if got.size == expected.size and difference(got.ravel(), expected.ravel()) is None:
        return f"{told}: the same numbers in another shape."
    if difference(_summed_to(got, expected), expected) is None:
        return f"{told}: an axis that broadcasting stretched has to be summed away again."
    return f"{told}."


def _summed_to(got: Any, expected: Any) -> Any:
    """An array with the axes summed away that the other one does not have, or has with length 1."""
    if got.dtype.kind not in "iuf" or got.ndim < expected.ndim:
        return None
    got = got.sum(axis=tuple(range(got.ndim - expected.ndim)))
    stretched = tuple(i for i, length in enumerate(expected.shape) if length == 1 != got.shape[i])
    return got.sum(axis=stretched, keepdims=True)


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


def _form_inside(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    """What is wrong with the form of the first item that differs: its kind, its length, its shape."""
    if isinstance(got, dict) and isinstance(expected, dict):
        pairs = [(got[key], item) for key, item in expected.items() if key in got]
    elif isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list)):
        pairs = list(zip(got, expected, strict=False))
    else:
        return ""
    for g, e in pairs:
        if difference(g, e) is not None:
            found = (rule(g, e, args) for rule in (_kind, _number_of_items, _shape, _form_inside))
            return next(filter(None, found), "")
    return ""


def _order(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    both = isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list))
    if both and len(got) == len(expected) > 1 and difference(expected[::-1], expected) is not None:
        # Equal values stand so also where they were sorted or moved along.
        if difference(got[::-1], expected) is None and _all_differ(expected):
            return "The right values, in the opposite order."
        # What is near the right one of its own place has not moved.
        moved = all(map(is_number, [*got, *expected])) and difference(list(got), list(expected)) is not None
        if moved and difference(sorted(got), sorted(expected)) is None:
            return "The right values, in another order."
    if is_array(got) and is_array(expected) and difference(got.T, expected) is None:
        if difference(got.T, got) is not None:
            return "The numbers are right and the array is transposed."
    return ""


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
