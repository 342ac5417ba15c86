"""Slides as HTML, by nbconvert, which every instructor of the field may run again after an edit."""

from __future__ import annotations

from nbconvert.exporters import SlidesExporter
from nbformat import NotebookNode

#: In a page of ours, so that it may be written again.
MARK = '<meta name="generator" content="autograder teach">'
STYLE = "<style>.reveal img { max-height: 420px; } .reveal pre code { max-height: none; }</style>"


def html_of(notebook: NotebookNode) -> str:
    """A notebook of slides as HTML. A browser loads reveal.js, which turns the pages, from its CDN."""
    exporter = SlidesExporter()
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    page, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": notebook.metadata.title}})
    head, found, rest = page.partition("<head>")
    return f"{head}{found}{MARK}{rest.replace('</head>', STYLE + '</head>', 1)}"
