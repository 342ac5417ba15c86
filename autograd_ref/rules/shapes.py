"""Rules of the primitives that move elements and compute nothing. All are linear."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref.core.broadcasting import unbroadcast
from autograd_ref.core.primitive import Primitive
from autograd_ref.core.tensor import Tensor

# `before` is the argument's shape. It travels as a parameter, so that the argument itself need not be kept.

reshape = Primitive(
    "reshape",
    lambda x, shape, before: np.reshape(x, shape),
    (lambda g, _ans, _x, shape, before: g.reshape(before),),
    jvp="linear",
    view=True,
)


@lru_cache(maxsize=256)
def inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes `axes`.

    >>> inverse((2, 0, 1))
    (1, 2, 0)
    """
    return tuple(int(i) for i in np.argsort(axes))


permute: Primitive = Primitive(
    "permute",
    lambda x, axes: x.transpose(axes),
    (lambda g, _ans, _x, axes: (g.permute if isinstance(g, Tensor) else g.transpose)(inverse(axes)),),
    jvp="linear",
    view=True,
)
broadcast_to = Primitive(
    "broadcast_to",
    lambda x, shape, before: np.broadcast_to(x, shape),
    (lambda g, _ans, _x, shape, before: unbroadcast(g, before),),
    jvp="linear",
    view=True,
)


def _repeated(x: np.ndarray, times: tuple[int, ...], before: tuple[int, ...]) -> np.ndarray:
    """`np.tile` in one copy: every axis is split in two, of which the first counts the copies."""
    out = np.empty([n for pair in zip(times, before, strict=True) for n in pair], x.dtype)
    out[...] = x.reshape([n for length in before for n in (1, length)])
    return out.reshape([n * length for n, length in zip(times, before, strict=True)])


def _repeat_rule(g: Any, _ans: Any, _x: Any, times: tuple[int, ...], before: tuple[int, ...]) -> Any:
    apart = g.reshape([n for pair in zip(times, before, strict=True) for n in pair])
    return apart.sum(axis=tuple(range(0, 2 * len(times), 2)))


repeat = Primitive("repeat", _repeated, (_repeat_rule,), jvp="linear")


def _part(i: int, g: Any, axis: int, starts: list[int]) -> Any:
    return g[(slice(None),) * axis + (slice(starts[i], starts[i + 1]),)]


def _starts(arrays: Any, axis: int) -> list[int]:
    return [0, *np.cumsum([a.shape[axis] for a in arrays]).tolist()]


def _concatenate_rule(i: int, g: Any, _ans: Any, *_xs: Any, axis: int, starts: Any = None) -> Any:
    return _part(i, g, axis, starts)


def _concatenate_jvp(i: int, t: Any, _ans: Any, *_xs: Any, axis: int, starts: Any = None) -> Any:
    return pad(t, width=_around(i, t.ndim, axis, starts), value=0)


def _around(i: int, ndim: int, axis: int, starts: list[int]) -> tuple[tuple[int, int], ...]:
    here = (starts[i], starts[-1] - starts[i + 1])
    return tuple(here if a == axis else (0, 0) for a in range(ndim))


_concatenate = Primitive(
    "concatenate",
    lambda *xs, axis, starts=None: np.concatenate(xs, axis=axis),
    _concatenate_rule,
    jvp=_concatenate_jvp,
)


def concatenate(*xs: Any, axis: int) -> Any:
    """The arguments one after the other along a non-negative axis."""
    return _concatenate(*xs, axis=axis, starts=_starts(xs, axis))


def _stacked(*xs: Any, axis: int) -> np.ndarray:
    first = np.asarray(xs[0])
    out = np.empty((*first.shape[:axis], len(xs), *first.shape[axis:]), first.dtype)
    lead: tuple[Any, ...] = (slice(None),) * axis
    for i, x in enumerate(xs):
        out[(*lead, i)] = x
    return out


def _stack_jvp(i: int, t: Any, _ans: Any, *xs: Any, axis: int) -> Any:
    here = (*t.shape[:axis], 1, *t.shape[axis:])
    around = tuple((i, len(xs) - 1 - i) if a == axis else (0, 0) for a in range(t.ndim + 1))
    return pad(t.reshape(here), width=around, value=0)


