"""Every operation where trouble lives: 0-d values, zeros, ties and kinks, in both orders and both modes, as in PyTorch.

The random cases of the other tests never meet these points. Here every function is called at all of them, as 0-d values
(for which NumPy's functions return scalars, not arrays) and side by side in one array.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from autograd_ref import Tensor, hvp, jvp, ops, vjp
from autograd_ref import functional as F

torch = pytest.importorskip("torch")
f = torch.nn.functional

ANY = (-30.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 30.0)
POSITIVE = (0.0, 0.5, 1.0, 2.0)
NORMAL = (0.5, 1.0, 2.0)
AWAY = (-30.0, -1.0, 0.5, 1.0)
UP = [1.0, 2.0, 3.0]


class Edge(NamedTuple):
    """A function of each engine, and the values at which each argument is tried."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    values: tuple[tuple[float, ...], ...] = (ANY,)


def same(name: str, *values: tuple[float, ...]) -> Edge:
    return Edge(getattr(ops, name), getattr(torch, name), values or (ANY,))


def dims(x: Any) -> tuple[int, ...]:
    return tuple(range(x.ndim))


def of_two(x: Any, y: Any) -> Any:
    """Something of two 0-d or 1-d values that are stacked; `x` comes twice, so that there are ties."""
    return torch.stack([x, y, x]) if isinstance(x, torch.Tensor) else ops.stack([x, y, x])


