"""Mutants: a right answer with one small fault, made by machine from its syntax tree.

A bank of wrong answers holds what its authors thought of. Mutants look where they did not: `mutants(source)` gives
every answer that differs from a right one by one exchanged operator, one dropped factor, one axis, one missing copy.
Most are wrong, and a check has to say so; one that passes shows a gap in the check, or is no fault at all.

A mutant replaces a piece of the text and leaves the rest as it was written, so that the difference can be read.
"""

from __future__ import annotations

import ast
import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass

#: Changes of this file's operators make other mutants, and so need other verdicts.
VERSION = 1

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


@dataclass(frozen=True)
class Mutant:
    """A source with a fault, or with two."""

    source: str
    edits: tuple[Edit, ...]

    @property
    def kind(self) -> str:
        return " and ".join(edit.kind for edit in self.edits)

    @property
    def told(self) -> str:
        return ", and ".join(edit.told for edit in self.edits)

    @property
    def key(self) -> str:
        """A digest of what it does as a program: its layout does not count."""
        return hashlib.sha256(ast.dump(ast.parse(self.source)).encode()).hexdigest()[:16]


def mutants(source: str, at_least: int = 100, most: int = 400) -> list[Mutant]:
    """The mutants of an answer cell: each with one fault, and where these are few, pairs of faults up to `at_least`.

    The same source gives the same mutants. Raises SyntaxError when the source is not Python.
    """
    tree = ast.parse(source)
    original = ast.dump(tree)
    seen = {original}
    found: list[Mutant] = []
    edits = list(_Edits(source, tree).all())

    def add(*chosen: Edit) -> None:
        text = apply(source, chosen)
        try:
            shape = ast.dump(ast.parse(text))
        except (SyntaxError, ValueError):
            return
        if shape not in seen:
            seen.add(shape)
            found.append(Mutant(text, chosen))

    for edit in edits:
        add(edit)
    order = random.Random(len(source))
    if len(found) > most:
        found = order.sample(found, most)
    tries = 0
    while len(found) < at_least and len(edits) > 1 and tries < 20 * at_least:
        tries += 1
        one, two = sorted(order.sample(edits, 2), key=lambda edit: edit.start)
        if one.end <= two.start:
            add(one, two)
    return found


def apply(source: str, edits: tuple[Edit, ...]) -> str:
    """The source with these edits, which do not overlap."""
    for edit in sorted(edits, key=lambda edit: -edit.start):
        source = source[: edit.start] + edit.text + source[edit.end :]
    return source


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


