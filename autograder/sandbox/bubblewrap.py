"""The first wall: bubblewrap, how it is called, and whether it starts here."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from .host import inside, system_paths

#: Begins a command whose processes are the first to go when the machine runs out of memory.
GO_FIRST = ("/bin/sh", "-c", 'echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec "$@"', "sh")

#: A pupil's home, and the names in its environment.
HOME = "/home/pupil"
ENVIRONMENT = {"HOME": HOME, "TMPDIR": "/tmp", "PATH": "/usr/bin:/bin", "USER": "pupil"}


@functools.cache
def why_not(bwrap: str) -> str:
    """Why there is no bubblewrap sandbox on this machine, with the remedy; empty when there is one."""
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
        # In a session of its own: a Ctrl-C in the terminal would end one of its two processes.
        process = subprocess.Popen(
            test, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
    except OSError as error:
        return f"bubblewrap does not start ({error})."
    with process:
        try:
            _, stderr = process.communicate(timeout=30)
        except subprocess.TimeoutExpired as error:
            return f"bubblewrap does not start ({error})."
        finally:
            end(process)
    if process.returncode == 0:
        return ""
    said = re.sub(r"\s+", " ", stderr).strip()[:200] or f"exit code {process.returncode}"
    remedy = "allow user namespaces, for example with `sudo sysctl -w kernel.unprivileged_userns_clone=1`"
    if os.path.exists("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"):
        remedy = "allow them with `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
    if os.path.exists("/.dockerenv") or os.geteuid() == 0:
        remedy = "start the container with `--cap-add SYS_ADMIN --security-opt seccomp=unconfined`"
    return f"The kernel forbids bubblewrap its namespaces ({said}): {remedy}."


def call(bwrap: str, view: list[str], environment: dict[str, str], *, forks: bool = False) -> list[str]:
    """The words that start a command behind this wall, which shows it what `view` says.

    With `forks`, one that makes namespaces of their own for processes that it forks.
    """
    walls = list(view)
    if not forks:
        # It would tell what the host has mounted where, and how bubblewrap was called. The warm interpreter needs
        # it to make its forks' namespaces, and closes it for them.
        walls += ["--tmpfs", "/proc", "--remount-ro", "/proc"]
    if os.geteuid() == 0:
        # As root there is no user namespace to hide in: the pupil takes a user id that nobody else has.
        walls += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        if forks:  # for the namespaces of its forks, which have none of these
            walls += ["--cap-add", "CAP_SYS_ADMIN"]
    else:
        walls += ["--unshare-user"]
    for name, value in {**environment, **ENVIRONMENT}.items():
        walls += ["--setenv", name, value]
    return [*GO_FIRST, shutil.which(bwrap) or bwrap, *walls, "--"]


def end(process: subprocess.Popen[Any]) -> None:
    """End a command behind this wall, which began a session: both processes of bubblewrap, and what they started.

    In its first milliseconds bubblewrap's second process waits for a word of the first one, and for no signal of its
    death: were that alone killed, it would wait for ever.
    """
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()


def view(python: str, bound: dict[str, str], hidden: list[str], file_bytes: int) -> list[str]:
    """What is to be seen behind the wall: the interpreter, what is bound, and empty private folders of this size.

    `bound` gives a place in the sandbox the file or folder that is seen there.
    """
    size = str(file_bytes)
    walls = [
        *["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
        *["--die-with-parent", "--new-session", "--clearenv", "--hostname", "pupil"],
        *["--proc", "/proc", "--dev", "/dev"],
        *["--perms", "1777", "--size", size, "--tmpfs", "/dev/shm"],
        *["--perms", "1777", "--size", size, "--tmpfs", "/tmp"],
    ]
    shown = list(system_paths(python))
    parents = {parent for path in [*shown, *bound, HOME] for parent in Path(path).parents}
    for parent in sorted(map(str, parents - {Path("/")})):
        walls += ["--perms", "0755", "--dir", parent]  # bubblewrap's own would be closed to another user
    for path in shown:
        if os.path.islink(path):
            walls += ["--symlink", os.readlink(path), path]
        else:
            walls += ["--ro-bind", path, path]
    for place, source in bound.items():
        walls += ["--ro-bind", source, place]
    # These stay dark even inside the paths above.
    for path in dict.fromkeys(hidden):
        if os.path.isdir(path) and any(inside(path, base) for base in shown):
            walls += ["--size", "4096", "--tmpfs", path]
    return [
        *walls,
        *["--perms", "0777", "--size", size, "--tmpfs", "/home/pupil", "--chdir", HOME],
        *["--remount-ro", "/dev", "--remount-ro", "/"],
    ]
