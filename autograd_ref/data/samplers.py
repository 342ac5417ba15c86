"""Samplers: the order in which a loader takes the items of a dataset. Each gives item numbers, anew for every epoch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

import numpy as np


class Sampler:
    """Anything that iterates over item numbers and has a length; derive from it, or write a list."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} needs __iter__, which gives the numbers of items.")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} needs __len__, how many numbers it gives.")


class SequentialSampler(Sampler):
    """0, 1, 2, ...: the items as they stand.

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """All items in a random order, or `num_samples` of them; with `replacement` each drawn from all.

    `seed` determines the orders of all epochs (None: different in every run). Raises ValueError for more samples than
    items, without replacement.

    >>> sorted(RandomSampler(range(4), seed=0))
    [0, 1, 2, 3]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        seed: int | None = None,
    ) -> None:
        count = len(data_source) if num_samples is None else num_samples
        if count < 0 or (count > len(data_source) and (not replacement or not len(data_source))):
            raise ValueError(
                f"RandomSampler cannot take {count} of {len(data_source)} items, each at most once."
            )
        self.data_source, self.replacement, self.num_samples = data_source, replacement, count
        self._generator = np.random.default_rng(seed)

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        if self.replacement:
            return iter(self._generator.integers(0, n, self.num_samples).tolist() if n else [])
        return iter(self._generator.permutation(n)[: self.num_samples].tolist())

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given items in a random order.

    >>> sorted(SubsetRandomSampler([5, 2, 7], seed=0))
    [2, 5, 7]
    """

    def __init__(self, indices: Sequence[int], seed: int | None = None) -> None:
        self.indices = indices
        self._generator = np.random.default_rng(seed)

    def __iter__(self) -> Iterator[int]:
        return iter([self.indices[i] for i in self._generator.permutation(len(self.indices))])

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """`num_samples` items, each drawn with a probability in proportion to its weight: against rare classes.

    Raises ValueError for weights that are negative, or all 0, or fewer than are drawn without replacement.

    >>> set(WeightedRandomSampler([0.0, 1.0, 0.0], 5, seed=0))
    {1}
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, seed: int | None = None
    ) -> None:
        self.weights = np.asarray(weights, float)
        if self.weights.ndim != 1 or not (self.weights >= 0).all() or not 0 < self.weights.sum() < np.inf:
            raise ValueError("WeightedRandomSampler needs a row of weights, none negative and not all 0.")
        if num_samples < 0 or (not replacement and num_samples > np.count_nonzero(self.weights)):
            raise ValueError(
                f"WeightedRandomSampler cannot take {num_samples} items of {np.count_nonzero(self.weights)} that have "
                "a weight, each at most once."
            )
        self.num_samples, self.replacement = num_samples, replacement
        self._generator = np.random.default_rng(seed)

    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        return iter(self._generator.choice(len(share), self.num_samples, self.replacement, share).tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """The numbers of another sampler in lists of `batch_size`; `drop_last` leaves out a last one that is smaller.

    >>> list(BatchSampler(SequentialSampler("abc"), 2))
    [[0, 1], [2]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool = False) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}.")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for i in self.sampler:
            batch.append(i)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        n = len(self.sampler)  # type: ignore[arg-type]
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
