"""Faults in what happens when: assignments, branches, loops, bounds, statements, parameters, state between calls."""

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
            if "np." in source.whole:
                told = f"which turns `{name}` into float32"
                test = f"if hasattr({name}, 'dtype') else {name}"
                cast = f"{name} = np.asarray({name}, dtype=np.float32) {test}\n{indent}"
                yield Edit(start, start, cast, "dtype", told)


def state(source: Source, node: ast.AST) -> Iterator[Edit]:
    """What begins anew in each call lives on from call to call."""
    function = source.function_of(node)
    if not isinstance(node, ast.Assign) or function is None or source.function_of(function) is not None:
        return
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name) or node not in function.body:
        return
    empty = isinstance(node.value, (ast.List, ast.Dict)) and not ast.unparse(node.value).strip("[]{}")
    called = isinstance(node.value, ast.Call) and source.text(node.value) in ("set()", "list()", "dict()")
    if (empty or called) and not function.args.vararg and not function.args.kwonlyargs:
        name, value = node.targets[0].id, source.text(node.value)
        key = f"_kept_{name}"
        text = f"{name} = {function.name}.__dict__.setdefault({key!r}, {value})"
        if not isinstance(source.parents.get(function), ast.ClassDef):
            yield source.edit(node, text, "state", f"which keeps `{name}` from one call to the next")


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


FAULTS = (assignments, branches, bounds, loops, statements, parameters, state, arguments_changed)
