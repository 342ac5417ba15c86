"""Losses. `reduction` is "mean", "sum" or "none" (a loss per element), as in PyTorch."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.primitive import Binary
from autograd_ref.core.promotion import constant
from autograd_ref.core.tensor import Tensor
from autograd_ref.functional.fused import Fused
from autograd_ref.functional.rows import ones, row_maxima


def _plain(x: Any) -> Any:
    return x._data if isinstance(x, Tensor) else x


def reduce(loss: Any, reduction: str) -> Any:
    """The mean, the sum, or the losses themselves."""
    if reduction == "mean":
        return ops.mean(loss)
    if reduction == "sum":
        return ops.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"reduction is 'mean', 'sum' or 'none', not {reduction!r}.")


_EQUAL = "it compares element by element, so they must be equal"


def _same_shape(name: str, x: Any, target: Any) -> None:
    if x.shape != target.shape:
        raise ValueError(f"'{name}' cannot combine shapes {x.shape} and {target.shape}: {_EQUAL}.")


def _may_broadcast(name: str, x: Any, target: Any) -> None:
    if x.shape != target.shape:
        warnings.warn(
            f"'{name}' compares shapes {x.shape} and {target.shape} by repeating elements, which is seldom meant: "
            "give both the same shape.",
            stacklevel=3,
        )


# -- distances -----------------------------------------------------------------------------------------------


def _mse_definition(x: Any, target: Any) -> Any:
    away = x - target
    return ops.mean(away * away)


def _mse_forward(x: Any, target: Any) -> tuple[Any, Any]:
    away = x - target
    flat = away.ravel()
    return flat.dot(flat) / flat.size, away


def _mse_backward(g: Any, to: Any, away: Any, _x: Any, _target: Any) -> Any:
    grad = away * constant(2 * float(g) / max(away.size, 1), away.dtype)
    return None if to[0] is None else grad, None if to[1] is None else -grad


_mean_squared = Fused(
    "mse_loss",
    _mse_definition,
    _mse_forward,
    _mse_backward,
    reads={"x": "x target", "target": "x target"},
)


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The squared difference.

    >>> mse_loss(np.array([1.0, 2.0]), np.array([1.0, 4.0])).item()
    2.0
    """
    if reduction == "mean" and input.shape == target.shape:
        return _mean_squared(input, target)
    _may_broadcast("mse_loss", input, target)
    away = input - target
    return reduce(away * away, reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The absolute difference; its slope where the two are equal is 0."""
    _may_broadcast("l1_loss", input, target)
    return reduce(ops.abs(input - target), reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared difference below `delta`, linear from there on (Huber 1964): robust against outliers."""
    if reduction == "mean" and input.shape == target.shape:
        return _mean_huber(input, target, delta=float(delta))
    _may_broadcast("huber_loss", input, target)
    return reduce(_huber(input, target, delta), reduction)


def _huber(input: Any, target: Any, delta: float) -> Any:
    away = input - target
    size = ops.abs(away)
    return ops.where(size < delta, 0.5 * away * away, delta * (size - 0.5 * delta))


def _huber_definition(x: Any, target: Any, delta: float) -> Any:
    return ops.mean(_huber(x, target, delta))


def _huber_forward(x: Any, target: Any, delta: float) -> tuple[Any, Any]:
    """Half the squared difference is d a - d^2 / 2, where a is its size and d that up to delta; delta itself beyond."""
    away = x - target
    slope = np.minimum(np.maximum(away, -delta), delta)
    flat = slope.reshape(-1)
    return (flat.dot(away.reshape(-1)) - flat.dot(flat) * 0.5) / max(flat.size, 1), slope


def _huber_backward(g: Any, to: Any, slope: Any, _x: Any, _target: Any, delta: float) -> Any:
    grad = slope * constant(float(g) / max(slope.size, 1), slope.dtype)
    return None if to[0] is None else grad, None if to[1] is None else -grad


_mean_huber = Fused(
    "huber_loss",
    _huber_definition,
    _huber_forward,
    _huber_backward,
    reads={"x": "x target", "target": "x target"},
)


# -- two classes ---------------------------------------------------------------------------------------------


def binary_cross_entropy(input: Any, target: Any, reduction: str = "mean", weight: Any = None) -> Any:
    """`-(t log p + (1 - t) log(1 - p))` for probabilities `p`; each log is at least -100, as in PyTorch.

    `weight` multiplies the loss of each element; it broadcasts.
    """
    _same_shape("binary_cross_entropy", input, target)
    p = _plain(input)
    if p.size and not (p.min() >= 0 and p.max() <= 1):
        raise ValueError(
            f"'binary_cross_entropy' needs probabilities from 0 to 1, its input goes from {p.min():.4g} to "
            f"{p.max():.4g}: for logits use binary_cross_entropy_with_logits."
        )
    t = np.asarray(_plain(target))
    if t.size and not (t.min() >= 0 and t.max() <= 1):
        raise ValueError(
            f"'binary_cross_entropy' needs targets from 0 to 1, they go from {t.min():.4g} to {t.max():.4g}: "
            "give each the probability of the first class."
        )
    if weight is None and reduction == "mean":
        return _mean_binary(input, target)
    losses = _binary_cross_entropy(input, target)
    return reduce(losses if weight is None else losses * weight, reduction)


def _log_from_minus_100(p: Any) -> Any:
    return ops.maximum(ops.log(p), -100.0)


def _bce_forward(p: Any, t: Any) -> Any:
    with np.errstate(divide="ignore"):
        return -(t * _log_from_minus_100(p) + (1 - t) * _log_from_minus_100(1 - p))


_TINY = float(np.float32(1e-12))  # PyTorch's constant, to the last digit

# At p = 0 and 1 the slope is (p - t) / 1e-12: large but finite, as in PyTorch.
_binary_cross_entropy = Binary(
    "binary_cross_entropy",
    _bce_forward,
    lambda g, _ans, p, t: g * (p - t) / ops.maximum(p * (1 - p), _TINY),
    lambda g, _ans, p, _t: g * (_log_from_minus_100(1 - p) - _log_from_minus_100(p)),
)


def _binary_definition(p: Any, t: Any) -> Any:
    return ops.mean(_binary_cross_entropy(p, t))


def _binary_forward(p: Any, t: Any) -> tuple[Any, Any]:
    rest = 1 - p
    with np.errstate(divide="ignore"):
        yes, no = np.maximum(np.log(p), -100), np.maximum(np.log(rest), -100)
    return -(t * (yes - no) + no).sum() / p.size, (rest, yes, no)


def _binary_backward(g: Any, to: Any, kept: Any, p: Any, t: Any) -> Any:
    rest, yes, no = kept
    scale = constant(float(g) / max(p.size, 1), p.dtype)
    grad_p = None if to[0] is None else (p - t) / np.maximum(p * rest, constant(_TINY, p.dtype)) * scale
    return grad_p, None if to[1] is None else (no - yes) * scale


_mean_binary = Fused(
    "mean_binary_cross_entropy",
    _binary_definition,
    _binary_forward,
    _binary_backward,
    reads={"p": "p t", "t": "p t"},
)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, reduction: str = "mean", pos_weight: Any = None, weight: Any = None
) -> Any:
    """`binary_cross_entropy(sigmoid(input), target)`, computed so that large logits lose no digits.

    `pos_weight` multiplies the loss of the positive class, `weight` that of each element; both broadcast.
    """
    _same_shape("binary_cross_entropy_with_logits", input, target)
    if weight is None and pos_weight is None and reduction == "mean":
        return _mean_with_logits(input, target)
    # Minus the log of sigmoid(-x) is x minus the log of sigmoid(x): one smooth function serves both classes.
    positive = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    losses = (1 - target) * input - positive * ops.logsigmoid(input)
    return reduce(losses if weight is None else losses * weight, reduction)


