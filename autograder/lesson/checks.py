"""Checks: what a check cell says about an answer, and how a failure reads.

A check cell is a `with` block:

    with exercise("mul_vjp") as check:
        check.close(yours.mul_vjp(10.0, 2.0, 3.0), (30.0, 20.0), "d(ab)/da is b, and it is multiplied by g")

The first check that fails ends the block with a `CheckFailed`, whose text is all that the student sees.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

from . import likely, locked
from .answers import AnswerNotAsked
from .colours import GREEN, verdict
from .compare import ATOL, RTOL, difference, right_in_another_form, show
from .diagnose import ALL_ZERO, diagnose
from .differences import Compared, came_from, diagnose_call, in_short
from .draw import Kind, draw_together
from .echo import with_echoes
from .exceptions import explain_exception, from_elsewhere, in_probe
from .failures import ERROR, FAILED, FAULTS, MISSING, PASSED, TIMEOUT, CheckFailed, Failure, TestFault
from .forms import in_the_check, of_form
from .in_place import KEPT, SAME, asked_twice, called_again, changed_in_place
from .logbook import note
from .parts import PartBlock, together
from .probes import (
    AnswerError,
    AnswerLost,
    AnswerTimeout,
    Call,
    Probe,
    Session,
    current_session,
)
from .reasons import reason
from .suspects import Suspect, judged
from .unfinished import is_open
from .unread import refuse_to_judge

#: The headline of an answer that the check's own code cannot take apart.
WRONG_FORM = "the answer has the wrong form"


class exercise:
    """The checks of one exercise."""

    def __init__(self, name: str, hint: str = "", *, exam: bool = False) -> None:
        self.name, self.exam = name, exam
        self.hint = hint or "open the next hint above the answer cell"
        self.session: Session = current_session()
        #: what is drawn from; a part has draws of its own
        self.draws = random.Random(zlib.crc32(name.encode()) ^ self.session.seed)
        self.in_part = False

    @property
    def rng(self) -> random.Random:
        """The numbers that this run draws: a `random.Random` whose seed belongs to it and to the exercise."""
        self.session.drawn = True
        return self.draws

    # -- the block ----------------------------------------------------------------------------------------------

    def __enter__(self) -> exercise:
        self.session.begin()
        refuse_to_judge(self.name, self.session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if error is None and (missed := together(self.name, self.session.parts, self.hint)):
            self._recognise(missed)
            self._note(missed.status)
            raise CheckFailed(missed)
        if error is None:
            if not self.session.checks_made:
                raise TestFault(f"the block of {self.name} makes no check")
            if not self.session.quiet:
                count = self.session.checks_made
                passed = "right" if self.exam else f"right ({count} check{'s' if count > 1 else ''} passed)"
                print(verdict(f"✓ {self.name}", passed, GREEN))
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
            and not from_elsewhere(tb)
        ):
            return self._not_run(error.name)
        if isinstance(error, AnswerTimeout) and not self.session.quiet:
            return self._endless(error)
        if isinstance(error, (AnswerTimeout, AnswerLost, AnswerNotAsked, TestFault)):
            return None
        last = self._last_call()
        if isinstance(error, Exception) and last is not None:
            # The check's own code could not work with the answer: a None where it takes a pair, for example.
            failure = self._failure(FAILED, WRONG_FORM, why=reason(tb))
            none = diagnose(None, ()) if last.value is None else ""
            failure.diagnosis = none or of_form(type(error).__name__, str(error))
            return failure
        return None

    def _recognise(self, failure: Failure) -> None:
        """Give the sentence of a wrong answer that did the same (a referee has its bank); in an exam, take all away."""
        if self.exam and self.session.is_notebook and failure.status != MISSING:
            failure.headline, failure.rows, failure.diagnosis, failure.hint = "not right yet", [], "", ""
            return
        calls = with_echoes(self.session, failure.status == FAILED)
        if self.session.is_notebook and calls and failure.status in FAULTS and not failure.not_run:
            known = likely.sentence(self.name, calls, endless=failure.status == TIMEOUT)
            if failure.status == FAILED and not failure.form_only:
                known = known or locked.sentence(self.name, calls)
            failure.diagnosis = known or failure.diagnosis

    def _note(self, status: str) -> None:
        """Note the result for the learner."""
        if self.session.is_notebook:
            note(self.name, {PASSED: True, MISSING: None}.get(status, False))

    def part(self, name: str, points: float) -> PartBlock:
        """The block of a part, which earns its points by itself. All parts' points are the check's."""
        return PartBlock(self, name, points, self._failure_of)

    # -- the checks ---------------------------------------------------------------------------------------------

    def close(self, got: Any, expected: Any, why: str, *, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Numbers agree within `atol + rtol * |expected|`; everything else is equal."""
        self.session.checks_made += 1
        found = difference(got, expected, rtol, atol)
        if found is not None:
            headline = "not right yet"
            if found.where:
                headline = f"not right yet: {found.what} at {found.where}"
            told = Compared(got, expected, rtol, atol, found.digits)
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
        told, raised = asked_twice(self.session, last)
        changed = last.mutated or (not raised and difference(told[2], last.args, 0.0, 0.0) is not None)
        if changed or raised or any(difference(value, last.value) is not None for value in told[:2]):
            second = f"raised {raised.type_name}" if raised else "gave something else"
            what = "an argument was changed in place" if changed else f"a second call {second}"
            failure = self._failure(FAILED, what, why=why if changed else SAME, calls=[last])
            failure.in_place = bool(changed)
            if changed:
                failure.diagnosis = changed_in_place(last.args, told[2], last.mutated, last.probe)
            else:  # what went before was right, and many answers do that: only these calls say which one it is
                failure.diagnosis = KEPT
                for call in called_again(last, told[:2], raised):
                    self.session.calls.append(call)
            raise CheckFailed(failure)

    def cases(self, count: int, *kinds: Kind) -> Iterator[tuple[Any, ...]]:
        """`count` tuples of random arguments, one of each kind; of numbers with every combination of signs."""
        yield from draw_together(count, kinds, self.rng)

    def same_as(
        self, reference: Callable[..., Any], answer: Probe, *kinds: Kind, why: str, cases: int = 20
    ) -> None:
        """The answer gives what the reference gives, on random arguments."""
        for args in self.cases(cases, *kinds):
            self.close(answer(*args), reference(*args), why)

    def tells_apart(
        self,
        verdict: Probe,
        suspects: Sequence[Suspect],
        why: str,
        *,
        right: str = "right rules",
        wrong: str = "faults",
    ) -> None:
        """A learner's test gives True for each right suspect and False for each wrong one, in any order.

        A failure says what kinds of fault were not found, or what it was that the test accused though it is right.
        """
        self.session.checks_made += 1
        found = judged(verdict, suspects, self.rng)
        if found is not None:
            calls = [found.call] if found.call is not None else []
            headline = found.headline(right, wrong)
            failure = self._failure(FAILED, headline, why=why, calls=calls)
            failure.rows[-1:-1] = found.rows
            raise CheckFailed(failure)
        self.session.calls_checked = len(self.session.calls)

    # -- how a failure is told ----------------------------------------------------------------------------------

    def _last_call(self) -> Call | None:
        return self.session.calls[-1] if self.session.calls else None

    def _failure(
        self,
        status: str,
        headline: str,
        compared: Compared | None = None,
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
            failure.rows.append(("called", in_short(calls)))
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
        if call is not None and direct:
            before = self.session.calls[: self.session.calls_checked]
            passed = [one for one in before if one.probe.name == call.probe.name and one.error is None]
            failure.diagnosis = diagnose_call(compared, call, passed)
        else:
            failure.diagnosis = diagnose(compared.got, compared.expected)
            if failure.diagnosis == ALL_ZERO and not any(came_from(compared.got, one.value) for one in calls):
                failure.diagnosis = ""  # the check has made zeros of what was given, as by a difference
        failure.form_only = right_in_another_form(compared.got, compared.expected)
        return failure

    def _calls_behind(self, compared: Compared | None) -> Sequence[Call]:
        """The call that gave the value which failed; where that is not known, all calls since the last check."""
        calls = self.session.calls
        recent = calls[self.session.calls_checked :]
        for value in compared.values() if compared is not None else ():
            for some in (recent, calls):
                found = [call for call in some if call.error is None and came_from(value, call.value)]
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
            "A loop does not come to its end, or takes very long. Does each round take something away from what is "
            "left to do?"
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
            # Of an exercise with several functions, say which, all of them.
            called = last.probe.name if last is not None and last.probe.function is None else self.name
            called = error.name or called
            named = ", ".join(f"`{name}`" for name in called.split(", "))
            headline = "not written yet" if called == self.name else f"not written yet: {named}"
            return Failure(self.name, MISSING, headline, hint=hint)
        # An empty cell that is still to be filled defines nothing, and a probe asks for it by the exercise's name.
        wanted = {self.name, last.probe.name} if last is not None else set()
        if error.type_name == "NameError" and error.name in wanted:
            if self.session.is_notebook and is_open(error.name):
                hint = "write it in the answer cell above, run that cell, then run this one again"
                return Failure(self.name, MISSING, "not written yet", hint=hint)
            headline = f"there is no `{error.name}` yet"
            hint = "run the cell that defines it, then this one"
            return Failure(self.name, MISSING, headline, hint=hint, not_run=True)
        if error.name and last is not None and in_probe(error, last.probe):
            return self._not_run(error.name)
        apart = in_the_check(error, last)
        headline = WRONG_FORM if apart else f"your code raised {error.type_name}"
        failure = Failure(self.name, ERROR, headline, hint=self.hint)
        if last is not None:
            failure.rows.append(("called", str(last)))
        if not apart:
            failure.rows.append(("raised", str(error)))
        if error.place:
            failure.rows.append(("at", error.place))
        if why := reason(tb):
            failure.rows.append(("because", why))
        failure.diagnosis = of_form(error.type_name, error.message) if apart else explain_exception(error)
        return failure


__all__ = ["exercise"]
