"""Where NumPy has a faster way than the obvious one, it gives what the plain formula gives."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from autograd_ref import Tensor, ops, optim
from autograd_ref import functional as F
from autograd_ref.rules.reductions import products_of_others

rng = np.random.default_rng(0)
BIG = (260, 256)  # more than `fast.temporaries.LARGE` elements


def leaf(*shape: int, dtype: type = np.float64) -> Tensor:
    return Tensor(rng.standard_normal(shape).astype(dtype), requires_grad=True)


def integers(*shape: int, n: int, dtype: type = np.int64) -> np.ndarray:
    return rng.integers(-n if np.dtype(dtype).kind == "i" else 0, n, shape).astype(dtype)


# -- indices: an element that is read again gets all gradients ------------------------------------------------


INDICES = {
    "rows": lambda: integers(90, n=40),
    "rows of small integers": lambda: integers(90, n=40, dtype=np.int8),
    "rows of unsigned integers": lambda: integers(90, n=40, dtype=np.uint64),
    "a table of rows": lambda: integers(9, 20, n=40),
    "one row again and again": lambda: np.full(90, 7),
    "all rows, none twice": lambda: rng.permutation(40),
    "pairs": lambda: (integers(700, n=40), integers(700, n=30)),
    "pairs that repeat each other": lambda: (integers(30, 1, n=40), integers(1, 25, n=30)),
    "columns": lambda: (slice(None), integers(70, n=30)),
    "columns of the last axis": lambda: (slice(None), slice(None), integers(35, n=5)),
    "some rows, columns": lambda: (slice(3, 20), integers(70, n=30)),
    "rows of each column": lambda: (integers(90, n=40), slice(None), 2),
    "nothing": lambda: np.empty(0, int),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", INDICES)
def test_what_an_index_reads_sends_its_gradient_back(index, dtype):
    index = INDICES[index]()
    x = leaf(40, 30, 5, dtype=dtype)
    out = x[index]
    np.testing.assert_array_equal(out.data, x.data[index])
    g = rng.standard_normal(out.shape).astype(dtype)
    out.backward(g)
    expected = np.zeros(x.shape)
    np.add.at(expected, index, g.astype(float))
    assert x.grad.dtype == dtype
    np.testing.assert_allclose(x.grad.data, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("index", [np.array([3, 40]), (slice(None), np.array([30])), np.array([-41])])
def test_an_index_outside_is_refused(index):
    with pytest.raises(IndexError, match=r"Indexing a tensor of shape \(40, 30, 5\) failed"):
        leaf(40, 30, 5)[index]


def test_take_of_another_layout_reads_the_same():
    x = Tensor(rng.standard_normal((30, 40)).T, requires_grad=True)
    np.testing.assert_array_equal(ops.take(x, [2, -1], 1).data, x.data[:, [2, -1]])


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x * 1.0], ids=["leaf", "result"])
def test_parts_of_a_tensor_add_their_gradients_up(make):
    x = leaf(6, 4)
    y = make(x)
    parts = [y[0], y[1:4], y[..., 2], y[0], y[:, None, 1:], y[[0, 0, 5]], y]
    weights = [rng.standard_normal(part.shape) for part in parts]
    ops.sum(ops.stack([(p * w).sum() for p, w in zip(parts, weights, strict=True)])).backward()
    expected = np.zeros((6, 4))
    indices = [0, slice(1, 4), (..., 2), 0, (slice(None), None, slice(1, None)), [0, 0, 5], ...]
    for index, w in zip(indices, weights, strict=True):
        np.add.at(expected, index, w)
    np.testing.assert_allclose(x.grad.data, expected, rtol=1e-13)


def test_a_gradient_that_numpy_made_a_number_goes_on():
    x = Tensor(2.0, requires_grad=True)
    (3.0 - x.transpose()[...]).exp().backward()
    assert x.grad.item() == -np.exp(1.0)


def test_a_part_does_not_change_a_gradient_that_somebody_holds():
    x = leaf(4)
    (x * 1.0).sum().backward()
    seen, before = x.grad, x.grad.data.copy()
    held = x.grad.data
    g = Tensor(np.ones(4))
    y = x * 1.0
    (z,) = [y * 1.0]
    (z + y[...]).backward(g)  # g goes to both
    np.testing.assert_array_equal(g.data, np.ones(4))
    assert x.grad is seen and held is x.grad.data
    np.testing.assert_array_equal(held, before + 2)


# -- extremes, sums, products ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(7, 5), (7, 50), (3, 4, 5), (1, 1), (9,)])
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_and_their_gradients(name, shape, dtype):
    for values in (rng.standard_normal(shape), rng.integers(0, 3, shape) * 1.0):
        values = values.astype(dtype)
        for axis in (None, 0, -1):
            for keepdims in (False, True):
                x = Tensor(values, requires_grad=True)
                out = getattr(ops, name)(x, axis, keepdims)
                np.testing.assert_array_equal(out.data, getattr(np, name)(values, axis, keepdims=keepdims))
                g = rng.standard_normal(out.shape).astype(dtype)
                out.backward(g)
                top = getattr(np, name)(values, axis, keepdims=True)
                share = (values == top) / (values == top).sum(axis, keepdims=True)
                np.testing.assert_allclose(x.grad.data, share * g.reshape(top.shape), rtol=1e-6)


def test_a_row_with_nan_does_not_hide_that_another_has_its_largest_number_twice():
    x = Tensor([[np.nan, 1.0, 2.0], [3.0, 3.0, 0.0]], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x.max(1).backward(np.ones(2))
    np.testing.assert_array_equal(x.grad.data[1], [0.5, 0.5, 0.0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.bool_])
@pytest.mark.parametrize("shape", [(5, 3), (5, 1024), (5, 1025), (0, 3), (3, 0), (2, 3, 4)])
def test_sums_of_rows(shape, dtype):
    x = (rng.standard_normal(shape) * 3).astype(dtype)
    for layout in (x, np.asfortranarray(x), x[::-1]):
        for keepdims in (False, True):
            out, expected = ops.sum(Tensor(layout), 1, keepdims).data, layout.sum(1, keepdims=keepdims)
            assert (out.dtype, out.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(out, expected, rtol=1e-2 if dtype == np.float16 else 1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(5, 3), (4, 40), (6,), (2, 3, 4)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_along_each_axis(name, shape):
    for axis in range(-len(shape), len(shape)):
        x = leaf(*shape)
        g = rng.standard_normal(shape)
        out = getattr(ops, name)(x, axis)
        out.backward(g)
        e = np.exp(x.data)
        p = e / e.sum(axis, keepdims=True)
        np.testing.assert_allclose(out.data, p if name == "softmax" else np.log(p), rtol=1e-12, atol=1e-13)
        expected = (
            p * (g - (g * p).sum(axis, keepdims=True))
            if name == "softmax"
            else g - p * g.sum(axis, keepdims=True)
        )
        np.testing.assert_allclose(x.grad.data, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("n", range(12))
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_products_of_the_others(n, zeros):
    for axis, shape in ((0, (n,)), (1, (2, n, 3)), (2, (2, 3, n))):
        x = rng.uniform(0.5, 2, shape)
        ahead = np.moveaxis(x, axis, 0)
        ahead[rng.permutation(n)[:zeros]] = 0
        expected = np.stack([np.delete(ahead, i, 0).prod(0) for i in range(n)]) if n else ahead
        expected = np.moveaxis(expected, 0, axis)
        np.testing.assert_allclose(products_of_others(x, axis), expected, rtol=1e-14)
        again = products_of_others(Tensor(x), axis)
        np.testing.assert_array_equal(again.data if n > 1 else again, products_of_others(x, axis))


def test_a_product_that_is_too_small_for_a_number_keeps_the_gradients_that_are_not():
    x = Tensor([1e-200, 1e-200, 3.0], requires_grad=True)
    x.prod().backward()
    np.testing.assert_allclose(x.grad.data, [3e-200, 3e-200, 0])


# -- temporaries ----------------------------------------------------------------------------------------------


def test_what_somebody_holds_is_not_taken():
    x, w, b = leaf(*BIG), leaf(BIG[1], BIG[1]), leaf(BIG[1])
    expected = x.data @ w.data
    named = x @ w
    listed = [x @ w]
    array = (x @ w).detach().data
    whole = x @ w
    part, halves = whole[:], [whole[:130], whole[130:]]
    del whole
    view = (x @ w).reshape(BIG)
    for t in (named, listed[0], Tensor(array), part, view):
        for _ in range(30):
            (t + b, t.__add__(b), b.__sub__(t), t.relu(), t.reshape(BIG).relu(), t[:].relu())
        np.testing.assert_array_equal(t.data, expected)
    halves[0].reshape(130, BIG[1]).relu()
    np.testing.assert_array_equal(halves[1].data, expected[130:])
    np.testing.assert_array_equal(halves[0].data, expected[:130])


def test_relu_of_a_convolution_takes_its_memory_and_sends_the_same_gradient():
    x, w = leaf(8, 4, 32, 64), leaf(4, 4, 3, 3)
    out = F.conv2d(x, w, padding=1)
    values = out.data.copy()
    g = rng.standard_normal(out.shape)
    ops.relu(out).backward(g)
    expected = [t.grad.data.copy() for t in (x, w)]
    x.grad = w.grad = None
    again = F.conv2d(x, w, padding=1).relu()
    np.testing.assert_array_equal(again.data, np.maximum(values, 0))
    again.backward(g)
    for t, e in zip((x, w), expected, strict=True):
        np.testing.assert_array_equal(t.grad.data, e)


# -- matrices of another layout -------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("way", ["linear of a view", "product with a view", "turned input"])
def test_a_transposed_weight_is_trained_as_its_own_layout_is(way, bias):
    start, x, target = rng.standard_normal((6, 4)), rng.standard_normal((5, 6)), rng.standard_normal((5, 4))
    trained = []
    for turned in (False, True):
        w = Tensor(start.copy() if turned else start.T.copy(), requires_grad=True)
        b = Tensor(np.zeros(4), requires_grad=True)
        steps = optim.Adam([w, b], lr=0.1)
        for _ in range(4):
            steps.zero_grad()
            if not turned:
                out = F.linear(Tensor(x), w, b if bias else None)
            elif way == "linear of a view":
                out = F.linear(Tensor(x), w.T, b if bias else None)
            elif way == "product with a view":
                out = Tensor(x) @ w.T.T + b if bias else Tensor(x) @ w.T.T
            else:
                out = Tensor(x.T.copy()).T @ w + b if bias else Tensor(x.T.copy()).T @ w
            F.mse_loss(out, Tensor(target)).backward()
            steps.step()
        trained.append(w.data if turned else w.data.T)
    np.testing.assert_allclose(trained[0], trained[1], rtol=1e-10)


def test_one_view_of_a_weight_may_be_used_twice():
    w, x = leaf(4, 3), leaf(5, 3)
    steps = optim.SGD([w], lr=0.0)
    for _ in range(3):
        steps.zero_grad()
        x.grad = None
        view = w.T
        ((x @ view) + F.linear(x, view.T) * 2.0 + F.linear(x, w)).sum().backward()
        np.testing.assert_allclose(w.grad.data, np.tile(4 * x.data.sum(0), (4, 1)), rtol=1e-13)
        np.testing.assert_allclose(x.grad.data, np.tile(4 * w.data.sum(0), (5, 1)), rtol=1e-13)
        steps.step()


@pytest.mark.parametrize("layout", [lambda a: a, np.asfortranarray, lambda a: a[::-1], lambda a: a[:, ::-1]])
def test_products_send_gradients_back_whatever_the_layout(layout):
    x, y = (
        Tensor(layout(rng.standard_normal((5, 4))), True),
        Tensor(layout(rng.standard_normal((4, 3))), True),
    )
    g = rng.standard_normal((5, 3))
    (x @ y).backward(g)
    np.testing.assert_allclose(x.grad.data, g @ y.data.T, rtol=1e-12)
    np.testing.assert_allclose(y.grad.data, x.data.T @ g, rtol=1e-12)


# -- elementwise, in blocks -----------------------------------------------------------------------------------


def differently(a: np.ndarray) -> dict[str, np.ndarray]:
    """The same matrix in several layouts, and a part of it."""
    return {"rows": a, "columns": np.asfortranarray(a), "every other": a[:, ::2], "backwards": a[::-1]}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("shape", [(3, 4), (60, 50), (300, 130)])
@pytest.mark.parametrize("name", ["relu", "elu", "softplus", "logsigmoid", "sigmoid", "erf"])
def test_elementwise_operations_are_the_formulas_in_every_size_and_layout(name, shape, dtype):
    formulas = {
        "relu": lambda x: np.maximum(x, 0),
        "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
        "softplus": lambda x: np.logaddexp(x, 0),
        "logsigmoid": lambda x: -np.logaddexp(-x, 0),
        "sigmoid": lambda x: np.exp(-np.logaddexp(-x, 0)),
        "erf": np.vectorize(math.erf),
    }
    values = (rng.standard_normal(shape) * 4).astype(dtype)
    values[0, 0], values[-1, -1] = 0, -30
    rtol, atol = {2: (5e-3, 1e-7), 4: (2e-6, 1e-9), 8: (1e-12, 1e-13)}[values.itemsize]
    for layout, x in differently(values).items():
        got = getattr(ops, name)(x)
        assert got.dtype == dtype, layout
        expected = formulas[name](x.astype(float))
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=max(atol, 2.1e-9), err_msg=layout)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["relu", "elu", "softplus", "logsigmoid", "sigmoid", "erf"])
def test_elementwise_operations_of_many_numbers_take_the_extraordinary_ones(name, dtype):
    few = np.array([np.inf, -np.inf, np.nan, -1000, 1000, 0], dtype)
    many = np.concatenate([few, rng.standard_normal(5000).astype(dtype)])
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(getattr(ops, name)(many)[:6], getattr(ops, name)(few), rtol=1e-6)


@pytest.mark.parametrize("name", ["relu", "elu", "softplus", "logsigmoid", "sigmoid"])
def test_elementwise_operations_take_integers(name):
    for n in (6, 600):
        x = rng.integers(-9, 9, n)
        expected = getattr(ops, name)(x.astype(float))
        got = getattr(ops, name)(x)
        assert got.dtype == (np.int64 if name == "relu" else np.float64)
        np.testing.assert_allclose(got, expected.astype(got.dtype), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("largest", [1.0, 1e3, 1e20])
def test_floor_division_of_many_numbers_is_numpys(dtype, largest):
    x, y = (
        (rng.standard_normal((40, 30)) * largest).astype(dtype),
        rng.standard_normal((40, 30)).astype(dtype),
    )
    np.testing.assert_array_equal(ops.floor_divide(x, y), np.floor_divide(x, y))
    np.testing.assert_array_equal(ops.floor_divide(x, y[:1]), np.floor_divide(x, y[:1]))
    a, b = Tensor(x, requires_grad=True), Tensor(y, requires_grad=True)
    g = rng.standard_normal(x.shape).astype(dtype)
    (a % b).backward(g)
    np.testing.assert_array_equal(a.grad.data, g)
    np.testing.assert_array_equal(b.grad.data, -g * np.floor_divide(x, y))


def test_floor_division_of_many_numbers_knows_nought_and_infinity():
    x, y = rng.standard_normal(2000), rng.standard_normal(2000)
    y[:3], x[3:6] = [0, np.inf, -np.inf], [np.nan, np.inf, -np.inf]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ops.floor_divide(x, y), np.floor_divide(x, y))
    whole = rng.integers(1, 9, (40, 30))
    assert (ops.floor_divide(whole, whole[::-1]) == whole // whole[::-1]).all()


@pytest.mark.parametrize("kept", [1, 500, 20000])
def test_losses_of_many_numbers_agree_with_their_formulas(kept):
    x, y = rng.standard_normal(kept) * 3, rng.standard_normal(kept)
    away = np.abs(x - y)
    expected = np.where(away < 0.7, away**2 / 2, 0.7 * (away - 0.35)).mean()
    np.testing.assert_allclose(F.huber_loss(Tensor(x), Tensor(y), delta=0.7).item(), expected, rtol=1e-12)
    t = (y > 0) * 1.0
    expected = (np.logaddexp(x, 0) - x * t).mean()
    got = F.binary_cross_entropy_with_logits(Tensor(x), Tensor(t)).item()
    np.testing.assert_allclose(got, expected, rtol=1e-11)
