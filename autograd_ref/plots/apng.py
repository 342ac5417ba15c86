"""Animated PNG: pictures one after the other in a single image, of few colours, storing of each what has changed.

Browsers play it wherever they show an image, with no script: https://www.w3.org/TR/png-3/#apng-frame-based-animation.
What does not know the animation shows the still picture, which is the file's own.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence

import numpy as np

_COLOURS = 96  # and one more, for what has not changed
_FULL, _OVER = 0, 1  # a frame replaces all that was there, or lies over it


def apng(still: np.ndarray, frames: Iterable[np.ndarray], milliseconds: Sequence[int]) -> bytes:
    """An animated PNG of pictures (height, width, 3) of bytes: `still`, then the frames again and again.

    `milliseconds` says how long each frame stays; frames that change nothing make the one before them stay longer.
    The same pictures give the same bytes, with the same version of zlib.

    >>> grey = np.full((2, 3, 3), 200, dtype=np.uint8)
    >>> apng(grey, [grey, grey // 2], [100, 500]).count(b"fcTL")
    2
    """
    changes, times = _changes(frames, milliseconds)
    default = _packed(still)
    palette = _palette([default, *(values for _, _, values in changes)])
    height, width = default.shape
    chunks = [
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        _chunk(b"acTL", struct.pack(">II", len(changes), 0)),
        # The palette's last entry is the one that is seen through.
        _chunk(b"PLTE", np.vstack([palette, [[0, 0, 0]]]).astype(np.uint8).tobytes()),
        _chunk(b"tRNS", b"\xff" * len(palette) + b"\x00"),
    ]
    chunks.append(_chunk(b"IDAT", _pixels(_nearest(default.ravel(), palette).reshape(default.shape))))
    number = 0
    for k, ((top, left), mask, values) in enumerate(changes):
        indices = np.full(mask.shape, len(palette), dtype=np.uint8)
        indices[mask] = _nearest(values, palette)
        about = (mask.shape[1], mask.shape[0], left, top, times[k], 1000, 0, _OVER if k else _FULL)
        chunks.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, *about)))
        chunks.append(_chunk(b"fdAT", struct.pack(">I", number + 1) + _pixels(indices)))
        number += 2
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + _chunk(b"IEND", b"")


Change = tuple[tuple[int, int], np.ndarray, np.ndarray]


def _changes(frames: Iterable[np.ndarray], milliseconds: Sequence[int]) -> tuple[list[Change], list[int]]:
    """Of each frame the corner and the mask of the rectangle that has changed, and the colours there; the times."""
    changes: list[Change] = []
    times: list[int] = []
    before: np.ndarray | None = None
    for frame, time in zip(frames, milliseconds, strict=True):
        now = _packed(frame)
        mask = np.ones(now.shape, dtype=bool) if before is None else now != before
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        before = now
        if not len(rows):
            times[-1] += time
            continue
        mask = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        part = now[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        changes.append(((int(rows[0]), int(columns[0])), mask, part[mask]))
        times.append(time)
    return changes, times


def _packed(picture: np.ndarray) -> np.ndarray:
    """Colours as one number each."""
    red, green, blue = np.moveaxis(picture[..., :3].astype(np.uint32), -1, 0)
    return red << 16 | green << 8 | blue


def _unpacked(colours: np.ndarray) -> np.ndarray:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=-1).astype(float)


def _palette(pictures: Sequence[np.ndarray]) -> np.ndarray:
    """Colours (n, 3) for all the pictures, which hold packed ones.

    The shades of a smooth edge are many and rare, and a thin line's colour is rare, too: each colour counts by the
    root of how often it occurs.
    """
    from PIL import Image  # matplotlib depends on it

    found, counts = np.unique(np.concatenate([p.ravel() for p in pictures]), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:20_000]
    found, counts = found[order], counts[order]
    if len(found) <= _COLOURS:
        return _unpacked(found)
    kept = found[: _COLOURS // 2]  # the plain surfaces, exactly
    rest = np.repeat(found[len(kept) :], np.ceil(np.sqrt(counts[len(kept) :])).astype(int))
    sample = Image.fromarray(_unpacked(rest)[None].astype(np.uint8), "RGB")
    chosen = sample.quantize(_COLOURS - len(kept), method=Image.Quantize.MEDIANCUT)
    used = 1 + int(np.asarray(chosen).max())
    mixed = np.array(chosen.getpalette())[: 3 * used].reshape(-1, 3)
    return np.concatenate([_unpacked(kept), mixed])


def _nearest(colours: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """The palette's index for each packed colour."""
    found, where = np.unique(colours, return_inverse=True)
    # |c - p|^2 without |c|^2, which is the same for all p
    distances = (palette**2).sum(axis=1) - 2 * _unpacked(found) @ palette.T
    return distances.argmin(axis=1).astype(np.uint8)[where]


def _pixels(indices: np.ndarray) -> bytes:
    """Rows of palette indices, each after a byte that says how it is stored: 0 as it is, 2 less the row above."""
    above = np.vstack([np.zeros_like(indices[:1]), indices[:-1]])
    ways = ((0, indices), (2, indices - above))
    rows = [np.pad(way, ((0, 0), (1, 0)), constant_values=kind) for kind, way in ways]
    return min((zlib.compress(row.tobytes(), 9) for row in rows), key=len)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
