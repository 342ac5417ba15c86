"""The workloads as people write them: `x @ w + b`, `(z - z.max()).exp()`, `.sum()`, `.reshape()`.

Weights are (in, out), so that no `.T` stands in the way. The same lines run on this engine and on PyTorch; what has no
operator (convolution, pooling, layer norm, GELU, attention) is the library's function.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from .timing import Builder, Gradients, Program

#: The columns of the table, and whose operators they are.
COLUMNS = {"operators": "engine", "torch_operators": "torch"}
Parameters = dict[str, np.ndarray]
#: `loss(parameters, inputs, functional)`: what is written once for both.
Loss = Callable[[dict[str, Any], Any, Any, Any], Any]


class Engine:
    """What differs between the two libraries."""

    def __init__(self, name: str) -> None:
        self.ours = name == "engine"

    def leaf(self, array: np.ndarray) -> Any:
        """A parameter."""
        if self.ours:
            from autograd_ref import Tensor

            return Tensor(array, requires_grad=True)
        import torch

        return torch.tensor(array, requires_grad=True)

    def constant(self, array: np.ndarray) -> Any:
        """An input."""
        if self.ours:
            from autograd_ref import Tensor

            return Tensor(array)
        import torch

        return torch.from_numpy(array)

    def modules(self) -> tuple[ModuleType, ModuleType]:
        """Its functional operations and its optimizers."""
        if self.ours:
            from autograd_ref import functional, optim

            return functional, optim
        import torch

        return torch.nn.functional, torch.optim

    @staticmethod
    def array(tensor: Any) -> np.ndarray:
        """The numbers."""
        data = tensor.data
        return data if isinstance(data, np.ndarray) else data.numpy()


def turned(parameters: Parameters, names: list[str]) -> Parameters:
    """The parameters with the matrices of these names as (in, out)."""
    return {n: np.ascontiguousarray(a.T) if n in names else a for n, a in parameters.items()}


def builder(
    name: str,
    start: Callable[[np.dtype], tuple[Parameters, np.ndarray, np.ndarray]],
    matrices: list[str],
    loss_of: Callable[[dict[str, Any], Any, Any, Any], Any],
    optimizer: str,
    lr: float,
) -> Builder:
    """A workload with plain operators on the engine of this name."""

    def build(dtype: np.dtype) -> Program:
        engine = Engine(name)
        functional, optim = engine.modules()
        given, xs, ys = start(dtype)
        p = {n: engine.leaf(a.copy()) for n, a in turned(given, matrices).items()}
        x, y = engine.constant(xs), engine.constant(ys)
        steps = getattr(optim, optimizer)(list(p.values()), lr=lr)

        def step() -> None:
            steps.zero_grad()
            loss_of(p, x, y, functional).backward()
            steps.step()

        def gradients() -> Gradients:
            loss = loss_of(p, x, y, functional)
            loss.backward()
            found = {n: engine.array(t.grad) for n, t in p.items()}
            return {"loss": engine.array(loss)} | {
                n: (a.T if n in matrices else a).copy() for n, a in found.items()
            }

        return Program(step, gradients)

    return build


def xor_loss(p: dict[str, Any], x: Any, y: Any, _functional: Any) -> Any:
    """W2: two layers and the mean of squares."""
    h = (x @ p["0.weight"] + p["0.bias"]).tanh()
    away = h @ p["2.weight"] + p["2.bias"] - y
    return (away * away).mean()


def cross_entropy(z: Any, labels: Any) -> Any:
    """The log of the softmax at the right classes, by operators."""
    z = z - z.amax(1, keepdim=True) if hasattr(z, "amax") else z - z.max(1, keepdims=True)
    n = len(z)
    picked = z[np.arange(n), labels]
    return (z.exp().sum(1).log() - picked).mean()


def mlp_loss(p: dict[str, Any], x: Any, y: Any, _functional: Any) -> Any:
    """W3 and W4: three layers with relu."""
    h = (x @ p["0.weight"] + p["0.bias"]).relu()
    h = (h @ p["2.weight"] + p["2.bias"]).relu()
    return cross_entropy(h @ p["4.weight"] + p["4.bias"], y)


def cnn_loss(p: dict[str, Any], x: Any, y: Any, functional: Any) -> Any:
    """W5: two convolutions, and a layer of all numbers of an image."""
    h = functional.max_pool2d(functional.conv2d(x, p["0.weight"], p["0.bias"], padding=1).relu(), 2)
    h = functional.max_pool2d(functional.conv2d(h, p["3.weight"], p["3.bias"], padding=1).relu(), 2)
    return cross_entropy(h.reshape(len(x), -1) @ p["7.weight"] + p["7.bias"], y)


def transformer_loss(heads: int) -> Loss:
    """W6: the block with its heads cut and joined by `reshape` and `permute`."""

    def loss_of(p: dict[str, Any], tokens: Any, targets: Any, functional: Any) -> Any:
        batch, length = tokens.shape
        x = p["tokens.weight"][tokens] + p["positions"]
        width = x.shape[2]
        h = functional.layer_norm(x, (width,), p["norm1.weight"], p["norm1.bias"])
        qkv = h @ p["self_attn.in_proj_weight"] + p["self_attn.in_proj_bias"]
        qkv = qkv.reshape(batch, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], is_causal=True)
        mixed = mixed.permute(0, 2, 1, 3).reshape(batch, length, width)
        x = x + (mixed @ p["self_attn.out_proj.weight"] + p["self_attn.out_proj.bias"])
        h = functional.layer_norm(x, (width,), p["norm2.weight"], p["norm2.bias"])
        h = functional.gelu(h @ p["linear1.weight"] + p["linear1.bias"], approximate="tanh")
        x = x + (h @ p["linear2.weight"] + p["linear2.bias"])
        h = functional.layer_norm(x, (width,), p["norm.weight"], p["norm.bias"])
        logits = h @ p["head.weight"] + p["head.bias"]
        return cross_entropy(logits.reshape(batch * length, -1), targets.reshape(-1))

    return loss_of
