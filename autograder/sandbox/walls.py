"""The walls around the process that runs a student's code, and its limits.

The first wall is bubblewrap: new namespaces, no network, a read-only view of the interpreter and of the libraries that
the unit allows, private empty folders for everything else. Where it does not start, `second_wall.py` is another, of
what the kernel gives any process. The walls keep a student's code from the machine, from its neighbours, from the
answer key and from the gradebook: without any, it has the grader's user, and no score is protected.
"""

from __future__ import annotations

import ast
import atexit
import functools
import importlib.metadata
import json
import math
import os
import platform
import random
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from traitlets import Bool, Float, Integer, List, Unicode
from traitlets.config import Configurable

from ..lesson.reasons import parse
from . import second_wall
from .pupil import LEARNER_MODULES

#: The file that runs in the sandbox, and the package around it.
PUPIL = Path(__file__).resolve().with_name("pupil.py")
PACKAGE = PUPIL.parent.parent


#: The walls that a submission may be behind. The words stand in every result.
BUBBLEWRAP, LANDLOCK, NO_WALL = "bubblewrap", "landlock", "none"

#: Begins a command whose processes are the first to go when the machine runs out of memory.
GO_FIRST = ("/bin/sh", "-c", 'echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec "$@"', "sh")

#: Said of every result that was got without a wall.
UNPROTECTED = (
    "These scores are not protected: there was no wall around the submission, which could read the answer key and "
    "change any score."
)

#: A submission may use its limit for one call so many times: an endless loop costs its exercise, and no other.
CALLS = 10


class SandboxError(RuntimeError):
    """There is no sandbox here; the text says why and what to do."""


