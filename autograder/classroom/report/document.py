"""A whole page of HTML in this room's look, which needs no network and no other file."""

from __future__ import annotations

from pathlib import Path

from .markup import Child, Markup, joined, tag

STYLE = Path(__file__).with_name("page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def document(title: str, *body: Child, mark: Markup | None = None) -> str:
    """A page of this title; `mark` is an element for its head."""
    head = joined(
        Markup(
            f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
        ),
        mark,
        tag("title", title),
        tag("style", Markup(STYLE.read_text(encoding="utf-8"))),
    )
    return f"<!DOCTYPE html>\n{tag('html', tag('head', head), tag('body', tag('main', *body)), lang='en')}\n"
