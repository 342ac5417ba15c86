"""Formulas as MathML, which every browser draws by itself: the one place that asks latex2mathml."""

from __future__ import annotations

import latex2mathml.converter


def mathml(body: str, display: str = "inline") -> str:
    r"""A formula in LaTeX as MathML, "inline" or as a "block". What it raises where there is none has many kinds.

    >>> mathml("x^2")[:71]
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow'
    """
    return str(latex2mathml.converter.convert(body, display=display))
