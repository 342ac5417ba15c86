"""Toy problems are reproducible and of the stated form; the loader shows every item once per epoch."""

import numpy as np
import pytest

from autograd_ref.data import (
    ArrayDataset,
    DataLoader,
    Dataset,
    circles,
    moons,
    random_split,
    sine,
    spirals,
    xor,
)


@pytest.mark.parametrize("make", [circles, moons, spirals, xor])
def test_a_toy_problem_has_the_stated_shapes_and_is_determined_by_its_seed(make):
    x, y = make(n=61, noise=0.1, seed=3)
    assert x.shape == (61, 2)
    assert y.shape == (61,)
    assert (x.dtype, y.dtype) == (np.float64, np.int64)
    np.testing.assert_array_equal(x, make(n=61, noise=0.1, seed=3)[0])
    assert not np.array_equal(x, make(n=61, noise=0.1, seed=4)[0])
    counts = np.bincount(y)
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("arms", [2, 4, 5])
def test_spirals_have_as_many_classes_as_arms(arms):
    assert set(spirals(10 * arms, arms=arms)[1]) == set(range(arms))


def test_sine_without_noise_is_the_sine():
    x, y = sine(50, noise=0.0)
    np.testing.assert_allclose(y, np.sin(x))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: moons(0), "n is a count"),
        (lambda: circles(10, factor=2.0), "factor is the radius"),
        (lambda: xor(noise=-1.0), "noise is a standard deviation"),
        (lambda: spirals(10, arms=0), "arms is a count"),
        (lambda: ArrayDataset(np.zeros(3), np.zeros(4)), "one length"),
        (lambda: DataLoader(ArrayDataset(np.zeros(3)), batch_size=0), "batch_size"),
        (lambda: random_split(ArrayDataset(np.zeros(3)), 2.0), "fraction"),
    ],
)
def test_a_wrong_argument_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("shuffle", [False, True])
def test_an_epoch_shows_every_item_exactly_once(shuffle):
    loader = DataLoader(ArrayDataset(np.arange(23), -np.arange(23)), batch_size=5, shuffle=shuffle, seed=1)
    for _ in range(2):
        batches = list(loader)
        assert len(batches) == len(loader) == 5
        assert sorted(np.concatenate([x for x, _ in batches])) == list(range(23))
        assert all((x == -y).all() for x, y in batches)


def test_drop_last_leaves_out_the_small_batch():
    loader = DataLoader(ArrayDataset(np.arange(23)), batch_size=5, drop_last=True)
    assert [len(x) for (x,) in loader] == [5, 5, 5, 5]


def test_epochs_differ_but_a_seed_repeats_them():
    first, second = (DataLoader(ArrayDataset(np.arange(50)), 50, shuffle=True, seed=7) for _ in range(2))
    a, b = ([x.tolist() for _ in range(2) for (x,) in loader] for loader in (first, second))
    assert a == b
    assert a[0] != a[1]


def test_a_dataset_of_your_own_is_stacked_item_by_item():
    class Squares(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return np.full(2, index), index * index

    x, y = next(iter(DataLoader(Squares(), batch_size=3)))
    np.testing.assert_array_equal(x, [[0, 0], [1, 1], [2, 2]])
    np.testing.assert_array_equal(y, [0, 1, 4])


def test_a_dataset_without_its_methods_says_which_is_missing():
    with pytest.raises(NotImplementedError, match="needs __len__"):
        len(Dataset())
