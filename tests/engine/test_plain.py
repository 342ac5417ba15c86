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

from .programs.running import Session, outcomes
from .programs.writing import Writer

PROGRAMS = 400


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
        for name, a in outcomes(Writer(seed, session=Session(alone=True)).write()):
            found[f"program {seed}, {name}"] = a
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
