"""HTML and SVG as text. Whatever is not made here is escaped, so nothing that a student wrote can become markup."""

from __future__ import annotations

import html
import re

from ...lesson.wire import printable

#: Signs that change the direction of the text around them; they could make one name look like another.
DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Markup(str):
    """A text that is markup already."""


Child = str | int | float | None


def escaped(text: Child, limit: int = 1000) -> Markup:
    """A text as markup that shows it.

    >>> escaped("<b>1 & 2</b>")
    '&lt;b&gt;1 &amp; 2&lt;/b&gt;'
    """
    if isinstance(text, Markup):
        return text
    plain = "" if text is None else f"{text:g}" if isinstance(text, float) else str(text)
    return Markup(html.escape(DIRECTIONS.sub("", printable(plain, limit))))


def tag(name: str, *children: Child, **attributes: Child) -> Markup:
    """An element. A trailing underscore of an attribute's name is dropped, other underscores become hyphens.

    >>> tag("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    """Several pieces, one after the other."""
    return Markup("".join(escaped(child) for child in children))
