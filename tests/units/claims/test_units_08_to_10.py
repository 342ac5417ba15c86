"""What units 08 to 10 say of PyTorch: layers, optimizers and training."""

from __future__ import annotations

import copy
import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograd_ref.data import load_digits

from . import notebook, proves

LAYERS, OPTIMIZERS, TRAINING = "08_layers", "09_optimizers", "10_training"
#: What several tests prove.
SCHEDULE = (
    "`cosine_rate` is `LinearLR`, then `CosineAnnealingLR`, by `SequentialLR`; "
    "`clip_grad_norm_` measures and clips."
)
TRAINED = (
    "Where PyTorch is installed, this cell trains the same network there, "
    "with your batches and from your `state_dict`."
)
NAMES = (
    "`DataLoader(..., shuffle=True)` makes PyTorch's batches, `random_split` the parts; its `state_dict()` does "
    "**not** copy."
)


def close(found: Any, expected: Any, rtol: float = 1e-10) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rtol, atol=1e-12)


def run(unit: str, cells: tuple[str, ...], **given: Any) -> None:
    """Run these cells of a solved unit, and the one that compares with PyTorch."""
    names: dict[str, Any] = {"__name__": "__main__", **given}
    for cell in notebook(unit).cells:
        if cell.id in cells or "import torch" in cell.source:
            exec(compile(cell.source, cell.id, "exec"), names)


# -- 08 -----------------------------------------------------------------------------------------------------------