def _with_logits_definition(x: Any, t: Any) -> Any:
    return ops.mean((1 - t) * x - ops.logsigmoid(x))


def _with_logits_forward(x: Any, t: Any) -> tuple[Any, Any]:
    """The loss is max(x, 0) - x t + log(1 + e), with e = exp(-|x|), which never overflows."""
    e = np.asarray(np.abs(x))
    np.negative(e, out=e)
    np.exp(e, out=e)
    flat = np.log1p(e).reshape(-1)
    flat += np.maximum(x, constant(0.0, x.dtype)).reshape(-1)
    return (flat.dot(ones(flat.size, x.dtype)) - x.reshape(-1).dot(t.reshape(-1))) / max(flat.size, 1), e


def _with_logits_backward(g: Any, to: Any, e: Any, x: Any, t: Any) -> Any:
    scale = constant(float(g) / max(x.size, 1), x.dtype)
    grad_x = None
    if to[0] is not None:
        one = constant(1.0, x.dtype)
        grad_x = np.asarray(np.maximum(e, x >= 0))  # the sigmoid is this, 1 or e, divided by 1 + e
        grad_x /= e + one
        grad_x -= t
        grad_x *= scale
    return grad_x, None if to[1] is None else x * -scale


_mean_with_logits = Fused(
    "binary_cross_entropy_with_logits",
    _with_logits_definition,
    _with_logits_forward,
    _with_logits_backward,
    reads={"x": "x t", "t": "x"},
)

