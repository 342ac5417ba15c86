"""`python -m tests.benchmarks.course [UNIT ...]`: what a solved notebook costs, in a fresh kernel on one core.

    unit             seconds    cpu  limit   MB  limit
    03_reverse_mode      3.5    2.0     20  111    400

The seconds hold the start of the kernel; `cpu` is the processor's time in the kernel alone, which other work on the
machine lengthens less. The memory is the most that the kernel ever had (its resident set). Exit code 1 when a limit is
passed.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import psutil
from nbclient import NotebookClient

from autograder.unit.assignment import Course

SECONDS, MEGABYTES = 20, 400


def measure(path: Path) -> tuple[float, float, float]:
    """Seconds, seconds of the processor, and peak megabytes of a notebook. Raises CellExecutionError."""
    client = NotebookClient(
        nbformat.read(path, as_version=4),
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": path.parent}},
        extra_arguments=["--log-level=ERROR"],
    )
    start = time.perf_counter()
    with client.setup_kernel():
        for index, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, index)
        seconds = time.perf_counter() - start
        provisioner: Any = client.km.provisioner if client.km else None
        times = psutil.Process(provisioner.pid).cpu_times()
        return seconds, times.user + times.system, _peak(provisioner.pid)


def _peak(pid: int) -> float:
    status = Path(f"/proc/{pid}/status")
    if status.is_file():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    memory = psutil.Process(pid).memory_info()  # Windows knows the peak, macOS only what is there at the end
    return getattr(memory, "peak_wset", memory.rss) / 2**20


def main() -> int:
    course = Course.find()
    units = sys.argv[1:] or course.units()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # the kernels inherit it
    width = max(map(len, units))
    print(f"{'unit':<{width}}  seconds    cpu  limit   MB  limit")
    good = True
    for unit in units:
        seconds, cpu, megabytes = measure(course.assignment(unit).path)
        within = seconds <= SECONDS and megabytes <= MEGABYTES
        good = good and within
        told = "" if within else "  too much"
        numbers = f"{seconds:7.1f}  {cpu:5.1f}  {SECONDS:5}  {megabytes:3.0f}  {MEGABYTES:5}"
        print(f"{unit:<{width}}  {numbers}{told}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
