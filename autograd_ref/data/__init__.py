"""Small data sets for a course, readers for larger ones, and batches of either.

Everything here is NumPy: functions return arrays (float64 inputs, int64 labels) and know nothing of tensors.
"""

from autograd_ref.data.digits import load_digits
from autograd_ref.data.loading import ArrayDataset, DataLoader, Dataset, default_collate, random_split
from autograd_ref.data.readers import read_csv, read_idx, read_mnist
from autograd_ref.data.samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from autograd_ref.data.text import load_sonnets, vocabulary, windows
from autograd_ref.data.toy import circles, moons, sine, spirals, xor

__all__ = [
    "ArrayDataset",
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
    "circles",
    "default_collate",
    "load_digits",
    "load_sonnets",
    "moons",
    "random_split",
    "read_csv",
    "read_idx",
    "read_mnist",
    "sine",
    "spirals",
    "vocabulary",
    "windows",
    "xor",
]