@proves(
    LAYERS,
    "- build modules as PyTorch does, however nested, and dropout with its two modes;",
    "PyTorch's answer: a **Parameter** is a Tensor that training may change, a **Module** an object with a method "
    "`forward`, which owns what its attributes hold.",
    "| `Parameter`, `Module`, `named_parameters()`, `train()`, `eval()` | the same names in `torch.nn` |",
    "`Sequential` is PyTorch's name for modules in a row.",
)
def test_a_module_finds_its_parameters_and_sets_its_mode(torch: ModuleType, solved: Any) -> None:
    nn, ours = torch.nn, solved(LAYERS)

    def network(Module: Any, Parameter: Any, zeros: Any) -> Any:
        class Inner(Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.weight = Parameter(zeros(2))

        class Outer(Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.scale, self.first, self.second = Parameter(zeros(1)), Inner(), Inner()
                self.second.weight = self.first.weight  # shared: listed once

        return Outer()

    theirs, mine = (
        network(nn.Module, nn.Parameter, torch.zeros),
        network(ours["Module"], ours["Parameter"], np.zeros),
    )
    assert [name for name, _ in theirs.named_parameters()] == list(mine.named_parameters())
    rows = nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Tanh())
    x = torch.ones(1, 1)
    assert torch.equal(rows(x), rows[1](rows[0](x)))
    for model in (theirs, mine):
        assert model.training and model.first.training
        model.eval()
        assert not model.training and not model.second.training
        assert model.train() is model and model.first.training


@proves(
    LAYERS,
    "PyTorch draws biases, too.",
    "Neurons differ, so the std over all numbers stays up.",
    "But each gives the same for every `x`.",
)
@pytest.mark.parametrize("seed", range(3))
def test_biases_hide_that_x_is_lost(torch: ModuleType, seed: int) -> None:
    torch.manual_seed(seed)
    x, whole, over_examples = torch.linspace(-3, 3, 64)[:, None], [], []
    with torch.no_grad():
        for fan_in in (1, *[50] * 19):
            layer = torch.nn.Linear(fan_in, 50)
            assert len(layer.bias.unique()) > 40
            x = layer(x).relu()
            whole.append(x.numpy().std())
            over_examples.append(x.numpy().std(axis=0).mean())
    assert whole[-1] > 0.3 * whole[7] and over_examples[-1] < 1e-3 * over_examples[7] < 1e-4


@proves(
    LAYERS, "| a list of modules in an attribute | `nn.ModuleList` (a plain list is **not** searched there) |"
)
def test_a_plain_list_is_not_searched(torch: ModuleType) -> None:
    nn = torch.nn

    class Holds(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self, kind: Any) -> None:
            super().__init__()
            self.layers = kind([nn.Linear(2, 3)])

    assert list(Holds(list).named_parameters()) == []
    assert [name for name, _ in Holds(nn.ModuleList).named_parameters()] == [
        "layers.0.weight",
        "layers.0.bias",
    ]


@proves(
    TRAINING,
    NAMES,
)
def test_state_dict_shares_memory_and_names_have_to_match(torch: ModuleType) -> None:
    layer = torch.nn.Linear(2, 3)
    state, kept = layer.state_dict(), copy.deepcopy(layer.state_dict())
    with torch.no_grad():
        layer.weight += 1.0
    assert torch.equal(state["weight"], layer.weight)
    assert not torch.equal(kept["weight"], layer.weight)
    with pytest.raises(RuntimeError, match="bias"):
        layer.load_state_dict({"weight": kept["weight"]})


@proves(
    LAYERS,
    '"""PyTorch\'s first weights for a linear layer, (fan_out, fan_in)."""',
    "PyTorch's default has the variance $1/(3n)$: the mean square shrinks to a sixth in each layer, the rms to "
    "$\\sqrt{1/6} = 0.41$.",
    "The flat line above starts from the weights that PyTorch gives a linear layer.",
)
def test_first_weights_of_a_linear_layer(torch: ModuleType, solved: Any) -> None:
    torch.manual_seed(0)
    fan_in, fan_out = 300, 200
    ours = solved(LAYERS)["pytorch_uniform"](fan_in, fan_out, np.random.default_rng(0))
    theirs = torch.nn.Linear(fan_in, fan_out).weight.detach().numpy()
    for weight in (ours, theirs):
        assert weight.shape == (fan_out, fan_in)
        assert 0.999 < np.abs(weight).max() * math.sqrt(fan_in) <= 1.0001
        assert weight.std() == pytest.approx(math.sqrt(1 / (3 * fan_in)), rel=0.01)

    x, stds = torch.randn(200, 128), []
    with torch.no_grad():
        for _ in range(20):
            x = torch.relu(torch.nn.Linear(128, 128, bias=False)(x))
            stds.append(float(x.std()))
    assert 1e-10 < stds[-1] < 1e-6
    assert (stds[-1] / stds[0]) ** (1 / 19) == pytest.approx(math.sqrt(1 / 6), abs=0.02)
    assert round(math.sqrt(1 / 6), 2) == 0.41


@proves(
    LAYERS,
    "From PyTorch's start the answers no longer depend on `x`, and the gradients are tens of millions of times smaller "
    "than from He's.",
)
def test_twenty_relu_layers_of_pytorch_s_own_do_not_learn_a_sine(torch: ModuleType, request: Any) -> None:
    threads = torch.get_num_threads()
    request.addfinalizer(lambda: torch.set_num_threads(threads))
    torch.set_num_threads(1)  # these layers are small: more threads would wait for one another

    def trained(start: Any, biases: bool = False) -> tuple[float, float, float]:
        torch.manual_seed(1)
        nn, layers = torch.nn, []
        for fan_in, fan_out in zip([2, *[50] * 20], [*[50] * 20, 1], strict=True):
            layers += [nn.Linear(fan_in, fan_out, bias=biases), nn.ReLU()]
        model = nn.Sequential(*layers[:-1]).double()
        start(model)
        x = torch.linspace(-3, 3, 64, dtype=torch.float64)[:, None]
        examples = torch.hstack([x, torch.ones_like(x)])
        spread = float(model(examples).detach().std())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0005)
        for step in range(250):
            optimizer.zero_grad()
            loss = ((model(examples) - torch.sin(x)) ** 2).mean()
            loss.backward()
            if step == 0:
                first = float(model[0].weight.grad.abs().max())
            optimizer.step()
        return spread, first, float(loss.detach())

    def he(model: Any) -> None:
        for layer in model[::2]:
            torch.nn.init.kaiming_normal_(layer.weight)

    spread, first, loss = trained(lambda model: None)
    assert spread < 1e-6 and loss > 0.5
    with_biases, _, stuck = trained(lambda model: None, biases=True)
    assert with_biases < 1e-6 and stuck > 0.4
    spread, by_he, loss = trained(he)
    assert spread > 0.05 and by_he > 1e-2 and loss < 0.3
    assert 1e7 < by_he / first < 1e8


