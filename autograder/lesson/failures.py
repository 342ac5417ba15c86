"""A failed check: what went wrong, as data, and how it reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from .colours import RED, verdict

#: The statuses of an exercise, the words of `autograder score --json`.
PASSED, FAILED, ERROR, TIMEOUT, MISSING = "passed", "failed", "error", "timeout", "missing"
#: Those of an answer that is there and not right.
FAULTS = (FAILED, ERROR, TIMEOUT)


def row(name: str, text: str) -> str:
    """One fact of a message. Later lines of its text stay under the first, so that none can look like a verdict."""
    return f"  {name:<9} " + text.replace("\n", "\n" + " " * 12)


@dataclass
class Part:
    """A part of an exercise that was asked: what it is worth, and how it ended."""

    name: str
    points: float
    #: None where it is right
    failure: Failure | None = None
    #: the line of the check cell that ended it; 0 where it is right
    line: int = 0
    #: whether it ended because the answer's process was out of time, or gone
    lost: bool = False
    #: those of the exercise's calls that say which mistake was made in it
    calls: slice = field(default_factory=lambda: slice(None))
    #: how many of its checks were right before it ended
    before: int = 0
    #: whether it has drawn anything
    drawn: bool = False


@dataclass
class Failure:
    """What went wrong with an exercise, as data."""

    exercise: str
    status: str
    headline: str
    rows: list[tuple[str, str]] = field(default_factory=list)
    diagnosis: str = ""
    hint: str = ""
    #: True when nothing can be said of the answer, because a cell has not been run
    not_run: bool = False
    #: True when the values are right so far, and an argument was changed in place
    in_place: bool = False
    #: True when the numbers are right, and only what holds them is not: then no fault in computing is to be told
    form_only: bool = False
    #: where an exercise has parts and all were asked, each of them
    parts: list[Part] = field(default_factory=list)

    def lines(self, diagnosis: str | None = None) -> list[str]:
        """The message without its headline, one aligned line a fact."""
        rows = list(self.rows)
        said = self.diagnosis if diagnosis is None else diagnosis
        if said:
            rows.append(("likely", said))
        if self.hint:
            rows.append(("next", self.hint))
        return [row(name, text) for name, text in rows]

    def text(self, diagnosis: str | None = None) -> str:
        """The whole message."""
        return "\n".join([f"✗ {self.exercise}: {self.headline}", *self.lines(diagnosis)])


class CheckFailed(AssertionError):
    """An answer is not right yet. Shows itself in a few lines, without a traceback."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.exercise}: {failure.headline}")
        self.failure = failure

    def __str__(self) -> str:
        return self.failure.text()

    def _render_traceback_(self) -> list[str]:
        """What Jupyter shows in the place of a traceback."""
        failure = self.failure
        return [verdict(f"✗ {failure.exercise}", failure.headline, RED), *failure.lines()]


class TestFault(Exception):
    """The check itself is at fault, not the answer."""

    __test__ = False