ELEMENTWISE = {
    **{n: same(n) for n in ("abs", "cos", "erf", "exp", "expm1", "neg", "relu", "sigmoid", "sign", "sin", "tanh")},
    "clone": same("clone"),
    "tan": same("tan", (-1.0, -0.0, 0.0, 1.0)),
    "log": same("log", NORMAL),
    "log1p": same("log1p", POSITIVE),
    "sqrt": same("sqrt", NORMAL),
    "softplus": Edge(ops.softplus, f.softplus),
    "logsigmoid": Edge(ops.logsigmoid, f.logsigmoid),
    "silu": Edge(ops.silu, f.silu),
    "elu": Edge(ops.elu, f.elu),
    "leaky_relu": Edge(ops.leaky_relu, f.leaky_relu),
    "gelu": Edge(F.gelu, f.gelu),
    "gelu_tanh": Edge(lambda x: F.gelu(x, "tanh"), lambda x: f.gelu(x, approximate="tanh")),
    "add": same("add", ANY, ANY),
    "sub": same("sub", ANY, ANY),
    "mul": same("mul", ANY, ANY),
    "floor_divide": Edge(
        ops.floor_divide, lambda x, y: torch.div(x, y, rounding_mode="floor"), (ANY, (-30.0, -1.0, 0.5, 2.0))
    ),
    "remainder": same("remainder", ANY, (-30.0, -1.0, 0.5, 2.0)),
    "div": same("div", ANY, (-30.0, -1.0, 0.5, 2.0)),
    "pow": same("pow", NORMAL, (-1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0)),
    "pow of zero": Edge(lambda x: x ** np.array(UP), lambda x: x ** torch.tensor(UP, dtype=x.dtype), ((0.0,),)),
    **{
        f"pow {n!r}": Edge(lambda x, n=n: x**n, lambda x, n=n: x**n, ((-1.0, 0.0, 0.5, 2.0) if n >= 0 else (0.5, 2.0),))
        for n in (0, 0.0, 1, 2, 2.0, 3, -1, -2.0)
    },
    "number to the power": Edge(lambda x: 2.0**x, lambda x: 2.0**x),
    "pow numpy": Edge(lambda x: x ** np.float64(0.0), lambda x: x**0.0),
    "maximum": same("maximum", ANY, ANY),
    "minimum": same("minimum", ANY, ANY),
    "where": Edge(
        lambda x, y: ops.where(x.data > 0, x, y), lambda x, y: torch.where(x.detach() > 0, x, y), (ANY, ANY)
    ),
    "mse_loss": Edge(F.mse_loss, f.mse_loss, (ANY, ANY)),
    "masked_fill": Edge(
        lambda x: ops.masked_fill(x, x.data > 0, 2.0), lambda x: torch.masked_fill(x, x.detach() > 0, 2.0)
    ),
    "masked_fill by a tensor": Edge(
        lambda x, v: ops.masked_fill(x, x.data > 0, v.sum()),
        lambda x, v: torch.masked_fill(x, x.detach() > 0, v.sum()), (ANY, ANY),
    ),
    "l1_loss": Edge(F.l1_loss, f.l1_loss, (ANY, ANY)),
    "huber_loss": Edge(F.huber_loss, f.huber_loss, (ANY, ANY)),
    "smooth_l1_loss": Edge(F.smooth_l1_loss, f.smooth_l1_loss, (ANY, ANY)),
    "smooth_l1_loss of 0.5": Edge(
        lambda x, y: F.smooth_l1_loss(x, y, "sum", 0.5), lambda x, y: f.smooth_l1_loss(x, y, reduction="sum", beta=0.5),
        (ANY, ANY),
    ),
    "kl_div": Edge(
        lambda x, t: F.kl_div(x, t, "sum"), lambda x, t: f.kl_div(x, t, reduction="sum"), (ANY, (0.25, 0.5, 1.0))
    ),
    "kl_div of nothing": Edge(
        lambda x: F.kl_div(x, x.data * 0), lambda x: f.kl_div(x, x.detach() * 0)
    ),
    "kl_div of logarithms": Edge(
        lambda x, t: F.kl_div(x, t, "batchmean", True),
        lambda x, t: f.kl_div(x, t, reduction="batchmean", log_target=True), (ANY, (-30.0, -0.5, 0.0)),
    ),
    "normalize": Edge(
        lambda x: F.normalize(F.pad(x[None, None], (1, 1), value=2.0) if not x.ndim else x, axis=-1),
        lambda x: f.normalize(f.pad(x[None, None], (1, 1), value=2.0) if not x.ndim else x, dim=-1),
    ),
    "pad": Edge(
        lambda x: F.pad(x[None, None], (1, 1) + (0, 1) * x.ndim, value=2.0),
        lambda x: f.pad(x[None, None], (1, 1) + (0, 1) * x.ndim, value=2.0),
    ),
    "binary_cross_entropy": Edge(
        lambda p: F.binary_cross_entropy(p, p.data * 0 + 0.25),
        lambda p: f.binary_cross_entropy(p, p.detach() * 0 + 0.25),
        ((0.25, 0.5, 0.75),),
    ),
    **{
        f"binary_cross_entropy_with_logits {target} {pos_weight} {weight}": Edge(
            lambda x, t=target, p=pos_weight, w=weight: F.binary_cross_entropy_with_logits(
                x, x.data * 0 + t, "sum", pos_weight=p, weight=w
            ),
            lambda x, t=target, p=pos_weight, w=weight: f.binary_cross_entropy_with_logits(
                x, x.detach() * 0 + t, reduction="sum",
                pos_weight=None if p is None else torch.tensor(p, dtype=x.dtype),
                weight=None if w is None else torch.tensor(w, dtype=x.dtype),
            ),
        )
        for target in (0.0, 0.3, 1.0) for pos_weight in (None, 3.0) for weight in (None, 0.7)
    },
    "binary_cross_entropy_with_logits mean": Edge(
        F.binary_cross_entropy_with_logits, f.binary_cross_entropy_with_logits, (ANY, (0.0, 0.5, 1.0))
    ),
    "binary_cross_entropy_with_logits of targets": Edge(
        lambda x, t: F.binary_cross_entropy_with_logits(x, t, "sum"),
        lambda x, t: f.binary_cross_entropy_with_logits(x, t, reduction="sum"),
        (ANY, (0.0, 0.5, 1.0)),
    ),
}  # fmt: skip
REDUCED = {
    **{n: same(n) for n in ("sum", "mean", "prod")},
    "max": Edge(ops.max, torch.amax),
    "min": Edge(ops.min, torch.amin),
    "logsumexp": Edge(ops.logsumexp, lambda x: torch.logsumexp(x, dims(x))),
    "softmax": Edge(lambda x: ops.softmax(x, 0), lambda x: torch.softmax(x, 0)),
    "log_softmax": Edge(lambda x: ops.log_softmax(x, 0), lambda x: torch.log_softmax(x, 0)),
    "cumsum": Edge(lambda x: ops.cumsum(x, 0), lambda x: torch.cumsum(x, 0)),
    "sum of squares": Edge(lambda x: (x * x).sum(), lambda x: (x * x).sum()),
    **{
        f"norm {p}": Edge(lambda x, p=p: ops.norm(x, p), lambda x, p=p: torch.linalg.vector_norm(x, p))
        for p in (1, 3, np.inf, -np.inf, 0)
    },
    "norm": Edge(ops.norm, torch.norm, (AWAY,)),  # at 0 see test_differences
    "norm axis": Edge(lambda x: ops.norm(x, 2, 0), lambda x: torch.norm(x, 2, 0), (AWAY,)),
    "sort": Edge(lambda x: ops.sort(x)[0], lambda x: torch.sort(x)[0]),
    "sort descending": Edge(
        lambda x: ops.sort(x, descending=True)[0], lambda x: torch.sort(x, descending=True, stable=True)[0]
    ),
    "topk": Edge(lambda x: ops.topk(x, 1)[0], lambda x: torch.topk(x, 1)[0]),
    "max 0": Edge(lambda x: ops.max(x, 0), lambda x: torch.amax(x, 0)),
    "logsumexp 0": Edge(lambda x: ops.logsumexp(x, 0), lambda x: torch.logsumexp(x, 0)),
    "prod 0": Edge(lambda x: ops.prod(x, 0), lambda x: torch.prod(x, 0)),
}
STATISTICS = {
    "var": Edge(ops.var, torch.var),
    "std": Edge(ops.std, torch.std),
}
MOVED = {
    "reshape": Edge(lambda x: ops.reshape(x, -1), lambda x: x.reshape(-1)),
    "flatten": Edge(ops.flatten, torch.flatten),
    "permute": Edge(lambda x: ops.permute(x, dims(x)), lambda x: x.permute(dims(x))),
    "transpose": Edge(ops.transpose, lambda x: x.permute(dims(x)[::-1])),
    "squeeze": same("squeeze"),
    "unsqueeze": Edge(lambda x: ops.unsqueeze(x, 0), lambda x: x.unsqueeze(0)),
    "broadcast_to": Edge(lambda x: ops.broadcast_to(x, (2, *x.shape)), lambda x: x.expand(2, *x.shape)),
    "expand": Edge(lambda x: ops.expand(x, (2, *(-1,) * x.ndim)), lambda x: x.expand(2, *(-1,) * x.ndim)),
    "repeat": Edge(lambda x: ops.repeat(x, *(2,) * (x.ndim + 1)), lambda x: x.repeat((2,) * (x.ndim + 1))),
    "repeat once": Edge(lambda x: ops.repeat(x, (1,) * x.ndim), lambda x: x.repeat((1,) * x.ndim)),
    "chunk": Edge(lambda x: ops.chunk(x[None], 2)[0], lambda x: torch.chunk(x[None], 2)[0]),
    "unbind": Edge(lambda x: ops.unbind(x[None])[0], lambda x: torch.unbind(x[None])[0]),
    "tril": Edge(lambda x: ops.tril(x[None, None])[0, 0], lambda x: torch.tril(x[None, None])[0, 0]),
    "triu": Edge(lambda x: ops.triu(x[None, None])[0, 0], lambda x: torch.triu(x[None, None])[0, 0]),
    "flip": Edge(ops.flip, lambda x: torch.flip(x, dims(x))),
    "roll": Edge(lambda x: ops.roll(x, 1), lambda x: torch.roll(x, 1) if x.ndim else x.clone()),
    "getitem": Edge(lambda x: x[...], lambda x: x[...]),
    "getitem none": Edge(lambda x: x[None], lambda x: x[None]),
    "astype": Edge(lambda x: ops.astype(x, np.float32), lambda x: x.float()),
    "pad": Edge(
        lambda x: ops.pad(x[None], ((1, 1), *((0, 0),) * x.ndim), 2.0)[1],
        lambda x: f.pad(x[None, None], (0, 0) * x.ndim + (1, 1), value=2.0)[0, 1],
    ),
    "stack": Edge(lambda x: ops.stack([x, x]), lambda x: torch.stack([x, x])),
    "concatenate": Edge(
        lambda x: ops.concatenate([x[None], x[None]]), lambda x: torch.cat([x[None], x[None]])
    ),
    "einsum": Edge(lambda x: ops.einsum("...,...->...", x, x), lambda x: torch.einsum("...,...->...", x, x)),
}
CASES = {
    f"{name} at {values}": (edge, tuple(np.array(v) for v in values))
    for table in (ELEMENTWISE, MOVED, REDUCED)
    for name, edge in table.items()
    for values in itertools.product(*edge.values)
}
CASES |= {
    f"{name} of all": (edge, tuple(np.array(v) for v in zip(*itertools.product(*edge.values), strict=True)))
    for table in (ELEMENTWISE, MOVED)
    for name, edge in table.items()
}
CASES |= {
    f"{name} of {values}": (edge, (np.array(values),))
    for name, edge in (REDUCED | STATISTICS).items()
    for values in ([2.0, 2.0, -1.0], [0.0, 3.0], [0.0, 0.0, 4.0], [1.0, 2.0, 4.0])
    if not (name == "std" and len(set(values)) == 1)
}
CASES |= {
    f"{name} of two 0-d at {a} and {b}": (
        Edge(lambda x, y, e=edge: e.ours(of_two(x, y)), lambda x, y, e=edge: e.theirs(of_two(x, y))),
        (np.array(a), np.array(b)),
    )
    for name, edge in (REDUCED | STATISTICS).items()
    for a, b in ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (2.0, -1.0))
    if not (name in ("std", "norm", "norm axis") and a == b)
}


