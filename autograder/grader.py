"""Grades submissions in a worker process, and shares the work out.

A job is data: a student's name and the bytes of a file. So a worker needs no shared disk, and what it gives back is
data as well. Nothing here knows of the gradebook, or imports nbgrader.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import itertools
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

from .assignment import Assignment
from .autograded import autograded
from .bank import Entry
from .checks import PASSED
from .errors import UserError
from .ingest import BESIDE, Submission, parse, take
from .lineup import Memory
from .notebook import write_text
from .records import facts
from .referee import Report, grade
from .sandbox import Sandbox
from .wire import printable


@dataclass(frozen=True)
class Job:
    """What one student handed in: the bytes of a file, or why there are none.

    `note` tells how it was found, one fact on a line.
    """

    student: str
    data: bytes | None
    note: str = ""


@dataclass
class Graded:
    """A student's row in the table of a class."""

    student: str
    score: float
    max_score: float
    summary: str
    #: "graded", "kept" (graded before, and the file has not changed) or "failed" (nothing was written)
    state: str = "graded"
    mistakes: list[str] = field(default_factory=list)
    #: the score in the gradebook, where a person has changed it
    by_hand: float | None = None


@dataclass
class Result:
    """What became of a job. `problem` is set when this machine, not the student, is at fault."""

    job: Job
    report: Report | None = None
    row: Graded | None = None
    #: the autograded notebook
    notebook: str = ""
    problem: str = ""


@dataclass
class Grader:
    """All that a worker needs to know of a unit."""

    assignment: Assignment
    entries: Sequence[Entry]
    #: the traits of the sandbox, as data
    walls: dict[str, Any]
    #: says which answer key this is
    key: str

    @classmethod
    def of(cls, assignment: Assignment, entries: Sequence[Entry], sandbox: Sandbox) -> Grader:
        """The grader of a unit, ready to be sent to workers."""
        assignment.exercises  # noqa: B018  worked out once, and sent along
        walls = {name: getattr(sandbox, name) for name in sandbox.traits(config=True)}
        return cls(assignment, entries, walls, key_of(assignment))

    def __post_init__(self) -> None:
        self.sandbox = Sandbox(**self.walls)
        self.memory = Memory()

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("sandbox", "memory")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()

    def grade(self, job: Job) -> Result:
        """Grade one submission. Raises nothing: what goes wrong on this machine is a Result with a problem."""
        began = time.monotonic()
        try:
            submission = self._read(job)
            report = grade(
                self.assignment, submission, self.sandbox, entries=self.entries, memory=self.memory
            )
            row = row_of(job.student, report)
            notebook = autograded(self.assignment, submission, report)
            notebook.metadata["autograder"] |= facts(report, time.monotonic() - began) | {
                "fingerprint": fingerprint(self.key, job),
                "summary": row.summary,
                "mistakes": row.mistakes,
            }
            return Result(job, report, row, write_text(notebook, indent=None))
        except Exception as error:  # recorded, and the class goes on
            return Result(job, problem=f"{type(error).__name__}: {error}")

    def _read(self, job: Job) -> Submission:
        if job.data is None:
            return Submission(problem=job.note)
        try:
            submission = take(parse(job.data, "The file"), self.assignment)
        except UserError as error:
            submission = Submission(problem=printable(str(error), 500))
        submission.notes += job.note.splitlines()
        return submission


def key_of(assignment: Assignment) -> str:
    """A hash of the answer key: with another key, everything is graded again."""
    digest = hashlib.sha256()
    for part in (assignment.path, assignment.path.parent / "mistakes.py"):
        digest.update(part.read_bytes() if part.is_file() else b"")
    return digest.hexdigest()


def fingerprint(key: str, job: Job) -> str:
    """Says whether a submission has to be graded again: its bytes, what is noted on its file, and the answer key."""
    digest = hashlib.sha256(key.encode())
    digest.update(job.note.encode())
    digest.update(b"none" if job.data is None else job.data)
    return digest.hexdigest()


