"""A second wall, of what the Linux kernel gives any process, for where bubblewrap does not start.

Landlock closes the files: nothing is read but the interpreter and the libraries that the unit allows, nothing is
written but one private folder, nothing is executed. /proc is among what is closed, and with it the memory, the
descriptors, the folder and the environment of every process. A seccomp filter closes what Landlock leaves open:
sockets, signals to others, memory shared with others, changes of a file's mode, owner and times, and another
process's priority. What stays open: whether a path exists, how large it is and whose, to who guesses its name; the
name of the machine and of its kernel; and how much disk, memory and time it has. Disk space is watched
(`transport.py`), not walled.

The rules are made in the referee's process (`Wall`) and taken on in the pupil's (`close_in`), which loads this file by
its path: it needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import select
import signal
import stat
import struct
import sys
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
TELL_VERSION, PATH_BENEATH = 1, 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE, MAKE = 0b11 << 4, 0b1111111 << 6  # folders and files; devices, folders, files, sockets, pipes, links
REFER, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15

#: From which version of Landlock on each right is known; an older kernel refuses a rule that names it.
FILE_RIGHTS = ((1, (1 << 13) - 1), (2, REFER), (3, TRUNCATE), (5, DEVICE_CONTROL))
TCP_SINCE, BIND_AND_CONNECT = 4, 0b11
SCOPES_SINCE, ABSTRACT_SOCKETS_AND_SIGNALS = 6, 0b11

#: The rights that a rule on a file may name; the others are for folders.
ON_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL


class Wall:
    """The rules of one pupil, as an open file of the kernel's; close it when the pupil has been started.

    `readable` files and folders with all that is in them, `listed` folders (their names alone), `writable` folders.
    A path that is not there is passed over. Raises OSError where the kernel has no Landlock.
    """

    def __init__(
        self, readable: Iterable[str], listed: Iterable[str], writable: Iterable[str], version: int
    ) -> None:
        self.version = version
        handled = sum(rights for since, rights in FILE_RIGHTS if version >= since)
        fields = [handled]
        if version >= TCP_SINCE:
            fields.append(BIND_AND_CONNECT)
        if version >= SCOPES_SINCE:
            fields.append(ABSTRACT_SOCKETS_AND_SIGNALS)
        attributes = struct.pack(f"={len(fields)}Q", *fields)
        self.handle = system_call(CREATE_RULESET, attributes, len(attributes), 0)
        try:
            for path in readable:
                self._allow(path, (READ_FILE | READ_DIR) & handled)
            for path in listed:
                self._allow(path, READ_DIR)
            for path in writable:
                self._allow(path, handled & ~EXECUTE & ~DEVICE_CONTROL)
            self._allow(os.devnull, (READ_FILE | WRITE_FILE | TRUNCATE) & handled)
            for path in ("/dev/urandom", "/dev/random", "/dev/zero"):
                self._allow(path, READ_FILE)
        except BaseException:
            self.close()
            raise

    def _allow(self, path: str, rights: int) -> None:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            if not stat.S_ISDIR(os.fstat(place).st_mode):
                rights &= ON_A_FILE
            system_call(ADD_RULE, self.handle, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
        finally:
            os.close(place)

    def close(self) -> None:
        """The rules stay with those who have taken them on."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def system_call(number: int, *args: int | bytes) -> int:
    """One system call. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    passed = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in args]
    result = libc.syscall(ctypes.c_long(number), *passed)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(result)


def version() -> int:
    """Which version of Landlock this kernel has; 0 for none."""
    if not sys.platform.startswith("linux"):
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_long(0)
    return max(0, libc.syscall(ctypes.c_long(CREATE_RULESET), zero, zero, ctypes.c_long(TELL_VERSION)))


def within(bases: Iterable[str], hidden: Iterable[str], listed: Iterable[str]) -> tuple[list[str], list[str]]:
    """What to allow, so that all in the bases can be read but for what is hidden: (readable, listed) paths.

    Landlock cannot refuse below what it allows, so a folder with something hidden in it is taken apart. Of such folders
    only those in `listed` can be listed.
    """
    dark = {os.path.realpath(path) for path in hidden}
    names = {os.path.realpath(path) for path in listed}
    readable: list[str] = []
    shown: list[str] = []

    def take(path: str) -> None:
        if any(_inside(path, one) for one in dark):
            return
        if not any(_inside(one, path) for one in dark):
            readable.append(path)
            return
        if path in names:
            shown.append(path)
        with contextlib.suppress(OSError), os.scandir(path) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if not entry.is_symlink():  # what it leads to is allowed where it stands, or not at all
                    take(entry.path)

    for base in bases:
        if os.path.lexists(base):
            take(os.path.realpath(base))
    return readable, shown


def _inside(path: str, base: str) -> bool:
    return path == base or path.startswith(base.rstrip("/") + "/")


# -- In the pupil's process -------------------------------------------------------------------------------------------

#: System calls that reach around Landlock, on x86-64 and on arm64. Refused: queues, semaphores and memory that belong
#: to no process (shmat, shmctl, msgsnd, msgrcv, msgctl, semop, semctl, semtimedop); inotify and fanotify, which tell
#: names in folders that cannot be listed; files by handle; extended attributes; another's memory and pages; and the
#: priority of a group. Pretended to be done: chmod, chown and utime in all their forms, which honest copies of files
#: call. Own: refused for another process than the caller's (its processors, its scheduling).
REFUSED = {
    "x86_64": (
        *(30, 31, 69, 70, 71, 65, 66, 220, 253, 294, 254, 300, 303, 304),
        *(188, 189, 190, 197, 198, 199, 463, 466, 469, 256, 279, 440, 448, 251),
    ),
    "aarch64": (
        *(196, 195, 189, 188, 187, 193, 191, 192, 26, 27, 262, 264, 265),
        *(5, 6, 7, 14, 15, 16, 463, 466, 469, 238, 239, 440, 448, 30),
    ),
}
PRETENDED = {
    "x86_64": (90, 91, 268, 452, 92, 93, 94, 260, 132, 235, 261, 280),
    "aarch64": (52, 53, 452, 54, 55, 88),
}
OWN = {"x86_64": (203, 144, 142, 314), "aarch64": (122, 119, 118, 274)}
#: socket, setpriority, fcntl, ioctl, truncate, open, openat, openat2, kill, tgkill
ONE = {
    "x86_64": (41, 141, 72, 16, 76, 2, 257, 437, 62, 234),
    "aarch64": (198, 140, 25, 29, 45, None, 56, 437, 129, 131),
}
#: tkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal
SIGNALS = {"x86_64": (200, 129, 297, 424), "aarch64": (130, 138, 240, 424)}

#: F_SETOWN, F_SETSIG, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP: they have the kernel send a signal to whom one likes.
SIGNALLING_FCNTL, SIGNALLING_IOCTL = (8, 10, 15), (0x8901, 0x8902)

LOAD, EQUAL, AND, END = 0x20, 0x15, 0x54, 0x06
ALLOW, DONE, NOT_PERMITTED, NO_SUCH_CALL, NO_SUCH_ADDRESS = (
    0x7FFF0000,
    0x00050000,
    0x00050000 | errno.EPERM,
    0x00050000 | errno.ENOSYS,
    0x00050000 | errno.EAFNOSUPPORT,
)


def known_machine() -> bool:
    """Whether the numbers of this processor's system calls are known."""
    return sys.platform.startswith("linux") and os.uname().machine in REFUSED


