"""Faults that learners make and that prove little: they run only so that a learner hears of them.

A mutant shows whether a check asks enough, and the plainest ones do that best. What people write is often further from
the right answer: a result that was divided once too often, two steps in the other order, a sum over everything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from .fault_values import BINARY
from .source_text import Edit, Source

NUMPY = "__import__('numpy')"
#: What is done to a result once too often, and how that is told.
AFTERWARDS = {
    "{v}.T": "with the result transposed",
    "{v}.sum()": "with the numbers of the result added up",
    "{v}.mean()": "with the mean of the result's numbers",
    "{v}.sum(axis=0)": "with the result summed over axis 0",
    "{v}.mean(axis=0)": "with the mean of the result over axis 0",
    "{v}.sum(axis=-1)": "with the result summed over axis -1",
    "{v}.mean(axis=-1)": "with the mean of the result over axis -1",
    "{v} / len({v})": "with the result divided by how many it has",
}
#: And with one of the arguments.
OF_NAMES = {
    "{v} * {n}": "with the factor `{n}` too much",
    "{v} / {n}": "with a division by `{n}` too much",
}


def results(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Each result of a function, with one operation too many."""
    for value in _returned(source, node):
        text = f"({source.text(value)})"
        for form, told in AFTERWARDS.items():
            yield source.edit(value, form.format(v=text), "afterwards", _of(value, node, told))


def with_parameters(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A result times or divided by one of the arguments; or one of them in its place."""
    function = source.function_of(node)
    if function is None:
        return
    names = [a.arg for a in [*function.args.args, *function.args.kwonlyargs] if a.arg not in ("self", "cls")]
    for value in _returned(source, node):
        text = f"({source.text(value)})"
        for name in names:
            if name != source.text(value):
                for form, told in OF_NAMES.items():
                    words = _of(value, node, told.format(n=name))
                    yield source.edit(value, form.format(v=text, n=name), "afterwards", words)
                words = _of(value, node, f"with `{name}` itself as the result")
                yield source.edit(value, name, "instead", words)


def _of(value: ast.expr, node: ast.AST, told: str) -> str:
    """The words for all that is returned, or for one of several results."""
    if isinstance(node, ast.Return) and value is not node.value:
        return told.replace("the result's", "a result's").replace("the result", "one of the results")
    return told


def _returned(source: Source, node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Return) and node.value is not None:
        yield node.value
        if isinstance(node.value, ast.Tuple | ast.List) and len(node.value.elts) <= 5:
            yield from (e for e in node.value.elts if not isinstance(e, ast.Starred))


def too_early(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A function that returns what it has in between."""
    function = source.function_of(node)
    if not isinstance(node, ast.Return) or node.value is None or function is None:
        return
    for part in ast.walk(node.value):
        if isinstance(part, ast.expr) and part is not node.value and _whole(part):
            yield source.edit(node.value, source.text(part), "early", "with the last steps left out")
    for assigned in ast.walk(function):
        if isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name):
            yield source.edit(node.value, assigned.targets[0].id, "early", "with the last steps left out")


def _whole(part: ast.expr) -> bool:
    return isinstance(part, ast.BinOp | ast.Call | ast.Name | ast.Attribute | ast.Subscript) and not (
        isinstance(part, ast.Name)
        and part.id in ("np", "math", "sum", "len", "float", "zip", "tuple", "list")
    )


def exchanged(source: Source, node: ast.AST) -> Iterator[Edit]:
    """`b - a` where `a + b` belongs: of a sum and of a product, the order was free."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        left, right = source.text(node.left), source.text(node.right)
        mark, other = ("+", "-") if isinstance(node.op, ast.Add) else ("*", "/")
        yield source.edit(node, f"({right}) {other} ({left})", "operator", f"with `{other}` for `{mark}`")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Add):
        both = f"({source.text(node.left)}) * ({source.text(node.right)})"
        mark = BINARY[type(node.op)][0]
        yield source.edit(node, both, "operator", f"with `*` for `{mark}`")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        left, right = source.text(node.left), source.text(node.right)
        yield source.edit(node, f"({right}) @ ({left})", "swapped", f"with `{left}` and `{right}` exchanged")
        yield source.edit(node, f"(({left}) @ ({right})).T", "transpose", "with a product transposed")


def brackets(source: Source, node: ast.AST) -> Iterator[Edit]:
    """`a + b / c` where `(a + b) / c` belongs."""
    if not isinstance(node, ast.BinOp):
        return
    for side in (node.left, node.right):
        if isinstance(side, ast.BinOp):
            start, end = source.span(side)
            before, after = source.whole[:start].rstrip(), source.whole[end:].lstrip()
            if before.endswith("(") and after.startswith(")"):
                first, last = len(before) - 1, len(source.whole) - len(after) + 1
                yield Edit(first, last, source.text(side), "brackets", "without a pair of brackets")


def cases(source: Source, node: ast.AST) -> Iterator[Edit]:
    """The two cases of a condition, exchanged."""
    if isinstance(node, ast.If | ast.IfExp):
        test = f"not ({source.text(node.test)})"
        yield source.edit(node.test, test, "branch", "with the two cases of a condition exchanged")


def steps(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Two steps in the opposite order; an old value where the new one belongs."""
    for _, block in ast.iter_fields(node):
        if not (isinstance(block, list) and len(block) > 1 and isinstance(block[0], ast.stmt)):
            continue
        for one, two in pairwise(block):
            plain = ast.Assign | ast.AugAssign | ast.Expr | ast.For | ast.If
            if isinstance(one, plain) and isinstance(two, plain) and source.function_of(one) is not None:
                start, end = source.span(one)[0], source.span(two)[1]
                text = f"{source.text(two)}\n{source.indent(one)}{source.text(one)}"
                yield Edit(start, end, text, "steps", "with two of its steps in the opposite order")


