"""The second wall, as the pupil takes it on: Landlock's rules, and a filter of what Landlock leaves open.

The rules come from the referee's process (`second_wall.py`), as an open file.
"""

from __future__ import annotations

import ctypes
import os

from .kernel import (
    ALLOW,
    AND,
    DONE,
    END,
    EQUAL,
    LOAD,
    NO_SUCH_ADDRESS,
    NO_SUCH_CALL,
    NOT_PERMITTED,
    Instruction,
    argument,
    install,
    libc,
    no_new_privileges,
    system_call,
)

RESTRICT_SELF = 446

#: From which version of Landlock on the kernel itself keeps signals inside.
SCOPES_SINCE = 6

#: System calls that reach around Landlock, on x86-64 and on arm64. Refused: queues, semaphores and memory that belong
#: to no process (shmat, shmctl, msgsnd, msgrcv, msgctl, semop, semctl, semtimedop); inotify and fanotify, which tell
#: names in folders that cannot be listed; files by handle; extended attributes; another's memory and pages; the
#: priority of a group; and a group of one's own (setpgid, setsid): all that a pupil starts stays in one, so that one
#: signal ends it. Pretended to be done: chmod, chown and utime in all their forms, which honest copies of files call.
#: Own: refused for another process than the caller's (its processors, its scheduling).
REFUSED = {
    "x86_64": (
        *(30, 31, 69, 70, 71, 65, 66, 220, 253, 294, 254, 300, 303, 304),
        *(188, 189, 190, 197, 198, 199, 463, 466, 469, 256, 279, 440, 448, 251, 109, 112),
    ),
    "aarch64": (
        *(196, 195, 189, 188, 187, 193, 191, 192, 26, 27, 262, 264, 265),
        *(5, 6, 7, 14, 15, 16, 463, 466, 469, 238, 239, 440, 448, 30, 154, 157),
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


def _program(version: int, pid: int) -> list[Instruction]:
    """The filter. What Landlock does not refuse at its version is refused here."""
    machine = os.uname().machine
    new_socket, priority, fcntl, ioctl, truncate, open_, openat, openat2, kill, tgkill = ONE[machine]
    program: list[Instruction] = [(LOAD, 0, 0, 0)]

    def rule(call: int | None, *body: Instruction) -> None:
        if call is not None:
            program.extend([(EQUAL, 0, len(body), call), *body])

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


def close_in(handle: int, version: int) -> None:
    """Take the rules on, with the filter, for this process and all that it starts. Raises OSError."""
    no_new_privileges()
    system_call(RESTRICT_SELF, handle, 0)
    os.close(handle)
    install(_program(version, os.getpid()))


def become(user: int) -> None:
    """Leave root: a user of its own, which may still read what root's folders hold, as far as Landlock allows it."""
    library = libc()
    read_all = 2  # CAP_DAC_READ_SEARCH
    for capability in range(64):
        if capability != read_all:
            library.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    library.prctl(8, 1, 0, 0, 0)  # PR_SET_KEEPCAPS
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    rights = (ctypes.c_uint32 * 6)(1 << read_all, 1 << read_all, 0, 0, 0, 0)
    if library.capset(head, rights):  # it was not root's to give: then what is readable for all has to do
        rights = (ctypes.c_uint32 * 6)()
        library.capset(head, rights)
