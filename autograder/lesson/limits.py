"""Around a call in a learner's own notebook: the time that it may take, and quiet where nobody has asked for it."""

from __future__ import annotations

import io
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from .answers import AnswerTimeout


class TimeUp(BaseException):
    """Raised in the middle of a call whose time is up. No `except Exception` of a student's holds it."""


@contextmanager
def deadline(seconds: float, what: str) -> Iterator[None]:
    """End a block after this time with an AnswerTimeout, where there are timers (not on Windows, not in threads)."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except TimeUp:
        raise AnswerTimeout(f"{what} did not end within {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def quietly() -> Iterator[None]:
    """Shows nothing of what a learner's code prints and warns of in a call that nobody asked for."""
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