stack = Primitive(
    "stack",
    _stacked,
    lambda i, g, _ans, *_xs, axis: g[(*(slice(None),) * axis, i)],
    jvp=_stack_jvp,
)


def _inner(g: Any, width: tuple[tuple[int, int], ...]) -> Any:
    return g[tuple(slice(lo, n - hi) for (lo, hi), n in zip(width, g.shape, strict=True))]


def _padded(x: Any, width: Any, value: float = 0) -> np.ndarray:
    """`np.pad`, without its detours on small arrays."""
    out = np.full([n + lo + hi for (lo, hi), n in zip(width, x.shape, strict=True)], value, x.dtype)
    out[tuple([slice(lo, lo + n) for (lo, _), n in zip(width, x.shape, strict=True)])] = x
    return out


def _rolled(x: Any, shift: Any, axis: Any) -> np.ndarray:
    if not isinstance(axis, int) or not isinstance(shift, int) or not x.shape[axis]:
        return np.roll(x, shift, axis)
    out, n, lead = np.empty(x.shape, x.dtype), x.shape[axis], (slice(None),) * (axis % x.ndim)
    shift %= n
    out[(*lead, slice(shift, None))] = x[(*lead, slice(n - shift))]
    out[(*lead, slice(shift))] = x[(*lead, slice(n - shift, None))]
    return out


pad: Primitive = Primitive(
    "pad",
    _padded,
    (lambda g, _ans, _x, width, value=0: _inner(g, width),),
    jvp=(lambda t, _ans, _x, width, value=0: pad(t, width=width, value=0),),
)
flip: Primitive = Primitive(
    "flip",
    lambda x, axis: np.array(np.flip(x, axis)),
    (lambda g, _ans, _x, axis: flip(g, axis=axis),),
    jvp="linear",
)
roll: Primitive = Primitive(
    "roll",
    _rolled,
    (lambda g, _ans, _x, shift, axis: roll(g, shift=_back(shift), axis=axis),),
    jvp="linear",
)


def _back(shift: Any) -> Any:
    return tuple(-s for s in shift) if isinstance(shift, tuple) else -shift


clone = Primitive("clone", lambda x: np.array(x), (lambda g, _ans, _x: g,), jvp="linear")
alias = Primitive("alias", lambda x: x.view(), (lambda g, _ans, _x: g,), jvp="linear", view=True)


def _bits(rows: int, columns: int, diagonal: int, below: bool, size: int) -> np.ndarray:
    """Whole numbers of so many bytes: all bits are 1 on one side of a diagonal, where below on it, too; else 0."""
    made = (np.tri(rows, columns, diagonal, bool) == below) * np.array(-1, f"i{size}")
    made.setflags(write=False)
    return made


_few_bits = lru_cache(maxsize=64)(_bits)
#: Of so many elements at most they are kept: they cost as much memory as the matrix itself.
_FEW = 65_536


def _side(x: np.ndarray, diagonal: int, below: bool) -> np.ndarray:
    """What is on one side of a diagonal, else 0: by bits, which costs a third of `np.where`'s branches."""
    rows, columns = x.shape[-2:]
    made = _few_bits if rows * columns <= _FEW else _bits
    bits = made(rows, columns, diagonal, below, x.itemsize)
    return np.bitwise_and(x.view(bits.dtype), bits).view(x.dtype)


def _lower(x: np.ndarray, diagonal: int) -> np.ndarray:
    return _side(x, diagonal, True)


def _upper(x: np.ndarray, diagonal: int) -> np.ndarray:
    return _side(x, diagonal - 1, False)


tril: Primitive = Primitive(
    "tril", _lower, (lambda g, _ans, _x, diagonal: tril(g, diagonal=diagonal),), jvp="linear"
)
triu: Primitive = Primitive(
    "triu", _upper, (lambda g, _ans, _x, diagonal: triu(g, diagonal=diagonal),), jvp="linear"
)
