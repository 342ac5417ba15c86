"""What large arrays and long rows go through gives what the plain formula gives."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from autograd_ref import Tensor, core, no_grad, ops
from autograd_ref.core.promotion import constant
from autograd_ref.functional import conv2d, cross_entropy, gelu, layer_norm, linear, max_pool2d, mse_loss
from autograd_ref.optim import SGD, Adam
from autograd_ref.rules.blocks import BLOCK as _BLOCK
from autograd_ref.rules.elementwise import _LARGE
from autograd_ref.rules.rows import ones, row_maxima, row_sums

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
    block = core.fast.flat.BLOCK if core.fast else 32768
    sizes = (block - 5, 7, block + 11, 3)  # borders of parameters and of blocks do not meet
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


@pytest.mark.skipif(core.fast is None, reason="the plain optimizers keep no array of their own")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [0, 1, 1000])
def test_aligned_arrays_begin_at_a_cache_line(dtype, size):
    a = core.fast.flat.aligned(size, np.dtype(dtype))
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


# -- memory of temporaries -----------------------------------------------------------------------------------------

SHAPE = (300, 300)  # large enough


def _made() -> Tensor:
    return Tensor(np.full(SHAPE, 0.5), requires_grad=True) * 2.0


def _address(t: Tensor) -> int:
    return t.data.ctypes.data


class _Owner:
    pass


def _named():
    t = _made()
    return t, lambda: t.exp()


def _in_a_list():
    held = [_made()]
    return held[0], lambda: held[0].exp()


def _as_an_attribute():
    owner = _Owner()
    owner.t = _made()
    return owner.t, lambda: owner.t.exp()


def _by_a_default():
    t = _made()

    def call(t=t):
        return t.exp()

    return t, call


def _as_an_argument():
    t = _made()

    def function(t):
        return t.exp()

    return t, lambda: function(t)


def _by_map():
    held = [_made()]
    return held[0], lambda: next(map(Tensor.exp, held))


def _from_a_generator():
    t = _made()

    def generator():
        yield t

    return t, lambda: next(generator()).exp()


def _unbound():
    t = _made()
    return t, lambda: Tensor.exp(t)


HOLDERS = [
    _named,
    _in_a_list,
    _as_an_attribute,
    _by_a_default,
    _as_an_argument,
    _by_map,
    _from_a_generator,
    _unbound,
]


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_tensor_that_somebody_holds_is_never_overwritten(holder):
    t, call = holder()
    for _ in range(50):  # the interpreter changes how it calls what is called often
        out = call()
        np.testing.assert_array_equal(t.data, np.ones(SHAPE))
        np.testing.assert_array_equal(out.data, np.full(SHAPE, np.e))
        assert _address(out) != _address(t)


@pytest.mark.parametrize("name", ["exp", "tanh", "sqrt", "relu"])
def test_the_memory_of_a_temporary_is_used_again_and_the_gradient_is_right(name):
    x = Tensor(rng.uniform(0.1, 1, SHAPE), requires_grad=True)
    for _ in range(30):
        x.zero_grad()
        out = getattr(x * 2.0, name)()
        out.sum().backward()
        y = np.asarray(2 * x.data)
        slope = {"exp": np.exp(y), "tanh": 1 - np.tanh(y) ** 2, "sqrt": 0.5 / np.sqrt(y), "relu": y > 0}[name]
        np.testing.assert_allclose(x.grad.data, 2 * slope, rtol=1e-12)
        np.testing.assert_array_equal(out.data, np.maximum(y, 0) if name == "relu" else getattr(np, name)(y))


@pytest.mark.skipif(core.fast is None, reason="the plain engine gives every result memory of its own")
def test_the_memory_of_a_temporary_is_used_again():
    x = Tensor(np.ones(SHAPE))
    seen = []

    def step():
        product = x * 2.0
        seen.append(_address(product))
        return product

    outs = [step().exp() for _ in range(5)]
    assert [_address(out) for out in outs] == seen
    for out in outs:
        np.testing.assert_array_equal(out.data, np.full(SHAPE, np.exp(2)))


@pytest.mark.skipif(core.fast is None, reason="the plain engine gives every result memory of its own")
def test_the_memory_of_a_temporary_in_another_order_is_used_again():
    x, w = Tensor(np.ones((8, 4, 64, 64))), Tensor(np.ones((4, 4, 1, 1)))
    seen = []

    def step():
        out = conv2d(x, w)
        seen.append(_address(out))
        return out

    outs = [step().relu() for _ in range(5)]
    assert [_address(out) for out in outs] == seen and outs[0].data.base is not None
    for out in outs:
        np.testing.assert_array_equal(out.data, np.full(x.shape, 4.0))


def test_what_a_rule_or_a_view_still_reads_is_not_overwritten():
    x = Tensor(rng.uniform(0.5, 1, SHAPE), requires_grad=True)
    (x.exp().sqrt()).sum().backward()  # exp's rule reads exp's result
    np.testing.assert_allclose(x.grad.data, 0.5 * np.exp(x.data / 2), rtol=1e-12)
    x.zero_grad()
    seen = []

    def shown(t):
        seen.append(t.data)
        return t

    shown(x * 1.0).exp()
    np.testing.assert_array_equal(seen[0], x.data)
    part = []

    def cut(t):
        part.append(t.data[::2])
        return t

    cut(x * 1.0).exp()
    np.testing.assert_array_equal(part[0], x.data[::2])
    own = np.full(SHAPE, 0.25)
    Tensor(own).exp()
    Tensor(own).detach().exp()
    (Tensor(own) * 1).reshape(-1).exp()
    np.testing.assert_array_equal(own, np.full(SHAPE, 0.25))


def test_an_operation_in_place_of_a_temporary_can_be_differentiated_twice_and_is_found_by_name():
    x = Tensor(rng.uniform(0.5, 1, SHAPE), requires_grad=True)
    out = (x * 3.0).exp()
    assert out.grad_fn.primitive is ops.exp
    out.sum().backward(create_graph=True)
    first = x.grad
    x.zero_grad()
    first.sum().backward()
    np.testing.assert_allclose(x.grad.data, 9 * np.exp(3 * x.data), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sizes", [(64, 64, 128), (32, 32, 64), (16, 256, 100)])
def test_a_linear_layer_gives_the_formula(sizes, dtype):
    n, i, o = sizes
    x, w, b, g = (rng.standard_normal(s).astype(dtype) for s in ((n, i), (o, i), o, (n, o)))
    tensors = [Tensor(a, requires_grad=True) for a in (x, w, b)]
    out = linear(*tensors)
    out.backward(g)
    tolerance = 1e-12 if dtype is np.float64 else 1e-4
    for got, expected in zip(
        (out, *(t.grad for t in tensors)), (x @ w.T + b, g @ w, g.T @ x, g.sum(0)), strict=True
    ):
        assert got.dtype == dtype
        np.testing.assert_allclose(got.data, expected, rtol=tolerance, atol=tolerance * 10)


def test_a_number_that_is_kept_cannot_be_changed_and_has_the_dtype_that_was_asked_for():
    half = constant(0.5, np.dtype(np.float32))
    assert half.dtype == np.float32 and half.shape == () and half == 0.5
    with pytest.raises(ValueError, match="read-only"):
        half[...] = 1
    assert constant(0.5, np.dtype(float)).dtype == float


def test_the_gradient_that_starts_a_walk_is_nobodys_to_change():
    x = Tensor(2.0, requires_grad=True)
    for _ in range(3):  # the start is passed on as it is
        y = x + 1.0
        y.backward()
        x.grad.data[...] += 10
        x.zero_grad()
    (x * 3.0).backward()
    assert x.grad.item() == 3


def test_a_rate_may_be_any_number_and_may_change():
    p = Tensor([1.0], requires_grad=True)
    optimizer = SGD([p], lr=1)
    for rate in (1, 0.5, np.float32(0.25), np.array(0.125)):
        before = p.data.copy()
        optimizer.lr = rate
        optimizer.zero_grad()
        p.sum().backward()
        optimizer.step()
        np.testing.assert_allclose(before - p.data, float(rate))


# -- borders of these paths ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("gelu_tanh", lambda x: gelu(x, approximate="tanh")),
        ("max_pool2d", lambda x: max_pool2d(x, 2)),
        ("max_pool2d", lambda x: max_pool2d(x, 3, 2, 1)),
    ],
)
def test_a_result_that_backward_reads_may_not_be_changed_in_place(name, make):
    x = Tensor(rng.standard_normal((1, 1, 6, 6)), requires_grad=True)
    y = make(x)
    with no_grad():
        y *= 2
    with pytest.raises(
        RuntimeError, match=rf"'{name}' saved its result, of shape \(1, 1, .*changed in place"
    ):
        y.sum().backward()


@pytest.mark.parametrize(
    "make",
    [lambda x: linear(x, Tensor(np.ones((5, 6)))), lambda x: gelu(x * 1.0), lambda x: layer_norm(x, 6)],
)
def test_a_result_that_backward_does_not_read_may_be_multiplied_in_place(make):
    x = Tensor(rng.standard_normal((2, 3, 6)), requires_grad=True)
    (make(x) * 3.0).sum().backward()
    expected = x.grad.data.copy()
    x.zero_grad()
    y = make(x)
    y *= 3.0
    y.sum().backward()
    np.testing.assert_allclose(x.grad.data, expected, rtol=1e-12)


def test_minus_zero_is_not_kept_for_zero():
    constant.cache_clear()
    p = Tensor(np.ones(2), requires_grad=True)
    (mse_loss(p, Tensor(np.zeros(2))) * -0.0).backward()
    assert not np.signbit(Tensor([-1.0, 2.0]).relu().data).any()


def test_a_leaf_keeps_its_numbers_for_the_graph():
    y = Tensor(np.full(SHAPE, 2.0), requires_grad=True).exp()
    np.testing.assert_array_equal(y.grad_fn.parents[0].data, np.full(SHAPE, 2.0))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.uint64])
def test_indices_of_any_integer_dtype_scatter_into_a_long_axis(dtype):
    x = Tensor(np.zeros(300), requires_grad=True)
    x[np.array([1, 2, 1], dtype)].sum().backward()
    np.testing.assert_array_equal(x.grad.data[:4], [0, 2, 1, 0])


@pytest.mark.parametrize("shape", [(3,), (1,), (), (1, 3), (4, 3), (4, 1)])
def test_a_bias_of_any_shape_that_fits_gets_its_gradient(shape):
    x, w = (Tensor(rng.standard_normal(s), requires_grad=True) for s in ((4, 2), (3, 2)))
    b, g = Tensor(rng.standard_normal(shape), requires_grad=True), rng.standard_normal((4, 3))
    linear(x, w, b).backward(g)
    again = Tensor(b.data, requires_grad=True)
    (ops.matmul(x.detach(), ops.transpose(w.detach())) + again).backward(g)
    assert b.grad.shape == shape
    np.testing.assert_allclose(b.grad.data, again.grad.data, rtol=1e-12)


def test_a_loss_of_nothing_has_a_gradient_of_nothing_and_bools_stay_what_they_were():
    p = Tensor(np.zeros(0), requires_grad=True)
    with np.errstate(all="ignore"):
        mse_loss(p, Tensor(np.zeros(0))).backward()
    assert p.grad.shape == (0,)
    assert Tensor([True, False]).relu().dtype == np.int64


def test_a_place_for_a_gradient_is_no_gradient_and_goes_with_the_array_that_it_fits():
    p = Tensor([[1.0, 2.0]], requires_grad=True)
    optimizer = SGD([p], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        assert p.grad is None and ", grad=" not in repr(p) and copy.copy(p).grad is None
        linear(Tensor([[1.0, 1.0]]), p).sum().backward()
        optimizer.step()
    optimizer.zero_grad()
    p.data = np.ones((3, 2))
    linear(Tensor([[1.0, 1.0]]), p).sum().backward()
    assert p.grad.shape == (3, 2)
    p.data = np.ones((1, 2), np.float32)
    optimizer.zero_grad()
    linear(Tensor(np.ones((1, 2), np.float32)), p).sum().backward()
    assert p.grad.dtype == np.float32


def test_gradients_that_are_asked_for_do_not_use_the_place_of_the_parameters_own():
    p = Tensor([[1.0, 2.0]], requires_grad=True)
    optimizer = SGD([p], lr=0.0)
    x = Tensor([[3.0, 4.0]])
    for _ in range(3):
        optimizer.zero_grad()
        linear(x, p).sum().backward()
        optimizer.step()
    optimizer.zero_grad()
    y = linear(x, p).sum() + linear(x * 2.0, p).sum() + (p * p).sum()
    (first,) = core.sweep.backward(y, np.ones(()), retain_graph=True, inputs=[p])
    y.backward()
    np.testing.assert_array_equal(first, [[11.0, 16.0]])
    np.testing.assert_array_equal(p.grad.data, [[11.0, 16.0]])
