"""Random programs: up to 50 operations with shared nodes, views and broadcasting, against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograd_ref import Tensor, ops

torch = pytest.importorskip("torch")

# name: (this engine, PyTorch); every operation keeps values moderate, so that 50 of them do not overflow
UNARY = {
    "tanh": (ops.tanh, torch.tanh),
    "sin": (ops.sin, torch.sin),
    "sigmoid": (ops.sigmoid, torch.sigmoid),
    "relu": (ops.relu, torch.relu),
    "abs": (ops.abs, torch.abs),
    "neg": (ops.neg, torch.neg),
    "softplus": (lambda x: ops.softplus(x) - 0.5, lambda x: torch.nn.functional.softplus(x) - 0.5),
    "half": (lambda x: x * 0.5, lambda x: x * 0.5),
    "square": (lambda x: ops.tanh(x**2), lambda x: torch.tanh(x**2)),
    "flip": (lambda x: x.flip(), lambda x: x.flip(tuple(range(x.ndim)))),
    "transpose": (lambda x: x.T, lambda x: x.permute(tuple(range(x.ndim))[::-1])),
    "ravel": (lambda x: x.reshape(-1), lambda x: x.reshape(-1)),
    "unsqueeze": (
        lambda x: x.unsqueeze(0) if x.ndim < 3 else x,
        lambda x: x.unsqueeze(0) if x.ndim < 3 else x,
    ),
    "first": (lambda x: x[:1] if x.ndim else x, lambda x: x[:1] if x.ndim else x),
    "repeat": (lambda x: x[[0, -1, 0]] if x.ndim else x, lambda x: x[[0, -1, 0]] if x.ndim else x),
    "mean": (
        lambda x: x.mean(-1, True) if x.ndim else x,
        lambda x: x.mean(-1, keepdim=True) if x.ndim else x,
    ),
    "sum0": (lambda x: ops.tanh(x.sum(0)) if x.ndim else x, lambda x: torch.tanh(x.sum(0)) if x.ndim else x),
    "max": (lambda x: x.max(-1) if x.ndim else x, lambda x: x.amax(-1) if x.ndim else x),
    "softmax": (lambda x: ops.softmax(x) if x.ndim else x, lambda x: torch.softmax(x, -1) if x.ndim else x),
    "cumsum": (
        lambda x: ops.tanh(ops.cumsum(x)) if x.ndim else x,
        lambda x: torch.tanh(x.cumsum(0)) if x.ndim else x,
    ),
}
BINARY = {
    "add": (lambda x, y: (x + y) * 0.7, lambda x, y: (x + y) * 0.7),
    "sub": (lambda x, y: x - 0.5 * y, lambda x, y: x - 0.5 * y),
    "mul": (lambda x, y: ops.tanh(x * y), lambda x, y: torch.tanh(x * y)),
    "div": (lambda x, y: x / (2 + y * y), lambda x, y: x / (2 + y * y)),
    "maximum": (ops.maximum, torch.maximum),
    "minimum": (ops.minimum, torch.minimum),
    "where": (lambda x, y: ops.where(x > y, x, y * 0.5), lambda x, y: torch.where(x > y, x, y * 0.5)),
    "matmul": (lambda x, y: ops.tanh(x @ y.T), lambda x, y: torch.tanh(x @ y.T)),
}
START = [(), (3,), (2, 3), (2, 1)]
STEP = st.tuples(st.sampled_from([*UNARY, *BINARY, *BINARY]), st.integers(0, 99), st.integers(0, 99))


def fits(name, x, y):
    if name == "matmul":
        return x.ndim == 2 and y.ndim == 2 and x.shape[1] == y.shape[1]
    try:
        return len(np.broadcast_shapes(x.shape, y.shape)) <= 3
    except ValueError:
        return False


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(STEP, min_size=1, max_size=50), st.integers(0, 2**31))
def test_random_programs_have_pytorchs_values_and_gradients(steps, seed):
    rng = np.random.default_rng(seed)
    arrays = [rng.standard_normal(s) for s in START]
    ours = [Tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    leaves, torch_leaves = list(ours), list(theirs)
    for name, i, j in steps:
        # A little more likely to take a recent value; earlier ones stay available, so nodes are shared.
        x, p = ours[-1 - i % len(ours)], theirs[-1 - i % len(theirs)]
        if name in UNARY:
            f, g = UNARY[name]
            ours.append(f(x))
            theirs.append(g(p))
        else:
            y, q = ours[-1 - j % len(ours)], theirs[-1 - j % len(theirs)]
            if fits(name, x, y):
                f, g = BINARY[name]
                ours.append(f(x, y))
                theirs.append(g(p, q))
    loss, torch_loss = ours[-1].sum(), theirs[-1].sum()
    for x, p in zip(ours[-5:-1], theirs[-5:-1], strict=True):
        loss, torch_loss = loss + x.mean(), torch_loss + p.mean()
    loss.backward()
    torch_loss.backward()
    np.testing.assert_allclose(loss.data, torch_loss.detach().numpy(), rtol=1e-10, atol=1e-12)
    for x, p in zip(leaves, torch_leaves, strict=True):
        assert (x.grad is None) == (p.grad is None)
        if x.grad is not None:
            assert x.grad.shape == x.shape
            np.testing.assert_allclose(x.grad.data, p.grad.numpy(), rtol=1e-9, atol=1e-10)
