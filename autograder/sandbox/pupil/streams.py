"""The pupil's standard streams: the referee keeps its line, the student's code reads and writes elsewhere."""

from __future__ import annotations

import os
from typing import BinaryIO


def say_nothing() -> None:
    """Point the standard streams at nothing."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the referee's two pipes for ourselves; what the student's code reads and writes goes elsewhere."""
    requests, answers = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb", buffering=0)
