"""Shares the work of a class out: among threads, among processes of this machine, or (`cluster.py`) among machines.

A worker process that is lost takes nothing with it: what it had is given to another. Each has a line of its own to
this process, so one that is ended in the middle of a word can keep nobody waiting.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import itertools
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from traitlets.config import Config

from ..errors import UserError
from ..sandbox.children import Child
from .grader import Grader, Job, Result

#: A worker process takes a moment to start; fewer jobs than these are done in this process.
FEW = 4
#: So many times a job is given out whose worker is lost.
TRIES = 3
#: Pools of processes that nobody has closed yet.
_open: set[Processes] = set()


class Pool(Protocol):
    """A pool of workers: those who grade."""

    def room(self) -> bool:
        """Whether a job that is given now would be begun soon."""
        ...

    def give(self, job: Job) -> None:
        """Take a job on."""
        ...

    def take(self) -> tuple[Job, Result | None]:
        """Wait for a job's end; its result is None when its worker was lost."""
        ...

    def close(self, at_once: bool) -> None:
        """Let the workers go: `at_once`, or when they have done what they have."""
        ...


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share(
    grader: Grader, jobs: Iterable[Job], workers: int | None = None, pool: Pool | None = None
) -> Generator[Result, None, None]:
    """Grade jobs side by side on this machine: results come as they are ready, jobs are taken when there is room.

    `pool` grades, if one has been started `ahead`.
    """
    waiting = iter(jobs)
    if pool is not None:
        return graded_by(pool, waiting)
    first = list(itertools.islice(waiting, FEW))
    count = workers or cores()
    if len(first) < FEW or count == 1:
        pool = Threads(grader, min(count, FEW))
    else:
        pool = Processes(grader, count)
    return graded_by(pool, itertools.chain(first, waiting))


@contextlib.contextmanager
def ahead(
    grader: Callable[[], Grader], expected: int, workers: int | None = None
) -> Iterator[Processes | None]:
    """Worker processes that start at once, for so many jobs as will probably come; None for few.

    To import nbgrader takes the command as long as it takes them to start: a class of 60 is graded in a sixth less
    time. Where fewer jobs come after all, a second of the other cores was in vain.
    """
    count = min(workers or cores(), expected)
    if expected < FEW or count == 1:
        yield None
        return
    pool = Processes(grader(), count, at_once=True)
    try:
        yield pool
    finally:
        pool.close(at_once=True)


def graded_by(pool: Pool, jobs: Iterable[Job]) -> Generator[Result, None, None]:
    """Give jobs out as there is room, and again those whose worker was lost; one that loses three is a problem.

    Who timed out for want of a processor is graded again at the end, with nobody beside.
    """
    waiting, again, later = iter(jobs), deque[Job](), deque[Job]()
    lost: dict[str, int] = {}
    under_way = 0
    in_a_row = 0
    done = False
    try:
        while True:
            while pool.room() and (job := again.popleft() if again else next(waiting, None)) is not None:
                pool.give(job)
                under_way += 1
            if not under_way and later:
                pool.give(later.popleft())
                under_way = 1
            if not under_way:
                done = True
                return
            job, result = pool.take()
            under_way -= 1
            if result is not None:
                in_a_row = 0
                if result.overloaded and not job.alone:
                    later.append(replace(job, alone=True))
                else:
                    yield result
                continue
            in_a_row += 1
            lost[job.student] = lost.get(job.student, 0) + 1
            if in_a_row > 20:
                raise UserError(
                    "The processes that grade are lost, one after the other, before they have graded anything: "
                    "grade one student in this process to see why, with `--student ID`."
                )
            if lost[job.student] >= TRIES:
                yield Result(job, problem=f"the process that graded it was lost {TRIES} times")
            else:
                (later if job.alone else again).append(job)
    finally:
        pool.close(at_once=not done)


def waiting(config: Config, root: Path, unit: str, force: bool) -> int:
    """How many submissions of a unit have to be graded, as far as their folders tell.

    It asks nothing of nbgrader, which takes most of a second to import. Where its folders stand in another order, none.
    """
    told = config.get("CourseDirectory", {})
    if "directory_structure" in told:
        return 0
    submitted, autograded = (
        root / str(told.get(f"{kind}_directory", kind)) for kind in ("submitted", "autograded")
    )
    students = {path.parent.name for path in submitted.glob(f"*/{unit}")}
    return len(students if force else students - {path.parent.name for path in autograded.glob(f"*/{unit}")})


