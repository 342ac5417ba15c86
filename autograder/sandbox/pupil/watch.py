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
        while not _has_ended(child):
            found = signal.sigtimedwait(told, 0.5)
            if (found is not None and found.si_signo == signal.SIGTERM) or gone.poll(0):
                break
        os._exit(_end_all(child))
    finally:
        os._exit(1)


def _has_ended(child: int) -> bool:
    """True if the child has ended; others that have are forgotten.

    The child itself is not: as long as it is known its number is the number of its group, and of no other.
    """
    while (found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
        if found.si_pid == child:
            return True
        os.waitpid(found.si_pid, os.WNOHANG)
    return False


def _end_all(child: int) -> int:
    """End all that is left, and those that become ours by that; the child's exit code, 128 more than a signal's number.

    Nobody leaves the child's group behind the second wall, so one call ends all at once, also those that fork as fast
    as others die. What it cannot reach, because there is no group yet, is ended one by one.
    """
    code = 1
    while True:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        for pid in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == child:
                    ended = os.waitstatus_to_exitcode(found[1])
                    code = ended if ended >= 0 else 128 - ended
        except ChildProcessError:
            return code
        signal.sigtimedwait({signal.SIGCHLD}, 0.002)


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
