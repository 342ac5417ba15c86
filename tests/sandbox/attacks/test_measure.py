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
    soon,
)


def test_the_honest_submission_that_attacks_are_measured_by_earns_two_of_five(
    attack: Callable[..., Report],
) -> None:
    assert earned(attack("")) == HONEST


def test_processes_of_a_sandbox_are_seen_while_they_live_and_gone_afterwards(walls: Sandbox) -> None:
    process = PupilProcess(walls, (), time.monotonic() + 30)
    process.run_cell("import os, time\nif not os.fork():\n    time.sleep(60)\n")
    assert len(alive(walls)) >= 3  # bubblewrap, the pupil, its child
    process.close()
    assert soon(lambda: not alive(walls))
