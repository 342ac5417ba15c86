"""Samplers give the items that they say, in PyTorch's numbers where nothing is drawn; a loader follows them."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_ref.data import (
    ArrayDataset,
    BatchSampler,
    DataLoader,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    default_collate,
)


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize(("n", "size"), [(0, 3), (2, 3), (6, 3), (7, 3), (7, 1)])
def test_batches_of_numbers_are_pytorchs(n, size, drop_last):
    data = pytest.importorskip("torch.utils.data")
    ours = BatchSampler(SequentialSampler(range(n)), size, drop_last)
    theirs = data.BatchSampler(data.SequentialSampler(range(n)), size, drop_last)
    assert list(ours) == list(theirs) and len(ours) == len(theirs)
    loader = DataLoader(ArrayDataset(np.arange(n)), sampler=range(n), batch_size=size, drop_last=drop_last)
    assert [batch.tolist() for (batch,) in loader] == list(theirs) and len(loader) == len(theirs)


def test_a_random_sampler_takes_every_item_once_in_another_order_each_time():
    sampler = RandomSampler(range(50), seed=1)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(50)) and first != second
    assert list(RandomSampler(range(50), seed=1)) == first
    few = list(RandomSampler(range(50), num_samples=20, seed=2))
    assert len(set(few)) == 20
    many = list(RandomSampler(range(5), replacement=True, num_samples=1000, seed=3))
    assert len(many) == 1000 and np.bincount(many).min() > 150
    assert sorted(SubsetRandomSampler([9, 4, 4], seed=0)) == [4, 4, 9]


def test_a_weighted_sampler_draws_in_proportion_to_the_weights():
    sampler = WeightedRandomSampler([1.0, 0.0, 3.0], 4000, seed=4)
    counts = np.bincount(list(sampler), minlength=3)
    assert len(sampler) == counts.sum() == 4000 and counts[1] == 0
    assert 2.6 < counts[2] / counts[0] < 3.4
    assert sorted(WeightedRandomSampler([1.0, 0.0, 3.0], 2, replacement=False, seed=5)) == [0, 2]


def test_a_loader_follows_a_sampler_and_a_batch_sampler():
    items = ArrayDataset(np.arange(10.0), np.arange(10) % 3)
    batches = list(DataLoader(items, batch_size=2, sampler=[7, 0, 7]))
    assert [x.tolist() for x, _ in batches] == [[7.0, 0.0], [7.0]]
    loader = DataLoader(items, batch_sampler=[[1, 2, 3], [9]])
    assert [y.tolist() for _, y in loader] == [[1, 2, 0], [0]] and len(loader) == 2


def test_a_collate_function_makes_the_batch_and_the_usual_one_stacks_fields():
    rows = [(np.ones(2), 0), (np.zeros(2), 1)]
    (total,) = DataLoader(rows, batch_size=2, collate_fn=lambda items: sum(label for _, label in items))
    assert total == 1
    ((x, y),) = DataLoader(rows, batch_size=2)
    for made in ((x, y), default_collate(rows)):
        np.testing.assert_array_equal(made[0], [[1, 1], [0, 0]])
        np.testing.assert_array_equal(made[1], [0, 1])
    pairs = ArrayDataset(np.arange(3), np.arange(3))
    (batch,) = DataLoader(pairs, batch_size=3, collate_fn=list)
    assert [tuple(map(int, item)) for item in batch] == [(0, 0), (1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: RandomSampler(range(3), num_samples=4), "cannot take 4 of 3 items"),
        (lambda: RandomSampler([], replacement=True, num_samples=1), "cannot take 1 of 0 items"),
        (lambda: WeightedRandomSampler([0.0, 0.0], 1), "not all 0"),
        (lambda: WeightedRandomSampler([-1.0, 2.0], 1), "none negative"),
        (lambda: WeightedRandomSampler([1.0, 0.0], 2, replacement=False), "2 items of 1"),
        (lambda: BatchSampler([1], 0), "batch_size"),
        (lambda: DataLoader([1], sampler=[0], shuffle=True), "leave out shuffle"),
        (lambda: DataLoader([1], batch_sampler=[[0]], drop_last=True), "decides all"),
    ],
)
def test_a_wrong_argument_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_a_sampler_without_its_methods_says_which():
    with pytest.raises(NotImplementedError, match="Sampler needs __iter__"):
        iter(Sampler())
    with pytest.raises(NotImplementedError, match="Sampler needs __len__"):
        len(Sampler())
