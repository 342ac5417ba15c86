"""Two walls around the process that runs a student's code.

The first is bubblewrap: new namespaces, no network, a read-only view of the interpreter and of the libraries that
the unit allows, private empty folders for everything else. The second is resource limits. Neither decides a score:
scores are safe behind the process boundary. The walls keep a student's code from the machine, from its neighbours
and from the answer key.
"""

from __future__ import annotations

import ast
import atexit
import functools
import importlib.metadata
import json
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
from .pupil import LEARNER_MODULES

#: The file that runs in the sandbox, and the package around it.
PUPIL = Path(__file__).resolve().with_name("pupil.py")
PACKAGE = PUPIL.parent.parent


class SandboxError(RuntimeError):
    """There is no sandbox here; the text says why and what to do."""


class Interrupted(SandboxError):
    """The sandbox was ended from outside while a submission was in it, which is nobody's mistake: grade it again."""


class Sandbox(Configurable):
    """Walls and limits. Set them in nbgrader_config.py, for example `c.Sandbox.call_seconds = 20`."""

    unsandboxed = Bool(
        False,
        help="Run submissions without bubblewrap, behind the process boundary and resource limits alone.",
    ).tag(config=True)
    bwrap = Unicode("bwrap", help="The bubblewrap command.").tag(config=True)
    call_seconds = Float(
        10.0, help="Wall time for one cell of a notebook, and for one call that a check makes."
    ).tag(config=True)
    notebook_seconds = Float(240.0, help="Wall time for one submission, restarts included.").tag(config=True)
    start_seconds = Float(60.0, help="Wall time in which the process has to be ready.").tag(config=True)
    cpu_seconds = Integer(120, help="CPU time of one process.").tag(config=True)
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
        return _why_not(self.bwrap)

    def command(self, allowed: Iterable[str], nursery: int | None = None) -> Launch:
        """How to start a pupil whose unit allows these modules of `autograd_ref`.

        With the number of an open socket, how to start the warm interpreter that forks such pupils.

        Raises SandboxError when there is no sandbox and `unsandboxed` is not set.
        """
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
        if self.unsandboxed:
            folder = tempfile.mkdtemp(prefix="pupil-")
            site_paths = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
            config["path"] = [str(library), *site_paths, *_user_site()]
            environment |= {"HOME": folder, "TMPDIR": folder, "IPYTHONDIR": folder, "MPLCONFIGDIR": folder}
            for name in ("SYSTEMROOT", "PATH"):  # Windows cannot start Python without the first
                if name in os.environ:
                    environment[name] = os.environ[name]
            argv = [python, "-I", "-S", "-B", str(PUPIL), json.dumps(config)]
            return Launch(argv, environment, folder, sandboxed=False)
        problem = self.why_not()
        if problem:
            raise SandboxError(problem)
        config["path"] = ["/pupil/library", "/pupil/site"]
        home = "/home/pupil"
        environment |= {"HOME": home, "TMPDIR": "/tmp", "PATH": "/usr/bin:/bin", "USER": "pupil"}
        walls = self._walls(python, library)
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
        return Launch(argv, {"PATH": "/usr/bin:/bin"}, None, sandboxed=True)

    def limits(self) -> dict[str, int]:
        """The limits of one pupil, as its process is told them."""
        others = 0
        if hasattr(os, "geteuid") and os.geteuid() != 0 and (self.unsandboxed or not _counts_by_namespace()):
            others = _own_threads()
        return {
            "memory_bytes": self.memory_mb << 20,
            "cpu_seconds": self.cpu_seconds,
            "processes": self.processes + others,
            "file_bytes": self.file_mb << 20,
            "open_files": self.open_files,
            "output_chars": self.output_chars,
        }

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
    sandboxed: bool


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


def _user_site() -> list[str]:
    return [site.getusersitepackages()] if site.ENABLE_USER_SITE else []


@functools.cache
def _why_not(bwrap: str) -> str:
    otherwise = "Or say --unsandboxed, which still keeps the scores safe but not the machine."
    if not sys.platform.startswith("linux"):
        return f"There is no sandbox for {sys.platform}: grade on Linux (WSL or a virtual machine will do). {otherwise}"
    if shutil.which(bwrap) is None:
        return (
            "The sandbox needs bubblewrap, which is not installed: `sudo apt-get install bubblewrap` "
            f"(Debian, Ubuntu) or `sudo dnf install bubblewrap` (Fedora). {otherwise}"
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
        return f"bubblewrap does not start ({error}). {otherwise}"
    if done.returncode == 0:
        return ""
    said = re.sub(r"\s+", " ", done.stderr).strip()[:200] or f"exit code {done.returncode}"
    remedy = "allow user namespaces, for example with `sudo sysctl -w kernel.unprivileged_userns_clone=1`"
    if os.path.exists("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"):
        remedy = "allow them with `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
    if os.path.exists("/.dockerenv") or os.geteuid() == 0:
        remedy = "start the container with `--cap-add SYS_ADMIN --security-opt seccomp=unconfined`"
    return f"The kernel forbids bubblewrap its namespaces ({said}): {remedy}. {otherwise}"


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
