"""Scaled dot-product attention (Vaswani et al. 2017, arXiv:1706.03762), fused: it keeps the weights only."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref import ops
from autograd_ref.core.tensor import Tensor
from autograd_ref.functional.fused import Fused
from autograd_ref.rules.rows import row_maxima, row_sums


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Any:
    """`softmax(query @ key.T * scale + mask) @ value`.

    `query` (..., T, E), `key` (..., S, E) and `value` (..., S, V) give (..., T, V).
    `attn_mask` (..., T, S) is boolean (True: may attend) or a number added to the score. With `is_causal`,
    position t sees positions up to t only. `scale` is 1 / sqrt(E) by default.
    """
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    mask = additive_mask(attn_mask, is_causal, query.shape[-2], key.shape[-2], query.dtype)
    return _attention(query, key, value, mask=mask, scale=scale)


def additive_mask(mask: Any, causal: bool, t: int, s: int, dtype: Any) -> np.ndarray | None:
    """What to add to the scores: 0 where attention is allowed and -inf elsewhere."""
    if causal:
        if mask is not None:
            raise ValueError("Attention takes attn_mask or is_causal=True, not both.")
        return _causal_mask(t, s, dtype)
    if mask is None:
        return None
    mask = mask._data if isinstance(mask, Tensor) else np.asarray(mask)
    return np.where(mask, 0, -np.inf).astype(dtype) if mask.dtype == bool else mask.astype(dtype)


@lru_cache(maxsize=8)
def _causal_mask(t: int, s: int, dtype: Any) -> np.ndarray:
    mask = np.where(np.tri(t, s, dtype=bool), 0, -np.inf).astype(dtype)
    mask.setflags(write=False)
    return mask


def _definition(q: Any, k: Any, v: Any, mask: Any, scale: float) -> Any:
    scores = ops.matmul(q, ops.swapaxes(k, -1, -2)) * scale
    return ops.matmul(ops.softmax(scores if mask is None else scores + mask), v)


def weights(q: np.ndarray, k: np.ndarray, mask: Any, scale: float) -> np.ndarray:
    """The softmax of the scores, computed in place of them."""
    p = np.matmul(q, k.swapaxes(-1, -2), order="C")
    p *= scale
    if mask is not None:
        p += mask
    rows = p.reshape(-1, p.shape[-1])  # a view
    rows -= row_maxima(rows)
    if mask is not None:
        np.maximum(p, -500, out=p)  # exp(-inf) takes NumPy four times as long, exp(-500) is as good as 0.
    np.exp(p, out=p)
    rows /= row_sums(rows)
    return p


def scores_gradient(p: np.ndarray, g: np.ndarray, v: np.ndarray, scale: float) -> np.ndarray:
    """The gradient of `query @ key.T`, in place of the gradient of the weights."""
    ds = np.matmul(g, v.swapaxes(-1, -2))
    ds -= np.einsum("...ij,...ij->...i", ds, p)[..., None]
    ds *= p
    ds *= scale
    return ds


def _forward(q: Any, k: Any, v: Any, mask: Any, scale: float) -> tuple[Any, Any]:
    p = weights(q, k, mask, scale)
    return np.matmul(p, v), p


def _backward(g: Any, to: Any, p: Any, q: Any, k: Any, v: Any, mask: Any, scale: float) -> Any:
    to_q, to_k, to_v = to
    ds: Any = scores_gradient(p, g, v, scale) if to_q is not None or to_k is not None else None
    return (
        None if to_q is None else np.matmul(ds, k),
        None if to_k is None else np.matmul(ds.swapaxes(-1, -2), q),
        None if to_v is None else np.matmul(p.swapaxes(-1, -2), g),
    )


_attention = Fused(
    "attention",
    _definition,
    _forward,
    _backward,
    reads={"q": "q k v", "k": "q k v", "v": "q k"},
    broadcasts=True,
)


def self_attention(qkv: Any, heads: int, attn_mask: Any = None, is_causal: bool = False) -> Any:
    """Multi-head attention of a sequence with itself, from its packed projections.

    `qkv` (B, T, 3 * D) has queries, keys and values one after the other, as one linear layer makes them.
    Returns (B, T, D) with the heads side by side. The same as splitting, `scaled_dot_product_attention` and
    merging, without the copies.
    """
    if qkv.ndim != 3 or qkv.shape[-1] % (3 * heads):
        raise ValueError(
            f"'self_attention' needs (B, T, 3 * D) with D a multiple of {heads}, not {qkv.shape}."
        )
    width = qkv.shape[-1] // 3
    mask = additive_mask(attn_mask, is_causal, qkv.shape[1], qkv.shape[1], qkv.dtype)
    return _self_attention(qkv, heads=heads, mask=mask, scale=1 / math.sqrt(width // heads))


def _split(qkv: Any, heads: int) -> list[Any]:
    b, t, width = qkv.shape
    parts = qkv.reshape(b, t, 3, heads, width // 3 // heads)
    order = (0, 2, 1, 3)
    views = (parts[:, :, i] for i in range(3))
    return [v.transpose(order) for v in views]


def _self_definition(qkv: Any, heads: int, mask: Any, scale: float) -> Any:
    b, t, width = qkv.shape
    q, k, v = _split(qkv, heads)
    out = _definition(q, k, v, mask, scale)
    return out.transpose((0, 2, 1, 3)).reshape(b, t, width // 3)


def _self_forward(qkv: Any, heads: int, mask: Any, scale: float) -> tuple[Any, Any]:
    q, k, v = _split(qkv, heads)
    p = weights(q, k, mask, scale)
    out = np.empty((*qkv.shape[:2], qkv.shape[2] // 3), qkv.dtype)
    np.matmul(p, v, out=_heads(out, heads))
    return out, p


def _heads(x: np.ndarray, heads: int) -> np.ndarray:
    b, t, width = x.shape
    return x.reshape(b, t, heads, width // heads).transpose(0, 2, 1, 3)


def _self_backward(g: Any, _to: Any, p: Any, qkv: Any, heads: int, mask: Any, scale: float) -> Any:
    q, k, v = _split(qkv, heads)
    grad = np.empty(qkv.shape, qkv.dtype)
    dq, dk, dv = _split(grad, heads)
    g = _heads(np.ascontiguousarray(g), heads)
    np.matmul(p.swapaxes(-1, -2), g, out=dv)
    ds = scores_gradient(p, g, v, scale)
    np.matmul(ds, k, out=dq)
    np.matmul(ds.swapaxes(-1, -2), q, out=dk)
    return [grad]


_self_attention = Fused(
    "self_attention", _self_definition, _self_forward, _self_backward, reads={"qkv": "qkv"}
)
