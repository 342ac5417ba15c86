"""Rules of the normal distribution: the error function, and GELU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref.core.primitive import Unary
from autograd_ref.rules.blocks import BLOCK
from autograd_ref.rules.elementwise import exp

_STEP = 64  # Table points per unit: the six terms below then leave an error under 2e-16.
_ERF = np.array([math.erf(k / _STEP) for k in range(-6 * _STEP, 6 * _STEP + 1)])
_BELL = 2 / math.sqrt(math.pi) * np.exp(-((np.arange(-6 * _STEP, 6 * _STEP + 1) / _STEP) ** 2))
_ONE_BY_ONE = 128  # So many take as long as a block's passes.


def _erf(x: Any) -> np.ndarray:
    """erf by Taylor's series around the nearest point of a table; NumPy has none of its own."""
    x = np.asarray(x)
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    if x.size <= _ONE_BY_ONE:
        return np.array([math.erf(value) for value in x.reshape(-1).tolist()], x.dtype).reshape(x.shape)
    out = np.empty(x.size, x.dtype)
    flat = x.reshape(-1)
    block = _erf_single if x.dtype == np.float32 else _erf_block
    for i in range(0, x.size, BLOCK):  # so that the passes stay in the cache
        out[i : i + BLOCK] = block(flat[i : i + BLOCK])
    return out.reshape(x.shape)


_ERF_SINGLE, _BELL_SINGLE = _ERF.astype(np.float32), _BELL.astype(np.float32)


def _erf_single(x: np.ndarray) -> np.ndarray:
    """The same for float32, where three terms leave less than its last digit."""
    x = np.clip(x, -6, 6)
    near = x * np.float32(_STEP)
    np.rint(near, out=near)
    with np.errstate(invalid="ignore"):
        point = near.astype(np.int32)
    point += 6 * _STEP
    near *= np.float32(1 / _STEP)
    d = x - near
    series = near * near
    series *= np.float32(2 / 3)
    series -= np.float32(1 / 3)
    series *= d
    series -= near
    series *= d
    series += np.float32(1)
    series *= d
    series *= _BELL_SINGLE.take(point, mode="clip")
    series += _ERF_SINGLE.take(point, mode="clip")
    return series


def _erf_block(x: np.ndarray) -> np.ndarray:
    x = np.clip(x.astype(np.float64, copy=False), -6, 6)  # Beyond, erf is 1 or -1 to the last digit.
    near = np.rint(x * _STEP)
    point = np.where(np.isnan(near), 0, near).astype(np.intp) + 6 * _STEP
    a = near / _STEP
    d = x - a
    a2 = a * a
    series = d * (a * (12 - 8 * a2) / 24 + d * ((16 * a2 - 48) * a2 + 12) / 120)
    series += (4 * a2 - 2) / 6
    series *= d
    series -= a
    series *= d
    series += 1
    series *= d
    series *= _BELL.take(point)
    series += _ERF.take(point)
    return series


erf = Unary("erf", _erf, lambda g, _ans, x: g * (2 / math.sqrt(math.pi) * exp(-x * x)))


def normal_distribution(x: Any) -> np.ndarray:
    """Phi(x): how much of a normal distribution lies below x."""
    out = _erf(x * math.sqrt(0.5))
    out += 1
    out *= 0.5
    return out


def _gelu(x: Any) -> Any:
    return x * normal_distribution(x)


def _gelu_rule(g: Any, _ans: Any, x: Any) -> Any:
    bell = exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
    return g * (0.5 * (1 + erf(x * math.sqrt(0.5))) + x * bell)


gelu = Unary("gelu", _gelu, _gelu_rule)
