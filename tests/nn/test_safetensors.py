"""Files in the safetensors format are those of the format's own package, both ways; a broken one gets a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest
import safetensors.numpy as package

from autograd_ref import Tensor, nn
from autograd_ref.nn.safetensors import load_file, load_metadata, save_file

DTYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]
ARRAYS = {
    **{f"array.{t}": (np.arange(6) - 2).astype(t).reshape(2, 3) for t in DTYPES},
    "one number": np.array(2.5),
    "none": np.zeros((0, 4), np.float32),
    "turned": np.arange(6.0).reshape(2, 3).T,
    "big end": np.arange(3, dtype=">f8"),
    "in µ": np.ones(1, np.float32),
}


def alike(got, wanted):
    assert set(got) == set(wanted)
    for name, array in wanted.items():
        np.testing.assert_array_equal(got[name], array)
        assert got[name].dtype == array.dtype.newbyteorder("=") and got[name].shape == array.shape


def test_what_is_written_is_read_by_the_package_and_here(tmp_path):
    save_file(ARRAYS, tmp_path / "a.safetensors", {"made": "here"})
    alike(package.load_file(tmp_path / "a.safetensors"), ARRAYS)
    alike(load_file(tmp_path / "a.safetensors"), ARRAYS)
    assert list(load_file(tmp_path / "a.safetensors")) == list(ARRAYS)
    assert load_metadata(tmp_path / "a.safetensors") == {"made": "here"}


def test_what_the_package_writes_is_read(tmp_path):
    given = {name: np.ascontiguousarray(a, a.dtype.newbyteorder("=")) for name, a in ARRAYS.items()}
    package.save_file(given, tmp_path / "a.safetensors", {"made": "there"})
    alike(load_file(tmp_path / "a.safetensors"), given)
    assert load_metadata(tmp_path / "a.safetensors") == {"made": "there"}


def test_pytorchs_bfloat16_becomes_float32(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save

    values = torch.tensor([1.0, -2.5, 3e38, float("inf")], dtype=torch.bfloat16)
    save({"w": values}, tmp_path / "a.safetensors")
    got = load_file(tmp_path / "a.safetensors")["w"]
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, values.float().numpy())


def test_a_module_keeps_its_state_in_either_form(tmp_path):
    nn.manual_seed(1)
    made, other = (nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)) for _ in range(2))
    made(Tensor(np.random.default_rng(0).standard_normal((5, 3))))
    for ending in ("safetensors", "npz"):
        made.save(tmp_path / f"state.{ending}")
        other.load(tmp_path / f"state.{ending}")
        alike(other.state_dict(), made.state_dict())
    assert set(package.load_file(tmp_path / "state.safetensors")) == set(made.state_dict())


def test_what_has_no_dtype_in_the_format_is_refused(tmp_path):
    with pytest.raises(TypeError, match="no dtype complex128, which 'z'"):
        save_file({"z": np.ones(2) * 1j}, tmp_path / "a.safetensors")
    assert not (tmp_path / "a.safetensors").exists()


def file_of(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
BROKEN = {
    "nothing": b"",
    "few bytes": b"1234",
    "a length beyond the file": file_of({}, length=99),
    "an enormous length": file_of({}, length=2**63),
    "no JSON": file_of(b"{"),
    "no object": file_of([]),
    "no text": file_of(b"\xff\xfe"),
    "deep": file_of(b"[" * 50_000),
    "an entry of no kind": file_of({"w": 3}),
    "no place": file_of({"w": {"dtype": "F32", "shape": [2]}}),
    "an unknown dtype": file_of({"w": ENTRY | {"dtype": "F8"}}, bytes(8)),
    "a negative shape": file_of({"w": ENTRY | {"shape": [-2]}}, bytes(8)),
    "a shape that is no list": file_of({"w": ENTRY | {"shape": 2}}, bytes(8)),
    "another size": file_of({"w": ENTRY | {"shape": [3]}}, bytes(8)),
    "too little": file_of({"w": ENTRY}, bytes(7)),
    "too much": file_of({"w": ENTRY}, bytes(9)),
    "an overlap": file_of({"w": ENTRY, "v": ENTRY}, bytes(8)),
    "a hole": file_of({"w": ENTRY | {"data_offsets": [8, 16]}}, bytes(16)),
    "a place before": file_of({"w": ENTRY | {"data_offsets": [-8, 0]}}, bytes(8)),
    "an enormous shape": file_of({"w": ENTRY | {"shape": [2**40, 2**40]}}, bytes(8)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_gets_a_sentence(name, tmp_path):
    (tmp_path / "a.safetensors").write_bytes(BROKEN[name])
    with pytest.raises(ValueError, match=r"safetensors file|cannot be read here"):
        load_file(tmp_path / "a.safetensors")


def test_any_byte_changed_gives_arrays_or_a_sentence(tmp_path):
    save_file({"w": np.ones((2, 3)), "b": np.zeros(2, np.int16)}, tmp_path / "a.safetensors")
    content = (tmp_path / "a.safetensors").read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(2000):
        changed = bytearray(content)
        for place in rng.integers(0, len(content), rng.integers(1, 4)):
            changed[place] = rng.integers(256)
        (tmp_path / "a.safetensors").write_bytes(changed)
        try:
            load_file(tmp_path / "a.safetensors")
        except ValueError:
            refused += 1
    assert 200 < refused < 2000
