"""Layer, group and batch normalisation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.broadcasting import ones
from autograd_ref.core.tensor import Tensor
from autograd_ref.functional.fused import Fused
from autograd_ref.rules.rows import row_sums


def layer_norm(
    x: Any, normalized_shape: int | tuple[int, ...], weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Each item shifted and scaled to mean 0 and variance 1 over its last axes, then `* weight + bias`.

    `normalized_shape` is the shape of those last axes, and of `weight` and `bias`. Ba et al. 2016,
    arXiv:1607.06450.
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if x.shape[x.ndim - len(shape) :] != shape:
        raise ValueError(f"'layer_norm' over {shape} does not fit the last axes of shape {x.shape}.")
    if weight is None or len(shape) > 1:
        return _definition(x, weight, bias, len(shape), eps)
    return _layer_norm(x, weight, np.zeros(shape, x.dtype) if bias is None else bias, axes=1, eps=eps)


def _definition(x: Any, weight: Any, bias: Any, axes: int, eps: float) -> Any:
    over = tuple(range(x.ndim - axes, x.ndim))
    away = x - ops.mean(x, over, keepdims=True)
    out = away / ops.sqrt(ops.mean(away * away, over, keepdims=True) + eps)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def _forward(x: Any, weight: Any, bias: Any, axes: int, eps: float) -> tuple[Any, Any]:
    n = x.shape[-1]
    rows = x.reshape(-1, n)
    hat = rows - row_sums(rows) / n
    scale = 1 / np.sqrt(np.vecdot(hat, hat)[:, None] / n + eps)
    hat *= scale
    out = hat * weight
    out += bias
    return out.reshape(x.shape), (hat, scale)


def _backward(g: Any, to: Any, kept: Any, _x: Any, weight: Any, _bias: Any, axes: int, eps: float) -> Any:
    hat, scale = kept
    n = g.shape[-1]
    g_rows = g.reshape(-1, n)
    add = ones(len(g_rows), g.dtype)
    together = g_rows * hat
    grad_w = None if to[1] is None else add.dot(together)
    grad_b = None if to[2] is None else add.dot(g_rows)
    if to[0] is None:
        return None, grad_w, grad_b
    # The means over a row of `g * weight`, and of that times `hat`, are products: no array of their own.
    share = weight / n
    along = together.dot(share)[:, None]
    grad = g_rows * weight
    grad -= g_rows.dot(share)[:, None]
    grad -= np.multiply(hat, along, out=together)
    grad *= scale
    return grad.reshape(g.shape), grad_w, grad_b


_layer_norm = Fused(
    "layer_norm",
    _definition,
    _forward,
    _backward,
    reads={"x": "x weight", "weight": "x", "bias": ""},
    broadcasts=True,
)


def rms_norm(
    x: Any, normalized_shape: int | tuple[int, ...], weight: Any = None, eps: float | None = None
) -> Any:
    """Each item divided by its root mean square over its last axes, then `* weight`: `layer_norm` with no mean.

    `normalized_shape` is the shape of those last axes, and of `weight`; `eps` is the dtype's own if it is None. Zhang
    and Sennrich 2019, arXiv:1910.07467. Raises ValueError for a shape that does not fit.

    >>> rms_norm(np.array([3.0, 4.0]), 2).round(4)
    array([0.8485, 1.1314])
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if x.shape[x.ndim - len(shape) :] != shape:
        raise ValueError(f"'rms_norm' over {shape} does not fit the last axes of shape {x.shape}.")
    eps = float(np.finfo(x.dtype).eps) if eps is None else eps
    if weight is None or len(shape) > 1:
        return _rms_definition(x, weight, len(shape), eps)
    return _rms_norm(x, weight, axes=1, eps=eps)


def _rms_definition(x: Any, weight: Any, axes: int, eps: float) -> Any:
    over = tuple(range(x.ndim - axes, x.ndim))
    out = x / ops.sqrt(ops.mean(x * x, over, keepdims=True) + eps)
    return out if weight is None else out * weight


def _rms_forward(x: Any, weight: Any, axes: int, eps: float) -> tuple[Any, Any]:
    rows = x.reshape(-1, x.shape[-1])
    scale = 1 / np.sqrt(np.vecdot(rows, rows)[:, None] / x.shape[-1] + eps)
    hat = rows * scale
    return (hat * weight).reshape(x.shape), (hat, scale)