def locals_for_names(source: Source, node: ast.AST) -> Iterator[Edit]:
    """One of the function's values in the place of another."""
    function = source.function_of(node)
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or function is None:
        return
    if not isinstance(source.parents.get(node), ast.BinOp | ast.Compare | ast.Tuple):
        return  # where a value is asked for its parts, another one fits by chance alone
    parameters = {a.arg for a in function.args.args}
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if node.id in parameters | stored:
        for other in sorted((stored | parameters) - {node.id, "self", "cls"}):
            if other not in parameters or node.id not in parameters:
                yield source.edit(node, other, "name", f"with `{other}` for `{node.id}`")


def statistics(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A standard deviation with n - 1, a sum over everything, a square for a magnitude."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    name, end = node.func.attr, source.span(node)[1] - 1
    comma = ", " if node.args or node.keywords else ""
    if name in ("std", "var"):
        yield Edit(end, end, f"{comma}ddof=1", "keyword", "with n - 1 in the place of n")
    if name in ("sum", "mean", "max", "min", "std", "var") and node.keywords:
        start = source.span(node.keywords[0])[0]
        start = len(source.whole[:start].rstrip().removesuffix(","))
        yield Edit(start, end, "", "axis", f"with the `{name}` over everything")
    if name in ("sum", "mean"):
        for other, told in (("sum", "sums"), ("mean", "means")):
            for axis in ("0", "-1"):
                base = source.text(node.func.value)
                if base not in ("np", "math"):
                    text = f"({base}).{other}(axis={axis}, keepdims=True)"
                    yield source.edit(node, text, "axis", f"with the {told} along axis {axis} there")


def everywhere(source: Source, node: ast.AST) -> Iterator[Edit]:
    """One value, or one function, taken for another in the whole of a function."""
    if not isinstance(node, ast.FunctionDef) or source.function_of(node) is not None:
        return
    own = [a.arg for a in [*node.args.args, *node.args.kwonlyargs] if a.arg not in ("self", "cls")]
    used = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for name in own:
        places = [n for n in used if n.id == name]
        if not places or name in stored:
            continue
        for other in own:
            if other != name and len(places) > 1:
                yield _all(source, node, places, other, "name", f"with `{other}` for `{name}`")
    for one, two in (("log", "log10"), ("log", "log2"), ("sin", "cos"), ("cos", "sin"), ("exp", "exp2")):
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr == one]
        if calls:
            text = f"{NUMPY}.{two}"
            yield _all(source, node, calls, text, "function", f"with `{two}` for `{one}`")


def _all(
    source: Source,
    function: ast.FunctionDef,
    places: list[ast.Name] | list[ast.Attribute],
    text: str,
    kind: str,
    told: str,
) -> Edit:
    """The whole function with another text at several places."""
    start, end = source.span(function)
    whole = source.whole[start:end]
    for first, last in sorted((source.span(place) for place in places), reverse=True):
        whole = whole[: first - start] + text + whole[last - start :]
    return Edit(start, end, whole, kind, told)


def weighed(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A value that is multiplied or divided by one of the arguments where it is used."""
    function = source.function_of(node)
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or function is None:
        return
    parent = source.parents.get(node)
    if not isinstance(parent, ast.BinOp):
        return
    for other in (a.arg for a in function.args.args if a.arg not in ("self", "cls")):
        yield source.edit(
            node, f"({other} * {node.id})", "weighed", f"with `{other}` times `{node.id}` somewhere"
        )


def old_values(source: Source, node: ast.AST) -> Iterator[Edit]:
    """An argument as it was, where the new value of that name belongs."""
    function = source.function_of(node)
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or function is None:
        return
    stored = [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Name)
        and isinstance(n.ctx, ast.Store)
        and n.id == node.id
        and n.lineno < node.lineno
    ]
    if node.id in {a.arg for a in function.args.args} and stored:
        body = function.body[1:] if ast.get_docstring(function) else function.body
        begin = source.span(body[0])[0]
        first, last = source.span(node)
        before = source.whole[begin:first]
        text = f"_before = {node.id}\n{source.indent(body[0])}{before}_before"
        told = f"with the old `{node.id}` where the new one belongs"
        yield Edit(begin, last, text, "old", told)


def bare(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A formula without any of its brackets."""
    if not isinstance(node, ast.Return | ast.Assign) or not isinstance(node.value, ast.BinOp):
        return
    start, end = source.span(node.value)
    marks: list[int] = []
    for part in ast.walk(node.value):
        if isinstance(part, ast.BinOp) and part is not node.value:
            first, last = source.span(part)
            if source.whole[first - 1] == "(" and source.whole[last : last + 1] == ")":
                marks += [first - 1, last]
    if len(marks) > 2:
        text = "".join(c for i, c in enumerate(source.whole[start:end], start) if i not in marks)
        yield Edit(start, end, text, "brackets", "without brackets")


FAULTS = (
    results,
    with_parameters,
    too_early,
    exchanged,
    brackets,
    cases,
    steps,
    locals_for_names,
    statistics,
    everywhere,
    weighed,
    old_values,
    bare,
)
