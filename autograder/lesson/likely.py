"""Which wrong answer of the bank a learner's answer looks like, without the bank.

    course/UNIT/likely.json    {"made_from": "…", "sentences": {"<16 hex digits>": 0, …}, "texts": ["…", …]}

A visible check calls an answer with the same inputs every time. The build runs each wrong answer of the bank through
it, and writes a digest of the calls up to the failure, and of what they gave, beside the sentence for that mistake.
Here, when a check has failed, the same digest is looked up. The file holds no answer and no expected value; where it
is missing, damaged or made for another version of the checks, nothing is found in it.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from . import logbook
from .compare import as_float, is_number
from .exceptions import identity_of
from .probes import Call
from .wire import Opaque, parsed

FILE = "likely.json"

#: Numbers that agree to so many digits are the same. Single precision has fewer.
DIGITS, SINGLE_DIGITS, HALF_DIGITS = 9, 5, 2
#: What is nearer to zero is a rounding error.
NOISE = 1e-12
#: Calls of more numbers and texts than these get no digest: it would take too long.
MOST = 100_000

_MOST_BYTES = 1_000_000


class _TooLarge(Exception):
    """There is more to digest than a learner should wait for."""


def fingerprint(exercise: str, calls: Sequence[Call], endless: bool = False) -> str:
    """A digest of calls and what they gave; of an endless answer, the last call gave nothing. Empty: too much data.

    Values that a check takes for equal mostly have the same digest: an int and the float of the same value, a list
    and a tuple of the same items, numbers that differ by rounding.
    """
    digest = hashlib.sha256(exercise.encode())
    count = 0
    try:
        for call in calls:
            for piece in _call(call, endless and call is calls[-1]):
                count += 1 + piece.count("\0")
                if count > MOST:
                    return ""
                digest.update(piece.encode("utf-8", "replace") + b"\0")
    except _TooLarge:
        return ""
    return digest.hexdigest()[:16]


def _call(call: Call, endless: bool) -> Iterator[str]:
    yield f"call {call.probe.name}"
    yield from _pieces(call.args)
    if call.asked:
        yield f"asked {call.asked}"
    if call.mutated:
        yield f"changed {sorted(call.mutated)}"
    if endless:
        yield "endless"
    elif call.error is not None:
        yield f"raised {' '.join(identity_of(call.error))}"
    else:
        yield from _pieces(call.value)


def _pieces(value: Any) -> Iterator[str]:
    dtype = getattr(value, "dtype", None)
    if is_number(value):
        yield _number(value, dtype)
    elif dtype is not None and dtype.kind in "bc" and value.ndim == 0:  # as Python's own
        # Not `item()`: of a number in long double precision, that is the same again.
        yield from _pieces(bool(value) if dtype.kind == "b" else complex(value))
    elif dtype is not None:
        if value.size > MOST:
            raise _TooLarge
        # As in a comparison, an array of ints stands for one of floats; the shape counts.
        yield f"array {value.shape} {'f' if dtype.kind in 'iuf' else dtype.kind}"
        digits, numbers = _digits_of(dtype), value.ravel().tolist()
        if numbers:
            yield "\0".join(
                map(_complex, numbers)
                if dtype.kind == "c"
                else [_text_of(float(number), digits) for number in numbers]
            )
    elif isinstance(value, complex):
        yield _complex(value)
    elif isinstance(value, (list, tuple)):
        yield f"items {len(value)}"
        for item in value:
            yield from _pieces(item)
    elif isinstance(value, dict):
        yield f"dict {len(value)}"
        for pieces in sorted(_entries(value)):
            yield from pieces
    elif isinstance(value, Opaque):
        yield f"a {value.type_name}"
    elif isinstance(value, str):
        yield f"text {value}"
    else:  # None and bool
        yield repr(value)


def _entries(value: dict[Any, Any]) -> Iterator[list[str]]:
    """The entries of a dict in pieces, no more of them than have a digest: to be sorted, all have to be there."""
    room = MOST
    for key, item in value.items():
        pieces = itertools.chain(_pieces(key), ("is",), _pieces(item))
        entry = list(itertools.islice(pieces, room + 1))
        room -= len(entry)
        if room < 0:
            raise _TooLarge
        yield entry


def _number(value: Any, dtype: Any = None) -> str:
    return _text_of(as_float(value), _digits_of(dtype))


def _digits_of(dtype: Any) -> int:
    few = {2: HALF_DIGITS, 4: SINGLE_DIGITS} if getattr(dtype, "kind", "") == "f" else {}
    return few.get(getattr(dtype, "itemsize", 8), DIGITS)


def _text_of(number: float, digits: int) -> str:
    if abs(number) < NOISE:  # -0.0 too
        return "0"
    return f"{number:.{digits}g}"  # "nan" and "inf" of what is none


def _complex(value: Any) -> str:
    return f"complex {_number(value.real)} {_number(value.imag)}"


# -- the file -----------------------------------------------------------------------------------------------------


def read(path: Path) -> dict[str, str]:
    """The sentences of a file by their digests; none when there is no such file, or something is wrong with it."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        about = parsed(path.read_text(encoding="utf-8"))
        texts = about["texts"]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return {}
        return {digest: texts[index] for digest, index in about["sentences"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


@functools.lru_cache(1)
def _read_once(path: Path) -> dict[str, str]:
    return read(path)


def sentence(exercise: str, calls: Sequence[Call], endless: bool = False) -> str:
    """What a tutor says to an answer that gave this in the check that just failed; empty when that is not known."""
    folder = logbook.started_in()
    known = _read_once(folder / FILE) if folder is not None else {}
    return known.get(fingerprint(exercise, calls, endless), "") if known else ""
