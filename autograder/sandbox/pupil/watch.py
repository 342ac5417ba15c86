"""A process of ours outside the second wall, above the pupil, that ends all that a student's code leaves behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal

from .kernel import libc


def keep_watch() -> None:
    """Fork. The first process stays outside, and ends all that the second leaves behind; this returns in the second.

    Those whose parent has gone become children of the first, so that nothing that a student's code starts can get
    away from it. It ends them when the second process has ended, when it is told to (SIGTERM), and when the referee has
    gone (its end of the pipe is closed).
    """
    library = libc()
    library.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    library.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    told = {signal.SIGTERM, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, told)
    child = os.fork()
    if not child:
        library.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.setsid()
        return
    try:
        os.close(1)
        gone = select.poll()
        gone.register(0, 0)  # hanging up is always told
        code: int | None = None
        while code is None:
            found = signal.sigtimedwait(told, 0.5)
            if (found is not None and found.si_signo == signal.SIGTERM) or gone.poll(0):
                break
            code = _ended(child)
        os._exit(_bury(child, code))
    finally:
        os._exit(1)


def _ended(child: int) -> int | None:
    """The exit code of the child, if it has ended; others that have ended are forgotten."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == child:
                return _code(found[1])
    return None


def _code(status: int) -> int:
    """An exit code; a signal's is 128 more than its number, as shells have it."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _bury(child: int, code: int | None) -> int:
    """End all that is left, and those that become ours by that."""
    while True:
        for pid in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 1 if code is None else code
        if not pid:
            signal.sigtimedwait({signal.SIGCHLD}, 0.002)
        elif pid == child:
            code = _code(status)


def _children() -> list[int]:
    own = os.getpid()
    try:
        with open(f"/proc/{own}/task/{own}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:  # a kernel that keeps no such list
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == own:
                    found.append(int(name))
        return found
