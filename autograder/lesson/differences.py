"""Two values that a check found different: how they are shown, and from which calls they came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .compare import difference, show
from .diagnose import diagnose
from .probes import Call

#: Of several calls in one message, so many are shown.
MOST_CALLS = 4


@dataclass(frozen=True)
class Compared:
    """Two values that a check compared and found different."""

    got: Any
    expected: Any
    rtol: float
    atol: float
    digits: int

    @property
    def texts(self) -> tuple[str, str]:
        """Both as a message shows them, with as many digits as it takes to see the difference."""
        texts = show(self.got), show(self.expected)
        for digits in (self.digits, 9, 12, 17):
            texts = show(self.got, digits=digits), show(self.expected, digits=digits)
            if texts[0] != texts[1]:
                break
        return texts

    def values(self) -> Iterator[Any]:
        """What came back, and in it the item that differs, and the item in that one."""
        got, expected = self.got, self.expected
        while True:
            yield got
            pairs: Iterable[tuple[Any, Any]] = ()
            if isinstance(got, dict) and isinstance(expected, dict):
                pairs = [(got[key], expected[key]) for key in expected if key in got]
            elif isinstance(got, (list, tuple)) and isinstance(expected, (list, tuple)):
                pairs = zip(got, expected, strict=False)
            different = (pair for pair in pairs if difference(*pair, self.rtol, self.atol) is not None)
            got, expected = next(different, (..., ...))
            if got is ...:
                return


def came_from(value: Any, reply: Any) -> bool:
    """True when a value is a call's reply, or an item of it: the very object."""
    items = reply.values() if isinstance(reply, dict) else reply if isinstance(reply, (list, tuple)) else ()
    return value is reply or any(item is value for item in items)


def in_short(calls: Sequence[Call]) -> str:
    """Several calls and what they gave, one a line."""
    lines = [
        f"{call} raised {call.error.type_name}" if call.error else f"{call} gave {show(call.value, 60)}"
        for call in calls[:MOST_CALLS]
    ]
    if len(calls) > MOST_CALLS:
        lines[-1] = f"and {len(calls) - MOST_CALLS + 1} more calls"
    return "\n".join(lines)


def diagnose_call(compared: Compared, call: Call, passed: Sequence[Call]) -> str:
    """What the mistake of a call probably is; `passed` are the calls of the same function that were right.

    What those changed in place as well, it may change: a step of an optimizer does.
    """
    mutated = tuple(i for i in call.mutated if not any(i in one.mutated for one in passed))
    right = [(one.args, one.value) for one in passed]
    return diagnose(compared.got, compared.expected, call.args, mutated, right, call.probe)
