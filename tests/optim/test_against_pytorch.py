"""Ten steps of every optimizer, schedule and clip give PyTorch's parameters to 1e-10."""

import numpy as np
import pytest

from autograd_ref import Tensor, optim

torch = pytest.importorskip("torch")

OPTIMIZERS = {
    "SGD": [
        {},
        {"momentum": 0.9},
        {"momentum": 0.8, "nesterov": True},
        {"weight_decay": 0.1},
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.05},
    ],
    "RMSprop": [{}, {"alpha": 0.8, "weight_decay": 0.1}, {"momentum": 0.7}],
    "Adagrad": [{}, {"weight_decay": 0.1}],
    "Adam": [{}, {"betas": (0.7, 0.9), "eps": 1e-3}, {"weight_decay": 0.1}],
    "AdamW": [{}, {"weight_decay": 0.3}],
}
CASES = [(name, options) for name, several in OPTIMIZERS.items() for options in several]
SHAPES = [(3, 4), (4,), (), (200, 170), (2, 1, 3)]  # (200, 170) is larger than a block


def twins(seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    arrays = [rng.standard_normal(s).astype(dtype) for s in SHAPES]
    ours = [Tensor(a.copy(), requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    return rng, ours, theirs


def give_gradients(rng, ours, theirs, missing=()):
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        g = rng.standard_normal(a.shape).astype(a.dtype)
        a.grad = None if i in missing else Tensor(g)
        b.grad = None if i in missing else torch.tensor(g)


def agree(ours, theirs, tolerance=1e-10):
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a.data, b.detach().numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_ten_steps_give_pytorchs_parameters(name, options):
    rng, ours, theirs = twins()
    a = getattr(optim, name)(ours, lr=0.02, **options)
    b = getattr(torch.optim, name)(theirs, lr=0.02, **options)
    for _ in range(10):
        give_gradients(rng, ours, theirs)
        a.step()
        b.step()
    agree(ours, theirs)


GROUPS = {
    "SGD": ({"lr": 0.1, "momentum": 0.9}, {"momentum": 0.5, "nesterov": True}, {}),
    "RMSprop": ({"alpha": 0.8}, {"momentum": 0.7, "lr": 0.001}, {"eps": 1e-3}),
    "Adagrad": ({"lr": 0.1}, {"weight_decay": 0.1}, {}),
    "Adam": ({"betas": (0.5, 0.9)}, {"lr": 0.1, "weight_decay": 0.1}, {}),
    "AdamW": ({"weight_decay": 0.0}, {"lr": 0.1}, {}),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_groups_of_parameters_have_options_of_their_own_and_a_schedule_moves_each(name):
    rng, ours, theirs = twins(2)
    parts = [slice(0, 2), slice(2, 4), slice(4, 5)]

    def optimizer(module, tensors):
        groups = [
            {"params": tensors[part], **options} for part, options in zip(parts, GROUPS[name], strict=True)
        ]
        return getattr(module, name)(groups, lr=0.02)

    a, b = optimizer(optim, ours), optimizer(torch.optim, theirs)
    first, second = optim.StepLR(a, 3, 0.5), torch.optim.lr_scheduler.StepLR(b, 3, 0.5)
    for missing in [(), (0,), (4,), (2, 3), (), (), (0, 1, 2, 3, 4), ()]:
        give_gradients(rng, ours, theirs, missing)
        for each in (a, b, first, second):
            each.step()
        assert [group.lr for group in a.groups] == pytest.approx([g["lr"] for g in b.param_groups])
    agree(ours, theirs)
    a.zero_grad()
    assert all(p.grad is None for p in ours)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_defaults_are_pytorchs(name):
    rng, ours, theirs = twins()
    a, b = getattr(optim, name)(ours), getattr(torch.optim, name)(theirs)
    for _ in range(3):
        give_gradients(rng, ours, theirs)
        a.step()
        b.step()
    agree(ours, theirs)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_parameters_without_a_gradient_keep_their_values_and_their_own_step_count(name, options):
    rng, ours, theirs = twins(1)
    a = getattr(optim, name)(ours, lr=0.02, **options)
    b = getattr(torch.optim, name)(theirs, lr=0.02, **options)
    for missing in [(1, 4), (), (0, 1), (), (3,), (0, 1, 2, 3, 4), ()]:
        give_gradients(rng, ours, theirs, missing)
        a.step()
        b.step()
    agree(ours, theirs)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_float32_parameters_stay_float32_and_mix_with_float64(name):
    rng, ours, theirs = twins(2, np.float32)
    _, more, more_theirs = twins(3)
    ours, theirs = ours + more, theirs + more_theirs
    a, b = getattr(optim, name)(ours, lr=0.02), getattr(torch.optim, name)(theirs, lr=0.02)
    for _ in range(10):
        give_gradients(rng, ours, theirs)
        a.step()
        b.step()
    assert [p.dtype for p in ours] == [np.dtype("f4")] * 5 + [np.dtype("f8")] * 5
    agree(ours[:5], theirs[:5], 1e-5)
    agree(ours[5:], theirs[5:])


def test_ten_steps_on_a_real_loss_through_the_engine():
    rng = np.random.default_rng(4)
    x, y = rng.standard_normal((7, 3)), rng.standard_normal((7, 2))
    w = rng.standard_normal((3, 2))
    ours, theirs = Tensor(w.copy(), requires_grad=True), torch.tensor(w, requires_grad=True)
    a, b = optim.AdamW([ours], lr=0.1), torch.optim.AdamW([theirs], lr=0.1)
    for _ in range(10):
        a.zero_grad()
        b.zero_grad()
        (((Tensor(x) @ ours).tanh() - y) ** 2).mean().backward()
        (((torch.tensor(x) @ theirs).tanh() - torch.tensor(y)) ** 2).mean().backward()
        a.step()
        b.step()
    agree([ours], [theirs])


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """PyTorch warns when a schedule steps before its optimizer; these tests only read rates."""


def rates(schedule, optimizer, n, *losses):
    seen = []
    for i in range(n):
        seen.append(
            optimizer.lr if isinstance(optimizer, optim.Optimizer) else optimizer.param_groups[0]["lr"]
        )
        schedule.step(*(loss[i] for loss in losses))
    return seen


def test_step_schedule_is_pytorchs():
    a, b = optim.SGD([Tensor(1.0, requires_grad=True)], 0.5), torch.optim.SGD([torch.zeros(1)], 0.5)
    ours = rates(optim.StepLR(a, 3, 0.2), a, 10)
    np.testing.assert_allclose(ours, rates(torch.optim.lr_scheduler.StepLR(b, 3, 0.2), b, 10), rtol=1e-12)


def test_cosine_without_warmup_is_pytorchs():
    a, b = optim.SGD([Tensor(1.0, requires_grad=True)], 0.5), torch.optim.SGD([torch.zeros(1)], 0.5)
    ours = rates(optim.CosineWithWarmup(a, 10, min_lr=0.01), a, 11)
    theirs = rates(torch.optim.lr_scheduler.CosineAnnealingLR(b, 10, 0.01), b, 11)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_warmup_rises_in_a_line_to_the_full_rate():
    a = optim.SGD([Tensor(1.0, requires_grad=True)], 1.0)
    np.testing.assert_allclose(
        rates(optim.CosineWithWarmup(a, 8, warmup=4), a, 6)[:5], [0.25, 0.5, 0.75, 1, 1]
    )


@pytest.mark.parametrize("options", [{"patience": 1}, {"patience": 0, "cooldown": 2, "min_lr": 0.02}])
def test_plateau_schedule_is_pytorchs(options):
    losses = [5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    a, b = optim.SGD([Tensor(1.0, requires_grad=True)], 0.5), torch.optim.SGD([torch.zeros(1)], 0.5)
    ours = rates(optim.ReduceLROnPlateau(a, factor=0.3, **options), a, 20, losses)
    theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(b, factor=0.3, **options)
    np.testing.assert_allclose(ours, rates(theirs, b, 20, losses), rtol=1e-12)


@pytest.mark.parametrize("max_norm", [0.1, 1e6])
def test_clipping_the_norm_is_pytorchs(max_norm):
    rng, ours, theirs = twins(5)
    give_gradients(rng, ours, theirs, missing=(1,))
    norm = optim.clip_grad_norm_(ours, max_norm)
    expected = torch.nn.utils.clip_grad_norm_(theirs, max_norm)
    assert norm == pytest.approx(float(expected), rel=1e-12)
    agree([p.grad for p in ours if p.grad is not None], [p.grad for p in theirs if p.grad is not None])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("times", [1, 2])
def test_a_gradient_that_is_not_finite_is_clipped_as_pytorch_does(value, times):
    rng, ours, theirs = twins(5)
    give_gradients(rng, ours, theirs, missing=(1,))
    ours[0].grad.data.flat[0] = value
    theirs[0].grad.view(-1)[0] = value
    with np.errstate(invalid="ignore"):
        norm = optim.clip_grad_norm_(ours * times, 0.5)
    expected = torch.nn.utils.clip_grad_norm_(list(theirs) * times, 0.5)
    np.testing.assert_equal(norm, float(expected))
    agree([p.grad for p in ours if p.grad is not None], [p.grad for p in theirs if p.grad is not None])


def test_clipping_values_is_pytorchs():
    rng, ours, theirs = twins(6)
    give_gradients(rng, ours, theirs, missing=(2,))
    optim.clip_grad_value_(ours, 0.3)
    torch.nn.utils.clip_grad_value_(theirs, 0.3)
    agree([p.grad for p in ours if p.grad is not None], [p.grad for p in theirs if p.grad is not None])


@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("start", [0, 2])
def test_weights_tied_by_data_stay_tied_and_get_pytorchs_steps(name, options, start):
    rng, ours, theirs = twins(4)
    more = rng.standard_normal((3, 4))
    ours.insert(0, Tensor(more.copy(), requires_grad=True))
    theirs.insert(0, torch.tensor(more, requires_grad=True))
    a = getattr(optim, name)(ours, lr=0.02, **options)
    b = getattr(torch.optim, name)(theirs, lr=0.02, foreach=False, **options)
    for i in range(6):
        if i == start:  # the first two, and one with a view of another
            ours[0].data, theirs[0].data = ours[1].data, theirs[1].data
            ours[2].data, theirs[2].data = ours[0].data[1], theirs[0].data[1]
        give_gradients(rng, ours, theirs, missing=(1,) if i == 3 else ())
        a.step()
        b.step()
    assert np.shares_memory(ours[0].data, ours[1].data)
    agree(ours, theirs)


def as_tensors(state_dict):
    """The conversion that the docstring of `state_dict` gives."""
    state = {i: {n: torch.as_tensor(v) for n, v in e.items()} for i, e in state_dict["state"].items()}
    return {**state_dict, "state": state}


@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("grouped", [False, True])
def test_states_go_to_pytorch_and_back(name, options, dtype, grouped):
    def make(module, tensors, lr=0.02, **more):
        if grouped:
            tensors = [{"params": tensors[3:], "lr": lr / 2}, {"params": tensors[:3]}]
        return getattr(module, name)(tensors, lr=lr, **more)

    rng, ours, theirs = twins(7, dtype)
    a, b = make(optim, ours, **options), make(torch.optim, theirs, **options)
    for missing in [(1,), (1, 2), (1,)]:
        give_gradients(rng, ours, theirs, missing)
        a.step()
        b.step()
    for _ in range(3):
        # each goes on from the other's state, in an optimizer that was made with other options
        state, torch_state = a.state_dict(), b.state_dict()
        ours = [Tensor(p.data.copy(), requires_grad=True) for p in ours]
        theirs = [torch.tensor(p.detach().numpy(), requires_grad=True) for p in theirs]
        a, b = make(optim, ours, 0.5), make(torch.optim, theirs, 0.5)
        a.load_state_dict(torch_state)
        b.load_state_dict(as_tensors(state))
        assert [g.lr for g in a.groups] == [g["lr"] for g in b.param_groups]
        for missing in [(2,), (), (0, 1)]:
            give_gradients(rng, ours, theirs, missing)
            a.step()
            b.step()
        agree(ours, theirs, 1e-10 if dtype == np.float64 else 2e-5)
    again = make(optim, [Tensor(p.data.copy(), requires_grad=True) for p in ours])
    again.load_state_dict(a.state_dict())
    for rebuilt, first in zip(
        again.state_dict()["state"].values(), a.state_dict()["state"].values(), strict=True
    ):
        for n in first:
            np.testing.assert_array_equal(rebuilt[n], first[n])


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("Adam", {"amsgrad": True}, "amsgrad=True, which this Adam does not have"),
        ("SGD", {"maximize": True}, "maximize=True, which this SGD"),
        ("SGD", {"momentum": 0.9, "dampening": 0.5}, "dampening=0.5"),
        ("RMSprop", {"centered": True}, "centered=True"),
        ("Adagrad", {"lr_decay": 0.1}, "lr_decay=0.1"),
    ],
)
def test_a_state_with_options_that_are_not_here_gets_a_sentence_and_changes_nothing(name, options, words):
    rng, ours, theirs = twins(8)
    a = getattr(optim, name)(ours)
    b = getattr(torch.optim, name)(theirs, lr=0.7, **options)
    give_gradients(rng, ours, theirs)
    b.step()
    before = a.lr
    with pytest.raises(ValueError, match=words):
        a.load_state_dict(b.state_dict())
    assert a.lr == before


def test_a_state_of_another_optimizer_gets_a_sentence():
    _, ours, theirs = twins(8)
    with pytest.raises(ValueError, match="no 'alpha', which this RMSprop needs"):
        optim.RMSprop(ours).load_state_dict(torch.optim.Adam(theirs).state_dict())
    with pytest.raises(ValueError, match="decoupled_weight_decay=True"):
        optim.Adam(ours).load_state_dict(torch.optim.AdamW(theirs).state_dict())


SCHEDULES = [
    ("LambdaLR", {"lr_lambda": lambda count: 0.9**count}),
    ("LambdaLR", {"lr_lambda": [lambda count: 1.0, lambda count: 1 / (1 + count)]}),
    ("CosineAnnealingLR", {"T_max": 7}),
    ("CosineAnnealingLR", {"T_max": 20, "eta_min": 0.01}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 21}),
    ("OneCycleLR", {"max_lr": [0.5, 0.2], "total_steps": 30, "pct_start": 0.5, "anneal_strategy": "linear"}),
    (
        "OneCycleLR",
        {"max_lr": 1.0, "total_steps": 21, "div_factor": 4.0, "final_div_factor": 10.0, "pct_start": 0.21},
    ),
    ("OneCycleLR", {"max_lr": 1.0, "total_steps": 21, "base_momentum": 0.5, "max_momentum": 0.8}),
]


@pytest.mark.parametrize(("name", "options"), SCHEDULES)
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_twenty_steps_under_a_schedule_are_pytorchs(name, options, kind):
    how = {"momentum": 0.9} if kind == "SGD" else {}
    values = [np.array([1.0, -2.0]), np.array([[0.5], [3.0]])]
    xs = [Tensor(v.copy(), requires_grad=True) for v in values]
    ps = [torch.tensor(v, requires_grad=True) for v in values]
    a = getattr(optim, kind)([{"params": [xs[0]]}, {"params": [xs[1]], "lr": 0.05}], lr=0.1, **how)
    b = getattr(torch.optim, kind)([{"params": [ps[0]]}, {"params": [ps[1]], "lr": 0.05}], lr=0.1, **how)
    ours = getattr(optim, name)(a, **options)
    theirs = getattr(torch.optim.lr_scheduler, name)(b, **options)
    for _ in range(20):
        for optimizer, leaves in ((a, xs), (b, ps)):
            optimizer.zero_grad()
            ((leaves[0] * leaves[0]).sum() + (leaves[1] ** 4).sum() * 0.01).backward()
            optimizer.step()
        ours.step()
        theirs.step()
        np.testing.assert_allclose(ours.get_last_lr(), theirs.get_last_lr(), rtol=1e-9, atol=1e-14)
        for mine, other in zip(a.param_groups, b.param_groups, strict=True):
            key = "momentum" if kind == "SGD" else "betas"
            np.testing.assert_allclose(mine[key], other[key], rtol=1e-9)
    for x, p in zip(xs, ps, strict=True):
        np.testing.assert_allclose(x.data, p.detach().numpy(), rtol=1e-9)


def test_parameter_groups_are_read_and_set_as_in_pytorch():
    xs = [Tensor(np.array([1.0, -2.0]), requires_grad=True) for _ in range(2)]
    ps = [torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True) for _ in range(2)]
    a, b = optim.SGD([xs[0]], lr=0.1, momentum=0.9), torch.optim.SGD([ps[0]], lr=0.1, momentum=0.9)
    for round in range(4):
        for optimizer, leaves in ((a, xs), (b, ps)):
            if round == 1:
                optimizer.add_param_group({"params": [leaves[1]], "lr": 0.02, "momentum": 0.0})
            if round == 2:
                for group in optimizer.param_groups:
                    group["lr"] *= 0.5
                optimizer.param_groups[1]["momentum"] = 0.5
                optimizer.param_groups[0]["weight_decay"] = 0.1
            optimizer.zero_grad()
            sum((leaf**2).sum() for leaf in leaves).backward()
            optimizer.step()
    for x, p in zip(xs, ps, strict=True):
        np.testing.assert_allclose(x.data, p.detach().numpy(), rtol=1e-12)
    assert [g["params"] for g in a.param_groups] == [[xs[0]], [xs[1]]]
    for mine, other in zip(a.param_groups, b.param_groups, strict=True):
        assert {n: mine[n] for n in ("lr", "momentum", "weight_decay")} == {
            n: other[n] for n in ("lr", "momentum", "weight_decay")
        }
    saved = a.state_dict()
    assert [g["lr"] for g in saved["param_groups"]] == [0.05, 0.01]
    again = optim.SGD([{"params": [xs[0]]}, {"params": [xs[1]]}], momentum=0.9)
    again.load_state_dict(saved)
    assert again.param_groups[1]["momentum"] == 0.5
