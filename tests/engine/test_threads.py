"""The engine in several threads: the grader judges several submissions at a time, each with its own tensors."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from autograd_ref import Tensor, is_grad_enabled, no_grad


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
