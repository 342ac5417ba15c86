"""What holds for every run of pytest here.

Its options in pyproject.toml are those of pytest-xdist; without that the tests run one after the other.
"""

from __future__ import annotations

import gc
import importlib.util
import os

import pytest

# Each of the processes side by side would else take threads for all cores, which wait for each other. Before NumPy is
# imported, and for what the tests start, too; a grader does the same (sandbox/walls.py).
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    if importlib.util.find_spec("xdist") is None:
        group = parser.getgroup("xdist", "options of pytest-xdist, which is not installed: they do nothing")
        group._addoption("-n", "--numprocesses", default="0")
        group.addoption("--dist", default="no")
        group.addoption("--max-worker-restart", default="0")


def pytest_configure(config: pytest.Config) -> None:
    """pytest-xdist orders modules by their numbers of tests alone; tests/conftest.py has an order of its own."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def pytest_collection_finish() -> None:
    """What has been imported until now (PyTorch, 20,000 tests) stays: a look for garbage need not go through it."""
    gc.collect()
    gc.freeze()
