"""What attacks are measured by: an honest submission's points, and processes that are seen while they live."""

from __future__ import annotations

import time
from collections.abc import Callable

from autograder.referee.report import Report
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox

from .lab import (
    HONEST,
    alive,
    earned,
    family,
    soon,
)


def test_the_honest_submission_that_attacks_are_measured_by_earns_two_of_five(
    attack: Callable[..., Report],
) -> None:
    assert earned(attack("")) == HONEST


def test_processes_of_a_sandbox_are_seen_while_they_live_and_gone_afterwards(walls: Sandbox) -> None:
    process = PupilProcess(walls, (), time.monotonic() + 30)
    result = process.run_cell("import os, time\nif not os.fork():\n    time.sleep(60)\n")
    assert result.error is None
    assert len(alive(walls)) >= 3  # bubblewrap, the pupil, its child
    process.close()
    assert soon(lambda: not alive(walls))


def test_a_parent_that_ends_while_one_looks_hides_nobody() -> None:
    # 10 is the test, 30 the warm interpreter, 31 between it and the pupil 32, whose child is 33.
    ended = {1: 0, 10: 1, 30: 10, 32: 31, 33: 32}
    adopted = {1: 0, 10: 1, 30: 10, 32: 30, 33: 32, 40: 1}
    looks = iter([ended, ended, adopted])
    assert family(10, lambda: next(looks)) == {30, 32, 33}
    assert family(10, lambda: {**adopted, 31: 30, 32: 31}) == {30, 31, 32, 33}
    assert family(40, lambda: adopted) == set()