def test_every_seed_of_he_s_start_learns_at_the_rate_of_the_unit(solved: Any) -> None:
    names = solved(LAYERS)
    for seed in range(100, 112):
        losses = names["learn"](names["deep"](names["he_normal"], seed), steps=100)
        assert losses[-1] < 0.45 and max(losses[50:]) < 0.5, seed


def test_a_bug_that_is_left_keeps_the_colleague_s_network_from_its_goal(solved: Any) -> None:
    # What the exercise says: under 0.2 with all four mended, not under it with three.
    names = solved(LAYERS)
    train, Tensor, Parameter = names["difference"], names["Tensor"], names["Parameter"]

    class TooLarge(names["MendedNet"]):  # type: ignore[misc, name-defined]
        def __init__(self, rng: Any) -> None:
            super().__init__(rng)
            self.first = Parameter(rng.normal(0.0, 10.0, (8, 3)))

    class NoParameter(names["MendedNet"]):  # type: ignore[misc, name-defined]
        def __init__(self, rng: Any) -> None:
            super().__init__(rng)
            self.shift = Tensor(np.zeros(8), requires_grad=True)

    def forward(self: Any, x: Any, cut: bool) -> Any:
        hidden = (x @ self.first.T + self.shift).tanh()
        if self.training or not cut:
            keep = self.rng.random(hidden.shape) >= 0.5
            hidden = Tensor(hidden.data * keep / 0.5) if cut else hidden * (keep / 0.5)
        return hidden @ self.second.T

    class Cut(names["MendedNet"]):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return forward(self, x, cut=True)

    class AlwaysDrops(names["MendedNet"]):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return forward(self, x, cut=False)

    def ends(kind: Any) -> list[float]:
        return [train(kind(np.random.default_rng(seed)), 500)[1] for seed in range(4)]

    assert max(ends(names["MendedNet"])) < 0.2
    for kind in (TooLarge, NoParameter, Cut, AlwaysDrops):
        assert min(ends(kind)) > 0.2, kind


@proves(
    LAYERS,
    "Where PyTorch is installed, this cell compares the gradients of a layer, its norm and its relu with yours.",
    "import torch",
    "## The same in PyTorch",
)
def test_the_cell_that_compares_with_pytorch_agrees(torch: ModuleType, capsys: Any) -> None:
    run(LAYERS, ("imports", "linear", "he_normal", "layer_norm"))
    assert capsys.readouterr().out == "all three gradients agree with PyTorch's: True\n"


@proves(LAYERS, "| `xavier_uniform`, `he_normal` | `nn.init.xavier_uniform_`, `nn.init.kaiming_normal_` |")
def test_initialisations_have_the_same_bounds_and_deviations(torch: ModuleType, solved: Any) -> None:
    torch.manual_seed(0)
    init, empty = torch.nn.init, torch.empty(200, 300)
    pairs = (
        ("xavier_uniform", init.xavier_uniform_(empty.clone())),
        ("he_normal", init.kaiming_normal_(empty.clone(), nonlinearity="relu")),
        ("he_normal", init.kaiming_normal_(empty.clone())),
    )
    for name, theirs in pairs:
        ours = solved(LAYERS)[name](300, 200, np.random.default_rng(0))
        assert float(theirs.std()) == pytest.approx(ours.std(), rel=0.02)
        if "uniform" in name:
            assert float(theirs.abs().max()) == pytest.approx(np.abs(ours).max(), rel=1e-3)


@proves(LAYERS, "| `dropout`, `layer_norm` | `nn.Dropout`, `nn.LayerNorm` |")
def test_dropout_and_layer_norm(torch: ModuleType, solved: Any) -> None:
    from autograd_ref import Tensor

    nn, ours = torch.nn, solved(LAYERS)
    torch.manual_seed(0)
    dropped = nn.Dropout(0.25)(torch.ones(200, 200))
    mine = ours["dropout"](Tensor(np.ones((200, 200))), 0.25, True, np.random.default_rng(0)).data
    assert sorted(set(dropped.flatten().tolist())) == pytest.approx(sorted(set(mine.ravel())), rel=1e-6)
    assert float((dropped == 0).float().mean()) == pytest.approx((mine == 0).mean(), abs=0.02)
    assert torch.equal(nn.Dropout(0.25).eval()(torch.ones(3)), torch.ones(3))

    x, w, b = np.array([[1.0, 1, 5, 5], [7, 7, 7, 7]]), np.array([1.0, 2, 3, -4]), np.array([10.0, 0, 0, 0])
    layer = nn.LayerNorm(4).double()
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(w))
        layer.bias.copy_(torch.tensor(b))
    close(layer(torch.tensor(x)).detach(), ours["layer_norm"](Tensor(x), Tensor(w), Tensor(b)).data)


