"""Every primitive of the table against PyTorch and against numbers, in both orders and both precisions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograd_ref.functional  # noqa: F401  (its fused operations then stand in the table)
from autograd_ref import Tensor, no_grad, ops
from autograd_ref.core.primitive import TABLE
from autograd_ref.functional.fused import Fused
from autograd_ref.gradcheck import gradcheck, gradgradcheck

from .cases import CASES, Case

ALL = [
    pytest.param(case, id=f"{name}-{i}")
    for name in sorted(CASES)
    if name not in ("scatter", "scatter_along")
    for i, case in enumerate(CASES[name])
]
#: The cast goes to float64, so there is nothing to compare in float32.
IN_BOTH_DTYPES = [
    pytest.param(*param.values, dtype, id=f"{param.id}-{dtype}")
    for param in ALL
    for dtype in ("float64", "float32")
    if not (dtype == "float32" and str(param.id).startswith("cast-"))
]
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def plain(a):
    return a


def strided(a):
    """The same values with gaps between them."""
    wide = np.full((*a.shape, 2), np.nan, a.dtype)
    wide[..., 0] = a
    return wide[..., 0]


def reversed_(a):
    """The same values behind negative strides, in column order."""
    if not a.ndim:
        return a
    back = (slice(None, None, -1),) * a.ndim
    return np.asfortranarray(a[back])[back]


def agree(ours, theirs, dtype, what):
    ours = np.asarray(ours)
    theirs = np.zeros_like(ours) if theirs is None else theirs.detach().numpy(force=True)
    assert ours.shape == theirs.shape, what
    assert ours.dtype == dtype, f"{what} is {ours.dtype}"
    finite = theirs[np.isfinite(theirs)]
    scale = max(1.0, float(np.abs(finite).max())) if finite.size else 1.0
    np.testing.assert_allclose(
        ours, theirs, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale, err_msg=what
    )


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def test_every_primitive_of_the_table_has_cases():
    assert set(TABLE) == set(CASES)


@pytest.mark.parametrize("layout", [plain, strided, reversed_])
@pytest.mark.parametrize(("case", "dtype"), IN_BOTH_DTYPES)
def test_values_and_both_gradients_equal_pytorch(case: Case, dtype, layout):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    arrays = [a.astype(dtype) for a in case.args]
    xs = [Tensor(layout(a), requires_grad=True) for a in arrays]
    ys = [torch.tensor(a, requires_grad=True) for a in arrays]
    ours, theirs = case.ours(*xs), case.torch(*ys)
    agree(ours.data, theirs, dtype, "value")
    u = rng.standard_normal(ours.shape).astype(dtype)
    first = torch.autograd.grad(theirs, ys, torch.tensor(u), create_graph=True, allow_unused=True)
    ours.backward(u, retain_graph=True)
    for i, (x, g) in enumerate(zip(xs, first, strict=True)):
        agree(x.grad.data, g, dtype, f"gradient of argument {i}")
        x.grad = None
    if not case.second:
        return
    ours.backward(u, create_graph=True)
    grads = [x.grad for x in xs]
    vs = [rng.standard_normal(a.shape).astype(dtype) for a in arrays]
    total, torch_total = 0.0, 0.0
    for g, h, v in zip(grads, first, vs, strict=True):
        total = total + (g * v).sum()
        torch_total = torch_total + (h * torch.tensor(v)).sum() if h is not None else torch_total
    for x in xs:
        x.grad = None
    second = [None] * len(ys)
    if isinstance(torch_total, torch.Tensor) and torch_total.requires_grad:
        second = torch.autograd.grad(torch_total, ys, allow_unused=True)
    if total.requires_grad:
        total.backward()
    for i, (x, g) in enumerate(zip(xs, second, strict=True)):
        got = np.zeros(x.shape, dtype) if x.grad is None else x.grad.data
        agree(got, g, dtype, f"second gradient of argument {i}")


@pytest.mark.parametrize("case", [c for c in ALL if c.values[0].smooth])
def test_forward_reverse_and_numerical_derivatives_agree(case: Case):
    assert gradcheck(case.ours, *case.args)
    assert gradgradcheck(case.ours, *case.args, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("case", ALL)
def test_forward_mode_is_the_transpose_of_reverse_mode(case: Case):
    """<u, J v> = <J' u, v> to the last digits, also at ties and borders."""
    from autograd_ref.transforms import jvp, vjp

    rng = np.random.default_rng(2)
    vs = [rng.standard_normal(a.shape) for a in case.args]
    out, pull = vjp(case.ours, *case.args)
    u = rng.standard_normal(out.shape)
    left = np.vdot(u, jvp(case.ours, case.args, tuple(vs))[1].data)
    right = sum(np.vdot(g.data, v) for g, v in zip(pull(u), vs, strict=True))
    np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("case", ALL)
