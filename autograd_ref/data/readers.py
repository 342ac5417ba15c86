"""Files of data that others made: IDX, the format of MNIST, and CSV."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np

# The third byte of an IDX file names the type of its numbers, which are big-endian.
IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: str | Path) -> np.ndarray:
    """The array in an IDX file, gzipped or not, in this machine's byte order.

    The format: two zero bytes, a type, the number of axes, their lengths as big-endian 4-byte integers, the
    numbers (Y. LeCun, C. Cortes and C. Burges, *The MNIST database*). Raises FileNotFoundError, or ValueError
    for a file that is not IDX or is cut off.
    """
    raw = _contents(path)
    if len(raw) < 4 or raw[:2] != b"\0\0" or raw[2] not in IDX_TYPES:
        raise ValueError(
            f"'{path}' is not an IDX file: it starts with {raw[:4].hex(' ') or 'nothing'}, not with 00 00 "
            "and a known type; was it downloaded completely?"
        )
    dtype, ndim = np.dtype(IDX_TYPES[raw[2]]), raw[3]
    start = 4 + 4 * ndim
    if len(raw) < start:
        raise ValueError(f"'{path}' ends within its header: download it again.")
    shape = tuple(int(n) for n in np.frombuffer(raw, ">u4", ndim, 4))
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if len(raw) - start != size:
        raise ValueError(
            f"'{path}' announces shape {shape}, which takes {size} bytes, but holds {len(raw) - start}: "
            "download it again."
        )
    return np.frombuffer(raw, dtype, offset=start).reshape(shape).astype(dtype.newbyteorder("="))


def read_mnist(folder: str | Path, train: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """MNIST, or a set with its file names: images (n, 1, rows, columns), float32 in [0, 1], labels (n,),
    int64.

    Looks for `train-images-idx3-ubyte` and `train-labels-idx1-ubyte` (or `t10k-...`), with or without `.gz`.
    """
    part = "train" if train else "t10k"
    images = read_idx(_find(folder, f"{part}-images-idx3-ubyte"))
    labels = read_idx(_find(folder, f"{part}-labels-idx1-ubyte"))
    if images.ndim != 3 or labels.shape != images.shape[:1]:
        raise ValueError(
            f"'{folder}' has images of shape {images.shape} and labels of shape {labels.shape}, "
            "expected (n, rows, columns) and (n,): the files do not belong together."
        )
    return (images[:, None] / np.float32(255)).astype(np.float32, copy=False), labels.astype(np.int64)


def read_csv(
    path: str | Path, target: str | int = -1, header: bool = True
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """A table of numbers: `x` (rows, columns - 1), `y` (rows,), both float64, and the names of x's columns.

    `target` is the name or the position of the column that becomes `y`. Raises ValueError with line and
    column for a cell that is not a number and for a line of another length.
    """
    text = _contents(path).decode("utf-8-sig")
    lines = [(i, row) for i, row in enumerate(csv.reader(text.splitlines()), 1) if row]
    names = [name.strip() for name in lines.pop(0)[1]] if header and lines else []
    if not lines:
        raise ValueError(f"'{path}' has no rows of numbers.")
    width = len(names) if header else len(lines[0][1])
    names = names or [str(i) for i in range(width)]
    table = np.empty((len(lines), width))
    for n, (line, row) in enumerate(lines):
        if len(row) != width:
            raise ValueError(
                f"'{path}', line {line}: {len(row)} cells, expected {width} as in the first line."
            )
        for i, cell in enumerate(row):
            try:
                table[n, i] = float(cell)
            except ValueError:
                raise ValueError(
                    f"'{path}', line {line}, column '{names[i]}': '{cell}' is not a number; "
                    "encode or remove such cells first."
                ) from None
    if isinstance(target, str):
        if target not in names:
            raise ValueError(f"'{path}' has no column '{target}': its columns are {', '.join(names)}.")
        target = names.index(target)
    if not -width <= target < width:
        raise ValueError(f"target is column {target}, but '{path}' has {width} columns.")
    chosen = target % width
    return np.delete(table, chosen, 1), table[:, chosen], names[:chosen] + names[chosen + 1 :]


def _contents(path: str | Path) -> bytes:
    raw = Path(path).read_bytes()
    if raw[:2] == b"\x1f\x8b":
        try:
            return gzip.decompress(raw)
        except (EOFError, OSError):
            raise ValueError(
                f"'{path}' is a gzip file that is damaged or cut off: download it again."
            ) from None
    return raw


def _find(folder: str | Path, name: str) -> Path:
    for candidate in (Path(folder) / name, Path(folder) / f"{name}.gz"):
        if candidate.exists():
            return candidate
    raise FileNotFoundError(f"There is neither '{name}' nor '{name}.gz' in '{folder}'.")
