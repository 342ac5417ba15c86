"""Checks: what a check cell says about an answer, and how a failure reads.

A check cell is a `with` block:

    with exercise("mul_vjp") as check:
        check.close(yours.mul_vjp(10.0, 2.0, 3.0), (30.0, 20.0), "d(ab)/da is b, and it is multiplied by g")

The first check that fails ends the block with a `CheckFailed`, whose text is all that the student sees.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, TracebackType
from typing import Any

from . import likely
from .compare import ATOL, RTOL, difference, show
from .diagnose import diagnose
from .draw import Kind
from .logbook import note
from .probes import (
    AnswerError,
    AnswerLost,
    AnswerTimeout,
    Call,
    Probe,
    Session,
    current_session,
    is_notebook_file,
)
from .reasons import reason

RED, GREEN, BOLD, OFF = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"

#: The statuses of an exercise, the words of `autograder score --json`.
PASSED, FAILED, ERROR, TIMEOUT, MISSING = "passed", "failed", "error", "timeout", "missing"


#: Of several calls in one message, so many are shown.
MOST_CALLS = 4


def row(name: str, text: str) -> str:
    """One fact of a message. Later lines of its text stay under the first, so that none can look like a verdict."""
    return f"  {name:<9} " + text.replace("\n", "\n" + " " * 12)


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
        return [f"{RED}{BOLD}✗ {failure.exercise}{OFF}{RED}: {failure.headline}{OFF}", *failure.lines()]


class TestFault(Exception):
    """The check itself is at fault, not the answer."""

    __test__ = False


class exercise:
    """The checks of one exercise.

    Attributes:
        rng: a `random.Random` whose seed belongs to this run and this exercise.
    """

    def __init__(self, name: str, hint: str = "") -> None:
        self.name = name
        self.hint = hint or "open the next hint above the answer cell"
        self.session: Session = current_session()
        self.rng = random.Random(zlib.crc32(name.encode()) ^ self.session.seed)

    # -- the block ----------------------------------------------------------------------------------------------

    def __enter__(self) -> exercise:
        self.session.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if error is None:
            if not self.session.checks_made:
                raise TestFault(f"the block of {self.name} makes no check")
            if not self.session.quiet:
                count = self.session.checks_made
                print(f"✓ {self.name}: right ({count} check{'s' if count > 1 else ''} passed)")
            self._note(PASSED)
            return
        if isinstance(error, CheckFailed):
            self._recognise(error.failure)
            self._note(error.failure.status)
            return
        failure = self._failure_of(error, tb)
        if failure is None:
            return
        self._recognise(failure)
        if not failure.not_run:
            self._note(failure.status)
        raise CheckFailed(failure) from (None if isinstance(error, (AnswerError, AnswerTimeout)) else error)

    def _failure_of(self, error: BaseException, tb: TracebackType | None) -> Failure | None:
        """How an exception in the block reads; None when it is to pass as it is."""
        if isinstance(error, AnswerError):
            return self._raised(error, tb)
        if (
            isinstance(error, NameError)
            and self.session.is_notebook
            and error.name
            and not _from_elsewhere(tb)
        ):
            return self._not_run(error.name)
        if isinstance(error, AnswerTimeout) and not self.session.quiet:
            return self._endless(error)
        if isinstance(error, (AnswerTimeout, AnswerLost, TestFault)):
            return None
        last = self._last_call()
        if isinstance(error, Exception) and last is not None:
            # The check's own code could not work with the answer: a None where it takes a pair, for example.
            why = f"{type(error).__name__}: {error}"
            failure = self._failure(FAILED, "the answer has the wrong form", why=why)
            failure.diagnosis = diagnose(None, ()) if last.value is None else ""
            return failure
        return None

    def _recognise(self, failure: Failure) -> None:
        """Give the sentence of the wrong answer that did the same. The referee has the bank itself for that."""
        if self.session.is_notebook and failure.status in (FAILED, ERROR, TIMEOUT) and not failure.not_run:
            known = likely.sentence(self.name, self.session.calls, endless=failure.status == TIMEOUT)
            failure.diagnosis = known or failure.diagnosis

    def _note(self, status: str) -> None:
        """Note the result for the learner."""
        if self.session.is_notebook:
            note(self.name, {PASSED: True, MISSING: None}.get(status, False))

    # -- the checks ---------------------------------------------------------------------------------------------

    def close(self, got: Any, expected: Any, why: str, *, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Numbers agree within `atol + rtol * |expected|`; everything else is equal."""
        self.session.checks_made += 1
        found = difference(got, expected, rtol, atol)
        if found is not None:
            headline = "not right yet"
            if found.where:
                headline = f"not right yet: {found.what} at {found.where}"
            told = _Compared(got, expected, rtol, atol, found.digits)
            raise CheckFailed(self._failure(FAILED, headline, told, why=why))
        self.session.calls_checked = len(self.session.calls)

    def equal(self, got: Any, expected: Any, why: str) -> None:
        """Exactly equal, numbers too."""
        self.close(got, expected, why, rtol=0.0, atol=0.0)

    def true(self, condition: bool, why: str) -> None:
        """A property holds; `why` says which."""
        self.session.checks_made += 1
        if not condition:
            raise CheckFailed(self._failure(FAILED, "not right yet", why=why))
        self.session.calls_checked = len(self.session.calls)

    def untouched(self, why: str = "the function may not change what it was given") -> None:
        """The last call left its arguments as they were.

        Two more calls, with the same arguments one after the other, have to give what that one gave: what has written
        into its arguments gives something else. And the arguments come back, to be compared with what was sent.

        Raises TestFault when there is no call before it, or the last one raised.
        """
        self.session.checks_made += 1
        last = self._last_call()
        if last is None or last.error is not None:
            raise TestFault("`untouched` looks at the call before it, and there is none that gave something")
        told = self.session.boundary.call(last.probe, last.args, twice=True).value
        if not (isinstance(told, tuple) and len(told) == 3):
            told = (None, None, None)
        changed = last.mutated or difference(told[2], last.args, 0.0, 0.0) is not None
        if changed or any(difference(value, last.value) is not None for value in told[:2]):
            what = "an argument was changed in place" if changed else "a second call gave something else"
            failure = self._failure(FAILED, what, why=why, calls=[last])
            failure.in_place = bool(changed)
            raise CheckFailed(failure)

    def cases(self, count: int, *kinds: Kind) -> Iterator[tuple[Any, ...]]:
        """`count` tuples of random arguments, one of each kind."""
        for _ in range(count):
            yield tuple(kind.sample(self.rng) for kind in kinds)

    def same_as(
        self, reference: Callable[..., Any], answer: Probe, *kinds: Kind, why: str, cases: int = 20
    ) -> None:
        """The answer gives what the reference gives, on random arguments."""
        for args in self.cases(cases, *kinds):
            self.close(answer(*args), reference(*args), why)

    # -- how a failure is told ----------------------------------------------------------------------------------

    def _last_call(self) -> Call | None:
        return self.session.calls[-1] if self.session.calls else None

    def _failure(
        self,
        status: str,
        headline: str,
        compared: _Compared | None = None,
        *,
        why: str = "",
        calls: Sequence[Call] | None = None,
    ) -> Failure:
        failure = Failure(self.name, status, headline, hint=self.hint)
        if calls is None:
            calls = self._calls_behind(compared)
        call = calls[0] if len(calls) == 1 else None
        if call is not None:
            failure.rows.append(("called", str(call)))
        elif calls:
            failure.rows.append(("called", _in_short(calls)))
        if compared is None:
            if call is not None:
                failure.rows.append(("returned", show(call.value)))
            failure.rows += [("because", why)] if why else []
            return failure
        direct = call is not None and call.value is compared.got
        got, expected = compared.texts
        if direct:
            failure.rows.append(("returned", got))
        else:
            if call is not None:
                failure.rows.append(("returned", show(call.value, digits=compared.digits)))
            failure.rows.append(("compared", got))
        failure.rows.append(("expected", expected))
        failure.rows += [("because", why)] if why else []
        args, mutated = (call.args, call.mutated) if call is not None and direct else ((), ())
        failure.diagnosis = diagnose(compared.got, compared.expected, args, mutated)
        return failure

    def _calls_behind(self, compared: _Compared | None) -> Sequence[Call]:
        """The call that gave the value which failed; where that is not known, all calls since the last check."""
        calls = self.session.calls
        recent = calls[self.session.calls_checked :]
        for value in compared.values() if compared is not None else ():
            for some in (recent, calls):
                found = [call for call in some if call.error is None and _came_from(value, call.value)]
                # Of a None or a small int there is one object for all: it may have come from elsewhere.
                shared = value is None or isinstance(value, (bool, int, str))
                if found and not (shared and found != some[-1:]):
                    return found
        return recent or (calls if len(calls) == 1 else ())

    def _endless(self, error: AnswerTimeout) -> Failure:
        failure = Failure(self.name, TIMEOUT, str(error), hint=self.hint)
        last = self._last_call()
        if last is not None:
            failure.rows.append(("called", str(last)))
        failure.diagnosis = (
            "A loop does not come to its end. Does each round take something away from what is left to do?"
        )
        return failure

    def _not_run(self, name: str) -> Failure:
        """A name that the check needs is not there, so the cell that defines it was not run."""
        headline = f"there is no `{name}` in this kernel yet"
        hint = "run all cells above, then this one again: a kernel that was restarted has forgotten them"
        return Failure(self.name, MISSING, headline, hint=hint, not_run=True)

    def _raised(self, error: AnswerError, tb: TracebackType | None) -> Failure:
        last = self._last_call()
        if error.unfinished:
            hint = "write it in the answer cell above, run that cell, then run this one again"
            # Of an exercise with several functions, say which.
            called = last.probe.name if last is not None and last.probe.function is None else self.name
            called = error.name or called
            headline = "not written yet" if called == self.name else f"not written yet: `{called}`"
            return Failure(self.name, MISSING, headline, hint=hint)
        if error.type_name == "NameError" and last is not None and error.name == last.probe.name:
            headline = f"there is no `{error.name}` yet"
            hint = "run the cell that defines it, then this one"
            return Failure(self.name, MISSING, headline, hint=hint, not_run=True)
        if error.name and last is not None and _in_probe(error, last.probe):
            return self._not_run(error.name)
        failure = Failure(self.name, ERROR, f"your code raised {error.type_name}", hint=self.hint)
        if last is not None:
            failure.rows.append(("called", str(last)))
        failure.rows.append(("raised", str(error)))
        if error.place:
            failure.rows.append(("at", error.place))
        if why := reason(tb):
            failure.rows.append(("because", why))
        failure.diagnosis = explain_exception(error)
        return failure