def agree(ours: Any, theirs: Any, dtype: Any, what: str) -> None:
    found = np.asarray(ours.data if isinstance(ours, Tensor) else ours)
    if (
        theirs is not None and theirs._is_zerotensor()
    ):  # it has no memory, and reading it would end the process
        theirs = None
    wanted = np.zeros(found.shape) if theirs is None else theirs.detach().numpy(force=True)
    tolerance = 1e-10 if dtype == np.float64 else 2e-5
    assert found.shape == wanted.shape, f"{what}: shape {found.shape}, PyTorch {wanted.shape}"
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance, err_msg=what)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", CASES)
def test_an_operation_at_its_edges_has_pytorchs_derivatives(name: str, dtype: Any) -> None:
    (ours, theirs, _), arrays = CASES[name]
    rng = np.random.default_rng(len(name))
    arrays = tuple(a.astype(dtype) for a in arrays)
    xs = [Tensor(a, requires_grad=True) for a in arrays]
    ps = [torch.tensor(a, requires_grad=True) for a in arrays]
    out, expected = ours(*xs), theirs(*ps)
    agree(out, expected, dtype, "value")
    u = np.asarray(rng.uniform(0.5, 1.5, out.shape), out.dtype)
    vs = [np.asarray(rng.uniform(0.5, 1.5, a.shape), dtype) for a in arrays]
    first = torch.autograd.grad(expected, ps, torch.tensor(u), create_graph=True, allow_unused=True)
    out.backward(u, retain_graph=True)
    for i, (x, g) in enumerate(zip(xs, first, strict=True)):
        agree(x.grad, g, dtype, f"gradient of argument {i}")
        x.grad = None
    out.backward(u, create_graph=True)
    grads = [x.grad for x in xs]
    for i, (x, g) in enumerate(zip(grads, first, strict=True)):
        agree(x, g, dtype, f"gradient of argument {i}, recorded")
    for x in xs:
        x.grad = None
    # every second derivative on its own, so that no two errors cancel
    for i, g in enumerate(grads):
        h = first[i]
        wanted = [None] * len(ps)
        if h is not None and h.requires_grad:
            wanted = torch.autograd.grad(h, ps, torch.tensor(vs[i]), retain_graph=True, allow_unused=True)
        if g.requires_grad:
            g.backward(vs[i], retain_graph=True)
        for j, (x, w) in enumerate(zip(xs, wanted, strict=True)):
            agree(np.zeros(x.shape) if x.grad is None else x.grad, w, dtype, f"second derivative {i}, {j}")
            x.grad = None


