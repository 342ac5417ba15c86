"""A collected notebook's place: what was there before stays, under a name that is not graded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...referee.autograded import write_bytes

#: Beside a collected notebook: whose the platform says it is. Nothing of a student's.
RECORD = ".collected.json"


def place(path: Path, data: bytes, beside: Sequence[str] = (), copied: Sequence[str] = ()) -> tuple[str, str]:
    """Write a submission: what became of it, and the name under which the one before is kept.

    What was there before, and the files `beside` it, stay under names that are not graded; of `copied` files a copy.
    """
    for folder in (path.parent, path.parent.parent):
        if folder.is_symlink():
            raise UserError(f"{folder} is a symbolic link: remove it, and collect again.")
    if path.is_symlink():
        path.unlink()
    if not path.exists():
        write_bytes(path, data)
        return "new", ""
    before = path.read_bytes()
    if before == data:
        return "unchanged", ""
    number = 1
    while path.with_name(f"{path.name}.earlier-{number}").exists():
        number += 1
    for name in copied:
        write_bytes(path.with_name(f"{name}.earlier-{number}"), path.with_name(name).read_bytes())
    # First what is of the earlier one only: a run that ends here is made up for by the next.
    for name in beside:
        old = path.with_name(name)
        if old.exists() or old.is_symlink():
            old.replace(path.with_name(f"{name}.earlier-{number}"))
    kept = path.with_name(f"{path.name}.earlier-{number}")
    write_bytes(kept, before)
    write_bytes(path, data)
    return "replaced", kept.name


def recorded(folder: Path, name: str = RECORD) -> dict[str, Any]:
    """What an earlier run noted of a student's folder; empty where it noted nothing that can be used."""
    try:
        record = json.loads(text_of(folder / name))
        texts = ("platform", "name", "number", "timestamp")
        return {"sure": False} | record if all(isinstance(record[key], str) for key in texts) else {}
    except (ValueError, KeyError, TypeError):
        return {}


def text_of(path: Path) -> str:
    """A small file's text; empty where there is none, or it is a link."""
    try:
        return "" if path.is_symlink() else path.read_bytes()[:10_000].decode("utf-8", "replace")
    except OSError:
        return ""
