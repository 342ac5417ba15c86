"""A warm interpreter behind the walls, with IPython and NumPy loaded, that forks a pupil for each submission.

It never runs a student's code itself. A fork gets namespaces of its own (processes, mounts, network, and for an
ordinary user the user too), empty private folders, limits, and a user id that nobody else has; see
`pupil/forks.py`. So nothing passes from one submission to the next, and starting a pupil takes some milliseconds.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import select
import socket
import subprocess
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from . import bubblewrap
from .line import Line
from .walls import BUBBLEWRAP, Sandbox, SandboxError, allowed_modules

#: The longest message to a fork server, in bytes: it reads one at a time.
LONGEST = 65_536
#: So many fork servers are kept at a time; a class needs one.
KEPT = 3


class ForkServer:
    """One warm interpreter. Raises SandboxError when it does not start here."""

    def __init__(self, sandbox: Sandbox, allowed: tuple[str, ...]) -> None:
        self.lock = threading.Lock()
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.log = b""
        launch = sandbox.command(allowed, control=theirs.fileno())
        started = threading.Event()
        problem: list[OSError] = []

        def keep() -> None:
            # In a thread that lives as long as the process: the kernel ends what dies with its parent when the
            # thread ends that started it.
            try:
                self.process = subprocess.Popen(
                    launch.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    env=launch.environment,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            except OSError as error:
                problem.append(error)
                return
            finally:
                started.set()
            assert self.process.stderr
            with self.process.stderr as stream:
                while part := stream.read1(65536):  # type: ignore[attr-defined]
                    self.log = (self.log + part)[-4000:]
            self.process.wait()

        self.keeper = threading.Thread(target=keep, daemon=True, name="fork server")
        self.keeper.start()
        started.wait()
        theirs.close()
        if problem:
            self.control.close()
            raise SandboxError(f"The warm interpreter does not start ({problem[0]}).")
        self.control.settimeout(sandbox.start_seconds)
        try:
            ready = self.control.recv(4096)
        except OSError:
            ready = b""
        if ready != b"ready":
            self.close()
            said = self.log.decode("utf-8", "replace").strip().splitlines()
            raise SandboxError(
                f"The warm interpreter does not start: {said[-1] if said else 'no reason given'}."
            )

    def compile_ahead(self, cells: Sequence[str | None], probes: Sequence[tuple[str, str]]) -> None:
        """Have its next forks find these compiled (`pupil/forks.py`). Where it cannot be told, they compile them."""
        message = json.dumps({"cells": cells, "probes": probes}).encode()
        if len(message) <= LONGEST:
            with contextlib.suppress(OSError), self.lock:
                self.control.send(message)

    def fork(self, config: dict[str, Any]) -> Line:
        """A new pupil. Raises OSError when the interpreter has gone."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        status, their_status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with self.lock:
                socket.send_fds(
                    self.control, [json.dumps(config).encode()], [theirs.fileno(), their_status.fileno()]
                )
        except OSError:
            ours.close()
            status.close()
            raise
        finally:
            theirs.close()
            their_status.close()
        return Line(ours, status, self)

    def ended(self, seconds: float) -> bool:
        """Whether the interpreter has ended, or does within this time: then its end of the line is closed."""
        with self.lock:
            closed = select.poll()
            try:
                closed.register(self.control, 0)  # hanging up is always told
            except (OSError, ValueError):
                return True
        return bool(closed.poll(seconds * 1000))

    def close(self) -> None:
        """End the interpreter and all its pupils."""
        self.control.close()
        with contextlib.suppress(OSError):
            bubblewrap.end(self.process)
        self.keeper.join(5)


_servers: OrderedDict[tuple[Any, ...], ForkServer | None] = OrderedDict()
_lock = threading.Lock()


def prepare(
    sandbox: Sandbox,
    allowed: tuple[str, ...],
    cells: Sequence[str | None] = (),
    probes: Sequence[tuple[str, str]] = (),
) -> None:
    """Start the warm interpreter before the first pupil is wanted. Raises SandboxError when there is no sandbox.

    It compiles the cells of a notebook, None for each that is not known, and probes, by name and text. They may hold
    nothing that students do not have.
    """
    if _possible(sandbox) and (server := _server(sandbox, allowed_modules(allowed))) and (cells or probes):
        server.compile_ahead(cells, probes)


def _possible(sandbox: Sandbox) -> bool:
    able = hasattr(socket, "send_fds") and hasattr(os, "pidfd_open")
    return sandbox.warm and able and sandbox.wall() == BUBBLEWRAP


def warm_start(sandbox: Sandbox, allowed: tuple[str, ...]) -> Line | None:
    """A pupil forked from a warm interpreter; None where that cannot be had, and a cold start is the way."""
    if not _possible(sandbox):
        return None
    allowed = allowed_modules(allowed)
    config: dict[str, Any] = {"allowed": list(allowed), "limits": sandbox.limits()}
    if os.geteuid() == 0:
        config["user"] = random.SystemRandom().randrange(2_000_000, 2_000_000_000)
    for _ in range(2):  # a server that has ended is replaced, once
        server = _server(sandbox, allowed)
        if server is None:
            return None
        try:
            return server.fork(config)
        except OSError:
            with _lock:
                for key in [key for key, one in _servers.items() if one is server]:
                    del _servers[key]
            server.close()
    return None


def _server(sandbox: Sandbox, allowed: tuple[str, ...]) -> ForkServer | None:
    """The warm interpreter for such pupils, started if there is none yet."""
    key = (
        os.getpid(),
        allowed,
        sandbox.bwrap,
        *map(tuple, (sandbox.distributions, sandbox.hidden_paths, sandbox.preload)),
    )
    with _lock:
        if key not in _servers:
            try:
                _servers[key] = ForkServer(sandbox, allowed)
            except SandboxError:
                if sandbox.why_not():
                    raise
                _servers[key] = None  # no namespaces inside namespaces here
            while len(_servers) > KEPT:
                _, old = _servers.popitem(last=False)
                if old is not None:
                    old.control.close()  # it ends when its last pupil has gone
        _servers.move_to_end(key)
        return _servers[key]


@atexit.register
def close_all() -> None:
    """End all warm interpreters of this process."""
    with _lock:
        for key, server in list(_servers.items()):
            if server is not None and key[0] == os.getpid():
                server.close()
        _servers.clear()
