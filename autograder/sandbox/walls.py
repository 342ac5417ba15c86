"""The walls around the process that runs a student's code, and its limits.

The first wall is bubblewrap: new namespaces, no network, a read-only view of the interpreter and of the libraries that
the unit allows, private empty folders for everything else. Where it does not start, `second_wall.py` is another, of
what the kernel gives any process. The walls keep a student's code from the machine, from its neighbours, from the
answer key and from the gradebook: without any, it has the grader's user, and no score is protected.
"""

from __future__ import annotations

import functools
import json
import math
import os
import platform
import random
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from traitlets import Bool, Float, Integer, List, Unicode
from traitlets.config import Configurable

from . import bubblewrap, second_wall
from .errors import Interrupted, SandboxError
from .host import counts_by_namespace, importable, inside, new_home, own_threads, site_packages, system_paths
from .libraries import PACKAGE, allowed_modules, distribution_files, learner_library, linked_distributions

__all__ = ["Interrupted", "Launch", "Sandbox", "SandboxError"]

#: The file that is started in the sandbox; the files beside it are all that it needs.
PUPIL = Path(__file__).resolve().parent / "pupil" / "start.py"

#: The walls that a submission may be behind. The words stand in every result.
BUBBLEWRAP, LANDLOCK, NO_WALL = "bubblewrap", "landlock", "none"

#: Said of every result that was got without a wall.
UNPROTECTED = (
    "These scores are not protected: there was no wall around the submission, which could read the answer key and "
    "change any score."
)

#: A submission may use its limit for one call so many times: an endless loop costs its exercise, and no other.
CALLS = 10

#: One thread for each library. Where as many processes run as there are cores, theirs would wait for one another.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
#: The same order in every set, too: what a pupil's process finds in any wall.
ENVIRONMENT = {"LANG": "C.UTF-8", **ONE_THREAD, "PYTHONHASHSEED": "0"}


