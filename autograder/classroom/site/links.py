"""Links of a repository's pages, as links of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

#: A link or a picture of Markdown, outside of code: its text, its target, its anchor.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
CODE = re.compile(
    r"^ {0,3}(```|~~~).*?^ {0,3}\1[^\S\n]*$|^(?: {4}[^\n]*\n)+|(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\2(?!`)",
    re.MULTILINE | re.DOTALL,
)


def relinked(text: str, source: str, page: str, pages: Mapping[str, str], home: str = "") -> str:
    """Markdown from `source` of a repository, with links that work on the site's `page`.

    `pages` says which file of the repository became which page. A link to another file leads to the repository's
    `home`; without one its words stay, and the link goes.

    >>> relinked("[a](b/c.md#d), `[e](f)`", "README.md", "x/index", {"b/c.md": "y/c"})
    '[a](../y/c.md#d), `[e](f)`'
    """

    def one(found: re.Match[str]) -> str:
        picture, words, target, anchor = found[1], found[2], found[3], found[4] or ""
        words = LINK.sub(one, words)
        file = in_repository(target, home)
        if not file and (not target or "://" in target or target.startswith("mailto:")):
            return f"{picture}[{words}]({target}{anchor})"
        file = file or posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if picture:
            return f"![{words}]({_from(page, file)})"
        if file in pages:
            return f"[{words}]({_from(page, pages[file])}.md{anchor})"
        return f"[{words}]({home}/blob/main/{file}{anchor})" if home else words

    parts, last = [], 0
    for code in CODE.finditer(text):
        parts += [LINK.sub(one, text[last : code.start()]), code[0]]
        last = code.end()
    return "".join([*parts, LINK.sub(one, text[last:])])


def in_repository(address: str, home: str) -> str:
    """The file of the repository that a whole address leads to, as the README's do for PyPI; empty for every other.

    >>> in_repository("https://github.com/a/b/blob/main/docs/c.md", "https://github.com/a/b")
    'docs/c.md'
    """
    raw = home.replace("https://github.com/", "https://raw.githubusercontent.com/")
    for start in (f"{home}/blob/main/", f"{raw}/main/") if home else ():
        if address.startswith(start):
            return address.removeprefix(start)
    return ""


def _from(page: str, target: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(page) or ".")
