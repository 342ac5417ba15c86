"""Sentences that only who has made the same mistake can read.

What a mutant of the right answer does says, in words, a little of that answer. So its sentence stands in `likely.json`
under a digest of what it does, as those of the bank do, and locked with a second digest of the same:

    {…, "mutants": {"<16 hex digits>": "<a locked text>", …}}

Where the file or this part of it is missing or damaged, nothing is found in it.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import logbook
from .compare import numbers_in
from .likely import FILE, fingerprint
from .probes import Call
from .wire import parsed

_MOST_BYTES = 1_000_000
#: Texts are filled up to a multiple of this length, which says little of them.
_BLOCK = 24


def whole_digest(exercise: str, calls: Sequence[Call]) -> str:
    """The digest by which a sentence is looked up, 16 hex digits, and the one that opens it. Empty: too much data."""
    return fingerprint(exercise, calls) + fingerprint(f"{exercise}, opened", calls)


def read(path: Path) -> dict[str, str]:
    """The locked sentences of a file by their digests; none when it is not there, or something is wrong with it."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        locked = parsed(path.read_text(encoding="utf-8"))["mutants"]
        return {digest: text for digest, text in locked.items() if isinstance(text, str)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


@functools.lru_cache(1)
def _read_once(path: Path) -> dict[str, str]:
    return read(path)


def sentence(exercise: str, calls: Sequence[Call]) -> str:
    """What fault of a right answer gives this in the check that just failed; empty when that is not known."""
    folder = logbook.started_in()
    return sentence_in(_read_once(folder / FILE), exercise, calls) if folder is not None else ""


def sentence_in(known: Mapping[str, str], exercise: str, calls: Sequence[Call]) -> str:
    """The same, where the locked sentences are at hand."""
    if not known or _is_lost(calls):
        return ""
    digest = whole_digest(exercise, calls)
    like = unlock(digest, known.get(digest[:16], ""))
    return f"Your answer gives here what a right one would give {like}." if like else ""


def _is_lost(calls: Sequence[Call]) -> bool:
    """Whether a call gave NaN: many faults end so, and all of them give the same, so it tells of none."""
    return any(number != number for call in calls for number in numbers_in(call.value) or ())


def lock(digest: str, text: str) -> str:
    """A text that a digest opens."""
    plain = text.encode()
    return base64.b64encode(_crossed(digest, plain + b" " * (-len(plain) % _BLOCK))).decode()


def unlock(digest: str, locked: str) -> str:
    """The text; empty when it is none."""
    try:
        return _crossed(digest, base64.b64decode(locked, validate=True)).decode().rstrip()
    except ValueError:
        return ""


def _crossed(digest: str, data: bytes) -> bytes:
    blocks = range(len(data) // 32 + 1)
    key = b"".join(hashlib.sha256(f"{digest} {block}".encode()).digest() for block in blocks)
    return bytes(one ^ other for one, other in zip(data, key, strict=False))
