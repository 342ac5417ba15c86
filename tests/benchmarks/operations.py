"""Every public operation of the engine beside PyTorch's: what to call, and on which arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autograd_ref import Tensor, ops
from autograd_ref import functional as F

RNG = np.random.default_rng(0)


class Operation(NamedTuple):
    """A function of each engine, and the arrays for a size; integers and booleans carry no gradient."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    arrays: Callable[[int], tuple[np.ndarray, ...]]


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def one(n: int) -> tuple[np.ndarray, ...]:
    return (normal(n, n),)


def two(n: int) -> tuple[np.ndarray, ...]:
    return normal(n, n), normal(n, n)


def three(n: int) -> tuple[np.ndarray, ...]:
    return normal(n, n), normal(n, n), normal(n, n)


def positive(n: int) -> tuple[np.ndarray, ...]:
    return (RNG.uniform(0.5, 2.0, (n, n)),)


def two_positive(n: int) -> tuple[np.ndarray, ...]:
    return RNG.uniform(0.5, 2.0, (n, n)), RNG.uniform(0.5, 2.0, (n, n))


def vectors(n: int) -> tuple[np.ndarray, ...]:
    return normal(n), normal(n)


def with_rows(n: int) -> tuple[np.ndarray, ...]:
    return normal(n, n), normal(n), normal(n)


def image(n: int) -> tuple[np.ndarray, ...]:
    return (normal(1, 1, n, n),)


def signal(n: int) -> tuple[np.ndarray, ...]:
    return (normal(1, n, n),)


def batch(n: int) -> tuple[np.ndarray, ...]:
    return (normal(1, n, n),) * 3


def labelled(n: int) -> tuple[np.ndarray, ...]:
    return normal(n, n), RNG.integers(0, n, n)


def indexed(n: int) -> tuple[np.ndarray, ...]:
    return normal(n, n), RNG.integers(0, n, n)


def indexed_all(n: int) -> tuple[np.ndarray, ...]:
    return normal(n, n), RNG.integers(0, n, (n, n))


def masked(n: int) -> tuple[np.ndarray, ...]:
    return normal(n, n), normal(n, n), RNG.random((n, n)) < 0.5


def probabilities(n: int) -> tuple[np.ndarray, ...]:
    return RNG.uniform(0.05, 0.95, (n, n)), (RNG.random((n, n)) < 0.5).astype(float)


def logits(n: int) -> tuple[np.ndarray, ...]:
    return normal(n, n), (RNG.random((n, n)) < 0.5).astype(float)


def whole(n: int) -> tuple[np.ndarray, ...]:
    return RNG.integers(0, 100, (n, n)), RNG.integers(0, 100, (n, n))


def truth(n: int) -> tuple[np.ndarray, ...]:
    return RNG.random((n, n)) < 0.5, RNG.random((n, n)) < 0.5


