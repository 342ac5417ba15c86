"""Rules of the primitives that reduce axes.

`axis` is None, an integer or a tuple, and `keepdims` as in NumPy.
The gradient of a reduced result must be spread over the axes that are gone: `expand` puts them back with
length 1.
"""

from __future__ import annotations

import builtins
import math
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from autograd_ref.core import fast
from autograd_ref.core.broadcasting import short_ones
from autograd_ref.core.primitive import Primitive
from autograd_ref.core.tensor import Tensor
from autograd_ref.rules.elementwise import where
from autograd_ref.rules.rows import SHORT, row_maxima, row_minima
from autograd_ref.rules.shapes import concatenate

# NumPy's type stubs have no case for a variable keepdims or axis.
_add: Any = np.add


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The reduced axes as non-negative numbers. Raises ValueError for an axis that is not there.

    >>> axes_of(-1, 3), axes_of(None, 2)
    ((2,), (0, 1))
    """
    return _axes_of(tuple(axis) if isinstance(axis, list) else axis, ndim)


@lru_cache(maxsize=256)
def _axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    axes = tuple([index(a) for a in axis]) if isinstance(axis, tuple) else (index(axis),)
    for a in axes:
        if not -(ndim or 1) <= a < (ndim or 1):
            raise ValueError(
                f"axis {a} does not exist: the tensor has {ndim} axes, so give {-ndim} to {ndim - 1}."
            )
    return tuple(a % ndim if ndim else 0 for a in axes) if ndim else ()


@lru_cache(maxsize=256)
def kept(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """The shape after a reduction with keepdims: length 1 on every reduced axis."""
    axes = axes_of(axis, len(shape))
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def expand(g: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """`g`, a reduction of an array of this shape, with the reduced axes back as length 1."""
    full = kept(shape, axis)
    return g if g.shape == full else g.reshape(full)


def spread(g: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """`g` repeated along the reduced axes: a view, or where an array is small, which is faster, a copy."""
    if g.ndim:
        g = expand(g, shape, axis)
    if isinstance(g, Tensor):
        return g.broadcast_to(shape)
    if math.prod(shape) > _SMALL:
        return np.broadcast_to(g, shape)
    out = np.empty(shape, g.dtype)
    out[...] = g
    return out


_SMALL = 4096


def of_rows(x: np.ndarray, axis: Any) -> bool:
    """Whether a reduction takes the rows of a matrix of floats, none of them empty."""
    return x.ndim == 2 and (axis == (1,) or axis in (1, -1)) and x.dtype.char in "fd" and x.size > 0


def total_of(x: Any, axis: Any = None, keepdims: bool = False, shape: Any = None) -> Any:
    """The sum over the axes: for rows a product with ones. Long ones stay with NumPy, which adds in pairs."""
    if x.ndim == 1 and not keepdims and x.dtype.char in "fd" and 0 < x.size <= _LONG:
        return x.dot(short_ones(x.size, x.dtype)) if axis != () else x.copy()
    if of_rows(x, axis) and x.shape[1] <= _LONG:
        one = short_ones(x.shape[1], x.dtype)
        return x.dot(one[:, None] if keepdims else one)
    return _add.reduce(x, axis=axis, keepdims=keepdims)


_LONG = 1024


sum = Primitive(
    "sum",
    total_of,
    (lambda g, _ans, _x, axis, keepdims, shape: spread(g, shape, axis),),
    jvp="linear",
)


def _mean(x: Any, axis: Any, keepdims: bool, shape: Any, count: int) -> Any:
    return total_of(x, axis, keepdims) / count


mean = Primitive(
    "mean",
    _mean,
    (lambda g, _ans, _x, axis, keepdims, shape, count: spread(g / count, shape, axis),),
    jvp="linear",
)


def _ways_of_sums(shape: tuple[int, ...], dtype: Any, params: dict[str, Any]) -> Any:
    """How a sum, or with a count a mean, of this shape goes: the function of the array, and that of its gradient.

    None for what is not done by a product with ones.
    """
    axis, keepdims, count = params["axis"], params["keepdims"], params.get("count", 0)
    x = np.empty(shape, dtype)
    lengths = x.shape[-1:] if of_rows(x, axis) or (x.ndim == 1 and axis != () and not keepdims) else ()
    if dtype.char not in "fd" or not lengths or not 0 < lengths[0] <= _LONG or x.size > _SMALL:
        return None
    one = short_ones(lengths[0], x.dtype)
    one = one[:, None] if keepdims else one
    full, empty = kept(shape, axis) if len(shape) > 1 else None, np.empty

    def gradient(g: Any, _record: Any) -> Any:
        if type(g) is not np.ndarray:
            return None
        out = empty(shape, dtype)
        if full is None:
            out.fill(g.item() / count if count else g.item())
        else:
            out[...] = (g / count if count else g).reshape(full)
        return (out,)

    return (lambda x: x.dot(one) / count) if count else (lambda x: x.dot(one)), gradient


if fast:
    sum.settle = mean.settle = _ways_of_sums  # type: ignore[attr-defined]


def _count(hit: Any, axis: Any, keepdims: bool, dtype: Any) -> np.ndarray:
    plain = hit._data if isinstance(hit, Tensor) else hit
    return _add.reduce(plain, axis=axis, keepdims=keepdims, dtype=dtype)


def _extreme_rule(g: Any, ans: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    if not keepdims:
        ans, g = expand(ans, x.shape, axis), expand(g, x.shape, axis)
    hit = x == ans
    if type(hit) is np.ndarray and np.count_nonzero(hit) == g.size and not _has_nan(ans):
        out = np.zeros(x.shape, x.dtype)  # Nothing is shared: mostly it is so.
        np.copyto(out, g, where=hit)
        return out
    return where(hit, g / _count(hit, axis, True, x.dtype), 0.0)


def _has_nan(x: np.ndarray) -> bool:
    return x.size > 0 and math.isnan(x.item(x.argmax()))  # `argmax` goes to the first NaN


def _extreme_jvp(t: Any, ans: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    hit = x == expand(ans, x.shape, axis)
    return where(hit, t, 0.0).sum(axis=axis, keepdims=keepdims) / _count(hit, axis, keepdims, x.dtype)


def _extreme(ufunc: Any, along_rows: Any) -> Any:
    def extreme(x: np.ndarray, axis: Any = None, keepdims: bool = False) -> Any:
        if not of_rows(x, axis):
            return ufunc.reduce(x, axis=axis, keepdims=keepdims)
        return along_rows(x) if keepdims else along_rows(x)[:, 0]

    return extreme


max = Primitive(
    "max",
    _extreme(np.maximum, row_maxima),
    (_extreme_rule,),
    jvp=(_extreme_jvp,),
)
min = Primitive(
    "min",
    _extreme(np.minimum, row_minima),
    (_extreme_rule,),
    jvp=(_extreme_jvp,),
)


def _ways_of_maxima(shape: tuple[int, ...], dtype: Any, params: dict[str, Any]) -> Any:
    """How the maxima of short rows go; None for others."""
    axis, keepdims = params["axis"], params["keepdims"]
    if not of_rows(np.empty(shape, dtype), axis) or shape[1] > SHORT:
        return None
    rows, largest, zeros = shape[0], np.maximum.reduce, np.zeros

    def gradient(g: Any, record: Any) -> Any:
        if type(g) is not np.ndarray:
            return None
        _, (ans, x), _, _ = record
        top = ans.item(ans.argmax())  # NaN, if there is one
        at = (x == (ans if keepdims else ans[:, None])).reshape(-1).nonzero()[0]
        if at.size != rows or top != top:
            return None  # Something is shared.
        out = zeros(shape, dtype)
        out.put(at, g)
        return (out,)

    if keepdims:
        return (lambda x: largest(x.T.copy(), 0)[:, None]), gradient
    return (lambda x: largest(x.T.copy(), 0)), gradient


if fast:
    max.settle = _ways_of_maxima  # type: ignore[attr-defined]


def _flipped_cumsum(g: Any, axis: int) -> Any:
    if not g.ndim:
        return g
    back = (slice(None),) * axis + (slice(None, None, -1),)
    return cumsum(g[back], axis=axis)[back]


cumsum: Primitive = Primitive(
    "cumsum",
    lambda x, axis: np.cumsum(x, axis=axis).reshape(np.shape(x)),
    (lambda g, _ans, _x, axis: _flipped_cumsum(g, axis),),
    jvp="linear",
)


# -- spread around the mean ----------------------------------------------------------------------------------


def _away(x: Any, axis: Any) -> Any:
    """The distances from the mean over the axes."""
    n = _degrees(x, axis, 0) or 1
    if isinstance(x, Tensor):
        return x - x.sum(axis=axis, keepdims=True) / n
    mean = _add.reduce(x, axis=axis, keepdims=True)
    return x - mean / n


def _degrees(x: Any, axis: Any, correction: int) -> float:
    """The number to divide by, no less than 0."""
    axes = axes_of(axis, x.ndim)
    return builtins.max(math.prod(x.shape[a] for a in axes) - correction, 0)


def _var(x: Any, axis: Any, keepdims: bool, correction: int) -> Any:
    away = _away(x, axis)
    if axis is None and not keepdims:
        flat = away.reshape(-1)
        total = flat.dot(flat)
    else:
        away *= away
        total = _add.reduce(away, axis=axis, keepdims=keepdims)
    return total / np.asarray(_degrees(x, axis, correction), x.dtype)


def _over(n: float, by: float) -> float:
    return n / by if by else math.inf


def _var_rule(g: Any, _ans: Any, x: Any, axis: Any, keepdims: bool, correction: int) -> Any:
    return expand(g * _over(2.0, _degrees(x, axis, correction)), x.shape, axis) * _away(x, axis)


def _var_jvp(t: Any, _ans: Any, x: Any, axis: Any, keepdims: bool, correction: int) -> Any:
    total = (t * _away(x, axis)).sum(axis=axis, keepdims=keepdims)
    return total * _over(2.0, _degrees(x, axis, correction))


var = Primitive("var", _var, (_var_rule,), jvp=(_var_jvp,))


def _per_std(g: Any, ans: Any) -> Any:
    """`g / ans`, and 0 where the deviation is 0."""
    if type(ans) is np.ndarray and ans.all():
        return g / ans
    return where(ans == 0, 0.0, g / where(ans == 0, 1.0, ans))


def _std_rule(g: Any, ans: Any, x: Any, axis: Any, keepdims: bool, correction: int) -> Any:
    return _var_rule(_per_std(g, ans) * 0.5, None, x, axis, keepdims, correction)


def _std_jvp(t: Any, ans: Any, x: Any, axis: Any, keepdims: bool, correction: int) -> Any:
    return _per_std(_var_jvp(t, None, x, axis, keepdims, correction) * 0.5, ans)


std = Primitive("std", lambda x, **how: np.sqrt(_var(x, **how)), (_std_rule,), jvp=(_std_jvp,))

# -- running sums and products -------------------------------------------------------------------------------


def products_of_others(x: Any, axis: int) -> Any:
    """For every element the product of the others along the axis: right where some are 0.

    Each half is multiplied by the other until one product is left. On the way back, what is outside of a product of two
    and one of them is outside of the other.
    """
    half, lead = x.shape[axis] // 2, (slice(None),) * axis
    if not half:
        return np.ones(x.shape, x.dtype)
    first, second, left = [x[(*lead, slice(*ends))] for ends in ((half,), (half, 2 * half), (2 * half, None))]
    others = products_of_others(_joined([first * second, left], axis), axis)
    outside, outside_left = others[(*lead, slice(half))], others[(*lead, slice(half, None))]
    return _joined([outside * second, outside * first, outside_left], axis)


def _joined(parts: list[Any], axis: int) -> Any:
    plain = all(type(part) is np.ndarray for part in parts)
    return np.concatenate(parts, axis) if plain else concatenate(*parts, axis=axis)


def _prod_rule(g: Any, ans: Any, x: Any, axis: int, keepdims: bool = False) -> Any:
    g = expand(g, x.shape, axis)
    # The whole product by each factor is the product of the others, if nothing is 0 or too large.
    if type(ans) is np.ndarray and type(x) is np.ndarray and ans.all() and np.isfinite(ans).all():
        return expand(ans, x.shape, axis) * g / x
    return g * products_of_others(x, axis)


prod = Primitive(
    "prod",
    lambda x, axis, keepdims=False: np.prod(x, axis=axis, keepdims=keepdims),
    (_prod_rule,),
    jvp=(
        lambda t, _ans, x, axis, keepdims=False: (t * products_of_others(x, axis)).sum(
            axis=axis, keepdims=keepdims
        ),
    ),
)
