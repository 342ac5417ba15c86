"""Questions that an answer asks while it is called: what replies to them stays where the check is.

An answer that is itself a test has to ask something of what it tests. A question is plain data, and so is the reply;
whatever is asked, a message comes back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from . import wire

#: Makes what answers the questions of one call: a function of plain data that gives plain data.
Subject = Callable[[], Callable[[Any], Any]]

#: So many questions may be asked in one call.
MOST_QUESTIONS = 5000


class Asked:
    """Answers the questions of one call, where the check is. Whatever is asked, a message comes back."""

    __slots__ = ("_answer", "_left", "_seen")

    def __init__(self, subject: Subject) -> None:
        self._answer = subject()
        self._left = MOST_QUESTIONS
        self._seen: Counter[str] = Counter()

    @property
    def seen(self) -> tuple[tuple[str, int], ...]:
        """What was asked so far, as `Reply.asked` says."""
        return tuple(sorted(self._seen.items()))

    def reply(self, question: Any) -> dict[str, Any]:
        """To a packed question: {"told": a packed value}, or {"refused": why}."""
        self._left -= 1
        if self._left < 0:
            return {"refused": f"one call asks at most {MOST_QUESTIONS} questions"}
        try:
            plain = wire.unpack(question)
            self._seen[kind_of(plain)] += 1
            return {"told": wire.pack(self._answer(plain))}
        except Exception as error:  # the question may be anything
            return {"refused": wire.printable(f"{error}" or type(error).__name__, 300)}

    def __call__(self, question: Any) -> Any:
        """Ask in this very process."""
        return heard(self.reply(wire.pack(question)))


def kind_of(question: Any) -> str:
    """What a question is about, without its numbers: its first word, and which of its arrays are all of one number.

    >>> import numpy as np
    >>> kind_of(("rule", np.ones(3), np.array([1.0, 2.0])))
    'rule =~'
    """
    parts = question if isinstance(question, (list, tuple)) else [question]
    word = parts[0][:20] if parts and type(parts[0]) is str else ""
    arrays = [part for part in parts[:20] if getattr(part, "size", 0) > 1]
    return f"{word} {''.join('=' if (a == a.flat[0]).all() else '~' for a in arrays)}".strip()


def heard(reply: dict[str, Any]) -> Any:
    """What a reply to a question tells. Raises ValueError when it was refused."""
    if "told" not in reply:
        raise ValueError(str(reply.get("refused", "no answer")))
    return wire.unpack(reply["told"])
