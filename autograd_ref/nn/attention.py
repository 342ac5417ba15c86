"""Attention, and the transformer block around it."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref.functional import linear, scaled_dot_product_attention, self_attention
from autograd_ref.nn.activations import GELU
from autograd_ref.nn.dropout import Dropout
from autograd_ref.nn.init import xavier_uniform_, zeros_
from autograd_ref.nn.linear import Linear
from autograd_ref.nn.module import Module, Parameter
from autograd_ref.nn.normalization import LayerNorm


class MultiheadAttention(Module):
    """`num_heads` attentions side by side, each on its share of the width.  Vaswani et al. 2017, section
    3.2.2.

    `query` has shape (B, T, embed_dim); `key` and `value` (B, S, embed_dim) are the query itself if left out.
    Returns (B, T, embed_dim). Differences from PyTorch: the batch comes first, the weights are not returned,
    and a boolean `attn_mask` is True where attention is allowed, as in `scaled_dot_product_attention`.
    """

    def __init__(self, embed_dim: int, num_heads: int, bias: bool = True) -> None:
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim ({embed_dim}) must be a multiple of num_heads ({num_heads}).")
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.in_proj_weight = Parameter(np.empty((3 * embed_dim, embed_dim)))
        self.in_proj_bias = Parameter(np.empty(3 * embed_dim)) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        xavier_uniform_(self.in_proj_weight)
        for zero in (self.in_proj_bias, self.out_proj.bias):
            if zero is not None:
                zeros_(zero)

    def forward(
        self, query: Any, key: Any = None, value: Any = None, attn_mask: Any = None, is_causal: bool = False
    ) -> Any:
        if key is None and value is None:
            packed = linear(query, self.in_proj_weight, self.in_proj_bias)
            return self.out_proj(self_attention(packed, self.num_heads, attn_mask, is_causal))
        key = query if key is None else key
        q, k, v = (self._project(i, x) for i, x in enumerate((query, key, key if value is None else value)))
        mixed = scaled_dot_product_attention(q, k, v, attn_mask, is_causal)
        return self.out_proj(mixed.swapaxes(1, 2).reshape(*query.shape))

    def _project(self, i: int, x: Any) -> Any:
        """The i-th third of the input projection of (B, T, embed_dim), as (B, heads, T, width of a head)."""
        part = slice(i * self.embed_dim, (i + 1) * self.embed_dim)
        bias = None if self.in_proj_bias is None else self.in_proj_bias[part]
        out = linear(x, self.in_proj_weight[part], bias)
        return out.reshape(*x.shape[:2], self.num_heads, -1).swapaxes(1, 2)

    def extra_repr(self) -> str:
        return f"{self.embed_dim}, heads={self.num_heads}"


class TransformerBlock(Module):
    """x + attention(norm(x)), then x + mlp(norm(x)): the block of GPT-2, normalising first.

    (B, T, embed_dim) to the same shape. The MLP is `hidden` wide, 4 times the width by default. With `causal`
    every position sees itself and those before it. The same as PyTorch's `TransformerEncoderLayer` with
    `norm_first=True`, `batch_first=True` and `activation="gelu"`, with the same parameter names.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        hidden: int | None = None,
        dropout: float = 0.0,
        causal: bool = False,
        activation: Module | None = None,
    ) -> None:
        hidden = 4 * embed_dim if hidden is None else hidden
        self.causal = causal
        self.self_attn = MultiheadAttention(embed_dim, num_heads)
        self.linear1 = Linear(embed_dim, hidden)
        self.linear2 = Linear(hidden, embed_dim)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.activation = GELU() if activation is None else activation
        self.dropout = Dropout(dropout)

    def forward(self, x: Any, attn_mask: Any = None) -> Any:
        x = x + self.dropout(self.self_attn(self.norm1(x), attn_mask=attn_mask, is_causal=self.causal))
        wide = self.dropout(self.activation(self.linear1(self.norm2(x))))
        return x + self.dropout(self.linear2(wide))

    def extra_repr(self) -> str:
        return "causal" if self.causal else ""
