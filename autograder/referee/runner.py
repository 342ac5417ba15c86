"""Runs a submission's cells in a pupil, and in another one when that is lost."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from ..lesson.probes import AnswerLost, AnswerTimeout, Probe, Reply
from ..sandbox.process import STRETCH, CellResult, PupilProcess, Starved, cpu_limit
from ..sandbox.walls import Sandbox


class Runner:
    """Runs the cells of one submission. When its process is lost it starts another and repeats the cells that ended."""

    def __init__(self, sandbox: Sandbox, allowed: Iterable[str], seed: int) -> None:
        self.sandbox = sandbox
        self.allowed = tuple(allowed)
        self.seed = seed
        begun = time.monotonic()
        self.deadline, self.latest = (
            begun + sandbox.notebook_seconds,
            begun + STRETCH * sandbox.notebook_seconds,
        )
        self.process: PupilProcess | None = None
        self.ran: list[str] = []
        #: CPU seconds of the processes that are gone
        self.cpu = 0.0
        self.overloaded = False

    def _ready(self) -> PupilProcess:
        while self.process is None:
            if time.monotonic() >= self.deadline:
                raise AnswerTimeout(
                    f"the notebook's limit of {self.sandbox.notebook_seconds:g} s was reached"
                )
            left = self.sandbox.cpu_seconds - self.cpu
            if left <= 0:
                raise AnswerTimeout(cpu_limit(self.sandbox))
            process = PupilProcess(self.sandbox, self.allowed, self.deadline, self.seed, left)
            for i, source in enumerate(self.ran):
                try:
                    process.run_cell(source)
                except (AnswerTimeout, AnswerLost) as error:
                    self._gone(process, error)
                    if time.monotonic() >= self.deadline:
                        raise
                    del self.ran[i]  # it ended the first time, and does not now: go on without it
                    break
            else:
                self.process = process
        return self.process

    def _gone(self, process: PupilProcess | None, error: Exception | None = None) -> None:
        """Count what a process has used, and note whether it had its share of the machine."""
        if process is not None:
            self.cpu += process.used
            self.deadline = min(process.deadline, self.latest)  # it may have been kept waiting
        self.overloaded = self.overloaded or isinstance(error, Starved)
        self.process = None

    def run_cell(self, source: str) -> CellResult:
        """Run a cell. Raises AnswerTimeout or AnswerLost, after which the cell has never been."""
        try:
            result = self._ready().run_cell(source)
        except (AnswerTimeout, AnswerLost) as error:
            self._gone(self.process, error)
            raise
        self.ran.append(source)
        return result

    def call(
        self, probe: Probe, args: tuple[Any, ...], *, twice: bool = False, seconds: float | None = None
    ) -> Reply:
        """Call a probe, as `probes.Boundary` says."""
        if seconds is not None:
            return self._call_beside(probe, args, seconds)
        try:
            return self._ready().call(probe, args, twice=twice)
        except (AnswerTimeout, AnswerLost) as error:
            self._gone(self.process, error)
            raise

    def _call_beside(self, probe: Probe, args: tuple[Any, ...], seconds: float) -> Reply:
        """A call on which nothing hangs: what it takes is no part of the submission's time."""
        process = self._ready()
        begun, used, overloaded = time.monotonic(), process.cpu(), self.overloaded
        try:
            return process.call(probe, args, seconds=seconds)
        except (AnswerTimeout, AnswerLost) as error:
            self._gone(process, error)
            self.cpu -= process.used - used
            self.overloaded = overloaded
            raise
        finally:
            taken = time.monotonic() - begun
            process.deadline += taken
            self.deadline += taken

    def close(self) -> None:
        if self.process is not None:
            self.process.close()
            self._gone(self.process)
