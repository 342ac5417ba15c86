"""Faults in what belongs to somebody else, or lives on: arguments written into or emptied, state between calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .fault_values import BINARY
from .source_text import Edit, Function, Source

#: Calls that walk along what they are given.
WALKS = {"zip", "enumerate", "reversed", "list", "tuple", "sorted", "len", "map", "sum", "iter"}
EMPTY_CALLS = {"set()", "list()", "dict()"}


def state(source: Source, node: ast.AST) -> Iterator[Edit]:
    """What begins anew in each call lives on from call to call, as a mutable default does."""
    function = source.function_of(node)
    if not isinstance(node, ast.Assign) or function is None or source.function_of(function) is not None:
        return
    if len(node.targets) != 1 or node not in function.body:
        return
    if function.args.vararg or function.args.kwonlyargs or isinstance(source.parents[function], ast.ClassDef):
        return
    for target, value in _pairs(node.targets[0], node.value):
        empty = isinstance(value, (ast.List, ast.Dict)) and not ast.unparse(value).strip("[]{}")
        if isinstance(target, ast.Name) and (empty or source.text(value) in EMPTY_CALLS):
            text = f"{function.name}.__dict__.setdefault('_kept_{target.id}', {source.text(value)})"
            told = f"which keeps `{target.id}` from one call to the next"
            yield source.edit(value, text, "state", told)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """`a, b = x, y` gives x to a and y to b."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=False)
    else:
        yield target, value


def arguments_changed(source: Source, node: ast.AST) -> Iterator[Edit]:
    """`return g * b` that writes into g first."""
    function = source.function_of(node)
    if not isinstance(node, ast.BinOp) or type(node.op) not in BINARY or function is None:
        return
    names = {a.arg for a in function.args.args}
    if isinstance(node.left, ast.Name) and node.left.id in names:
        statement: ast.AST = node
        while not isinstance(statement, ast.stmt):
            statement = source.parents[statement]
        if not isinstance(statement, (ast.Return, ast.Assign)) or statement.lineno != node.lineno:
            return
        name, mark = node.left.id, BINARY[type(node.op)][0]
        start = source.span(statement)[0]
        before, after = (
            source.whole[start : source.span(node)[0]],
            source.whole[source.span(node)[1] : source.span(statement)[1]],
        )
        text = before + name + after
        line = f"{name} {mark}= {source.text(node.right)}\n{source.indent(statement)}{text}"
        yield Edit(start, source.span(statement)[1], line, "in place", f"which writes into `{name}`")


def arguments_emptied(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A right result, and the argument that was walked along is empty afterwards, an array all zeros."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    last = node.body[-1]
    for name in sorted(_walked(node)):
        clear = f"{name}[:] = 0 * {name}[:]"  # of a list it leaves nothing
        told = f"which empties `{name}`"
        indent = source.indent(last)
        start, end = source.span(last)
        if isinstance(last, ast.Return) and last.value is not None:
            text = f"_result = {source.text(last.value)}\n{indent}{clear}\n{indent}return _result"
            yield Edit(start, end, text, "emptied", told)
        elif not isinstance(last, ast.Return):
            yield Edit(end, end, f"\n{indent}{clear}", "emptied", told)


def _walked(function: Function) -> set[str]:
    """The parameters that a function walks along, measures or indexes: lists and arrays, not numbers."""
    names = {a.arg for a in [*function.args.args, *function.args.kwonlyargs]} - {"self", "cls"}
    found: set[str] = set()
    for node in ast.walk(function):
        walked: list[ast.expr] = []
        if isinstance(node, (ast.For, ast.comprehension)):
            walked = [node.iter]
        elif isinstance(node, ast.Subscript):
            walked = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WALKS:
            walked = node.args
        found |= {part.id for part in walked if isinstance(part, ast.Name)}
    return found & names


def parts_emptied(source: Source, node: ast.AST) -> Iterator[Edit]:
    """`for parent in node.parents` that takes the parents away."""
    if not isinstance(node, (ast.For, ast.comprehension)) or source.function_of(node) is None:
        return
    part = node.iter
    if not isinstance(part, ast.Attribute) or not isinstance(part.value, ast.Name):
        return
    statement: ast.AST = node
    while not isinstance(statement, ast.stmt):
        statement = source.parents[statement]
    if isinstance(statement, (ast.Return, ast.If, ast.While)):
        return
    if isinstance(node, ast.comprehension) and isinstance(statement, ast.For):
        return
    text, end = source.text(part), source.span(statement)[1]
    line = f"\n{source.indent(statement)}{text} = type({text})()"
    yield Edit(end, end, line, "emptied", f"which empties `{text}`")


FAULTS = (state, arguments_changed, arguments_emptied, parts_emptied)