# -- many classes --------------------------------------------------------------------------------------------


def _ce_definition(logits: Any, labels: np.ndarray, scale: float) -> Any:
    return -ops.sum(ops.log_softmax(logits, 1)[np.arange(len(labels)), labels]) * scale


_INT64 = np.dtype(np.int64)


def _ce_forward(logits: np.ndarray, labels: np.ndarray, scale: float) -> tuple[Any, Any]:
    n, classes = logits.shape
    out = np.subtract(logits, row_maxima(logits), order="C")
    right = np.arange(0, n * classes, classes)  # Where the right classes are when the rows lie end to end:
    right += labels  # one flat index is twice as fast as a pair of indices.
    picked = out.take(right)
    np.exp(out, out)
    total = out.dot(ones(classes, out.dtype))  # a quarter of add.reduce's time, as in `linear`
    losses = np.log(total)
    losses -= picked
    return np.add.reduce(losses) * scale, (out, total, right)


def _ce_backward(g: Any, _to: Any, kept: Any, logits: Any, labels: Any, scale: float) -> Any:
    out, total, right = kept
    scale = float(g) * scale
    grad = out * (constant(scale, total.dtype) / total)[:, None]
    grad.reshape(-1)[right] -= scale
    return [grad]


_cross_entropy = Fused("cross_entropy", _ce_definition, _ce_forward, _ce_backward, reads={"logits": "logits"})


def _smooth_definition(logits: Any, labels: np.ndarray, scale: float, smoothing: float) -> Any:
    logp = ops.log_softmax(logits, 1)
    right = ops.sum(logp[np.arange(len(labels)), labels])
    return ((smoothing - 1) * right - (smoothing / logits.shape[1]) * ops.sum(logp)) * scale


def _smooth_forward(logits: Any, labels: np.ndarray, scale: float, smoothing: float) -> tuple[Any, Any]:
    n, classes = logits.shape
    out = np.subtract(logits, row_maxima(logits), order="C")
    right = np.arange(0, n * classes, classes)
    right += labels
    picked = (1 - smoothing) * np.add.reduce(out.take(right))
    flat = out.reshape(-1)
    picked += (smoothing / classes) * flat.dot(ones(flat.size, out.dtype))
    np.exp(out, out)
    total = out.dot(ones(classes, out.dtype))
    return (np.add.reduce(np.log(total)) - picked) * scale, (out, total, right)


