"""Calling an operation, written out: `Primitive.__call__` for the usual arguments, with no loop and no inner call.

The kinds of operation differ in how they read their arguments. What follows, computing the result and recording it, is
the same for all. It is written once, as a text that is filled in for one, two or three arguments, in the way in which
`namedtuple` and `dataclass` make their methods. What is not usual goes the plain way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import indent
from typing import Any

import numpy as np

from autograd_ref.core.broadcasting import unbroadcast
from autograd_ref.core.errors import shape_error
from autograd_ref.core.modes import state
from autograd_ref.core.node import NO_PARAMS, Node, Record
from autograd_ref.core.primitive import Primitive, check_finite
from autograd_ref.core.saved import NEVER, kept, share, tick
from autograd_ref.core.tensor import Tensor

# What the lines below read of a tensor that is argument number i: its array, and where its gradient goes.
TENSOR = """\
a{i} = x{i}._data
to{i} = (x{i}.grad_fn or x{i}) if x{i}.requires_grad else None
"""

UNARY = """\
if not isinstance(x0, Tensor):
    return self.forward(x0)
"""

#: Argument i is a tensor; the other, number j, may be one, a number, or an array.
BINARY = """\
kind = type(x{j})
if isinstance(x{j}, Tensor):
    a{j} = x{j}._data
    to{j} = (x{j}.grad_fn or x{j}) if x{j}.requires_grad else None
    if a0.dtype is not a1.dtype:
        return plain(self, x0, x1)
elif kind is float or kind is int or (kind is ndarray and x{j}.dtype is a{i}.dtype):
    a{j}, x{j}, to{j} = x{j}, NUMBER, None
else:
    return plain(self, x0, x1)
"""

RESULT = """\
try:
    {compute}
except ValueError as error:
    raise shape_error(self.name, ({arrays},), error) from None
if type(out) is not ndarray:
    out = asarray(out)
result = new(Tensor)
result._data = out
result._grad = None
result._stamp = stamp = [NEVER]
switches = state.switches
if ({any_wanted}) and (not switches or state.mine.recording):
    {mask}node = result.grad_fn = new(Node)
    node.number = tick()
    node.primitive = self
    node.shape = out.shape
    node.record = ({to},), ({answer}, {saved}), ({stamp}, {stamps}), {params}
    result.requires_grad = True
else:
    result.grad_fn = None
    result.requires_grad = False
if switches and state.mine.anomaly:
    check_finite(result, self.name)
