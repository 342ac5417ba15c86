"""Threads, children, sessions, fork bombs and signals: they end with their pupil, and reach nobody else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox

from .lab import (
    HONEST,
    alive,
    dedent,
    earned,
    said,
    soon,
)

PROCESSES = {
    "a double fork with its own session": """
        import os, time
        if not os.fork():
            try: os.setsid()
            except OSError: pass  # the second wall lets nobody leave the session
            if not os.fork():
                for fd in range(100):
                    try: os.close(fd)
                    except OSError: pass
                while True:
                    open("/tmp/late", "a").write("x"); time.sleep(0.05)
            os._exit(0)
    """,
    "a detached subprocess": """
        import subprocess, sys, json, os
        argv = ["pupil/start.py"]
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", *argv], start_new_session=True,
                         stdin=-3, stdout=-3, stderr=-3)
    """,
    "a child that ignores every signal": """
        import os, signal, time
        if not os.fork():
            for s in range(1, 32):
                try: signal.signal(s, signal.SIG_IGN)
                except OSError: pass
            try: os.setsid()
            except OSError: pass
            while True: time.sleep(1)
    """,
    "a child that keeps the pipes open": "import os, time\nif not os.fork():\n    time.sleep(600)",
}


@pytest.mark.parametrize("name", PROCESSES)
def test_what_a_submission_leaves_running_is_dead_when_it_has_been_graded(
    name: str, attack: Callable[..., Report], walls: Sandbox
) -> None:
    assert earned(attack(dedent(PROCESSES[name]))) == HONEST
    assert soon(lambda: not alive(walls), 1.0)


def test_a_fork_bomb_is_stopped_and_costs_only_its_cell(
    attack: Callable[..., Report], walls: Sandbox
) -> None:
    most = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            most[0] = max(most[0], len(alive(walls)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    report = attack("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n")
    done.set()
    watcher.join()
    assert earned(report) == HONEST
    assert 3 < most[0] <= walls.processes + 6  # bubblewrap's own two, and those of the next pupil


def test_what_has_lost_its_parents_is_seen_to_live(walls: Sandbox) -> None:
    """Behind the second wall a bomb's processes once outlived their submission, and no test looked there."""
    mark = f'pupil/start.py {{"output_chars": {walls.output_chars}, "limits": 0}}'
    code = "import os, sys, time\nif os.fork(): os._exit(0)\nprint(os.getpid(), flush=True)\ntime.sleep(60)"
    read, write = os.pipe()
    first = subprocess.Popen([sys.executable, "-c", code, mark], stdout=write)
    os.close(write)
    with os.fdopen(read) as file:
        orphan = int(file.readline())
    first.wait()
    try:
        assert orphan in alive(walls)
    finally:
        os.kill(orphan, signal.SIGKILL)
    assert soon(lambda: not alive(walls))


SIGNALS = """
import os, signal, time
def send(target, number):
    try: os.kill(target, number)
    except (PermissionError, ProcessLookupError): pass
"""


def test_signals_reach_nobody_but_their_sender(beside: Callable[..., Report]) -> None:
    to_others = """
for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP):
    for target in (1, os.getppid(), -1):
        send(target, number)
    for pid in range(3, 400):
        if pid != os.getpid(): send(pid, number)
    try: signal.pidfd_send_signal(os.pidfd_open(1), number)
    except PermissionError: pass
print("sent")
"""
    to_the_group = [f"send(0, signal.{name})\ntime.sleep(9)" for name in ("SIGSTOP", "SIGKILL", "SIGSEGV")]
    report = beside(SIGNALS + to_others, *(SIGNALS + code for code in to_the_group))
    assert said(report) == "sent\n"
    assert earned(report) == HONEST
    stopped, killed, crashed = report.notes
    assert "did not end within 1 s" in stopped
    assert "was killed" in killed
    assert "segmentation fault" in crashed


def test_signals_of_an_ordinary_user_reach_nobody_but_their_sender_either(bubblewrap: None) -> None:
    """Root's pupils are users of their own; an ordinary user's are all that user, as is the warm interpreter."""
    command = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] if os.geteuid() == 0 else []
    if command and subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    code = f"""
import os, time
from autograder.sandbox.line import Line
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox, SandboxError
assert os.geteuid() != 0
before = PupilProcess(Sandbox(), (), time.monotonic() + 60)
assert isinstance(before.link, Line)
for name in ("SIGSTOP", "SIGKILL", "SIGSEGV"):
    process = PupilProcess(Sandbox(call_seconds=0.5), (), time.monotonic() + 60)
    try: process.run_cell({SIGNALS!r} + f"send(0, signal.{{name}})\\ntime.sleep(9)")
    except Exception as error: print(error)
    process.close()
    print(before.run_cell("print(6 * 7)").text, end="")
before.close()
"""
    done = subprocess.run([*command, sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    stopped, well, killed, well_too, crashed, well_still = done.stdout.splitlines() or [done.stderr] * 6
    assert [well, well_too, well_still] == ["42"] * 3
    assert "did not end within 0.5 s" in stopped and "was killed" in killed and "segmentation" in crashed
