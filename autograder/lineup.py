"""The line-up: which wrong answer of the bank does what a student's answer did, on the same inputs.

The bank's answers are wrong, so some of them crash, or do not end on inputs that nobody foresaw. They run where the
students' do: in a process of their own, with walls and limits.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from .assignment import Assignment, grade_id
from .bank import Entry
from .compare import difference
from .probes import AnswerError, AnswerLost, AnswerTimeout, Call
from .process import PupilProcess
from .sandbox import Sandbox

#: Wall time for one call of one answer of the bank, and for all diagnoses of one submission, in seconds.
CALL_SECONDS = 2.0
TOTAL_SECONDS = 30.0


class Lineup:
    """Compares answers with the bank's. One for each submission: it keeps its process between exercises."""

    def __init__(self, assignment: Assignment, entries: Sequence[Entry], sandbox: Sandbox) -> None:
        self.assignment = assignment
        self.wrong = [entry for entry in entries if not entry.right]
        self.sandbox = sandbox
        self.seconds = TOTAL_SECONDS
        self._process: PupilProcess | None = None

    def find(self, exercise: str, calls: Sequence[Call], timed_out: bool = False) -> Entry | None:
        """The first wrong answer that agrees with every one of these calls; None when there is none.

        An answer that timed out can only be one that is known not to end, and only if there is just one of these.
        """
        candidates = [entry for entry in self.wrong if entry.exercise == exercise]
        if timed_out:
            endless = [entry for entry in candidates if not entry.ends]
            return endless[0] if len(endless) == 1 else None
        if not calls:
            return None
        for entry in candidates:
            if entry.ends and self.seconds > 0 and self._agrees(entry, calls):
                return entry
        return None

    def _agrees(self, entry: Entry, calls: Sequence[Call]) -> bool:
        start = time.monotonic()
        try:
            process = self._with(entry)
            return all(_same(process, call) for call in calls)
        except (AnswerTimeout, AnswerLost):
            self.close()
            return False
        finally:
            self.seconds -= time.monotonic() - start

    def _with(self, entry: Entry) -> PupilProcess:
        """A process that holds the solution, with this answer in the place of its own."""
        if self._process is None:
            self._process = PupilProcess(self.sandbox, self.assignment.allowed, time.monotonic() + 3600)
            self._process.call_seconds = min(CALL_SECONDS, self.sandbox.call_seconds)
        for cell in self.assignment.trusted_cells():
            own = grade_id(cell) == entry.exercise
            # What stands on a wrong answer may break with it; that is no reason to stop.
            self._process.run_cell(entry.answer(cell.source) if own else cell.source)
        return self._process

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.close()
            self._process = None


def _same(process: PupilProcess, call: Call) -> bool:
    try:
        reply = process.call(call.probe, call.args)
    except AnswerError as error:
        return call.error is not None and call.error.type_name == error.type_name
    return call.error is None and difference(reply.value, call.value) is None