class Sandbox(Configurable):
    """Walls and limits. Set them in nbgrader_config.py, for example `c.Sandbox.call_seconds = 20`."""

    unsandboxed = Bool(
        False,
        help="Run submissions without bubblewrap, behind the second wall (Landlock, Linux 5.13 or newer): scores are "
        "as safe, disk space is watched and not limited, and the machine's name can be read.",
    ).tag(config=True)
    unprotected_scores = Bool(
        False,
        help="Run submissions also where there is no wall. They can then read the answer key and change any score "
        "and any file of yours, and every result says that it is not protected.",
    ).tag(config=True)
    landlock = Bool(True, help="Use the second wall where the kernel has it.").tag(config=True)
    bwrap = Unicode("bwrap", help="The bubblewrap command.").tag(config=True)
    call_seconds = Float(
        10.0, help="Wall time for one cell of a notebook, and for one call that a check makes."
    ).tag(config=True)
    notebook_seconds = Float(240.0, help="Wall time for one submission, restarts included.").tag(config=True)
    times_solution = Float(
        20.0,
        help="In a class, the two limits above are so many times the CPU time of the unit's solution, where that is "
        "less; for one submission at least ten times its limit for one call.",
    ).tag(config=True)
    least_call_seconds = Float(4.0, help="The limit for one call is never made less than this.").tag(
        config=True
    )
    start_seconds = Float(60.0, help="Wall time in which the process has to be ready.").tag(config=True)
    cpu_seconds = Integer(120, help="CPU time of one submission, all its processes together.").tag(
        config=True
    )
    memory_mb = Integer(2048, help="Address space of one process, in MiB.").tag(config=True)
    processes = Integer(32, help="Processes and threads at a time.").tag(config=True)
    file_mb = Integer(
        32, help="Size of one file that the code writes, and of each private folder, in MiB."
    ).tag(config=True)
    open_files = Integer(128, help="Open files and sockets of one process at a time.").tag(config=True)
    output_chars = Integer(50_000, help="Characters of printed output that are kept of one cell.").tag(
        config=True
    )
    distributions = List(
        Unicode(),
        default_value=["numpy", "matplotlib"],
        help="Installed distributions that submissions may import, their dependencies included.",
    ).tag(config=True)
    warm = Bool(
        True,
        help="Fork pupils from a warm interpreter where the kernel allows it, and do not start each anew.",
    ).tag(config=True)
    preload = List(
        Unicode(), default_value=["numpy"], help="Modules that the warm interpreter has loaded."
    ).tag(config=True)
    hidden_paths = List(
        Unicode(),
        help="Folders that are never visible, even inside something that is. The course's root is added.",
    ).tag(config=True)

    def why_not(self) -> str:
        """Why there is no bubblewrap sandbox on this machine, with the remedy; empty when there is one."""
        problem = bubblewrap.why_not(self.bwrap)
        return f"{problem} {self._otherwise()}" if problem else ""

    def why_no_second_wall(self) -> str:
        """Why the second wall cannot be had on this machine; empty when it can."""
        if not self.landlock:
            return "The second wall is switched off (c.Sandbox.landlock = False)."
        if not sys.platform.startswith("linux"):
            return f"There is no wall for {sys.platform}: grade on Linux (WSL or a virtual machine will do)."
        if second_wall.version() < 1:
            return "The kernel has no Landlock, of which the second wall is made (Linux 5.13 or newer, and enabled)."
        if not second_wall.known_machine():
            return f"The second wall does not know this processor ({platform.machine()})."
        return ""

    def _otherwise(self) -> str:
        if not self.why_no_second_wall():
            return (
                "Or say --unsandboxed, for a second wall of the kernel's own, which keeps the scores as safe."
            )
        return (
            "Or say --unprotected-scores: then a submission can read the answer key and change any score and any file "
            "of yours, and every result says so."
        )

    def wall(self) -> str:
        """The wall that submissions are behind: BUBBLEWRAP, LANDLOCK, or NO_WALL where that was asked for.

        Raises SandboxError, with the remedy, when it cannot be had.
        """
        if not self.unsandboxed:
            problem = self.why_not()
            if not problem:
                return BUBBLEWRAP
            if not self.unprotected_scores:
                raise SandboxError(problem)
        problem = self.why_no_second_wall()
        if not problem:
            return LANDLOCK
        if not self.unprotected_scores:
            raise SandboxError(f"{problem} {self._otherwise()}")
        return NO_WALL

    def command(self, allowed: Iterable[str], control: int | None = None) -> Launch:
        """How to start a pupil whose unit allows these modules of `autograd_ref`.

        With `control`, the number of an open socket, how to start the fork server that forks such pupils.

        Raises SandboxError when there is no wall and `unprotected_scores` is not set.
        """
        wall = self.wall()
        allowed = allowed_modules(tuple(allowed))
        library = learner_library(allowed)
        config: dict[str, object] = {"allowed": list(allowed), "limits": self.limits()}
        if wall == BUBBLEWRAP:
            return self._in_bubblewrap(library, config, control)
        folder = new_home()
        if wall == LANDLOCK:
            return self._behind_landlock(library, config, folder)
        return self._without_a_wall(library, config, folder)

    def _in_bubblewrap(self, library: Path, config: dict[str, object], control: int | None) -> Launch:
        python = os.path.realpath(sys.executable)
        config["path"] = ["/pupil/library", "/pupil/site"]
        config["see"] = {"allowed": "/pupil/library/autograder/__init__.py", "refused": [str(PUPIL)]}
        file_bytes = self.file_mb << 20
        if control is not None:
            config |= {"control": control, "preload": list(self.preload), "file_bytes": file_bytes}
        if os.geteuid() == 0:
            config["user"] = nobody_else()
        installed = distribution_files(tuple(self.distributions))
        bound = {"/pupil/library": str(library)}
        # File by file: what Python has compiled beside them names this machine's folders.
        bound |= {f"/pupil/pupil/{file.name}": str(file) for file in sorted(PUPIL.parent.glob("*.py"))}
        bound |= {f"/pupil/site/{name}": source for name, source in installed.items()}
        # What is installed for everybody else, and the course itself.
        hidden = [*site_packages(), *map(os.path.realpath, self.hidden_paths), str(PACKAGE.parent)]
        view = bubblewrap.view(python, bound, hidden, file_bytes)
        wall = bubblewrap.call(self.bwrap, view, ENVIRONMENT, forks=control is not None)
        # The words are shown in the process table of the sandbox only, which has one visitor. bubblewrap's own
        # environment can be read in the sandbox (/proc/1/environ), so there is nothing in it.
        argv = [*wall, python, "-I", "-S", "-B", "/pupil/pupil/start.py", json.dumps(config)]
        return Launch(argv, {"PATH": "/usr/bin:/bin"}, None, BUBBLEWRAP)

    def _behind_landlock(self, library: Path, config: dict[str, object], folder: str) -> Launch:
        site_folder = linked_distributions(tuple(self.distributions))
        config["path"] = [str(library), str(site_folder)]
        rules = self._rules(library, site_folder, folder)
        config["second_wall"] = {
            "rules": rules.handle,
            "version": rules.version,
        }
        config["see"] = {
            "allowed": str(library / "autograder" / "__init__.py"),
            "refused": [str(PUPIL), "/proc/self/status", "/etc/passwd"],
        }
        if os.geteuid() == 0:
            config["user"] = user = nobody_else()
            os.chown(folder, user, user)
        return self._launch(LANDLOCK, config, ENVIRONMENT, folder, rules)

    def _without_a_wall(self, library: Path, config: dict[str, object], folder: str) -> Launch:
        config["path"] = [str(library), *importable()]
        # Windows cannot start Python without the first.
        own = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
        return self._launch(NO_WALL, config, {**ENVIRONMENT, **own}, folder)

    def _launch(
        self,
        wall: str,
        config: dict[str, object],
        environment: dict[str, str],
        folder: str,
        rules: second_wall.Wall | None = None,
    ) -> Launch:
        """A process of its own, which has this folder of the machine's for a home."""
        homes = dict.fromkeys(("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR"), folder)
        python = os.path.realpath(sys.executable)
        argv = [python, "-I", "-S", "-B", str(PUPIL), json.dumps(config)]
        return Launch(argv, {**environment, **homes}, folder, wall, rules, self.file_mb << 20)

    def _rules(self, library: Path, site_folder: Path, folder: str) -> second_wall.Wall:
        """What a pupil behind the second wall may read and write. Raises SandboxError."""
        listed = [os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
        course = [os.path.realpath(path) for path in self.hidden_paths]
        for path in course:
            if any(inside(path, place) for place in listed):
                raise SandboxError(
                    f"The course ({path}) lies inside Python's own library, where the second wall cannot hide it: "
                    "move it somewhere else."
                )
        hidden = (*site_packages(), *course, str(PACKAGE.parent))
        python = os.path.realpath(sys.executable)
        readable, shown = _readable(python, hidden, tuple(dict.fromkeys(listed)))
        installed = distribution_files(tuple(self.distributions)).values()
        try:
            return second_wall.Wall(
                [*readable, *installed, str(library), str(site_folder)],
                shown,
                [folder],
                second_wall.version(),
            )
        except OSError as error:
            raise SandboxError(f"The kernel refuses the rules of the second wall ({error}).") from None

    def limits(self) -> dict[str, int]:
        """The limits of one pupil, as its process is told them."""
        others = 0
        if (
            hasattr(os, "geteuid")
            and os.geteuid() != 0
            and (self.wall() != BUBBLEWRAP or not counts_by_namespace())
        ):
            others = own_threads()
        return {
            "memory_bytes": self.memory_mb << 20,
            "cpu_seconds": self.cpu_seconds
            + 1,  # the kernel counts each process alone; `meter.py` counts all
            "processes": self.processes + others,
            "file_bytes": self.file_mb << 20,
            "open_files": self.open_files,
            "output_chars": self.output_chars,
        }

    def within(self, solution_seconds: float) -> Sandbox:
        """The same walls, with the limits of a unit whose solution takes so much CPU time."""
        fair = self.times_solution * solution_seconds
        call = min(self.call_seconds, max(self.least_call_seconds, fair))
        notebook = min(self.notebook_seconds, max(CALLS * call, fair))
        traits = {name: getattr(self, name) for name in self.traits(config=True)}
        changed = {
            "call_seconds": call,
            "notebook_seconds": notebook,
            "cpu_seconds": min(self.cpu_seconds, math.ceil(notebook)),
        }
        return Sandbox(**(traits | changed))


@dataclass(frozen=True)
class Launch:
    """A command with its environment, and the folder to remove when the process has ended."""

    argv: list[str]
    environment: dict[str, str]
    folder: str | None
    wall: str
    #: what the process inherits, and takes on
    rules: second_wall.Wall | None = None
    #: how much of the disk its folder may take
    folder_bytes: int = 0

    @property
    def sandboxed(self) -> bool:
        """Whether it runs in bubblewrap."""
        return self.wall == BUBBLEWRAP


def nobody_else() -> int:
    """A user id that nobody else has: one for each pupil, where the grader is root."""
    return random.SystemRandom().randrange(2_000_000, 2_000_000_000)


@functools.cache
def _readable(python: str, hidden: tuple[str, ...], listed: tuple[str, ...]) -> tuple[list[str], list[str]]:
    return second_wall.within(system_paths(python), hidden, listed)
