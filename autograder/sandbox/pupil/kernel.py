"""System calls that Python does not have, and filters of system calls (seccomp)."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import Any

#: One instruction of a filter: (code, jump if true, jump if false, operand).
Instruction = tuple[int, int, int, int]

#: Codes: load a word of the call, compare with it, cut it, end.
LOAD, EQUAL, AT_LEAST, HAS_BIT, AND, END = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06

#: How a filter ends: the call is made, pretended to be done, refused, or the last that the process does.
ALLOW, DONE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NOT_PERMITTED, NO_SUCH_CALL, NO_SUCH_ADDRESS = (
    DONE | errno.EPERM,
    DONE | errno.ENOSYS,
    DONE | errno.EAFNOSUPPORT,
)


def libc() -> Any:
    """The C library, with the numbers of its errors."""
    return ctypes.CDLL(None, use_errno=True)


def error(place: str | None = None) -> OSError:
    """The error of the C library's last call."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), place)


def system_call(number: int, *args: int | bytes) -> int:
    """One system call. Raises OSError."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in args]
    result = libc().syscall(ctypes.c_long(number), *passed)
    if result < 0:
        raise error()
    return int(result)


def no_new_privileges() -> None:
    """For this process and all that it starts, for good: the kernel asks for it before a filter and before Landlock."""
    libc().prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS


def argument(number: int) -> Instruction:
    """Load an argument of the call: the lower half, which is all of it on these machines."""
    return LOAD, 0, 0, 16 + 8 * number


def install(program: list[Instruction]) -> None:
    """Filter all system calls from here on (seccomp(2)). Raises OSError where the kernel takes no filter."""
    code = b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(buffer)))
    no_new_privileges()
    if libc().prctl(22, 2, head, 0, 0):  # PR_SET_SECCOMP
        raise error()
