"""Plain data on a wire: what crosses the boundary between the pupil and the referee.

Only values whose whole meaning is their content may cross: None, bool, int, float, complex, str, list, tuple,
dict, and numeric NumPy arrays and scalars. They travel as JSON, arrays as raw bytes in base64. Nothing is
unpickled and no class is looked up by name, so a decoded value cannot run code. Everything else arrives as
`Opaque`, which tells the type's name and equals nothing.

Both sides import this file, so it needs the standard library only; NumPy is imported when an array comes by.
"""

# Long, because what packs and what unpacks is read side by side: a kind of value that one knows and the other does not
# would be a hole in the boundary.

from __future__ import annotations

import base64
import json
import math
import re
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any, BinaryIO

MAX_FRAME_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 40
#: Ints from here on travel as hexadecimal text.
LARGE = 1 << 53
MAX_ITEMS = 200_000
MAX_TEXT = 100_000
#: Lists and objects in a text of JSON: each takes a hundred bytes of memory, and two or three of the text.
MAX_PARTS = 1_000_000
#: Keys of a dict. The hash of an int is known to all, so keys can be chosen to collide; a few cost little even then.
MAX_KEYS = 1000
#: So many of them may have the same hash. Each is compared with all of these, and as a tuple it may be long.
MAX_SAME_HASH = 16
#: NumPy's kinds that are plain numbers: boolean, signed, unsigned, float, complex.
NUMERIC_KINDS = "biufc"


#: A string (or the rest, where its end is missing), or a bracket. Possessive: no text is gone over twice.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[{\]}]', re.DOTALL)


def parsed(text: str, deepest: int = 200) -> Any:
    """What a JSON text says. Raises ValueError when it is not JSON, nested deeper than `deepest`, or has MAX_PARTS.

    `json.loads` trusts in Python's recursion limit, which any library may have raised: a deep text then ends
    the process.

    >>> parsed('[1, {"a": "[["}]')
    [1, {'a': '[['}]
    >>> parsed("[" * 100_000)
    Traceback (most recent call last):
    ValueError: nested deeper than 200
    """
    _look_at_depth(text, deepest)
    return json.loads(text)


def first_parsed(text: str, deepest: int = 200) -> tuple[Any, int]:
    """What the JSON at a text's beginning says, and how many characters are behind it. Raises as `parsed` does.

    >>> first_parsed('{"a": 1} and more')
    ({'a': 1}, 9)
    """
    text = text.lstrip()
    _look_at_depth(text, deepest)
    found, end = json.JSONDecoder().raw_decode(text)
    return found, len(text) - end


def _look_at_depth(text: str, deepest: int) -> None:
    parts = text.count("[") + text.count("{")
    if parts > MAX_PARTS:
        raise ValueError(f"more than {MAX_PARTS} lists and objects")
    if parts <= deepest:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = text[token.start()]
        if sign in "[{":
            depth += 1
            if depth > deepest:
                raise ValueError(f"nested deeper than {deepest}")
        elif sign != '"':
            depth -= 1


#: Controls, what turns the direction of writing or marks it, and what cannot be seen. Joiners stay: scripts need them.
_UNPRINTABLE = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"
    "\\U000e0000-\\U000e007f]"
)


def printable(text: str, limit: int) -> str:
    """The first `limit` characters of a text that may go to a terminal and into a file.

    Control characters (a terminal would obey them) and those that turn the direction of writing are dropped, lone
    surrogates (UTF-8 has none) replaced.

    >>> printable("a\\x1b[2J\\ud800b", 80)
    'a[2J?b'
    """
    text = text[:limit].encode("utf-8", "replace").decode("utf-8")
    return _UNPRINTABLE.sub("", text)


class WireError(ValueError):
    """A value or a frame that may not cross the boundary; the text says why."""


@dataclass(frozen=True, eq=False)
class Opaque:
    """Stands for a value that is not plain data: an object of a class, a function, a generator."""

    type_name: str
    text: str = ""

    def __repr__(self) -> str:
        return self.text or f"<{self.type_name}>"


