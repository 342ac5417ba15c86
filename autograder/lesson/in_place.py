"""What is said of a call that changed what it was given, or that remembers the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .compare import difference, ordinal

#: What is said of a function that gives something else when it is called once more.
KEPT = (
    "The same call did something else the second time: something is kept from one call to the next, or an argument, "
    "or what was given back, is changed later."
)


def changed_in_place(args: tuple[Any, ...], after: Any, mutated: Sequence[int] = ()) -> str:
    """Which arguments a call changed: by its own account, or by what they hold after it."""
    changed = set(mutated)
    if isinstance(after, tuple) and len(after) == len(args):
        changed |= {i for i, arg in enumerate(args) if difference(after[i], arg, 0.0, 0.0) is not None}
    names = [ordinal(i) for i in sorted(changed)]
    if not names:
        return ""
    which = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    noun = "argument" if len(names) == 1 else "arguments"
    return f"The call changed its {which} {noun} in place: `+=` and `[...] =` can do that. Work on a copy."
