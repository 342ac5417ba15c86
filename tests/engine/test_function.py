"""Operations of one's own: `Function`, in PyTorch's form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_ref import Function, Tensor, detect_anomaly, grad, jvp, no_grad, ops, vjp
from autograd_ref.gradcheck import GradcheckError, gradcheck, gradgradcheck
from autograd_ref.rulecheck import first_wrong

torch = pytest.importorskip("torch")

X = np.array([[0.5, -1.5, 2.0], [0.25, 1.0, -0.75]])


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class Exp(Function):
    """Saves its result."""

    @staticmethod
    def forward(ctx, x):
        out = ops.exp(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        return g * out


class Scaled(Function):
    """Two tensors and a number; the gradients are in a tuple."""

    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.save_for_backward(y, x)
        ctx.factor = factor
        return x * y * factor

    @staticmethod
    def backward(ctx, g):
        y, x = ctx.saved_tensors
        return g * y * ctx.factor, None, g * x * ctx.factor if ctx.needs_input_grad[2] else None


class ByArrays(Function):
    """A gradient by NumPy alone: right, and not to be differentiated."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.sin(x.data)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return Tensor(g.data * np.cos(x.data))


class Wrong(Cube):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x * x


@pytest.mark.parametrize("f", [Cube.apply, Exp.apply, lambda x: Scaled.apply(x, 2.5, ops.sin(x))])
def test_a_function_is_checked_in_both_modes_and_both_orders(f):
    assert gradcheck(f, X)
    assert gradgradcheck(f, X)
    assert gradcheck(lambda x: ops.tanh(f(x * 0.5)) * f(x), X)


def test_a_function_of_several_arguments_gives_each_its_gradient():
    y = X[::-1].copy()
    f = lambda a, b: Scaled.apply(a, -0.5, b)  # noqa: E731
    assert gradcheck(f, X, y)
    assert gradgradcheck(f, X, y)
    x, t = Tensor(X, requires_grad=True), Tensor(y)
    f(x, t).sum().backward()
    np.testing.assert_allclose(x.grad.data, -0.5 * y)
    assert t.grad is None
    assert Scaled.apply(Tensor(X), 2.0, t).requires_grad is False


def test_a_wrong_gradient_is_found_by_gradcheck_and_by_rulecheck():
    with pytest.raises(GradcheckError):
        gradcheck(Wrong.apply, X)
    x = Tensor(X, requires_grad=True)
    wrong = first_wrong(Wrong.apply(ops.sin(x)).sum())
    assert (wrong.operation, wrong.position) == ("Wrong", 2)
    for right in (Cube, Exp, ByArrays):
        assert first_wrong(right.apply(ops.sin(x)).sum()) is None


def test_pytorchs_functions_of_the_same_text_give_the_same_gradients():
    class Theirs(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            ctx.save_for_backward(y, x)
            ctx.factor = factor
            return x * y * factor

        backward = Scaled.backward

    x, p = Tensor(X, requires_grad=True), torch.tensor(X, requires_grad=True)
    for t, apply in ((x, Scaled.apply), (p, Theirs.apply)):
        y = apply(t, 3.0, t * t)
        (apply(y, 0.5, t) + y).sum().backward()
    np.testing.assert_allclose(x.grad.data, p.grad.numpy())


def test_a_gradient_by_arrays_is_right_and_refuses_forward_mode():
    assert gradcheck(ByArrays.apply, X, forward=False)
    with pytest.raises(RuntimeError, match="not made of operations"):
        jvp(ByArrays.apply, (X,), (X,))


def test_transforms_pass_a_function():
    assert grad(grad(Cube.apply))(2.0).item() == 12.0
    out, tangent = jvp(Exp.apply, (X,), (np.ones_like(X),))
    np.testing.assert_allclose(tangent.data, np.exp(X))
    _, pull = vjp(lambda a: Scaled.apply(a, 2.0, a), X)
    np.testing.assert_allclose(pull(np.ones_like(X))[0].data, 4 * X)
    assert out.shape == X.shape


def test_a_saved_value_that_is_changed_is_noticed():
    x = Tensor(X.copy(), requires_grad=True)
    y = x * 1.0
    z = Cube.apply(y)
    with no_grad():
        y += 1
    with pytest.raises(RuntimeError, match=r"'Cube' saved its argument number 1.*later changed in place"):
        z.sum().backward()
    out = Exp.apply(x)
    with no_grad():
        out *= 2
    with pytest.raises(RuntimeError, match=r"'Exp' saved its result"):
        out.sum().backward()

    class Between(Function):
        @staticmethod
        def forward(ctx, x, keep):
            middle = x * x
            keep.append(middle)
            ctx.save_for_backward(middle)
            return middle * x

        @staticmethod
        def backward(ctx, g):
            (middle,) = ctx.saved_tensors
            return g * 3 * middle, None

    kept: list[Any] = []
    y = Between.apply(x, kept)
    y.sum().backward(retain_graph=True)
    np.testing.assert_allclose(x.grad.data, 3 * X**2)
    kept[0][...] = 0.0
    with pytest.raises(RuntimeError, match="'Between' saved its tensor of save_for_backward"):
        y.sum().backward()


def test_the_graph_of_a_function_is_used_once():
    y = Cube.apply(Tensor(X, requires_grad=True)).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="already used"):
        y.backward()


