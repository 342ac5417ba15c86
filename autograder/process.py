"""The referee's end of the pipe to a pupil: start it, ask it, and make sure that it ends."""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import psutil

from . import wire
from .probes import AnswerError, AnswerLost, AnswerTimeout, Probe, Reply
from .sandbox import Sandbox, SandboxError


@dataclass(frozen=True)
class CellResult:
    """What running a cell gave: the text that it printed, and the exception that ended it, if one did."""

    text: str = ""
    error: AnswerError | None = None


class PupilProcess:
    """One pupil. Every request has a deadline; after a timeout or a loss the process is gone."""

    def __init__(self, sandbox: Sandbox, allowed: Iterable[str], deadline: float) -> None:
        self.sandbox = sandbox
        self.deadline = deadline
        self.call_seconds = sandbox.call_seconds
        self.launch = sandbox.command(allowed)
        # Nearly no room: what is not read stays in the pipe, and a pupil that floods it waits there.
        self.answers: queue.Queue[dict[str, Any] | str] = queue.Queue(1)
        self.closed = False
        self.log = b""
        self.process = subprocess.Popen(
            self.launch.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.launch.environment,
            cwd=self.launch.folder,
            start_new_session=True,
            bufsize=0,
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        threading.Thread(target=self._read_answers, args=(self.process.stdout,), daemon=True).start()
        threading.Thread(target=self._read_log, args=(self.process.stderr,), daemon=True).start()
        first = self._next(time.monotonic() + sandbox.start_seconds)
        if first != {"ready": True}:
            self.close()
            if time.monotonic() >= self.deadline:
                raise AnswerTimeout(self._notebook_limit())
            said = self.log.decode("utf-8", "replace").strip().splitlines()
            raise SandboxError(f"The process for a submission did not start: {said[-1] if said else first}")

    def _read_answers(self, stream: BinaryIO) -> None:
        with stream:
            try:
                while (message := wire.read_frame(stream)) is not None and self._put(message):
                    pass
            except (wire.WireError, OSError, ValueError, MemoryError) as error:
                self._put(f"it broke off the conversation ({error})")
            self._put("")

    def _put(self, message: dict[str, Any] | str) -> bool:
        while not self.closed:
            with contextlib.suppress(queue.Full):
                self.answers.put(message, timeout=0.2)
                return True
        return False

    def _read_log(self, stream: BinaryIO) -> None:
        with stream, contextlib.suppress(OSError, ValueError):
            while part := stream.read(65536):
                self.log = (self.log + part)[-4000:]

    def _write(self, request: dict[str, Any]) -> None:
        with contextlib.suppress(OSError, ValueError):  # the reader of answers sees that the pupil has gone
            wire.write_frame(cast(BinaryIO, self.process.stdin), request)

    def _next(self, until: float) -> dict[str, Any] | str:
        left = min(until, self.deadline + 5) - time.monotonic()
        if left <= 0:
            return "timeout"
        try:
            return self.answers.get(timeout=left)
        except queue.Empty:
            return "timeout"

    def _notebook_limit(self) -> str:
        return f"the notebook's limit of {self.sandbox.notebook_seconds:g} s was reached"

    def _ask(self, request: dict[str, Any], what: str) -> dict[str, Any]:
        now = time.monotonic()
        if now >= self.deadline:
            self.close()
            raise AnswerTimeout(self._notebook_limit())
        number = secrets.token_hex(8)
        until = min(now + self.call_seconds, self.deadline)
        # In a thread, because a pupil that has stopped reading would keep us waiting for ever.
        threading.Thread(target=self._write, args=({**request, "id": number},), daemon=True).start()
        while True:
            reply = self._next(until)
            if reply == "timeout":
                self.close()
                if until == self.deadline:
                    raise AnswerTimeout(self._notebook_limit())
                raise AnswerTimeout(f"{what} did not end within {self.call_seconds:g} s")
            if isinstance(reply, str):
                raise self._lost(reply)
            if reply.get("id") == number:  # an answer to another question is not an answer
                return reply

    def _lost(self, said: str = "") -> AnswerLost:
        try:
            code = self.process.wait(2)
        except subprocess.TimeoutExpired:
            code = None
        self.close()
        return AnswerLost(said or _why_ended(code))

    def run_cell(self, source: str) -> CellResult:
        """Run a cell. Raises AnswerTimeout or AnswerLost; an exception of the cell's own is in the result."""
        reply = self._ask({"do": "cell", "source": source}, "the cell")
        text = reply.get("text", "")
        # The pupil has cut it already, if it is honest.
        text = wire.printable(text, self.sandbox.output_chars + 40) if isinstance(text, str) else ""
        return CellResult(text, _error(reply))

    def call(self, probe: Probe, args: tuple[Any, ...]) -> Reply:
        """Call a probe, as `probes.Boundary` says."""
        request = {"do": "call", "name": probe.name, "source": probe.source, "args": wire.pack(args)}
        reply = self._ask(request, probe.name)
        error = _error(reply)
        if error is not None:
            raise error
        try:
            value = wire.unpack(reply.get("value"))
        except wire.WireError as problem:
            raise AnswerError("ValueError", wire.printable(str(problem), 200)) from None
        mutated = reply.get("mutated", [])
        ok = isinstance(mutated, list) and all(type(i) is int and 0 <= i < len(args) for i in mutated)
        return Reply(value, tuple(mutated) if ok else ())

    def close(self) -> None:
        """End the process and everything that it started."""
        if self.closed:
            return
        self.closed = True
        if not self.launch.sandboxed:
            with contextlib.suppress(psutil.Error):
                for child in psutil.Process(self.process.pid).children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        child.kill()
            # Those whose parent has gone still have the home that is this process's alone.
            for other in psutil.process_iter():
                with contextlib.suppress(psutil.Error, OSError):
                    if other.environ().get("HOME") == self.launch.folder:
                        other.kill()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        if self.process.stdin:  # the other two belong to their threads
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        if self.launch.folder:
            shutil.rmtree(self.launch.folder, ignore_errors=True)


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
    return AnswerError(type_name[:80], wire.printable(message, 500), place, name[:80])


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
