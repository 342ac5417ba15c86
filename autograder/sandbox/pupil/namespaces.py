"""Namespaces and folders of its own for each fork, inside those of bubblewrap."""

from __future__ import annotations

import os

from .kernel import error, libc

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PROCESSES, NEW_NETWORK = (
    0x20000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
NO_SUID, NO_DEVICES, NO_EXEC, RECURSIVE, PRIVATE, READ_ONLY = 2, 4, 8, 1 << 14, 1 << 18, 1

#: So many files and folders fit into each private folder of a fork.
FILES = 4096


def own_namespaces() -> None:
    """Leave the namespaces of the warm interpreter. Raises OSError where the kernel does not allow it."""
    root, user, group = os.geteuid() == 0, os.getuid(), os.getgid()
    flags = NEW_MOUNTS | NEW_IPC | NEW_PROCESSES | NEW_NETWORK | (0 if root else NEW_USER)
    if libc().unshare(flags):
        raise error()
    if not root:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def own_folders(size: int) -> None:
    """Private empty folders in the places of the shared ones. Raises OSError."""
    library = libc()

    def mount(kind: bytes | None, where: str, flags: int, options: bytes = b"") -> None:
        if library.mount(kind, where.encode(), kind, flags, options or None):
            raise error(where)

    mount(None, "/", RECURSIVE | PRIVATE)
    for folder, mode in (("/tmp", "1777"), ("/dev/shm", "1777"), ("/home/pupil", "0777")):
        # An empty file has no size, but takes a kilobyte of the kernel's memory.
        options = f"size={size},nr_inodes={FILES},mode={mode}"
        mount(b"tmpfs", folder, NO_SUID | NO_DEVICES, options.encode())
    # An empty one: it would tell what the host has mounted where, how bubblewrap was called, and of its hardware.
    mount(b"tmpfs", "/proc", NO_SUID | NO_DEVICES | NO_EXEC | READ_ONLY, b"size=4096,mode=0555")
    os.chdir("/home/pupil")
