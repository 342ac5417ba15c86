"""A second wall, of what the Linux kernel gives any process, for where bubblewrap does not start.

Landlock closes the files: nothing is read but the interpreter and the libraries that the unit allows, nothing is
written but one private folder, nothing is executed. /proc is among what is closed, and with it the memory, the
descriptors, the folder and the environment of every process. A seccomp filter closes what Landlock leaves open:
sockets, signals to others, memory shared with others, changes of a file's mode, owner and times, and another
process's priority. What stays open: whether a path exists, how large it is and whose, to who guesses its name; the
name of the machine and of its kernel; and how much disk, memory and time it has. Disk space is watched
(`transport.py`), not walled.

The rules are made here, in the referee's process, and taken on in the pupil's (`pupil/landlock.py`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable

from .host import inside
from .pupil.kernel import system_call
from .pupil.landlock import REFUSED, SCOPES_SINCE

CREATE_RULESET, ADD_RULE = 444, 445  # the same numbers on every architecture
TELL_VERSION, PATH_BENEATH = 1, 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE, MAKE = 0b11 << 4, 0b1111111 << 6  # folders and files; devices, folders, files, sockets, pipes, links
REFER, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15

#: From which version of Landlock on each right is known; an older kernel refuses a rule that names it.
FILE_RIGHTS = ((1, (1 << 13) - 1), (2, REFER), (3, TRUNCATE), (5, DEVICE_CONTROL))
TCP_SINCE, BIND_AND_CONNECT = 4, 0b11
ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

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
        if any(inside(path, one) for one in dark):
            return
        if not any(inside(one, path) for one in dark):
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


def known_machine() -> bool:
    """Whether the numbers of this processor's system calls are known."""
    return sys.platform.startswith("linux") and os.uname().machine in REFUSED
