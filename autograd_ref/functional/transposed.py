"""Transposed convolution: what a convolution's backward pass does to a gradient, done to values.

Each element of the input puts a copy of the kernel, times itself, into the result; where copies overlap, they add up.
So it leads from small images to larger ones.  Dumoulin and Visin 2016, arXiv:1603.07285.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.functional import convolution
from autograd_ref.functional.convolution import Pair, pair
from autograd_ref.functional.fused import Fused
from autograd_ref.rules.rows import row_sums


def conv_transpose2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Pair = 1,
    padding: Pair = 0,
    output_padding: Pair = 0,
    groups: int = 1,
    dilation: Pair = 1,
) -> Any:
    """The transpose of `conv2d` with this `weight` (C, O / groups, kh, kw): x (N, C, H, W) to (N, O, H', W').

    H' = (H - 1) stride - 2 padding + dilation (kh - 1) + output_padding + 1, and W' likewise. `padding` is what the
    convolution was padded with, so it cuts off here; `output_padding`, less than the stride, tells apart the lengths
    that the convolution makes equal. Raises ValueError for shapes that do not fit.

    >>> conv_transpose2d(np.ones((1, 1, 2, 2)), np.ones((1, 1, 2, 2)))[0, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """
    how = _how(
        x.shape, weight.shape, pair(stride), pair(padding), pair(output_padding), groups, pair(dilation)
    )
    return _transposed(x, weight, **how) if bias is None else _transposed(x, weight, bias, **how)


def conv_transpose1d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: int = 1,
    padding: int = 0,
    output_padding: int = 0,
    groups: int = 1,
    dilation: int = 1,
) -> Any:
    """The transpose of `conv1d` with this `weight` (C, O / groups, k): x (N, C, L) to (N, O, L').

    L' = (L - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1.

    >>> conv_transpose1d(np.array([[[1.0, 10.0]]]), np.array([[[1.0, 2.0]]]))
    array([[[ 1., 12., 20.]]])
    """
    pairs = (1, stride), (0, padding), (0, output_padding), groups, (1, dilation)
    how = _how(x.shape, weight.shape, *pairs)
    return _transposed(x, weight, **how) if bias is None else _transposed(x, weight, bias, **how)


@lru_cache(maxsize=64)
def _how(
    shape: Any, weight: Any, stride: Any, padding: Any, output_padding: Any, groups: int, dilation: Any
) -> dict[str, Any]:
    """The options, with the size of the result, once they are known to fit."""
    name = "conv_transpose2d" if len(weight) == 4 else "conv_transpose1d"
    if len(shape) != len(weight) or len(weight) not in (3, 4) or shape[1] != weight[0] or weight[0] % groups:
        wanted = (
            "x (N, C, H, W) and weight (C, O, kh, kw)"
            if len(weight) == 4
            else "x (N, C, L) and weight (C, O, k)"
        )
        raise ValueError(
            f"'{name}' needs {wanted} with the same C, a multiple of groups={groups}, not {shape} and {weight}."
        )
    if any(o >= s for o, s in zip(output_padding, stride, strict=True)):
        raise ValueError(f"'{name}' needs an output_padding below the stride {stride}, not {output_padding}.")
    image, kernel = ((1, *s[2:])[-2:] for s in (shape, weight))
    size = tuple(
        (image[i] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel[i] - 1) + output_padding[i] + 1
        for i in (0, 1)
    )
    if min(size) < 1:
        raise ValueError(f"'{name}' has a padding {padding} that cuts off all of the result.")
    return {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups, "size": size}


def _definition(
    x: Any, weight: Any, bias: Any = None, *, stride: Any, padding: Any, dilation: Any, groups: int, size: Any
) -> Any:
    """Zeros between the elements and around them; then a convolution with the kernel turned around."""
    if x.ndim == 3:
        x, weight = ops.unsqueeze(x, 2), ops.unsqueeze(weight, 2)
        how: dict[str, Any] = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return ops.squeeze(_definition(x, weight, bias, **how, size=size), 2)
    (n, c, h, w), (sh, sw), kernel = x.shape, stride, weight.shape[2:]
    x = ops.pad(x.reshape(n, c, h, 1, w, 1), ((0, 0),) * 3 + ((0, sh - 1), (0, 0), (0, sw - 1)))
    x = x.reshape(n, c, h * sh, w * sw)[:, :, : (h - 1) * sh + 1, : (w - 1) * sw + 1]
    around = [dilation[i] * (kernel[i] - 1) for i in (0, 1)]
    x = ops.pad(x, ((0, 0), (0, 0), *((a, a + s - 1) for a, s in zip(around, stride, strict=True))))
    x = x[:, :, padding[0] :, padding[1] :][:, :, : size[0] + around[0], : size[1] + around[1]]
    turned = ops.flip(weight, (2, 3)).reshape(groups, -1, *weight.shape[1:])
    turned = ops.swapaxes(turned, 1, 2).reshape(-1, c // groups, *kernel)
    once = {"stride": (1, 1), "padding": (0, 0), "dilation": dilation, "groups": groups}
    return convolution._definition(x, turned, bias, **once)


def _forward(
    x: Any, weight: Any, bias: Any = None, *, stride: Any, padding: Any, dilation: Any, groups: int, size: Any
) -> Any:
    image = (1, *x.shape[2:])[-2:]
    kernel = (1, *weight.shape[2:])[-2:]
    c, n, out = len(weight), len(x), groups * weight.shape[1]
    flat = np.moveaxis(x, 0, -1).reshape(c, -1)
    kernels = convolution._by_group(weight, groups, c).swapaxes(-1, -2)
    spread = convolution._product(kernels, convolution._by_group(flat, groups, c))
    made = convolution._gathered(
        spread.reshape(out, *kernel, *image, n), (n, out, *size), stride, padding, dilation
    )
    if bias is not None:
        made = made + bias[:, None, None]
    return (made[:, :, 0] if x.ndim == 3 else made), flat


def _backward(
    g: Any,
    to: Any,
    flat: Any,
    x: Any,
    weight: Any,
    _bias: Any = None,
    *,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    size: Any,
) -> Any:
    """The convolution that this is the transpose of, and its weight's gradient with input and gradient exchanged."""
    if g.ndim == 3:
        g = g[:, :, None]
    grad_x = grad_w = grad_b = None
    if to[0] is not None or to[1] is not None:
        shape = to[1].shape if weight is None else weight.shape
        kernel = (1, *shape[2:])[-2:]
        c, inner = len(flat), g.shape[1] // groups * kernel[0] * kernel[1]
        patches = convolution._patches(g, kernel, stride, padding, dilation)
        matrix = convolution._by_group(patches, groups, groups * inner)
        if to[0] is not None:
            rows = convolution._product(convolution._by_group(weight, groups, c), matrix)
            shape = to[0].shape
            grad_x = np.moveaxis(rows.reshape(c, *shape[2:], shape[0]), -1, 0)
        if to[1] is not None:
            by_group = convolution._by_group(flat, groups, c).swapaxes(-1, -2)
            grad_w = convolution._product(matrix, by_group).swapaxes(-1, -2).reshape(to[1].shape)
    if len(to) == 3 and to[2] is not None:
        grad_b = row_sums(np.moveaxis(g, 0, -1).reshape(g.shape[1], -1))[:, 0]
    return grad_x, grad_w, grad_b


_transposed = Fused(
    "conv_transpose2d",
    _definition,
    _forward,
    _backward,
    reads={"x": "weight", "weight": "x", "bias": ""},
    broadcasts=True,
)
