"""Questions about earlier units, at the top of a notebook: recalling what one has learnt is what keeps it.

In a unit's source, the questions stand in prose, one cell takes the answers, and the next, folded so that nobody reads
them before, holds how the right ones are computed:

    # %%
    # Write yours in place of None. The folded cell below looks at them.
    answers = {"unit 05": None, "unit 06": None, "unit 06, ties": None}

    # %% jupyter={"source_hidden": true}
    recall(answers, {"unit 05": lambda: ..., "unit 06": lambda: ..., "unit 06, ties": lambda: ...})

There are three of them, about units two or three before, with numbers that stood nowhere else. Each name says where
the answer can be looked up. Nothing is graded and nothing noted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .predict import EMPTY


def recall(answers: Mapping[str, Any], right: Mapping[str, Callable[[], Any]]) -> None:
    """Print for each answer whether it is right, and if it is not, what would be; one that is None is left open.

    An answer is a number, a text, or a row of them in any form. What is right is computed when an answer is there, and
    not before. Raises KeyError when the two do not ask for the same things.

    >>> recall({"unit 01": 6.0, "unit 02": (1, 2), "unit 02, a sign": None},
    ...        {"unit 01": lambda: 2 * 3, "unit 02": lambda: [1, 4], "unit 02, a sign": lambda: "+"})
    ✓ unit 01: 6
    ✗ unit 02: you wrote (1, 2), and it is [1, 4]. Look there again.
    · unit 02, a sign: not answered yet
    """
    if answers.keys() != right.keys():
        raise KeyError(f"the answers are about {list(answers)}, and the questions are {list(right)}")
    for name, answer in answers.items():
        if answer is None or (isinstance(answer, str) and answer in EMPTY):
            print(f"· {name}: not answered yet")
            continue
        wanted = right[name]()
        if same(answer, wanted):
            print(f"✓ {name}: {shown(wanted)}")
        else:
            print(f"✗ {name}: you wrote {shown(answer)}, and it is {shown(wanted)}. Look there again.")


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
    """The numbers and texts of a value: of an array, a Tensor, a list, a tuple, or of one alone."""
    value = plain(value)
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


__all__ = ["recall"]
