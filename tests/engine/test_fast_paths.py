"""What large arrays and long rows go through gives what the plain formula gives."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_ref import Tensor, ops
from autograd_ref.functional import cross_entropy, layer_norm
from autograd_ref.functional.rows import ones, row_maxima, row_sums
from autograd_ref.optim import SGD, Adam
from autograd_ref.optim.optimizer import BLOCK, aligned
from autograd_ref.rules.elementwise import _BLOCK, _LARGE

rng = np.random.default_rng(0)

LAYOUTS = {
    "as made": lambda a: a,
    "transposed": lambda a: a.T,
    "channels first": lambda a: a.transpose(2, 0, 1),
    "every other": lambda a: a[:, ::2],
    "backwards": lambda a: a[::-1],
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [_LARGE, _LARGE + _BLOCK // 2 + 3])
def test_relu_of_a_large_array_lets_pass_what_was_positive(dtype, layout, size):
    # one more axis than it takes, and a length that is no multiple of a block
    n = -(-2 * size // 64)
    x = LAYOUTS[layout](rng.standard_normal((8, n, 8)).astype(dtype))
    g = LAYOUTS[layout](rng.standard_normal((8, n, 8)).astype(dtype))
    t = Tensor(x, requires_grad=True)
    ops.relu(t).backward(g)
    assert t.grad.dtype == dtype
    np.testing.assert_array_equal(t.grad.data, np.where(x > 0, g, 0))


def test_relu_of_a_large_array_takes_a_gradient_of_another_layout():
    x, g = rng.standard_normal((600, 500)), rng.standard_normal((500, 600)).T
    t = Tensor(x, requires_grad=True)
    ops.relu(t).backward(g)
    np.testing.assert_array_equal(t.grad.data, np.where(x > 0, g, 0))


@pytest.mark.parametrize("columns", [1, 2, 31, 32, 33, 64, 1000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_have_their_maxima_and_sums(columns, dtype):
    x = rng.standard_normal((7, columns)).astype(dtype)
    x[2, -1], x[3, columns // 2], x[4] = np.inf, np.nan, -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(row_maxima(x), x.max(1, keepdims=True))
    finite = np.nan_to_num(x, posinf=1, neginf=2)
    np.testing.assert_allclose(row_sums(finite), finite.sum(1, keepdims=True), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(row_maxima(np.asfortranarray(x)), row_maxima(x))


def test_kept_ones_cannot_be_changed_and_long_ones_are_not_kept():
    with pytest.raises(ValueError, match="read-only"):
        ones(3, np.dtype(float))[0] = 2
    assert ones(5000, np.dtype(float)) is not ones(5000, np.dtype(float))


def test_a_loss_over_many_classes_and_a_norm_of_odd_layouts_agree_with_their_definitions():
    logits, labels = rng.standard_normal((40, 33)) * 30, rng.integers(0, 33, 40)
    shifted = logits - logits.max(1, keepdims=True)
    expected = (np.log(np.exp(shifted).sum(1)) - shifted[np.arange(40), labels]).mean()
    np.testing.assert_allclose(cross_entropy(Tensor(logits), labels).item(), expected, rtol=1e-13)
    x = rng.standard_normal((6, 5, 4)).transpose(2, 1, 0)
    away = x - x.mean(-1, keepdims=True)
    expected = away / np.sqrt((away**2).mean(-1, keepdims=True) + 1e-5)
    got = layer_norm(Tensor(x), 6, Tensor(np.ones(6)), Tensor(np.zeros(6)))
    np.testing.assert_allclose(got.data, expected, rtol=1e-12)


@pytest.mark.parametrize("optimizer", [SGD, Adam])
def test_blocks_of_a_large_network_are_updated_as_one_array_would_be(optimizer):
    sizes = (BLOCK - 5, 7, BLOCK + 11, 3)  # borders of parameters and of blocks do not meet
    starts = [rng.standard_normal(n) for n in sizes]
    together = [Tensor(a.copy(), requires_grad=True) for a in starts]
    alone = [Tensor(a.copy(), requires_grad=True) for a in starts]
    one, each = optimizer(together, lr=0.1), [optimizer([p], lr=0.1) for p in alone]
    for step in range(5):
        for i, (p, q) in enumerate(zip(together, alone, strict=True)):
            p.zero_grad()
            q.zero_grad()
            if (step + i) % 3 or step == 4:  # some without a gradient: runs of others at different steps
                (p * p * (i + 1)).sum().backward()
                (q * q * (i + 1)).sum().backward()
        one.step()
        for o in each:
            o.step()
        for p, q in zip(together, alone, strict=True):
            np.testing.assert_array_equal(p.data, q.data)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [0, 1, 1000])
def test_aligned_arrays_begin_at_a_cache_line(dtype, size):
    a = aligned(size, np.dtype(dtype))
    assert a.shape == (size,) and a.dtype == dtype and not a.any()
    assert a.ctypes.data % 64 == 0 or size == 0


def test_a_gradient_that_somebody_has_seen_is_not_written_to_again():
    p = Tensor([[1.0, 2.0]], requires_grad=True)
    optimizer = SGD([p], lr=0.1)
    seen = []
    for _ in range(4):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
        seen.append(p.grad)
    for g, value in zip(seen, [2 * 0.8**k * np.array([[1.0, 2.0]]) for k in range(4)], strict=True):
        np.testing.assert_allclose(g.data, value, rtol=1e-12)
