"""What crosses the boundary arrives as it was, and nothing that is not plain data arrives at all."""

from __future__ import annotations

import io
import json
import math
import sys
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.lesson import wire
from autograder.lesson.wire import Opaque, WireError, pack, plain, printable, read_frame, unpack, write_frame

FAST = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | texts
keys = st.none() | st.booleans() | st.integers() | texts | st.tuples(st.integers(), texts)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=12,
)
numeric = (
    arrays.boolean_dtypes()
    | arrays.integer_dtypes()
    | arrays.floating_dtypes()
    | arrays.complex_number_dtypes()
)


def same(a: Any, b: Any) -> bool:
    """Equal, of the same types all the way down, NaN equal to itself, -0.0 not to 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    return a == b and str(a) == str(b) if a == a else repr(a) == repr(b)


def over_the_wire(value: object) -> Any:
    stream = io.BytesIO()
    write_frame(stream, {"value": pack(value)})
    stream.seek(0)
    message = read_frame(stream)
    assert message is not None
    assert read_frame(stream) is None
    return unpack(message["value"])


@FAST
@given(values)
def test_plain_values_arrive_as_they_were(value: object) -> None:
    assert same(over_the_wire(value), value)


@FAST
@given(arrays.arrays(numeric, arrays.array_shapes(min_dims=0, min_side=0, max_side=3)))
def test_numeric_arrays_arrive_with_their_bits_shape_and_dtype(value: np.ndarray) -> None:
    there = over_the_wire(value)
    assert type(there) is np.ndarray
    assert (there.dtype, there.shape) == (value.dtype.newbyteorder("="), value.shape)
    np.testing.assert_array_equal(there, value)


@FAST
@given(numeric.flatmap(lambda dtype: arrays.arrays(dtype, ())))
def test_numpy_scalars_stay_scalars_of_their_dtype(value: np.ndarray) -> None:
    there = over_the_wire(value[()])
    assert isinstance(there, np.generic)
    assert there.dtype == value.dtype.newbyteorder("=")


def test_views_with_any_strides_arrive_as_the_numbers_that_they_show() -> None:
    base = np.arange(24.0).reshape(2, 3, 4)
    for view in (
        base.T,
        base[::-1, ::2],
        base[:, 1],
        np.broadcast_to(base[0, 0], (5, 4)),
        np.asfortranarray(base),
    ):
        np.testing.assert_array_equal(over_the_wire(view), view)


class Float(float): ...


class Int(int): ...


class Text(str): ...


class Pair(tuple): ...


class Items(list): ...


class Table(dict): ...


class Liar(np.ndarray):
    def __array_finalize__(self, obj: object) -> None: ...
    def tobytes(self, *args: Any, **kwargs: Any) -> bytes:
        return b"\x00" * 8

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (9, 9)


@pytest.mark.parametrize(
    "value",
    [
        Float(1),
        Int(1),
        Text("a"),
        Pair((1,)),
        Items([1]),
        Table(a=1),
        {1},
        object(),
        print,
        b"x",
        int,
        (1).__add__,
    ],
)
def test_everything_else_arrives_opaque_and_equals_nothing(value: object) -> None:
    there = plain(value)
    assert type(there) is Opaque
    assert there.type_name == type(value).__name__
    assert there != value
    assert there != plain(value)


def test_an_ndarray_subclass_arrives_as_the_plain_array_below_it() -> None:
    there = plain(np.array([1.0, 2.0]).view(Liar))
    assert type(there) is np.ndarray
    assert there.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "array",
    [np.array([object()]), np.array(["a"]), np.array([b"a"]), np.zeros(1, "M8[s]"), np.zeros(2, "f8,i4")],
)
def test_arrays_that_are_not_numbers_arrive_opaque(array: np.ndarray) -> None:
    assert type(plain(array)) is Opaque


def test_a_copy_shares_nothing_with_the_original() -> None:
    value = ([1.0], {"a": [2.0]}, np.zeros(2))
    there = plain(value)
    there[0].append(1)
    there[1]["a"].append(1)
    there[2][0] = 1
    assert value[0] == [1.0]
    assert value[1] == {"a": [2.0]}
    assert value[2].tolist() == [0.0, 0.0]


def nested(depth: int) -> object:
    value: object = 1.0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        nested(wire.MAX_DEPTH + 1),
        [0.0] * (wire.MAX_ITEMS + 1),
        "x" * (wire.MAX_TEXT + 1),
        dict.fromkeys(range(wire.MAX_KEYS + 1)),
    ],
)
def test_values_beyond_the_limits_are_refused_with_a_reason(value: object) -> None:
    with pytest.raises(WireError, match=r"too long|deeper"):
        pack(value)


@pytest.mark.parametrize("sequence", [list, tuple])
def test_an_item_of_a_sequence_travels_as_it_does_alone(sequence: type) -> None:
    """Numbers that stay as they are take a short way through `pack` and `unpack`."""

    class Whole(int):
        pass

    class Real(float):
        pass

    edges = [
        wire.LARGE - 1,
        wire.LARGE,
        -wire.LARGE,
        1 - wire.LARGE,
        1 << 70,
        math.inf,
        -math.inf,
        math.nan,
        -0.0,
    ]
    items = [True, None, "x", 3, 2.5, 1j, *edges, Whole(3), Real(2.5), np.int64(3), np.float64(2.5), [7, 0.5]]
    packed = pack(sequence(items))
    assert packed == {"t": sequence.__name__, "v": [pack(item) for item in items]}
    there = unpack(packed)
    assert [(type(x), repr(x)) for x in there] == [(type(x), repr(x)) for x in map(unpack, packed["v"])]


@pytest.mark.parametrize("odd", [wire.LARGE, -wire.LARGE, math.inf, math.nan])
def test_a_number_that_pack_writes_otherwise_is_refused_in_a_sequence_too(odd: float) -> None:
    with pytest.raises(WireError):
        unpack({"t": "list", "v": [1.0, odd]})


@pytest.mark.parametrize("number", [3, 2.5])
def test_a_number_below_the_deepest_level_is_refused(number: float) -> None:
    value: object = [number]
    for _ in range(wire.MAX_DEPTH):
        value = [value]
    with pytest.raises(WireError, match="deeper"):
        pack(value)


def test_values_at_the_limits_arrive() -> None:
    for value in (nested(wire.MAX_DEPTH), [True] * wire.MAX_ITEMS, "x" * wire.MAX_TEXT):
        assert over_the_wire(value) == value


def test_lone_surrogates_become_question_marks() -> None:
    assert plain("a\ud800b") == "a?b"
    assert unpack("a\ud800b") == "a?b"


def test_the_text_of_an_opaque_value_has_no_addresses_escapes_or_lines() -> None:
    class Loud:
        def __repr__(self) -> str:
            return "1\n✓ right\x1b[2J\ud800"

    assert repr(plain(Loud())) == "1 ✓ right[2J?"
    assert repr(plain(object())) == "<object>"


@pytest.mark.parametrize("error", [ValueError, MemoryError, RecursionError])
def test_a_repr_that_raises_leaves_the_type_s_name(error: type[Exception]) -> None:
    class Bad:
        def __repr__(self) -> str:
            raise error

    assert repr(plain(Bad())) == "<Bad>"


def test_printable_text_can_go_to_a_terminal_and_into_a_file() -> None:
    nasty = "".join(map(chr, range(0xA0))) + "\ud800\u2028\u2029é✗"
    clean = printable(nasty, 10_000)
    clean.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\n\t" for c in clean)
    assert "\x1b" not in clean
    assert clean.endswith("?é✗")
    assert printable("abc", 2) == "ab"


# -- hostile frames -----------------------------------------------------------------------------------------------

json_trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["t", "v", "dtype", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)
packed_lookalikes = st.recursive(
    json_trees
    | st.fixed_dictionaries(
        {"t": st.sampled_from(["int", "float", "complex", "list", "tuple", "dict", "other"]), "v": json_trees}
    )
    | st.fixed_dictionaries(
        {
            "t": st.sampled_from(["array", "scalar"]),
            "dtype": st.sampled_from(
                ["<f8", "|b1", "O", "V8", "f8,f8", "(2,)f8", "<U3", "nonsense", "", "m8", "<c16"]
            ),
            "shape": st.lists(st.integers(-2, 2**40), max_size=4) | json_trees,
            "bytes": st.sampled_from(["", "AAAAAAAAAAA=", "AAA", "é", 7, None]),
        }
    ),
    lambda inner: st.fixed_dictionaries(
        {
            "t": st.sampled_from(["list", "tuple", "dict"]),
            "v": st.lists(inner | st.lists(inner, max_size=2), max_size=3),
        }
    ),
    max_leaves=6,
)

PLAIN = (type(None), bool, int, float, complex, str, list, tuple, dict, np.ndarray, np.generic, Opaque)


def only_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(only_plain, value))
    if isinstance(value, dict):
        return all(map(only_plain, [*value, *value.values()]))
    if isinstance(value, (np.ndarray, np.generic)):
        return (value.dtype.kind in wire.NUMERIC_KINDS and type(value) is np.ndarray) or not isinstance(
            value, np.ndarray
        )
    return type(value) in PLAIN


@settings(FAST, max_examples=500)
@given(packed_lookalikes)
def test_unpacking_anything_gives_plain_data_or_a_wire_error(tree: object) -> None:
    try:
        value = unpack(tree)
    except WireError:
        return
    assert only_plain(value)


@pytest.mark.parametrize(
    "tree",
    [
        1 << 53,
        math.inf,
        math.nan,
        [],
        {},
        {"t": "int"},
        {"t": "int", "v": 3},
        {"t": "int", "v": "12"},
        {"t": "int", "v": "0x_1"},
        {"t": "int", "v": " 0x1"},
        {"t": "float", "v": 1.0},
        {"t": "float", "v": "one"},
        {"t": "complex", "v": ["0x0p0"]},
        {"t": "list", "v": None},
        {"t": "list", "v": 3},
        {"t": "dict", "v": [[{"t": "list", "v": []}, None]]},
        {"t": "dict", "v": [[1]]},
        {"t": "dict", "v": [[None, None]] * (wire.MAX_KEYS + 1)},
        {"t": "dict", "v": [[{"t": "int", "v": hex((2**61 - 1) * i)}, 0] for i in range(1, 40)]},
        {"t": "object", "v": "os.system"},
        {"t": ["int"], "v": "0x1"},
        {"t": "array", "dtype": "O", "shape": [1], "bytes": "AAAAAAAAAAA="},
        {"t": "array", "dtype": "<f8", "shape": [-1], "bytes": ""},
        {"t": "array", "dtype": "<f8", "shape": [2], "bytes": "AAAAAAAAAAA="},
        {"t": "array", "dtype": "<f8", "shape": [1] * 65, "bytes": "AAAAAAAAAAA="},
        {"t": "array", "dtype": "<f8", "shape": [0] + [2**31 - 1] * 9, "bytes": ""},
        {"t": "array", "dtype": "<f8", "shape": [True], "bytes": "AAAAAAAAAAA="},
        {"t": "scalar", "dtype": "<f8", "shape": [1], "bytes": "AAAAAAAAAAA="},
        {"t": "other", "type": 3, "text": ""},
        {"t": "other", "type": "x"},
        "x" * (wire.MAX_TEXT + 1),
    ],
    ids=str,
)
def test_what_pack_cannot_have_made_is_refused(tree: object) -> None:
    with pytest.raises(WireError):
        unpack(tree)


@pytest.mark.parametrize(
    "text", ["[" * 300_000, '{"a":' * 300_000, '"\\"[", [' * 100_000, '"' + '\\"' * 1_000_000]
)
def test_a_deep_text_is_refused_whatever_the_recursion_limit(text: str) -> None:
    sys.setrecursionlimit(10**9)  # the fixture `recursion_limit` takes it back
    start = time.monotonic()
    with pytest.raises(ValueError, match=r"nested deeper|delimiter|Unterminated|Extra data"):
        wire.parsed(text)
    assert time.monotonic() - start < 5
    assert wire.parsed('["[[' + "[" * 1000 + '", [[]]]') == ["[[" + "[" * 1000, [[]]]
    assert wire.parsed("[" * 200 + "]" * 200)
    with pytest.raises(ValueError, match="nested deeper than 200"):
        wire.parsed("[" * 201 + "]" * 201)


def test_a_tree_that_is_too_deep_is_refused() -> None:
    tree: object = None
    for _ in range(500):
        tree = {"t": "list", "v": [tree]}
    with pytest.raises(WireError):
        unpack(tree)


def test_nothing_but_floats_comes_of_a_float_s_text() -> None:
    assert unpack({"t": "float", "v": "0x1.8p+1"}) == 3.0
    assert math.isnan(unpack({"t": "float", "v": "nan"}))
    with pytest.raises(WireError):
        unpack({"t": "float", "v": "0x1p99999"})


def framed(body: bytes) -> io.BytesIO:
    return io.BytesIO(len(body).to_bytes(8, "big") + body)


@settings(FAST, max_examples=300)
@given(st.binary(max_size=64))
def test_reading_any_bytes_gives_a_message_the_end_or_a_wire_error(data: bytes) -> None:
    for stream in (io.BytesIO(data), framed(data)):
        try:
            message = read_frame(stream)
        except WireError:
            continue
        assert message is None or type(message) is dict


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"1",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"id": ' + b"9" * 9999 + b"}",
        b"null",
    ],
)
def test_a_frame_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(WireError):
        read_frame(framed(body))


def test_a_frame_over_the_limit_is_refused_before_it_is_read_and_before_it_is_sent() -> None:
    with pytest.raises(WireError, match="the limit is"):
        read_frame(io.BytesIO((wire.MAX_FRAME_BYTES + 1).to_bytes(8, "big")))
    stream = io.BytesIO()
    with pytest.raises(WireError, match="the limit is"):
        write_frame(stream, {"text": "x" * wire.MAX_FRAME_BYTES})
    assert stream.getvalue() == b""


def test_a_frame_that_is_cut_off_is_the_end() -> None:
    whole = framed(json.dumps({"a": "b"}).encode()).getvalue()
    assert read_frame(io.BytesIO(whole)) == {"a": "b"}
    for length in range(len(whole)):
        assert read_frame(io.BytesIO(whole[:length])) is None


class Slow(io.RawIOBase):
    """Takes three bytes at a time, as a pipe may."""

    def __init__(self) -> None:
        self.got = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.got += bytes(data[:3])
        return min(3, len(data))


def test_a_stream_that_takes_a_part_gets_the_rest_too() -> None:
    stream = Slow()
    write_frame(stream, {"a": list(range(50))})  # type: ignore[arg-type]
    assert read_frame(io.BytesIO(stream.got)) == {"a": list(range(50))}


def test_long_keys_that_collide_cost_no_time_and_common_ones_pass() -> None:
    """-1.0 and -2.0 have the same hash, and so have all tuples of them: each key was compared with each, to its end."""
    keys = [(*[-1.0] * 3000, *(-1.0 - (i >> bit & 1) for bit in range(10))) for i in range(wire.MAX_KEYS)]
    tree = {"t": "dict", "v": [[{"t": "tuple", "v": list(key)}, None] for key in keys]}
    start = time.monotonic()
    with pytest.raises(wire.WireError, match="collide"):
        wire.unpack(tree)
    assert time.monotonic() - start < 3
    common = {(i, j): None for i in range(-15, 16) for j in range(-15, 16)}
    assert wire.plain(common) == common
