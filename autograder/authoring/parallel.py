"""Shares the many runs of a proof among processes.

The referee's side of a run is Python, of which a process does one thing at a time. Where that side is the larger one
threads wait for each other: on two cores the proof of `11_testing_gradients` takes a third less time so, and that of
units whose time goes into pupils as long as before. What all runs of one step need is sent to each of them once.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from ..errors import UserError
from ..sandbox.children import Child

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Found = TypeVar("Found")

#: A process takes a second to start; so few runs are done in this one.
FEW = 4
#: The processes that wait for the next step, and whether there may be one.
_idle: list[Child] = []
_keeping: list[bool] = []


def each(
    work: Callable[[Shared, Item], Found], shared: Shared, items: Sequence[Item], jobs: int | None
) -> Iterator[tuple[int, Found]]:
    """The number of each item, and what `work(shared, item)` found, as they come to their end.

    `jobs` of them run at a time, by default as many as there are cores; one at a time runs in this process. `work` is a
    function of a module. Raises what `work` raises, and UserError when a process is lost.
    """
    count = jobs or os.cpu_count() or 1
    if count < 2 or len(items) < FEW:
        for i, item in enumerate(items):
            yield i, work(shared, item)
        return
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for i in range(len(items)):
        todo.put(i)
    ready: queue.SimpleQueue[tuple[int, Any, BaseException | None]] = queue.SimpleQueue()
    busy = [_idle.pop() if _idle else Child(_serve) for _ in range(count)]
    done = False
    try:
        for child in busy:
            threading.Thread(
                target=_attend, args=(child, (work, shared), items, todo, ready), daemon=True
            ).start()
        for _ in items:
            i, found, error = ready.get()
            if i < 0 and isinstance(error, (EOFError, OSError)):
                raise UserError(
                    "A process was ended from outside, perhaps for want of memory, so nothing is proved: run the "
                    "command again, with fewer --jobs."
                )
            if error is not None:
                raise error
            yield i, found
        done = True
    finally:
        if done and _keeping:
            _idle.extend(busy)
        elif done:
            for child in busy:
                child.end(at_once=False)
        else:
            for child in busy:
                child.process.terminate()
            for child in busy:
                child.end(at_once=True)


def _attend(
    child: Child,
    step: tuple[Any, Any],
    items: Sequence[Any],
    todo: queue.SimpleQueue[int],
    ready: queue.SimpleQueue[tuple[int, Any, BaseException | None]],
) -> None:
    """Give one process an item after the other."""
    try:
        child.line.send(step)
        while True:
            i = todo.get_nowait()
            child.line.send((items[i],))
            ready.put((i, *child.line.recv()))
    except queue.Empty:
        return
    except Exception as error:  # lost, or something that cannot be sent
        ready.put((-1, None, error))


def _serve(line: Connection) -> None:
    """What a process does: a pair is a step, and one thing alone is an item of the last step."""
    work: Any
    shared: Any
    while True:
        told = line.recv()
        if len(told) == 2:
            work, shared = told
            continue
        answer: tuple[Any, Exception | None]
        try:
            answer = (work(shared, *told), None)
        except Exception as error:
            answer = (None, error)
        line.send(answer)


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Around several steps, whose processes then are the same ones."""
    _keeping.append(True)
    try:
        yield
    finally:
        _keeping.pop()
        while _idle and not _keeping:
            _idle.pop().end(at_once=False)