def _program(version: int, pid: int) -> list[tuple[int, int, int, int]]:
    """The filter. What Landlock does not refuse at its version is refused here."""
    machine = os.uname().machine
    new_socket, priority, fcntl, ioctl, truncate, open_, openat, openat2, kill, tgkill = ONE[machine]
    program = [(LOAD, 0, 0, 0)]

    def rule(call: int | None, *body: tuple[int, int, int, int]) -> None:
        if call is not None:
            program.extend([(EQUAL, 0, len(body), call), *body])

    def argument(number: int) -> tuple[int, int, int, int]:
        return LOAD, 0, 0, 16 + 8 * number

    allow, refuse = (END, 0, 0, ALLOW), (END, 0, 0, NOT_PERMITTED)
    for call in REFUSED[machine]:
        rule(call, refuse)
    for call in PRETENDED[machine]:
        rule(call, (END, 0, 0, DONE))
    for call in OWN[machine]:
        rule(call, argument(0), (EQUAL, 0, 1, 0), allow, refuse)
    rule(new_socket, (END, 0, 0, NO_SUCH_ADDRESS))
    rule(priority, argument(0), (EQUAL, 0, 3, 0), argument(1), (EQUAL, 0, 1, 0), allow, refuse)
    for call, commands in ((fcntl, SIGNALLING_FCNTL), (ioctl, SIGNALLING_IOCTL)):
        left = len(commands)
        jumps = [(EQUAL, left - i, 0, command) for i, command in enumerate(commands)]
        rule(call, argument(1), *jumps, allow, refuse)
    if version < 3:  # truncation: by its own call, and by opening for reading
        rule(truncate, refuse)
        rule(openat2, (END, 0, 0, NO_SUCH_CALL))
        for opening, flags in ((open_, 1), (openat, 2)):
            mask = os.O_TRUNC | os.O_ACCMODE
            bad = (os.O_TRUNC | os.O_RDONLY, os.O_TRUNC | os.O_ACCMODE)
            rule(
                opening,
                argument(flags),
                (AND, 0, 0, mask),
                (EQUAL, 2, 0, bad[0]),
                (EQUAL, 1, 0, bad[1]),
                allow,
                refuse,
            )
    if version < SCOPES_SINCE:
        for call in SIGNALS[machine]:
            rule(call, refuse)
        rule(kill, argument(0), (EQUAL, 1, 0, 0), (EQUAL, 0, 1, pid), allow, refuse)
        rule(tgkill, argument(0), (EQUAL, 0, 1, pid), allow, refuse)
    return [*program, allow]