def test_an_operation_gives_plain_arrays_what_it_gives_tensors(case: Case):
    with no_grad():
        on_tensors = case.ours(*[Tensor(a) for a in case.args])
    assert not on_tensors.requires_grad
    recorded = case.ours(*[Tensor(a, requires_grad=True) for a in case.args])
    np.testing.assert_array_equal(on_tensors.data, recorded.data)


@pytest.mark.parametrize("name", sorted(n for n, p in TABLE.items() if hasattr(p, "definition")))
def test_a_fused_operation_equals_its_definition(name, monkeypatch):
    primitive, usual, used = TABLE[name], Fused.__call__, []

    def defined_call(self, *args, **params):
        if self is not primitive:
            return usual(self, *args, **params)
        used.append(name)
        return self.definition(*args, **params)

    def run(case):
        tensors = [Tensor(a, requires_grad=True) for a in case.args]
        out = case.ours(*tensors)
        out.backward(np.linspace(1, 2, out.size).reshape(out.shape))
        return out.data, *[t.grad.data if t.grad is not None else np.zeros(()) for t in tensors]

    for case in CASES[name]:
        fused = run(case)
        with monkeypatch.context() as patched:
            patched.setattr(Fused, "__call__", defined_call)
            defined = run(case)
        for got, expected in zip(fused, defined, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)
    assert used


@pytest.mark.parametrize("x", [2, 2.0, np.float64(2), np.float32(2), np.array(2.0), np.array([2.0, 3.0])])
def test_operators_take_numbers_scalars_and_arrays_on_either_side(x):
    a = Tensor(np.array([1.0, 4.0], np.float32), requires_grad=True)
    expected_dtype = np.float64 if np.ndim(x) else np.float32
    for f in (
        lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p / q, lambda p, q: p**q,
        ops.maximum, ops.minimum,
    ):  # fmt: skip
        for out, want in ((f(a, x), f(a.data, x)), (f(x, a), f(x, a.data))):
            np.testing.assert_allclose(out.data, want, rtol=1e-6)
            assert out.dtype == expected_dtype
            out.sum().backward()
            assert a.grad.dtype == np.float32


@pytest.mark.parametrize("case", ALL)
def test_a_value_that_is_changed_before_backward_is_noticed_or_does_not_matter(case):
    def run(change=None):
        tensors = [Tensor(a.copy(), requires_grad=True) for a in case.args]
        out = case.ours(*tensors)
        out = out[0] if isinstance(out, list | tuple) else out
        if out.grad_fn is None:
            return []
        if change is not None:
            changed = out if change == len(tensors) else tensors[change]
            if changed.data.flags.writeable:  # what was broadcast is not
                changed.data[...] = changed.data * 1.3 + 0.7
                changed.mark_changed()
        out.backward(np.linspace(1, 2, out.size).reshape(out.shape))
        return [t.grad.data if t.grad is not None else np.zeros(()) for t in tensors]

    expected = run()
    for place in range(len(case.args) + 1):
        try:
            got = run(place)
        except RuntimeError as error:
            if "later changed in place" not in str(error):
                raise
            continue
        for ours, before in zip(got, expected, strict=True):
            np.testing.assert_array_equal(ours, before)