@proves(
    LAYERS,
    "With weights 2, 0, 1 and the bias 10, the example (1, 5, 3) becomes 2 · 1 + 0 · 5 + 1 · 3 + 10 = 15.",
)
def test_one_neuron_by_hand(torch: ModuleType, solved: Any) -> None:
    from autograd_ref import Tensor

    x, w, b = np.array([[1.0, 5, 3]]), np.array([[2.0, 0, 1]]), np.array([10.0])
    assert solved(LAYERS)["linear"](Tensor(x), Tensor(w), Tensor(b)).data.tolist() == [[15.0]]
    out = torch.nn.functional.linear(torch.tensor(x), torch.tensor(w), torch.tensor(b))
    assert out.tolist() == [[15.0]]


# -- 09 -----------------------------------------------------------------------------------------------------------


def path(torch: ModuleType, make: Any, gradients: list[list[float]]) -> list[list[float]]:
    """Where an optimizer of PyTorch takes the parameter (1, -2), given these gradients."""
    p = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimizer, points = make([p]), []
    for g in gradients:
        p.grad = torch.tensor(g, dtype=torch.float64)
        optimizer.step()
        points.append(p.tolist())
    return points


def our_path(step: Any, state: tuple[Any, ...], gradients: list[list[float]]) -> list[list[float]]:
    """The same for step(p, g, t, *state), which gives the new p and the new state."""
    p, points = np.array([1.0, -2.0]), []
    for t, g in enumerate(gradients, 1):
        p, *rest = step(p, np.array(g), t, *state)
        state = tuple(rest)
        points.append(p.tolist())
    return points


GRADIENTS = [[10.0, -4.0], [3.0, 0.5], [-2.0, 1e-3], [0.0, 7.0]]
ZERO = np.zeros(2)


@proves(
    OPTIMIZERS,
    "PyTorch's convention:",
    '("SGD", ours(lambda t, p, g: (sgd_step(p, g, 0.1),)), theirs(T.SGD)),',
    "theirs(T.SGD, momentum=0.9)),",
)
def test_sgd_and_momentum(torch: ModuleType, solved: Any) -> None:
    optim, ours = torch.optim, solved(OPTIMIZERS)
    found = path(torch, lambda ps: optim.SGD(ps, lr=0.1), GRADIENTS)
    close(found, our_path(lambda p, g, t: (ours["sgd_step"](p, g, 0.1),), (), GRADIENTS))
    found = path(torch, lambda ps: optim.SGD(ps, 0.1, momentum=0.9), GRADIENTS)
    close(found, our_path(lambda p, g, t, v: ours["momentum_step"](p, g, v, 0.1, 0.9), (ZERO,), GRADIENTS))


@proves(
    OPTIMIZERS,
    "Return the new parameter and the new velocity, in PyTorch's form.",
    "theirs(T.SGD, momentum=0.9, nesterov=True)),",
)
def test_nesterov(torch: ModuleType, solved: Any) -> None:
    found = path(torch, lambda ps: torch.optim.SGD(ps, 0.1, momentum=0.9, nesterov=True), GRADIENTS)
    step = solved(OPTIMIZERS)["nesterov_step"]
    close(found, our_path(lambda p, g, t, v: step(p, g, v, 0.1, 0.9), (ZERO,), GRADIENTS))


@proves(OPTIMIZERS, "theirs(T.RMSprop, alpha=0.99, eps=1e-8)),")
def test_rmsprop(torch: ModuleType, solved: Any) -> None:
    found = path(torch, lambda ps: torch.optim.RMSprop(ps, 0.1, 0.9, 1e-3), GRADIENTS)
    step = solved(OPTIMIZERS)["rmsprop_step"]
    close(found, our_path(lambda p, g, t, s: step(p, g, s, 0.1, 0.9, 1e-3), (ZERO,), GRADIENTS))