class Interrupted(SandboxError):
    """The sandbox was ended from outside while a submission was in it, which is nobody's mistake: grade it again."""


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
        problem = _why_not(self.bwrap)
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

    def command(self, allowed: Iterable[str], nursery: int | None = None) -> Launch:
        """How to start a pupil whose unit allows these modules of `autograd_ref`.

        With the number of an open socket, how to start the warm interpreter that forks such pupils.

        Raises SandboxError when there is no wall and `unprotected_scores` is not set.
        """
        wall = self.wall()
        allowed = allowed_modules(tuple(allowed))
        library = learner_library(allowed)
        python = os.path.realpath(sys.executable)
        config: dict[str, object] = {"allowed": list(allowed), "limits": self.limits()}
        environment = {
            "LANG": "C.UTF-8",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
        }
        if wall != BUBBLEWRAP:
            return self._without_bubblewrap(wall, python, library, config, environment)
        config["path"] = ["/pupil/library", "/pupil/site"]
        config["see"] = {"allowed": "/pupil/library/autograder/__init__.py", "refused": [str(PUPIL)]}
        home = "/home/pupil"
        environment |= {"HOME": home, "TMPDIR": "/tmp", "PATH": "/usr/bin:/bin", "USER": "pupil"}
        walls = self._walls(python, library)
        if nursery is None:
            # It would tell what the host has mounted where, and how bubblewrap was called. The warm interpreter needs
            # it to make its forks' namespaces, and closes it for them.
            walls += ["--tmpfs", "/proc", "--remount-ro", "/proc"]
        if nursery is not None:
            config |= {"nursery": nursery, "preload": list(self.preload), "file_bytes": self.file_mb << 20}
        if os.geteuid() == 0:
            # As root there is no user namespace to hide in: take a user id that nobody else has.
            config["user"] = random.SystemRandom().randrange(2_000_000, 2_000_000_000)
            walls += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
            if nursery is not None:
                walls += [
                    "--cap-add",
                    "CAP_SYS_ADMIN",
                ]  # for the namespaces of its forks, which have none of these
        else:
            walls += ["--unshare-user"]
        for name, value in environment.items():
            walls += ["--setenv", name, value]
        # Shown in the process table of the sandbox only, which has one visitor.
        # bubblewrap's own environment can be read in the sandbox (/proc/1/environ), so there is nothing in it.
        argv = [
            *GO_FIRST,
            shutil.which(self.bwrap) or self.bwrap,
            *walls,
            "--",
            python,
            "-I",
            "-S",
            "-B",
            "/pupil/pupil.py",
            json.dumps(config),
        ]
        return Launch(argv, {"PATH": "/usr/bin:/bin"}, None, wall)

    def _without_bubblewrap(
        self, wall: str, python: str, library: Path, config: dict[str, object], environment: dict[str, str]
    ) -> Launch:
        folder = tempfile.mkdtemp(prefix="pupil-")
        environment |= {"HOME": folder, "TMPDIR": folder, "IPYTHONDIR": folder, "MPLCONFIGDIR": folder}
        rules = None
        if wall == LANDLOCK:
            site_folder = linked_distributions(tuple(self.distributions))
            config["path"] = [str(library), str(site_folder)]
            rules = self._rules(python, library, site_folder, folder)
            config["second_wall"] = {
                "code": second_wall.__file__,
                "rules": rules.handle,
                "version": rules.version,
            }
            config["see"] = {
                "allowed": str(library / "autograder" / "__init__.py"),
                "refused": [str(PUPIL), "/proc/self/status", "/etc/passwd"],
            }
            if os.geteuid() == 0:
                user = random.SystemRandom().randrange(2_000_000, 2_000_000_000)
                config["user"] = user
                os.chown(folder, user, user)
        else:
            site_paths = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
            config["path"] = [str(library), *site_paths, *_user_site()]
            for name in ("SYSTEMROOT", "PATH"):  # Windows cannot start Python without the first
                if name in os.environ:
                    environment[name] = os.environ[name]
        argv = [python, "-I", "-S", "-B", str(PUPIL), json.dumps(config)]
        return Launch(argv, environment, folder, wall, rules, self.file_mb << 20)

    def _rules(self, python: str, library: Path, site_folder: Path, folder: str) -> second_wall.Wall:
        """What a pupil behind the second wall may read and write. Raises SandboxError."""
        listed = [os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
        course = [os.path.realpath(path) for path in self.hidden_paths]
        for path in course:
            if any(_inside(path, place) for place in listed):
                raise SandboxError(
                    f"The course ({path}) lies inside Python's own library, where the second wall cannot hide it: "
                    "move it somewhere else."
                )
        hidden = (*_site_packages(), *course, str(PACKAGE.parent))
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
            and (self.wall() != BUBBLEWRAP or not _counts_by_namespace())
        ):
            others = _own_threads()
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

    def _walls(self, python: str, library: Path) -> list[str]:
        size = str(self.file_mb << 20)
        walls = [
            *["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
            *["--die-with-parent", "--new-session", "--clearenv", "--hostname", "pupil"],
            *["--proc", "/proc", "--dev", "/dev"],
            *["--perms", "1777", "--size", size, "--tmpfs", "/dev/shm"],
            *["--perms", "1777", "--size", size, "--tmpfs", "/tmp"],
        ]
        shown = list(_system_paths(python))
        parents = {
            parent for path in [*shown, "/pupil/site/x", "/home/pupil"] for parent in Path(path).parents
        }
        for parent in sorted(map(str, parents - {Path("/")})):
            walls += ["--perms", "0755", "--dir", parent]  # bubblewrap's own would be closed to another user
        for path in shown:
            if os.path.islink(path):
                walls += ["--symlink", os.readlink(path), path]
            else:
                walls += ["--ro-bind", path, path]
        walls += [
            "--ro-bind",
            str(PUPIL),
            "/pupil/pupil.py",
            "--ro-bind",
            str(library),
            "/pupil/library",
        ]
        for name, source in distribution_files(tuple(self.distributions)).items():
            walls += ["--ro-bind", source, f"/pupil/site/{name}"]
        # What is installed for everybody else, and the course itself, stay dark even inside the paths above.
        masked = [*_site_packages(), *(os.path.realpath(p) for p in self.hidden_paths), str(PACKAGE.parent)]
        for path in dict.fromkeys(masked):
            if os.path.isdir(path) and any(_inside(path, base) for base in shown):
                walls += ["--size", "4096", "--tmpfs", path]
        return [
            *walls,
            *["--perms", "0777", "--size", size, "--tmpfs", "/home/pupil", "--chdir", "/home/pupil"],
            *["--remount-ro", "/dev", "--remount-ro", "/"],
        ]


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


def _counts_by_namespace() -> bool:
    """True where the kernel counts processes for each user namespace (Linux 5.14), not for each user alone."""
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return found is not None and (int(found[1]), int(found[2])) >= (5, 14)


def _own_threads() -> int:
    """How many processes and threads this user has: a limit on processes counts them all."""
    count = 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        uids = process.info["uids"]
        if uids is not None and uids.real == os.getuid():
            count += process.info["num_threads"] or 1
    return count


def _inside(path: str, base: str) -> bool:
    return path == base or path.startswith(base.rstrip("/") + "/")


def _system_paths(python: str) -> Iterator[str]:
    """What an interpreter needs of the system: its own tree and the shared libraries."""
    for path in ("/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32", "/etc/ld.so.cache"):
        if os.path.lexists(path):
            yield path
    prefixes = dict.fromkeys(os.path.realpath(p) for p in (sys.base_prefix, sys.base_exec_prefix))
    for prefix in prefixes:
        if prefix in ("/usr", "/usr/local"):
            if prefix == "/usr/local":
                yield "/usr/local/lib"
        else:
            yield prefix
    if not any(_inside(python, prefix) and prefix not in ("/usr", "/usr/local") for prefix in prefixes):
        yield python


def _site_packages() -> list[str]:
    paths = [*site.getsitepackages([sys.base_prefix, sys.base_exec_prefix]), "/usr/lib/python3/dist-packages"]
    return sorted({os.path.realpath(path) for path in paths})


@functools.cache
def _readable(python: str, hidden: tuple[str, ...], listed: tuple[str, ...]) -> tuple[list[str], list[str]]:
    return second_wall.within(_system_paths(python), hidden, listed)


def _user_site() -> list[str]:
    return [site.getusersitepackages()] if site.ENABLE_USER_SITE else []


@functools.cache
def _why_not(bwrap: str) -> str:
    if not sys.platform.startswith("linux"):
        return f"There is no sandbox for {sys.platform}: grade on Linux (WSL or a virtual machine will do)."
    if shutil.which(bwrap) is None:
        return (
            "The sandbox needs bubblewrap, which is not installed: `sudo apt-get install bubblewrap` "
            "(Debian, Ubuntu) or `sudo dnf install bubblewrap` (Fedora)."
        )
    user = [] if os.geteuid() == 0 else ["--unshare-user"]
    test = [
        bwrap,
        *user,
        *["--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
        "true",
    ]
    try:
        done = subprocess.run(test, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start ({error})."
    if done.returncode == 0:
        return ""
    said = re.sub(r"\s+", " ", done.stderr).strip()[:200] or f"exit code {done.returncode}"
    remedy = "allow user namespaces, for example with `sudo sysctl -w kernel.unprivileged_userns_clone=1`"
    if os.path.exists("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"):
        remedy = "allow them with `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
    if os.path.exists("/.dockerenv") or os.geteuid() == 0:
        remedy = "start the container with `--cap-add SYS_ADMIN --security-opt seccomp=unconfined`"
    return f"The kernel forbids bubblewrap its namespaces ({said}): {remedy}."


@functools.cache
def distribution_files(names: tuple[str, ...]) -> dict[str, str]:
    """The top-level files and folders of these distributions, of IPython, and of all that they require."""
    found: dict[str, str] = {}
    waiting, seen = [*names, "ipython"], set()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # a requirement of another platform
        for requirement in distribution.requires or []:
            if not re.search(r";.*\bextra\b", requirement):
                waiting.append(re.split(r"[\s;\[<>=!~(]", requirement, maxsplit=1)[0])
        tops = {
            file.parts[0] for file in distribution.files or [] if file.parts[0] not in ("..", "__pycache__")
        }
        for top in tops:
            path = os.path.realpath(str(distribution.locate_file(top)))
            if os.path.exists(path):
                found[top] = path
    return found


@functools.cache
def linked_distributions(names: tuple[str, ...]) -> Path:
    """A folder from which just these distributions and what they require can be imported: links to where they are."""
    folder = Path(tempfile.mkdtemp(prefix="learner-site-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    for name, source in distribution_files(names).items():
        (folder / name).symlink_to(source)
    return folder


@functools.cache
def allowed_modules(names: tuple[str, ...]) -> tuple[str, ...]:
    """These modules of `autograd_ref`, and those that they import; `autograd_ref` itself stands for all of it.

    A package such as `autograd_ref.data` is its `__init__.py` and what that imports. What a module imports lazily, as
    `autograd_ref.tensor` does with `ops` and `sweep`, is not followed: a unit that needs it says so. Raises
    SandboxError when a unit allows a module that does not exist.
    """
    waiting, found = list(names), set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name == "autograd_ref":
            continue
        source = _source_of(name)
        if not name.startswith("autograd_ref.") or not source.is_file():
            raise SandboxError(f"The unit allows `{name}`, but there is no such module in autograd_ref.")
        tree = parse(source.read_text(encoding="utf-8"))
        package = name if source.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                waiting += _imported(node, package)
    return tuple(sorted(found))


def _imported(node: ast.ImportFrom, package: str) -> list[str]:
    """The modules of `autograd_ref` that this statement of a module in `package` imports.

    `from autograd_ref.rules import products` is the package, and the module in it. Python runs a package's
    `__init__.py` when something outside of it imports one of its modules.
    """
    above = package.rsplit(".", node.level - 1)[0] if node.level else ""
    module = ".".join(filter(None, (above, node.module)))
    if module.partition(".")[0] != "autograd_ref":
        return []
    inside = [f"{module}.{alias.name}" for alias in node.names]
    found = {each for each in (module, *inside) if _source_of(each).is_file()}
    above_found = {each.rpartition(".")[0] for each in found}
    found |= {each for each in above_found if not f"{package}.".startswith(f"{each}.")}
    return sorted(found - {"", "autograd_ref", package})


@functools.cache
def learner_library(allowed: tuple[str, ...]) -> Path:
    """A folder with just those modules of the course that a notebook of the unit may import."""
    folder = Path(tempfile.mkdtemp(prefix="learner-library-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    (folder / "autograder" / "lesson").mkdir(parents=True)
    shutil.copy(PACKAGE / "__init__.py", folder / "autograder")
    for module in LEARNER_MODULES:
        shutil.copy(PACKAGE / "lesson" / f"{module}.py", folder / "autograder" / "lesson")
    reference = PACKAGE.parent / "autograd_ref"
    if "autograd_ref" in allowed:
        shutil.copytree(reference, folder / "autograd_ref", ignore=shutil.ignore_patterns("__pycache__"))
        return folder
    (folder / "autograd_ref").mkdir()
    # Lazy: it imports what is there when that is first used.
    shutil.copy(reference / "__init__.py", folder / "autograd_ref")
    for module in allowed:
        source = _source_of(module)
        target = folder / source.relative_to(PACKAGE.parent)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(source, target)
        if source.name == "__init__.py" and (source.parent / "files").is_dir():
            shutil.copytree(source.parent / "files", target.parent / "files")  # the data sets
    for package in {path.parent for path in folder.glob("autograd_ref/*/*.py")}:
        if not (package / "__init__.py").is_file():
            (package / "__init__.py").write_text('"""Only what this unit\'s notebooks may use."""\n')
    return folder


def _source_of(module: str) -> Path:
    """Where a module or a package of this repository stands."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
