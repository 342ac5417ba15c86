"""Faults in expressions: another operator, a dropped factor, a sign, a number, an axis, a swapped argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .source_text import Edit, Source

BINARY: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-", "*")),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("/", "+")),
    ast.Div: ("/", ("*",)),
    ast.Pow: ("**", ("*",)),
    ast.MatMult: ("@", ("*",)),
    ast.FloorDiv: ("//", ("/",)),
    ast.Mod: ("%", ("//",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
}
COMPARED: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">")),
    ast.LtE: ("<=", ("<", ">=")),
    ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">", "<=")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
#: Names of functions and methods that are taken for each other.
NAMES = {
    "sum": ("mean", "max", "prod"),
    "mean": ("sum",),
    "max": ("min", "sum"),
    "min": ("max",),
    "maximum": ("minimum",),
    "minimum": ("maximum",),
    "argmax": ("argmin",),
    "argmin": ("argmax",),
    "exp": ("log", "expm1"),
    "log": ("exp", "log1p"),
    "log1p": ("log",),
    "expm1": ("exp",),
    "sin": ("cos",),
    "cos": ("sin",),
    "tanh": ("sinh",),
    "sqrt": ("square",),
    "square": ("sqrt",),
    "zeros": ("ones",),
    "ones": ("zeros",),
    "zeros_like": ("ones_like",),
    "ones_like": ("zeros_like",),
    "append": ("extend",),
    "extend": ("append",),
    "any": ("all",),
    "all": ("any",),
    "floor": ("ceil",),
    "uniform": ("normal",),
    "normal": ("uniform",),
    "argsort": ("sort",),
    "cumsum": ("cumprod",),
    "prod": ("sum",),
    "var": ("std",),
    "std": ("var",),
    "log2": ("log",),
}
#: Calls that take many numbers and give fewer: `f(x)` and `x.f()` without them are `x`.
REDUCTIONS = {"sum", "mean", "max", "min", "prod", "std", "var", "any", "all"}
COPIES = {
    "copy",
    "deepcopy",
    "list",
    "dict",
    "set",
    "array",
    "tuple",
    "copyto",
    "asarray",
    "ascontiguousarray",
}
TRANSPOSED = {"transpose", "swapaxes", "moveaxis", "permute"}
REVERSED = {"reversed", "sorted", "flip"}
#: Calls around an expression that are left out.
UNWRAPPED = {"abs", "clip", "exp", "log", "sqrt", "reshape", "expand_dims", "squeeze", "float", "int"}
#: Names of modules: `np.sum(x)` works on its argument, `x.sum()` on what stands before the dot.
MODULES = {"np", "numpy", "math", "copy", "F", "functional", "ops"}


def operators(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        mark, others = BINARY[type(node.op)]
        place = source.between(node.left, node.right, mark)
        for other in others if place else ():
            assert place
            yield Edit(*place, other, "operator", f"with `{other}` for `{mark}`")
    if isinstance(node, ast.Compare):
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            mark, others = COMPARED[type(operator)]
            place = source.between(left, right, mark)
            for other in others if place else ():
                assert place
                yield Edit(*place, other, "comparison", f"with `{other}` for `{mark}`")
            left = right
    if isinstance(node, ast.BoolOp):
        mark, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        place = source.between(node.values[0], node.values[1], mark)
        if place:
            yield Edit(*place, other, "operator", f"with `{other}` for `{mark}`")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield source.edit(node, source.text(node.operand), "condition", "without the `not`")


def terms(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.BinOp) or type(node.op) not in BINARY:
        return
    left, right = source.text(node.left), source.text(node.right)
    what = {
        ast.Mult: "factor",
        ast.Div: "division by",
        ast.Add: "term",
        ast.Sub: "term",
        ast.Pow: "exponent",
        ast.MatMult: "matrix",
    }.get(type(node.op), "part")
    yield source.edit(node, left, "dropped", f"without the {what} `{right}`")
    if not isinstance(node.op, ast.Pow):
        kept = f"-({right})" if isinstance(node.op, ast.Sub) else right
        kept = f"1 / ({right})" if isinstance(node.op, ast.Div) else kept
        told = "factor" if isinstance(node.op, ast.Div) else what
        yield source.edit(node, kept, "dropped", f"without the {told} `{left}`")
    if isinstance(node.op, (ast.Sub, ast.Div, ast.Pow, ast.MatMult)):
        mark = BINARY[type(node.op)][0]
        yield source.edit(
            node, f"({right}) {mark} ({left})", "swapped", f"with `{left}` and `{right}` exchanged"
        )


def signs(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield source.edit(
                node,
                source.text(node.operand),
                "sign",
                f"without the minus before `{source.text(node.operand)}`",
            )
    elif isinstance(node, ast.Return) and node.value is not None:
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for value in values:
            if isinstance(value, (ast.BinOp, ast.Name, ast.Call, ast.Attribute)):
                yield source.edit(
                    value,
                    f"-({source.text(value)})",
                    "sign",
                    f"with the opposite sign of `{source.text(value)}`",
                )


def constants(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Constant) or isinstance(source.parents.get(node), ast.JoinedStr):
        return
    value = node.value
    if isinstance(value, bool):
        yield source.edit(node, str(not value), "constant", f"with {not value} for {value}")
    elif isinstance(value, int):
        for other in (value + 1, value - 1):
            yield source.edit(node, str(other), "constant", f"with {other} for {value}")
    elif isinstance(value, float) and 0 < abs(value) < 1e-3:
        for factor in (1e3, 0.0):
            yield source.edit(node, repr(value * factor), "eps", f"with {value * factor:g} for {value:g}")
    elif isinstance(value, float):
        for other_value in (value + 1, value / 2 if value else -1.0):
            yield source.edit(node, repr(other_value), "constant", f"with {other_value:g} for {value:g}")
    elif value is None and not isinstance(source.parents.get(node), (ast.Compare, ast.Return)):
        yield source.edit(node, "0", "constant", "with 0 for None")


def calls(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call):
        return
    plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
    if len(plain) == len(node.args) >= 2:
        for i in range(len(plain) - 1):
            one, two = plain[i], plain[i + 1]
            start, end = source.span(one)[0], source.span(two)[1]
            text = f"{source.text(two)}, {source.text(one)}"
            told = f"with `{source.text(one)}` and `{source.text(two)}` exchanged"
            yield Edit(start, end, text, "swapped", told)
    for keyword in node.keywords:
        if keyword.arg is not None:
            start, end = _with_comma(source, node, keyword)
            told = f"without `{keyword.arg}={source.text(keyword.value)}`"
            yield Edit(start, end, "", "keyword", told)
            if keyword.arg in ("axis", "dim"):
                for other in ("None", "0", "-1", "1"):
                    if source.text(keyword.value) != other:
                        yield source.edit(
                            keyword.value,
                            other,
                            "axis",
                            f"with axis {other} for {source.text(keyword.value)}",
                        )
    yield from _of_what_is_called(source, node)


def _of_what_is_called(source: Source, node: ast.Call) -> Iterator[Edit]:
    name, inner = _named(source, node)
    for other in NAMES.get(name, ()):
        _, end = source.span(node.func)
        place = (end - len(name), end)
        yield Edit(*place, other, "function", f"with `{other}` for `{name}`")
    if inner is None:
        return
    if name in REDUCTIONS:
        yield source.edit(node, inner, "reduction", f"without the `{name}` over `{inner}`")
    if name in COPIES and len(node.args) <= 1:
        yield source.edit(node, inner, "copy", f"with `{inner}` itself in place of a copy")
    if name in TRANSPOSED:
        yield source.edit(node, inner, "transpose", f"without the `{name}` of `{inner}`")
    if name in REVERSED:
        yield source.edit(node, inner, "order", f"without the `{name}`")
    if name in (
        "abs",
        "where",
        "clip",
        "exp",
        "log",
        "sqrt",
        "reshape",
        "expand_dims",
        "squeeze",
        "enumerate",
        "float",
        "int",
    ):
        if name not in ("where", "enumerate"):
            yield source.edit(node, inner, "dropped", f"without the `{name}` of `{inner}`")


def results(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) >= 2:
        elements = node.value.elts
        for i in range(len(elements) - 1):
            texts = [source.text(e) for e in elements]
            texts[i], texts[i + 1] = texts[i + 1], texts[i]
            yield source.edit(
                node.value, ", ".join(texts), "swapped", f"with results {i + 1} and {i + 2} exchanged"
            )


def transposes(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield source.edit(
            node,
            source.text(node.value),
            "transpose",
            f"without the transpose of `{source.text(node.value)}`",
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        for side in (node.left, node.right):
            if not (isinstance(side, ast.Attribute) and side.attr in ("T", "mT")):
                yield source.edit(
                    side, f"({source.text(side)}).T", "transpose", f"with `{source.text(side)}` transposed"
                )


def names(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Another parameter of the same function in the place of this one."""
    function = source.function_of(node)
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or function is None:
        return
    names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
    if node.id in names:
        for other in names:
            if other != node.id:
                yield source.edit(node, other, "name", f"with `{other}` for `{node.id}`")


