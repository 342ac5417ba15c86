"""Losses of many classes: cross-entropy from logits, and the negative log-likelihood."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.broadcasting import ones
from autograd_ref.core.promotion import constant
from autograd_ref.functional.fused import Fused
from autograd_ref.functional.reduction import plain, reduce, same_shape
from autograd_ref.rules.reductions import total_of
from autograd_ref.rules.rows import row_maxima


def _ce_definition(logits: Any, labels: np.ndarray, scale: float) -> Any:
    return -ops.sum(ops.log_softmax(logits, 1)[np.arange(len(labels)), labels]) * scale


_INT64 = np.dtype(np.int64)


def _ce_forward(logits: np.ndarray, labels: np.ndarray, scale: float) -> tuple[Any, Any]:
    n, classes = logits.shape
    out = np.subtract(logits, row_maxima(logits), order="C")
    right = _starts(n, classes) + labels
    picked = out.take(right)
    np.exp(out, out)
    total = out.dot(ones(classes, out.dtype))  # a quarter of add.reduce's time, as in `linear`
    losses = np.log(total)
    losses -= picked
    return total_of(losses) * scale, (out, total, right)


def _starts(n: int, classes: int) -> np.ndarray:
    """Where the rows begin when they lie end to end: one flat index is twice as fast as a pair of indices."""
    return _few_starts(n, classes) if n <= 4096 else np.arange(0, n * classes, classes)


@lru_cache(maxsize=64)
def _few_starts(n: int, classes: int) -> np.ndarray:
    made = np.arange(0, n * classes, classes)
    made.setflags(write=False)
    return made


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
    right = _starts(n, classes) + labels
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

    >>> from autograd_ref import Tensor
    >>> loss = cross_entropy(Tensor([[0.0, 0.0]], requires_grad=True), np.array([1]))
    >>> round(loss.item(), 6)
    0.693147
    """
    labels = np.array(plain(target))  # a copy: nobody would tell of its changes before backward
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
    same_shape("cross_entropy", input, target)
    if smoothing:
        target = target * (1 - smoothing) + smoothing / input.shape[axis]
    losses = -(ops.log_softmax(input, axis) * target)
    if weight is not None:
        losses = losses * _per_class(weight, input.ndim, axis)
    if reduction == "mean":
        positions = np.size(plain(input)) // input.shape[axis]
        return ops.sum(losses) / positions
    return reduce(ops.sum(losses, axis), reduction)


def _per_class(weight: Any, ndim: int, axis: int) -> np.ndarray:
    return np.asarray(plain(weight)).reshape([-1 if i == axis else 1 for i in range(ndim)])


def _total_weight(labels: np.ndarray, weight: Any, kept: np.ndarray, dtype: Any) -> Any:
    if weight is None:
        return dtype.type(kept.sum())
    return np.asarray(plain(weight))[np.where(kept, labels, 0)][kept].sum(dtype=dtype)


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
    right = _starts(n, classes) + labels
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
    labels = np.array(plain(target))  # a copy, as in cross_entropy
    if weight is None and reduction == "mean" and _plain_labels(input.shape, labels, ignore_index):
        return _mean_of_picked(input, labels=labels)
    axis = 0 if input.ndim == 1 else 1
    _check_labels("nll_loss", input.shape, labels, ignore_index, axis)
    kept = labels != ignore_index
    safe = np.where(kept, labels, 0)
    picked = ops.squeeze(ops.gather(input, axis, np.expand_dims(safe, axis)), axis)
    factor = kept.astype(input.dtype)
    if weight is not None:
        factor = factor * np.asarray(plain(weight))[safe]
    losses = ops.where(kept, -picked * factor, 0.0)
    if reduction != "mean":
        return reduce(losses, reduction)
    return ops.sum(losses) / factor.sum()
