"""What is said of a call that changed what it was given, or that remembers the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .compare import difference, is_array, ordinal
from .probes import AnswerError, Call, Session

#: What is said of a function that gives something else when it is called once more.
KEPT = (
    "The same call did something else the second time: something is kept from one call to the next, or an argument, "
    "or what was given back, is changed later."
)
#: Why it is wrong.
SAME = "the same arguments give the same, however often they come"


def asked_twice(session: Session, last: Call) -> tuple[tuple[Any, Any, Any], AnswerError | None]:
    """What two more calls with the arguments of the last one gave, and the arguments after them; or what was raised."""
    try:
        told = session.boundary.call(last.probe, last.args, twice=True).value
    except AnswerError as error:  # what has emptied a list finds nothing there
        return (None, None, None), error
    return (told if isinstance(told, tuple) and len(told) == 3 else (None, None, None)), None


def called_again(last: Call, told: Sequence[Any], raised: AnswerError | None) -> list[Call]:
    """Two more calls like the last one, and what they gave; one of them where it `raised`."""
    if raised is not None:
        return [replace(last, value=None, error=raised)]
    return [replace(last, value=value) for value in told]


def name_of(i: int, probe: Any) -> str:
    """What a helper of the check calls its argument `i`; empty where the student's own function was called.

    A helper calls that function with other arguments than it was given, so to count its own would say nothing.
    """
    code = getattr(getattr(probe, "function", None), "__code__", None)
    if code is None:
        return ""
    own = 0 if probe.subject is None else 1
    return f"`{code.co_varnames[own + i]}`" if own + i < code.co_argcount else "its data"


def place_of(i: int, probe: Any) -> str:
    """Which argument that is, to go on after "which"."""
    name = name_of(i, probe)
    return f"the check calls {name}" if name else f"is the {ordinal(i)} argument of the call"


#: What changes a list in place, or a dict; and what an array.
OF_LISTS, OF_ARRAYS = (
    "`[...] =`, `+=` and methods such as `pop`",
    "`+=` and its like, `[...] =`, `out=` and methods such as `sort`",
)


def changed_in_place(
    args: tuple[Any, ...], after: Any, mutated: Sequence[int] = (), probe: Any = None
) -> str:
    """Which arguments a call changed: by its own account, or by what they hold after it."""
    changed = set(mutated)
    if isinstance(after, tuple) and len(after) == len(args):
        changed |= {i for i, arg in enumerate(args) if difference(after[i], arg, 0.0, 0.0) is not None}
    if not changed:
        return ""
    names = [name_of(i, probe) for i in sorted(changed)]
    if all(names):
        verb = "was" if len(changed) == 1 else "were"
        what = f"What the check calls {_listed(names)} {verb} changed in place"
    else:
        noun = "argument" if len(changed) == 1 else "arguments"
        what = f"The call changed its {_listed([ordinal(i) for i in sorted(changed)])} {noun} in place"
    kinds = {OF_ARRAYS if is_array(args[i]) else OF_LISTS for i in changed if i < len(args)}
    ways = f": {kinds.pop()} can do that" if len(kinds) == 1 else ""
    return f"{what}{ways}. Work on a copy."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
