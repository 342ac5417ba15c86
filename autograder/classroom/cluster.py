"""Shares the work out among the workers of a Dask cluster, which need this package and a sandbox, and nothing else.

    dask scheduler
    dask worker tcp://SCHEDULER:8786 --nthreads 1 --nworkers 4
    autograder grade 03_reverse_mode --scheduler tcp://SCHEDULER:8786

What students handed in travels as bytes and is opened in the workers' sandboxes only. Who can reach the scheduler can
run code on the workers, and what they send is unpickled here: use a network of your own, or Dask's TLS.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from ..errors import UserError
from .grader import Grader, Job, Result
from .workers import graded_by

#: Seconds in which the scheduler has to answer, and in which a worker that was lost may be followed by another.
CONNECT_SECONDS = 10.0
#: Each worker has one submission under way and one that waits for it.
EACH = 2


def share_on(
    address: str, grader: Grader, jobs: Iterable[Job], tell: Callable[[str], None] = lambda line: None
) -> Generator[Result, None, None]:
    """Grade jobs on a cluster; results come as they are ready. `tell` hears of workers that cannot be used.

    Raises UserError when there is no cluster, or no worker that can grade.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise UserError(
            "Grading on a cluster needs Dask: `pip install 'autograd-course[cluster]'`."
        ) from None
    if grader.sandbox.unsandboxed or grader.sandbox.unprotected_scores:
        raise UserError(
            "On a cluster nothing is graded without bubblewrap: who reaches the scheduler has it run what is sent. "
            "Leave out --unsandboxed and --unprotected-scores, or --scheduler."
        )
    return graded_by(Cluster(address, grader, tell), jobs)


class Cluster:
    """The workers of a Dask cluster. A pool, as `workers.Pool` says."""

    def __init__(self, address: str, grader: Grader, tell: Callable[[str], None]) -> None:
        from distributed import Client

        self.address = address
        self.grader = grader
        self.tell = tell
        self.run = uuid4().hex
        #: what each worker has; those that cannot be used are not among them
        self.workers: dict[str, dict[Any, Job]] = {}
        self.refused: dict[str, str] = {}
        self.lost: list[Job] = []
        self.looked = 0.0
        if not re.search(
            r"[\w\]]:\d+$", address
        ):  # Dask waits for what it cannot read, and ends in a traceback
            raise UserError(f"{address!r} is no address of a Dask scheduler, such as tcp://HOST:8786.")
        try:
            self.client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UserError(f"There is no Dask scheduler at {address} ({error}).") from None
        try:
            self._look()
            if not self.workers:
                raise UserError(self._nobody())
        except BaseException:
            self.client.close()
            raise

    def room(self) -> bool:
        self._look_now_and_then()
        until = time.monotonic() + CONNECT_SECONDS
        while not self.workers and not self.lost:  # others may be on their way
            if time.monotonic() > until:
                raise UserError(self._nobody())
            time.sleep(0.2)
            self._look()
        return any(len(has) < EACH for has in self.workers.values())

    def give(self, job: Job) -> None:
        worker = min(self.workers, key=lambda name: len(self.workers[name]))
        future = self.client.submit(
            work, self.run, job, workers=[worker], allow_other_workers=False, pure=False, retries=0
        )
        self.workers[worker][future] = job

    def take(self) -> tuple[Job, Result | None]:
        from distributed import CancelledError, wait

        while not self.lost:
            futures = {future: name for name, has in self.workers.items() for future in has}
            try:
                with self.client.as_current():
                    done = wait(list(futures), timeout=1, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                done = set()
            except CancelledError:  # the scheduler has forgotten them
                done = {future for future in futures if future.status != "pending"}
            for future in done:
                name = futures[future]
                job = self.workers[name].pop(future)
                found = self._result(future, name, job)
                if found is not None:
                    return job, found
                self.lost.append(job)
            self._look_now_and_then()
        return self.lost.pop(), None

    def _result(self, future: Any, name: str, job: Job) -> Result | None:
        """A job's result; None when it has to be given again."""
        if future.status == "finished":
            try:
                result: Result | None = future.result(timeout=CONNECT_SECONDS)
            except Exception:  # its worker has gone with it
                return None
            if result is None:  # a new process under an old address
                self._forget(name)
                return None
            return replace(result, job=job)
        if future.status == "error":
            error = future.exception()
            if type(error).__name__ != "KilledWorker":
                return Result(job, problem=f"{name}: {type(error).__name__}: {error}")
        return None

    def _look_now_and_then(self) -> None:
        if time.monotonic() - self.looked > 1 or not self.workers:
            self._look()

    def _look(self) -> None:
        """Notice workers that have gone, and try those that have come."""
        self.looked = time.monotonic()
        try:
            there = set(self.client.nthreads())
        except Exception as error:
            raise UserError(
                f"The Dask scheduler at {self.address} does not answer any more ({error or type(error).__name__}). "
                f"What was graded is kept; `autograder grade {self.grader.assignment.unit}` does the rest."
            ) from None
        for name in set(self.workers) - there:
            self.tell(f"worker {name} was lost; what it had is given to another")
            self._forget(name)
        new = sorted(there - set(self.workers) - set(self.refused))
        if not new:
            return
        told = self.client.run(prepare, self.run, self.grader, workers=new, on_error="return")
        mine = package()
        for name in new:
            found = told.get(name, "it did not answer")
            if isinstance(found, tuple):
                problem = found[1]
                if found[0] != mine:
                    problem = "it has another version of autograd-course than this machine"
            else:
                problem = (
                    f"{type(found).__name__}: {found}" if isinstance(found, BaseException) else str(found)
                )
            if name in told and not isinstance(found, BaseException) and not problem:
                self.workers[name] = {}
            elif not isinstance(found, OSError):  # else it went while it was asked
                self.refused[name] = problem
                self.tell(f"worker {name} grades nothing: {problem}")

    def _forget(self, name: str) -> None:
        has = self.workers.pop(name, {})
        self.lost += has.values()
        if has:
            self.client.cancel(list(has), force=True)

    def _nobody(self) -> str:
        if not self.refused:
            return (
                f"The scheduler at {self.address} has no worker: start some with `dask worker {self.address} "
                "--nthreads 1`, each with this package and bubblewrap."
            )
        ((problem, count), *_) = Counter(self.refused.values()).most_common(1)
        return f"No worker of {self.address} can grade; {count} of {len(self.refused)} say: {problem}"

    def close(self, at_once: bool) -> None:
        for name in list(self.workers):
            self._forget(name)
        self.client.close()


# -- In a worker ------------------------------------------------------------------------------------------------------

_graders: dict[str, Grader] = {}
_one_at_a_time = Lock()


def prepare(run: str, grader: Grader) -> tuple[str, str]:
    """Get a worker ready. Gives its version of this package, and why it cannot grade."""
    problem = grader.sandbox.why_not()
    if not problem:
        _graders.clear()
        _graders[run] = grader
    return package(), problem


def work(run: str, job: Job) -> Result | None:
    """Grade one job; None when this process knows nothing of the run."""
    grader = _graders.get(run)
    if grader is None:
        return None
    with _one_at_a_time:  # a worker process may have several threads
        result = grader.grade(job)
    return replace(result, job=Job(job.student, None, job.note))  # the file need not travel back


@cache
def package() -> str:
    """A hash of all that decides a score, but for the unit: this package and the reference engine."""
    digest = hashlib.sha256()
    here = Path(__file__).resolve().parents[1]
    for folder in (here, here.parent / "autograd_ref"):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(here.parent).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
