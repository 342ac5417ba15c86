"""Finds the first place where an answer differs from what was expected."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .wire import Opaque

RTOL = 1e-7
ATOL = 1e-9
#: An answer with more numbers is not looked at one by one.
MAX_NUMBERS = 10_000


@dataclass(frozen=True)
class Difference:
    """Where (`[0][2]`, or empty for the whole value) and what: a sentence without its full stop."""

    where: str
    what: str
    #: how many significant digits tell the two numbers apart
    digits: int = field(default=6, repr=False)


def is_number(value: object) -> bool:
    """An int or a float, NumPy's included, but not a bool."""
    if type(value) in (int, float):
        return True
    dtype = getattr(value, "dtype", None)
    return dtype is not None and dtype.kind in "iuf" and getattr(value, "ndim", 1) == 0


def as_float(value: Any) -> float:
    """A number as a float; an int that is too large for one is an infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_array(value: object) -> bool:
    """A NumPy array with at least one axis."""
    return hasattr(value, "dtype") and getattr(value, "ndim", 0) > 0


def kind_of(value: object) -> str:
    """How a message names the kind of a value."""
    if value is None:
        return "None"
    if isinstance(value, Opaque):
        return named(value.type_name)
    if is_array(value):
        return f"an array of shape {value.shape}"  # type: ignore[attr-defined]
    names = {bool: "a bool", int: "an int", float: "a float", str: "a text"}
    if type(value) in names:
        return names[type(value)]
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} of {len(value)}"
    return article(type(value).__name__)


#: What Python calls a kind of value, and what people do.
KINDS = {
    "builtin_function_or_method": "function",
    "type": "class",
    "str": "text",
    "Opaque": "function or another object that is no plain data",
}


def named(type_name: str) -> str:
    """A type's name as a sentence has it: `a function`, `an object`."""
    name = type_name.rpartition(".")[2]
    return "None" if name == "NoneType" else article(KINDS.get(name, name))


def article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def close(got: float, expected: float, rtol: float, atol: float) -> bool:
    """True when two numbers agree; NaN agrees with NaN, an infinity with itself."""
    got, expected = as_float(got), as_float(expected)
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    if math.isinf(expected) or math.isinf(got):
        return got == expected
    return abs(got - expected) <= atol + rtol * abs(expected)


def difference(
    got: Any, expected: Any, rtol: float = RTOL, atol: float = ATOL, where: str = ""
) -> Difference | None:
    """The first difference between `got` and `expected`, or None when they agree.

    Numbers are compared within the tolerances, an int stands for the float of the same value, and a list or an array
    for a tuple of the same items; everything else must be equal.

    >>> difference((1.0, 2.0), (1.0, 2.5))
    Difference(where='[1]', what='2.0 instead of 2.5')
    >>> difference(None, (1.0,)).what
    'None instead of a tuple of 1'
    """
    got, expected = _bare(got), _bare(expected)
    if is_number(expected):
        if got is None:
            return Difference(where, f"None instead of {show(expected)}")
        if not is_number(got):
            return Difference(where, f"{kind_of(got)} instead of a number")
        if not close(got, expected, rtol, atol):
            return _numbers_differ(got, expected, where)
        return None
    if is_array(expected):
        return _array_difference(got, expected, rtol, atol, where)
    if isinstance(expected, (list, tuple)):
        return _items_differ(got, expected, rtol, atol, where)
    if isinstance(expected, dict):
        return _keys_differ(got, expected, rtol, atol, where)
    if type(got) is not type(expected) or got != expected:
        return Difference(where, f"{show(got)} instead of {show(expected)}")
    return None


def _items_differ(
    got: Any, expected: list[Any] | tuple[Any, ...], rtol: float, atol: float, where: str
) -> Difference | None:
    if is_array(got) and len(got) == len(expected):
        got = list(got)
    if not isinstance(got, (list, tuple)):
        return Difference(where, f"{kind_of(got)} instead of {kind_of(expected)}")
    if len(got) != len(expected):
        return Difference(where, f"{count(len(got), 'item')} instead of {len(expected)}")
    for i, (g, e) in enumerate(zip(got, expected, strict=True)):
        if type(g) is type(e) and type(e) in (int, float, str) and g == e:
            continue
        found = difference(g, e, rtol, atol, f"{where}[{i}]")
        if found:
            return found
    return None


def _keys_differ(
    got: Any, expected: dict[Any, Any], rtol: float, atol: float, where: str
) -> Difference | None:
    if not isinstance(got, dict):
        return Difference(where, f"{kind_of(got)} instead of {kind_of(expected)}")
    for key in expected:
        if key not in got:
            return Difference(where, f"the key {key!r} is missing")
        found = difference(got[key], expected[key], rtol, atol, f"{where}[{key!r}]")
        if found:
            return found
    extra = [key for key in got if key not in expected]
    return Difference(where, f"the key {show(extra[0], 40)} should not be there") if extra else None


def _bare(value: Any) -> Any:
    """NumPy's bool as Python's own."""
    dtype = getattr(value, "dtype", None)
    return bool(value) if dtype is not None and dtype.kind == "b" and value.ndim == 0 else value


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
    return _numbers_differ(got[index], expected[index], where + spot)


def _numbers_differ(got: Any, expected: Any, where: str) -> Difference:
    """Two numbers that differ, shown with as many digits as it takes to see it."""
    for digits in (6, 9, 12, 17):
        texts = show(got, digits=digits), show(expected, digits=digits)
        if not _look_equal(*texts):
            break
    return Difference(where, f"{texts[0]} instead of {texts[1]}", digits)


