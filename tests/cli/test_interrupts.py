"""Ctrl-C at moments when Python, or typer, would not hear it."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

DROPPED = """
    import signal, time
    from autograder.cli import app

    class Closing:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def command():
        Closing()
        time.sleep(30)

    app.app = command
    app.main()
"""

#: The one that is sent again comes while Python still tells of the first, as on a busy machine.
AT_ONCE = DROPPED.replace(
    "app.app = command",
    "from autograder.cli import interrupts\n    interrupts.AGAIN = 0\n    app.app = command",
)

OUTSIDE = """
    import signal
    from autograder.cli import app

    def command():
        raise KeyboardInterrupt

    app.app = command
    app.main()
"""


@pytest.mark.parametrize(
    "program",
    [DROPPED, AT_ONCE, OUTSIDE],
    ids=["in a finaliser", "in a finaliser, at once", "outside of typer"],
)
def test_an_interrupt_is_heard_and_is_one_line(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        130,
        "",
        "autograder: stopped; what was finished is kept.\n",
    )
