"""Which wrong answer of the bank does what a student's answer did, on the same inputs.

The bank's answers are wrong, so some of them crash, or do not end on inputs that nobody foresaw. They run where the
students' do: in a process of their own, with walls and limits.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..lesson import likely, locked, wire
from ..lesson.compare import difference
from ..lesson.failures import ERROR, FAILED, Failure
from ..lesson.probes import AnswerError, AnswerLost, AnswerTimeout, Call, Reply
from ..sandbox.process import PupilProcess
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment
from .bank import Entry

#: Wall time for one call of one answer of the bank, and for all diagnoses of one submission, in seconds.
CALL_SECONDS = 2.0
TOTAL_SECONDS = 30.0


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

    def mutants_of(self, assignment: Assignment) -> dict[str, str]:
        """The locked sentences of a unit's `likely.json`, read once."""
        folder = assignment.path.parent
        if folder not in self.locked:
            self.locked[folder] = locked.read(folder / likely.FILE)
        return self.locked[folder]

    @staticmethod
    def chain(before: str, call: Call) -> str:
        """The key of a call that follows other calls."""
        text = json.dumps([before, call.probe.name, call.probe.source, wire.pack(call.args)])
        return hashlib.sha256(text.encode()).hexdigest()

    def keep(self, key: str, reply: Reply | AnswerError) -> None:
        """Remember one; the oldest make room."""
        self.replies[key] = reply
        if len(self.replies) > self.ROOM:
            self.replies.popitem(last=False)


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
        One that failed because its last call changed an argument `in_place` can only be one that does that, too.
        """
        candidates = [entry for entry in self.wrong if entry.exercise == exercise]
        if timed_out:
            endless = [entry for entry in candidates if not entry.ends]
            return endless[0] if len(endless) == 1 else None
        if not calls:
            return None
        if self.memory.sentences and not in_place:
            sentence = self.memory.sentences.get(likely.fingerprint(exercise, calls))
            for entry in candidates:
                if entry.ends and entry.sentence == sentence:
                    return entry
        for entry in candidates:
            if entry.ends and self.seconds > 0 and self._agrees(entry, calls, in_place):
                return entry
        return None

    def sentence(self, exercise: str, failure: Failure, calls: Sequence[Call]) -> str:
        """What the unit's digests say of a failure in the visible part of a check; empty when that is not known.

        Of a wrong value, what fault of a right answer gives it. And where there is no bank but only its sentences, as
        in a student's own notebook, the one of the wrong answer that does the same.
        """
        if self.assignment.is_release and failure.status in (FAILED, ERROR):
            if known := self.memory.sentences.get(likely.fingerprint(exercise, calls)):
                return known
        if failure.status != FAILED or failure.form_only:
            return ""
        return locked.sentence_in(self.memory.mutants_of(self.assignment), exercise, calls)

    def _agrees(self, entry: Entry, calls: Sequence[Call], in_place: bool) -> bool:
        start = time.monotonic()
        process: PupilProcess | None = None
        reply: Reply | AnswerError | None = None
        key = f"{self.assignment.unit} {entry.exercise} {entry.name} {entry.source}"
        try:
            for i, call in enumerate(calls):
                key = Memory.chain(key, call)
                reply = self.memory.replies.get(key)
                if reply is None:
                    if process is None:
                        process = self._with(entry)
                        for earlier in calls[:i]:  # known, and yet it has to happen
                            _reply(process, earlier)
                    reply = _reply(process, call)
                    self.memory.keep(key, reply)
                if not _same(reply, call):
                    return False
            return not in_place or (isinstance(reply, Reply) and bool(reply.mutated))
        except (AnswerTimeout, AnswerLost):
            self.close()
            return False
        finally:
            self.seconds -= time.monotonic() - start

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


def _reply(process: PupilProcess, call: Call) -> Reply | AnswerError:
    try:
        return process.call(call.probe, call.args)
    except AnswerError as error:
        return error


def _same(reply: Reply | AnswerError, call: Call) -> bool:
    if isinstance(reply, AnswerError):
        return call.error is not None and call.error.type_name == reply.type_name
    same = call.error is None and reply.asked == call.asked
    # Both ways: an array may stand for a list, and a list not for an array, which may be what was wrong.
    return (
        same and difference(reply.value, call.value) is None and difference(call.value, reply.value) is None
    )
