"""Handwritten digits of 8 by 8 pixels, packaged, so that they are there without a network."""

from __future__ import annotations

from importlib.resources import files

import numpy as np


def load_digits(flat: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """1,797 digits: images (1797, 1, 8, 8), float64 in [0, 1], and labels (1797,), int64.

    With `flat` the images have shape (1797, 64). They are the test set of the *Optical Recognition of
    Handwritten Digits* (Alpaydin and Kaynak 1998, UCI Machine Learning Repository, CC BY 4.0), written by 13
    people; the README beside the file has source and checksum.

    >>> x, y = load_digits()
    >>> x.shape, y[:5]
    ((1797, 1, 8, 8), array([0, 1, 2, 3, 4]))
    """
    with files("autograd_ref.data").joinpath("files/digits.npz").open("rb") as file:
        stored = np.load(file)
        images, labels = stored["images"], stored["labels"]
    shape = (len(images), 64) if flat else (len(images), 1, 8, 8)
    return images.reshape(shape) / 16.0, labels.astype(np.int64)
