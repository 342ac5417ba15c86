"""grad, vjp, jvp, jacobian, hessian, hvp and the gradient checkers."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_ref import Tensor, no_grad, ops
from autograd_ref.gradcheck import GradcheckError, gradcheck, gradgradcheck
from autograd_ref.rules.elementwise import sin
from autograd_ref.transforms import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

A = np.random.default_rng(5).standard_normal((3, 3))


def bowl(x):
    return (ops.tanh(A @ x) * x).sum() + (x**3).sum()


X = np.array([0.3, -0.8, 1.2])


def test_grad_nests_to_any_order():
    f = ops.exp
    for _ in range(4):
        f = grad(f)
    assert f(0.5).item() == pytest.approx(np.exp(0.5), rel=1e-14)


def test_grad_with_respect_to_several_arguments():
    value, (dx, dy) = value_and_grad(lambda x, y: (x * y).sum(), (0, 1))([1.0, 2.0], [3.0, 4.0])
    assert value.item() == 11.0
    np.testing.assert_array_equal(dx.data, [3, 4])
    np.testing.assert_array_equal(dy.data, [1, 2])


def test_hessian_is_the_jacobian_of_the_gradient_and_hvp_multiplies_with_it():
    v = np.array([1.0, -2.0, 0.5])
    h = hessian(bowl)(X)
    np.testing.assert_allclose(h.data, h.data.T, atol=1e-12)
    np.testing.assert_allclose(hvp(bowl, X, v).data, h.data @ v, rtol=1e-12)
    step = 1e-5
    numeric = (grad(bowl)(X + step * v).data - grad(bowl)(X - step * v).data) / (2 * step)
    np.testing.assert_allclose(h.data @ v, numeric, rtol=1e-6)


def test_jacobian_agrees_with_forward_and_reverse_mode():
    f = lambda x: ops.sin(A @ x) * x.sum()  # noqa: E731
    j = jacobian(f)(X).data
    v, u = np.random.default_rng(6).standard_normal((2, 3))
    np.testing.assert_allclose(jvp(f, (X,), (v,))[1].data, j @ v, rtol=1e-12)
    np.testing.assert_allclose(vjp(f, X)[1](u)[0].data, j.T @ u, rtol=1e-12)


def test_transforms_do_not_touch_grad_nor_the_graph_outside():
    w = Tensor(X, requires_grad=True)
    grad(lambda x: (x * w).sum())(X)
    assert w.grad is None


def test_transforms_are_differentiable_with_respect_to_what_they_close_over():
    """A meta-gradient: d/dw of the slope of x -> w x^2 at 3 is 6."""
    assert grad(lambda w: grad(lambda x: w * x**2)(Tensor(3.0)))(2.0).item() == 6.0
    assert grad(lambda w: jvp(lambda x: w * x**2, (Tensor(3.0),), (Tensor(1.0),))[1])(2.0).item() == 6.0


def test_an_argument_that_does_not_matter_has_a_gradient_of_zeros():
    assert grad(lambda x, y: x * x, 1)(1.0, 2.0).item() == 0.0
    np.testing.assert_array_equal(jvp(lambda x: Tensor([1.0, 2.0]), (1.0,), (1.0,))[1].data, [0, 0])


def test_transforms_work_inside_no_grad():
    with no_grad():
        assert grad(lambda x: x**3)(2.0).item() == 12.0


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f, t: grad(f)(t),
        lambda f, t: vjp(f, t)[1](1.0)[0],
        lambda f, t: jvp(f, (t,), ([1.0, 1.0],))[1],
    ],
    ids=["grad", "vjp", "jvp"],
)
def test_a_derivative_that_reads_a_freed_graph_is_no_constant(derivative):
    """It needs a gradient that nobody can give any more: in silence that would be a wrong one."""
    w = Tensor([2.0, 3.0], requires_grad=True)
    h = w * w
    h.sum().backward()
    slope = derivative(lambda t: (t * h).sum(), [1.0, 1.0])
    assert slope.requires_grad
    with pytest.raises(RuntimeError, match="This graph was already used"):
        (slope * w).sum().backward()


def test_grad_of_many_numbers_says_to_use_jacobian():
    with pytest.raises(ValueError, match=r"\(3,\).*jacobian"):
        grad(lambda x: x * 2)(X)


def test_gradcheck_finds_a_wrong_rule_and_names_the_numbers(monkeypatch):
    monkeypatch.setattr(sin, "vjps", (lambda g, ans, x: g,))
    with pytest.raises(GradcheckError, match="finite differences"):
        gradcheck(lambda x: ops.sin(x), X)


def test_gradgradcheck_finds_a_rule_that_forgets_how_it_depends_on_its_argument(monkeypatch):
    monkeypatch.setattr(sin, "vjps", (lambda g, ans, x: g * np.cos(x.data if isinstance(x, Tensor) else x),))
    assert gradcheck(ops.sin, X, forward=False)
    with pytest.raises(GradcheckError):
        gradgradcheck(ops.sin, X, forward=False)


def test_a_recorded_gradient_refuses_when_what_it_read_was_changed():
    """`vjp` and `create_graph` record the rules: what those save is watched like what the operation itself saved."""
    x, z = Tensor([2.0, 3.0]), Tensor([1.0, 5.0], requires_grad=True)
    g = vjp(lambda t: t * t, x)[1](z)[0]
    x[...].copy_(Tensor([7.0, 7.0]))
    with pytest.raises(RuntimeError, match="changed in place"):
        g.sum().backward()
