"""The referee's end of the pipe to a pupil: start it, ask it, and make sure that it ends."""

from __future__ import annotations

import secrets
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..lesson import wire
from ..lesson.probes import AnswerError, AnswerLost, AnswerTimeout, Probe, Reply
from ..lesson.questions import Asked
from .forkserver import warm_start
from .meter import cpu_seconds, more_work_than_processors, own_wait, seconds_waited
from .transport import TIME_IS_UP, Link, Pipes
from .walls import Interrupted, Sandbox, SandboxError


@dataclass(frozen=True)
class CellResult:
    """What running a cell gave: the text that it printed, and the exception that ended it, if one did."""

    text: str = ""
    error: AnswerError | None = None


class Starved(AnswerTimeout):
    """A call did not come back in time, and had little of the machine: it says nothing of the answer."""


#: Seconds between two looks at what the processes of a submission have used.
LOOK = 0.1
#: A limit leaves out the time that the pupil waited for a processor, until it is so many times as long.
STRETCH = 4


@dataclass(frozen=True)
class Reading:
    """What a pupil had used and waited for at a moment, in seconds."""

    at: float
    cpu: float = 0.0
    waited: float | None = 0.0
    #: how long the referee had waited, where its wait counts: of a whole notebook, and where a call asks it something
    referee: float | None = None


class PupilProcess:
    """One pupil. Every request has a deadline; after a timeout or a loss the process is gone.

    One request at a time, however many calls a check is going to make: what is in that process, or on its way to it,
    its student's code can read. The next call often holds the answer to this one (where a state is handed on, or a rule
    is given what another exercise computes), and what it changes could not be taken back when this one fails.
    """

    #: whether it has ended, by itself or otherwise
    closed = False

    def __init__(
        self,
        sandbox: Sandbox,
        allowed: Iterable[str],
        deadline: float,
        seed: int | None = None,
        cpu_seconds: float | None = None,
    ) -> None:
        """Start it. With a `seed`, the random numbers that a notebook draws without one of its own are repeated.

        `cpu_seconds` are left for all its processes together; by default, those of a whole submission.
        """
        self.sandbox = sandbox
        self.deadline = deadline
        self.call_seconds = sandbox.call_seconds
        self.cpu_seconds = sandbox.cpu_seconds if cpu_seconds is None else cpu_seconds
        #: CPU seconds of all its processes together, as last seen
        self.used = 0.0
        self.looked = time.monotonic()
        self.started = Reading(self.looked, referee=own_wait())
        allowed = tuple(allowed)
        warm = warm_start(sandbox, allowed)
        self.link: Link = warm or Pipes(sandbox.command(allowed))
        first = self._next(None, time.monotonic() + sandbox.start_seconds)
        if warm is not None and first == "" and time.monotonic() < self.deadline:
            # The warm interpreter was ended at this very moment: a new process does not depend on it.
            warm.close()
            self.link = Pipes(sandbox.command(allowed))
            first = self._next(None, time.monotonic() + sandbox.start_seconds)
        if first != {"ready": True}:
            self.close()
            said = self.link.last_words()
            if time.monotonic() >= self.deadline:
                raise AnswerTimeout(self._notebook_limit())
            raise SandboxError(f"The process for a submission did not start: {said or first}")
        if seed is not None:
            self.link.send({"do": "seed", "seed": seed})

    def _next(self, request: dict[str, Any] | None, until: float) -> dict[str, Any] | str:
        return self.link.exchange(request, min(until, self.deadline + 5))

    def _notebook_limit(self) -> str:
        return f"the notebook's limit of {self.sandbox.notebook_seconds:g} s was reached"

    def _ask(
        self, request: dict[str, Any], what: str, asked: Asked | None = None, seconds: float | None = None
    ) -> dict[str, Any]:
        """The reply to a request; on the way there the pupil may have questions of its own, for `asked`."""
        if self.closed:
            raise AnswerLost("its process has ended")
        now = time.monotonic()
        if now >= self.deadline and not self._longer(now, self.started, self.sandbox.notebook_seconds):
            raise self._too_late(self._notebook_limit(), self.started)
        number = secrets.token_hex(8)
        allowed = min(self.call_seconds, seconds or self.call_seconds)
        until = min(now + allowed, self.deadline)
        # Of a call that asks, hundreds of replies may come, each in time: it has begun when the first was sent.
        begun = replace(self._reading(), referee=own_wait()) if asked is not None else None
        sent: dict[str, Any] | None = {**request, "id": number}
        while True:
            if now - self.looked > LOOK:
                self._look()
            reply = self._next(sent, min(until, now + LOOK))
            sent = None
            if isinstance(reply, dict) and reply.get("id") == number:
                if asked is None or "ask" not in reply:
                    return reply  # an answer to another question is not an answer
                sent = {"id": number, **asked.reply(reply["ask"])}
                if (now := time.monotonic()) < until:
                    continue
            if isinstance(reply, str) and reply != TIME_IS_UP:
                raise self._lost(reply)
            begun = begun or self._reading()
            now = time.monotonic()
            if now >= until:
                notebook = until >= self.deadline
                since = self.started if notebook else begun
                limit = self.sandbox.notebook_seconds if notebook else allowed
                if more := self._longer(now, since, limit):
                    until = min(now + more, self.deadline)
                elif notebook:
                    raise self._too_late(self._notebook_limit(), since)
                else:
                    raise self._too_late(f"{what} did not end within {limit:g} s", since)

    def _look(self) -> None:
        """Raises AnswerTimeout when all processes together have used up the CPU time that was left."""
        self.looked = time.monotonic()
        if self.cpu() > self.cpu_seconds:
            self.close()
            raise AnswerTimeout(cpu_limit(self.sandbox))

    def cpu(self) -> float:
        """CPU seconds of all its processes together, so far."""
        first = self.link.first()
        self.used = max(self.used, self.link.cpu_at_end, cpu_seconds(first) if first is not None else 0.0)
        return self.used

    def _reading(self) -> Reading:
        first = self.link.first()
        waited = seconds_waited(first) if first is not None else None
        return Reading(time.monotonic(), self.cpu(), waited)

    def _too_late(self, text: str, since: Reading) -> AnswerTimeout:
        """End the process; the exception says whether it had its share of the machine."""
        starved = self._kept_waiting(since) > 0
        self.close()
        return Starved(text) if starved else AnswerTimeout(text)

    def _longer(self, now: float, since: Reading, limit: float) -> float:
        """Give the time back that it was kept waiting since then, as far as a limit stretches; gives the seconds."""
        more = min(self._kept_waiting(since), STRETCH * limit - (now - since.at))
        if more < LOOK:
            return 0.0
        self.deadline += more
        return more

    def _kept_waiting(self, since: Reading) -> float:
        """The seconds that it wanted a processor and had none; 0 when it had its share since then, half of one.

        All processes count: one that is kept waiting by those that it started is no victim.
        """
        now = self._reading()
        seconds = now.at - since.at
        waited = own_wait() - since.referee if since.referee is not None else 0.0
        if now.cpu - since.cpu <= seconds / 2:
            if now.waited is not None and since.waited is not None:
                waited = max(waited, now.waited - since.waited)
            elif more_work_than_processors():
                waited = max(waited, seconds / 2)
        return waited if waited > seconds / 4 else 0.0

    def _lost(self, said: str = "") -> AnswerLost:
        code = self.link.exit_code(2)
        interrupted = not said and self.link.interrupted()
        self.close()
        if interrupted:
            raise Interrupted("The sandbox was ended from outside.")
        return AnswerLost(said or _why_ended(code))

    def run_cell(self, source: str) -> CellResult:
        """Run a cell; an exception of the cell's own is in the result.

        Raises AnswerTimeout, AnswerLost, or Interrupted.
        """
        reply = self._ask({"do": "cell", "source": source}, "the cell")
        text = reply.get("text", "")
        # The pupil has cut it already, if it is honest.
        text = wire.printable(text, self.sandbox.output_chars + 40) if isinstance(text, str) else ""
        return CellResult(text, _error(reply))

    def call(
        self, probe: Probe, args: tuple[Any, ...], *, twice: bool = False, seconds: float | None = None
    ) -> Reply:
        """Call a probe, as `probes.Boundary` says."""
        request = {"do": "call", "name": probe.name, "source": probe.source, "args": wire.pack(args)}
        if twice:
            request["twice"] = True
        asked = None if probe.subject is None else Asked(probe.subject)
        if asked is not None:
            request["asking"] = True
        reply = self._ask(request, probe.name, asked, seconds)
        error = _error(reply)
        if error is not None:
            raise error
        try:
            value = wire.unpack(reply.get("value"))
        except wire.WireError as problem:
            raise AnswerError("ValueError", wire.printable(str(problem), 200)) from None
        mutated = reply.get("mutated", [])
        ok = isinstance(mutated, list) and all(type(i) is int and 0 <= i < len(args) for i in mutated)
        return Reply(value, tuple(mutated) if ok else (), asked.seen if asked is not None else ())

    def close(self) -> None:
        """End the process and everything that it started."""
        self.closed = True
        self.cpu()
        self.link.close()


