"""Markdown as HTML for a page that has no network: formulas become MathML, which every browser draws by itself."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import bleach
from bleach.css_sanitizer import CSSSanitizer
from markupsafe import escape
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from ..mathml import mathml

TAGS = {
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "br",
        "hr",
        "a",
        "em",
        "strong",
        "b",
        "i",
        "del",
        "sub",
        "sup",
        "span",
    ),
    *("code", "pre", "div", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "details", "summary", "img"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": ["title"], "img": ["alt"], "details": ["open"], "ol": ["start"]}
#: In the place of a formula until the HTML around it has been cleaned; no text can hold it.
_MARK = "\ue000{}\ue001"


class _Renderer(IPythonRenderer):
    """Keeps what it draws of formulas apart."""

    def __init__(self, **options: Any) -> None:
        super().__init__(escape=False, exclude_anchor_links=True, **options)
        self.formulas: list[str] = []

    def _formula(self, body: str, display: str) -> str:
        self.formulas.append(formula(body, display))
        return _MARK.format(len(self.formulas) - 1)

    def inline_math(self, body: str) -> str:
        return self._formula(body, "inline")

    def block_math(self, body: str) -> str:
        return self._formula(body, "block")

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def formula(body: str, display: str = "inline") -> str:
    r"""A formula in LaTeX as MathML; as it was typed where it is none.

    >>> formula("x^2")[:71]
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow'
    >>> formula("\\left(")
    '<code>\\left(</code>'
    """
    try:
        return mathml(body.strip(), display)
    except Exception:  # whatever a converter meets in half a formula
        return f"<code>{escape(body)}</code>"


def _kept(tag: str, name: str, value: str) -> bool:
    """Whether an attribute stays: a picture is in the page itself, and a link leads to another page."""
    if name == "src":
        return tag == "img" and value.startswith("data:image/")
    if name == "href":
        return tag == "a" and value.startswith(("https://", "http://", "mailto:"))
    return name in ("class", "style", *ATTRIBUTES.get(tag, ()))


@lru_cache(maxsize=2000)  # what the unit says is the same for a whole class
def html_of(source: str) -> str:
    """A markdown cell as HTML that holds nothing that acts.

    >>> html_of("**a** <script>b</script>")
    '<p><strong>a</strong> &lt;script&gt;b&lt;/script&gt;</p>'
    """
    renderer = _Renderer()
    html = MarkdownWithMath(renderer=renderer).render(re.sub("[\ue000\ue001]", "", source))
    css = CSSSanitizer()
    clean = bleach.clean(html, TAGS, _kept, protocols=["http", "https", "mailto", "data"], css_sanitizer=css)
    return re.sub("\ue000(\\d+)\ue001", lambda found: renderer.formulas[int(found[1])], clean).strip()
