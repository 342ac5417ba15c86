"""The packaged files are the ones that their README describes."""

import hashlib
import re
from importlib.resources import files

import numpy as np

from autograd_ref.data import load_digits, load_sonnets, vocabulary, windows

FOLDER = files("autograd_ref.data").joinpath("files")


def test_every_packaged_file_has_the_checksum_that_the_readme_states():
    readme = FOLDER.joinpath("README.md").read_text(encoding="utf-8")
    stated = dict(re.findall(r"^\| `(\S+)` .*`([0-9a-f]{64})` \|$", readme, re.MULTILINE))
    packaged = {
        f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in FOLDER.iterdir() if f.name != "README.md"
    }
    assert stated == packaged


def test_digits_have_ten_balanced_classes_and_pixels_from_0_to_1():
    x, y = load_digits()
    assert x.shape == (1797, 1, 8, 8)
    assert x.dtype == np.float64
    assert y.dtype == np.int64
    assert (x.min(), x.max()) == (0.0, 1.0)
    assert np.bincount(y).min() >= 174
    assert load_digits(flat=True)[0].shape == (1797, 64)


def test_the_text_is_all_sonnets_and_two_of_them_have_not_fourteen_lines():
    sonnets = load_sonnets().strip().split("\n\n")
    lengths = {number: len(sonnet.split("\n")) for number, sonnet in enumerate(sonnets, start=1)}
    assert len(lengths) == 154
    assert {number: lines for number, lines in lengths.items() if lines != 14} == {99: 15, 126: 12}
    assert sonnets[17].startswith("Shall I compare thee to a summer's day?\n")
    letters, ids = vocabulary(load_sonnets())
    assert "".join(letters[i] for i in ids) == load_sonnets()
    x, y = windows(ids, 16)
    np.testing.assert_array_equal(x[1:], y[:-1])