def test_a_function_that_returns_its_argument_has_a_result_of_its_own():
    class Reversed(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return -g

    x = Tensor(X, requires_grad=True)
    y = Reversed.apply(x)
    assert y is not x
    assert not np.shares_memory(y.data, x.data)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, -np.ones_like(X))


def function(forward: Any, backward: Any) -> type[Function]:
    return type("Odd", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def test_gradients_that_do_not_fit_are_refused_with_a_sentence():
    x = Tensor(X, requires_grad=True)
    twice = function(lambda ctx, x: x * 2, lambda ctx, g: (g, g))
    with pytest.raises(TypeError, match=r"Odd\.backward returned 2 gradients for 1 arguments"):
        twice.apply(x).sum().backward()
    small = function(lambda ctx, x: x * 2, lambda ctx, g: g[0])
    with pytest.raises(ValueError, match=r"gradient of shape \(3,\) for an argument of \(2, 3\)"):
        small.apply(x).sum().backward()
    with pytest.raises(TypeError, match="returns one tensor, not 2"):
        function(lambda ctx, x: (x, x), None).apply(x)
    with pytest.raises(TypeError, match="keeps tensors, not float"):
        function(lambda ctx, x: ctx.save_for_backward(1.0), None).apply(x)
    for missing in (Function, type("Half", (Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})):
        with pytest.raises(NotImplementedError, match="needs a static method"):
            missing.apply(x).sum().backward()


def test_gradients_that_can_be_made_fit_are():
    row = Tensor(X[:1].copy(), requires_grad=True)
    added = function(lambda ctx, a, b: a + b, lambda ctx, g: (g, g))
    added.apply(row, Tensor(X)).sum().backward()
    assert row.grad.tolist() == [[2, 2, 2]]
    single = Tensor(X.astype(np.float32), requires_grad=True)
    function(lambda ctx, x: x.double(), lambda ctx, g: g).apply(single).sum().backward()
    assert single.grad.dtype == np.float32
    x = Tensor(X, requires_grad=True)
    function(lambda ctx, x: x * 2, lambda ctx, g: None).apply(x).sum().backward()
    assert not x.grad.data.any()


def test_anomaly_mode_looks_at_functions_too():
    x = Tensor(X, requires_grad=True)
    infinite = function(lambda ctx, x: x.data * np.inf, lambda ctx, g: g)
    with (
        np.errstate(all="ignore"),
        detect_anomaly(),
        pytest.raises(FloatingPointError, match="'Odd' produced"),
    ):
        infinite.apply(x)
    nan = function(lambda ctx, x: x * 2, lambda ctx, g: g.data * np.nan)
    with (
        np.errstate(all="ignore"),
        detect_anomaly(),
        pytest.raises(FloatingPointError, match="of 'Odd' produced"),
    ):
        nan.apply(x).sum().backward()