return result
"""


class _Number:
    """In the place of an argument that is not a tensor: it has no stamp."""

    _stamp = None


_PLAIN = {int, slice, type(None), type(...)}


def _holds_no_array(value: Any) -> bool:
    """True for an index of integers and slices: nothing in it can be changed later."""
    kind = type(value)
    return kind in _PLAIN or (kind is tuple and _PLAIN.issuperset(map(type, value)))


def _arrays_of(self: Primitive, params: dict[str, Any]) -> dict[str, Any]:
    """The options with arrays in place of tensors."""
    return _read_constants(self, params)[0]


def _read_constants(self: Primitive, params: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """The options with arrays in place of tensors, and for each constant the stamps of its tensors."""
    arrays, stamps = params.copy(), []
    for name in self.constants:
        value, seen = params[name], []
        if type(value) is tuple:
            parts = []
            for part in value:
                if isinstance(part, Tensor):
                    seen.append(part._stamp)
                    part = part._data
                parts.append(part)
            arrays[name] = tuple(parts)
        elif isinstance(value, Tensor):
            seen.append(value._stamp)
            arrays[name] = value._data
        stamps.append(tuple(seen))
    return arrays, stamps


def _kept_of(self: Primitive, params: dict[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    """`arrays`, the options as a node keeps them: in it, an array from outside is replaced by a copy."""
    for name in self.constants:
        given, value = params[name], arrays[name]
        if type(value) is tuple:
            arrays[name] = tuple(
                [
                    p.copy() if type(p) is np.ndarray and p is old else p
                    for p, old in zip(value, given, strict=True)
                ]
            )
        elif value is given:
            arrays[name] = kept(value)
    return arrays


def _each(text: str, n: int, between: str = ", ") -> str:
    """The text for argument 0, 1, ... of n."""
    return between.join(text.format(i=i) for i in range(n))


def result_text(n: int, keeps: Sequence[bool] | None = None, **different: str) -> str:
    """The lines of `RESULT` for n arguments; elementwise operations keep what their rules read, and nothing else.

    With `keeps`, what is kept of `(ans, *args)` is known and not looked up.
    """
    if keeps is not None:
        k, *of = keeps
        different |= {
            "mask": "",
            "answer": "out" if k else "None",
            "stamp": "stamp" if k else "None",
            "saved": ", ".join(f"a{i}" if of[i] else "None" for i in range(n)),
            "stamps": ", ".join(f"x{i}._stamp" if of[i] else "None" for i in range(n)),
        }
    wanted = _each("to{i} is not None", n) if n > 1 else "(True,)"
    usual = {
        "mask": f"k, {_each('k{i}', n)}, = self._keep[{wanted}]\n    ",
        "stamp": "stamp if k else None",
        "compute": f"out = self.forward({_each('a{i}', n)})",
        "answer": "out if k else None",
        "saved": _each("a{i} if k{i} else None", n),
        "params": "NO_PARAMS",
        "stamps": _each("x{i}._stamp if k{i} else None", n),
    }
    return RESULT.format(
        arrays=_each("a{i}", n),
        any_wanted=_each("to{i} is not None", n, " or "),
        to=_each("to{i}", n),
        **usual | different,
    )


def made(head: str, body: str, plain: Callable[..., Any], **more: Any) -> Callable[..., Any]:
    """The function with this text; `plain` is what it calls for unusual arguments."""
    names: dict[str, Any] = {
        "arrays_of": _arrays_of, "asarray": np.asarray, "check_finite": check_finite,
        "holds_no_array": _holds_no_array, "kept_of": _kept_of, "may_share_memory": np.may_share_memory,
        "ndarray": np.ndarray, "new": object.__new__, "NEVER": NEVER, "NO_PARAMS": NO_PARAMS, "Node": Node,
        "NUMBER": _Number, "plain": plain, "read_constants": _read_constants, "shape_error": shape_error,
        "share": share, "state": state, "Tensor": Tensor, "tick": tick,
    } | more  # fmt: skip
    # The name of the text begins with that of this file: so it is seen to be of this package (`call_site`).
    exec(compile(f"{head}\n{indent(body, '    ')}", f"{__file__}: {head}", "exec"), names)
    function: Callable[..., Any] = names[head[4 : head.index("(")]]
    return function


def binary_text() -> str:
    sides = [TENSOR.format(i=i) + BINARY.format(i=i, j=1 - i) for i in (0, 1)]
    return (
        f"if isinstance(x0, Tensor):\n{indent(sides[0], '    ')}"
        f"elif isinstance(x1, Tensor):\n{indent(sides[1], '    ')}"
        "else:\n    return self.forward(x0, x1)\n"
    )


def _fused(n: int) -> str:
    """A fused operation of n arguments: all of them tensors of one dtype, or it goes the plain way."""
    plainly = f"return plain(self, {_each('x{i}', n)}, **params)"
    same = " or ".join(f"a{i}.dtype is not a0.dtype" for i in range(1, n))
    return (
        f"try:\n{indent(_each(TENSOR, n, ''), '    ')}except AttributeError:\n    {plainly}\n"
        + (f"if {same}:\n    {plainly}\n" if same else "")
        + result_text(
            n,
            compute=f"out, extra = self.forward({_each('a{i}', n)}, **params) if params "
            f"else self.forward({_each('a{i}', n)})",
            answer="extra",
            saved=_each("a{i} if k{i} or to{i} is None else None", n),
            params="params",
        )
    )


#: Other operations of one tensor: reductions, shapes. What may be a view says so to its base.
OPTIONS = """\
if more or not isinstance(x0, Tensor):
    if more or type(x0) is not ndarray:
        return plain(self, x0, *more, **params)
    return self.forward(x0, **(arrays_of(self, params) if self.constants else params))
for name in self.constants:
    if not holds_no_array(params[name]):
        return with_constants(self, x0, params)
"""
VIEW = """\
if self.view and out.base is not None and ((out.base is a0 and out.size) or may_share_memory(out, a0)):
    share(result, (self, (x0,), params), not state.switches or state.mine.recording)
    stamp = result._stamp
