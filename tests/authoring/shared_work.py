"""What processes do in `test_parallel`: apart from it, since each of them would import all that the tests import."""

from __future__ import annotations

import os
import signal
import time


def doubled(shared: str, item: int) -> tuple[str, int, int]:
    time.sleep(0.02)
    return shared, 2 * item, os.getpid()


def environment(shared: str, item: int) -> str | None:
    return os.environ.get(shared)


def fragile(shared: str, item: int) -> int:
    if item == 3:
        raise ValueError(f"{shared} {item}")
    return item


def ended(shared: str, item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item
