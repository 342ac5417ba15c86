"""What unit 15 adds to the learner's own engine: causal attention, as one operation with the learner's own rule.

The weights are the learner's `causal_softmax` of their `scaled_scores`, the way back is their `attention_rule`, and
`heads` are split and merged by theirs. It is there for who has written one of them: without it a GPT computes its
attention from the operations of units 05 and 06, which are the learner's, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .cells import YOURS
from .engine import Names, Surface
from .parts import Part

UNIT = "15_attention"


def _causal_softmax(scores: np.ndarray) -> np.ndarray:
    masked = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _scaled_scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])


def _attention_rule(g: np.ndarray, p: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Any:
    to_p = g @ v.swapaxes(-1, -2)
    to_products = p * (to_p - (to_p * p).sum(axis=-1, keepdims=True)) / np.sqrt(q.shape[-1])
    return to_products @ k, to_products.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ g


def _split(x: np.ndarray, heads: int) -> np.ndarray:
    b, t, width = x.shape
    return x.reshape(b, t, heads, width // heads).swapaxes(1, 2)


def _merge(x: np.ndarray) -> np.ndarray:
    b, heads, t, d = x.shape
    return x.swapaxes(1, 2).reshape(b, t, heads * d)


#: The learner's exercises of unit 15, and what stands in for one that is not written.
ATTENTION_PARTS = (
    Part(UNIT, "causal_softmax", {"causal_softmax": _causal_softmax}),
    Part(UNIT, "scaled_scores", {"scaled_scores": _scaled_scores}),
    Part(UNIT, "attention_rule", {"attention_rule": _attention_rule}),
    Part(UNIT, "mended_split", {"mended_split": _split, "mended_merge": _merge}),
)


def is_begun(whose: dict[str, str]) -> bool:
    """Whether one of these answers is the learner's own, in whole or in part."""
    return any(said.startswith(YOURS) for said in whose.values())


def add_attention(names: Names, own: Names) -> None:
    """Put attention into notebook 05's tables (`names`), of causal queries, keys and values, and of packed ones."""

    def like(x: Any, found: Any) -> np.ndarray:
        return np.asarray(found, x.dtype)  # in float32 a network stays, whatever an answer computes in

    def weights(q: Any, k: Any) -> np.ndarray:
        return like(q, own["causal_softmax"](own["scaled_scores"](q, k)))

    def split(qkv: Any, heads: int) -> list[np.ndarray]:
        return [own["mended_split"](part, heads) for part in np.split(qkv, 3, axis=-1)]

    def back(g: Any, q: Any, k: Any, v: Any) -> tuple[np.ndarray, ...]:
        return tuple(map(like, (q, k, v), own["attention_rule"](g, weights(q, k), q, k, v)))

    def packed(qkv: Any, heads: int) -> np.ndarray:
        q, k, v = split(qkv, heads)
        return like(qkv, own["mended_merge"](weights(q, k) @ v))

    def packed_back(g: Any, out: Any, qkv: Any, heads: int) -> tuple[np.ndarray]:
        found = back(own["mended_split"](g, heads), *split(qkv, heads))
        return (like(qkv, np.concatenate([own["mended_merge"](part) for part in found], axis=-1)),)

    names["FORWARD"] |= {
        "attention": lambda q, k, v: like(q, weights(q, k) @ v),
        "self_attention": packed,
    }
    names["RULES"] |= {
        "attention": lambda g, out, q, k, v: back(g, q, k, v),
        "self_attention": packed_back,
    }


def attention_functions(Tensor: Any) -> dict[str, Any]:
    """`scaled_dot_product_attention` and `self_attention`, with the reference's arguments as far as unit 15 goes."""

    def tensor(x: Any) -> Any:
        return x if isinstance(x, Surface) else Tensor(x)

    def needs_causal(attn_mask: Any, is_causal: bool) -> None:
        if attn_mask is not None or not is_causal:
            raise ValueError("your own attention is causal, as in unit 15: pass is_causal=True and no mask")

    def scaled_dot_product_attention(
        query: Any, key: Any, value: Any, attn_mask: Any = None, is_causal: bool = False
    ) -> Any:
        needs_causal(attn_mask, is_causal)
        if query.shape[-2] != key.shape[-2]:
            raise ValueError(
                f"your own attention takes as many queries as keys, not {query.shape[-2]} and {key.shape[-2]}"
            )
        return Tensor.apply("attention", tensor(query), tensor(key), tensor(value))

    def self_attention(qkv: Any, heads: int, attn_mask: Any = None, is_causal: bool = False) -> Any:
        needs_causal(attn_mask, is_causal)
        if len(qkv.shape) != 3 or qkv.shape[-1] % (3 * heads):
            raise ValueError(
                f"'self_attention' needs (B, T, 3 * D) with D a multiple of {heads}, not {qkv.shape}"
            )
        return Tensor.apply("self_attention", tensor(qkv), constants=(heads,))

    return {
        "scaled_dot_product_attention": scaled_dot_product_attention,
        "self_attention": self_attention,
    }
