"""Which answers of units 03 to 09 a learner's own engine is made of, and what stands in for one that is not written.

What stands in is the reference's: each function here has the signature that the exercise asks for. Unit 14's parts are
in `pictures`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_ref import Tensor, enable_grad, functional, ops
from autograd_ref.core.broadcasting import unbroadcast
from autograd_ref.core.sweep import seed_for


@dataclass(frozen=True)
class Part:
    """An exercise whose functions or classes the engine uses; `stand_ins` has one for each of their names."""

    unit: str
    exercise: str
    stand_ins: Mapping[str, Any]


def by_reference(function: Callable[..., Any], inputs: int = 1) -> Callable[..., Any]:
    """The rule of a function of Tensors, whose first arguments are `inputs` arrays and whose others are constants."""

    def rule(g: Any, out: Any, *given: Any) -> tuple[Any, ...]:
        tensors = [Tensor(x, requires_grad=np.asarray(x).dtype.kind == "f") for x in given[:inputs]]
        with enable_grad():
            result = function(*tensors, *given[inputs:])
        result.backward(np.broadcast_to(g, result.shape))
        return tuple(None if t.grad is None else t.grad.data for t in tensors)

    return rule


def topological_order(root: Any) -> list[Any]:
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack += [(node, True), *((parent, False) for parent in node.parents)]
    return order


def _as_operand(x: Any, dtype: Any) -> np.ndarray:
    return np.asarray(x, dtype if isinstance(x, int | float | np.generic) else None)


def _send_back(node: Any, rules: Mapping[str, Any], fit: Callable[..., Any]) -> None:
    if node.op:
        found = rules[node.op](node.grad, node.data, *node.inputs)
        for parent, g in zip(node.parents, found, strict=True):
            if g is not None:
                g = fit(g, parent.data)
                parent.grad = g if parent.grad is None else parent.grad + g


def _first_cotangent(data: np.ndarray, gradient: Any = None) -> np.ndarray:
    return np.asarray(seed_for(Tensor(data), gradient, False))


def _amax(a: Any, axis: Any) -> Any:
    return a.max(axis=axis, keepdims=True)


def _linear(x: Any, weight: Any, bias: Any = None) -> Any:
    return x @ weight.T if bias is None else x @ weight.T + bias


def _owned(module: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in vars(module).items():
        many = isinstance(value, list)
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if many else {name: value}
        for n, x in items.items():
            if _is_module(x) or _is_parameter(x):
                found[n] = x
            if _is_module(x):
                found |= {f"{n}.{inner}": y for inner, y in _owned(x).items()}
    return found


# The classes are the learner's, so they are known by what only they have.
def _is_module(x: Any) -> bool:
    return (hasattr(x, "forward") or hasattr(x, "named_parameters")) and not isinstance(x, type)


def _is_parameter(x: Any) -> bool:
    return any(c.__name__ == "Parameter" for c in type(x).__mro__)


def _layer_norm(x: Any, weight: Any, bias: Any, eps: float = 1e-5) -> Any:
    away = x - x.mean(-1, keepdims=True)
    return away / ((away * away).mean(-1, keepdims=True) + eps).sqrt() * weight + bias


def _momentum(p: Any, g: Any, v: Any, lr: float, mu: float) -> Any:
    v = mu * v + g
    return p - lr * v, v


def _nesterov(p: Any, g: Any, v: Any, lr: float, mu: float) -> Any:
    v = mu * v + g
    return p - lr * (g + mu * v), v


def _rmsprop(p: Any, g: Any, s: Any, lr: float, alpha: float, eps: float) -> Any:
    s = alpha * s + (1 - alpha) * g * g
    return p - lr * g / (np.sqrt(s) + eps), s


def _adam(
    p: Any, g: Any, m: Any, v: Any, t: int, lr: float, betas: Any = (0.9, 0.999), eps: float = 1e-8
) -> Any:
    b1, b2 = betas
    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


class _Optimizer:
    def __init__(
        self, parameters: Any, rule: Any, slots: int = 0, lr: float = 0.1, weight_decay: float = 0.0
    ):
        self.parameters = list(parameters)
        self.rule, self.lr, self.weight_decay = rule, lr, weight_decay
        self.steps = [0 for _ in self.parameters]
        self.state = [tuple(np.zeros_like(p.data) for _ in range(slots)) for p in self.parameters]

    def zero_grad(self) -> None:
        for p in self.parameters:
            p.grad = None

    def step(self) -> None:
        for i, p in enumerate(self.parameters):
            if p.grad is not None:
                self.steps[i] += 1
                g = p.grad.data + self.weight_decay * p.data
                new, self.state[i] = self.rule(p.data, g, self.state[i], self.lr, self.steps[i])
                p.copy_(new)


PARTS = (
    Part("03_reverse_mode", "sin_cos", {"sin_vjp": lambda g, out, a: (g * np.cos(a),)}),
    Part("03_reverse_mode", "topological_order", {"topological_order": topological_order}),
    Part("05_tensors", "unbroadcast", {"unbroadcast": unbroadcast}),
    Part(
        "05_tensors",
        "array_arithmetic",
        {
            "mul_rule": by_reference(operator.mul, 2),
            "div_rule": by_reference(operator.truediv, 2),
        },
    ),
    Part(
        "05_tensors",
        "array_functions",
        {
            "tanh_rule": by_reference(ops.tanh),
            "power_rule": by_reference(operator.pow),
        },
    ),
    Part("05_tensors", "stable_sigmoid", {"sigmoid": ops.sigmoid, "sigmoid_rule": by_reference(ops.sigmoid)}),
    Part("05_tensors", "maximum_ties", {"maximum_rule": by_reference(ops.maximum, 2)}),
    Part("05_tensors", "as_operand", {"as_operand": _as_operand}),
    Part("05_tensors", "send_back", {"send_back": _send_back}),
    Part("05_tensors", "first_cotangent", {"first_cotangent": _first_cotangent}),
    Part(
        "06_shapes_and_matmul",
        "sum_and_mean",
        {"sum_rule": by_reference(ops.sum), "mean_rule": by_reference(ops.mean)},
    ),
    Part("06_shapes_and_matmul", "amax_rule", {"amax_rule": by_reference(_amax)}),
    Part(
        "06_shapes_and_matmul",
        "move_rules",
        {"reshape_rule": by_reference(ops.reshape), "permute_rule": by_reference(ops.permute)},
    ),
    Part("06_shapes_and_matmul", "index_rule", {"index_rule": by_reference(operator.getitem)}),
    Part("06_shapes_and_matmul", "matmul_rule", {"matmul_rule": by_reference(ops.matmul, 2)}),
    Part("06_shapes_and_matmul", "batched_matmul_rule", {"batched_matmul_rule": by_reference(ops.matmul, 2)}),
    Part("07_losses", "mse_rule", {"mse_rule": by_reference(functional.mse_loss)}),
    Part("07_losses", "log_softmax", {"log_softmax": ops.log_softmax}),
    Part("07_losses", "nll_loss", {"nll_loss": functional.nll_loss}),
    Part("07_losses", "cross_entropy_rule", {"cross_entropy_rule": by_reference(functional.cross_entropy)}),
    Part("07_losses", "bce_with_logits", {"bce_with_logits": functional.binary_cross_entropy_with_logits}),
    Part("07_losses", "bce_rule", {"bce_rule": by_reference(functional.binary_cross_entropy_with_logits)}),
    Part("08_layers", "linear", {"linear": _linear}),
    Part("08_layers", "layer_norm", {"layer_norm": _layer_norm}),
    Part("08_layers", "owned", {"owned": _owned}),
    Part("08_layers", "dropout", {"dropout": functional.dropout}),
    Part("09_optimizers", "sgd_step", {"sgd_step": lambda p, g, lr: p - lr * g}),
    Part("09_optimizers", "momentum_step", {"momentum_step": _momentum}),
    Part("09_optimizers", "nesterov_step", {"nesterov_step": _nesterov}),
    Part("09_optimizers", "rmsprop_step", {"rmsprop_step": _rmsprop}),
    Part("09_optimizers", "adam_step", {"adam_step": _adam}),
    Part(
        "09_optimizers",
        "adamw_step",
        {"adamw_step": lambda p, u, lr, weight_decay: p - lr * u - lr * weight_decay * p},
    ),
    Part("09_optimizers", "optimizer", {"Optimizer": _Optimizer}),
)