#: Where 0 times it is NaN, and PyTorch puts 0 (`programs/agreed.py`), or where parts of a sum send it both ways.
INFINITE_OTHERWISE = ("relu", "kl_div", "binary_cross_entropy_with_logits")


@pytest.mark.parametrize(
    "name", [n for n in CASES if n.split()[0] in ELEMENTWISE and not n.startswith(INFINITE_OTHERWISE)]
)
def test_an_infinite_gradient_passes_an_elementwise_function_as_in_pytorch(name: str) -> None:
    (ours, theirs, _), arrays = CASES[name]
    xs = [Tensor(a, requires_grad=True) for a in arrays]
    ps = [torch.tensor(a, requires_grad=True) for a in arrays]
    out, expected = ours(*xs), theirs(*ps)
    out.backward(np.full(out.shape, np.inf, out.dtype))
    wanted = torch.autograd.grad(expected, ps, torch.full_like(expected, torch.inf), allow_unused=True)
    for i, (x, g) in enumerate(zip(xs, wanted, strict=True)):
        agree(x.grad, g, np.float64, f"gradient of argument {i}")


@pytest.mark.parametrize("name", CASES)
def test_forward_mode_agrees_with_reverse_mode_at_the_edges_in_both_orders(name: str) -> None:
    (ours, _, _), arrays = CASES[name]
    rng = np.random.default_rng(len(name))
    vs = tuple(np.asarray(rng.uniform(0.5, 1.5, a.shape)) for a in arrays)
    out, pull = vjp(ours, *arrays)
    u = np.asarray(rng.uniform(0.5, 1.5, out.shape))
    forward = np.vdot(u, jvp(ours, arrays, vs)[1].data)
    backward = sum(np.vdot(g.data, v) for g, v in zip(pull(u), vs, strict=True))
    tolerance = 1e-9 if out.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(forward, backward, rtol=tolerance, atol=tolerance)
    if len(arrays) == 1:  # forward over reverse, and reverse over reverse
        weighted = lambda x: (ours(x) * u).sum()  # noqa: E731
        x = Tensor(arrays[0], requires_grad=True)
        weighted(x).backward(create_graph=True)
        slope, x.grad = x.grad, None
        if slope.requires_grad:
            slope.backward(vs[0])
        twice = np.zeros(x.shape) if x.grad is None else x.grad.data
        np.testing.assert_allclose(
            hvp(weighted, arrays[0], vs[0]).data, twice, rtol=tolerance, atol=tolerance
        )