@proves(OPTIMIZERS, "theirs(T.Adam)),", "theirs(T.AdamW, weight_decay=0.5)),")
def test_adam_and_adamw(torch: ModuleType, solved: Any) -> None:
    optim, ours = torch.optim, solved(OPTIMIZERS)

    def adam(p: Any, g: Any, t: int, m: Any, v: Any) -> Any:
        return ours["adam_step"](p, g, m, v, t, 0.1)

    close(path(torch, lambda ps: optim.Adam(ps, 0.1), GRADIENTS), our_path(adam, (ZERO, ZERO), GRADIENTS))

    def adamw(p: Any, g: Any, t: int, m: Any, v: Any) -> Any:
        return ours["whole_adamw"](p, g, m, v, t, 0.1, 0.5)

    found = path(torch, lambda ps: optim.AdamW(ps, 0.1, weight_decay=0.5), GRADIENTS)
    close(found, our_path(adamw, (ZERO, ZERO), GRADIENTS))


@proves(OPTIMIZERS, SCHEDULE)
@pytest.mark.filterwarnings("ignore")  # versions differ in what they warn of
def test_a_sequence_of_two_schedules_is_warm_up_and_cosine(torch: ModuleType, solved: Any) -> None:
    schedules = torch.optim.lr_scheduler
    total, warmup, peak, floor = 30, 5, 0.8, 0.1
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=peak)
    up = schedules.LinearLR(optimizer, start_factor=1 / warmup, total_iters=warmup - 1)
    down = schedules.CosineAnnealingLR(optimizer, T_max=total - warmup, eta_min=floor)
    schedule = schedules.SequentialLR(optimizer, [up, down], milestones=[warmup])
    rates = []
    for _ in range(total + 1):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    ours = [solved(OPTIMIZERS)["cosine_rate"](step, total, warmup, peak, floor) for step in range(total + 1)]
    close(rates, ours, rtol=1e-6)


@proves(OPTIMIZERS, SCHEDULE)
def test_clip_grad_norm_gives_the_norm_and_clips(torch: ModuleType, solved: Any) -> None:
    ours, arrays = solved(OPTIMIZERS), [np.array([24.0, -18.0]), np.array([[-40.0]])]
    leaves = [torch.zeros(a.shape, dtype=torch.float64, requires_grad=True) for a in arrays]
    for max_norm in (5.0, 80.0):
        for p, a in zip(leaves, arrays, strict=True):
            p.grad = torch.tensor(a)
        norm = torch.nn.utils.clip_grad_norm_(leaves, max_norm)
        assert float(norm) == pytest.approx(ours["total_norm"](arrays))
        for p, expected in zip(leaves, ours["clip_with_norm"](arrays, max_norm, 50.0), strict=True):
            close(p.grad, expected, rtol=1e-5)  # PyTorch adds 1e-6 to the norm


@proves(
    OPTIMIZERS,
    "## The same in PyTorch",
    "Where PyTorch is installed, this cell takes three steps with your rules and its own.",
    "import torch",
)
def test_three_steps_of_six_rules_agree_with_pytorch_s(torch: ModuleType, capsys: Any) -> None:
    steps = ("sgd_step", "momentum_step", "nesterov_step", "rmsprop_step", "adam_step")
    run(OPTIMIZERS, ("imports", *steps, "bias_correction", "adamw_step", "adamw"))
    rules = ("SGD", "momentum", "Nesterov", "RMSprop", "Adam", "AdamW")
    assert capsys.readouterr().out == "".join(f"{rule}: the same as PyTorch's: True\n" for rule in rules)


# -- 10 -----------------------------------------------------------------------------------------------------------


@proves(
    TRAINING,
    "## The same in PyTorch",
    TRAINED,
    "import torch",
)
def test_an_epoch_of_adamw_agrees_with_pytorch_s(torch: ModuleType, capsys: Any) -> None:
    images, labels = load_digits(flat=True)
    cells = ("imports", "batches", "train_epoch", "fit", "state_dict")
    run(TRAINING, cells, DIGITS=images.astype("float32"), LABELS=labels)
    assert capsys.readouterr().out == "after an epoch all weights agree with PyTorch's: True\n"


