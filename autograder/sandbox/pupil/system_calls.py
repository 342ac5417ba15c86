"""The filter of system calls that every pupil has, behind any wall.

See seccomp(2), and the kernel's Documentation/userspace-api/seccomp_filter.rst.
"""

from __future__ import annotations

import contextlib
import os
import sys

from .kernel import (
    ALLOW,
    AT_LEAST,
    END,
    EQUAL,
    HAS_BIT,
    KILL,
    LOAD,
    NO_SUCH_ADDRESS,
    NO_SUCH_CALL,
    NOT_PERMITTED,
    Instruction,
    argument,
    install,
)

#: System calls by which memory is taken that no limit counts, or new privileges are: numbers on x86-64 and on arm64.
#: memfd_create, memfd_secret, unshare, setns, mount, fsopen, keyctl, add_key, bpf, userfaultfd, io_uring_setup,
#: perf_event_open, shmget, msgget, semget, mq_open, request_key; those that tell of the host: syslog, statmount,
#: listmount; and those that reach into another process: ptrace, process_vm_readv, process_vm_writev, kcmp, pidfd_getfd.
#: `clone` is refused with the flag for a user namespace; `clone3` hides its flags, so it is "not implemented", and the
#: C library then takes `clone`. `socket` is refused for all but ADDRESSES: a virtual machine's own kind (vsock) knows
#: no network namespace, and leads to its host. `prlimit64` is refused for another process: the first of an ordinary
#: user's namespace is that user's too, and with no CPU time left it would end as if this machine were at fault.
#: `rt_sigaction` is refused for SIGCHLD: what ends while its parent ignores that is counted nowhere (`meter.py`).
FORBIDDEN_CALLS = {
    "x86_64": (
        0xC000003E,
        (56, 41, 302, 13),
        (319, 447, 272, 308, 165, 430, 250, 248, 321, 323, 425, 298, 29, 68, 64, 240, 249, 103, 457, 458),
        (101, 310, 311, 312, 438),
    ),
    "aarch64": (
        0xC00000B7,
        (220, 198, 261, 134),
        (279, 447, 97, 268, 40, 430, 219, 217, 280, 282, 425, 241, 194, 186, 190, 180, 218, 116, 457, 458),
        (117, 270, 271, 272, 438),
    ),
}

#: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: they end at the walls.
ADDRESSES = (1, 2, 10, 16)

#: The number of the signal SIGCHLD, and the flag CLONE_NEWUSER.
CHILD_ENDED, NEW_USER = 17, 0x10000000


def forbid_system_calls() -> None:
    """Install the filter, where there is one for this machine."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    if sys.platform.startswith("linux") and machine in FORBIDDEN_CALLS:
        with contextlib.suppress(OSError):  # a kernel without filters leaves the other walls
            install(_program(machine))


def _program(machine: str) -> list[Instruction]:
    architecture, (clone, new_socket, limit, action), *groups = FORBIDDEN_CALLS[machine]
    allow, refuse = (END, 0, 0, ALLOW), (END, 0, 0, NOT_PERMITTED)
    program = [
        (LOAD, 0, 0, 4),  # the architecture
        (EQUAL, 1, 0, architecture),
        (END, 0, 0, KILL),
        (LOAD, 0, 0, 0),  # the number of the call
        (AT_LEAST, 0, 1, 0x40000000),  # the numbers of x86's other interface
        refuse,
        (EQUAL, 0, 1, 435),  # clone3
        (END, 0, 0, NO_SUCH_CALL),
    ]
    for call in (call for calls in groups for call in calls):
        program += [(EQUAL, 0, 1, call), refuse]
    program += [(EQUAL, 0, len(ADDRESSES) + 3, new_socket), argument(0)]
    program += [(EQUAL, len(ADDRESSES) - i, 0, address) for i, address in enumerate(ADDRESSES)]
    program += [(END, 0, 0, NO_SUCH_ADDRESS), allow]
    # The caller's own limits; another signal's action; another flag.
    program += [(EQUAL, 0, 4, limit), argument(0), (EQUAL, 1, 0, 0), refuse, allow]
    program += [(EQUAL, 0, 4, action), argument(0), (EQUAL, 0, 1, CHILD_ENDED), refuse, allow]
    program += [(EQUAL, 0, 3, clone), argument(0), (HAS_BIT, 0, 1, NEW_USER), refuse]
    return [*program, allow]
