"""Run notebooks as a browser's Python does: no process, thread or socket, and NumPy, matplotlib and IPython only.

    python as_a_browser.py FOLDER NOTEBOOK [NOTEBOOK ...]

FOLDER holds the unpacked wheel. Prints a JSON object: for each notebook its errors, what it wrote to stderr, what it
printed, and the errors of its quick cells when they are run again at the end. Pyodide has no `_multiprocessing`,
`resource`, `pwd`, `grp` and `termios`, no timers, and `Thread.start` raises.
"""

import contextlib
import importlib.metadata as metadata
import io
import json
import os
import re
import sys
import time

#: Cells that take less, in seconds, are run once more at the end.
QUICK = 0.2
MISSING = {"_multiprocessing", "_posixsubprocess", "resource", "pwd", "grp", "termios", "nis", "readline"}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(names):
    """These distributions and all that they need."""
    from packaging.requirements import Requirement

    found, waiting = set(), list(names)
    while waiting:
        name = normal(waiting.pop())
        if name not in found:
            found.add(name)
            needs = [Requirement(text) for text in metadata.requires(name) or []]
            waiting += [one.name for one in needs if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


class Missing:
    """Refuses to import what a browser's Python does not have."""

    def __init__(self):
        self.allowed = closure(["numpy", "matplotlib", "ipython"])
        self.owners = metadata.packages_distributions()

    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        owners = {normal(owner) for owner in self.owners.get(first, [])} - {"autograd-course"}
        if first in MISSING or (owners and not owners & self.allowed):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def refuse(*_, **__):
    raise RuntimeError("there are no processes, threads or sockets in a browser")


def block():
    """Take away what a browser's Python does not have."""
    import signal
    import socket
    import subprocess
    import threading

    for name in ("fork", "forkpty", "posix_spawn", "posix_spawnp", "system", "popen", "execv", "execve"):
        if hasattr(os, name):
            setattr(os, name, refuse)
    for name in ("setitimer", "alarm", "pthread_kill"):
        if hasattr(signal, name):
            delattr(signal, name)
    threading.Thread.start = subprocess.Popen.__init__ = socket.socket.__init__ = refuse
    for name in [*sys.modules]:
        if name.partition(".")[0] in MISSING:
            del sys.modules[name]
    sys.meta_path.insert(0, Missing())


def run(path):
    """Run a notebook's code cells in order, in a new shell, in its own folder, as a kernel that was just started."""
    from IPython.core.interactiveshell import InteractiveShell

    os.chdir(os.path.dirname(path))
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("autograder", "autograd_ref"):
            del sys.modules[name]
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.kernel = object()  # as JupyterLite's shell has one
    shell.history_manager.enabled = False
    shell.ast_node_interactivity = "last_expr"
    shell.run_cell("import matplotlib; matplotlib.use('agg')")
    errors, out, err = {}, io.StringIO(), io.StringIO()
    code = [(str(number), cell) for number, cell in enumerate(cells) if cell["cell_type"] == "code"]

    def seconds_of(number, cell, found):
        began = time.perf_counter()
        done = shell.run_cell("".join(cell["source"]), store_history=False, cell_id=number)
        error = done.error_before_exec or done.error_in_exec
        if error is not None:
            found[cell["id"]] = f"{type(error).__name__}: {error}"
        return time.perf_counter() - began

    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        quick = [(number, cell) for number, cell in code if seconds_of(number, cell, errors) < QUICK]
    told = {"errors": errors, "stderr": err.getvalue(), "printed": out.getvalue(), "again": {}}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        # A learner goes back: what has run later may not be in the way.
        for number, cell in reversed(quick):
            seconds_of(number, cell, told["again"])
    return told


if __name__ == "__main__":
    folder, *notebooks = sys.argv[1:]
    # Neither this checkout nor this file's folder: the wheel alone.
    here = [path for path in sys.path if not os.path.isdir(os.path.join(path or ".", "autograder"))]
    sys.path[:] = [folder, *(path for path in here if path != os.path.dirname(os.path.abspath(__file__)))]
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
    block()
    told = {path: run(path) for path in notebooks}
    import autograder

    assert autograder.__file__.startswith(folder), autograder.__file__
    print(json.dumps(told))
