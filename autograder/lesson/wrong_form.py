"""What is wrong with the form of an answer: its kind, the number of its items, its shape.

Each rule takes what was given, what is expected and the arguments of the call, and gives a sentence, or an empty text.
"""

from __future__ import annotations

from typing import Any

from .compare import count, difference, is_array, is_number, named, numbers_in, ordinal, show
from .wire import Opaque

NUMBER = "Return the number itself"


def kind(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    """Another kind of value than is wanted."""
    if got is None and expected is not None:
        return (
            "The function returned None. Is a `return` missing, or inside an `if` that was not taken or a loop that "
            "had nothing to go over, or does it return what gives None, as a call does that writes in place?"
        )
    if isinstance(got, Opaque) and got.type_name == "ndarray" and "dtype=object" in got.text:
        if "None" in got.text:
            return "This array holds None where a number belongs."
        return "This is an array of Python's objects (its dtype is object), and one of numbers is wanted."
    if isinstance(got, Opaque) and got.type_name.endswith(("Error", "Exception")):
        return f"This gives {named(got.type_name)} back, as if it were an answer: `raise` it."
    if isinstance(got, Opaque) and isinstance(expected, str):
        return f"A text is wanted, and there is {named(got.type_name)}."
    if isinstance(got, Opaque):
        return f"The answer should be made of plain numbers, and this is {named(got.type_name)}."
    if isinstance(got, (list, tuple)) and (inside := [item for item in got if isinstance(item, Opaque)]):
        return f"The answer should be made of plain numbers, and it holds {named(inside[0].type_name)}."
    if isinstance(expected, tuple) and len(expected) == 1 and _stands_alone(got, expected[0]):
        thing = "number" if is_number(got) else "array"
        return f"The {thing} should be in a tuple of one: write `(x,)`, with the comma."
    if is_number(expected) and isinstance(got, (tuple, list)) and len(got) == 1:
        return f"{NUMBER}, not a sequence that holds it."
    if is_number(expected) and is_array(got) and got.size == 1:
        return f"{NUMBER}, not an array that holds it."
    if isinstance(expected, (tuple, list)) and is_array(got):
        if (found := _one_of_several(got, expected)) or len(got) == len(expected):
            return found
        if all(map(is_array, expected)):  # its rows are no items
            return f"This is one array, and {len(expected)} are wanted, in a {type(expected).__name__}."
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
    several, of = len(expected), type(expected).__name__
    if several < 2 or not all(map(is_array, expected)):
        return ""
    for i, item in enumerate(expected):
        if difference(got, item) is None:
            every = "both" if several == 2 else f"all {several}"
            return f"This is the {ordinal(i)} of {several} arrays that are wanted. Return {every}, in a {of}."
    if any(got.shape == item.shape for item in expected):
        return f"This is one array, and {several} are wanted, in a {of}."
    return ""


def number_of_items(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    """More or fewer items than are wanted."""
    wanted = _plain_count(expected)
    if is_number(got) and wanted > 1:
        return f"This is one number, and {wanted} are wanted."
    given = _plain_count(got)
    if is_number(expected) and given > 1:
        return f"These are {given} numbers, and one is wanted."
    if isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list)) and len(got) != len(expected):
        if _like_shapes(got, expected):
            return ""
        if given >= 0 and wanted >= 0:
            return _there_are(given, "number", wanted)
        return _there_are(len(got), "item", len(expected))
    return ""


def _like_shapes(*values: Any) -> bool:
    """Whether these may be shapes, which say how many numbers there are, and are not the numbers themselves."""
    return all(isinstance(value, tuple) and all(type(item) is int for item in value) for value in values)


def _plain_count(value: Any) -> int:
    """How many numbers a list or tuple holds; -1 when it is none, or holds something else."""
    return len(value) if isinstance(value, (tuple, list)) and all(map(is_number, value)) else -1


def _there_are(given: int, what: str, wanted: int) -> str:
    # Not "the answer has": what is compared may be what a probe wrote down, such as the calls of a function.
    there, are = ("is" if number == 1 else "are" for number in (given, wanted))
    return f"There {there} {count(given, what)}, and {wanted} {are} wanted."


def none_inside(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
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


def shape(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    """An array of another shape."""
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


def form_inside(got: Any, expected: Any, args: tuple[Any, ...]) -> str:
    """What is wrong with the form of the first item that differs: its place, and its kind, its length, its shape.

    >>> form_inside(((1.0,), 2.0), (1.0, 2.0), ())
    'At [0]: put the number itself there, not a sequence that holds it.'
    """
    if isinstance(got, dict) and isinstance(expected, dict):
        pairs = [(f"[{show(key, 40)}]", got[key], item) for key, item in expected.items() if key in got]
    elif isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list)):
        pairs = [(f"[{i}]", g, e) for i, (g, e) in enumerate(zip(got, expected, strict=False))]
    else:
        return ""
    for place, g, e in pairs:
        if difference(g, e) is not None:
            if deeper := form_inside(g, e, args):
                return deeper.replace("At ", f"At {place}", 1)
            found = next(filter(None, (rule(g, e, args) for rule in (kind, number_of_items, shape))), "")
            found = found.replace(NUMBER, "Put the number itself there")
            return f"At {place}: {found[0].lower()}{found[1:]}" if found else ""
    return ""
