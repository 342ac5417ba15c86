"""Who shares memory with whom: views of what changes, one stamp for one memory, gradients of their own."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest

from autograd_ref import Tensor, no_grad, ops
from autograd_ref import functional as F
from autograd_ref.transforms import grad, hessian, jvp, value_and_grad, vjp

CHANGED = "later changed in place"


def leaf(*values: float) -> Tensor:
    return Tensor(np.array(values), requires_grad=True)


# -- views of a base that changes -----------------------------------------------------------------------------------

VIEWS = {
    "index": lambda y: y[0],
    "slice": lambda y: y[:, 1:],
    "reshape": lambda y: y.reshape(-1),
    "transpose": lambda y: y.T,
    "broadcast": lambda y: y.broadcast_to(4, 2, 3),
    "of a view": lambda y: y.T[1:].reshape(2, 2).T,
}
CHANGES = {
    "multiplied": lambda y: y.mul_(2.0),
    "assigned": lambda y: y.__setitem__((0, slice(0, 2)), 5.0),
    "copied": lambda y: y.copy_(leaf(1.0, 2.0, 3.0) * 2),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_follows_a_recorded_change_of_its_base(view, change):
    x = Tensor(np.arange(6.0).reshape(2, 3) + 1, requires_grad=True)
    y = x * 1.0
    v = VIEWS[view](y)
    CHANGES[change](y)
    weights = np.linspace(1, 2, v.size).reshape(v.shape)
    (v * weights).sum().backward()
    again = x.detach().requires_grad_()
    y = again * 1.0
    CHANGES[change](y)
    v = VIEWS[view](y)
    (v * weights).sum().backward()
    expected = np.zeros((2, 3)) if again.grad is None else again.grad.data
    np.testing.assert_array_equal(np.zeros((2, 3)) if x.grad is None else x.grad.data, expected)


def test_a_view_of_what_had_no_gradient_gets_one_when_its_base_does():
    x, y = leaf(1.0, 2.0, 3.0), Tensor(np.zeros(3))
    v = y[1:]
    assert not v.requires_grad
    y += x
    (v * v).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [0.0, 4.0, 6.0])


def test_a_view_that_was_used_before_the_change_keeps_its_gradient_and_both_uses_add():
    x = leaf(1.0, 2.0)
    y = x * 1.0
    v = y[:1]
    before = v * 10.0
    y *= 2.0
    (before.sum() + (v * 3.0).sum()).backward()
    np.testing.assert_array_equal(x.grad.data, [16.0, 0.0])


def test_what_a_rule_saved_of_a_view_is_refused_after_the_change():
    y = leaf(1.0, 2.0) * 1.0
    v = y[:1]
    square = v * v
    y *= 2.0
    with pytest.raises(RuntimeError, match=CHANGED):
        square.sum().backward()


@pytest.mark.parametrize("make", [lambda y: y[:1].detach(), lambda y: y.detach()[:1]])
def test_a_detached_view_stays_outside_of_the_graph(make):
    y = leaf(1.0, 2.0) * 1.0
    v = make(y)
    y *= 2.0
    assert v.item() == 2.0 and not v.requires_grad


@pytest.mark.parametrize("recorded", [True, False])
def test_a_recorded_change_of_a_view_is_refused_in_a_sentence(recorded):
    x = leaf(1.0, 2.0)
    y = x * 1.0
    if recorded:
        v = y[:1]
    else:
        with no_grad():
            v = y[:1]
    with pytest.raises(RuntimeError, match=r"is a view: clone\(\) it first"):
        v *= x[:1]
    np.testing.assert_array_equal(y.data, [1.0, 2.0])


def test_a_result_that_numpy_made_as_a_view_may_be_changed():
    image, kernel = Tensor(np.ones((1, 1, 3, 3)), requires_grad=True), Tensor(np.ones((2, 1, 2, 2)))
    y = F.conv2d(image, kernel)
    y *= 2.0
    y.sum().backward()
    assert image.grad.data[0, 0, 1, 1] == 16.0
    own = Tensor(np.arange(6.0).reshape(2, 3))
    own += leaf(1.0, 2.0, 3.0)
    assert own.requires_grad


def test_views_leave_nothing_behind_when_they_are_gone():
    w = leaf(1.0, 2.0)
    gc.disable()
    try:
        for _ in range(100):
            (w[:1] * 2).sum().backward()
        assert len(w._stamp) == 1
    finally:
        gc.enable()


# -- indices and conditions -----------------------------------------------------------------------------------------

INDEXED = {
    "getitem": (lambda x, i: x[i], "index"),
    "tuple": (lambda x, i: x.reshape(1, 4)[0, i], "index"),
    "take": (lambda x, i: x.take(i), "index"),
    "gather": (lambda x, i: x.gather(0, i), "index"),
    "embedding": (lambda x, i: F.embedding(i, x.reshape(4, 1)), "index"),
    "assigned": (lambda x, i: ops.set_item(x, i, 0.0), "index"),
    "where": (lambda x, i: ops.where(i, x[:2], 0.0), "condition"),
}


@pytest.mark.parametrize("name", INDEXED)
def test_an_index_that_changed_in_place_is_an_error(name):
    use, what = INDEXED[name]
    x, i = leaf(1.0, 2.0, 3.0, 4.0), Tensor(np.array([0, 1]) > 0 if what == "condition" else np.array([0, 2]))
    y = use(x, i)
    i[0] = 1
    with pytest.raises(RuntimeError, match=rf"saved its {what} for its gradient.*{CHANGED}"):
        y.sum().backward()


@pytest.mark.parametrize("name", INDEXED)
def test_an_array_used_as_an_index_may_change_afterwards(name):
    use, what = INDEXED[name]
    i = np.array([0, 1]) > 0 if what == "condition" else np.array([0, 2])
    x, again = leaf(1.0, 2.0, 3.0, 4.0), leaf(1.0, 2.0, 3.0, 4.0)
    use(again, i.copy()).sum().backward()
    y = use(x, i)
    i[0] = 1
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, again.grad.data)


# -- one stamp for one memory ---------------------------------------------------------------------------------------

TWINS = {
    "Tensor": Tensor,
    "detach": Tensor.detach,
    "data": lambda t: Tensor(t.data),
    "numpy": lambda t: Tensor(t.detach().numpy()),
    "part of data": lambda t: Tensor(t.data[:1]),
    "astensor": lambda t: ops.astensor(t.detach()),
}


@pytest.mark.parametrize("twin", TWINS)
def test_a_change_through_another_tensor_of_the_same_memory_is_seen(twin):
    x = leaf(1.0, 2.0)
    other = TWINS[twin](x)
    y = x * x
    other[0] = 7.0
    assert x.data[0] == 7.0
    with pytest.raises(RuntimeError, match=CHANGED):
        y.sum().backward()


def test_two_tensors_of_one_array_see_each_others_changes():
    a = np.array([1.0, 2.0])
    x, other = Tensor(a, requires_grad=True), Tensor(a)
    y = x * x
    other[0] = 7.0
    with pytest.raises(RuntimeError, match=CHANGED):
        y.sum().backward()


def test_data_that_was_given_to_two_tensors_is_one_memory():
    x, other = leaf(1.0, 2.0), Tensor([0.0, 0.0])
    other.data = x.data
    y = x * x
    other.data -= 1.0
    with pytest.raises(RuntimeError, match=CHANGED):
        y.sum().backward()


def test_a_copy_has_a_memory_of_its_own():
    x = leaf(1.0, 2.0)
    y = x * x
    for other in (Tensor(x.data.copy()), x.detach().clone(), copy.deepcopy(x), Tensor(x, dtype=np.float32)):
        with no_grad():
            other[0] = 7.0
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 4.0])


# -- gradients share memory with nothing ----------------------------------------------------------------------------


def _shares(a: Tensor, b: Tensor) -> bool:
    return a is b or np.shares_memory(a.data, b.data)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a + b, lambda a, b: a, lambda a, b: a.reshape(2, 1) + b.reshape(2, 1),
        lambda a, b: a.sum() + b.sum(), lambda a, b: a * b, lambda a, b: a.clone() + b.T,
    ],
)  # fmt: skip
def test_no_two_gradients_share_memory_and_none_with_an_input_or_the_seed(f, create_graph):
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    out = f(a, b)
    seed = Tensor(np.ones(out.shape))
    out.backward(seed, create_graph=create_graph)
    grads = [t.grad for t in (a, b) if t.grad is not None]
    for i, g in enumerate(grads):
        assert g.data.flags.writeable
        assert not any(_shares(g, other) for other in (a, b, seed, *grads[:i]))
    a.grad.data *= 0.5
    np.testing.assert_array_equal(seed.data, np.ones(out.shape))


@pytest.mark.parametrize("way", ["the same pass", "create_graph", "the leaf's hook"])
@pytest.mark.parametrize(
    "seed",
    [
        lambda a, b: a.grad, lambda a, b: a.grad.reshape(2)[::-1], lambda a, b: a.grad.numpy(), lambda a, b: b.grad,
        lambda a, b: a.grad.numpy()[::-1], lambda a, b: a.grad.data, lambda a, b: a.grad.detach(),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a + a, lambda a, b: a + b - a * b, lambda a, b: a.exp() * a - b / a,
        lambda a, b: F.binary_cross_entropy_with_logits(a, a, reduction="none"), lambda a, b: a.T + a.T * b.T,
    ],
)  # fmt: skip
def test_a_pass_that_starts_from_a_gradient_reads_it_before_it_adds_to_it(f, seed, way):
    def gradients(copied):
        a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
        a.backward(np.array([5.0, 6.0]))
        b.grad = Tensor([7.0, 8.0])
        if way == "the leaf's hook":
            a.register_hook(lambda g: g)
        out, given = f(a, b), seed(a, b)
        out.backward(
            np.array(getattr(given, "_data", given)) if copied else given, create_graph=way == "create_graph"
        )
        return [a.grad.data, b.grad.data]

    np.testing.assert_array_equal(gradients(copied=False), gradients(copied=True))


@pytest.mark.parametrize("create", [False, True])
def test_results_of_transforms_share_memory_with_nothing(create):
    a, b = (Tensor(np.array(v), requires_grad=create) for v in ([1.0, 2.0], [3.0, 4.0]))
    v = Tensor(np.ones(2), requires_grad=create)
    out, pull = vjp(lambda x, y: x + y, a, b)
    identity, back = vjp(lambda x: x, a)
    value, slope = jvp(lambda x: x, (a,), (v,))
    results = [out, *pull(v), identity, *back(v), value, slope]
    results += [*value_and_grad(lambda x, y: (x + y).sum(), (0, 1))(a, b)[1], grad(lambda x: x.sum())(a)]
    for i, r in enumerate(results):
        assert r.data.flags.writeable
        assert not any(_shares(r, other) for other in (a, b, v, *results[:i]))


# -- in place, into the wrong dtype ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda: Tensor([1, 2]), lambda t: t.add_(1.5)),
        (lambda: Tensor([1, 2]), lambda t: t.div_(2)),
        (lambda: Tensor([1, 2]), lambda t: t.mul_(Tensor([0.5, 0.5]))),
        (lambda: Tensor([1, 2]), lambda t: t.mul_(leaf(0.5, 0.5))),
        (lambda: Tensor([True, False]), lambda t: t.add_(2)),
        (lambda: Tensor([1, 2]), lambda t: t.__setitem__(0, leaf(1.5).sum())),
    ],
)
def test_a_result_that_does_not_fit_the_dtype_is_refused_and_nothing_changes(make, change):
    t = make()
    with pytest.raises(TypeError, match=r"does not fit into a tensor of dtype .* in place"):
        change(t)
    np.testing.assert_array_equal(t.data, make().data)
    assert not t.requires_grad


def test_a_smaller_float_takes_a_larger_one_in_place_as_in_pytorch():
    t = Tensor(np.ones(2, np.float32))
    t += np.array([0.5, 1.5])
    assert t.dtype == np.float32 and t.tolist() == [1.5, 2.5]


# -- only what a wanted rule reads is kept --------------------------------------------------------------------------


def _unread():
    h, w, b = Tensor(np.ones((2, 3))), Tensor(np.ones((4, 3))), Tensor(np.ones(4))
    image, kernel = Tensor(np.ones((1, 1, 3, 3))), Tensor(np.ones((2, 1, 2, 2)))
    q, k, v = (Tensor(np.random.default_rng(i).normal(size=(2, 3))) for i in range(3))
    return [
        ("linear, frozen weight", F.linear, (h, w, b), [0], [0, 2]),
        ("linear, weight alone", F.linear, (h, w, b), [1], [1, 2]),
        ("linear, bias alone", F.linear, (h, w, b), [2], [0, 1, 2]),
        ("conv2d, frozen weight", F.conv2d, (image, kernel), [0], [0]),
        ("conv2d, weight alone", F.conv2d, (image, kernel), [1], [1]),
        ("layer_norm, bias alone", lambda x, w, b: F.layer_norm(x, 3, w, b), (h, *(Tensor(np.ones(3)) for _ in "wb")),
         [2], [0, 1, 2]),
        ("attention, values alone", F.scaled_dot_product_attention, (q, k, v), [2], [2]),
        ("mul by a constant", ops.mul, (h, Tensor(np.ones((2, 3)))), [0], [0]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("_name", "f", "args", "wanted", "free"), _unread(), ids=lambda v: v if isinstance(v, str) else ""
)
@pytest.mark.parametrize("order", [1, 2])
def test_what_no_wanted_rule_reads_may_change_before_backward(_name, f, args, wanted, free, order):
    def run(change: bool) -> list[np.ndarray]:
        leaves = [Tensor(a.data.copy(), requires_grad=i in wanted) for i, a in enumerate(args)]
        inner = [t * 1.0 if t.requires_grad else t for t in leaves]
        out = f(*inner)
        if change:
            for i in free:
                inner[i].add_(1.0) if inner[i].requires_grad else inner[i].data.__iadd__(1.0)
                inner[i].mark_changed()
        out.backward(np.linspace(1, 2, out.size).reshape(out.shape), create_graph=order == 2)
        return [leaves[i].grad.data for i in wanted]

    for got, expected in zip(run(True), run(False), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("case", ["linear", "layer_norm", "attention"])
def test_what_a_fused_rule_reads_may_not_change(case):
    a, w = (
        Tensor(np.ones((2, 3)), requires_grad=True),
        Tensor(np.ones((3, 3)) if case != "layer_norm" else np.ones(3)),
    )
    h = a * 1.0
    y = {
        "linear": lambda: F.linear(h, w),
        "layer_norm": lambda: F.layer_norm(h, 3, w),
        "attention": lambda: F.scaled_dot_product_attention(h, w, w),
    }[case]()
    w += 1.0
    with pytest.raises(RuntimeError, match=CHANGED):
        y.sum().backward()


@pytest.mark.parametrize("earlier", [False, True])
def test_a_frozen_leaf_that_became_a_result_gets_no_gradient_but_a_sentence(earlier):
    x = leaf(1.0, 2.0)
    if earlier:  # a gradient that is there is added to
        (x * 1.0).sum().backward()
    y = x * 3.0
    x.requires_grad_(False)
    x += y
    with pytest.raises(RuntimeError, match=r"has become the result of 'add'.*clone\(\)"):
        x.sum().backward()
    assert earlier or x._grad is None


def test_the_row_of_one_number_is_no_view_of_the_table():
    table = leaf(1.0, 2.0).reshape(1, 2) * 1.0
    row = F.embedding(np.array(0), table)
    row *= 2.0
    row.sum().backward()
    assert table.tolist() == [[1.0, 2.0]]


# -- copies ---------------------------------------------------------------------------------------------------------


def test_only_leaves_are_copied_deep_or_pickled():
    x = leaf(1.0, 2.0)
    y = x
    for _ in range(5000):
        y = y * 1.0
    with pytest.raises(
        RuntimeError, match=r"Only leaf tensors can be deep-copied.*'mul'.*detach\(\)\.clone\(\)"
    ):
        copy.deepcopy(y)
    with pytest.raises(RuntimeError, match="Only leaf tensors can be pickled"):
        pickle.dumps(y)
    assert copy.copy(y).grad_fn is y.grad_fn


def test_a_deep_copy_is_a_leaf_with_its_gradient_and_what_was_shared_is_shared_again():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    tied = Tensor(x, requires_grad=True)
    view = x.detach()[:1]  # noqa: F841  it stands in x's stamp
    twin, again = copy.deepcopy([x, tied])
    assert twin.is_leaf and twin.requires_grad and not _shares(twin, x) and not _shares(twin.grad, x.grad)
    np.testing.assert_array_equal(twin.grad.data, [2.0, 4.0])
    y = twin * twin
    with no_grad():
        again += 1.0
    assert twin.data[0] == 2.0
    with pytest.raises(RuntimeError, match=CHANGED):
        y.sum().backward()
    loaded = pickle.loads(pickle.dumps(x))
    assert loaded.requires_grad and loaded.grad.tolist() == [2.0, 4.0]


# -- what is saved is part of the graph, also if it is one number ---------------------------------------------------


def test_second_derivatives_of_single_numbers_are_those_of_the_formula():
    assert grad(grad(lambda t: t.logsumexp()))(0.3).item() == 0.0
    assert grad(grad(lambda t: t.logsumexp(0)))(np.array([0.3]).sum()).item() == 0.0
    x, y = leaf(3.0).sum().detach().requires_grad_(), Tensor(0.0, requires_grad=True)
    (x**y).backward(create_graph=True)
    first, slope = y.grad, x.grad
    x.zero_grad(), y.zero_grad()
    first.backward(retain_graph=True)
    np.testing.assert_allclose([x.grad.item(), y.grad.item()], [1 / 3, np.log(3.0) ** 2])
    assert slope.item() == 0.0
    np.testing.assert_allclose(
        hessian(lambda v: v[0] ** v[1])([3.0, 2.0]).data[0, 1], 3 * (1 + 2 * np.log(3.0))
    )
