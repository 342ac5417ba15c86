"""The learner's engine of unit 17, a file, in the place of units 03, 05 and 06: `mine.engine(file="engine.py")`.

What units 08 to 16 ask of a tensor is made from the operations that unit 17 asks for, and from nothing else: a product
of many matrices is `*` and `sum`, a permutation is an index. So each number and each gradient is the file's own.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from autograd_ref.core.modes import state

from ...errors import UserError
from .cells import explain_file
from .engine import Names, Surface

#: What unit 17 asks of a Tensor, as far as it is used here.
OPERATORS = (
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "pow",
    "neg",
    "matmul",
    "getitem",
)
METHODS = ("exp", "log", "tanh", "relu", "sum", "mean", "reshape", "T", "backward")
ASKED = (*(f"__{name}__" for name in OPERATORS), *METHODS)


def run_file(path: Path) -> Names:
    """What an engine's file defines. Raises UserError when it does not run, or lacks a part of a Tensor."""
    check = f"`autograder mine {path.name}` says more"
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', error)}.") from None
    names: Names = {"__name__": path.stem, "__file__": str(path)}
    linecache.checkcache(str(path))  # whoever mends the file and runs the cell again sees the new lines
    try:
        exec(compile(text, str(path), "exec", dont_inherit=True), names)
    except (Exception, SystemExit) as error:
        what = str(error).split("\n")[0]
        raise UserError(f"{path.name} does not run, {type(error).__name__}: {what}; {check}.") from None
    made = names.get("Tensor")
    if not isinstance(made, type):
        raise UserError(f"{path.name} has no class Tensor; {check}.")
    if missing := [name for name in ASKED if not hasattr(made, name)]:
        raise UserError(f"The Tensor of {path.name} has no {', '.join(missing)}; {check}.")
    return names


class OfFile(Surface):
    """A tensor of the file's, with the surface that notebooks 10 to 16 know."""

    own: Any
    file: str

    def __init__(self, data: Any, requires_grad: bool = False, dtype: Any = None) -> None:
        self.node = self.own(
            np.asarray(data.data if isinstance(data, Surface) else data, dtype), requires_grad
        )
        self.requires_grad = requires_grad

    @property
    def grad(self) -> Any:
        found = self.node.grad
        return None if found is None else self._plain(found.data if isinstance(found, self.own) else found)

    @grad.setter
    def grad(self, value: Any) -> None:
        self.node.grad = value.data if isinstance(value, Surface) else value

    @classmethod
    def apply(cls, op: str, *operands: Any, constants: tuple[Any, ...] = ()) -> Any:
        if op not in OPERATIONS:
            raise NotImplementedError(
                f"{cls.file} has no `{op}`, and it cannot be made of the operations that unit 17 asks for"
            )
        wants = state.recording and any(isinstance(x, Surface) and x.requires_grad for x in operands)
        made: Any = object.__new__(cls.core_tensor)
        try:
            made.node = OPERATIONS[op](*[cls._operand(x, wants) for x in operands], *constants)
        except Exception as error:
            explain_file(error, cls.file)
            raise
        made.requires_grad = wants
        if state.anomaly and not np.isfinite(made.data).all():
            kind = "NaN" if np.isnan(made.data).any() else "an infinity"
            raise FloatingPointError(f"'{op}' produced {kind} in its result of shape {made.shape}.")
        return made

    @classmethod
    def _operand(cls, x: Any, wants: bool) -> Any:
        """A Tensor of the file's; one that remembers nothing where nobody wants a gradient."""
        if isinstance(x, OfFile) and wants:
            return x.node
        return cls.own(x.data if isinstance(x, Surface) else np.asarray(x, dtype=float))

    def backward(self, gradient: Any = None) -> None:
        if not self.requires_grad:
            raise RuntimeError("there is nothing to differentiate: no input has requires_grad=True")
        try:
            if gradient is None:
                self.node.backward()
            else:
                (self.node * np.asarray(gradient, dtype=float)).sum().backward()
        except Exception as error:
            explain_file(error, self.file)
            raise


def make_tensor(own: Any, file: str) -> Any:
    """The class of tensors that are the file's inside."""
    made: Any = type("Tensor", (OfFile,), {"own": own, "file": file, "__module__": "mine"})
    made.core_tensor = made
    return made


# -- what is made of the file's operations --------------------------------------------------------------------------


def _matmul(a: Any, b: Any) -> Any:
    """Products of matrices, of as many as there are; of two axes they are the file's own."""
    if a.data.ndim == b.data.ndim == 2:
        return a @ b
    if a.data.ndim < 2 or b.data.ndim < 2:
        raise NotImplementedError(
            "a product with an array of one axis is not asked for in unit 17: reshape it"
        )
    if b.data.ndim == 2:  # rows are rows, whatever stands before them
        return (a.reshape(-1, a.data.shape[-1]) @ b).reshape(*a.data.shape[:-1], b.data.shape[-1])
    left, right = a.reshape(*a.data.shape, 1), b.reshape(*b.data.shape[:-2], 1, *b.data.shape[-2:])
    return (left * right).sum(axis=-2)


def _permute(a: Any, axes: tuple[int, ...]) -> Any:
    places = np.arange(a.data.size).reshape(a.data.shape).transpose(axes)
    return a.T if a.data.ndim == 2 and tuple(axes) == (1, 0) else a.reshape(-1)[places]


def _max(a: Any, axis: Any, keepdims: bool) -> Any:
    """The largest numbers, of which equal ones share what comes back."""
    on = (a.data == a.data.max(axis=axis, keepdims=True)).astype(float)
    return (a * (on / on.sum(axis=axis, keepdims=True))).sum(axis=axis, keepdims=keepdims)


def _cross_entropy(a: Any, logp: Any, labels: Any) -> Any:
    down = a - a.data.max(axis=-1, keepdims=True)
    picked = (down - down.exp().sum(axis=-1, keepdims=True).log())[np.arange(len(labels)), np.asarray(labels)]
    return -picked.mean()


def _bce(a: Any, target: Any) -> Any:
    size = a.relu() + (-a).relu()
    return (a.relu() - a * target + ((-size).exp() + 1).log()).mean()


def _reshape(a: Any, shape: Any) -> Any:
    return a.reshape(*shape) if isinstance(shape, tuple | list) else a.reshape(shape)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "@": _matmul,
    "**": lambda a, n: a**n,
    "exp": lambda a: a.exp(),
    "log": lambda a: a.log(),
    "tanh": lambda a: a.tanh(),
    "relu": lambda a: a.relu(),
    "sqrt": lambda a: a**0.5,
    "sigmoid": lambda a: (a * 0.5).tanh() * 0.5 + 0.5,
    "sum": lambda a, axis, keepdims: a.sum(axis=axis, keepdims=keepdims),
    "mean": lambda a, axis, keepdims: a.mean(axis=axis, keepdims=keepdims),
    "max": _max,
    "reshape": _reshape,
    "permute": _permute,
    "index": lambda a, index: a[index],
    "cast": lambda a, dtype: a,  # the file's dtype is the file's
    "mse": lambda a, target: ((a - target) ** 2).mean(),
    "cross_entropy": _cross_entropy,
    "bce": _bce,
}