def _smooth_backward(
    g: Any, _to: Any, kept: Any, logits: Any, labels: Any, scale: float, smoothing: float
) -> Any:
    out, total, right = kept
    scale = float(g) * scale
    grad = out * (constant(scale, total.dtype) / total)[:, None]
    grad -= scale * smoothing / out.shape[1]
    grad.reshape(-1)[right] -= scale * (1 - smoothing)
    return [grad]


_smooth_cross_entropy = Fused(
    "smooth_cross_entropy", _smooth_definition, _smooth_forward, _smooth_backward, reads={"logits": "logits"}
)


def _towards_definition(logits: Any, target: Any) -> Any:
    return -ops.sum(ops.log_softmax(logits, 1) * target) / len(logits)


def _towards_forward(logits: Any, target: Any) -> tuple[Any, Any]:
    logp = np.subtract(logits, row_maxima(logits), order="C")
    p = np.exp(logp)
    total = p.dot(ones(p.shape[1], p.dtype))
    logp -= np.log(total)[:, None]
    return -logp.reshape(-1).dot(target.reshape(-1)) / len(logits), (p, total, logp)


def _towards_backward(g: Any, to: Any, kept: Any, _logits: Any, target: Any) -> Any:
    p, total, logp = kept
    scale = constant(float(g) / len(p), p.dtype)
    grad = None
    if to[0] is not None:
        grad = p * (target.dot(ones(p.shape[1], p.dtype)) / total)[:, None]
        grad -= target
        grad *= scale
    return grad, None if to[1] is None else logp * -scale


