"""An interrupt from the keyboard that is heard wherever it comes."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds until an interrupt that was lost comes again.
AGAIN = 0.02


@contextmanager
def heard() -> Iterator[None]:
    """Send an interrupt again that Python has dropped.

    In a finaliser or the callback of a weak reference (the import system has one for each module) an exception ends
    nothing: Python prints it and goes on, and who pressed Ctrl-C would wait.
    """
    usual = sys.unraisablehook
    inside = False

    def again(dropped: Any) -> None:
        nonlocal inside
        if not issubclass(dropped.exc_type, KeyboardInterrupt):
            usual(dropped)
            return
        inside = True
        # Not `threading.Thread`: its `start` waits until the thread runs, and on a busy machine what it sends would
        # come first, into this hook, where it is lost as well.
        _thread.start_new_thread(send_again, ())
        inside = False  # Python looks for signals at calls and loops, and there is none from here to the end

    def send_again() -> None:
        time.sleep(AGAIN)
        while inside:
            time.sleep(AGAIN)
        _send()

    sys.unraisablehook = again
    try:
        yield
    finally:
        sys.unraisablehook = usual


def _send() -> None:
    """To the main thread itself: it may be asleep."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
