"""Which wrong answer of the bank does what a student's answer did, on the same inputs.

The bank's answers are wrong, so some of them crash, or do not end on inputs that nobody foresaw. They run where the
students' do: in a process of their own, with walls and limits.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from ..lesson import likely, locked, wire
from ..lesson.compare import difference
from ..lesson.exceptions import identity_of
from ..lesson.failures import ERROR, FAILED, Failure
from ..lesson.probes import AnswerError, AnswerLost, AnswerTimeout, Call, Reply
from ..sandbox.process import PupilProcess
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment
from .bank import Entry

#: Wall time for one call of one answer of the bank, and for all diagnoses of one submission, in seconds.
CALL_SECONDS = 2.0
TOTAL_SECONDS = 30.0
#: Numbers that are closer to each other differ by rounding.
CLOSE = 1e-14


class Memory:
    """What the bank's answers gave, kept from one submission to the next: worked numbers are the same for all.

    An answer may remember its earlier calls, so what it gives is kept for a whole row of calls, by a chain of hashes.
    What they gave in the visible checks is known from the build: the sentences of `likely.json`, by their digests.
    """

    ROOM = 20_000

    def __init__(self, sentences: Mapping[str, str] | None = None) -> None:
        self.sentences = sentences or {}
        #: the locked sentences of mutants, by the folder of their unit
        self.locked: dict[Path, dict[str, str]] = {}
        self.replies: OrderedDict[str, Reply | AnswerError] = OrderedDict()
        #: whether a reply, by its key, is the same as what a student's answer gave, by its digest
        self.same: OrderedDict[tuple[str, str], bool] = OrderedDict()

    def mutants_of(self, assignment: Assignment) -> dict[str, str]:
        """The locked sentences of a unit's `likely.json`, read once."""
        folder = assignment.path.parent
        if folder not in self.locked:
            self.locked[folder] = locked.read(folder / likely.FILE)
        return self.locked[folder]

    @staticmethod
    def chain(before: str, calls: Iterable[str]) -> list[str]:
        """The keys of calls that follow each other, of which these are the digests: each has those before in it."""
        return list(accumulate(calls, lambda *both: _digest_of(" ".join(both)), initial=before))[1:]

    def keep(self, key: str, reply: Reply | AnswerError) -> None:
        """Remember one; the oldest make room."""
        self.replies[key] = reply
        if len(self.replies) > self.ROOM:
            self.replies.popitem(last=False)

    def agrees(self, key: str, reply: Reply | AnswerError, call: Call, given: str) -> bool:
        """Whether a reply is the same as what a call gave: where answers are right, they all give the same."""
        if not given:
            return _same(reply, call)
        known = self.same.get((key, given))
        if known is None:
            known = self.same[key, given] = _same(reply, call)
            if len(self.same) > self.ROOM:
                self.same.popitem(last=False)
        return known


