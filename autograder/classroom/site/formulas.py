"""Formulas as MathML, which browsers draw themselves: no script, no font to load, and one colour with the text."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ..mathml import mathml


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx's door: names this way of drawing formulas."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(translator: Any, formula: nodes.math) -> None:
    """A formula in a line."""
    translator.body.append(mathml(formula.astext()))
    raise nodes.SkipNode


def block(translator: Any, formula: nodes.math_block) -> None:
    """A formula on a line of its own; wide ones scroll."""
    translator.body.append(f'<div class="formula">{mathml(formula.astext(), "block")}</div>')
    raise nodes.SkipNode
