"""The table of primitives: what each one computes, and its gradient rules beside it."""

from __future__ import annotations

from autograd_ref.rules import elementwise, indexing, normal, products, reductions, shapes, softmax

__all__ = ["elementwise", "indexing", "normal", "products", "reductions", "shapes", "softmax"]