def _look_equal(a: str, b: str) -> bool:
    """
    >>> _look_equal("1", "1.0"), _look_equal("(1+2j)", "1.0")
    (True, False)
    """
    try:
        return float(a) == float(b)
    except ValueError:  # a complex number, a very large one
        return a == b


def numbers_in(value: Any) -> list[float] | None:
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
    numbers: list[float] = []
    for item in value:
        part = numbers_in(item)
        if part is None:
            return None
        numbers += part
    return numbers


def right_in_another_form(got: Any, expected: Any) -> bool:
    """Whether the numbers are right, and stand in a list where an array is wanted, or in a list or an array for one.

    >>> import numpy as np
    >>> right_in_another_form([[6.0, 4.0], [4.0, 0.0]], np.array([[6.0, 4.0], [4.0, 0.0]]))
    True
    >>> right_in_another_form(np.array([2.5]), 2.5), right_in_another_form(np.array([2.5]), 3.5)
    (True, False)
    >>> found, array = (1.0, [6.0, 4.0]), np.array([6.0, 4.0])
    >>> right_in_another_form(found, (1.0, array)), right_in_another_form(found, (2.0, array))
    (True, False)
    """
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)) and len(got) == len(expected):
        apart = [pair for pair in zip(got, expected, strict=True) if difference(*pair) is not None]
        return bool(apart) and all(right_in_another_form(*pair) for pair in apart)
    if is_number(expected):
        alone = (is_array(got) and got.size == 1) or (isinstance(got, (list, tuple)) and len(got) == 1)
        numbers = numbers_in(got) if alone else None
        return bool(numbers) and difference(numbers[0], expected) is None  # type: ignore[index]
    if not is_array(expected) or not isinstance(got, (list, tuple)):
        return False
    given, wanted = numbers_in(got), numbers_in(expected)
    return given is not None and wanted is not None and difference(given, wanted) is None


def ordinal(i: int) -> str:
    """The name of position `i`, counted from 0."""
    names = ("first", "second", "third", "fourth", "fifth", "sixth")
    return names[i] if i < len(names) else f"{i + 1}th"


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "item"), count(2, "item")
    ('1 item', '2 items')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def show(value: Any, limit: int = 160, digits: int = 6) -> str:
    """A value as a message shows it: short, six significant digits, no NumPy type names.

    >>> show((0.1 + 0.2, -0.0, [1.5, None]))
    '(0.3, 0.0, [1.5, None])'
    >>> import numpy as np
    >>> show((np.array([1e-20, 1.0]), np.array([1e-20, 2e-20])))
    '([0. 1.], [1.e-20 2.e-20])'
    """
    text = ""
    # As many pieces as are shown: the value may be as large as a message can be.
    for piece in _pieces(value, digits):
        text += piece[: limit + 1]
        if len(text) > limit:
            return text[: limit - 1] + "…"
    return text


def shown_apart(values: Sequence[Any]) -> list[str]:
    """Each value as a message shows it, with so many digits that numbers which differ read differently.

    >>> shown_apart([2e9, 2e9 + 1000, 1 / 3])
    ['2e+09', '2.000001e+09', '0.333333333']
    >>> shown_apart([1 / 3, 0.5, math.nan, math.nan])
    ['0.333333', '0.5', 'nan', 'nan']
    """
    numbers = {number for value in values if is_number(value) and math.isfinite(number := as_float(value))}
    for digits in (6, 9, 12, 17):
        if len({f"{number:.{digits}g}" for number in numbers}) == len(numbers):
            break
    return [show(value, digits=digits if is_number(value) else 6) for value in values]


def _pieces(value: Any, digits: int) -> Iterator[str]:
    if isinstance(value, (list, tuple)):
        yield "(" if isinstance(value, tuple) else "["
        for i, item in enumerate(value):
            yield ", " if i else ""
            yield from _pieces(item, digits)
        if isinstance(value, tuple):
            yield ",)" if len(value) == 1 else ")"
        else:
            yield "]"
    elif isinstance(value, dict):
        yield "{"
        for i, (key, item) in enumerate(value.items()):
            yield ", " if i else ""
            yield from _pieces(key, digits)
            yield ": "
            yield from _pieces(item, digits)
        yield "}"
    elif is_number(value):
        yield _show_number(value, digits)
    elif is_array(value):
        yield _show_array(value, digits)
    else:
        yield repr(_bare(value))


def _show_number(value: Any, digits: int) -> str:
    number = as_float(value)
    if type(value) is int or getattr(getattr(value, "dtype", None), "kind", "f") in "iu":
        if abs(number) < 10**12:
            return str(int(value))
        if math.isinf(number):
            return f"an int of about {int(value).bit_length() * math.log10(2):.0f} digits"
        return f"{number:.{digits}g}"
    if number == 0:
        return "0.0"
    if math.isfinite(number) and number == int(number) and abs(number) < 1e6:
        return f"{number:.1f}"
    return f"{number:.{digits}g}"


def _show_array(value: Any, digits: int) -> str:
    import numpy as np

    if value.size > 1000:  # NumPy's own summary grows with the number of axes
        return f"<an array of shape {value.shape}>"
    precision = 4 if digits == 6 else digits
    # Where all numbers are small, none of them is shown as 0.
    sizes = np.abs(value[np.isfinite(value)]) if value.dtype.kind in "fc" else np.ones(0)
    small = bool(0 < sizes.max(initial=0) < 10.0 ** (1 - precision))
    with np.printoptions(precision=precision, suppress=not small, threshold=12):
        return str(value).replace("\n", "")
