"""Parts of a check, with points each: who has one of two things right earns that one.

    with exercise("spread") as check:
        with check.part("mean", 1):
            check.close(yours.spread([1.0, 5.0])[0], 3.0, "the middle of 1 and 5")
        with check.part("deviation", 2):
            check.close(yours.spread([1.0, 5.0])[1], 2.0, "both are 2 from the middle")

A part ends at its first check that fails, and the next one is asked all the same. What stands in the block and in no
part is asked of all: where it fails, nothing is earned.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol

from .failures import ERROR, MISSING, TIMEOUT, CheckFailed, Failure, Part, TestFault
from .probes import AnswerLost, AnswerTimeout, Session


class Whole(Protocol):
    """The exercise that a part belongs to."""

    name: str
    session: Session
    draws: random.Random
    in_part: bool
    exam: bool


#: How an exception in an exercise's block reads; None when it is to pass as it is.
Reads = Callable[[BaseException, TracebackType | None], Failure | None]


class PartBlock:
    """The block of one part: notes how it ended, and lets the next one be asked."""

    def __init__(self, whole: Whole, name: str, points: float, reads: Reads) -> None:
        self.whole, self.name, self.points, self.reads = whole, name, points, reads
        self.session = whole.session

    def __enter__(self) -> None:
        if self.whole.in_part:
            raise TestFault(f"the part {self.name} of {self.whole.name} stands in another part")
        self.whole.in_part = True
        self.checks_before, self.calls_before = self.session.checks_made, len(self.session.calls)
        self.drawn_before, self.session.drawn = self.session.drawn, False
        # Draws of its own: how far another part came changes none of them, and tells none of them.
        told = f"{self.session.seed} {self.whole.name} {self.name}"
        self.outside = self.whole.draws
        self.whole.draws = random.Random(hashlib.sha256(told.encode()).digest())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> bool:
        self.whole.in_part, self.whole.draws = False, self.outside
        ended = Part(self.name, self.points, calls=self._telling(), drawn=self.session.drawn)
        self.session.drawn |= self.drawn_before
        if error is None:
            if self.session.checks_made == self.checks_before:
                raise TestFault(f"the part {self.name} of {self.whole.name} makes no check")
        else:
            failure = self._failure(error, tb)
            if failure is None or (failure.not_run and self.session.is_notebook):
                return False
            ended.failure, ended.line = failure, tb.tb_lineno if tb is not None else 0
            if not self.whole.exam:
                ended.before = self.session.checks_made - self.checks_before - isinstance(error, CheckFailed)
            ended.lost = isinstance(error, (AnswerTimeout, AnswerLost))
        self.session.calls_checked = len(self.session.calls)
        self.session.parts.append(ended)
        return error is not None and not self.session.first_ends

    def _telling(self) -> slice:
        """The calls of this part; none where all raised: the type of an exception fits too many mistakes."""
        first, end = self.calls_before, len(self.session.calls)
        gave = any(call.error is None for call in self.session.calls[first:])
        return slice(first if gave else end, end)

    def _failure(self, error: BaseException, tb: TracebackType | None) -> Failure | None:
        """How an exception in the part reads; None where it says nothing of the answer."""
        if isinstance(error, CheckFailed):
            return error.failure
        failure = self.reads(error, tb)
        if failure is None and isinstance(error, (AnswerTimeout, AnswerLost)):
            status = TIMEOUT if isinstance(error, AnswerTimeout) else ERROR
            failure = Failure(self.whole.name, status, str(error))
            if self.session.calls:
                failure.rows.append(("called", str(self.session.calls[-1])))
        return failure


def together(name: str, parts: Sequence[Part], hint: str) -> Failure | None:
    """What the parts say of an exercise; None where all are right."""
    failed = [(part, part.failure) for part in parts if part.failure is not None]
    if not failed:
        return None
    first = failed[0][1]
    if len(failed) == len(parts) and all(failure.status == MISSING for _, failure in failed):
        first.parts = list(parts)
        return first
    whole = Failure(name, first.status, headline(parts), hint=hint, parts=list(parts))
    for part, failure in failed:
        whole.rows.append(("part", f"{part.name} ({worth(part.points)}): {failure.headline}{after(part)}"))
        whole.rows += failure.rows
        if failure.diagnosis and len(failed) > 1:
            whole.rows.append(("likely", failure.diagnosis))
    if len(failed) == 1:
        whole.diagnosis = first.diagnosis
    return whole


def after(part: Part) -> str:
    """How many checks of a part were right before the first that was not; nothing where there was none.

    >>> after(Part("mean", 1, before=2)), after(Part("mean", 1, before=1)), after(Part("mean", 1))
    (', after 2 checks that were right', ', after 1 check that was right', '')
    """
    some = f"{part.before} checks that were" if part.before != 1 else "1 check that was"
    return f", after {some} right" if part.before else ""


def telling(parts: Sequence[Part]) -> slice:
    """Which of an exercise's calls say what mistake was made: those of the first part that is not right.

    What other parts gave is no sign of it: they may be random, as new weights are, or still to be written. Where there
    is no such part, all calls do.

    >>> telling([Part("mean", 1, calls=slice(0, 2)), Part("spread", 1, Failure("x", "failed", ""), calls=slice(2, 3))])
    slice(2, 3, None)
    >>> telling([])
    slice(None, None, None)
    """
    return next((part.calls for part in parts if part.failure is not None), slice(None))


def headline(parts: Sequence[Part]) -> str:
    """Which parts are right.

    >>> wrong = Failure("spread", "failed", "not right yet")
    >>> headline([Part("mean", 1), Part("deviation", 2, wrong)])
    'mean is right, deviation not yet'
    >>> headline([Part("mean", 1, wrong), Part("deviation", 2, wrong)])
    'no part is right yet'
    """
    right = [part.name for part in parts if part.failure is None]
    if not right:
        return "no part is right yet"
    wrong = [part.name for part in parts if part.failure is not None]
    return f"{listed(right)} {'is' if len(right) == 1 else 'are'} right, {listed(wrong)} not yet"


def listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def worth(points: float) -> str:
    """Points in words.

    >>> worth(1), worth(1.5)
    ('1 point', '1.5 points')
    """
    return f"{points:g} point{'s' * (points != 1)}"