@proves(TRAINING, TRAINED)
def test_the_loop_by_hand_is_train_epoch(torch: ModuleType, solved: Any) -> None:
    from autograd_ref import functional, nn, optim

    rng = np.random.default_rng(0)
    x, y, cut = (
        rng.normal(size=(5, 2)),
        rng.normal(size=(5, 1)),
        [np.array([3, 1]), np.array([0, 2]), np.array([4])],
    )
    mine, theirs = nn.Linear(2, 1), torch.nn.Linear(2, 1).double()
    with torch.no_grad():
        theirs.weight.copy_(torch.tensor(mine.weight.data))
        theirs.bias.copy_(torch.tensor(mine.bias.data))
    loss = solved(TRAINING)["train_epoch"](
        mine, optim.SGD(mine.parameters(), lr=0.1), functional.mse_loss, x, y, cut
    )
    optimizer, total = torch.optim.SGD(theirs.parameters(), lr=0.1), 0.0
    theirs.train()
    for part in cut:
        optimizer.zero_grad()
        batch = torch.nn.functional.mse_loss(theirs(torch.tensor(x[part])), torch.tensor(y[part]))
        batch.backward()
        optimizer.step()
        total += len(part) * batch.item()
    assert loss == pytest.approx(total / 5, rel=1e-9)
    close(theirs.weight.detach(), mine.weight.data)
    theirs.eval()
    with torch.no_grad():
        share = torch.nn.functional.mse_loss(theirs(torch.tensor(x)), torch.tensor(y)).item()
    assert solved(TRAINING)["evaluate"](mine, functional.mse_loss, x, y) == pytest.approx(share, rel=1e-9)


@proves(TRAINING, NAMES)
def test_random_split_makes_parts_that_do_not_overlap(torch: ModuleType) -> None:
    generator = torch.Generator().manual_seed(0)
    parts = torch.utils.data.random_split(range(10), [0.5, 0.3, 0.2], generator=generator)
    assert [len(part) for part in parts] == [5, 3, 2]
    positions = [i for part in parts for i in part.indices]
    assert sorted(positions) == list(range(10)) != positions


@proves(TRAINING, "| NaN from some step on | the rate; if not that, `detect_anomaly` |")
@pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Error detected")
def test_detect_anomaly_names_the_operation(torch: ModuleType) -> None:
    with torch.autograd.detect_anomaly():
        a = torch.tensor([3.0, 1.0], requires_grad=True)
        loss = (((a - torch.tensor([0.0, 1.0])) ** 2).sqrt() * 0).sum()
        with pytest.raises(RuntimeError, match=r"Sqrt|Pow"):
            loss.backward()


@proves(OPTIMIZERS, "**Your tests:** which gradients show the other two?")
def test_gradients_of_one_show_one_fault_of_the_colleague_s_adam(solved: Any) -> None:
    names = solved(OPTIMIZERS)
    (source,) = (cell.source for cell in notebook(OPTIMIZERS).cells if cell.id == "colleague")
    mended = {
        "shared": ("(zeros, zeros)", "(zeros, zeros.copy())"),
        "counts parameters": (
            "        for p, (m, v) in zip(self.parameters, self.state):\n            self.t += 1\n",
            "        self.t += 1\n        for p, (m, v) in zip(self.parameters, self.state):\n",
        ),
        "eps under the root": ("np.sqrt(v_hat + self.eps)", "(np.sqrt(v_hat) + self.eps)"),
    }
    shown = {}
    for fault in mended:
        text = source
        for old, new in (pair for name, pair in mended.items() if name != fault):
            assert old in text
            text = text.replace(old, new)
        found = dict(names)
        exec(text, found)
        right = {
            gradients: gradients[0] / (gradients[0] + 1e-8) for gradients in ((1.0,), (1e-6,), (1.0, 1.0))
        }
        shown[fault] = [
            gradients
            for gradients, length in right.items()
            if abs(names["lengths_of"](found["ColleagueAdam"], *gradients) - length).max() > 0.01
        ]
    assert shown == {
        "shared": [(1.0,), (1e-6,), (1.0, 1.0)],
        "counts parameters": [(1.0, 1.0)],
        "eps under the root": [(1e-6,)],
    }
