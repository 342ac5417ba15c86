"""The header of a unit's source: which keys it may have, and what they may say."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from ..errors import UserError

#: What stands under `autograder:`, and how it is written.
KEYS: dict[str, str] = {
    "unit": "the folder's name",
    "title": "a text",
    "allow": "a list of modules, such as [autograd_ref.plots]",
    "graded": "true or false",
    "exam": "true or false",
    "slides": "the cell that slides show as the example, such as {example: figure_goal}",
    "minutes": "minutes of exercises, such as {mul_vjp: 5}",
}


def read_header(metadata: Mapping[str, Any], unit: str, where: str) -> dict[str, Any]:
    """What the header says under `autograder:`. Raises UserError where a key is unknown or its value is of no use.

    A key that nobody reads would be an exam that is handed out with its hints.
    """
    about = metadata.get("autograder")
    if not isinstance(about, dict) or about.get("unit") != unit:
        raise UserError(f"{where}: the header has to say `autograder: {{unit: {unit}}}` under `jupyter:`.")
    for key in about:
        if key not in KEYS:
            near = difflib.get_close_matches(str(key).lower(), KEYS, 1, 0.6)
            known = ", ".join(f"`{name}`" for name in KEYS)
            told = f"did you mean `{near[0]}`?" if near else f"it may hold {known}."
            raise UserError(f"{where}: the header has an unknown key `{key}`: {told}")
    for key in KEYS:
        if key in metadata:
            raise UserError(
                f"{where}: `{key}` stands beside `autograder:` in the header, and belongs under it."
            )
    for key in ("graded", "exam"):
        if not isinstance(about.get(key, True), bool):
            raise UserError(f"{where}: `{key}: {about[key]}` in the header should be {KEYS[key]}.")
    if not isinstance(about.get("title", ""), str):
        raise UserError(
            f"{where}: `title: {about['title']}` in the header should be {KEYS['title']}, in quotes."
        )
    allowed = about.get("allow", [])
    if not isinstance(allowed, list) or not all(isinstance(name, str) for name in allowed):
        raise UserError(f"{where}: `allow: {allowed}` in the header should be {KEYS['allow']}.")
    slides, minutes = about.get("slides", {}), about.get("minutes", {})
    if not isinstance(slides, dict) or not all(
        k == "example" and isinstance(v, str) for k, v in slides.items()
    ):
        raise UserError(f"{where}: `slides: {slides}` in the header should be {KEYS['slides']}.")
    if not isinstance(minutes, dict) or not all(type(n) is int and n >= 0 for n in minutes.values()):
        raise UserError(f"{where}: `minutes: {minutes}` in the header should be {KEYS['minutes']}.")
    return about
