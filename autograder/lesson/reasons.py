"""The reason of a check that did not get as far as to say it, read from the check's own source.

When an answer raises, `check.close(yours.f(2.0), 3.0, "why")` is never called, and its "why" is lost. The statement
that was running still holds it.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import TracebackType

from .syntax import syntax_tree

#: Where the methods of a check take their reason: its position among the arguments; None where it is a keyword.
WHY = {"close": 2, "equal": 2, "true": 1, "same_as": None}

#: What may do something when it is evaluated, calls above all: it could run an answer again.
_DOES_SOMETHING = (
    ast.Call,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.NamedExpr,
    ast.Lambda,
    ast.comprehension,
)


def reason(tb: TracebackType | None) -> str:
    """The reason of the check in whose statement an exception arose, or that would have used its result."""
    if tb is None:
        return ""
    source = "".join(linecache.getlines(tb.tb_frame.f_code.co_filename, tb.tb_frame.f_globals))
    try:
        why = _why(syntax_tree(source), tb.tb_lineno)
        segment = ast.get_source_segment(source, why) if why is not None else None
        if segment is None:
            return ""
        text = eval(f"({segment}\n)", dict(tb.tb_frame.f_globals), dict(tb.tb_frame.f_locals))
    except Exception:  # a reason is a help; without it the message stands as well
        return ""
    return text if isinstance(text, str) else ""


def _why(tree: ast.Module, line: int) -> ast.expr | None:
    """The expression of the reason that belongs to the statement at this line."""
    for block in _blocks(tree):
        for i, statement in enumerate(block):
            if not statement.lineno <= line <= (statement.end_lineno or 0) or list(_blocks(statement)):
                continue
            names, unset = _stored(statement), _stored(statement)
            for later in block[i:]:
                used = {node.id for node in ast.walk(later) if isinstance(node, ast.Name)}
                if later is statement or used & names:
                    why = _reason_of(later)
                    if why is not None or later is not statement:
                        return _plain(why, unset)
                unset |= _stored(later)  # what they hold is of a run before
            return None
    return None


def _stored(tree: ast.AST) -> set[str]:
    """The names that a statement gives values to."""
    return {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """All lists of statements in a tree, inner ones too."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                if block:
                    yield block


def _reason_of(statement: ast.stmt) -> ast.expr | None:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr not in WHY
    ):
        return None
    for keyword in call.keywords:
        if keyword.arg == "why":
            return keyword.value
    position = WHY[call.func.attr]
    return call.args[position] if position is not None and position < len(call.args) else None


def _plain(why: ast.expr | None, unknown: set[str]) -> ast.expr | None:
    """The expression if it can be evaluated safely: it calls nothing, and uses no name that has no value yet."""
    for node in ast.walk(why) if why is not None else ():
        if isinstance(node, _DOES_SOMETHING) or (isinstance(node, ast.Name) and node.id in unknown):
            return None
    return why
