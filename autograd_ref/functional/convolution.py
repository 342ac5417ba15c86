"""Convolution (cross-correlation, as in every network library) by one matrix product.

Shapes are PyTorch's (N, C, H, W), but the memory behind a result is ordered (C, H, W, N): then a patch
matrix is made of long runs and one product does the whole batch. NumPy's elementwise operations and
`max_pool2d` keep that order, so it passes from layer to layer without a copy.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.functional.fused import Fused
from autograd_ref.rules.products import dot
from autograd_ref.rules.rows import row_sums

Pair = int | tuple[int, int]


def pair(x: Pair) -> tuple[int, int]:
    """An integer twice, or a pair as it is."""
    return (x, x) if isinstance(x, int) else (int(x[0]), int(x[1]))


def length(n: int, kernel: int, stride: int, padding: int, dilation: int = 1) -> int:
    """How many places a window has along an axis of length n."""
    return (n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Pair = 1,
    padding: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Any:
    """Slide `weight` (O, C / groups, kh, kw) over `x` (N, C, H, W); returns (N, O, H', W').

    H' = (H + 2 padding - dilation (kh - 1) - 1) // stride + 1, and W' likewise. With `groups`, the channels
    are divided: the first O / groups results see the first C / groups channels alone, and so on (groups = C
    is a depthwise convolution). Raises ValueError for shapes that do not fit.

    >>> conv2d(np.ones((1, 1, 3, 3)), np.ones((1, 1, 2, 2)))[0, 0]
    array([[4., 4.],
           [4., 4.]])
    """
    if x.ndim != 4 or weight.ndim != 4 or x.shape[1] != groups * weight.shape[1]:
        same = "the same C" if groups == 1 else f"C / {groups} in place of C, as there are {groups} groups"
        raise ValueError(
            f"'conv2d' needs x (N, C, H, W) and weight (O, C, kh, kw) with {same}, "
            f"not {x.shape} and {weight.shape}."
        )
    how = _how(x.shape, weight.shape, pair(stride), pair(padding), pair(dilation), groups)
    return _conv2d(x, weight, **how) if bias is None else _conv2d(x, weight, bias, **how)


@lru_cache(maxsize=64)
def _how(shape: Any, weight: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> dict[str, Any]:
    """The options, once they are known to fit an image, or a sequence as an image of height 1."""
    if weight[0] % groups:
        raise ValueError(
            f"'conv2d' divides its {weight[0]} output channels among {groups} groups: use a multiple of {groups}."
        )
    image, kernel = ((1, *s[2:])[-2:] for s in (shape, weight))
    if min(length(image[i], kernel[i], stride[i], padding[i], dilation[i]) for i in (0, 1)) < 1:
        raise ValueError(f"'conv2d' has a kernel {kernel} larger than the padded image {image}.")
    return {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}


def conv1d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
) -> Any:
    """Slide `weight` (O, C / groups, k) over `x` (N, C, L); returns (N, O, L')."""
    if x.ndim != 3 or weight.ndim != 3 or x.shape[1] != groups * weight.shape[1]:
        raise ValueError(
            f"'conv1d' needs x (N, groups * C, L) and weight (O, C, k), not {x.shape} and {weight.shape}."
        )
    how = _how(x.shape, weight.shape, (1, stride), (0, padding), (1, dilation), groups)
    return _conv2d(x, weight, **how) if bias is None else _conv2d(x, weight, bias, **how)


def window_index(n: int, kernel: int, stride: int, dilation: int = 1) -> np.ndarray:
    """Row i, column j: where element i of the kernel is when the window is at place j."""
    places = length(n, kernel, stride, 0, dilation)
    return np.arange(kernel)[:, None] * dilation + np.arange(places) * stride


def windows(x: Any, kernel: Any, stride: Any, dilation: Any = (1, 1)) -> Any:
    """Every window of (N, C, H, W) as (N, C, kh, kw, H', W'), by indexing."""
    rows = window_index(x.shape[2], kernel[0], stride[0], dilation[0])
    columns = window_index(x.shape[3], kernel[1], stride[1], dilation[1])
    return x[:, :, rows[:, None, :, None], columns[None, :, None, :]]


def pad_image(x: Any, padding: tuple[int, int], value: float = 0) -> Any:
    """(..., H, W) with a border."""
    ph, pw = padding
    return ops.pad(x, (*((0, 0),) * (x.ndim - 2), (ph, ph), (pw, pw)), value) if ph or pw else x


def _definition(
    x: Any, weight: Any, bias: Any = None, *, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    if x.ndim == 3:
        x, weight = ops.unsqueeze(x, 2), ops.unsqueeze(weight, 2)
        how: dict[str, Any] = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return ops.squeeze(_definition(x, weight, bias, **how), 2)
    seen = windows(pad_image(x, padding), weight.shape[2:], stride, dilation)
    if groups == 1:
        out = ops.einsum("ncijhw,ocij->nohw", seen, weight)
    else:
        seen = seen.reshape(seen.shape[0], groups, -1, *seen.shape[2:])
        out = ops.einsum("ngcijhw,gocij->ngohw", seen, weight.reshape(groups, -1, *weight.shape[1:]))
        out = out.reshape(out.shape[0], -1, *out.shape[3:])
    return out if bias is None else out + bias.reshape(1, -1, 1, 1)


def _patches(x: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any) -> np.ndarray:
    """The patch matrix, (C, kh, kw, H', W', N)."""
    if x.size * kernel[0] * kernel[1] <= _SMALL:
        at = _positions(x.shape, kernel, stride, padding, dilation)
        if at.size <= _SMALL:
            image = np.zeros(x.size + 1, x.dtype)
            image[:-1].reshape(x.shape)[...] = x
            return image.take(at)
    return _cut(x, kernel, stride, padding, dilation)


_SMALL = 2048  # Up to so many numbers one call by positions is faster than many by views.


@lru_cache(maxsize=64)
def _positions(shape: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> np.ndarray:
    """Where each number of the patch matrix stands in an image that lies end to end; in the border, behind its end."""
    size = shape[0] * shape[1] * shape[2] * shape[3]
    border = ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2)
    image = np.pad(np.arange(size).reshape(shape), border, constant_values=size)
    at = _cut(image, kernel, stride, (0, 0), dilation)
    at.setflags(write=False)
    return at


def _cut(x: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any) -> np.ndarray:
    n, c, h, w = x.shape
    (kh, kw), (sh, sw), (ph, pw), (dh, dw) = kernel, stride, padding, dilation
    x = x.transpose(1, 2, 3, 0)
    padded = np.empty((c, h + 2 * ph, w + 2 * pw, n), x.dtype)
    padded[:, :ph] = padded[:, ph + h :] = padded[:, :, :pw] = padded[:, :, pw + w :] = 0
    padded[:, ph : ph + h, pw : pw + w] = x
    a, b, d, e = padded.strides
    shape = (c, kh, kw, length(h, kh, sh, ph, dh), length(w, kw, sw, pw, dw), n)
    # `np.ndarray` and not `as_strided`, which takes 4 microseconds.
    return np.array(np.ndarray(shape, x.dtype, padded, 0, (a, b * dh, d * dw, b * sh, d * sw, e)), order="C")


def _by_group(matrix: np.ndarray, groups: int, rows: int) -> np.ndarray:
    """A matrix for each group, (groups, rows / groups, ...): channels stand first, so this copies nothing."""
    return matrix.reshape(groups, rows // groups, -1) if groups > 1 else matrix.reshape(rows, -1)


def _product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return dot(x, y) if x.ndim == 2 else np.matmul(x, y)


def _forward(
    x: Any, weight: Any, bias: Any = None, *, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    if x.ndim == 3:  # sequences are images of height 1
        x, weight = x[:, :, None], weight[:, :, None]
        out, patches = _forward(
            x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups
        )
        return out[:, :, 0], patches
    o, inner = len(weight), weight[0].size
    patches = _patches(x, weight.shape[2:], stride, padding, dilation)
    matrix = _by_group(patches, groups, groups * inner)
    out = _product(_by_group(weight, groups, o), matrix).reshape(o, -1)
    if bias is not None:
        out += bias[:, None]
    return out.reshape(o, *patches.shape[3:]).transpose(3, 0, 1, 2), patches


def _backward(
    g: Any,
    to: Any,
    patches: Any,
    _x: Any,
    weight: Any,
    _bias: Any = None,
    *,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Any:
    sequence = g.ndim == 3
    if sequence:
        g = g[:, :, None]
    o, inner = g.shape[1], patches.shape[0] // groups * patches.shape[1] * patches.shape[2]
    flat = g.transpose(1, 2, 3, 0).reshape(o, -1)
    grad_x = grad_w = grad_b = None
    if to[1] is not None:
        # The larger matrix first is the faster product.
        matrix = _by_group(patches, groups, groups * inner)
        grad_w = _product(matrix, _by_group(flat, groups, o).swapaxes(-1, -2)).swapaxes(-1, -2)
        grad_w = grad_w.reshape(to[1].shape)
    if len(to) == 3 and to[2] is not None:
        grad_b = row_sums(flat)[:, 0]
    if to[0] is not None:
        kernels = _by_group(weight, groups, o).swapaxes(-1, -2)
        spread = _product(kernels, _by_group(flat, groups, o)).reshape(patches.shape)
        n, c, *size = to[0].shape
        grad_x = _gathered(spread, (n, c, 1, *size) if sequence else to[0].shape, stride, padding, dilation)
        if sequence:
            grad_x = grad_x[:, :, 0]
    return grad_x, grad_w, grad_b


def _gathered(spread: np.ndarray, shape: Any, stride: Any, padding: Any, dilation: Any) -> np.ndarray:
    """Add every patch back to where it was taken from."""
    n, c, h, w = shape
    _, kh, kw, oh, ow, _ = spread.shape
    if n * c * h * w * kh * kw <= _SMALL and spread.size <= _SMALL:
        at = _positions(shape, (kh, kw), stride, padding, dilation)
        sums = np.zeros(n * c * h * w + 1, spread.dtype)
        np.add.at(sums, at.reshape(-1), spread.reshape(-1))
        return sums[:-1].reshape(shape)
    (sh, sw), (ph, pw), (dh, dw) = stride, padding, dilation
    grad = np.empty((c, h + 2 * ph, w + 2 * pw, n), spread.dtype)
    if sh == sw == 1:  # What is stored first fills all but a border.
        grad[:, oh:] = grad[:, :, ow:] = 0
    else:
        grad.fill(0)
    for i, j in product(range(kh), range(kw)):
        rows = slice(i * dh, i * dh + sh * (oh - 1) + 1, sh)
        columns = slice(j * dw, j * dw + sw * (ow - 1) + 1, sw)
        if i == j == 0:
            grad[:, rows, columns] = spread[:, i, j]
        else:
            grad[:, rows, columns] += spread[:, i, j]
    return grad[:, ph : ph + h, pw : pw + w].transpose(3, 0, 1, 2)


_conv2d = Fused(
    "conv2d",
    _definition,
    _forward,
    _backward,
    reads={"x": "weight", "weight": "x", "bias": ""},
    broadcasts=True,
)
