"""What a submission costs the machine: the CPU time of all its processes together, those that have ended included.

A limit of the kernel's counts one process, and a program that starts another has the whole of it again. But what a
process has used is handed up when it ends: to whoever waits for it, in the end to the first process of its namespace,
which adopts orphans. No process in there can have its children end uncounted, since the filter of system calls keeps
it from ignoring SIGCHLD. So the sum over the tree is the whole, at whatever rate processes come and go.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

import psutil

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process and of all that it started, as far as they are counted yet."""
    if not sys.platform.startswith("linux"):
        return _from_psutil(pid)
    ticks = 0
    for process in dict.fromkeys(process for process, _ in _threads(pid)):
        with contextlib.suppress(OSError, ValueError), open(f"/proc/{process}/stat", "rb") as file:
            # After the name, which may hold anything: utime, stime, and those of the children that have ended.
            ticks += sum(map(int, file.read().rpartition(b")")[2].split()[11:15]))
    return ticks / TICKS


def seconds_waited(pid: int) -> float | None:
    """How long the one of its threads that waited longest wanted a processor and had none; None if it is not known."""
    waits = []
    for _, folder in _threads(pid):
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"{folder}/schedstat") as file:
            waits.append(int(file.read().split()[1]) / 1e9)
    return max(waits, default=None)


def own_wait() -> float:
    """How long this thread wanted a processor and had none; 0 where that is not known."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/thread-self/schedstat") as file:
        return int(file.read().split()[1]) / 1e9
    return 0.0


def more_work_than_processors() -> bool:
    """Whether more wants to run on this machine than can."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > (os.cpu_count() or 1)


def pid_of(handle: int) -> int | None:
    """The number of the process that a pidfd stands for; None when it has ended."""
    with contextlib.suppress(OSError, ValueError), open(f"/proc/self/fdinfo/{handle}") as file:
        for line in file:
            if line.startswith("Pid:"):
                pid = int(line.split()[1])
                return pid if pid > 0 else None
    return None


def _threads(pid: int) -> Iterator[tuple[int, str]]:
    """All threads of a process and of what it started: the number of its process, and its folder."""
    waiting = [pid]
    while waiting:
        process = waiting.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                folder = f"/proc/{process}/task/{thread}"
                yield process, folder
                with contextlib.suppress(OSError, ValueError), open(f"{folder}/children") as file:
                    waiting += map(int, file.read().split())


def _from_psutil(pid: int) -> float:
    used = 0.0
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(pid)
        for process in (first, *first.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                used += times.user + times.system + getattr(times, "children_user", 0.0)
    return used
