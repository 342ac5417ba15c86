"""What is settled once for a shape serves that shape alone, and gives what the plain way gives."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_ref import Tensor, core, no_grad, ops
from autograd_ref.transforms import grad

if core.fast is not None:
    from autograd_ref.fast.settled import MOST, forget

rng = np.random.default_rng(0)
pytestmark = pytest.mark.skipif(core.fast is None, reason="the plain engine settles nothing")

CALLS = {
    "sum of rows": lambda x: x.sum(1),
    "sum of rows, kept": lambda x: x.sum(1, keepdims=True),
    "sum of columns": lambda x: x.sum(0),
    "sum of all": lambda x: x.sum(),
    "mean of rows": lambda x: x.mean(-1),
    "mean by a list of axes": lambda x: x.mean([0, 1]),
    "largest of rows": lambda x: x.max(1),
    "largest of rows, kept": lambda x: x.max(1, keepdims=True),
    "smallest of columns": lambda x: x.min(0),
    "another shape": lambda x: x.reshape(-1),
    "axes in another order": lambda x: x.permute(1, 0),
    "transposed": lambda x: x.T,
}


def plainly(call, array):
    """The result and the gradient as an operation gives them that has not met anything before."""
    forget()
    return with_gradient(call, array)


def with_gradient(call, array):
    x = Tensor(array, requires_grad=True)
    out = call(x)
    out.backward(np.arange(1.0, out.size + 1).reshape(out.shape).astype(array.dtype))
    return out.data, x.grad.data


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (1, 4), (4, 1), (70, 40)])
def test_the_second_time_gives_the_bits_of_the_first(name, dtype, shape):
    arrays = [rng.standard_normal(shape).astype(dtype) for _ in range(3)]
    arrays[1][0] = arrays[1][0, 0]  # equal ones
    arrays[2][-1, -1] = np.nan
    arrays += [np.asfortranarray(a) for a in arrays]
    expected = [plainly(CALLS[name], a) for a in arrays]
    for array, (value, gradient) in zip(arrays, expected, strict=True):
        again, its_gradient = with_gradient(CALLS[name], array)
        assert again.dtype == value.dtype
        np.testing.assert_array_equal(again, value)
        np.testing.assert_array_equal(its_gradient, gradient)


def test_shapes_dtypes_and_options_are_told_apart():
    a = rng.standard_normal((4, 6))
    for _ in range(2):
        for array in (a, a.T, a[:2], a.astype(np.float32), a[None]):
            for axis in (0, 1, None):
                for kept in (False, True):
                    got = ops.sum(Tensor(array, requires_grad=True), axis, kept)
                    np.testing.assert_allclose(got.data, array.sum(axis, keepdims=kept), rtol=1e-5)
                    assert got.shape == array.sum(axis, keepdims=kept).shape and got.dtype == array.dtype


def test_a_gradient_of_a_settled_operation_can_be_differentiated():
    def f(x):
        return (x.reshape(2, 3).max(1) * x.sum() * x.mean()).sum()

    x = np.array([1.0, 3.0, 2.0, -1.0, 0.5, 4.0])
    with_gradient(f, x)
    once = grad(lambda x: (grad(f)(x) * np.arange(6.0)).sum())
    forget()
    first = once(x)
    np.testing.assert_array_equal(once(x).data, first.data)


def test_without_recording_nothing_is_recorded():
    x = Tensor(rng.standard_normal((4, 3)), requires_grad=True)
    x.sum(1), x.sum(1)
    with no_grad():
        assert not x.sum(1).requires_grad
    assert not Tensor(x.data).sum(1).requires_grad


def test_a_view_that_was_settled_is_still_a_view():
    for _ in range(2):
        x = Tensor(np.arange(6.0), requires_grad=True)
        y = x * 1.0
        v = y.reshape(2, 3)
        y *= 2
        v.sum().backward()
        np.testing.assert_array_equal(x.grad.data, np.full(6, 2.0))


def test_no_more_is_remembered_than_is_useful():
    known = ops.sum.known
    for n in range(1, MOST + 10):
        Tensor(np.ones(n), requires_grad=True).sum()
        assert len(known) <= MOST
    assert known


def test_an_axis_that_is_not_there_is_refused_each_time():
    x = Tensor(np.ones((2, 3)), requires_grad=True)
    for _ in range(2):
        with pytest.raises(ValueError, match="axis 2 does not exist"):
            x.sum(2)
