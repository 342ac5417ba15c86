"""Sockets: none leads out of the sandbox."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from autograder.referee.report import Report

from .lab import (
    dedent,
    said,
    soon,
)


@pytest.fixture
def listening() -> Iterator[tuple[int, str, list[socket.socket]]]:
    """A TCP server and one at an abstract Unix address, with the list of those who came."""
    came: list[socket.socket] = []
    tcp = socket.create_server(("127.0.0.1", 0))
    name = f"autograder-test-{os.getpid()}"
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(f"\0{name}")
    unix.listen()

    def serve(server: socket.socket) -> None:
        while True:
            try:
                came.append(server.accept()[0])
            except OSError:
                return

    threads = [threading.Thread(target=serve, args=(server,)) for server in (tcp, unix)]
    for thread in threads:
        thread.start()
    yield tcp.getsockname()[1], name, came
    for server in (tcp, unix):
        server.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept
    for thread in threads:
        thread.join()
    for used in (tcp, unix, *came):
        used.close()


def test_no_socket_leads_out_of_the_sandbox(
    attack: Callable[..., Report], listening: tuple[int, str, list[socket.socket]]
) -> None:
    port, name, came = listening
    code = f"""
        import socket
        def attempt(what, action):
            try: print("OUT", what, action())
            except OSError: print("closed", what)
        attempt("tcp", lambda: socket.create_connection(("127.0.0.1", {port}), 1))
        attempt("tcp6", lambda: socket.create_connection(("::1", {port}), 1))
        attempt("far", lambda: socket.create_connection(("1.1.1.1", 53), 1))
        attempt("udp", lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53)))
        attempt("dns", lambda: socket.getaddrinfo("example.org", 80))
        attempt("unix", lambda: socket.socket(socket.AF_UNIX).connect("\\0{name}"))
        try: print([i for _, i in socket.if_nameindex() if i != "lo"])
        except OSError: print([])
    """
    lines = said(attack(dedent(code))).splitlines()
    assert lines == [*(f"closed {w}" for w in ("tcp", "tcp6", "far", "udp", "dns", "unix")), "[]"]
    assert came == []
    with socket.create_connection(("127.0.0.1", port)), socket.socket(socket.AF_UNIX) as own:
        own.connect(f"\0{name}")
    assert soon(lambda: len(came) == 2), "the servers do not listen, so the test shows nothing"