def row_of(student: str, report: Report) -> Graded:
    """The row of a report."""
    bad = [outcome for outcome in report.outcomes if outcome.status != PASSED]
    mistakes = [f"{outcome.name}: {outcome.mistake}" for outcome in bad if outcome.mistake]
    missing = [outcome.name for outcome in bad if outcome.status == "missing"]
    if not bad:
        summary = "all right"
    elif all(outcome.doubtful for outcome in bad) and report.notes:
        summary = report.notes[-1]
    else:
        parts = [f"{o.name} ({o.mistake or o.status})" for o in bad if o.status != "missing"]
        if missing:
            parts.append(
                "nothing written" if len(missing) == len(report.outcomes) else f"{len(missing)} not written"
            )
        summary = ", ".join(parts)
    beside = [BESIDE + note.partition(BESIDE)[2] for note in report.notes if BESIDE in note]
    if beside and beside[0] not in summary:
        summary += f"; {beside[0][0].lower()}{beside[0][1:].rstrip('.')}"
    return Graded(student, report.score, report.max_score, summary, mistakes=mistakes)


# -- Sharing the work out ---------------------------------------------------------------------------------------------

_grader: Grader | None = None


def _begin(grader: Grader) -> None:
    global _grader
    # An interrupt from the keyboard reaches every process of the command, and is the parent's to answer. A handler,
    # and not SIG_IGN, which the pupils would inherit.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    signal.signal(signal.SIGTERM, _leave)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _grader = grader
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _leave(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: the pool asks again when it sees the first one go
    raise SystemExit(128 + number)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever, and its sandbox with it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _work(job: Job) -> Result:
    assert _grader is not None
    try:
        return _grader.grade(job)
    except SystemExit as stop:  # by `_leave`; the pool would take it for the job's own and go on
        atexit._run_exitfuncs()
        os._exit(int(stop.code or 0))


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let an interrupt from the keyboard wait, so that a process that starts meanwhile is not hit by it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_workers(pool: ProcessPoolExecutor) -> None:
    """End a pool's processes and what they have under way."""
    workers = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(5)
        if worker.is_alive():
            worker.kill()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


#: A worker process takes a moment to start; fewer jobs than these are done in this process.
FEW = 4


def share(grader: Grader, jobs: Iterable[Job], workers: int | None = None) -> Generator[Result, None, None]:
    """Grade jobs side by side; results come as they are ready. Jobs are taken when there is room for them.

    A worker process that is lost takes nothing with it: what it had is given to another, and a job that loses its
    worker twice is a Result with a problem.
    """
    waiting = iter(jobs)
    first = list(itertools.islice(waiting, FEW))
    count = workers or cores()
    if len(first) < FEW or count == 1:
        yield from _rolling(_in_threads(grader, min(count, FEW)), first, waiting, count)
        return
    lost: dict[str, int] = {}
    again = first
    while again:
        retry: list[Job] = []
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(count, context, initializer=_begin, initargs=(grader,)) as pool:

            def submit(job: Job, pool: ProcessPoolExecutor = pool) -> Future[Result]:
                with _uninterrupted():  # it may start a worker
                    return pool.submit(_work, job)

            try:
                yield from _rolling(submit, again, waiting, count, retry)
            except (GeneratorExit, KeyboardInterrupt):
                _end_workers(pool)
                raise
        again = []
        for job in retry:
            lost[job.student] = lost.get(job.student, 0) + 1
            if lost[job.student] > 2:
                yield Result(job, problem="the process that graded it ended three times")
            else:
                again.append(job)


def _in_threads(grader: Grader, count: int) -> Callable[[Job], Future[Result]]:
    """Grade in threads of this process, so many at a time. They do not keep a command that is stopped from ending."""
    room = threading.Semaphore(count)

    def submit(job: Job) -> Future[Result]:
        future: Future[Result] = Future()

        def run() -> None:
            with room:
                future.set_result(grader.grade(job))

        threading.Thread(target=run, daemon=True).start()
        return future

    return submit


def _rolling(
    submit: Callable[[Job], Future[Result]],
    first: Iterable[Job],
    rest: Iterator[Job],
    count: int,
    retry: list[Job] | None = None,
) -> Iterator[Result]:
    """Keep a few jobs under way. A pool that breaks ends this; its jobs are in `retry` then."""
    running: dict[Future[Result], Job] = {}
    queue = iter(first)
    broken = False
    while True:
        while not broken and len(running) < 2 * count:
            job = next(queue, None) or next(rest, None)
            if job is None:
                break
            try:
                running[submit(job)] = job
            except BrokenProcessPool:
                if retry is None:
                    raise
                retry.append(job)
                broken = True
        if not running:
            break
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            job = running.pop(future)
            try:
                yield future.result()
            except BrokenProcessPool:
                if retry is None:
                    raise
                retry.append(job)
                broken = True
    if retry is not None:
        retry.extend(queue)
