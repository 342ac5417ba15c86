"""The tensor of the learner's own engine, with the surface that notebooks 10 and 11 use.

Inside is what notebook 05 defines: its class, its `record`, its tables of operations and rules. A `Tensor` here holds
one of those nodes, and adds what PyTorch's tensors have and the node has not: `requires_grad`, methods, a gradient
that adds up over several backward passes. `no_grad` and `detect_anomaly` are those of `autograd_ref`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_ref.core.modes import state

Names = dict[str, Any]


@dataclass(frozen=True)
class Core:
    """What a backward pass needs of units 03 and 05."""

    node: Any
    record: Callable[..., Any]
    rules: Mapping[str, Callable[..., Any]]
    fit: Callable[..., Any]
    send_back: Callable[..., None]
    first_cotangent: Callable[..., Any]
    topological_order: Callable[..., Any]


def make_core(graph: Names, names: Names, shapes: Names, losses: Names) -> Core:
    """Notebook 05's engine (`names`), its tables extended by operations of units 03, 06 and 07."""
    # Long, because it is two tables, what operations compute and their rules, with a line for each.
    names["FORWARD"] |= {
        "sqrt": np.sqrt,
        "sin": np.sin,
        "sum": lambda a, axis, keepdims: a.sum(axis=axis, keepdims=keepdims),
        "mean": lambda a, axis, keepdims: a.mean(axis=axis, keepdims=keepdims),
        "max": lambda a, axis, keepdims: a.max(axis=axis, keepdims=keepdims),
        "reshape": np.reshape,
        "permute": np.transpose,
        "index": lambda a, index: a[index],
        "cast": lambda a, dtype: a.astype(dtype),
        "mse": lambda a, target: np.square(a - target).mean(),
        "cross_entropy": lambda a, logp, labels: losses["nll_loss"](logp, labels),
        "bce": losses["bce_with_logits"],
    }

    def matmul_rule(g: Any, out: Any, a: Any, b: Any) -> Any:
        name = "matmul_rule" if a.ndim == b.ndim == 2 else "batched_matmul_rule"
        return shapes[name](g, out, a, b)

    def kept(g: Any, a: Any, axis: Any) -> Any:
        """A reduced array with the reduced axes back, at length 1."""
        return g.reshape(np.empty(a.shape, bool).any(axis=axis, keepdims=True).shape)

    names["RULES"] |= {
        "sin": _of_numbers(graph["sin_vjp"]),
        "sqrt": lambda g, out, a: names["power_rule"](g, out, a, 0.5),
        "@": matmul_rule,
        "sum": shapes["sum_rule"],
        "mean": shapes["mean_rule"],
        "max": lambda g, out, a, axis, _: shapes["amax_rule"](kept(g, a, axis), kept(out, a, axis), a, axis),
        "reshape": shapes["reshape_rule"],
        "permute": shapes["permute_rule"],
        "index": shapes["index_rule"],
        "cast": lambda g, out, a, dtype: (g,),
        "mse": losses["mse_rule"],
        "cross_entropy": lambda g, out, a, logp, labels: losses["cross_entropy_rule"](g, out, logp, labels),
        "bce": losses["bce_rule"],
    }
    return Core(
        names["Tensor"],
        names["record"],
        names["RULES"],
        names["fit"],
        names["send_back"],
        names["first_cotangent"],
        graph["topological_order"],
    )


