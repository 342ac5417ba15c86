"""Each attack runs against both walls, and leaves nothing behind: no file is changed, no process lives."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox, SandboxError
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import AddedCell, Submission

from .lab import RIGHT, RIGHT_UNBOX, WRONG, alive, content, soon


@pytest.fixture(scope="module", params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> dict[str, bool]:
    """The wall that an attack runs against: the options that choose it."""
    options = {"unsandboxed": request.param == "landlock"}
    try:
        assert Sandbox(**options).wall() == request.param
    except SandboxError as error:
        pytest.skip(str(error))
    return options


@pytest.fixture(scope="module")
def walls(mini_course: Course, kind: dict[str, bool]) -> Sandbox:
    """A sandbox whose processes can be told from those of every other test run on this machine."""
    marked = 40_000 + random.SystemRandom().randrange(10_000)
    return Sandbox(call_seconds=2.0, output_chars=marked, hidden_paths=[str(mini_course.root)], **kind)


@pytest.fixture(autouse=True)
def nothing_outside_changes(mini_course: Course, walls: Sandbox) -> Iterator[None]:
    before = content(mini_course.root)
    yield
    assert content(mini_course.root) == before
    assert soon(lambda: not alive(walls)), "something that the submission started is still alive"


@pytest.fixture
def attack(mini: Assignment, walls: Sandbox) -> Callable[..., Report]:
    """Grade answers with a cell before all others; by default the first is right and the second wrong."""

    def run(code: str, sandbox: Sandbox | None = None, **answers: str) -> Report:
        added = [AddedCell("", "code", code)] if code else []
        given = {"mul_vjp": RIGHT, "unbox": WRONG} | answers
        return grade(mini, Submission(answers=given, added=added), sandbox or walls, seed=1)

    return run


@pytest.fixture
def beside(mini: Assignment, mini_course: Course) -> Callable[..., Report]:
    """Grade added cells as `attack` does, with little time, while a right submission is graded again and again.

    The neighbours, and a pupil that was there before and one that comes after, must notice nothing.
    """

    def run(*cells: str, seed: int = 1, seconds: float = 1.0, **answers: str) -> Report:
        walls = Sandbox(call_seconds=seconds, hidden_paths=[str(mini_course.root)])
        neighbour = Submission(answers={"mul_vjp": RIGHT, "unbox": RIGHT_UNBOX})
        added = [AddedCell("", "code", code) for code in cells]
        hostile = Submission(answers={"mul_vjp": RIGHT, "unbox": WRONG} | answers, added=added)
        before = PupilProcess(walls, (), time.monotonic() + 60)
        files = len(os.listdir("/proc/self/fd"))
        with ThreadPoolExecutor(1) as threads:
            attacking = threads.submit(grade, mini, hostile, walls, seed=seed)
            done: list[Report] = []
            while not attacking.done() or not done:
                # A machine that is busy is slow, and this is not about its speed.
                done.append(grade(mini, neighbour, Sandbox(hidden_paths=[str(mini_course.root)])))
                assert len(os.listdir("/proc/self/fd")) < files + 40
            report = attacking.result()
        assert all(r.score == 5 and not r.notes for r in done), [r.notes for r in done]
        assert before.run_cell("print(6 * 7)").text == "42\n"
        before.close()
        assert grade(mini, neighbour, walls).score == 5
        return report

    return run
