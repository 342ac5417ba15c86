"""What a pupil may take and be: limits of the kernel, its user, its rights."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

from .kernel import error, libc


def set_limits(limits: dict[str, int]) -> None:
    """Hard limits of the kernel, for this process and all that it starts. Windows has none."""
    try:
        import resource
    except ImportError:
        return
    names = {
        "memory_bytes": "RLIMIT_AS",
        "cpu_seconds": "RLIMIT_CPU",
        "processes": "RLIMIT_NPROC",
        "file_bytes": "RLIMIT_FSIZE",
        "open_files": "RLIMIT_NOFILE",
    }
    for key, name in names.items():
        kind = getattr(resource, name, None)
        if kind is None or key not in limits:
            continue
        value = limits[key]
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        try:
            resource.setrlimit(kind, (value, value))
        except (ValueError, OSError):  # macOS refuses some of them; the wall clock still holds
            continue
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    go_first()


def go_first() -> None:
    """The limits are each process's own. If several together exhaust the machine, these are the ones to go."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def adopt_orphans() -> None:
    """Where there is no namespace whose first process does it, be the one to whom the children of the dead go."""
    if not sys.platform.startswith("linux"):
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if os.getppid() != 1:
        libc().prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def become(user: int) -> None:
    """Leave root for good: an own user id for each pupil, so that limits on processes count."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def give_up_capabilities() -> None:
    """Drop the rights that an ordinary user has in a user namespace of its own (capset(2))."""
    library = libc()
    for capability in range(64):
        library.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; the numbers that do not exist are refused
    head, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if library.capset(head, rights):
        raise error()