def cpu_limit(sandbox: Sandbox) -> str:
    """What is said of a submission that has used up its CPU time."""
    return f"the notebook's limit of {sandbox.cpu_seconds} s of CPU time, all its processes together, was reached"


def _error(reply: dict[str, Any]) -> AnswerError | None:
    told = reply.get("error")
    if told is None:
        return None
    if not (isinstance(told, list) and len(told) == 4 and all(isinstance(part, str) for part in told)):
        return AnswerError("Exception", "an exception that could not be described")
    type_name, message, place, name = told
    type_name, place, name = (
        wire.printable(part, 200).replace("\n", " ") for part in (type_name, place, name)
    )
    return AnswerError(type_name[:80], wire.printable(message, 500), place, name)


def _why_ended(code: int | None) -> str:
    if code is None:
        return "its process stopped answering"
    number = -code if code < 0 else code - 128 if code > 128 else 0
    names = {
        signal.SIGSEGV: "its process crashed (segmentation fault), often from a recursion without end",
        signal.SIGABRT: "its process was aborted",
        signal.SIGKILL: "its process was killed, often for taking too much memory",
    }
    if hasattr(signal, "SIGXCPU"):
        names[signal.SIGXCPU] = "its process used up its CPU time"
    if number:
        try:
            return names.get(signal.Signals(number), f"its process ended with signal {number}")
        except ValueError:
            return f"its process ended with signal {number}"
    return f"it ended its own process (exit code {code})"
