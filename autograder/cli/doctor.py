"""Says what works on this machine, and how to mend what does not."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError
from ..learner.progress import units, units_folder
from ..unit.assignment import Course

#: What comes with the package, with `[lab]`, and with `[grade]`, by the names that are imported.
ALWAYS = ("numpy", "matplotlib", "IPython", "nbformat")
LAB = ("jupyterlab", "ipykernel")
GRADE = ("nbgrader", "nbconvert", "nbclient", "jupytext", "jinja2", "latex2mathml", "psutil")


@dataclass(frozen=True)
class Finding:
    """One line of the doctor: what, whether it works (None: it does not, and need not), and what to do if not."""

    what: str
    good: bool | None
    told: str


def for_learning() -> Iterator[Finding]:
    """What working through the course takes."""
    version = platform.python_version()
    yield Finding("Python", sys.version_info >= (3, 11), f"{version}; the course needs 3.11 or newer")
    yield from _packages(ALWAYS, "pip install --force-reinstall autograd-course")
    lab = list(_packages(LAB, "pip install 'autograd-course[lab]'"))
    yield from lab
    if all(finding.good for finding in lab):
        yield _kernel()
    try:
        folder = units_folder()
        count = len(units(folder))
        yield Finding("units", True, f"{folder} with {count or 'no'} unit{'s' * (count != 1)}")
    except UserError:
        yield Finding(
            "units", None, "none in this folder: `autograder start my-course` puts them into a new one"
        )


def for_grading() -> Iterator[Finding]:
    """What grading takes. Where the extra `grade` is not there at all, nobody wants to grade: then nothing is bad."""
    missing = [name for name in GRADE if _version(name) is None]
    if "nbgrader" in missing:
        told = f"not installed ({', '.join(missing)}); who grades needs it: `pip install 'autograd-course[grade]'`"
        yield Finding("nbgrader", None, told)
        return
    yield from _packages(GRADE, "pip install 'autograd-course[grade]'")
    try:
        course = Course.find()
        yield Finding("course", True, f"{course.root} with {', '.join(course.units()) or 'no unit'}")
        folders = [course.root, Path.cwd()]
    except UserError as error:
        yield Finding("course", False, str(error))
        folders = [Path.cwd()]
    if missing:
        return
    from ..classroom.ways_in import who_grades
    from .doctor_walls import walls

    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        yield Finding("nbgrader", *who_grades(folder))
    yield from (Finding(*found) for found in walls())


def _packages(names: tuple[str, ...], remedy: str) -> Iterator[Finding]:
    for name in names:
        version = _version(name)
        yield Finding(name, version is not None, version or f"missing: `{remedy}`")


def _version(name: str) -> str | None:
    """A package's version; None where it cannot be imported."""
    try:
        if importlib.util.find_spec(name) is not None:
            return importlib.metadata.version(name)
    except (ModuleNotFoundError, importlib.metadata.PackageNotFoundError):
        pass
    return None


def _kernel() -> Finding:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        spec = KernelSpecManager().get_kernel_spec("python3")
        return Finding("kernel", True, f"python3 ({spec.display_name})")
    except NoSuchKernel:
        return Finding(
            "kernel", False, "there is no kernel `python3`: run `python -m ipykernel install --sys-prefix`"
        )