@dataclass(frozen=True)
class _Compared:
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


def _came_from(value: Any, reply: Any) -> bool:
    """True when a value is a call's reply, or an item of it: the very object."""
    items = reply.values() if isinstance(reply, dict) else reply if isinstance(reply, (list, tuple)) else ()
    return value is reply or any(item is value for item in items)


def _in_short(calls: Sequence[Call]) -> str:
    """Several calls and what they gave, one a line."""
    lines = [
        f"{call} raised {call.error.type_name}" if call.error else f"{call} gave {show(call.value, 60)}"
        for call in calls[:MOST_CALLS]
    ]
    if len(calls) > MOST_CALLS:
        lines[-1] = f"and {len(calls) - MOST_CALLS + 1} more calls"
    return "\n".join(lines)


def _last_frame(tb: TracebackType | None) -> CodeType | None:
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    return tb.tb_frame.f_code if tb is not None else None


def _from_elsewhere(tb: TracebackType | None) -> bool:
    """True when an exception arose in a module, not in a cell of the notebook."""
    code = _last_frame(tb)
    return code is None or not is_notebook_file(code.co_filename)


def _in_probe(error: AnswerError, probe: Probe) -> bool:
    """True when an exception arose in a probe's own code, in this process, and not in the answer that it calls."""
    original = error.__context__
    if not isinstance(original, NameError) or probe.function is None:
        return False
    own, last = probe.function.__code__, _last_frame(original.__traceback__)
    if last is None or last.co_filename != own.co_filename:
        return False
    # A comprehension has a frame of its own.
    return f"{last.co_qualname}.".startswith(f"{own.co_qualname}.")