def _rms_backward(g: Any, to: Any, kept: Any, _x: Any, weight: Any, axes: int, eps: float) -> Any:
    hat, scale = kept
    g_rows = g.reshape(hat.shape)
    together = g_rows * hat
    grad_w = None if to[1] is None else ones(len(g_rows), g.dtype).dot(together)
    if to[0] is None:
        return None, grad_w
    grad = g_rows * weight
    grad -= hat * together.dot(weight / g.shape[-1])[:, None]
    grad *= scale
    return grad.reshape(g.shape), grad_w


_rms_norm = Fused(
    "rms_norm",
    _rms_definition,
    _rms_forward,
    _rms_backward,
    reads={"x": "x weight", "weight": "x"},
)


def group_norm(x: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Each item's channels (axis 1), in groups, shifted and scaled to mean 0 and variance 1; `* weight + bias`.

    A group is C / num_groups neighbouring channels with all that follows them; `weight` and `bias` are (C,). One group
    is a `layer_norm` of all, as many as channels an instance norm. Wu and He 2018, arXiv:1803.08494. Raises ValueError
    where the groups do not divide the channels.

    >>> group_norm(np.array([[1.0, 3.0, 10.0, 30.0]]), 2).round(3)
    array([[-1.,  1., -1.,  1.]])
    """
    if x.ndim < 2 or num_groups < 1 or x.shape[1] % num_groups:
        raise ValueError(f"'group_norm' needs (N, C, ...) with C a multiple of {num_groups}, not {x.shape}.")
    # Filled in, so that the result is never a view of what stands in groups.
    weight = np.ones(x.shape[1], x.dtype) if weight is None else weight
    bias = np.zeros(x.shape[1], x.dtype) if bias is None else bias
    if not x.size:
        return _group_definition(x, weight, bias, num_groups, eps)
    return _group_norm(x, weight, bias, groups=num_groups, eps=eps)


def _group_definition(x: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    rows = ops.reshape(x, (x.shape[0], groups, math.prod(x.shape[1:]) // groups))
    out = ops.reshape(_definition(rows, None, None, 1, eps), x.shape)
    column = (-1,) + (1,) * (x.ndim - 2)
    return out * ops.reshape(weight, column) + ops.reshape(bias, column)


def _group_forward(x: Any, weight: Any, bias: Any, groups: int, eps: float) -> tuple[Any, Any]:
    n, channels = x.shape[:2]
    rows = x.reshape(n * groups, -1)
    hat = rows - row_sums(rows) / rows.shape[1]
    scale = 1 / np.sqrt(np.vecdot(hat, hat)[:, None] / rows.shape[1] + eps)
    hat *= scale
    out = hat.reshape(n, channels, -1) * weight[:, None]
    out += bias[:, None]
    return out.reshape(x.shape), (hat, scale)


def _group_backward(
    g: Any, to: Any, kept: Any, _x: Any, weight: Any, _bias: Any, groups: int, eps: float
) -> Any:
    hat, scale = kept
    by_channel = g.reshape(*g.shape[:2], -1)
    grad_w = grad_b = None
    if to[1] is not None:
        grad_w = np.einsum("ncs,ncs->c", by_channel, hat.reshape(by_channel.shape))
    if to[2] is not None:
        grad_b = np.einsum("ncs->c", by_channel)
    if to[0] is None:
        return None, grad_w, grad_b
    grad = (by_channel * weight[:, None]).reshape(hat.shape)
    along = np.vecdot(grad, hat)[:, None] / hat.shape[1]
    grad -= row_sums(grad) / hat.shape[1]
    grad -= hat * along
    grad *= scale
    return grad.reshape(g.shape), grad_w, grad_b


_group_norm = Fused(
    "group_norm",
    _group_definition,
    _group_forward,
    _group_backward,
    reads={"x": "x weight", "weight": "x", "bias": ""},
)


def normalize(x: Any, p: float = 2, axis: int = 1, eps: float = 1e-12) -> Any:
    """`x` divided by its `ops.norm` along `axis`, or by `eps` where that is smaller.

    >>> normalize(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    return x / ops.clip(ops.norm(x, p, axis, keepdims=True), low=eps)


def batch_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel (axis 1) shifted and scaled to mean 0, variance 1 over the batch; `* weight + bias`.

    In training the batch's own statistics are used, and the running ones (arrays or tensors of shape (C,))
    move towards them by `momentum`, in place; otherwise the running ones are used. Ioffe and Szegedy 2015,
    arXiv:1502.03167.
    """
    over = (0, *range(2, x.ndim))
    column = (1, -1) + (1,) * (x.ndim - 2)
    if training and weight is not None and bias is not None and x.size > x.shape[1]:
        return _batch_norm(x, weight, bias, eps=eps, running=(running_mean, running_var, momentum))
    if training:
        count = x.size // x.shape[1]
        if count == 1:
            raise ValueError(
                f"'batch_norm' in training needs more than one value per channel, got shape {x.shape}."
            )
        mean = ops.mean(x, over, keepdims=True)
        away = x - mean
        var = ops.mean(away * away, over, keepdims=True)
        if running_mean is not None:
            _move(running_mean, mean, momentum)
            _move(running_var, var, momentum, count / (count - 1))
    else:
        if running_mean is None or running_var is None:
            raise ValueError("'batch_norm' outside training needs running_mean and running_var.")
        away = x - ops.reshape(running_mean, column)
        var = ops.reshape(running_var, column)
    out = away / ops.sqrt(var + eps)
    out = out if weight is None else out * ops.reshape(weight, column)
    return out if bias is None else out + ops.reshape(bias, column)


def _batch_definition(x: Any, weight: Any, bias: Any, eps: float, running: Any) -> Any:
    over, column = (0, *range(2, x.ndim)), (1, -1) + (1,) * (x.ndim - 2)
    away = x - ops.mean(x, over, keepdims=True)
    out = away / ops.sqrt(ops.mean(away * away, over, keepdims=True) + eps)
    return out * ops.reshape(weight, column) + ops.reshape(bias, column)


def _by_channel(x: np.ndarray) -> np.ndarray:
    """`x` (N, C, ...) with channels side by side, (items, C), as a view if it has no other axes."""
    return x if x.ndim == 2 else np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])


def _as_before(rows: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return rows if len(shape) == 2 else np.moveaxis(rows.reshape(shape[0], *shape[2:], shape[1]), -1, 1)


def _batch_forward(x: Any, weight: Any, bias: Any, eps: float, running: Any) -> tuple[Any, Any]:
    rows = _by_channel(x)
    count = len(rows)
    add = ones(count, x.dtype)
    mean = add.dot(rows)
    mean /= count
    hat = rows - mean
    var = np.einsum("ij,ij->j", hat, hat)
    var /= count
    running_mean, running_var, momentum = running
    if running_mean is not None:
        _move(running_mean, mean, momentum)
        _move(running_var, var, momentum, count / (count - 1))
    scale = 1 / np.sqrt(var + eps)
    hat *= scale
    out = hat * weight
    out += bias
    return _as_before(out, x.shape), (hat, scale)


def _batch_backward(
    g: Any, to: Any, kept: Any, _x: Any, weight: Any, _bias: Any, eps: float, running: Any
) -> Any:
    hat, scale = kept
    rows = _by_channel(g)
    grad_b = ones(len(rows), g.dtype).dot(rows)
    grad_w = np.einsum("ij,ij->j", rows, hat)
    if to[0] is None:
        return None, grad_w, grad_b
    grad = hat * (grad_w / -len(rows))
    grad += rows
    grad -= grad_b / len(rows)
    grad *= scale * weight
    return _as_before(grad, to[0].shape), grad_w, grad_b


_batch_norm = Fused(
    "batch_norm",
    _batch_definition,
    _batch_forward,
    _batch_backward,
    reads={"x": "x weight", "weight": "x", "bias": ""},
)


def _move(running: Any, now: Any, momentum: float, factor: float = 1.0) -> None:
    array = running._data if isinstance(running, Tensor) else running
    now = now._data if isinstance(now, Tensor) else now
    array *= 1 - momentum
    array += momentum * factor * now.reshape(-1)