def _of_numbers(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule of unit 03, which is one of numbers (`math.cos`), as a rule of arrays: it is asked for each entry."""

    def call(g: Any, out: Any, a: Any) -> tuple[np.ndarray]:
        found = [rule(*at)[0] for at in zip(g.flat, out.flat, a.flat, strict=True)]
        return (np.array(found, a.dtype).reshape(a.shape),)

    return call


class Surface:
    """A node of notebook 05's graph, as unit 10 knows tensors. `core` is set by `make_tensor`."""

    __array_ufunc__ = None  # so that NumPy leaves `array * tensor` to us
    core: Core

    def __init__(self, data: Any, requires_grad: bool = False, dtype: Any = None) -> None:
        self.node = self.core.node(np.asarray(data.data if isinstance(data, Surface) else data, dtype=dtype))
        self.requires_grad = requires_grad
        self.grad: Surface | None = None
        if requires_grad:
            if self.dtype.kind != "f":
                raise TypeError(
                    f"only floating-point tensors can carry gradients, and this one is {self.dtype}"
                )
            self.node.owner = self

    # -- what it holds

    @property
    def data(self) -> np.ndarray:
        return self.node.data

    @data.setter
    def data(self, value: Any) -> None:
        self.node.data = np.asarray(value)

    shape = property(lambda self: self.node.data.shape)
    ndim = property(lambda self: self.node.data.ndim)
    size = property(lambda self: self.node.data.size)
    dtype = property(lambda self: self.node.data.dtype)

    def item(self) -> Any:
        return self.data.item()

    def tolist(self) -> Any:
        return self.data.tolist()

    def numpy(self) -> np.ndarray:
        return self.data

    def detach(self) -> Any:
        return self._plain(self.data)

    def copy_(self, value: Any) -> Any:
        self.data[...] = value.data if isinstance(value, Surface) else value
        return self

    def zero_grad(self) -> None:
        self.grad = None

    def __len__(self) -> int:
        return len(self.data)

    def __float__(self) -> float:
        return float(self.item())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.data, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.tolist()})"

    # -- operations

    @classmethod
    def apply(cls, op: str, *operands: Any, constants: tuple[Any, ...] = ()) -> Any:
        """Record an operation, at least one of whose operands is a tensor."""
        wants = state.recording and any(isinstance(x, Surface) and x.requires_grad for x in operands)
        nodes = [x.node if isinstance(x, Surface) else x for x in operands]
        node = cls.core.record(op, *nodes, constants=constants)
        if state.anomaly and not np.isfinite(node.data).all():
            kind = "NaN" if np.isnan(node.data).any() else "an infinity"
            raise FloatingPointError(
                f"'{op}' produced {kind} in its result of shape {node.data.shape}: "
                "look at the values that went in there."
            )
        if not wants:
            node.op, node.parents, node.constants = "", (), ()
        made: Any = object.__new__(cls.core_tensor)
        made.node, made.requires_grad, made.grad = node, wants, None
        return made

    core_tensor: type

    def _plain(self, data: Any) -> Any:
        return self.core_tensor(data)

    # fmt: off
    def __add__(self, other: Any) -> Any: return self.apply("+", self, other)
    def __radd__(self, other: Any) -> Any: return self.apply("+", other, self)
    def __sub__(self, other: Any) -> Any: return self.apply("-", self, other)
    def __rsub__(self, other: Any) -> Any: return self.apply("-", other, self)
    def __mul__(self, other: Any) -> Any: return self.apply("*", self, other)
    def __rmul__(self, other: Any) -> Any: return self.apply("*", other, self)
    def __truediv__(self, other: Any) -> Any: return self.apply("/", self, other)
    def __rtruediv__(self, other: Any) -> Any: return self.apply("/", other, self)
    def __matmul__(self, other: Any) -> Any: return self.apply("@", self, other)
    def __rmatmul__(self, other: Any) -> Any: return self.apply("@", other, self)
    def __neg__(self) -> Any: return self.apply("*", self, -1)
    def __pow__(self, n: Any) -> Any: return self.apply("**", self, constants=(n,))
    def __getitem__(self, index: Any) -> Any: return self.apply("index", self, constants=(index,))

    def exp(self) -> Any: return self.apply("exp", self)
    def log(self) -> Any: return self.apply("log", self)
    def tanh(self) -> Any: return self.apply("tanh", self)
    def sigmoid(self) -> Any: return self.apply("sigmoid", self)
    def relu(self) -> Any: return self.apply("relu", self)
    def sin(self) -> Any: return self.apply("sin", self)
    def sqrt(self) -> Any: return self.apply("sqrt", self)
    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self.apply("sum", self, constants=(axis, keepdims))
    def mean(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self.apply("mean", self, constants=(axis, keepdims))
    def max(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self.apply("max", self, constants=(axis, keepdims))
    def reshape(self, *shape: Any) -> Any:
        return self.apply("reshape", self, constants=(shape[0] if len(shape) == 1 else shape,))
    def permute(self, *axes: Any) -> Any:
        return self.apply("permute", self, constants=(axes[0] if isinstance(axes[0], tuple) else axes,))
    @property
    def T(self) -> Any: return self.permute(tuple(range(self.ndim))[::-1])
    # fmt: on

    def _in_place(self, result: Any) -> Any:
        if state.recording and (self.requires_grad or result.requires_grad):
            raise RuntimeError("a change in place belongs inside `with no_grad():`")
        return self.copy_(result)

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(self + other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(self - other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(self * other)

    # -- the way back

    def backward(self, gradient: Any = None) -> None:
        """Add the gradient of this result to the `grad` of each tensor that it was made from and that wants one."""
        if not self.requires_grad:
            raise RuntimeError("there is nothing to differentiate: no input has requires_grad=True")
        core = self.core
        gradient = gradient.data if isinstance(gradient, Surface) else gradient
        rules = {op: _watched(op, rule) for op, rule in core.rules.items()} if state.anomaly else core.rules
        order = list(core.topological_order(self.node))
        for node in order:
            node.grad = None
        self.node.grad = core.first_cotangent(self.data, gradient)
        for node in reversed(order):
            core.send_back(node, rules, core.fit)
        for node in order:
            owner = getattr(node, "owner", None)
            if owner is not None and node.grad is not None:
                owner.grad = self._plain(
                    node.grad.copy() if owner.grad is None else owner.grad.data + node.grad
                )
            node.grad = None  # most of them nobody looks at, and they hold memory


def _watched(op: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule that stops at the first NaN or infinity, as `detect_anomaly` promises."""

    def call(*given: Any) -> Any:
        found = rule(*given)
        for i, g in enumerate(found):
            if g is not None and not np.isfinite(g).all():
                kind = "NaN" if np.isnan(g).any() else "an infinity"
                raise FloatingPointError(
                    f"The backward pass of '{op}' produced {kind} in the gradient of its argument number {i + 1}. "
                    "Look at what went into that operation."
                )
        return found

    return call


def make_tensor(core: Core) -> Any:
    """The class of tensors that a core computes with."""
    made: Any = type("Tensor", (Surface,), {"core": core, "__module__": "mine"})
    made.core_tensor = made
    return made
