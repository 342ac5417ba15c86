# ruff: noqa: E501  (an attack stays on its line)
"""Disk, memory, open files, processors: what a submission takes is limited, and not its neighbour's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox

from .lab import (
    HONEST,
    INSIDE,
    dedent,
    earned,
    said,
)


def test_files_fill_only_small_private_folders(attack: Callable[..., Report], walls: Sandbox) -> None:
    fill = """
        import os
        total = 0
        for folder in ("/tmp", "/dev/shm", os.path.expanduser("~")):
            for i in range(100):
                try:
                    with open(f"{folder}/{i}", "wb") as f:
                        while True: total += f.write(b"x" * (1 << 20))
                except OSError as problem: pass
        for folder in ("/", "/usr", "/etc", "/pupil", "/dev", "/home", "/pupil/library/autograder", "/root"):
            try: open(folder + "/new", "w").close(); print("wrote to", folder)
            except OSError: pass
        print("MiB", total >> 20)
    """
    report = attack(dedent(fill))
    assert earned(report) == HONEST
    if report.wall == "landlock":  # no folder of a size of its own: who fills the disk is ended
        (note,) = report.notes
        assert "was killed" in note
        return
    text = said(report)
    assert "wrote to" not in text
    assert int(text.split("MiB")[1]) <= 3 * walls.file_mb


MEMORY = {
    "files that exist in memory only": """
        import os
        kept = []
        for i in range(64):
            kept.append(os.memfd_create("x"))
            os.write(kept[-1], b"x" * (16 << 20))
        print("TOOK", len(kept) * 16)
    """,
    "a namespace of its own": """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(0x10000000 | 0x20000) == 0:
            print("TOOK a user namespace")
        pid = libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)
        if pid == 0: os._exit(0)
        if pid > 0: print("TOOK a clone")
        raise OSError("no")
    """,
}


@pytest.mark.parametrize("name", MEMORY)
def test_memory_cannot_be_taken_around_the_limits(name: str, attack: Callable[..., Report]) -> None:
    report = attack(dedent(MEMORY[name]))
    assert earned(report) == HONEST
    assert "TOOK" not in report.outputs["added-1"].text


TAKEN = {
    "open files": (
        """
        held = []
        try:
            while True: held.append(open("/dev/null"))
        except OSError as problem: print("HELD", len(held), problem.strerror)
        """,
        128,
    ),
    "open files of many processes": (
        """
        children = 0
        for _ in range(40):
            try: child = os.fork()
            except OSError: break
            if not child:
                held = []
                try:
                    while True: held += socket.socketpair()
                except OSError: time.sleep(9)
            children += 1
        time.sleep(0.5); print("HELD", children)
        """,
        32,
    ),
    "the referee's open files": (
        """
        line = socket.socket(fileno=os.dup(inside["answers"].fileno()))
        sent = 0
        try:
            for _ in range(2000):
                body = b'{"id": "no"}'
                line.sendmsg([len(body).to_bytes(8, "big") + body], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 100))])
                sent += 1
        except OSError as problem: pass
        print("HELD 0")
        """,
        1,
    ),
    "processors": (
        """
        children = 0
        try:
            while True:
                if not os.fork():
                    while True: pass
                children += 1
        except OSError: time.sleep(0.7); print("HELD", children)
        """,
        32,
    ),
    "memory": (
        """
        for _ in range(6):
            if not os.fork():
                held = bytearray(100 << 20); time.sleep(9)
        time.sleep(0.7); print("HELD 6")
        """,
        7,
    ),
    "memory that belongs to no process": (
        """
        import ctypes
        libc = ctypes.CDLL(None)
        print("HELD", sum(libc.shmget(0, 1 << 20, 0o1600) >= 0 or libc.msgget(0, 0o1600) >= 0 for _ in range(100)))
        """,
        1,
    ),
    "small files": (
        """
        held = 0
        for folder in ("/tmp", "/dev/shm", os.path.expanduser("~")):
            try:
                for i in range(50_000):
                    os.symlink("x", f"{folder}/{i}"); held += 1
            except OSError: pass
        print("HELD", held)
        """,
        3 * 4096,
    ),
    "threads": (
        """
        held = 0
        try:
            while True: threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); held += 1
        except RuntimeError: print("HELD", held)
        """,
        32,
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_a_submission_takes_is_limited_and_not_taken_from_its_neighbour(
    name: str, beside: Callable[..., Report]
) -> None:
    code, limit = TAKEN[name]
    seconds = 1.0 if name == "processors" else 10.0
    report = beside(f"{INSIDE}\nimport array, socket\n{dedent(code)}", seconds=seconds)
    assert earned(report) == HONEST
    if report.notes and name == "processors":  # it may have left nothing for itself
        assert "did not end within 1 s" in report.notes[0]
    else:
        assert int(said(report).split()[1]) < limit
        assert report.notes == []


def test_a_descriptor_that_is_written_to_is_the_sender_s_own(beside: Callable[..., Report]) -> None:
    code = """
import os, stat
kinds = []
for fd in range(1024):
    try: about = os.fstat(fd)
    except OSError: continue
    kinds.append((stat.S_IFMT(about.st_mode), about.st_ino))
print(len(set(kinds)), sorted(stat.filemode(kind)[0] for kind, _ in set(kinds)))
"""
    write = "import os\nfor fd in range(1024):\n    try: os.write(fd, b'\\xff' * 99)\n    except OSError: pass\nimport time; time.sleep(9)"
    report = beside(code, write)
    assert said(report) == "2 ['c', 's']\n"  # /dev/null, and its own side of the conversation
    assert earned(report) == HONEST
    (note,) = report.notes
    assert "broke off the conversation" in note
