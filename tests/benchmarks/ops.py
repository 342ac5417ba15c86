"""`python -m tests.benchmarks ops`: each operation forward and backward, in times of PyTorch's."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .operations import Operation, table, tensor

SIZES = (4, 256)
#: At most, in times of PyTorch's: a single operation, and the median of all (None: no demand).
SINGLE = {4: 1.0, 256: 1.1}
MEDIAN = {4: 0.5, 256: None}


def programs(operation: Operation, n: int, dtype: np.dtype) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Forward and backward of one operation in each engine, on equal arrays."""
    import torch

    arrays = operation.arrays(n)
    xs = [tensor(a, dtype) for a in arrays]
    ps = [torch.tensor(x.data, requires_grad=x.requires_grad) for x in xs]
    ours, theirs = operation.ours, operation.theirs
    out, expected = ours(*xs), theirs(*ps)
    if not expected.requires_grad:
        return (lambda: ours(*xs)), (lambda: theirs(*ps))
    u = np.random.default_rng(1).standard_normal(out.shape).astype(out.dtype)
    given = () if not out.shape else (tensor(u, out.dtype).detach(),)
    torch_given = () if not out.shape else (torch.tensor(u),)

    def run_ours() -> Any:
        for x in xs:
            x.grad = None
        ours(*xs).backward(*given)

    def run_theirs() -> Any:
        for p in ps:
            p.grad = None
        theirs(*ps).backward(*torch_given)

    return run_ours, run_theirs


def ratio(
    pair: tuple[Callable[[], Any], Callable[[], Any]], rounds: int, slice_seconds: float
) -> tuple[float, float]:
    """Our time in seconds, and in times of PyTorch's: medians over interleaved rounds.

    It is the processor's time, of the one thread that computes: what else runs on the machine counts less.
    """
    repeats = []
    for run in pair:
        for _ in range(3):
            run()
        start = time.thread_time()
        for _ in range(3):
            run()
        repeats.append(max(1, round(slice_seconds / max((time.thread_time() - start) / 3, 1e-7))))
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for run, n, times in zip(pair, repeats, seconds, strict=True):
            start = time.thread_time()
            for _ in range(n):
                run()
            times.append((time.thread_time() - start) / n)
    mine, others = np.array(seconds)
    return float(np.median(mine)), float(np.median(mine / others))


def main(arguments: list[str] | None = None) -> int:
    """Print the table, slowest first; the exit code is 1 if an operation is slower than it may be."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks ops", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="OPERATION", help="which (default: all)")
    parser.add_argument("--dtypes", nargs="*", default=["float64", "float32"], choices=["float64", "float32"])
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=15, help="interleaved repetitions of each")
    options = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(1)
    operations = table()
    names = [
        n for n in operations if not options.names or n.split()[0] in options.names or n in options.names
    ]
    good = True
    for n in options.sizes:
        most, most_median = SINGLE.get(n), MEDIAN.get(n)
        for dtype in options.dtypes:
            found = {}
            for name in names:
                with np.errstate(all="ignore"):
                    pair = programs(operations[name], n, np.dtype(dtype))
                    found[name] = ratio(pair, options.rounds, 0.002 if n < 64 else 0.005)
            median = float(np.median([r for _, r in found.values()]))
            print(f"\n{n} by {n}, {dtype}: microseconds, and times PyTorch's (median {median:.2f})")
            for name, (seconds, times) in sorted(found.items(), key=lambda item: -item[1][1]):
                over = most is not None and times > most
                good &= not over
                print(f"  {name:36} {seconds * 1e6:9.1f} {times:7.2f}{'  over' if over else ''}")
            good &= most_median is None or median <= most_median
    return 0 if good else 1
