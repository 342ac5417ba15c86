"""The embedding: a table of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref.functional import embedding
from autograd_ref.nn.init import normal_
from autograd_ref.nn.module import Module, Parameter


class Embedding(Module):
    """Integers to vectors: (...,) to (..., embedding_dim). They start standard normal."""

    def __init__(self, num_embeddings: int, embedding_dim: int) -> None:
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter(np.empty((num_embeddings, embedding_dim)))
        normal_(self.weight)

    def forward(self, index: Any) -> Any:
        return embedding(index, self.weight)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"
