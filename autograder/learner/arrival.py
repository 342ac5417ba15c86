"""How a learner arrives in JupyterLab: on the notebook to go on with, and nothing in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from . import progress

#: JupyterLab's settings for learners: no question about news, none of nbgrader's tabs for teachers. What a learner
#: has set goes before them.
CONFIGURATION = Path(__file__).with_name("jupyterlab")


def where_to_go_on(folder: Path) -> Path | None:
    """The notebook in which the last check ran; when that unit is done, of the first that is not.

    None when the folder holds no unit. Who has run no check yet gets the first unit.
    """
    found = progress.units(folder)
    unit = progress.current(found, folder) or (found[0] if found else None)
    return unit.notebook if unit else None


def command(folder: Path, options: list[str]) -> list[str]:
    """How to start JupyterLab on this folder; the user's own options come last, and so go before ours."""
    started = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.answer_yes=True",  # one Ctrl-C ends it
        "--ServerApp.contents_manager_class=autograder.learner.contents.CleanNotebooks",
    ]
    notebook = where_to_go_on(folder)
    if notebook is not None:
        started.append(f"--LabApp.default_url=/lab/tree/{quote(notebook.relative_to(folder).as_posix())}")
    return [*started, *options]


def environment() -> dict[str, str]:
    """This process's environment, in which JupyterLab finds the settings for learners."""
    paths = [str(CONFIGURATION), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    return {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}


def start(folder: Path, options: list[str]) -> int:
    """Start JupyterLab; gives its exit status, where it does not take this process's place.

    In this process's place it gets every signal itself: whatever ends the one has ended the other.
    """
    if os.name == "posix":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(sys.executable, command(folder, options), environment())
    server = subprocess.Popen(command(folder, options), env=environment())
    while True:
        try:
            return server.wait()
        except KeyboardInterrupt:  # it got the same, and ends by itself
            continue