def shapes(source: Source, node: ast.AST) -> Iterator[Edit]:
    """`x.shape[-1]` that counts from the other end, `len` that is taken for a fixed one."""
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "shape"
    ):
        for other in ("0", "1", "-1"):
            if source.text(node.slice) != other:
                yield source.edit(
                    node.slice,
                    other,
                    "length",
                    f"with length {other} of the shape for {source.text(node.slice)}",
                )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        yield source.edit(node, "2", "length", f"with 2 for `{source.text(node)}`")


def _with_comma(source: Source, call: ast.Call, keyword: ast.keyword) -> tuple[int, int]:
    """Where a keyword stands, together with the comma before it or behind it."""
    start, end = source.span(keyword)
    before = source.whole[:start].rstrip()
    if before.endswith(","):
        return len(before) - 1, end
    after = source.whole[end:]
    skipped = len(after) - len(after.lstrip())
    return (start, end + skipped + 1) if after.lstrip().startswith(",") else (start, end)


def _named(source: Source, call: ast.Call) -> tuple[str, str | None]:
    """The name of what is called, and the text of what it is called on: `x` in `x.sum()` and in `np.sum(x)`."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id, source.text(call.args[0]) if call.args else None
    if isinstance(function, ast.Attribute):
        base = function.value
        of_module = isinstance(base, ast.Name) and base.id in (
            "np",
            "math",
            "numpy",
            "copy",
            "F",
            "ops",
            "functional",
        )
        if of_module:
            return function.attr, source.text(call.args[0]) if call.args else None
        return function.attr, source.text(base)
    return "", None


FAULTS = (operators, terms, signs, constants, calls, results, transposes, names, shapes)
