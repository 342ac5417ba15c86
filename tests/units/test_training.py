"""Unit 10 on data that the course does not bring along, and what its pupils may import."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.sandbox.walls import allowed_modules
from autograder.unit.assignment import Course
from autograder.unit.cell import FIGURE, kind

from ..conftest import REPOSITORY

UNIT = Course(REPOSITORY).assignment("10_training")


@pytest.fixture(scope="module")
def solved() -> dict[str, Any]:
    """The namespace of the set-up, the given cells and the answers, as a learner has them."""
    names: dict[str, Any] = {}
    for cell in UNIT.notebook.cells:
        if cell.cell_type == "code" and kind(cell) not in (None, "", FIGURE, "check"):
            exec(cell.source, names)
    return names


def write_idx(path: Path, array: np.ndarray) -> None:
    header = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    path.write_bytes(gzip.compress(header + array.astype(np.uint8).tobytes()))


def test_mnist_is_read_from_a_folder_and_learnt(solved: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for part, count in (("train", 400), ("t10k", 50)):
        labels = np.arange(count) % 10
        pictures = rng.integers(0, 60, (count, 28, 28))
        pictures[np.arange(count), 2 * labels, :] = 255  # a bright row says which digit it is
        write_idx(tmp_path / f"{part}-images-idx3-ubyte.gz", pictures)
        write_idx(tmp_path / f"{part}-labels-idx1-ubyte.gz", labels)
    assert solved["mnist_run"](tmp_path, epochs=10) > 0.9


def test_without_a_folder_nothing_is_trained(solved: dict[str, Any], tmp_path: Path) -> None:
    assert solved["mnist_run"](tmp_path / "mnist") is None


def test_a_pupil_cannot_import_the_loader_or_a_split() -> None:
    allowed = allowed_modules(tuple(UNIT.notebook.metadata.autograder["allow"]))
    assert "autograd_ref.data.loading" not in allowed
    assert "autograd_ref" not in allowed and "autograd_ref.data" not in allowed
