"""Slides as HTML, by nbconvert, which every instructor of the field may run again after an edit."""

from __future__ import annotations

import re
from typing import Any

from jinja2 import pass_context
from nbconvert.exporters import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

from ..feedback.words import formula

#: In a page of ours, so that it may be written again.
MARK = '<meta name="generator" content="autograder teach">'
STYLE = "<style>.reveal img { max-height: 380px; } .reveal pre code { max-height: none; }</style>"


#: Sizes of brackets, which MathML finds by itself.
SIZES = re.compile(r"\\[bB]igg?[lrm]?(?![A-Za-z])")


class _Renderer(IPythonRenderer):
    """Formulas as MathML: they are there without a network."""

    def inline_math(self, body: str) -> str:
        return formula(SIZES.sub("", body))

    def block_math(self, body: str) -> str:
        return formula(SIZES.sub("", body), "block")


class _Slides(SlidesExporter):
    """nbconvert's own, but for the formulas."""

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """A cell's Markdown as HTML, with the pictures that are attached to it."""
        attachments = context.get("cell", {}).get("attachments", {})
        renderer = _Renderer(escape=False, attachments=attachments, exclude_anchor_links=True)
        return str(MarkdownWithMath(renderer=renderer).render(source))


def html_of(notebook: NotebookNode) -> str:
    """A notebook of slides as HTML. A browser loads reveal.js, which turns the pages, from its CDN."""
    exporter = _Slides()
    page, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": notebook.metadata.title}})
    head, found, rest = page.partition("<head>")
    return f"{head}{found}{MARK}{rest.replace('</head>', STYLE + '</head>', 1)}"
