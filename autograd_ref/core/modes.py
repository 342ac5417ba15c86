"""Switches that change how operations are recorded: `no_grad`, `enable_grad`, `detect_anomaly`.

As in PyTorch each thread has its own switches: a backward pass turns recording off for a while, and the grader judges
several submissions at a time.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from _thread import RLock
from collections.abc import Callable, Generator
from typing import Any, ClassVar


class _State:
    """What the engine asks at every operation. While no switch is on in any thread, `switches` is empty."""

    def __init__(self) -> None:
        self.switches: list[_Entry] = []
        self.mine = _Mine(self.switches)

    @property
    def recording(self) -> bool:
        """Whether this thread records operations."""
        return not self.switches or self.mine.recording

    @property
    def anomaly(self) -> bool:
        """Whether this thread looks for NaN and infinity."""
        return bool(self.switches) and self.mine.anomaly


class _Mine:
    """The flags of the thread that asks: what the last switch that it turned on, and not off again, says."""

    def __init__(self, switches: list[_Entry]) -> None:
        self._switches = switches

    @property
    def recording(self) -> bool:
        for entry in reversed(self._switches):
            if entry.flag == "recording" and entry.is_mine():
                return entry.value
        return True

    @property
    def anomaly(self) -> bool:
        for entry in reversed(self._switches):
            if entry.flag == "anomaly" and entry.is_mine():
                return entry.value
        return False


class _Entry(weakref.ref[Any]):
    """One `with` block: its switch, and how many times that was on when the block had begun."""

    __slots__ = ("depth", "flag", "value")
    __eq__, __hash__ = object.__eq__, object.__hash__  # the blocks of one switch are not equal

    flag: str
    value: bool
    depth: int

    def is_mine(self) -> bool:
        """Whether this thread is in the block."""
        switch = self()
        return switch is not None and switch.depth() >= self.depth


state = _State()


_Lock: Any = RLock  # Type checkers have it for final, which it is not.
_depth: Any = getattr(_Lock, "_recursion_count", _Lock._is_owned)  # Python 3.11.0 lacks the first.


class _Switch(_Lock):
    """A flag that has another value inside a `with` block, or in a decorated function.

    The switch is a lock, held by its thread while it is on. Ctrl-C raises between two steps of Python, so also at the
    first step of an `__exit__` that is written in Python, which then restores nothing. To release a lock is one step.
    A switch that is gone takes its entry with it.
    """

    flag: ClassVar[str]
    value: ClassVar[bool]

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """A switch, or with a function (`@no_grad` without brackets) that function decorated."""
        switch = super().__new__(cls)
        return switch if function is None else switch(function)

    def depth(self) -> int:
        """How many blocks of this switch this thread is in."""
        return int(_depth(self))

    def __enter__(self) -> None:
        before, switches = self.depth(), state.switches
        for old in [entry for entry in switches if entry.depth > before and entry() is self]:
            switches.remove(old)  # what an earlier block of this switch has left
        entry = _Entry(self, switches.remove)
        entry.flag, entry.value, entry.depth = self.flag, self.value, before + 1
        try:
            switches.append(entry)
            self.acquire()  # from here on it is on
        except BaseException:
            if self.depth() > before:
                self.release()
            raise

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with the switch on while its own code runs; of a generator or coroutine, at every step."""
        if isinstance(function, type):
            raise TypeError(f"{type(self).__name__} decorates functions, and {function.__name__} is a class.")
        switch = type(self)  # every call has one of its own: calls may nest, and run in several threads
        wrapped: Any
        if inspect.isasyncgenfunction(function):

            async def wrapped(*args: Any, **kwargs: Any) -> Any:
                inner = function(*args, **kwargs)
                step, sent = inner.asend, None
                while True:
                    try:
                        out = await _Steps(switch, step(sent).__await__())
                    except StopAsyncIteration:
                        return
                    try:
                        sent, step = (yield out), inner.asend
                    except GeneratorExit:
                        await _Steps(switch, inner.aclose().__await__())
                        raise
                    except BaseException as error:
                        sent, step = error, inner.athrow

        elif inspect.iscoroutinefunction(function):

            async def wrapped(*args: Any, **kwargs: Any) -> Any:
                return await _Steps(switch, function(*args, **kwargs))

        elif inspect.isgeneratorfunction(function):

            def wrapped(*args: Any, **kwargs: Any) -> Any:
                return (yield from _Steps(switch, function(*args, **kwargs)))

        else:

            def wrapped(*args: Any, **kwargs: Any) -> Any:
                with switch():
                    return function(*args, **kwargs)

        return functools.wraps(function)(wrapped)


class _Steps:
    """A generator or coroutine with the switch on during each of its steps, and not between them."""

    def __init__(self, switch: type[_Switch], inner: Any) -> None:
        self.switch, self.inner = switch, inner

    def __iter__(self) -> Generator[Any, Any, Any]:
        switch, inner = self.switch, self.inner
        step, sent = inner.send, None
        while True:
            try:
                with switch():
                    out = step(sent)
            except StopIteration as end:
                return end.value
            try:
                sent, step = (yield out), inner.send
            except GeneratorExit:
                with switch():
                    inner.close()
                raise
            except BaseException as error:
                sent, step = error, inner.throw

    __await__ = __iter__


class no_grad(_Switch):
    """Operations inside are computed but not recorded, so they carry no gradient.

    >>> from autograd_ref import Tensor, no_grad
    >>> w = Tensor([1.0, 2.0], requires_grad=True)
    >>> with no_grad():
    ...     y = w * 3
    >>> y.requires_grad
    False
    """

    flag, value = "recording", False


class enable_grad(_Switch):
    """Operations inside are recorded, even within a `no_grad` block.

    >>> from autograd_ref import Tensor, enable_grad, no_grad
    >>> w = Tensor(2.0, requires_grad=True)
    >>> with no_grad(), enable_grad():
    ...     y = w * 3
    >>> y.requires_grad
    True
    """

    flag, value = "recording", True


class detect_anomaly(_Switch):
    """Stop at the first NaN or infinity, forward or backward, and say which operation made it and where.

    Forward, every result is checked. Backward, every gradient is checked, and the message names the line that
    called the operation. The checks cost time: switch them on to search, off to train.

    >>> import numpy as np
    >>> from autograd_ref import Tensor, detect_anomaly, ops
    >>> with detect_anomaly(), np.errstate(invalid="ignore"):
    ...     ops.log(Tensor([1.0, -1.0], requires_grad=True))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    FloatingPointError: 'log' produced NaN in its result ...
    """

    flag, value = "anomaly", True


def is_grad_enabled() -> bool:
    """True where operations are being recorded."""
    return state.recording
