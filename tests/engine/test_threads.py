"""The engine in several threads: the grader judges several submissions at a time, each with its own tensors."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from autograd_ref import Tensor, detect_anomaly, enable_grad, is_grad_enabled, no_grad
from autograd_ref.core.modes import state


def test_a_switch_acts_in_its_own_thread() -> None:
    with no_grad(), ThreadPoolExecutor(1) as pool:
        assert not is_grad_enabled()
        assert pool.submit(is_grad_enabled).result()
        assert (Tensor(2.0, requires_grad=True) * 3).requires_grad is False


def test_a_decorated_function_leaves_every_thread_as_it_was() -> None:
    inside, leave = threading.Barrier(2), threading.Event()

    @no_grad()
    def wait(before: bool) -> bool:
        inside.wait(10)
        if before:  # the first to come in is the first to go
            leave.wait(10)
        return is_grad_enabled()

    def run(before: bool) -> tuple[bool, bool]:
        if before:
            return wait(True), is_grad_enabled()
        with no_grad():
            found = wait(False), is_grad_enabled()
        leave.set()
        return found

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(run, True), pool.submit(run, False)
    assert first.result() == (False, True)
    assert second.result() == (False, False)


def test_gradients_are_right_while_other_threads_run_backward() -> None:
    def work(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        for _ in range(100):
            a = rng.normal(size=(3, 2))
            x = Tensor(a, requires_grad=True)
            (x * x).sum().backward()
            if x.grad is None or not np.allclose(x.grad.numpy(), 2 * a):
                return False
        return True

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # change threads in the middle of things
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)


def test_switches_are_counted_in_all_threads_and_off_again_after_an_error() -> None:
    inside, seen = threading.Barrier(2, timeout=10), []

    def other() -> None:
        with no_grad(), enable_grad(), no_grad():
            inside.wait()  # this thread records nothing
            inside.wait()
            seen.append(is_grad_enabled())

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait()
    assert (len(state.switches), is_grad_enabled()) == (3, True)
    with detect_anomaly(), no_grad():
        assert (len(state.switches), is_grad_enabled(), state.anomaly) == (5, False, True)
    with pytest.raises(ZeroDivisionError), detect_anomaly(), no_grad():
        1 / 0  # noqa: B018
    assert (is_grad_enabled(), state.anomaly) == (True, False)
    inside.wait()
    thread.join(10)
    assert seen == [False]
    assert not state.switches
