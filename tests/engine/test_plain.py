"""The fast engine is the plain one, faster: the same programs give the same bits with and without it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from autograd_ref import Tensor, nn, optim
from autograd_ref import functional as F
from autograd_ref.core import fast

from .test_programs import BINARY, START, UNARY, fits

PROGRAMS = 150


def program(seed: int) -> list[np.ndarray]:
    """A random program of up to 60 operations with its gradients, of first and second order, in one precision."""
    rng = np.random.default_rng(seed)
    dtype = [np.float64, np.float32][seed % 2]
    leaves = [
        Tensor(rng.standard_normal(s).astype(dtype), requires_grad=bool(rng.random() < 0.8)) for s in START
    ]
    values, names = list(leaves), [*UNARY, *BINARY, *BINARY]
    for _ in range(rng.integers(1, 60)):
        name = names[rng.integers(len(names))]
        x, y = (values[-1 - rng.integers(min(len(values), 6))] for _ in range(2))
        if name in UNARY:
            values.append(UNARY[name][0](x))
        elif fits(name, x, y):
            values.append(BINARY[name][0](x, y))
        if rng.random() < 0.05 and values[-1].requires_grad and not values[-1].is_leaf:
            changed = values[-1].clone()
            view = changed.reshape(-1)
            changed *= 0.5
            values.append(view)
    loss = values[-1].sum()
    for v in values[-5:-1]:
        loss = loss + v.mean()
    out = [v.data for v in values]
    if loss.requires_grad:
        loss.backward(create_graph=True)
        found = [t.grad for t in leaves if t.grad is not None]
        out += [g.data.copy() for g in found]
        total = sum(((g * g).sum() for g in found), Tensor(0.0))
        for t in leaves:
            t.zero_grad()
        if total.requires_grad:
            total.backward()
        out += [t.grad.data for t in leaves if t.grad is not None]
    return out


def network(seed: int) -> list[np.ndarray]:
    """Training steps of a small network with fused layers."""
    nn.init.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 3))
    optimizer = optim.AdamW(model.parameters(), lr=0.05)
    losses = []
    for _ in range(10):
        x, y = Tensor(rng.standard_normal((6, 5))), rng.integers(0, 3, 6)
        loss = F.cross_entropy(model(x), y) + F.mse_loss(F.gelu(model(x), "tanh"), Tensor(np.zeros((6, 3))))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.data.copy())
    return [*losses, *[p.data.copy() for p in model.parameters()]]


def results() -> dict[str, np.ndarray]:
    found = {}
    for seed in range(PROGRAMS):
        for i, a in enumerate(program(seed)):
            found[f"program {seed}, value {i}"] = np.asarray(a)
    for seed in range(3):
        for i, a in enumerate(network(seed)):
            found[f"network {seed}, value {i}"] = a
    return found


@pytest.mark.skipif(fast is None, reason="there is no other mode to compare with")
def test_random_programs_give_the_same_bits_with_and_without_the_fast_engine(tmp_path):
    file = tmp_path / "plain.npz"
    code = f"import numpy as np; from tests.engine import test_plain as t; np.savez({str(file)!r}, **t.results())"
    code += "; from autograd_ref.core import fast; assert fast is None"
    environment = os.environ | {"AUTOGRAD_REF_PLAIN": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, cwd=os.getcwd())
    ours, plain = results(), np.load(file)
    assert sorted(ours) == sorted(plain.files) and len(ours) > 10 * PROGRAMS
    for name, value in ours.items():
        assert (value.dtype, value.shape) == (plain[name].dtype, plain[name].shape), name
        np.testing.assert_array_equal(value, plain[name], err_msg=name)


def test_the_plain_engine_takes_no_function_of_the_fast_one():
    code = "import sys, autograd_ref.nn; print([m for m in sys.modules if m.startswith('autograd_ref.fast')])"
    environment = os.environ | {"AUTOGRAD_REF_PLAIN": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )
    assert run.stdout.strip() == "[]"
