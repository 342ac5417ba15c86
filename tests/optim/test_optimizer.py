"""State can be saved and restored, replaced arrays are found again, wrong arguments get sentences."""

import copy
import pickle

import numpy as np
import pytest

from autograd_ref import Tensor, core, grad, optim, sweep
from autograd_ref import functional as F

ALL = [optim.SGD, lambda p: optim.SGD(p, momentum=0.9), optim.RMSprop, optim.Adagrad, optim.Adam, optim.AdamW]


def parameters():
    rng = np.random.default_rng(0)
    return [Tensor(rng.standard_normal(s), requires_grad=True) for s in [(3, 2), (2,)]]


def steps(optimizer, rng, n):
    for _ in range(n):
        for p in optimizer.parameters:
            p.grad = Tensor(rng.standard_normal(p.shape))
        optimizer.step()


@pytest.mark.parametrize("make", ALL)
def test_a_restored_optimizer_goes_on_as_if_nothing_had_happened(make):
    through, stopped = make(parameters()), make(parameters())
    rng = np.random.default_rng(1)
    steps(through, rng, 3)
    through_state = rng.bit_generator.state
    steps(stopped, np.random.default_rng(1), 3)
    saved = stopped.state_dict()
    steps(stopped, np.random.default_rng(9), 2)  # must not change what was saved

    fresh = make([Tensor(p.data.copy(), requires_grad=True) for p in through.parameters])
    fresh.load_state_dict(saved)
    again = np.random.default_rng()
    again.bit_generator.state = through_state
    steps(through, rng, 4)
    steps(fresh, again, 4)
    for a, b in zip(through.parameters, fresh.parameters, strict=True):
        np.testing.assert_array_equal(a.data, b.data)


def test_a_parameter_that_was_given_a_new_array_is_still_updated():
    p = Tensor(np.ones(3), requires_grad=True)
    optimizer = optim.SGD([p], lr=0.5)
    for start in (1.0, 10.0):
        p.data = np.full(3, start)
        p.grad = Tensor(np.ones(3))
        optimizer.step()
        np.testing.assert_array_equal(p.data, np.full(3, start - 0.5))


@pytest.mark.parametrize("change", [np.float32, lambda a: a[:2]])
def test_a_parameter_of_another_dtype_or_shape_gets_a_sentence(change):
    p = Tensor(np.ones(3), requires_grad=True)
    optimizer = optim.SGD([p])
    p.data = change(p.data)
    p.grad = Tensor(np.ones_like(p.data))
    with pytest.raises(ValueError, match="make the optimizer after such changes"):
        optimizer.step()


def test_gradients_are_not_changed_by_a_step():
    for make in ALL:
        optimizer = make(parameters())
        steps(optimizer, np.random.default_rng(0), 1)
        kept = [p.grad.data.copy() for p in optimizer.parameters]
        optimizer.weight_decay = 0.1
        optimizer.step()
        for p, g in zip(optimizer.parameters, kept, strict=True):
            np.testing.assert_array_equal(p.grad.data, g)


def test_a_step_between_forward_and_backward_is_noticed():
    p = Tensor(np.ones(3), requires_grad=True)
    loss = (p * p).sum()
    p.grad = Tensor(np.ones(3))
    optim.SGD([p], lr=0.1).step()
    with pytest.raises(RuntimeError, match=r"SGD\.step\(\)"):
        loss.backward()


def test_zero_grad_forgets_all_gradients():
    optimizer = optim.Adam(parameters())
    steps(optimizer, np.random.default_rng(0), 1)
    optimizer.zero_grad()
    assert all(p.grad is None for p in optimizer.parameters)


