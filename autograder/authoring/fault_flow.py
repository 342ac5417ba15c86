"""Faults in what happens when: assignments, branches, loops, bounds, statements, parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .fault_values import BINARY
from .source_text import Edit, Source


def assignments(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.AugAssign) and type(node.op) in BINARY:
        mark = BINARY[type(node.op)][0]
        place = source.between(node.target, node.value, f"{mark}=")
        if place:
            yield Edit(*place, "=", "assignment", f"with `=` for `{mark}=`")
            other = BINARY[type(node.op)][1][0]
            yield Edit(*place, f"{other}=", "operator", f"with `{other}=` for `{mark}=`")
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.BinOp):
        target, value = source.text(node.targets[0]), node.value
        if type(value.op) in BINARY and source.text(value.left) == target:
            mark = BINARY[type(value.op)][0]
            text = f"{target} {mark}= {source.text(value.right)}"
            yield source.edit(
                node, text, "in place", f"with `{mark}=`, which writes into the object `{target}`"
            )


def branches(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        for value in ("True", "False"):
            if isinstance(node, ast.While) and value == "True":
                continue  # a loop without an end is another fault
            taken = "always" if value == "True" else "never"
            yield source.edit(
                node.test, value, "branch", f"with `{source.text(node.test)}` taken for {taken} true"
            )
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield source.edit(test, "True", "branch", f"without the condition `{source.text(test)}`")


def bounds(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        last = node.args[0] if len(node.args) == 1 else node.args[1]
        if not isinstance(last, ast.Constant):
            for sign in "+-":
                where = "one more" if sign == "+" else "one fewer"
                yield source.edit(
                    last, f"{source.text(last)} {sign} 1", "bound", f"with {where} in the range"
                )
    if isinstance(node, ast.Slice):
        whole = source.parents.get(node)
        for part, what in ((node.lower, "beginning"), (node.upper, "end"), (node.step, "step")):
            if part is not None:
                start, end = source.span(part)
                yield Edit(
                    start,
                    end,
                    "",
                    "bound",
                    f"without the {what} of the slice `{source.text(whole or node)}`",
                )


def loops(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, (ast.For, ast.comprehension)):
        items = source.text(node.iter)
        yield source.edit(
            node.iter, f"list({items})[1:]", "loop", "with the first round of the loop left out"
        )
        yield source.edit(
            node.iter, f"list({items})[:-1]", "loop", "with the last round of the loop left out"
        )
        yield source.edit(node.iter, f"list({items})[::-1]", "order", "with the loop in the opposite order")
    if isinstance(node, (ast.For, ast.While)):
        follows = source.next_of(node)
        if isinstance(follows, ast.Return):
            inside = source.indent(node.body[-1])
            end = source.span(node.body[-1])[1]
            yield Edit(
                end, end, f"\n{inside}{source.text(follows)}", "early", "with the `return` inside the loop"
            )


def statements(source: Source, node: ast.AST) -> Iterator[Edit]:
    if (
        isinstance(node, (ast.Expr, ast.AugAssign, ast.Assign, ast.Raise))
        and source.function_of(node) is not None
    ):
        text = source.text(node).split("\n")[0]
        yield source.edit(node, "pass", "left out", f"without the line `{text}`")


def parameters(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    body = node.body[1:] if source.is_docstring(node.body[0]) or ast.get_docstring(node) else node.body
    if not body:
        return
    start, indent = source.span(body[0])[0], source.indent(body[0])
    defaults = dict(zip([a.arg for a in node.args.args][::-1], node.args.defaults[::-1], strict=False))
    for parameter in [*node.args.args, *node.args.kwonlyargs]:
        name = parameter.arg
        if name in ("self", "cls"):
            continue
        default = defaults.get(name)
        if default is not None:
            told = f"which uses the default of `{name}` whatever is passed"
            yield Edit(start, start, f"{name} = {source.text(default)}\n{indent}", "default", told)
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node)):
            yield Edit(
                start, start, f"{name} = 1.0\n{indent}", "parameter", f"which does not look at `{name}`"
            )
            called = any(
                isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name
                for n in ast.walk(node)
            )
            if "np." in source.whole and not called:  # a function has no dtype
                told = f"which turns `{name}` into float32"
                test = f"if hasattr({name}, 'dtype') else {name}"
                cast = f"{name} = np.asarray({name}, dtype=np.float32) {test}\n{indent}"
                yield Edit(start, start, cast, "dtype", told)


FAULTS = (assignments, branches, bounds, loops, statements, parameters)