class _Edits:
    """Finds the edits of a source, operator by operator."""

    def __init__(self, source: str, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self.lines = source.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def all(self) -> Iterator[Edit]:
        """In the order of the tree."""
        for node in ast.walk(self.tree):
            if self._is_docstring(node) or self._in_annotation(node):
                continue
            for name, find in vars(_Edits).items():
                if name.startswith("of_"):
                    yield from find(self, node)

    # -- places

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
        return self.source[start:end]

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

    def _is_docstring(self, node: ast.AST) -> bool:
        return any(
            isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
            for n in (node, self.parents.get(node))
        )

    def _in_annotation(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.arg):
            return True
        return isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and parent.returns is node

    def _function(self, node: ast.AST) -> Function | None:
        up = self.parents.get(node)
        while up is not None and not isinstance(up, (ast.FunctionDef, ast.AsyncFunctionDef)):
            up = self.parents.get(up)
        return up

    def _between(self, left: ast.AST, right: ast.AST, operator: str) -> tuple[int, int] | None:
        """Where an operator stands between two expressions."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = self.source.find(operator, start, end)
        return (found, found + len(operator)) if found >= 0 else None

    def _indent(self, node: ast.stmt) -> str:
        line = self.lines[node.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    # -- operators

    def of_operators(self, node: ast.AST) -> Iterator[Edit]:
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            mark, others = BINARY[type(node.op)]
            place = self._between(node.left, node.right, mark)
            for other in others if place else ():
                assert place
                yield Edit(*place, other, "operator", f"with `{other}` for `{mark}`")
        if isinstance(node, ast.Compare):
            left = node.left
            for operator, right in zip(node.ops, node.comparators, strict=True):
                mark, others = COMPARED[type(operator)]
                place = self._between(left, right, mark)
                for other in others if place else ():
                    assert place
                    yield Edit(*place, other, "comparison", f"with `{other}` for `{mark}`")
                left = right
        if isinstance(node, ast.BoolOp):
            mark, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            place = self._between(node.values[0], node.values[1], mark)
            if place:
                yield Edit(*place, other, "operator", f"with `{other}` for `{mark}`")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield self.edit(node, self.text(node.operand), "condition", "without the `not`")

    def of_terms(self, node: ast.AST) -> Iterator[Edit]:
        if not isinstance(node, ast.BinOp) or type(node.op) not in BINARY:
            return
        left, right = self.text(node.left), self.text(node.right)
        what = {
            ast.Mult: "factor",
            ast.Div: "division by",
            ast.Add: "term",
            ast.Sub: "term",
            ast.Pow: "exponent",
            ast.MatMult: "matrix",
        }.get(type(node.op), "part")
        yield self.edit(node, left, "dropped", f"without the {what} `{right}`")
        if not isinstance(node.op, ast.Pow):
            kept = f"-({right})" if isinstance(node.op, ast.Sub) else right
            kept = f"1 / ({right})" if isinstance(node.op, ast.Div) else kept
            told = "factor" if isinstance(node.op, ast.Div) else what
            yield self.edit(node, kept, "dropped", f"without the {told} `{left}`")
        if isinstance(node.op, (ast.Sub, ast.Div, ast.Pow, ast.MatMult)):
            mark = BINARY[type(node.op)][0]
            yield self.edit(
                node, f"({right}) {mark} ({left})", "swapped", f"with `{left}` and `{right}` exchanged"
            )

    def of_signs(self, node: ast.AST) -> Iterator[Edit]:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            if not isinstance(node.operand, ast.Constant):
                yield self.edit(
                    node,
                    self.text(node.operand),
                    "sign",
                    f"without the minus before `{self.text(node.operand)}`",
                )
        elif isinstance(node, ast.Return) and node.value is not None:
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for value in values:
                if isinstance(value, (ast.BinOp, ast.Name, ast.Call, ast.Attribute)):
                    yield self.edit(
                        value,
                        f"-({self.text(value)})",
                        "sign",
                        f"with the opposite sign of `{self.text(value)}`",
                    )

    def of_constants(self, node: ast.AST) -> Iterator[Edit]:
        if not isinstance(node, ast.Constant) or isinstance(self.parents.get(node), ast.JoinedStr):
            return
        value = node.value
        if isinstance(value, bool):
            yield self.edit(node, str(not value), "constant", f"with {not value} for {value}")
        elif isinstance(value, int):
            for other in (value + 1, value - 1):
                yield self.edit(node, str(other), "constant", f"with {other} for {value}")
        elif isinstance(value, float) and 0 < abs(value) < 1e-3:
            for factor in (1e3, 0.0):
                yield self.edit(node, repr(value * factor), "eps", f"with {value * factor:g} for {value:g}")
        elif isinstance(value, float):
            for other_value in (value + 1, value / 2 if value else -1.0):
                yield self.edit(node, repr(other_value), "constant", f"with {other_value:g} for {value:g}")
        elif value is None and not isinstance(self.parents.get(node), (ast.Compare, ast.Return)):
            yield self.edit(node, "0", "constant", "with 0 for None")

    def of_assignments(self, node: ast.AST) -> Iterator[Edit]:
        if isinstance(node, ast.AugAssign) and type(node.op) in BINARY:
            mark = BINARY[type(node.op)][0]
            place = self._between(node.target, node.value, f"{mark}=")
            if place:
                yield Edit(*place, "=", "assignment", f"with `=` for `{mark}=`")
                other = BINARY[type(node.op)][1][0]
                yield Edit(*place, f"{other}=", "operator", f"with `{other}=` for `{mark}=`")
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.BinOp):
            target, value = self.text(node.targets[0]), node.value
            if type(value.op) in BINARY and self.text(value.left) == target:
                mark = BINARY[type(value.op)][0]
                text = f"{target} {mark}= {self.text(value.right)}"
                yield self.edit(
                    node, text, "in place", f"with `{mark}=`, which writes into the object `{target}`"
                )

    def of_calls(self, node: ast.AST) -> Iterator[Edit]:
        if not isinstance(node, ast.Call):
            return
        plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
        if len(plain) == len(node.args) >= 2:
            for i in range(len(plain) - 1):
                one, two = plain[i], plain[i + 1]
                start, end = self.span(one)[0], self.span(two)[1]
                text = f"{self.text(two)}, {self.text(one)}"
                told = f"with `{self.text(one)}` and `{self.text(two)}` exchanged"
                yield Edit(start, end, text, "swapped", told)
        for keyword in node.keywords:
            if keyword.arg is not None:
                start, end = self._with_comma(node, keyword)
                told = f"without `{keyword.arg}={self.text(keyword.value)}`"
                yield Edit(start, end, "", "keyword", told)
                if keyword.arg in ("axis", "dim"):
                    for other in ("None", "0", "-1", "1"):
                        if self.text(keyword.value) != other:
                            yield self.edit(
                                keyword.value,
                                other,
                                "axis",
                                f"with axis {other} for {self.text(keyword.value)}",
                            )
        name, inner = self._named(node)
        for other in NAMES.get(name, ()):
            start, end = self.span(node.func)
            place = (end - len(name), end)
            yield Edit(*place, other, "function", f"with `{other}` for `{name}`")
        if inner is None:
            return
        if name in REDUCTIONS:
            yield self.edit(node, inner, "reduction", f"without the `{name}` over `{inner}`")
        if name in COPIES and len(node.args) <= 1:
            yield self.edit(node, inner, "copy", f"with `{inner}` itself in place of a copy")
        if name in TRANSPOSED:
            yield self.edit(node, inner, "transpose", f"without the `{name}` of `{inner}`")
        if name in REVERSED:
            yield self.edit(node, inner, "order", f"without the `{name}`")
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
                yield self.edit(node, inner, "dropped", f"without the `{name}` of `{inner}`")

    def _with_comma(self, call: ast.Call, keyword: ast.keyword) -> tuple[int, int]:
        """Where a keyword stands, together with the comma before it or behind it."""
        start, end = self.span(keyword)
        before = self.source[:start].rstrip()
        if before.endswith(","):
            return len(before) - 1, end
        after = self.source[end:]
        skipped = len(after) - len(after.lstrip())
        return (start, end + skipped + 1) if after.lstrip().startswith(",") else (start, end)

    def _named(self, call: ast.Call) -> tuple[str, str | None]:
        """The name of what is called, and the text of what it is called on: `x` in `x.sum()` and in `np.sum(x)`."""
        function = call.func
        if isinstance(function, ast.Name):
            return function.id, self.text(call.args[0]) if call.args else None
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
                return function.attr, self.text(call.args[0]) if call.args else None
            return function.attr, self.text(base)
        return "", None

    def of_results(self, node: ast.AST) -> Iterator[Edit]:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) >= 2:
            elements = node.value.elts
            for i in range(len(elements) - 1):
                texts = [self.text(e) for e in elements]
                texts[i], texts[i + 1] = texts[i + 1], texts[i]
                yield self.edit(
                    node.value, ", ".join(texts), "swapped", f"with results {i + 1} and {i + 2} exchanged"
                )

    def of_transposes(self, node: ast.AST) -> Iterator[Edit]:
        if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
            yield self.edit(
                node,
                self.text(node.value),
                "transpose",
                f"without the transpose of `{self.text(node.value)}`",
            )
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            for side in (node.left, node.right):
                if not (isinstance(side, ast.Attribute) and side.attr in ("T", "mT")):
                    yield self.edit(
                        side, f"({self.text(side)}).T", "transpose", f"with `{self.text(side)}` transposed"
                    )

    def of_branches(self, node: ast.AST) -> Iterator[Edit]:
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            for value in ("True", "False"):
                if isinstance(node, ast.While) and value == "True":
                    continue  # a loop without an end is another fault
                taken = "always" if value == "True" else "never"
                yield self.edit(
                    node.test, value, "branch", f"with `{self.text(node.test)}` taken for {taken} true"
                )
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield self.edit(test, "True", "branch", f"without the condition `{self.text(test)}`")

    def of_bounds(self, node: ast.AST) -> Iterator[Edit]:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            last = node.args[0] if len(node.args) == 1 else node.args[1]
            if not isinstance(last, ast.Constant):
                for sign in "+-":
                    where = "one more" if sign == "+" else "one fewer"
                    yield self.edit(
                        last, f"{self.text(last)} {sign} 1", "bound", f"with {where} in the range"
                    )
        if isinstance(node, ast.Slice):
            whole = self.parents.get(node)
            for part, what in ((node.lower, "beginning"), (node.upper, "end"), (node.step, "step")):
                if part is not None:
                    start, end = self.span(part)
                    yield Edit(
                        start,
                        end,
                        "",
                        "bound",
                        f"without the {what} of the slice `{self.text(whole or node)}`",
                    )

    def of_loops(self, node: ast.AST) -> Iterator[Edit]:
        if isinstance(node, (ast.For, ast.comprehension)):
            items = self.text(node.iter)
            yield self.edit(
                node.iter, f"list({items})[1:]", "loop", "with the first round of the loop left out"
            )
            yield self.edit(
                node.iter, f"list({items})[:-1]", "loop", "with the last round of the loop left out"
            )
            yield self.edit(node.iter, f"list({items})[::-1]", "order", "with the loop in the opposite order")
        if isinstance(node, (ast.For, ast.While)):
            follows = self._next(node)
            if isinstance(follows, ast.Return):
                inside = self._indent(node.body[-1])
                end = self.span(node.body[-1])[1]
                yield Edit(
                    end, end, f"\n{inside}{self.text(follows)}", "early", "with the `return` inside the loop"
                )

    def _next(self, node: ast.stmt) -> ast.stmt | None:
        for _, block in ast.iter_fields(self.parents[node]):
            if isinstance(block, list) and node in block:
                i = block.index(node)
                return block[i + 1] if i + 1 < len(block) else None
        return None

    def of_statements(self, node: ast.AST) -> Iterator[Edit]:
        if (
            isinstance(node, (ast.Expr, ast.AugAssign, ast.Assign, ast.Raise))
            and self._function(node) is not None
        ):
            text = self.text(node).split("\n")[0]
            yield self.edit(node, "pass", "left out", f"without the line `{text}`")

    def of_parameters(self, node: ast.AST) -> Iterator[Edit]:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        body = node.body[1:] if self._is_docstring(node.body[0]) or ast.get_docstring(node) else node.body
        if not body:
            return
        start, indent = self.span(body[0])[0], self._indent(body[0])
        defaults = dict(zip([a.arg for a in node.args.args][::-1], node.args.defaults[::-1], strict=False))
        for parameter in [*node.args.args, *node.args.kwonlyargs]:
            name = parameter.arg
            if name in ("self", "cls"):
                continue
            default = defaults.get(name)
            if default is not None:
                told = f"which uses the default of `{name}` whatever is passed"
                yield Edit(start, start, f"{name} = {self.text(default)}\n{indent}", "default", told)
            if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node)):
                yield Edit(
                    start, start, f"{name} = 1.0\n{indent}", "parameter", f"which does not look at `{name}`"
                )
                if "np." in self.source:
                    told = f"which turns `{name}` into float32"
                    test = f"if hasattr({name}, 'dtype') else {name}"
                    cast = f"{name} = np.asarray({name}, dtype=np.float32) {test}\n{indent}"
                    yield Edit(start, start, cast, "dtype", told)

    def of_state(self, node: ast.AST) -> Iterator[Edit]:
        """What begins anew in each call lives on from call to call."""
        function = self._function(node)
        if not isinstance(node, ast.Assign) or function is None or self._function(function) is not None:
            return
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name) or node not in function.body:
            return
        empty = isinstance(node.value, (ast.List, ast.Dict)) and not ast.unparse(node.value).strip("[]{}")
        called = isinstance(node.value, ast.Call) and self.text(node.value) in ("set()", "list()", "dict()")
        if (empty or called) and not function.args.vararg and not function.args.kwonlyargs:
            name, value = node.targets[0].id, self.text(node.value)
            key = f"_kept_{name}"
            text = f"{name} = {function.name}.__dict__.setdefault({key!r}, {value})"
            if not isinstance(self.parents.get(function), ast.ClassDef):
                yield self.edit(node, text, "state", f"which keeps `{name}` from one call to the next")

    def of_arguments_changed(self, node: ast.AST) -> Iterator[Edit]:
        """`return g * b` that writes into g first."""
        function = self._function(node)
        if not isinstance(node, ast.BinOp) or type(node.op) not in BINARY or function is None:
            return
        names = {a.arg for a in function.args.args}
        if isinstance(node.left, ast.Name) and node.left.id in names:
            statement: ast.AST = node
            while not isinstance(statement, ast.stmt):
                statement = self.parents[statement]
            if not isinstance(statement, (ast.Return, ast.Assign)) or statement.lineno != node.lineno:
                return
            name, mark = node.left.id, BINARY[type(node.op)][0]
            start = self.span(statement)[0]
            before, after = (
                self.source[start : self.span(node)[0]],
                self.source[self.span(node)[1] : self.span(statement)[1]],
            )
            text = before + name + after
            line = f"{name} {mark}= {self.text(node.right)}\n{self._indent(statement)}{text}"
            yield Edit(start, self.span(statement)[1], line, "in place", f"which writes into `{name}`")

    def of_names(self, node: ast.AST) -> Iterator[Edit]:
        """Another parameter of the same function in the place of this one."""
        function = self._function(node)
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or function is None:
            return
        names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
        if node.id in names:
            for other in names:
                if other != node.id:
                    yield self.edit(node, other, "name", f"with `{other}` for `{node.id}`")

    def of_shapes(self, node: ast.AST) -> Iterator[Edit]:
        """`x.shape[-1]` that counts from the other end, `len` that is taken for a fixed one."""
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "shape"
        ):
            for other in ("0", "1", "-1"):
                if self.text(node.slice) != other:
                    yield self.edit(
                        node.slice,
                        other,
                        "length",
                        f"with length {other} of the shape for {self.text(node.slice)}",
                    )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            yield self.edit(node, "2", "length", f"with 2 for `{self.text(node)}`")
