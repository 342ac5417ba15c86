"""The worker processes of one machine: started ahead of the work, and gone after it, whatever comes between."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from traitlets.config import Config

from autograder.classroom.grader import Grader, Job
from autograder.classroom.workers import Processes, ahead, share, waiting
from autograder.referee.bank import load_bank
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment
from autograder.unit.notebook import write_text


@pytest.fixture(scope="module")
def grader(mini: Assignment, bubblewrap: None) -> Grader:
    return Grader.of(mini, load_bank(mini), Sandbox())


@pytest.fixture(autouse=True)
def nobody_stays() -> Iterator[None]:
    """Every process that a test starts has ended after it, but for the warm interpreter of this process."""
    before = {child.pid for child in psutil.Process().children()}
    yield
    until = time.monotonic() + 10
    while left := [c for c in psutil.Process().children() if c.pid not in before and not _ours(c)]:
        assert time.monotonic() < until, left
        time.sleep(0.05)


def _ours(child: psutil.Process) -> bool:
    try:
        # multiprocessing's resource tracker stays as long as this process
        return child.status() == psutil.STATUS_ZOMBIE or "resource_tracker" in " ".join(child.cmdline())
    except psutil.NoSuchProcess:
        return True


def jobs(mini: Assignment, count: int) -> list[Job]:
    text = write_text(mini.solved()).encode()
    return [Job(f"s{i}", text) for i in range(count)]


def started(pool: Processes) -> int:
    return len(pool.workers)


def test_workers_that_start_ahead_are_there_before_the_first_job(grader: Grader, mini: Assignment) -> None:
    with ahead(lambda: grader, 6, 2) as pool:
        assert pool is not None
        until = time.monotonic() + 20
        while started(pool) < 2:
            assert time.monotonic() < until
            time.sleep(0.02)
        results = list(share(grader, jobs(mini, 6), 2, pool))
    assert sorted(result.job.student for result in results) == [f"s{i}" for i in range(6)]
    assert {result.row.score for result in results if result.row} == {mini.max_score}


def test_nobody_starts_ahead_for_a_few_or_on_one_core() -> None:
    def never() -> Grader:
        raise AssertionError("a grader was made for nobody")

    for expected, workers in ((0, 2), (3, 8), (60, 1)):
        with ahead(never, expected, workers) as pool:
            assert pool is None


@pytest.mark.parametrize("seconds", [0, 0.1, 0.5, 2])
def test_what_fails_before_the_first_job_ends_the_workers(grader: Grader, seconds: float) -> None:
    def fails() -> None:
        with ahead(lambda: grader, 9, 2):
            time.sleep(seconds)
            raise OSError("no gradebook")

    with pytest.raises(OSError, match="no gradebook"):
        fails()


INTERRUPTED = """
    import pickle, sys, time
    from autograder.classroom import workers

    lines = 0

    def interrupt(frame, event, argument):
        global lines
        if not frame.f_code.co_filename.endswith(("workers.py", "contextlib.py")) or event == "call":
            return interrupt
        lines += 1
        if lines == {line}:
            sys.settrace(None)
            raise KeyboardInterrupt
        return interrupt

    if __name__ == "__main__":
        grader = pickle.loads(open("grader", "rb").read())
        sys.settrace(interrupt)
        try:
            with workers.ahead(lambda: grader, 6, 2):
                pass
        except KeyboardInterrupt:
            print("interrupted")
            time.sleep(2)  # by then they have started
"""


@pytest.mark.parametrize("line", range(2, 36, 3))
def test_an_interrupt_while_workers_are_started_leaves_none_that_is_waited_for(
    grader: Grader, tmp_path: Path, line: int
) -> None:
    (tmp_path / "grader").write_bytes(pickle.dumps(grader))
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(INTERRUPTED).replace("{line}", str(line)))
    done = subprocess.run(
        [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_a_worker_that_does_not_hear_is_killed(grader: Grader, mini: Assignment) -> None:
    begun = time.monotonic()
    with ahead(lambda: grader, 6, 2) as pool:
        assert pool is not None
        while started(pool) < 2:
            time.sleep(0.02)
        stopped = [worker.process.pid for worker in pool.workers.values() if worker.process.pid]
        for one in stopped:
            os.kill(one, signal.SIGSTOP)
            while psutil.Process(one).status() != psutil.STATUS_STOPPED:
                time.sleep(0.02)
        for job in jobs(mini, 2):
            pool.give(job)
        while not pool.todo.empty():  # no stopped worker answers: the threads wait for their results
            time.sleep(0.02)
        rescue = threading.Timer(30, lambda: [os.kill(one, signal.SIGKILL) for one in stopped])
        rescue.start()
    rescue.cancel()
    assert time.monotonic() - begun < 30


def test_a_worker_that_ended_while_it_waited_is_replaced(grader: Grader, mini: Assignment) -> None:
    with ahead(lambda: grader, 6, 2) as pool:
        assert pool is not None
        while started(pool) < 2:
            time.sleep(0.02)
        for worker in list(pool.workers.values()):
            worker.process.kill()
            worker.process.join()
        results = list(share(grader, jobs(mini, 6), 2, pool))
    assert len(results) == 6 and not any(result.problem for result in results)


def test_what_waits_is_told_by_the_folders(tmp_path: Path) -> None:
    for path in ("submitted/a/03", "submitted/b/03", "submitted/c/04", "autograded/b/03", "in/a/03"):
        os.makedirs(tmp_path / path)
    assert waiting(Config(), tmp_path, "03", force=False) == 1
    assert waiting(Config(), tmp_path, "03", force=True) == 2
    moved = Config({"CourseDirectory": {"submitted_directory": "in"}})
    assert waiting(moved, tmp_path, "03", force=False) == 1
    other = Config({"CourseDirectory": {"directory_structure": "{assignment_id}/{student_id}"}})
    assert waiting(other, tmp_path, "03", force=True) == 0
