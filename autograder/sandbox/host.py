"""What the machine has: the interpreter's own files, and how its kernel counts processes."""

from __future__ import annotations

import atexit
import os
import platform
import re
import shutil
import site
import sys
import sysconfig
import tempfile
from collections.abc import Iterator

import psutil

#: The pupils' folders that are there.
_homes: set[str] = set()


def new_home() -> str:
    """A folder for one pupil. It is removed with its process, and at the latest when this process ends."""
    folder = tempfile.mkdtemp(prefix="pupil-")
    _homes.add(folder)
    return folder


def remove_home(folder: str) -> None:
    """Remove the folder of a pupil whose process has ended."""
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        _homes.discard(folder)


if hasattr(os, "register_at_fork"):  # a fork that ends leaves its parent's pupils alone
    os.register_at_fork(after_in_child=_homes.clear)


@atexit.register
def _remove_homes() -> None:
    """A signal may end this process between a folder and the process that it is for."""
    for folder in list(_homes):
        remove_home(folder)


def counts_by_namespace() -> bool:
    """True where the kernel counts processes for each user namespace (Linux 5.14), not for each user alone."""
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return found is not None and (int(found[1]), int(found[2])) >= (5, 14)


def own_threads() -> int:
    """How many processes and threads this user has: a limit on processes counts them all."""
    count = 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        uids = process.info["uids"]
        if uids is not None and uids.real == os.getuid():
            count += process.info["num_threads"] or 1
    return count


def inside(path: str, base: str) -> bool:
    """Whether a path is a folder, or somewhere in it."""
    return path == base or path.startswith(base.rstrip("/") + "/")


def system_paths(python: str) -> Iterator[str]:
    """What an interpreter needs of the system: its own tree and the shared libraries."""
    for path in ("/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32", "/etc/ld.so.cache"):
        if os.path.lexists(path):
            yield path
    prefixes = dict.fromkeys(os.path.realpath(p) for p in (sys.base_prefix, sys.base_exec_prefix))
    for prefix in prefixes:
        if prefix in ("/usr", "/usr/local"):
            if prefix == "/usr/local":
                yield "/usr/local/lib"
        else:
            yield prefix
    if not any(inside(python, prefix) and prefix not in ("/usr", "/usr/local") for prefix in prefixes):
        yield python


def site_packages() -> list[str]:
    """The folders of installed distributions."""
    paths = [*site.getsitepackages([sys.base_prefix, sys.base_exec_prefix]), "/usr/lib/python3/dist-packages"]
    return sorted({os.path.realpath(path) for path in paths})


def importable() -> list[str]:
    """Where a process without walls finds all that is installed."""
    paths = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    return [*paths, *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
