"""Says what works on this machine, and how to mend what does not."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..classroom.ways_in import who_grades
from ..errors import UserError
from ..sandbox import second_wall
from ..sandbox.process import PupilProcess
from ..sandbox.walls import Sandbox, SandboxError
from ..unit.assignment import Course


@dataclass(frozen=True)
class Finding:
    """One line of the doctor: what, whether it works, and what to do if not."""

    what: str
    good: bool
    told: str


def examine() -> Iterator[Finding]:
    """All findings, the quick ones first."""
    version = platform.python_version()
    yield Finding("Python", sys.version_info >= (3, 11), f"{version}; the course needs 3.11 or newer")
    for name in ("numpy", "matplotlib", "jupyterlab", "nbgrader", "nbconvert", "ipykernel", "jupytext"):
        try:
            yield Finding(name, True, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(name, False, "missing: run `pip install -e .` in the course's folder")
    yield _kernel()
    try:
        course = Course.find()
        yield Finding("course", True, f"{course.root} with {', '.join(course.units()) or 'no unit'}")
        folders = [course.root, Path.cwd()]
    except UserError as error:
        yield Finding("course", False, str(error))
        folders = [Path.cwd()]
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        yield Finding("nbgrader", *who_grades(folder))
    yield from _walls()


def _walls() -> Iterator[Finding]:
    """Which walls there are. Every pupil, as it starts, tries something that is allowed and something that is not."""
    first, second = Sandbox(), Sandbox(unsandboxed=True)
    problem, further = first.why_not(), second.why_no_second_wall()
    yield Finding("sandbox", not problem, problem or "bubblewrap works")
    told = f"Landlock {second_wall.version()}, for where bubblewrap does not start (--unsandboxed)"
    yield Finding("second wall", not further or not problem, further or told)
    for what, sandbox, missing in (("pupil", first, problem), ("pupil 2", second, further)):
        if not missing:
            yield _pupil(what, sandbox)
    if problem and further:
        yield Finding("scores", False, "without a wall no score is protected (--unprotected-scores)")


def _pupil(what: str, sandbox: Sandbox) -> Finding:
    start = time.monotonic()
    try:
        process = PupilProcess(sandbox, (), start + 60)
        result = process.run_cell("6 * 7")
        process.close()
    except SandboxError as error:
        return Finding(what, False, str(error))
    good = result.text.strip() == "42"
    return Finding(what, good, f"ran a cell behind {sandbox.wall()}, which refused what it has to refuse")


def _kernel() -> Finding:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        spec = KernelSpecManager().get_kernel_spec("python3")
        return Finding("kernel", True, f"python3 ({spec.display_name})")
    except NoSuchKernel:
        return Finding(
            "kernel", False, "there is no kernel `python3`: run `python -m ipykernel install --sys-prefix`"
        )
