"""Switches as decorators of all kinds of functions, and under interrupts that come at any moment."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from autograd_ref import Tensor, detect_anomaly, enable_grad, is_grad_enabled, no_grad
from autograd_ref.core.modes import state

X = Tensor(2.0, requires_grad=True)
INTERRUPTS = 2000
SWITCHES = [no_grad, enable_grad, detect_anomaly]


def recorded() -> bool:
    """Whether an operation is recorded here."""
    return (X * 3).requires_grad


# -- decorators ----------------------------------------------------------------------------------------------


def test_a_decorator_needs_no_brackets() -> None:
    @no_grad
    def off() -> tuple[bool, bool]:
        """Says it."""

        @enable_grad
        def on() -> bool:
            return recorded()

        return recorded(), on()

    assert off() == (False, True)
    assert (off.__name__, off.__doc__) == ("off", "Says it.")
    assert recorded()


@pytest.mark.parametrize("decorator", [no_grad, no_grad()])
def test_a_generator_never_records_and_its_caller_always_does(decorator) -> None:
    seen = []

    @decorator
    def numbers(n):
        try:
            for i in range(n):
                seen.append(recorded())
                try:
                    got = yield i
                except KeyError:
                    got = "error"
                seen.append((got, recorded()))
        finally:
            seen.append(recorded())
        return "end"

    generator = numbers(3)
    assert next(generator) == 0 and recorded()
    assert generator.send("a") == 1 and recorded()
    assert generator.throw(KeyError()) == 2 and recorded()
    with pytest.raises(StopIteration) as end:
        next(generator)
    assert end.value.value == "end" and recorded()
    assert seen == [False, ("a", False), False, ("error", False), False, (None, False), False]

    seen.clear()
    stopped = numbers(3)
    next(stopped)
    stopped.close()
    assert seen == [False, False] and recorded()
    assert list(numbers(2)) == [0, 1]


@pytest.mark.parametrize("decorator", [no_grad, no_grad()])
def test_a_coroutine_never_records_and_others_that_run_meanwhile_do(decorator) -> None:
    @decorator
    async def off(n):
        seen = [recorded()]
        for _ in range(n):
            await asyncio.sleep(0)
            seen.append(recorded())
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.sleep(10), 0.001)
        return [*seen, recorded()]

    @decorator
    async def several(n):
        for _ in range(n):
            await asyncio.sleep(0)
            yield recorded()

    async def on(n):
        seen = []
        for _ in range(n):
            await asyncio.sleep(0)
            seen.append(recorded())
        return seen

    async def collect():
        return [(inside, recorded()) async for inside in several(3)]

    async def all_of_them():
        return await asyncio.gather(off(5), on(5), collect(), off(5))

    first, second, third, fourth = asyncio.run(all_of_them())
    assert first == fourth == [False] * 7
    assert second == [True] * 5
    assert third == [(False, True)] * 3
    assert not state.switches


def test_a_class_is_not_decorated() -> None:
    with pytest.raises(TypeError, match="no_grad decorates functions, and Model is a class"):

        @no_grad
        class Model: ...


def test_one_switch_may_be_entered_again_also_within_another() -> None:
    off, on = no_grad(), enable_grad()
    for _ in range(3):
        with off:
            with off:
                assert not recorded()
            assert not recorded()
            with on, off:
                assert not recorded()
            with on:
                with off:
                    assert not recorded()
                assert recorded()
            assert not recorded()
        assert recorded()
        assert len(state.switches) <= 4  # blocks that are over leave one for each depth at most
    with contextlib.ExitStack() as stack:
        stack.enter_context(off)
        assert not recorded()
    del off, on
    assert recorded()
    assert not state.switches


# -- interrupts ----------------------------------------------------------------------------------------------


def work(switch) -> None:
    """A few switches, nested and in functions, as a training loop has them."""

    @switch
    def decorated() -> None:
        with switch():
            X * 3

    @switch()
    def generator() -> Iterator[bool]:
        yield recorded()
        yield recorded()

    with switch(), switch():
        decorated()
    list(generator())


def left_on() -> bool:
    """Whether a switch was left on in this thread."""
    return not is_grad_enabled() or state.anomaly


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a system with timers that send signals")
@pytest.mark.parametrize("switch", SWITCHES)
def test_ctrl_c_at_any_moment_leaves_no_switch_on(switch) -> None:
    left = interrupted = fired = 0

    def interrupt(*_: object) -> None:
        nonlocal fired
        fired += 1
        raise KeyboardInterrupt

    work(switch)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        while interrupted < INTERRUPTS:
            known = fired
            try:
                # It comes again after a second: Python may miss a signal that another thread of the process gets.
                signal.setitimer(signal.ITIMER_REAL, 20e-6 + 1e-7 * (fired % 997), 1.0)
                while fired == known:  # and drops an error that comes while it deletes an object
                    work(switch)
            except KeyboardInterrupt:
                signal.setitimer(signal.ITIMER_REAL, 0)
                interrupted += 1
                left += left_on()
                if left_on():  # start the next one from nothing
                    state.switches.clear()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert left == 0, f"{left} of {interrupted} interrupts left {switch.__name__} on"


@pytest.mark.parametrize("switch", SWITCHES)
def test_an_error_thrown_into_a_thread_at_any_moment_leaves_no_switch_on(switch) -> None:
    result: list[tuple[int, int]] = []

    class Stop(BaseException): ...

    ready = threading.Event()
    work(switch)

    def run() -> None:
        left = interrupted = 0
        while interrupted < INTERRUPTS // 10:
            try:
                ready.set()
                while True:
                    work(switch)
            except Stop:
                interrupted += 1
                left += left_on()
        result.append((left, interrupted))

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        if ready.wait(0.1):
            ready.clear()
            time.sleep(2e-5)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stop))
    assert result
    left, interrupted = result[0]
    assert left == 0, f"{left} of {interrupted} errors left {switch.__name__} on"
    assert not state.switches