def test_schedules_can_be_saved_and_restored():
    for make in (lambda o: optim.StepLR(o, 2), lambda o: optim.CosineWithWarmup(o, 9, 3)):
        a, b = optim.SGD(parameters(), 0.1), optim.SGD(parameters(), 0.1)
        first, second = make(a), make(b)
        for _ in range(5):
            first.step()
        second.load_state_dict(first.state_dict())
        assert a.lr == b.lr
        first.step()
        second.step()
        assert a.lr == b.lr


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: optim.SGD([]), ValueError, "no parameters"),
        (lambda: optim.Adam([Tensor(1.0, requires_grad=True) * 2]), TypeError, "updates leaf tensors"),
        (lambda: optim.Adam([3.0]), TypeError, "of type float"),
        (lambda: optim.SGD(parameters()[:1] * 2), ValueError, "twice"),
        (lambda: optim.SGD(parameters(), lr=-1), ValueError, "lr must not be negative"),
        (lambda: optim.SGD(parameters(), momentum=1.5), ValueError, "momentum must lie"),
        (lambda: optim.SGD(parameters(), nesterov=True), ValueError, "needs a momentum"),
        (
            lambda: optim.SGD([{"params": parameters(), "rate": 1}]),
            ValueError,
            "no option 'rate': a group has",
        ),
        (lambda: optim.SGD([{"params": []}]), ValueError, "no parameters"),
        (lambda: optim.SGD([{"params": parameters(), "lr": -1}]), ValueError, "lr must not be negative"),
        (lambda: optim.SGD([{"params": parameters()}, *parameters()]), TypeError, "of type dict"),
        (lambda: optim.SGD([{"params": (p := parameters())}, {"params": p[0]}]), ValueError, "twice"),
        (
            lambda: optim.Adam([{"params": p} for p in parameters()]).load_state_dict(
                optim.Adam(parameters()).state_dict()
            ),
            ValueError,
            r"groups of \[2\] parameters, the optimizer has groups of \[1, 1\]",
        ),
        (lambda: optim.StepLR(optim.SGD(parameters()), 0), ValueError, "step_size"),
        (lambda: optim.CosineWithWarmup(optim.SGD(parameters()), 5, 5), ValueError, "warmup must lie"),
        (lambda: optim.ReduceLROnPlateau(optim.SGD(parameters()), factor=2), ValueError, "factor must lie"),
        (
            lambda: optim.Adam(parameters()).load_state_dict(optim.SGD(parameters()).state_dict()),
            ValueError,
            "this Adam needs",
        ),
        (
            lambda: optim.Adam(parameters()).load_state_dict(optim.Adam(parameters()[:1]).state_dict()),
            ValueError,
            r"groups of \[1\] parameters, the optimizer has groups of \[2\]",
        ),
    ],
)
def test_a_wrong_argument_gets_a_sentence(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


def train(p, optimizer):
    optimizer.zero_grad()
    (p * p).sum().backward()
    optimizer.step()


def test_a_gradient_that_was_kept_does_not_change_in_later_steps():
    p = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.SGD([p], lr=0.25)
    kept, copies = [], []
    for _ in range(6):
        train(p, optimizer)
        kept.append(p.grad)
        copies.append(p.grad.data.copy())
    np.testing.assert_array_equal([g.data for g in kept], copies)
    np.testing.assert_array_equal(copies, [[2 * 0.5**i, 4 * 0.5**i] for i in range(6)])


def test_gradients_add_up_and_may_be_edited_at_any_step():
    a, b = (Tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    one, two = optim.SGD([a], lr=0.1), optim.SGD([b], lr=0.1)
    for _ in range(4):  # two passes add up to one with twice the loss, and clipping is seen by the step
        one.zero_grad()
        two.zero_grad()
        (a * a).sum().backward()
        (a * a).sum().backward()
        (b * b * 2).sum().backward()
        optim.clip_grad_norm_([a], 0.5)
        optim.clip_grad_norm_([b], 0.5)
        one.step()
        two.step()
        np.testing.assert_allclose(a.data, b.data, rtol=1e-14)


def test_two_optimizers_may_share_a_parameter():
    p, q = (Tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    both = optim.SGD([p], lr=0.1), optim.SGD([p], lr=0.2)
    single = optim.SGD([q], lr=0.3)
    for _ in range(4):
        both[0].zero_grad()
        (p * p).sum().backward()
        for optimizer in both:
            optimizer.step()
        train(q, single)
        np.testing.assert_allclose(p.data, q.data, rtol=1e-14)


def test_a_copied_parameter_has_a_gradient_of_its_own():
    p = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.SGD([p], lr=0.1)
    for _ in range(4):
        train(p, optimizer)
    q = copy.deepcopy(p)
    q.zero_grad()
    (q * 3).sum().backward()
    first = q.grad
    q.zero_grad()
    (q * 5).sum().backward()
    np.testing.assert_array_equal(first.data, [3.0, 3.0])
    np.testing.assert_array_equal(p.grad.data, (p.data / 0.8) * 2)


def test_after_the_dtype_changed_gradients_have_the_new_one():
    p = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.SGD([p], lr=0.1)
    for _ in range(3):
        train(p, optimizer)
    p.data = p.data.astype(np.float32)
    p.zero_grad()
    (p * p).sum().backward()
    assert p.grad.dtype == np.float32


def test_a_linear_layer_trained_by_an_optimizer_has_the_gradients_of_one_that_is_not():
    rng = np.random.default_rng(0)
    w, b = (Tensor(rng.standard_normal(s), requires_grad=True) for s in ((3, 3), (3,)))
    optimizer = optim.SGD([w, b], lr=0.1)
    x = Tensor(rng.standard_normal((4, 3)))
    for _ in range(4):
        losses = [
            lambda w, b: (F.linear(x, w, b) ** 2).sum(),
            lambda w, b: (F.linear(F.linear(x, w, b), w, b) ** 2).sum(),  # used twice
            lambda w, b: (F.linear(w, w, b) ** 2).sum(),  # input and weight are the same
        ]
        for loss in losses:
            plain = [Tensor(t.data.copy(), requires_grad=True) for t in (w, b)]
            loss(*plain).backward()
            wanted = grad(loss, (0, 1))(w, b)  # leaves .grad alone
            optimizer.zero_grad()
            loss(w, b).backward()
            for t, p, v in zip((w, b), plain, wanted, strict=True):
                np.testing.assert_allclose(t.grad.data, p.grad.data, rtol=1e-13)
                np.testing.assert_allclose(v.data, p.grad.data, rtol=1e-13)
            optimizer.zero_grad()
            loss(w, b).backward()
        optimizer.step()
    again = Tensor(w.data.copy(), requires_grad=True)
    optimizer.zero_grad()
    out = F.linear(x, w).sum()
    found = sweep.backward(out, np.float64(1), inputs=[w])[0]  # not into the optimizer's memory
    kept = found.copy()
    (F.linear(x, w) * 2).sum().backward()
    F.linear(x, again).sum().backward()
    np.testing.assert_array_equal(found, kept)
    np.testing.assert_array_equal(found, again.grad.data)


def test_a_restored_optimizer_with_groups_goes_on_as_if_nothing_had_happened():
    def run(steps, restore=None):
        a, b = parameters()
        optimizer = optim.Adam([{"params": [a], "lr": 0.3}, {"params": [b]}], lr=0.1)
        schedule = optim.CosineWithWarmup(optimizer, 10, 2)
        if restore:
            for p, data in zip((a, b), restore[0], strict=True):
                p.data = data
            optimizer.load_state_dict(restore[1])
            schedule.load_state_dict(restore[2])
        for _ in range(steps):
            for p in (a, b):
                p.grad = Tensor(2 * p.data)
            optimizer.step()
            schedule.step()
        return [p.data.copy() for p in (a, b)], optimizer.state_dict(), schedule.state_dict()

    whole, halves = run(6)[0], run(3, run(3))[0]
    for x, y in zip(whole, halves, strict=True):
        np.testing.assert_array_equal(x, y)


def test_assigning_the_rate_sets_that_of_every_group():
    optimizer = optim.SGD([{"params": [p], "lr": lr} for p, lr in zip(parameters(), (1, 2), strict=True)])
    assert [group.lr for group in optimizer.groups] == [1, 2]
    optimizer.lr = 0.5
    assert [group.lr for group in optimizer.groups] == [0.5, 0.5]
    assert repr(optimizer).count("SGD(lr=0.5") == 2


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
@pytest.mark.parametrize(
    "optimizer", [lambda p: optim.SGD(p, lr=0.1, momentum=0.9), lambda p: optim.Adam(p, lr=0.1)]
)
def test_a_copied_network_and_optimizer_go_on_as_the_first_ones_do(copied, optimizer):
    w = Tensor(np.array([1.0, 3.0]), requires_grad=True)
    o = optimizer([w])
    for _ in range(3):
        train(w, o)
    w2, o2 = copied((w, o))
    for _ in range(4):
        train(w, o)
    for _ in range(4):
        train(w2, o2)
    assert w2.data is not w.data
    np.testing.assert_array_equal(w2.data, w.data)


def test_a_shallow_copy_of_a_parameter_has_a_gradient_of_its_own():
    w = Tensor(np.ones((2, 2)), requires_grad=True)
    o = optim.SGD([w], lr=0.0)
    for _ in range(3):
        o.zero_grad()
        F.linear(np.ones((1, 2)), w).sum().backward()
        o.step()
    o.zero_grad()
    F.linear(np.ones((1, 2)), w).sum().backward()
    twin = copy.copy(w)
    twin.grad = None
    F.linear(np.full((1, 2), 7.0), twin).sum().backward()
    np.testing.assert_array_equal(w.grad.data, np.ones((2, 2)))
    np.testing.assert_array_equal(twin.grad.data, np.full((2, 2), 7.0))


# -- whose memory a parameter has ----------------------------------------------------------------------------


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    "hold",
    [
        lambda p: p.data,
        lambda p: p.detach(),
        lambda p: p.detach().numpy(),
        lambda p: p.data[1:],
        lambda p: p.data.T,
        lambda p: memoryview(p.data),
        lambda p: Tensor(p.data),
    ],
)
def test_what_was_taken_of_a_parameter_follows_it_whenever_it_was_taken(make, hold):
    for before in (0, 1, 4):  # steps
        p, q = parameters()
        optimizer, rng = make([p, q]), np.random.default_rng(1)
        steps(optimizer, rng, before)
        held = hold(p)
        for _ in range(3):
            steps(optimizer, rng, 1)
            np.testing.assert_array_equal(np.asarray(held), np.asarray(hold(p)))


def test_an_array_that_became_a_parameter_follows_it():
    array = np.ones((2, 3))
    p, row = Tensor(array, requires_grad=True), Tensor(np.ones((2, 3))[1], requires_grad=True)
    steps(optim.SGD([p, row], lr=0.5), np.random.default_rng(0), 2)
    np.testing.assert_array_equal(array, p.data)
    assert p.data is array


@pytest.mark.skipif(core.fast is None, reason="the plain optimizers move nothing")
def test_a_parameter_that_somebody_looked_at_moves_when_nobody_does_any_more():
    p = Tensor(np.ones(3), requires_grad=True)
    optimizer = optim.SGD([p], lr=0.5)
    held = p.data
    steps(optimizer, np.random.default_rng(0), 1)
    assert p.data is held
    del held
    steps(optimizer, np.random.default_rng(0), 1)
    moved = p.data
    assert moved.base is not None
    again = optim.SGD([p], lr=0.5)  # the first one goes on: its memory is not taken away
    steps(again, np.random.default_rng(0), 1)
    assert p.data is moved
    del optimizer, moved
    steps(again, np.random.default_rng(0), 1)
    assert p.data is again._memory.flats[0].members[0][1]


def test_a_parameter_in_memory_that_cannot_be_written_is_trained():
    p = Tensor(np.broadcast_to(1.0, (3,)), requires_grad=True)
    steps(optim.SGD([p], lr=0.5), np.random.default_rng(0), 2)
    assert len(set(p.data)) == 3


def test_frozen_parameters_are_left_alone():
    rng = np.random.default_rng(0)
    p, q = parameters()
    optimizer = optim.AdamW([p.requires_grad_(False), q], lr=0.1)
    before = p.data.copy()
    for _ in range(3):
        optimizer.zero_grad()
        (p.sum() * q * q).sum().backward()
        optimizer.step()
    np.testing.assert_array_equal(p.data, before)
    p.requires_grad_(True)
    steps(optimizer, rng, 1)
    assert (p.data != before).all()


def test_a_group_that_does_not_fit_is_refused_with_a_sentence():
    x, y = Tensor([1.0], requires_grad=True), Tensor([2.0], requires_grad=True)
    optimizer = optim.SGD([x], lr=0.1)
    with pytest.raises(ValueError, match="the same parameter twice"):
        optimizer.add_param_group({"params": [x]})
    with pytest.raises(ValueError, match="no option 'rate'"):
        optimizer.add_param_group({"params": [y], "rate": 1.0})
    group = optimizer.param_groups[0]
    with pytest.raises(KeyError, match="no option 'rate'"):
        group["rate"] = 1.0
    with pytest.raises(KeyError):
        group["rate"]
    with pytest.raises(TypeError, match="cannot be taken away"):
        del group["lr"]
    assert len(optimizer.param_groups) == 1
    assert repr(group).startswith("<1 parameters, lr=0.1,")
    assert set(group) == {"params", "lr", "momentum", "weight_decay", "nesterov"} and len(group) == 5


def test_a_schedule_that_does_not_fit_is_refused_with_a_sentence():
    def made(**more):
        return optim.SGD([Tensor([1.0], requires_grad=True)], lr=0.1, **more)

    for call, words in [
        (lambda: optim.LambdaLR(made(), [lambda c: 1.0] * 2), "2 functions for 1 groups"),
        (lambda: optim.CosineAnnealingLR(made(), 0), "T_max"),
        (lambda: optim.OneCycleLR(made(), [0.1, 0.2], 5), "2 rates for 1 groups"),
        (lambda: optim.OneCycleLR(made(), 0.1, 5, anneal_strategy="no"), "'cos' or 'linear'"),
        (lambda: optim.OneCycleLR(made(), 0.1, 0), "at least 1 step"),
        (lambda: optim.OneCycleLR(optim.Adagrad([Tensor([1.0], requires_grad=True)]), 0.1, 5), "no momentum"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    schedule = optim.OneCycleLR(made(momentum=0.9), 0.1, 3)
    schedule.step()
    schedule.step()
    with pytest.raises(ValueError, match="one more"):
        schedule.step()