#: What has no slope, or is tested at its edges elsewhere (convolution, pooling, layers: their kinks are those of max).
WITHOUT = {
    "argmax", "argmin", "argsort", "clamp", "astensor", "axes_of", "bitwise_and", "bitwise_not", "bitwise_or",
    "bitwise_xor", "equal", "greater", "greater_equal", "less", "less_equal", "logical_and",
    "logical_not", "logical_or", "not_equal", "shaped",
    "diagonal", "gather", "matmul", "outer", "set_item", "split", "swapaxes", "take", "clip",
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "conv_transpose1d", "conv_transpose2d", "group_norm", "one_hot", "rms_norm",
    "avg_pool1d", "avg_pool2d", "batch_norm", "conv1d", "conv2d", "cross_entropy", "dropout", "embedding", "layer_norm",
    "linear", "max_pool1d", "max_pool2d", "nll_loss", "scaled_dot_product_attention", "self_attention",
}  # fmt: skip


def test_no_operation_is_forgotten() -> None:
    tested = {name.split()[0] for table in (ELEMENTWISE, MOVED, REDUCED, STATISTICS) for name in table}
    public = {*ops.__all__, *F.__all__}
    assert public - tested <= WITHOUT <= public


BAD_AND_ZERO = [lambda shape: np.full(shape, np.nan), lambda shape: np.full(shape, np.inf), np.zeros]


@pytest.mark.parametrize("shapes", [((2, 1), (1, 1)), ((1, 1), (1, 3)), ((1, 1), (1, 1)), ((2, 3), (3, 1))])
@pytest.mark.parametrize("how", ["matmul", "linear", "conv2d"])
def test_zero_times_nan_is_nan_in_a_product_with_one_number(
    how: str, shapes: tuple[tuple[int, int], ...]
) -> None:
    """NumPy's `dot` takes a matrix of one number for a scalar, and what a scalar of 0 is multiplied by for 0."""
    (n, inputs), (_, outputs) = shapes
    for x, y, g in itertools.product(
        *([make(shape) for make in BAD_AND_ZERO] for shape in (*shapes, (n, outputs)))
    ):
        a, b = Tensor(x, requires_grad=True), Tensor(y, requires_grad=True)
        with np.errstate(invalid="ignore"):
            if how == "matmul":
                out = a @ b
            elif how == "linear":
                out = F.linear(a, b.T)
            else:
                out = F.conv2d(a.reshape(n, inputs, 1, 1), b.T.reshape(outputs, inputs, 1, 1)).reshape(
                    n, outputs
                )
            out.backward(Tensor(g))
            for found, right in (out, x @ y), (a.grad, g @ y.T), (b.grad, x.T @ g):
                assert np.array_equal(found.data, right, equal_nan=True), (x, y, g)


@pytest.mark.parametrize("arrives", [np.nan, np.inf])
def test_what_is_no_number_goes_on_through_the_length_of_a_zero(arrives: float) -> None:
    zeros = np.zeros((2, 3))
    ours = Tensor(zeros, requires_grad=True)
    theirs = torch.tensor(zeros, requires_grad=True)
    given = np.array([arrives, 1.0])
    ours.norm(2, 1).backward(given)
    torch.linalg.vector_norm(theirs, 2, 1).backward(torch.tensor(given))
    assert ours.grad is not None and theirs.grad is not None
    np.testing.assert_array_equal(ours.grad.data, theirs.grad.numpy())
    assert np.isnan(ours.grad.data).sum() == 3