def _is_numpy(value: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def _pack_numpy(value: Any) -> dict[str, Any]:
    import numpy as np

    # A subclass of ndarray could lie about itself, so look at the base class's view of it.
    array = np.ndarray.view(value, np.ndarray) if isinstance(value, np.ndarray) else np.asarray(value)
    if array.dtype.kind not in NUMERIC_KINDS:
        return _pack_opaque(value)
    flat = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return {
        "t": "array" if isinstance(value, np.ndarray) else "scalar",
        "dtype": flat.dtype.str,
        "shape": list(array.shape),
        "bytes": base64.b64encode(flat.tobytes()).decode("ascii"),
    }


def _pack_opaque(value: object) -> dict[str, Any]:
    try:
        text = repr(value)
    except Exception:  # a student's __repr__ may do anything
        text = ""
    if not isinstance(text, str) or " object at 0x" in text or " at 0x" in text:
        text = ""
    return {"t": "other", "type": str(type(value).__name__)[:80], "text": text[:200]}


def _pack_items(items: list[Any] | tuple[Any, ...], depth: int) -> list[Any]:
    if depth == MAX_DEPTH:  # the items are too deep, and `pack` says so
        return [pack(item, depth + 1) for item in items]
    # Numbers that stay as they are, of which there may be many, without a call for each.
    return [
        item
        if (type(item) is float and math.isfinite(item)) or (type(item) is int and -LARGE < item < LARGE)
        else pack(item, depth + 1)
        for item in items
    ]


def pack(value: object, depth: int = 0) -> Any:
    """Turn plain data into a JSON tree. Exact types only: a subclass of `float` is not a float.

    The library's own kinds of tuple and dict, which hold the same, travel as these: a namedtuple, a defaultdict.
    """
    if depth > MAX_DEPTH:
        raise WireError(f"the value is nested deeper than {MAX_DEPTH} levels")
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        if -LARGE < value < LARGE:  # type: ignore[operator]
            return value
        return {"t": "int", "v": hex(value)}  # type: ignore[arg-type]  # hex: no limit on the number of digits
    if kind is float:
        if math.isfinite(value):  # type: ignore[arg-type]
            return value  # JSON's text of it is exact
        return {"t": "float", "v": value.hex()}  # type: ignore[attr-defined]
    if kind is str:
        if len(value) > MAX_TEXT:  # type: ignore[arg-type]
            raise WireError(f"a text of {len(value)} characters is too long to send")  # type: ignore[arg-type]
        # Lone surrogates are legal in Python and not in UTF-8.
        return value.encode("utf-8", "replace").decode("utf-8")  # type: ignore[attr-defined]
    if kind is list or kind is tuple:
        if len(value) > MAX_ITEMS:  # type: ignore[arg-type]
            raise WireError(f"a sequence of {len(value)} items is too long to send")  # type: ignore[arg-type]
        return {"t": kind.__name__, "v": _pack_items(value, depth)}  # type: ignore[arg-type]
    if kind is dict:
        if len(value) > MAX_KEYS:  # type: ignore[arg-type]
            raise WireError(f"a dict of {len(value)} keys is too long to send")  # type: ignore[arg-type]
        return {
            "t": "dict",
            "v": [[pack(k, depth + 1), pack(v, depth + 1)] for k, v in value.items()],  # type: ignore[attr-defined]
        }
    if isinstance(value, tuple) and isinstance(getattr(kind, "_fields", None), tuple):
        return pack(tuple(tuple.__iter__(value)), depth)
    if isinstance(value, dict) and kind.__module__ == "collections":
        return pack(dict(dict.items(value)), depth)
    if kind is complex:
        return {"t": "complex", "v": [value.real.hex(), value.imag.hex()]}  # type: ignore[attr-defined]
    if _is_numpy(value):
        return _pack_numpy(value)
    if kind is Opaque:  # it stands for the same thing on the other side
        return {"t": "other", "type": value.type_name, "text": value.text}  # type: ignore[attr-defined]
    return _pack_opaque(value)


def _unpack_int(text: object) -> int:
    if not isinstance(text, str) or not re.fullmatch(r"-?0x[0-9a-f]+", text):
        raise WireError("an int that is not an int")
    return int(text, 16)


def _unpack_float(text: object) -> float:
    if not isinstance(text, str) or len(text) > 64:
        raise WireError("a float that is not a float")
    return float.fromhex(text)


def _unpack_numpy(tree: dict[str, Any]) -> Any:
    import numpy as np

    dtype = np.dtype(str(tree["dtype"]))
    shape = tuple(tree["shape"])
    if dtype.kind not in NUMERIC_KINDS or dtype.hasobject:
        raise WireError("an array of something that is not a number")
    if len(shape) > 32 or not all(type(n) is int and 0 <= n < 2**31 for n in shape):
        raise WireError("an array of an impossible shape")
    data = base64.b64decode(tree["bytes"], validate=True)
    if len(data) != dtype.itemsize * math.prod(shape):
        raise WireError("an array whose bytes do not fit its shape")
    array = np.frombuffer(data, dtype=dtype).reshape(shape).astype(dtype.newbyteorder("="))
    if tree["t"] == "array":
        return array
    if shape:
        raise WireError("a scalar with a shape")
    return array[()]


def _one_line(text: object, limit: int) -> str:
    if not isinstance(text, str):
        raise WireError("a text that is not a text")
    return printable(text, limit).replace("\n", " ")


def unpack(tree: Any, depth: int = 0) -> Any:
    """The inverse of `pack`. Raises WireError on anything that `pack` cannot have made."""
    if depth > MAX_DEPTH + 1:
        raise WireError("nested too deeply")
    if tree is None or isinstance(tree, bool):
        return tree
    if type(tree) is int:
        if -LARGE < tree < LARGE:
            return tree
        raise WireError("an int that is not an int")
    if type(tree) is float:
        if math.isfinite(tree):
            return tree
        raise WireError("a float that is not a float")
    if isinstance(tree, str):
        if len(tree) > MAX_TEXT:
            raise WireError("a text that is too long")
        return tree.encode("utf-8", "replace").decode("utf-8")
    if not isinstance(tree, dict):
        raise WireError("not a packed value")
    try:
        kind = tree["t"]
        if kind == "int":
            return _unpack_int(tree["v"])
        if kind == "float":
            return _unpack_float(tree["v"])
        if kind == "complex":
            real, imag = tree["v"]
            return complex(_unpack_float(real), _unpack_float(imag))
        if kind in ("list", "tuple"):
            items = [
                item
                if (type(item) is float and math.isfinite(item))
                or (type(item) is int and -LARGE < item < LARGE)
                else unpack(item, depth + 1)
                for item in tree["v"]
            ]
            return items if kind == "list" else tuple(items)
        if kind == "dict":
            return _unpack_dict(tree["v"], depth)
        if kind in ("array", "scalar"):
            return _unpack_numpy(tree)
        if kind == "other":
            return Opaque(_one_line(tree["type"], 80), _one_line(tree["text"], 200))
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"not a packed value: {error}") from None
    raise WireError(f"unknown kind of value: {str(kind)[:40]!r}")


