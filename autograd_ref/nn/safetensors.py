"""The safetensors format: arrays by name in a file that holds no code, as other libraries write and read it.

Eight bytes tell the length of a header, which is JSON: a dtype, a shape and the place of the numbers for each name; the
numbers follow. The format is that of https://github.com/huggingface/safetensors, whose package is not needed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autograd_ref.core.saved import plain

#: Dtypes by their names in the format; all numbers are little-endian.
_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip
_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
_LONGEST = 100_000_000


def save_file(
    tensors: Mapping[str, Any], path: str | Path, metadata: Mapping[str, str] | None = None
) -> None:
    """Write arrays or tensors, such as a `state_dict()`, by name.

    `metadata` is text by name. Raises TypeError for a dtype that the format does not have.
    """
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": dict(metadata)}
    parts, end = [], 0
    for name, value in tensors.items():
        array = np.asarray(plain(value))
        little = array.dtype.newbyteorder("<")
        if little not in _NAMES:
            raise TypeError(f"The safetensors format has no dtype {array.dtype}, which {name!r} has.")
        parts.append(np.ascontiguousarray(array, little).tobytes())
        start, end = end, end + len(parts[-1])
        header[name] = {"dtype": _NAMES[little], "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(b"".join([len(text).to_bytes(8, "little"), text, *parts]))


def load_file(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of a safetensors file by name; bfloat16, which NumPy does not have, becomes float32.

    Raises ValueError for a file that is not of this format, or whose header does not describe what follows.
    """
    return _read(Path(path).read_bytes())[0]


def load_metadata(path: str | Path) -> dict[str, str]:
    """The text that a safetensors file has beside its arrays. Raises as `load_file` does."""
    return _read(Path(path).read_bytes())[1]


def _read(content: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > min(_LONGEST, len(content) - 8):
        raise ValueError("This is no safetensors file: it is shorter than its header says.")
    try:
        header = json.loads(content[8 : 8 + length].decode())
        metadata = header.pop("__metadata__", {})
        entries = sorted(_entry(name, e) for name, e in header.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"This is no safetensors file: its header cannot be read ({error!r:.80}).") from None
    data, place, arrays = content[8 + length :], 0, {}
    for start, end, kind, shape, name in entries:
        dtype = np.dtype(_DTYPES.get(kind, "<u2"))
        if kind not in (*_DTYPES, "BF16") or min(shape, default=0) < 0:
            raise ValueError(
                f"The array {name!r} has dtype {kind} and shape {shape}, which cannot be read here."
            )
        if start != place or end - start != math.prod(shape) * dtype.itemsize or end > len(data):
            raise ValueError(f"The header of this safetensors file does not fit its content, at {name!r}.")
        array = np.frombuffer(data[start:end], dtype).reshape(shape)
        if kind == "BF16":  # the upper half of a float32
            array = (array.astype(np.uint32) << 16).view(np.float32)
        arrays[name], place = array.astype(array.dtype.newbyteorder("=")), end
    if place != len(data):
        raise ValueError("The header of this safetensors file does not fit its content: there is more.")
    return {name: arrays[name] for name in header}, metadata


def _entry(name: str, described: Any) -> tuple[int, int, str, tuple[int, ...], str]:
    """Where an array begins and ends, its dtype and shape, and its name."""
    start, end = described["data_offsets"]
    return int(start), int(end), str(described["dtype"]), tuple(map(int, described["shape"])), name