"""


def _of_one() -> str:
    lines = result_text(1, compute="out = self.forward(a0, **params)", params="params")
    return OPTIONS + TENSOR.format(i=0) + _viewed(lines)


def _viewed(lines: str) -> str:
    lines = lines.replace("self._keep[(True,)]", "self._keep.get((True,)) or self.keeps((True,))")
    return lines.replace("switches =", f"{VIEW}switches =", 1)


def _with_constants() -> str:
    """Where an option holds an array or a tensor, such as an index: the node keeps it, and watches it."""
    lines = result_text(
        1,
        compute="out = self.forward(a0, **arrays)",
        params="kept_of(self, params, arrays)",
        stamps="x0._stamp if k0 else None, *stamps",
    )
    return "arrays, stamps = read_constants(self, params)\n" + TENSOR.format(i=0) + _viewed(lines)


unary_call = made("def __call__(self, x0):", UNARY + TENSOR.format(i=0) + result_text(1), Primitive.__call__)
_call_with_constants = made("def __call__(self, x0, params):", _with_constants(), Primitive.__call__)
call_of_one = made(
    "def __call__(self, x0, *more, **params):",
    _of_one(),
    Primitive.__call__,
    with_constants=_call_with_constants,
)
binary_call = made("def __call__(self, x0, x1):", binary_text() + result_text(2), Primitive.__call__)


def _settled() -> str:
    """An operation of one tensor that knows its options, and how it goes for this shape: see `settled.py`."""
    lines = result_text(1, compute="out = self.forward(a0)", params="params")
    lines = lines.replace("node.primitive = self", "node.primitive = self.recorded")
    views = VIEW.replace("(self, ", "(self.recorded, ")
    return (
        "params = self.params\n" + TENSOR.format(i=0) + lines.replace("switches =", f"{views}switches =", 1)
    )


settled_call = made("def __call__(self, x0):", _settled(), Primitive.__call__)


def call_of_two(plain: Callable[..., Any]) -> Callable[..., Any]:
    """The call of an operation of two tensors of one dtype, with options: the product of matrices."""
    usual = (
        "if not isinstance(x0, Tensor) or not isinstance(x1, Tensor) or x0._data.dtype is not x1._data.dtype:\n"
        "    return plain(self, x0, x1, **params)\n"
    )
    lines = result_text(2, compute="out = self.forward(a0, a1, **params)", params="params")
    return made("def __call__(self, x0, x1, **params):", usual + _each(TENSOR, 2, "") + lines, plain)


def fused_call(plain: Callable[..., Any]) -> Callable[..., Any]:
    """The call of a fused operation, of one to three arguments; `plain` is the one that it stands for."""
    ways = [f"{indent(_fused(n), '    ')}" for n in (3, 2, 1)]
    body = f"if x2 is not None:\n{ways[0]}elif x1 is not None:\n{ways[1]}else:\n{ways[2]}"
    return made("def __call__(self, x0, x1=None, x2=None, **params):", body, plain)


# The rules of a node, called without a loop ----------------------------------------------------------------------


def pull_to_one(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`Primitive.pull` without a loop where there is one argument."""

    def pull(self: Primitive, g: Any, record: Record) -> Any:
        parents, saved, _, params = record
        if len(parents) != 1 or type(self.vjps) is not tuple:
            return plain(self, g, record)
        out = self.vjps[0](g, *saved, **params)  # type: ignore[misc]
        shape = parents[0].shape  # type: ignore[union-attr]
        return (out if out.shape == shape else unbroadcast(out, shape),)

    return pull


def unary_pull(self: Primitive, g: Any, record: Record) -> Sequence[Any]:
    """`Primitive.pull` for one argument, which has the result's shape."""
    ans, x = record[1]
    return (self.vjps[0](g, ans, x),)  # type: ignore[index,misc]


def binary_pull(self: Primitive, g: Any, record: Record) -> Sequence[Any]:
    """`Primitive.pull` for two arguments."""
    (to_x, to_y), (ans, x, y), _, _ = record
    rule_x, rule_y = self.vjps  # type: ignore[misc]
    grad_x = grad_y = None
    if to_x is not None:
        grad_x = rule_x(g, ans, x, y)  # type: ignore[misc]
        if grad_x.shape != to_x.shape:
            grad_x = unbroadcast(grad_x, to_x.shape)
    if to_y is not None:
        grad_y = rule_y(g, ans, x, y)  # type: ignore[misc]
        if grad_y.shape != to_y.shape:
            grad_y = unbroadcast(grad_y, to_y.shape)
    return grad_x, grad_y


def fused_pull(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`Fused.pull` for arrays, without a look at options that there are not."""

    def pull(self: Any, g: Any, record: Record) -> Any:
        if isinstance(g, Tensor) or self.broadcasts or record[3]:
            return plain(self, g, record)
        return self.backward(g, record[0], *record[1])

    return pull