_towards = Fused(
    "soft_cross_entropy",
    _towards_definition,
    _towards_forward,
    _towards_backward,
    reads={"logits": "logits target", "target": "logits"},
)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Minus the log of the softmax at the right class.

    `input` (N, C), or (N, C, ...) with one prediction per position, or (C,). `target` has integers of the
    input's shape without C, or probabilities of the input's shape. Labels equal to `ignore_index` count for
    nothing, and "mean" divides by the number (with `weight` (C,): the total weight) of the others.
    `label_smoothing` mixes the target with the uniform distribution (Szegedy et al. 2016, arXiv:1512.00567).

    >>> loss = cross_entropy(Tensor([[0.0, 0.0]], requires_grad=True), np.array([1]))
    >>> round(loss.item(), 6)
    0.693147
    """
    labels = np.array(_plain(target))  # a copy: nobody would tell of its changes before backward
    if labels.dtype is not _INT64 and labels.dtype.kind in "iu":
        labels = labels.astype(_INT64)
    if weight is None and label_smoothing == 0 and _plain_labels(input.shape, labels, ignore_index):
        if reduction == "mean":
            return _cross_entropy(input, labels=labels, scale=1 / labels.size)
        if reduction == "sum":
            return _cross_entropy(input, labels=labels, scale=1.0)
    elif weight is None and reduction == "mean" and _plain_labels(input.shape, labels, ignore_index):
        smoothing = float(label_smoothing)
        return _smooth_cross_entropy(input, labels=labels, scale=1 / labels.size, smoothing=smoothing)
    axis = 0 if input.ndim == 1 else 1
    if labels.dtype.kind == "f":
        usual = weight is None and label_smoothing == 0 and reduction == "mean"
        if usual and input.ndim == 2 and input.shape == target.shape and input.size:
            return _towards(input, target)
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing, axis)
    _check_labels("cross_entropy", input.shape, labels, ignore_index, axis)
    logp = ops.log_softmax(input, axis)
    nll = nll_loss(logp, labels, weight, ignore_index, reduction)
    if label_smoothing == 0:
        return nll
    kept = labels != ignore_index
    uniform = -logp if weight is None else -logp * _per_class(weight, input.ndim, axis)
    spread = ops.sum(uniform, axis) * kept.astype(input.dtype)
    if reduction == "mean":
        spread = ops.sum(spread) / _total_weight(labels, weight, kept, input.dtype)
    else:
        spread = reduce(spread, reduction)
    return (1 - label_smoothing) * nll + (label_smoothing / input.shape[axis]) * spread


def _plain_labels(shape: tuple[int, ...], labels: np.ndarray, ignore_index: int) -> bool:
    """True for the common case: one int64 label per row, all of them classes and none ignored."""
    if len(shape) != 2 or labels.dtype is not _INT64 or labels.shape != shape[:1] or not labels.size:
        return False
    # Read as unsigned, a negative label is a very large one: one pass in place of two.
    largest = np.maximum.reduce(labels.view(np.uint64))
    return largest < shape[1] and (not 0 <= ignore_index < shape[1] or ignore_index not in labels)


def _soft_cross_entropy(
    input: Any, target: Any, weight: Any, reduction: str, smoothing: float, axis: int
) -> Any:
    _same_shape("cross_entropy", input, target)
    if smoothing:
        target = target * (1 - smoothing) + smoothing / input.shape[axis]
    losses = -(ops.log_softmax(input, axis) * target)
    if weight is not None:
        losses = losses * _per_class(weight, input.ndim, axis)
    if reduction == "mean":
        positions = np.size(_plain(input)) // input.shape[axis]
        return ops.sum(losses) / positions
    return reduce(ops.sum(losses, axis), reduction)


def _per_class(weight: Any, ndim: int, axis: int) -> np.ndarray:
    return np.asarray(_plain(weight)).reshape([-1 if i == axis else 1 for i in range(ndim)])


def _total_weight(labels: np.ndarray, weight: Any, kept: np.ndarray, dtype: Any) -> Any:
    if weight is None:
        return dtype.type(kept.sum())
    return np.asarray(_plain(weight))[np.where(kept, labels, 0)][kept].sum(dtype=dtype)


def _check_labels(name: str, shape: tuple[int, ...], labels: np.ndarray, ignore: int, axis: int) -> None:
    expected = shape[:axis] + shape[axis + 1 :]
    if labels.shape != expected:
        raise ValueError(
            f"'{name}' with input of shape {shape} needs labels of shape {expected}, not {labels.shape}."
        )
    bad = labels[(labels != ignore) & ((labels < 0) | (labels >= shape[axis]))]
    if bad.size:
        raise ValueError(f"'{name}' got label {bad[0]}, but the classes are 0 to {shape[axis] - 1}.")


def _picked_definition(logp: Any, labels: np.ndarray) -> Any:
    return -ops.mean(logp[np.arange(len(labels)), labels])


def _picked_forward(logp: np.ndarray, labels: np.ndarray) -> tuple[Any, Any]:
    n, classes = logp.shape
    right = np.arange(0, n * classes, classes)
    right += labels
    return np.add.reduce(logp.take(right)) / -n, right


def _picked_backward(g: Any, to: Any, right: Any, _logp: Any, labels: Any) -> Any:
    grad = np.zeros(to[0].shape, g.dtype)
    grad.reshape(-1)[right] = float(g) / -len(right)
    return [grad]


_mean_of_picked = Fused("nll_loss", _picked_definition, _picked_forward, _picked_backward, reads={"logp": ""})


def nll_loss(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """Minus the log-probability `input[n, target[n]]`; all else as in `cross_entropy`."""
    labels = np.array(_plain(target))  # a copy, as in cross_entropy
    if weight is None and reduction == "mean" and _plain_labels(input.shape, labels, ignore_index):
        return _mean_of_picked(input, labels=labels)
    axis = 0 if input.ndim == 1 else 1
    _check_labels("nll_loss", input.shape, labels, ignore_index, axis)
    kept = labels != ignore_index
    safe = np.where(kept, labels, 0)
    picked = ops.squeeze(ops.gather(input, axis, np.expand_dims(safe, axis)), axis)
    factor = kept.astype(input.dtype)
    if weight is not None:
        factor = factor * np.asarray(_plain(weight))[safe]
    losses = ops.where(kept, -picked * factor, 0.0)
    if reduction != "mean":
        return reduce(losses, reduction)
    return ops.sum(losses) / factor.sum()
