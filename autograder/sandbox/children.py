"""Processes of ours that work for another one: interrupts are the parent's to answer, and they end with it."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from types import FrameType

from .walls import ONE_THREAD


class Child:
    """A process that does `work` with its end of a line; ours is `line`. Raises OSError when it cannot be started.

    Its NumPy computes in one thread, unless the environment says otherwise: there are as many of these processes as
    cores, and products of matrices in as many threads each take many times as long.
    """

    def __init__(self, work: Callable[[Connection], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=_begin, args=(work, theirs))
        # An interrupt from the keyboard reaches every process of the command. It waits (the mask is inherited) until
        # this one has said that it is the parent's.
        if hasattr(signal, "pthread_sigmask"):
            resource_tracker.ensure_running()  # multiprocessing's own process, whose start would unblock it again
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with theirs, _defaults(ONE_THREAD):
                self.process.start()
        finally:
            if hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def end(self, at_once: bool) -> None:
        """Let it go: it ends its warm interpreter, and removes its files."""
        self.line.close()
        if at_once:
            self.process.terminate()
        self.process.join(5)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join(5)


@contextmanager
def _defaults(variables: dict[str, str]) -> Iterator[None]:
    """Environment variables for what is started meanwhile, where they are not set."""
    missing = variables.keys() - os.environ.keys()
    os.environ.update((name, variables[name]) for name in missing)
    try:
        yield
    finally:
        for name in missing:
            os.environ.pop(name, None)


def _begin(work: Callable[[Connection], None], line: Connection) -> None:
    signal.signal(signal.SIGINT, lambda number, frame: None)  # not SIG_IGN, which the pupils would inherit
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with line:
        try:
            work(line)
        except (EOFError, OSError):
            return
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is leaving, and has to put its things away


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _end_with_parent() -> None:
    """A child whose parent was killed would wait for work for ever, and its sandbox with it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(5)
        os._exit(1)