class Threads:
    """Threads of this process: nothing has to be started for them.

    They are daemons, so that a submission that takes long does not keep a command that was stopped from ending.
    """

    def __init__(self, grader: Grader, count: int) -> None:
        self.grader = grader
        self.free = count
        self.ready: queue.SimpleQueue[tuple[Job, Result | None]] = queue.SimpleQueue()

    def room(self) -> bool:
        return self.free > 0

    def give(self, job: Job) -> None:
        self.free -= 1
        threading.Thread(target=lambda: self.ready.put((job, self.grader.grade(job))), daemon=True).start()

    def take(self) -> tuple[Job, Result | None]:
        found = self.ready.get()
        self.free += 1
        return found

    def close(self, at_once: bool) -> None:
        pass


@atexit.register
def close_all() -> None:
    """End those that an interrupt left behind, wherever it came: multiprocessing would wait for them for ever."""
    for pool in list(_open):
        pool.close(at_once=True)


class Processes:
    """Worker processes. A thread each sends jobs and waits for results, so a slow one is in nobody's way."""

    def __init__(self, grader: Grader, count: int, at_once: bool = False) -> None:
        self.grader = grader
        self.count = count
        self.at_once = at_once
        self.under_way = 0
        self.stopped = False
        self.todo: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.ready: queue.SimpleQueue[tuple[Job, Result | None]] = queue.SimpleQueue()
        self.workers: dict[threading.Thread, _Worker] = {}
        self.lock = threading.Lock()
        #: longer than a submission can take, with all that is repeated for it
        self.patience = TRIES * (grader.sandbox.notebook_seconds + grader.sandbox.start_seconds + 60)
        self.threads = [threading.Thread(target=self._attend, daemon=True) for _ in range(count)]
        _open.add(self)
        for thread in self.threads:
            thread.start()

    def room(self) -> bool:
        return self.under_way < 2 * self.count  # one more each, so that nobody waits for the gradebook

    def give(self, job: Job) -> None:
        self.under_way += 1
        self.todo.put(job)

    def take(self) -> tuple[Job, Result | None]:
        found = self.ready.get()
        self.under_way -= 1
        return found

    def _attend(self) -> None:
        worker: _Worker | None = None
        if self.at_once:
            with contextlib.suppress(OSError):  # tried again for the first job, and told then
                worker = self._start()
        while (job := self.todo.get()) is not None and not self.stopped:
            result: Result | None = None
            try:
                worker = worker or self._start()
                result = worker.grade(job, self.patience)
            except Exception as error:
                if worker is not None:
                    worker.end(at_once=True)
                    worker = None
                if not isinstance(error, (EOFError, OSError)):  # else nobody would ever hear of this job
                    result = Result(job, problem=f"{type(error).__name__}: {error}")
            self.ready.put((job, result))
        if worker is not None:
            worker.end(at_once=self.stopped)

    def _start(self) -> _Worker:
        worker = _Worker()
        with self.lock:
            self.workers[threading.current_thread()] = worker
            if self.stopped:
                worker.process.terminate()
        try:
            worker.line.send(self.grader)
        except OSError:
            worker.end(at_once=True)
            raise
        return worker

    def close(self, at_once: bool) -> None:
        with self.lock:
            self.stopped = at_once
            workers = list(self.workers.values())
        for _ in self.threads:
            self.todo.put(None)
        if at_once:
            for worker in workers:
                worker.process.terminate()
        until = time.monotonic() + 5
        for thread in filter(lambda one: one.ident, self.threads):  # an interrupt may keep one from starting
            thread.join(max(until - time.monotonic(), 0) if at_once else None)
            # A signal that comes in a finaliser is dropped by Python: that worker has not heard.
            if thread.is_alive() and (deaf := self.workers.get(thread)):
                deaf.process.kill()
            thread.join()
        _open.discard(self)


class _Worker(Child):
    """One worker process, and our end of its line."""

    def __init__(self) -> None:
        super().__init__(serve)

    def grade(self, job: Job, patience: float) -> Result:
        """Raises EOFError or OSError when the worker is lost."""
        self.line.send(job)
        if not self.line.poll(patience):
            raise EOFError
        result: Result = self.line.recv()
        return result


def serve(line: Connection) -> None:
    """What a worker process does: the first thing that it is sent is its grader, and then come jobs."""
    grader: Grader = line.recv()
    grader.prepare()
    gc.freeze()  # what is loaded stays, and need not be looked through for garbage with every submission
    while True:
        line.send(grader.grade(line.recv()))
