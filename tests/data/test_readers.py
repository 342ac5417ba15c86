"""Readers give back what was written, and a sentence for a file that is not what it should be."""

import gzip
import struct

import numpy as np
import pytest

from autograd_ref.data import read_csv, read_idx, read_mnist
from autograd_ref.data.readers import IDX_TYPES


def idx(array, code):
    header = bytes([0, 0, code, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(IDX_TYPES[code]).tobytes()


@pytest.mark.parametrize("code", IDX_TYPES)
@pytest.mark.parametrize("zipped", [False, True])
def test_idx_is_read_back_for_every_type(tmp_path, code, zipped):
    array = np.arange(24).reshape(2, 3, 4)
    raw = idx(array, code)
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(raw) if zipped else raw)
    read = read_idx(path)
    np.testing.assert_array_equal(read, array)
    assert read.dtype.isnative


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "not an IDX file"),
        (b"<html>", "not an IDX file"),
        (b"\0\0\x08\x03\0\0", "ends within its header"),
        (idx(np.arange(6).reshape(2, 3), 8)[:-1], "announces shape"),
        (gzip.compress(idx(np.arange(600), 12))[:-20], "damaged or cut off"),
    ],
)
def test_a_broken_idx_file_gets_a_sentence(tmp_path, raw, sentence):
    path = tmp_path / "file"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=sentence):
        read_idx(path)


def test_mnist_is_found_with_and_without_gz_and_scaled(tmp_path):
    images = np.arange(2 * 5 * 4).reshape(2, 5, 4)
    (tmp_path / "t10k-images-idx3-ubyte").write_bytes(idx(images, 8))
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(np.array([7, 2]), 8)))
    x, y = read_mnist(tmp_path, train=False)
    assert x.shape == (2, 1, 5, 4)
    assert x.dtype == np.float32
    np.testing.assert_allclose(x[:, 0] * 255, images, rtol=1e-6)
    np.testing.assert_array_equal(y, [7, 2])
    with pytest.raises(FileNotFoundError, match="neither 'train-images"):
        read_mnist(tmp_path)


def test_csv_is_split_into_columns_and_target(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,2,3\n4,5,6\n\n", encoding="utf-8")
    x, y, names = read_csv(path)
    np.testing.assert_array_equal(x, [[1, 2], [4, 5]])
    np.testing.assert_array_equal(y, [3, 6])
    assert names == ["a", "b"]
    np.testing.assert_array_equal(read_csv(path, target="a")[1], [1, 4])
    np.testing.assert_array_equal(read_csv(path, target=1)[0], [[1, 3], [4, 6]])


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("a,b\n1,x\n", {}, "line 2, column 'b': 'x' is not a number"),
        ("a,b\n1\n", {}, "line 2: 1 cells, expected 2"),
        ("a,b\n", {}, "no rows"),
        ("a,b\n1,2\n", {"target": "z"}, "no column 'z'"),
        ("1,2\n", {"header": False, "target": 5}, "has 2 columns"),
    ],
)
def test_a_broken_csv_file_gets_a_sentence(tmp_path, text, options, sentence):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        read_csv(path, **options)
