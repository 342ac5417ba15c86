# ruff: noqa: E501  (an attack stays on its line)
"""Exits, crashes and hangs: the cell is left out, with the reason, and the others run anew."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import AddedCell, Submission

from .lab import HONEST, RIGHT, RIGHT_UNBOX, SOON, earned

ENDINGS = {
    "sys.exit": "import sys\nsys.exit(0)",
    "os._exit": "import os\nos._exit(0)",
    "kill the group": "import os\nos.kill(0, 9)",
    "kill everybody": "import os\nos.kill(-1, 9)",
    "kill the parent": "import os, time\ntry:\n    os.kill(os.getppid(), 9)\nexcept OSError as e: print(e)\ntime.sleep(0.2)",
    "kill process one": "import os, time\ntry:\n    os.kill(1, 9)\nexcept OSError as e: print(e)\ntime.sleep(0.2)",
    "stop oneself": "import os\nos.kill(os.getpid(), 19)",
    "a crash in C": "import ctypes\nctypes.string_at(0)",
    "recursion without end": "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "close all files": "import os\nos.closerange(0, 100)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "hang": "while True: pass",
    "hang against interrupts": "import signal, time\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\nwhile True: time.sleep(1)",
    "hang in an import": "import pathlib\npathlib.Path('endless.py').write_text('while True: pass')\nimport endless",
    "hang in __del__": "class D:\n    def __del__(self):\n        while True: pass\nd = D()\ndel d",
    "hang at exit": "import atexit, time, sys\natexit.register(time.sleep, 600)\nsys.exit(0)",
    "hang in a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()",
    "exit in a thread": "import threading, os\nthreading.Thread(target=lambda: os._exit(0)).start()\nimport time; time.sleep(0.2)",
}


@pytest.mark.parametrize("name", ENDINGS)
def test_ending_or_hanging_its_process_costs_only_the_cell_that_does_it(
    name: str, attack: Callable[..., Report]
) -> None:
    start = time.monotonic()
    assert earned(attack(ENDINGS[name])) == HONEST
    assert time.monotonic() - start < SOON


@pytest.mark.parametrize(
    "name", ["sys.exit", "os._exit", "kill the group", "a crash in C", "KeyboardInterrupt"]
)
def test_ending_the_process_in_the_answer_itself_is_no_pass(name: str, attack: Callable[..., Report]) -> None:
    body = "\n".join("    " + line for line in ENDINGS[name].splitlines())
    report = attack("", unbox=f"def unbox(boxes):\n{body}\n")
    assert earned(report) == [(2, "passed"), (0, "error")]


def test_a_notebook_that_has_used_its_time_is_graded_to_the_end(
    mini: Assignment, mini_course: Course
) -> None:
    """Many cells wait after the limit; each has to be passed over, not started."""
    hurried = Sandbox(call_seconds=1.0, notebook_seconds=1.5, hidden_paths=[str(mini_course.root)])
    added = [AddedCell("", "code", "while True: pass") for _ in range(40)]
    start = time.monotonic()
    report = grade(
        mini, Submission(answers={"mul_vjp": RIGHT, "unbox": RIGHT_UNBOX}, added=added), hurried, seed=1
    )
    assert earned(report) == [(0, "timeout"), (0, "timeout")]
    assert time.monotonic() - start < 20  # of 40, and on a machine that others use, too
