"""What the machine is asked for, and gets back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.sandbox.host import new_home, remove_home

from ..conftest import REPOSITORY


def test_a_pupil_s_folder_goes_with_its_process() -> None:
    folder = new_home()
    assert os.path.basename(folder).startswith("pupil-") and os.listdir(folder) == []
    remove_home(folder)
    assert not os.path.exists(folder)


@pytest.mark.skipif(os.name == "nt", reason="a signal that a process can answer")
def test_a_folder_whose_process_was_never_started_goes_with_the_worker(tmp_path: Path) -> None:
    """As where an interrupt falls between the two: a worker answers SIGTERM by leaving."""
    lines = [
        "import signal, sys, time",
        "from autograder.sandbox.host import new_home",
        "signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))",
        "open(new_home() + '/left', 'w').close()",
        "print('ready', flush=True)",
        "time.sleep(60)",
    ]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(
        [sys.executable, "-c", "\n".join(lines)], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        assert [path.name[:6] for path in tmp_path.iterdir()] == ["pupil-"]
        process.send_signal(signal.SIGTERM)
    assert process.returncode == 143 and list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_that_ends_leaves_its_parent_s_folders_alone(tmp_path: Path) -> None:
    lines = [
        "import os, sys",
        "from autograder.sandbox.host import new_home",
        "folder = new_home()",
        "if not os.fork():",
        "    sys.exit()",
        "os.wait()",
        "print(os.path.exists(folder))",
    ]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n" and list(tmp_path.iterdir()) == []
