"""A class is graded on a Dask cluster: a real scheduler and worker processes, one of which is killed in the middle."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.classroom.cluster import share_on
from autograder.classroom.grader import Grader, Job, Result
from autograder.classroom.workers import share
from autograder.errors import UserError
from autograder.referee import bank
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.notebook import write_text

from ..cli.shown import filled_in
from ..conftest import REPOSITORY

distributed = pytest.importorskip("distributed") if not os.environ.get("CI") else __import__("distributed")
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(tmp_path: Path, bubblewrap: None) -> Iterator[Start]:
    """Starts a scheduler or a worker in a folder without a course; ends them all."""
    begun: list[subprocess.Popen[bytes]] = []

    def run(kind: str, *options: str, path: str = os.environ.get("PATH", "")) -> subprocess.Popen[bytes]:
        command = [str(Path(sys.executable).with_name("dask")), kind, *options, "--no-dashboard"]
        if not any(option.startswith("tcp:") for option in options):
            command += ["--scheduler-file", str(tmp_path / "scheduler.json")]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PATH": path}
        with open(tmp_path / "log", "ab") as log:
            begun.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log))
        return begun[-1]

    yield run
    for process in begun:
        process.kill()
        process.wait(10)


@pytest.fixture
def scheduler(start: Start, tmp_path: Path) -> str:
    start(filled_in("dask scheduler")[1], "--host", "127.0.0.1", "--port", "0")
    file = tmp_path / "scheduler.json"
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if file.is_file() and file.read_text().strip().endswith("}"):
            return str(json.loads(file.read_text())["address"])
        time.sleep(0.05)
    raise AssertionError((tmp_path / "log").read_text())


def wait_for(address: str, workers: int) -> None:
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)


#: The one seed of the class, which the jobs bring along.
SEED = 2**40 + 1
WORKER = ("--no-nanny", "--nthreads", "1")


@pytest.fixture
def grader(mini: Assignment, sandbox: Sandbox) -> Grader:
    return Grader.of(mini, bank.load_bank(mini), sandbox)


@pytest.fixture
def jobs(mini: Assignment) -> list[Job]:
    """Thirty hand-ins: right ones, wrong ones, unfinished ones, a file that was cut off, none."""
    wrong = [entry for entry in bank.load_bank(mini) if not entry.right and entry.ends]
    found = []
    for i in range(28):
        entry = wrong[i % len(wrong)]
        answer = entry.answer(mini.exercise(entry.exercise).solution)
        solved = mini.solved(
            {entry.exercise: answer} if i % 3 else {}, others="stub" if i % 5 == 4 else "solution"
        )
        found.append(Job(f"s{i:02}", write_text(solved).encode(), seed=SEED))
    return [
        *found,
        Job("cut", b"{ cut off", seed=SEED),
        Job("none", None, "There is no notebook.", seed=SEED),
    ]


def table(results: list[Result]) -> list[tuple[object, ...]]:
    rows = []
    for result in sorted(results, key=lambda r: r.job.student):
        assert result.row is not None and result.report is not None, result.problem
        comments = [outcome.text.split("\n")[0] for outcome in result.report.outcomes]
        rows.append(
            (result.row.student, result.row.score, result.row.summary, comments, result.job.data is None)
        )
    return rows


def test_a_cluster_that_loses_a_worker_gives_what_one_machine_gives(
    start: Start, scheduler: str, grader: Grader, jobs: list[Job]
) -> None:
    workers = [start("worker", *WORKER) for _ in range(3)]
    wait_for(scheduler, 3)
    told: list[str] = []
    results = []
    for result in share_on(scheduler, grader, jobs, told.append):
        results.append(result)
        if len(results) == 6:
            workers[0].kill()
    assert table(results) == table(list(share(grader, jobs, 2)))
    assert len(told) == 1 and "was lost" in told[0]
    assert {result.report.seed for result in results if result.report} == {SEED}


def test_a_worker_without_a_sandbox_is_named_and_gets_nothing(
    start: Start, scheduler: str, grader: Grader, jobs: list[Job], tmp_path: Path
) -> None:
    start("worker", *WORKER, path=str(tmp_path))  # there is no bubblewrap on this path
    wait_for(scheduler, 1)
    with pytest.raises(UserError, match=r"^No worker of tcp://.* can grade; 1 of 1 say: .*bubblewrap"):
        list(share_on(scheduler, grader, jobs[:2]))
    start("worker", *WORKER)
    wait_for(scheduler, 2)
    told: list[str] = []
    results = list(share_on(scheduler, grader, jobs[:6], told.append))
    assert len(results) == 6 and not any(result.problem for result in results)
    assert len(told) == 1 and "grades nothing: The sandbox needs bubblewrap" in told[0]


def test_what_cannot_be_graded_on_a_cluster_is_one_sentence(
    scheduler: str, grader: Grader, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.classroom.cluster.CONNECT_SECONDS", 1.0)
    with pytest.raises(UserError, match="has no worker: start some with `dask worker"):
        list(share_on(scheduler, grader, jobs))
    with pytest.raises(UserError, match=r"There is no Dask scheduler at tcp://127\.0\.0\.1:9 "):
        list(share_on("tcp://127.0.0.1:9", grader, jobs))
    grader.sandbox.unsandboxed = True
    with pytest.raises(UserError, match="nothing is graded without bubblewrap"):
        list(share_on(scheduler, grader, jobs))


def test_jobs_and_graders_are_data_and_hold_a_student_s_file_as_bytes(
    grader: Grader, mini_course: Course
) -> None:
    job = Job("ada", b"\x80\x04cos\nsystem\n")
    again, copy = pickle.loads(pickle.dumps((job, grader)))
    assert again == job and type(again.data) is bytes
    assert copy.key == grader.key and copy.walls == grader.walls
    assert not vars(copy).keys() ^ vars(grader).keys()


def test_the_command_grades_a_class_on_a_cluster_as_here(
    start: Start, scheduler: str, mini_course: Course, mini: Assignment, tmp_path: Path
) -> None:
    place = {"tcp://SCHEDULER:8786": scheduler}
    # Two in place of the page's four: each takes two seconds of processor time to start.
    worker = filled_in("dask worker tcp://SCHEDULER:8786 --nthreads 1 --nworkers 4", **place, **{"4": "2"})
    start(*worker[1:])
    wait_for(scheduler, 2)
    there = filled_in("autograder grade UNIT --scheduler tcp://SCHEDULER:8786", UNIT="mini", **place)[3:]
    said = []
    for options in ([], there):
        root = tmp_path / f"class{len(options)}"
        shutil.copytree(mini_course.root, root)
        for i, entry in enumerate([e for e in bank.load_bank(mini) if e.exercise == "mul_vjp"][:4]):
            folder = root / "submitted" / f"s{i}" / "mini"
            folder.mkdir(parents=True)
            answer = entry.answer(mini.exercise(entry.exercise).solution)
            (folder / "mini.ipynb").write_text(write_text(mini.solved({"mul_vjp": answer})))
        command = [
            sys.executable,
            "-c",
            "from autograder.cli.app import main; main()",
            "grade",
            "mini",
            *options,
        ]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stderr
        again = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=200)
        assert "4 graded before" in again.stdout
        said.append(done.stdout)
    assert said[0] == said[1]
    assert "s3" in said[0]
