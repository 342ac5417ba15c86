"""Datasets and the loader that cuts them into batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np


class Dataset:
    """Anything with a length and numbered items; derive from it and write `__len__` and `__getitem__`."""

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} needs __len__, the number of its items.")

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} needs __getitem__, which returns the item of a number."
        )


class ArrayDataset(Dataset):
    """Arrays of the same length; item i is the tuple of their entries i.

    >>> data = ArrayDataset(np.arange(6.0).reshape(3, 2), np.array([0, 1, 0]))
    >>> data[1]
    (array([2., 3.]), np.int64(1))
    """

    def __init__(self, *arrays: Any) -> None:
        self.arrays = tuple(np.asarray(a) for a in arrays)
        lengths = [len(a) for a in self.arrays]
        if len(set(lengths)) != 1:
            raise ValueError(f"An ArrayDataset takes arrays of one length, not {lengths or 'none'}.")

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(a[index] for a in self.arrays)


class DataLoader:
    """Batches of a dataset, as tuples of arrays; iterate over it once per epoch.

    `shuffle` takes a new order in every epoch, all of them determined by `seed` (None: different in every
    run). `drop_last` leaves out a last batch that is smaller. Items are stacked field by field; an
    `ArrayDataset` is indexed once a batch, which is faster. A `sampler` gives the numbers of the items in an order of
    its own, a `batch_sampler` those of whole batches, and `collate_fn` makes a batch of a list of items.

    >>> loader = DataLoader(ArrayDataset(np.arange(5)), batch_size=2)
    >>> [batch.tolist() for (batch,) in loader]
    [[0, 1], [2, 3], [4]]
    >>> words = ["a", "tree", "is"]
    >>> next(iter(DataLoader(words, batch_size=3, collate_fn=lambda items: [len(word) for word in items])))
    [1, 4, 2]
    """

    def __init__(
        self,
        dataset: Dataset | Sequence[Any],
        batch_size: int = 32,
        shuffle: bool = False,
        drop_last: bool = False,
        seed: int | None = None,
        sampler: Iterable[int] | None = None,
        batch_sampler: Iterable[Sequence[int]] | None = None,
        collate_fn: Callable[[list[Any]], Any] | None = None,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}.")
        if sampler is not None and shuffle:
            raise ValueError("A sampler has an order of its own: leave out shuffle, or the sampler.")
        if batch_sampler is not None and (sampler is not None or shuffle or drop_last):
            raise ValueError("A batch_sampler decides all: leave out sampler, shuffle and drop_last.")
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        self.sampler, self.batch_sampler, self.collate_fn = sampler, batch_sampler, collate_fn
        self._generator = np.random.default_rng(seed)

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]
        n = len(self.dataset if self.sampler is None else self.sampler)  # type: ignore[arg-type]
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        for chosen in self._batches():
            yield self._batch(chosen)

    def _batches(self) -> Iterator[Any]:
        """The numbers of the items of each batch."""
        if self.batch_sampler is not None:
            yield from self.batch_sampler
            return
        n = len(self.dataset)
        order: Any = self._generator.permutation(n) if self.shuffle else np.arange(n)
        if self.sampler is not None:
            order = list(self.sampler)
        for start in range(0, len(self) * self.batch_size, self.batch_size):
            yield order[start : start + self.batch_size]

    def _batch(self, chosen: Any) -> Any:
        if isinstance(self.dataset, ArrayDataset) and self.collate_fn is None:
            return self.dataset[np.asarray(chosen, np.intp)]
        items = [self.dataset[int(i)] for i in chosen]
        return default_collate(items) if self.collate_fn is None else self.collate_fn(items)


def default_collate(items: list[Any]) -> tuple[np.ndarray, ...]:
    """A batch as a loader makes it: the items' fields stacked, as a tuple of arrays.

    >>> default_collate([(1.0, 2), (3.0, 4)])
    (array([1., 3.]), array([2, 4]))
    """
    fields = zip(*(item if isinstance(item, tuple) else (item,) for item in items), strict=True)
    return tuple(np.stack([np.asarray(value) for value in field]) for field in fields)


def random_split(dataset: ArrayDataset, fraction: float, seed: int = 0) -> tuple[ArrayDataset, ArrayDataset]:
    """Two datasets, with `fraction` of the items in the first, drawn at random.

    >>> train, test = random_split(ArrayDataset(np.arange(10)), 0.8)
    >>> len(train), len(test)
    (8, 2)
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction is a share between 0 and 1, not {fraction}.")
    order = np.random.default_rng(seed).permutation(len(dataset))
    cut = round(fraction * len(dataset))
    return ArrayDataset(*dataset[order[:cut]]), ArrayDataset(*dataset[order[cut:]])
