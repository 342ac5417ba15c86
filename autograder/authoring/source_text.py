"""A source with its syntax tree: where each piece of it stands, and how a piece is replaced."""

from __future__ import annotations

import ast
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Edit:
    """Replace the characters from `start` to `end` of a source."""

    start: int
    end: int
    text: str
    #: the kind of fault, such as "operator"
    kind: str
    #: the fault in words: "`-` in place of `+`"
    told: str


class Source:
    """A text and the places of its nodes."""

    def __init__(self, source: str, tree: ast.Module) -> None:
        self.whole = source
        self.lines = source.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def at(self, line: int, column: int) -> int:
        text = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(text)

    def span(self, node: ast.AST) -> tuple[int, int]:
        place = node  # every node that is asked has a place
        return (
            self.at(place.lineno, place.col_offset),  # type: ignore[attr-defined]
            self.at(place.end_lineno, place.end_col_offset),  # type: ignore[attr-defined]
        )

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.whole[start:end]

    def edit(self, node: ast.AST, text: str, kind: str, told: str) -> Edit:
        start, end = self.span(node)
        if self._needs_brackets(node, text):
            text = f"({text})"
        return Edit(start, end, text, kind, told)

    def _needs_brackets(self, node: ast.AST, text: str) -> bool:
        """An expression keeps together where it stands inside another one."""
        if not isinstance(node, ast.expr) or text.isidentifier():
            return False
        parent = self.parents.get(node)
        inside = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Attribute, ast.Subscript)
        return isinstance(parent, inside) or (isinstance(parent, ast.Call) and parent.func is node)

    def is_docstring(self, node: ast.AST) -> bool:
        return any(
            isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
            for n in (node, self.parents.get(node))
        )

    def in_annotation(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.arg):
            return True
        return isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and parent.returns is node

    def function_of(self, node: ast.AST) -> Function | None:
        up = self.parents.get(node)
        while up is not None and not isinstance(up, (ast.FunctionDef, ast.AsyncFunctionDef)):
            up = self.parents.get(up)
        return up

    def between(self, left: ast.AST, right: ast.AST, operator: str) -> tuple[int, int] | None:
        """Where an operator stands between two expressions."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = self.whole.find(operator, start, end)
        return (found, found + len(operator)) if found >= 0 else None

    def indent(self, node: ast.stmt) -> str:
        line = self.lines[node.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def next_of(self, node: ast.stmt) -> ast.stmt | None:
        for _, block in ast.iter_fields(self.parents[node]):
            if isinstance(block, list) and node in block:
                i = block.index(node)
                return block[i + 1] if i + 1 < len(block) else None
        return None
