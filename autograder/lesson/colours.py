"""Right and wrong, seen at a glance: a mark and words, white on a colour of their own.

The colour behind the words comes with them, so they can be read on every theme's background; and nothing is said by
colour alone, for the marks differ.
"""

from __future__ import annotations

import os
import sys

from .logbook import shell

#: White stands out from both by more than 5 to 1 (WCAG asks for 4.5).
GREEN, RED = (26, 115, 52), (176, 32, 32)

_OFF = "\x1b[0m"


def badge(text: str, colour: tuple[int, int, int]) -> str:
    """The text in bold white on the colour, in the escapes that Jupyter and terminals know.

    >>> badge("✓ add_vjp", GREEN)
    '\\x1b[1;38;2;255;255;255;48;2;26;115;52m ✓ add_vjp \\x1b[0m'
    """
    red, green, blue = colour
    return f"\x1b[1;38;2;255;255;255;48;2;{red};{green};{blue}m {text} {_OFF}"


def verdict(mark: str, said: str, colour: tuple[int, int, int]) -> str:
    """A line that begins with a badge. Plain where nobody sees colours or wants them (https://no-color.org)."""
    seen = shell() is not None or sys.stdout.isatty()
    if os.environ.get("NO_COLOR") or not seen:
        return f"{mark}: {said}"
    return f"{badge(mark, colour)} {said}"


def css(colour: tuple[int, int, int]) -> str:
    """The colour as web pages write it.

    >>> css(GREEN)
    '#1a7334'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)
