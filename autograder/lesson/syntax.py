"""`ast.parse` for threads."""

from __future__ import annotations

import ast
import threading

_parsing = threading.Lock()


def syntax_tree(source: str) -> ast.Module:
    """`ast.parse`, one at a time. Raises what it raises.

    In CPython 3.11 all threads count the depth of their trees in one place: where the garbage collector lets another
    thread in, both end in a SystemError (https://github.com/python/cpython/issues/106905).
    """
    with _parsing:
        return ast.parse(source)
