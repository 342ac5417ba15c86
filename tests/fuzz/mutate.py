"""Small random changes: to bytes, and to a tree of JSON."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

#: Values that have hurt readers of JSON.
STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 2**31, 2**53, -(2**53), 10**400, 0.5, -0.0, 1e308, float("nan"), float("inf")),
    *("", "x", "\x00", "\x1b[2J", "\n✓ right", "\ud800", "\u202e", "x" * 300, "../x", "0x1p0", "-0xff", "nan"),
    *([], {}, [[]], {"": []}, [None], {"t": "list", "v": []}, {"t": "dict", "v": [[None, None]]}),
    *("<f8", "|b1", ">c16", "<f2", "O", "<M8[s]", "AAAAAAAA8D8=", "AAAA", "=", "code", "markdown", "raw"),
)  # fmt: skip

TOKENS = (
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"[", b"]", b"{", b"}", b'"', b",", b":", b"\\", b"\\ud800"),
    *(b"NaN", b"-Infinity", b"1e999", b"9" * 400, b"[" * 300, b'{"a":' * 200, b"\n", b"\r", b"PK\x01\x02"),
    *(b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x07", b"\xff" * 4, b"\x00\x00\x00\x00\x00\x00\x00\x02", b"\x00" * 7),
)  # fmt: skip


def mutate_bytes(random: Random, data: bytes, in_place: bool = False) -> bytes:
    """Bytes with one to eight small changes, after which all is still in its place, if that is wanted."""
    new = bytearray(data)
    for _ in range(1 << random.randrange(4)):
        at = random.randrange(len(new) + 1)
        end = min(len(new), at + (1 << random.randrange(9)))
        kind = random.choice((0, 1, 5)) if in_place else random.randrange(7)
        if kind == 0 and at < len(new):
            new[at] ^= 1 << random.randrange(8)
        elif kind == 1 and at < len(new):
            new[at] = random.randrange(256)
        elif kind == 2:
            del new[at:end]
        elif kind == 3:
            new[at:at] = new[at:end]
        elif kind == 4:
            new[at:at] = random.choice(TOKENS)
        elif kind == 5:
            token = random.choice(TOKENS)[: len(new) - at if in_place else None]
            new[at : at + len(token)] = token
        else:
            del new[at:]
            new += data[random.randrange(len(data) + 1) :]
        if len(new) > 1 << 18:
            del new[1 << 18 :]
    return bytes(new)


def _place(random: Random, tree: Any) -> tuple[Any, Any] | None:
    """An item of a tree that a random walk finds: what holds it, and its key or number there."""
    found = None
    while isinstance(tree, (dict, list)) and tree and (found is None or random.random() < 0.8):
        found = tree, random.choice(list(tree)) if isinstance(tree, dict) else random.randrange(len(tree))
        tree = tree[found[1]]
    return found


def mutate_tree(random: Random, tree: Any) -> Any:
    """A tree of JSON with one to four changes to its items; the tree that is given is used up."""
    for _ in range(random.randrange(1, 5)):
        place, other = _place(random, tree), _place(random, tree)
        if place is None or other is None:
            return deepcopy(random.choice(STRANGE))
        (holder, key), (other_holder, other_key) = place, other
        kind = random.randrange(8)
        if kind <= 2:
            holder[key] = deepcopy(random.choice(STRANGE))
        elif kind == 3:
            del holder[key]
        elif kind == 4:
            holder[key] = json.loads(json.dumps(other_holder[other_key]))  # another part of the same tree
        elif kind == 5 and isinstance(holder, list) and len(holder) < 100:
            holder[key:key] = [holder[key]] * (1 << random.randrange(4))
        elif kind == 6 and isinstance(holder, dict):
            name = random.choice(
                ["id", "source", "metadata", "cells", "worksheets", "t", "v", "error", "input"]
            )
            holder[name] = holder.pop(key)
        else:
            for _ in range(1 << random.randrange(9)):
                holder[key] = [holder[key]]
    return tree


def mutate_json(random: Random, text: bytes) -> bytes:
    """The text of a tree of JSON with changes to its items; text that is no such tree is changed as bytes."""
    try:
        tree = json.loads(text)
        changed = json.dumps(mutate_tree(random, tree), ensure_ascii=random.random() < 0.5)
    except (ValueError, RecursionError, TypeError):
        return mutate_bytes(random, text)
    return changed.encode(
        random.choice(["utf-8"] * 6 + ["utf-16", "utf-32-be", "utf-8-sig"]), "surrogatepass"
    )