def forbid(version: int, pid: int) -> None:
    """Install the filter. Raises OSError where the kernel takes none."""
    program = _program(version, pid)
    code = b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, head, 0, 0):  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def close_in(handle: int, version: int) -> None:
    """Take the rules on, for this process and all that it starts. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    system_call(RESTRICT_SELF, handle, 0)
    os.close(handle)
    forbid(version, os.getpid())


def become(user: int) -> None:
    """Leave root: a user of its own, which may still read what root's folders hold, as far as Landlock allows it."""
    libc = ctypes.CDLL(None, use_errno=True)
    read_all = 2  # CAP_DAC_READ_SEARCH
    for capability in range(64):
        if capability != read_all:
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    libc.prctl(8, 1, 0, 0, 0)  # PR_SET_KEEPCAPS
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    rights = (ctypes.c_uint32 * 6)(1 << read_all, 1 << read_all, 0, 0, 0, 0)
    if libc.capset(head, rights):  # it was not root's to give: then what is readable for all has to do
        rights = (ctypes.c_uint32 * 6)()
        libc.capset(head, rights)


def keep_watch() -> None:
    """Fork. The first process stays outside, and ends all that the second leaves behind; this returns in the second.

    Those whose parent has gone become children of the first, so that nothing that a student's code starts can get
    away from it. It ends them when the second process has ended, when it is told to (SIGTERM), and when the referee has
    gone (its end of the pipe is closed).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    libc.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    told = {signal.SIGTERM, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, told)
    child = os.fork()
    if not child:
        libc.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
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
