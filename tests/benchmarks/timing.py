"""How a workload is measured: the same gradients first, then interleaved repetitions in one process."""

import gc
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

Gradients = Mapping[str, np.ndarray]


@dataclass
class Program:
    """One implementation of a workload, ready to run.

    `step` does what a training loop repeats: forward, backward, update (if the workload has one).
    `gradients` does forward and backward only and returns the loss and every gradient by PyTorch's names and
    in PyTorch's layout; it is called once, before the first step.
    """

    step: Callable[[], object]
    gradients: Callable[[], Gradients]


Builder = Callable[[np.dtype], Program]


@dataclass
class Workload:
    """A row of the table: a name, what it is, and its implementations by column name."""

    name: str
    about: str
    builders: dict[str, Builder] = field(default_factory=dict)
    tolerance: dict[str, float] = field(default_factory=lambda: {"float64": 1e-9, "float32": 2e-3})
    rounds: int = 15


class Disagreement(AssertionError):
    """An implementation's gradients differ from the floor's: its time would mean nothing."""


def compare(name: str, got: Gradients, floor: Gradients, tolerance: float) -> None:
    """Raise Disagreement if a gradient is further from the floor's than `tolerance` of the largest entry."""
    if got.keys() != floor.keys():
        raise Disagreement(f"{name}: gradients of {sorted(got)}, but the floor has {sorted(floor)}.")
    for key, want in floor.items():
        have = np.asarray(got[key])
        if have.shape != want.shape or have.dtype != want.dtype:
            raise Disagreement(
                f"{name}: {key} is {have.shape} {have.dtype}, the floor's is {want.shape} {want.dtype}."
            )
        scale = max(float(np.abs(want).max()), 1e-6)
        difference = float(np.abs(have - want).max()) / scale
        if not difference <= tolerance:
            raise Disagreement(
                f"{name}: {key} differs from the floor's by {difference:.1e} (at most {tolerance:.0e})."
            )


def interleave(
    steps: Mapping[str, Callable[[], object]], rounds: int, slice_seconds: float
) -> dict[str, np.ndarray]:
    """Seconds per step, one row of `rounds` measurements for each name.

    A round runs every implementation for about `slice_seconds`, one after the other, so that a slow minute of the
    machine slows all of them. Each starts a round with a step that is not counted (cold caches). It is the processor's
    time, of the one thread that computes: what else runs on the machine counts less.
    """
    repeats: dict[str, int] = {}
    for name, step in steps.items():
        step()
        start = time.thread_time()
        step()
        once = time.thread_time() - start
        repeats[name] = max(1, round(slice_seconds / max(once, 1e-7)))
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    gc.collect()
    gc.freeze()  # Otherwise a collection in one program's turn walks through what the others imported.
    try:
        for _ in range(rounds):
            for name, step in steps.items():
                step()
                start = time.thread_time()
                for _ in range(repeats[name]):
                    step()
                seconds[name].append((time.thread_time() - start) / repeats[name])
    finally:
        gc.unfreeze()
    return {name: np.array(values) for name, values in seconds.items()}


def peak_bytes(build: Builder, dtype: np.dtype, steps: int = 2) -> int:
    """The most memory that building and running a program holds at once, with parameters and optimizer."""
    gc.collect()
    tracemalloc.start()
    try:
        program = build(dtype)
        for _ in range(steps):
            program.step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.collect()