def frozen(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its last argument outside of the graph, as a target is."""
    return lambda *args: function(*args[:-1], args[-1].detach())


def table() -> dict[str, Operation]:
    """The operations by name; a second word tells apart the ways in which one is called."""
    import torch

    f = torch.nn.functional

    def same(name: str, arrays: Any = one) -> Operation:
        return Operation(getattr(ops, name), getattr(torch, name), arrays)

    def heads(qkv: Any) -> Any:
        q, k, v = (part.reshape(1, len(qkv[0]), 2, -1).transpose(1, 2) for part in qkv.chunk(3, -1))
        return f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(1, len(qkv[0]), -1)

    elementwise = (
        "abs",
        "cos",
        "erf",
        "exp",
        "expm1",
        "neg",
        "relu",
        "sigmoid",
        "sign",
        "sin",
        "tan",
        "tanh",
        "clone",
    )
    return {
        **{n: same(n) for n in elementwise},
        **{n: same(n, positive) for n in ("log", "log1p", "sqrt")},
        **{n: same(n, two) for n in ("add", "sub", "mul", "maximum", "minimum", "matmul")},
        **{n: same(n, two_positive) for n in ("div", "pow", "remainder")},
        "floor_divide": Operation(
            ops.floor_divide, lambda x, y: torch.div(x, y, rounding_mode="floor"), two_positive
        ),
        **{n: same(n, two) for n in ("equal", "less", "less_equal", "greater", "greater_equal", "not_equal")},
        "equal": Operation(ops.equal, torch.eq, two),
        **{n: same(n, truth) for n in ("logical_and", "logical_or")},
        **{n: same(n, whole) for n in ("bitwise_and", "bitwise_or", "bitwise_xor")},
        "logical_not": Operation(lambda x, _: ops.logical_not(x), lambda x, _: torch.logical_not(x), truth),
        "bitwise_not": Operation(lambda x, _: ops.bitwise_not(x), lambda x, _: torch.bitwise_not(x), whole),
        "argmax": Operation(lambda x: ops.argmax(x, 1), lambda x: torch.argmax(x, 1), one),
        "argmin": Operation(lambda x: ops.argmin(x, 1), lambda x: torch.argmin(x, 1), one),
        "add number": Operation(lambda x: x + 2.0, lambda x: x + 2.0, one),
        "mul number": Operation(lambda x: x * 2.0, lambda x: x * 2.0, one),
        "pow 2": Operation(lambda x: x**2, lambda x: x**2, one),
        "pow 3": Operation(lambda x: x**3, lambda x: x**3, one),
        "add row": Operation(lambda x, y, _: x + y, lambda x, y, _: x + y, with_rows),
        "mul row": Operation(lambda x, y, _: x * y, lambda x, y, _: x * y, with_rows),
        "clip": Operation(lambda x: ops.clip(x, -0.5, 0.5), lambda x: torch.clip(x, -0.5, 0.5), one),
        "clamp": Operation(lambda x: ops.clamp(x, -0.5, 0.5), lambda x: torch.clamp(x, -0.5, 0.5), one),
        "where": Operation(lambda x, y, c: ops.where(c, x, y), lambda x, y, c: torch.where(c, x, y), masked),
        "leaky_relu": Operation(ops.leaky_relu, f.leaky_relu, one),
        "elu": Operation(ops.elu, f.elu, one),
        "silu": Operation(ops.silu, f.silu, one),
        "softplus": Operation(ops.softplus, f.softplus, one),
        "logsigmoid": Operation(ops.logsigmoid, f.logsigmoid, one),
        "gelu": Operation(F.gelu, f.gelu, one),
        "gelu tanh": Operation(lambda x: F.gelu(x, "tanh"), lambda x: f.gelu(x, approximate="tanh"), one),
        # reductions
        **{n: same(n) for n in ("sum", "mean", "prod", "var", "std")},
        "max": Operation(ops.max, torch.amax, one),
        "min": Operation(ops.min, torch.amin, one),
        "logsumexp": Operation(lambda x: ops.logsumexp(x, 1), lambda x: torch.logsumexp(x, 1), one),
        **{
            f"{n} axis": Operation(
                lambda x, n=n: getattr(ops, n)(x, 1), lambda x, m=m: getattr(torch, m)(x, 1), one
            )
            for n, m in (("sum", "sum"), ("mean", "mean"), ("prod", "prod"), ("var", "var"), ("std", "std"))
        },
        "norm": same("norm"),
        "norm axis": Operation(lambda x: ops.norm(x, 2, 1), lambda x: torch.norm(x, 2, 1), one),
        "norm 3": Operation(lambda x: ops.norm(x, 3, 1), lambda x: torch.norm(x, 3, 1), one),
        "norm 1": Operation(lambda x: ops.norm(x, 1, 1), lambda x: torch.norm(x, 1, 1), one),
        "norm inf": Operation(
            lambda x: ops.norm(x, np.inf, 1), lambda x: torch.norm(x, np.inf, 1), one
        ),
        "max axis": Operation(lambda x: ops.max(x, 1), lambda x: torch.amax(x, 1), one),
        "min axis": Operation(lambda x: ops.min(x, 1), lambda x: torch.amin(x, 1), one),
        "cumsum": Operation(lambda x: ops.cumsum(x, 1), lambda x: torch.cumsum(x, 1), one),
        "softmax": Operation(lambda x: ops.softmax(x, 1), lambda x: torch.softmax(x, 1), one),
        "log_softmax": Operation(lambda x: ops.log_softmax(x, 1), lambda x: torch.log_softmax(x, 1), one),
        # shapes
        "reshape": Operation(lambda x: ops.reshape(x, -1), lambda x: x.reshape(-1), one),
        "flatten": same("flatten"),
        "permute": Operation(lambda x: ops.permute(x, 1, 0), lambda x: x.permute(1, 0), one),
        "transpose": Operation(ops.transpose, lambda x: x.transpose(0, 1), one),
        "swapaxes": Operation(lambda x: ops.swapaxes(x, 0, 1), lambda x: torch.swapaxes(x, 0, 1), one),
        "squeeze": Operation(ops.squeeze, torch.squeeze, signal),
        "unsqueeze": Operation(lambda x: ops.unsqueeze(x, 1), lambda x: x.unsqueeze(1), one),
        "broadcast_to": Operation(
            lambda x: ops.broadcast_to(x, 2, *x.shape), lambda x: torch.broadcast_to(x, (2, *x.shape)), one
        ),
        "concatenate": Operation(lambda x, y: ops.concatenate([x, y]), lambda x, y: torch.cat([x, y]), two),
        "stack": Operation(lambda x, y: ops.stack([x, y]), lambda x, y: torch.stack([x, y]), two),
        "split": Operation(
            lambda x: ops.split(x, len(x) // 2)[0], lambda x: torch.split(x, len(x) // 2)[0], one
        ),
        "pad": Operation(lambda x: ops.pad(x, 1), lambda x: f.pad(x, (1, 1, 1, 1)), one),
        "flip": Operation(lambda x: ops.flip(x, 0), lambda x: torch.flip(x, (0,)), one),
        "roll": Operation(lambda x: ops.roll(x, 1, 0), lambda x: torch.roll(x, 1, 0), one),
        "astype": Operation(
            lambda x: ops.astype(x, np.float32 if x.dtype == np.float64 else np.float64),
            lambda x: x.to(torch.float32 if x.dtype == torch.float64 else torch.float64), one,
        ),
        "expand": Operation(lambda x: ops.expand(x, 2, -1, -1), lambda x: x.expand(2, -1, -1), one),
        "repeat": Operation(lambda x: ops.repeat(x, 2, 1), lambda x: x.repeat(2, 1), one),
        "chunk": Operation(lambda x: ops.chunk(x, 2)[0], lambda x: torch.chunk(x, 2)[0], one),
        "unbind": Operation(lambda x: ops.unbind(x, 1)[0], lambda x: torch.unbind(x, 1)[0], one),
        "tril": same("tril"),
        "triu": same("triu"),
        "masked_fill": Operation(
            lambda x, _, c: ops.masked_fill(x, c, 2.0), lambda x, _, c: torch.masked_fill(x, c, 2.0), masked
        ),
        "sort": Operation(lambda x: ops.sort(x)[0], lambda x: torch.sort(x, stable=True)[0], one),
        "argsort": Operation(ops.argsort, torch.argsort, one),
        "topk": Operation(
            lambda x: ops.topk(x, len(x) // 2)[0], lambda x: torch.topk(x, len(x) // 2)[0], one
        ),
        "diagonal": Operation(ops.diagonal, torch.diagonal, one),
        "getitem": Operation(lambda x: x[1:3], lambda x: x[1:3], one),
        "getitem number": Operation(lambda x: x[1], lambda x: x[1], one),
        "getitem rows": Operation(lambda x, i: x[i], lambda x, i: x[i], indexed),
        "set_item": Operation(
            lambda x, y, _: ops.set_item(x, 1, y), lambda x, y, _: torch.select_scatter(x, y, 0, 1), with_rows
        ),
        "take": Operation(
            lambda x, i: ops.take(x, i, 1), lambda x, i: torch.index_select(x, 1, i), indexed
        ),
        "gather": Operation(lambda x, i: ops.gather(x, 1, i), lambda x, i: torch.gather(x, 1, i), indexed_all),
        # products
        "outer": same("outer", vectors),
        "einsum": Operation(
            lambda x, y: ops.einsum("ij,jk->ik", x, y), lambda x, y: torch.einsum("ij,jk->ik", x, y), two
        ),
        "linear": Operation(F.linear, f.linear, lambda n: (normal(n, n), normal(n, n), normal(n))),
        "conv1d": Operation(F.conv1d, f.conv1d, lambda n: (normal(1, n, n), normal(4, n, 3))),
        "conv2d": Operation(F.conv2d, f.conv2d, lambda n: (normal(1, 1, n, n), normal(4, 1, 3, 3))),
        "embedding": Operation(
            lambda w, i: F.embedding(i, w), lambda w, i: f.embedding(i, w), indexed
        ),
        "scaled_dot_product_attention": Operation(
            F.scaled_dot_product_attention, f.scaled_dot_product_attention, batch
        ),
        "self_attention": Operation(
            lambda x: F.self_attention(x, 2), heads, lambda n: (normal(1, n, 3 * n),)
        ),
        # networks
        "dropout": Operation(F.dropout, f.dropout, one),
        "avg_pool1d": Operation(lambda x: F.avg_pool1d(x, 2), lambda x: f.avg_pool1d(x, 2), signal),
        "avg_pool2d": Operation(lambda x: F.avg_pool2d(x, 2), lambda x: f.avg_pool2d(x, 2), image),
        "max_pool1d": Operation(lambda x: F.max_pool1d(x, 2), lambda x: f.max_pool1d(x, 2), signal),
        "max_pool2d": Operation(lambda x: F.max_pool2d(x, 2), lambda x: f.max_pool2d(x, 2), image),
        "batch_norm": Operation(
            lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
            lambda x, w, b: f.batch_norm(x, None, None, w, b, True), with_rows,
        ),
        "layer_norm": Operation(
            lambda x, w, b: F.layer_norm(x, len(w), w, b), lambda x, w, b: f.layer_norm(x, (len(w),), w, b), with_rows
        ),
        "rms_norm": Operation(
            lambda x, w, _: F.rms_norm(x, len(w), w), lambda x, w, _: f.rms_norm(x, (len(w),), w), with_rows
        ),
        "group_norm": Operation(
            lambda x, w, b: F.group_norm(x, 2, w, b), lambda x, w, b: f.group_norm(x, 2, w, b), with_rows
        ),
        "normalize": Operation(F.normalize, f.normalize, one),
        "one_hot": Operation(lambda _, i: F.one_hot(i, 300), lambda _, i: f.one_hot(i, 300), indexed),
        "adaptive_avg_pool1d": Operation(
            lambda x: F.adaptive_avg_pool1d(x, 3), lambda x: f.adaptive_avg_pool1d(x, 3), signal
        ),
        "adaptive_avg_pool2d": Operation(
            lambda x: F.adaptive_avg_pool2d(x, 3), lambda x: f.adaptive_avg_pool2d(x, 3), image
        ),
        "adaptive_avg_pool2d one": Operation(
            lambda x: F.adaptive_avg_pool2d(x, 1), lambda x: f.adaptive_avg_pool2d(x, 1), image
        ),
        "adaptive_max_pool1d": Operation(
            lambda x: F.adaptive_max_pool1d(x, 3), lambda x: f.adaptive_max_pool1d(x, 3), signal
        ),
        "adaptive_max_pool2d": Operation(
            lambda x: F.adaptive_max_pool2d(x, 3), lambda x: f.adaptive_max_pool2d(x, 3), image
        ),
        "conv_transpose1d": Operation(
            F.conv_transpose1d, f.conv_transpose1d, lambda n: (normal(1, n, n), normal(n, 4, 3))
        ),
        "conv_transpose2d": Operation(
            F.conv_transpose2d, f.conv_transpose2d, lambda n: (normal(1, 1, n, n), normal(1, 4, 3, 3))
        ),
        # losses
        **{
            n: Operation(frozen(getattr(F, n)), frozen(getattr(f, n)), two)
            for n in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss")
        },
        "kl_div": Operation(
            lambda x, t: F.kl_div(x, t.detach(), "batchmean"),
            lambda x, t: f.kl_div(x, t.detach(), reduction="batchmean"), probabilities,
        ),
        "binary_cross_entropy": Operation(
            frozen(F.binary_cross_entropy), frozen(f.binary_cross_entropy), probabilities
        ),
        "binary_cross_entropy_with_logits": Operation(
            frozen(F.binary_cross_entropy_with_logits), frozen(f.binary_cross_entropy_with_logits), logits
        ),
        "cross_entropy": Operation(F.cross_entropy, f.cross_entropy, labelled),
        "cross_entropy smoothing": Operation(
            lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1),
            lambda x, y: f.cross_entropy(x, y, label_smoothing=0.1), labelled,
        ),
        "cross_entropy probabilities": Operation(
            frozen(F.cross_entropy), frozen(f.cross_entropy), lambda n: (normal(n, n), RNG.dirichlet(np.ones(n), n))
        ),
        "nll_loss": Operation(F.nll_loss, f.nll_loss, labelled),
    }  # fmt: skip


def tensor(array: np.ndarray, dtype: np.dtype) -> Tensor:
    """An argument for this engine."""
    return Tensor(array.astype(dtype), requires_grad=True) if array.dtype.kind == "f" else Tensor(array)
