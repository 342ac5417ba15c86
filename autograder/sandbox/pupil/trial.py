"""Walls are tried at every start: a wall that refuses nothing is none."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable

from .system_calls import FORBIDDEN_CALLS


def see_the_walls(allowed: str, refused: list[str], second: bool = False) -> None:
    """Try what has to work and what has to fail; a wall that does not refuse is none. Raises SystemExit."""
    with contextlib.suppress(OSError), open(allowed, "rb") as file:
        allowed = "" if file.read(1) else allowed
    if allowed:
        raise SystemExit(
            f"The wall does not allow {os.path.basename(allowed)}, so it is not the wall that was meant."
        )
    for path in refused:
        with contextlib.suppress(OSError):
            open(path, "rb").close()
            raise SystemExit(f"The wall does not refuse {os.path.basename(path)}: it is no wall.")
    attempts: list[tuple[str, Callable[[], object]]] = []
    if os.uname().machine in FORBIDDEN_CALLS:
        attempts.append(("a file in memory", lambda: os.memfd_create("x")))
    if second:
        attempts += [
            ("a socket", lambda: socket.socket(socket.AF_UNIX)),
            ("a signal to its parent", lambda: os.kill(os.getppid(), 0)),
            ("the list of processes", lambda: os.listdir("/proc")),
        ]
    for name, attempt in attempts:
        with contextlib.suppress(OSError):
            attempt()
            raise SystemExit(f"The wall does not refuse {name}: it is no wall.")