class Matcher:
    """Compares answers with the bank's. One for each submission: it keeps its process between exercises."""

    def __init__(
        self,
        assignment: Assignment,
        entries: Sequence[Entry],
        sandbox: Sandbox,
        memory: Memory | None = None,
        seed: int | None = None,
    ) -> None:
        self.memory = memory or Memory()
        self.assignment = assignment
        self.wrong = [entry for entry in entries if not entry.right]
        self.sandbox = sandbox
        self.seed = seed
        self.seconds = min(TOTAL_SECONDS, sandbox.notebook_seconds)
        self._process: PupilProcess | None = None

    def find(
        self, exercise: str, calls: Sequence[Call], timed_out: bool = False, in_place: bool = False
    ) -> Entry | None:
        """The first wrong answer that agrees with every one of these calls; None when there is none.

        An answer that timed out can only be one that is known not to end, and only if there is just one of these.
        One that failed because its last call changed arguments `in_place` can only be one that changes the same.
        """
        candidates = [entry for entry in self.wrong if entry.exercise == exercise]
        if timed_out:
            endless = [entry for entry in candidates if not entry.ends]
            return endless[0] if len(endless) == 1 else None
        if not calls or not candidates:
            return None
        if self.memory.sentences and not in_place:
            sentence = self.memory.sentences.get(likely.fingerprint(exercise, calls))
            alike = [entry for entry in candidates if entry.ends and entry.sentence == sentence]
            if alike:
                return alike[0]
        asked, given = [_asked(call) for call in calls], [_given(call) for call in calls]
        for entry in candidates:
            if entry.ends and self.seconds > 0 and self._agrees(entry, calls, asked, given, in_place):
                return entry
        return None

    def sentence(self, exercise: str, failure: Failure, calls: Sequence[Call]) -> str:
        """What the unit's digests say of a failure in the visible part of a check; empty when that is not known.

        Of a wrong value, what fault of a right answer gives it. And where there is no bank but only its sentences, as
        in a student's own notebook, the one of the wrong answer that does the same.
        """
        if self.assignment.is_release and calls and failure.status in (FAILED, ERROR):
            if known := self.memory.sentences.get(likely.fingerprint(exercise, calls)):
                return known
        if failure.status != FAILED or failure.form_only:
            return ""
        return locked.sentence_in(self.memory.mutants_of(self.assignment), exercise, calls)

    def _agrees(
        self, entry: Entry, calls: Sequence[Call], asked: Sequence[str], given: Sequence[str], in_place: bool
    ) -> bool:
        start = time.monotonic()
        keys = self._keys(entry, asked)
        # The last call is the one that was wrong, and before it nearly all do what is right.
        reply = self.memory.replies.get(keys[-1])
        if reply is not None and not self.memory.agrees(keys[-1], reply, calls[-1], given[-1]):
            return False
        try:
            for i, reply in enumerate(self._replies(entry, calls, keys)):
                if not self.memory.agrees(keys[i], reply, calls[i], given[i]):
                    return False
            if in_place:
                return isinstance(reply, Reply) and _changed_alike(reply, calls[-1])
            return not (isinstance(reply, Reply) and self._right_there(entry, reply, calls, asked))
        except (AnswerTimeout, AnswerLost):
            self.close()
            return False
        finally:
            self.seconds -= time.monotonic() - start

    def _keys(self, entry: Entry, asked: Sequence[str]) -> list[str]:
        about = f"{self.assignment.unit} {entry.exercise} {entry.name} {entry.source}"
        return Memory.chain(_digest_of(about), asked)

    def _replies(
        self, entry: Entry, calls: Sequence[Call], keys: Sequence[str]
    ) -> Iterator[Reply | AnswerError]:
        """What an answer gives for each of these calls, asked where it is not known."""
        process: PupilProcess | None = None
        for i, (call, key) in enumerate(zip(calls, keys, strict=True)):
            reply = self.memory.replies.get(key)
            if reply is None:
                if process is None:
                    process = self._with(entry)
                    for earlier in calls[:i]:  # known, and yet it has to happen
                        _reply(process, earlier)
                reply = _reply(process, call)
                self.memory.keep(key, reply)
            yield reply

    def _right_there(self, entry: Entry, reply: Reply, calls: Sequence[Call], asked: Sequence[str]) -> bool:
        """Whether a wrong answer is right in the last call, and what failed there is only near it.

        A check may be closer than a match: single precision or a difference quotient gives nearly what is right, and so
        nearly what each answer gives whose mistake is elsewhere.
        """
        if _alike(reply.value, calls[-1].value):
            return False
        solution = replace(entry, name="", source="")
        *_, right = self._replies(solution, calls, self._keys(solution, asked))
        return isinstance(right, Reply) and _alike(right.value, reply.value)

    def _with(self, entry: Entry) -> PupilProcess:
        """A process that holds the solution, with this answer in the place of its own."""
        if self._process is None:
            self._process = PupilProcess(
                self.sandbox, self.assignment.allowed, time.monotonic() + 3600, self.seed
            )
            self._process.call_seconds = min(CALL_SECONDS, self.sandbox.call_seconds)
        for cell in self.assignment.trusted_cells():
            own = cell.name == entry.exercise
            # What stands on a wrong answer may break with it; that is no reason to stop.
            self._process.run_cell(entry.answer(cell.source) if own else cell.source)
        return self._process

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.close()
            self._process = None


def _digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _asked(call: Call) -> str:
    """A digest of what a call asks."""
    return _digest_of(json.dumps([call.probe.name, call.probe.source, wire.pack(call.args)]))


def _given(call: Call) -> str:
    """A digest of what a call gave; empty where it gave what is not plain data."""
    try:
        got = wire.pack(call.value) if call.error is None else identity_of(call.error)
    except wire.WireError:
        return ""
    return _digest_of(json.dumps([call.error is None, got, call.asked]))


def _reply(process: PupilProcess, call: Call) -> Reply | AnswerError:
    try:
        return process.call(call.probe, call.args)
    except AnswerError as error:
        return error


def _changed_alike(reply: Reply, call: Call) -> bool:
    """Whether it changed the arguments that a call changed; any, where that is seen only in what they hold after it."""
    return set(reply.mutated) == set(call.mutated) if call.mutated else bool(reply.mutated)


def _alike(one: object, other: object) -> bool:
    """Whether two values differ by rounding alone."""
    return difference(one, other, CLOSE, 0.0) is None


def _same(reply: Reply | AnswerError, call: Call) -> bool:
    if isinstance(reply, AnswerError):
        return call.error is not None and identity_of(call.error) == identity_of(reply)
    same = call.error is None and reply.asked == call.asked
    # Both ways: an array may stand for a list, and a list not for an array, which may be what was wrong.
    return (
        same and difference(reply.value, call.value) is None and difference(call.value, reply.value) is None
    )
