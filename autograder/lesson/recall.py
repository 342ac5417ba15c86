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

from collections.abc import Callable, Mapping
from typing import Any

from .predict import EMPTY
from .said import same, shown


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


__all__ = ["recall"]
