"""What the attacks share: the answers they come with, the pupil's own side of its line, and who is still alive."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox

RIGHT = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"


WRONG = "def unbox(boxes):\n    return 0.125\n"


RIGHT_UNBOX = "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)\n"


HONEST = [(2, "passed"), (0, "failed")]


#: Seconds: what is not ended here goes on for 60 and more. A busy machine is slow, and this is not about its speed.
SOON = 45.0


#: Finds the pupil's own side of the conversation: what a student can reach in the frames below.
INSIDE = """
import sys, os, json, threading, time
def converse_frame():
    frame = sys._getframe()
    while frame.f_code.co_name != "converse" or "answers" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals
inside = converse_frame()
def send(body):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    inside["answers"].write(len(body).to_bytes(8, "big") + body)
"""


def alive(sandbox: Sandbox) -> list[int]:
    """The pupils that this test process has started, or what they have forked, and that still live.

    A warm interpreter stays, and so do its walls; what it forked is one process namespace deeper. What has lost its
    parents is nobody's child, and is known by the mark of its sandbox.
    """
    found = []
    own = depth(os.getpid())
    mark = f'"output_chars": {sandbox.output_chars},'
    ours = family(os.getpid())
    for process in psutil.process_iter():
        try:
            words = " ".join(process.cmdline())
            if "pupil/start.py" not in words or not (process.pid in ours or mark in words):
                continue
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            if '"control"' not in words or depth(process.pid) > own + 1:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def parents() -> dict[int, int]:
    """The parent of every process."""
    return {process.pid: process.info["ppid"] for process in psutil.process_iter(["ppid"])}


def family(first: int, parents: Callable[[], dict[int, int]] = parents) -> set[int]:
    """The numbers of all that a process has started, and these, and so on.

    A look at all processes takes time. Between a fork and its pupil is one that ends once the pupil runs: seen as the
    pupil's parent, and gone when its own parent is asked for, it would leave the pupil without a family. So a look in
    which a parent is missing is no look, and another is taken. (psutil's `children` takes the first.)
    """
    seen = parents()
    while any(parent and parent not in seen for parent in seen.values()):
        seen = parents()
    found: set[int] = set()
    while more := {pid for pid, parent in seen.items() if parent in found | {first}} - found:
        found |= more
    return found


def depth(pid: int) -> int:
    """How many process namespaces a process is in."""
    (line,) = (x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("NSpid:"))
    return len(line.split()) - 1


def soon(condition: Callable[[], bool], seconds: float = 3.0) -> bool:
    """True as soon as the condition holds; the kernel needs a moment to bury a namespace."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def content(root: Path) -> dict[str, str]:
    """Every file below a folder, with a hash of what is in it."""
    return {
        str(p): hashlib.sha256(p.read_bytes()).hexdigest() if p.is_file() else ""
        for p in root.rglob("*")
        if "__pycache__" not in p.parts
    }


def earned(report: Report) -> list[tuple[float, str]]:
    return [(o.points, o.status) for o in report.outcomes]


def said(report: Report) -> str:
    """What the added cell printed."""
    result = report.outputs["added-1"]
    assert result.error is None, result.error
    return result.text


def dedent(code: str) -> str:
    import textwrap

    return textwrap.dedent(code).strip()


#: Added to INSIDE, with a REPLY: answers for the probe of `unbox`, before it is called.
PRE_ANSWER = """
import autograder.lesson.wire as wire
read = wire.read_frame
def forge(stream):
    while True:
        request = read(stream)
        if request is None or request.get("name") != "sum_of_logs":
            return request
        send({"id": request["id"], **REPLY})
wire.read_frame = forge
"""