def _unpack_dict(items: Any, depth: int) -> dict[Any, Any]:
    if len(items) > MAX_KEYS:
        raise WireError("a dict with too many keys")
    pairs = [(unpack(k, depth + 1), unpack(v, depth + 1)) for k, v in items]
    if len(pairs) > MAX_SAME_HASH:
        if max(Counter(hash(k) for k, _ in pairs).values()) > MAX_SAME_HASH:
            raise WireError("a dict whose keys collide")
    return dict(pairs)


def plain(value: object) -> Any:
    """A copy of `value` as the other side would see it.

    >>> plain((1.0, [2, None], {"a": True}))
    (1.0, [2, None], {'a': True})
    >>> plain(print)
    <built-in function print>
    >>> plain(print) == plain(print)
    False
    """
    return unpack(pack(value))


#: What is its own copy. A check hands on ten thousand numbers, mostly in lists.
ITSELF = frozenset((float, int, str, bool, type(None)))


def copied(value: Any) -> Any:
    """The same plain data, in containers and arrays of its own."""
    kind = type(value)
    if kind in ITSELF:
        return value
    if kind is list or kind is tuple:
        return kind([item if type(item) in ITSELF else copied(item) for item in value])
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value.copy() if hasattr(value, "__array__") else value


_encoded = json.JSONEncoder(separators=(",", ":")).encode  # json.dumps makes an encoder for every call


def frame(message: dict[str, Any]) -> bytes:
    """A message as bytes: eight bytes of length, then JSON."""
    body = _encoded(message).encode("ascii")
    if len(body) > MAX_FRAME_BYTES:
        raise WireError(f"the message has {len(body)} bytes; the limit is {MAX_FRAME_BYTES}")
    return len(body).to_bytes(8, "big") + body


def write_frame(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Send one message."""
    rest = memoryview(frame(message))
    while rest:  # a raw stream may take less than it is given
        rest = rest[stream.write(rest) :]
    stream.flush()


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """Receive one message; None at the end of the stream."""
    head = _read_exactly(stream, 8)
    if head is None:
        return None
    body = _read_exactly(stream, _length(head))
    return None if body is None else _message(body)


def take_frame(received: bytearray) -> dict[str, Any] | None:
    """Take the first whole message out of what has been received; None when there is none yet."""
    if len(received) < 8:
        return None
    end = 8 + _length(received[:8])
    if len(received) < end:
        return None
    body = bytes(received[8:end])
    del received[:end]
    return _message(body)


def _length(head: bytes | bytearray) -> int:
    length = int.from_bytes(head, "big")
    if length > MAX_FRAME_BYTES:
        raise WireError(f"a message of {length} bytes; the limit is {MAX_FRAME_BYTES}")
    return length


def _message(body: bytes) -> dict[str, Any]:
    try:
        message = parsed(body.decode("utf-8"))
    except ValueError:
        raise WireError("a message that is not JSON") from None
    if not isinstance(message, dict):
        raise WireError("a message that is not an object")
    return message


def _read_exactly(stream: BinaryIO, count: int) -> bytes | None:
    parts = []
    while count:
        part = stream.read(min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