def explain_exception(error: AnswerError) -> str:
    """A sentence for the exceptions that learners meet most."""
    text = error.message
    if error.type_name == "RecursionError":
        return (
            "A function calls itself, directly or through an operator, deeper than Python allows. "
            "Where it has to go deep, use a loop and a list of what is still to do."
        )
    if error.type_name == "TypeError" and re.search(
        r"'(?:int|float|list|tuple|str|numpy\.\w+)' object is not callable", text
    ):
        return "Something is called that is no function: was a name such as `sum`, `max` or `list` given to a value?"
    if error.type_name == "TypeError" and "NoneType" in text:
        return "Something is None there: often a function that has no `return`, or a gradient that is not set yet."
    if error.type_name == "TypeError" and "positional argument" in text:
        return (
            "The function is called with another number of arguments than it takes. Compare its first line."
        )
    if error.type_name == "TypeError" and "for ^" in text:
        return "In Python a power is `**`; `^` is something else."
    if error.type_name == "TypeError" and "unsupported operand" in text:
        return "Two things are combined that do not fit, such as a Value where a number is meant."
    if error.type_name == "NameError":
        return "A name is misspelt, or defined in a cell that has not been run."
    if error.type_name == "SyntaxError" and text.startswith("f-string:"):
        return (
            "Before Python 3.12, what stands in the braces of an f-string may not contain the quotes that are around "
            "it: use the other kind inside."
        )
    if error.type_name == "ModuleNotFoundError":
        return "An answer may import NumPy, matplotlib and Python's own library; what else is installed may differ."
    if error.type_name == "UnboundLocalError":
        return "The name is given a value inside the function, but only after it is used."
    if error.type_name == "ZeroDivisionError" and "power" in text:  # the message does not speak of a division
        return "A negative power of 0 is a division by 0."
    if error.type_name == "OverflowError":
        return "A number became too large: look for an `exp` of a large number."
    return ""


__all__ = ["CheckFailed", "Failure", "TestFault", "exercise", "explain_exception"]
