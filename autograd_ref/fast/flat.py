"""The optimizers' memory: the parameters side by side in one array, updated in place a block at a time.

A network has many small parameters, and a NumPy call costs about the same whatever its size. So the first `step` moves
all parameters into one flat array (each `data` becomes a view of it), and an update is a dozen calls for all of them.
Large networks are updated in blocks that stay in the processor's cache.

Nobody may notice. A parameter whose array somebody else holds (weights tied by `.data`, a `detach()`, a `numpy()`, any
view) stays where it is, and is updated there, alone and in its turn: what others hold goes on following it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from sys import getrefcount
from typing import Any

import numpy as np

from autograd_ref.core.errors import parameter_error
from autograd_ref.core.saved import newest, tick
from autograd_ref.core.tensor import Tensor

from .place import Place

BLOCK = 32768  # elements


class FlatMemory:
    """`optim.memory.Memory` with all parameters of one dtype in one array."""

    def __init__(self, parameters: list[Tensor], state_names: tuple[str, ...]) -> None:
        self.parameters = parameters
        dtypes = dict.fromkeys(p.dtype for p in parameters)
        places = [[i for i, p in enumerate(parameters) if p.dtype == d] for d in dtypes]
        self.flats = [Flat(parameters, indices, state_names) for indices in places]
        by_parameter = {i: views for flat in self.flats for i, views in flat.states.items()}
        self.states = [by_parameter[i] for i in range(len(parameters))]

    def step(self, update: Callable[..., None], steps: list[int], where: str) -> None:
        """Update every parameter that has a gradient, and count its step."""
        newest[0] = now = tick()
        mark = (now, where)
        flats, last = self.flats, steps[0]
        if len(flats) == 1 and steps.count(last) == len(steps) and flats[0].all_at_once(mark):
            for p, g, state, s in flats[0].all_blocks:
                update(p, g, state, s, last + 1)
            steps[:] = [last + 1] * len(steps)
            return
        for flat in flats:
            for run, blocks in flat.runs(steps):
                t = steps[run[0]] + 1
                for p, g, state, s in blocks:
                    update(p, g, state, s, t)
                for i in run:
                    steps[i] = t
                    self.parameters[i]._stamp[0] = mark

    def forget_gradients(self) -> None:
        """Take the gradients away; a parameter that lives here has a place for the next one."""
        for flat in self.flats:
            for p, view, place in flat.places:
                p._grad = place if p._data is view else None


class _Memory(np.ndarray):
    """The type of a flat array. NumPy keeps `array.base` within one type: what is a view of a parameter's array then
    refers to that, and not to the flat array behind it, so that `_owners` counts it."""


def _owners(p: Tensor) -> int:
    return getrefcount(p._data)


_ALONE = _owners(Tensor(np.zeros(1)))
"""What `_owners` says where nobody but the tensor holds its array."""


class Flat:
    """Parameters of one dtype side by side in one array, with their gradients and their state."""

    def __init__(self, parameters: list[Tensor], indices: list[int], state_names: tuple[str, ...]) -> None:
        ends = np.cumsum([0] + [parameters[i].size for i in indices]).tolist()
        self.starts = dict(zip(indices, ends[:-1], strict=True))
        self.ends = dict(zip(indices, ends[1:], strict=True))
        dtype = parameters[indices[0]].dtype
        self.values, self.gradients = aligned(ends[-1], dtype), aligned(ends[-1], dtype)
        self.state = [aligned(ends[-1], dtype) for _ in state_names]
        self.scratch = aligned(min(BLOCK, ends[-1]), dtype)
        self.shapes = {i: parameters[i].shape for i in indices}
        self.states = {i: [self._part(a, i) for a in self.state] for i in indices}
        memory = self.values.view(_Memory)
        self.members = [
            (parameters[i], self._part(memory, i).view(np.ndarray), self._part(self.gradients, i))
            for i in indices
        ]
        self.places: list[list[Any]] = [[p, view, None] for p, view, _ in self.members]
        self.all_blocks = self.blocks(0, ends[-1])

    def _part(self, flat: np.ndarray, i: int) -> np.ndarray:
        return flat[self.starts[i] : self.ends[i]].reshape(self.shapes[i])

    def blocks(self, start: int, end: int) -> list[Any]:
        """What `update` takes, `(parameters, gradients, state, scratch)`, for these numbers, a block at a time."""
        cuts = [slice(a, min(a + BLOCK, end)) for a in range(start, end, BLOCK)]
        return [
            (self.values[c], self.gradients[c], [a[c] for a in self.state], self.scratch[: c.stop - c.start])
            for c in cuts
        ]

    def all_at_once(self, mark: tuple[int, str]) -> bool:
        """Gather the gradients and stamp the parameters, if all have a gradient and are where they were put."""
        for p, view, slot in self.members:
            g: Any = p._grad
            if p._data is not view:
                return False
            if g is not slot:
                g = p.grad
                if g is None:
                    return False
                slot[...] = g._data
                entry = next(entry for entry in self.places if entry[0] is p)
                entry[2] = Place(slot)  # From now on backward puts it there.
            p._stamp[0] = mark
        return True

    def runs(self, steps: list[int]) -> Iterator[tuple[list[int], list[Any]]]:
        """Neighbours with gradients and at the same step, to be updated together: their numbers, and blocks.

        A parameter that cannot be moved is a run by itself: it is copied here, and back when it has been updated.
        """
        runs: list[list[int]] = []
        apart: dict[int, tuple[Tensor, np.ndarray]] = {}
        previous = None
        for i, (p, view, slot) in zip(self.starts, self.members, strict=True):
            g: Any = p._grad if p._grad is slot else p.grad
            if g is None:
                previous = None
                continue
            moved = p._data is view or self._move(i, p, view)
            if g is not slot:
                slot[...] = g._data if isinstance(g, Tensor) else g
            if not moved:
                apart[i] = p, view
            if not moved or steps[i] != previous:
                runs.append([])
            previous = steps[i] if moved else None
            runs[-1].append(i)
        for run in runs:
            blocks = self.blocks(self.starts[run[0]], self.ends[run[-1]])
            if run[0] not in apart:
                yield run, blocks
                continue
            p, view = apart[run[0]]
            view[...] = p._data
            yield run, blocks
            p._data[...] = view

    def _move(self, i: int, p: Tensor, view: np.ndarray) -> bool:
        """Let the flat array be the memory of parameter i, if nobody can tell."""
        data = p._data
        if data.shape != view.shape or data.dtype != view.dtype:
            raise parameter_error(i, data, view)
        free = data.base is None or type(data.base) is _Memory
        writeable = data.flags.writeable
        del data
        if writeable and not (free and _owners(p) <= _ALONE):
            return False
        view[...] = p._data
        p._data = view
        return True


def aligned(size: int, dtype: np.dtype) -> np.ndarray:
    """Zeros that begin at a whole cache line of 64 bytes; NumPy's own arrays mostly do not."""
    room = np.zeros(size * dtype.itemsize + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + size * dtype.itemsize].view(dtype)
