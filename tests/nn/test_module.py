"""A module finds what it owns, saves and restores it, prints itself, and says what does not fit."""

import copy

import numpy as np
import pytest

from autograd_ref import Tensor, nn, no_grad, optim


class Tied(nn.Module):
    def __init__(self):
        self.table = nn.Embedding(5, 3)
        self.norm = nn.BatchNorm1d(3)
        self.head = nn.Linear(3, 5)
        self.head.weight = self.table.weight

    def forward(self, index):
        return self.head(self.norm(self.table(index)))


def test_names_are_dotted_and_a_shared_parameter_comes_once():
    names = [name for name, _ in Tied().named_parameters()]
    assert names == ["table.weight", "norm.weight", "norm.bias", "head.bias"]


def test_the_state_has_buffers_and_every_name_of_a_shared_parameter():
    names = set(Tied().state_dict())
    assert names >= {"norm.running_mean", "norm.running_var", "table.weight", "head.weight"}


def test_modules_come_parents_first_in_the_order_of_assignment():
    model = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU(), nn.Tanh()))
    assert [n for n, _ in model.named_modules()] == ["", "0", "1", "1.0", "1.1"]


def test_saving_and_loading_restores_every_number(tmp_path):
    nn.manual_seed(0)
    first, second = Tied(), Tied()
    first(np.array([0, 1, 2]))  # moves the running statistics
    first.save(tmp_path / "model.npz")
    second.load(tmp_path / "model.npz")
    for name, array in first.state_dict().items():
        np.testing.assert_array_equal(second.state_dict()[name], array)


def test_a_state_is_a_copy():
    layer = nn.Linear(2, 2)
    state = layer.state_dict()
    state["weight"][...] = 7
    assert not (layer.weight.data == 7).any()


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        (lambda s: s.pop("bias"), KeyError, "lacks bias"),
        (lambda s: s.update(extra=np.zeros(2)), KeyError, "unknown extra"),
        (
            lambda s: s.update(bias=np.zeros(5)),
            ValueError,
            r"'bias' has shape \(5,\), this model's has \(2,\)",
        ),
    ],
)
def test_a_state_that_does_not_fit_gets_a_sentence_and_changes_nothing(change, error, sentence):
    layer = nn.Linear(3, 2)
    before, state = layer.state_dict(), nn.Linear(3, 2).state_dict()
    change(state)
    with pytest.raises(error, match=sentence):
        layer.load_state_dict(state)
    for name, array in layer.state_dict().items():
        np.testing.assert_array_equal(array, before[name])


def test_loading_without_strict_takes_what_fits():
    layer = nn.Linear(3, 2)
    layer.load_state_dict({"bias": np.array([1.0, 2.0]), "other": np.zeros(1)}, strict=False)
    np.testing.assert_array_equal(layer.bias.data, [1.0, 2.0])


def test_loading_between_forward_and_backward_is_noticed():
    layer = nn.Linear(3, 2)
    loss = (layer(Tensor(np.ones((1, 3)), requires_grad=True)) ** 2).sum()
    layer.load_state_dict(layer.state_dict())
    with pytest.raises(RuntimeError, match="changed in place"):
        loss.backward()


def test_a_deep_copy_of_a_model_has_no_gradients_as_in_pytorch():
    model = nn.Linear(2, 1)
    model(np.ones((1, 2))).sum().backward()
    twin = copy.deepcopy(model)
    assert [p.grad for p in twin.parameters()] == [None, None]
    assert model.weight.grad is not None


def test_a_deep_copy_is_independent_and_trains():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    twin = copy.deepcopy(model)
    optimizer = optim.SGD(twin.parameters(), lr=0.1)
    (twin(np.random.default_rng(0).standard_normal((4, 2))) ** 3).sum().backward()
    optimizer.step()
    assert type(twin[0].weight) is nn.Parameter
    assert all(p.grad is None for p in model.parameters())
    assert not np.array_equal(model[0].weight.data, twin[0].weight.data)


def test_train_and_eval_switch_every_module_below():
    model = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.5)))
    x = np.ones((3, 4))
    np.testing.assert_array_equal(model.eval()(x), x)
    assert not any(m.training for m in model.modules())
    assert all(m.training for m in model.train().modules())


def test_dropout_keeps_the_mean_and_is_reproducible():
    layer, x = nn.Dropout(0.25), np.ones(40000)
    nn.manual_seed(5)
    out = layer(x)
    assert set(np.unique(out)) == {0.0, 1 / 0.75}
    assert out.mean() == pytest.approx(1.0, abs=0.02)
    nn.manual_seed(5)
    np.testing.assert_array_equal(layer(x), out)


def test_apply_visits_children_before_parents():
    seen = []
    nn.Sequential(nn.Linear(1, 1), nn.Tanh()).apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Tanh", "Linear", "Sequential"]


def test_to_converts_parameters_and_buffers():
    model = Tied().to(np.float32)
    assert {t.dtype for _, t in model.named_tensors() if t.dtype.kind == "f"} == {np.dtype(np.float32)}
    assert model(np.array([0, 1])).dtype == np.float32


def test_freezing_leaves_no_gradients():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0].requires_grad_(False)
    model(np.ones((1, 2))).sum().backward()
    assert model[0].weight.grad is None
    assert model[1].weight.grad is not None
    model.zero_grad()
    assert model[1].weight.grad is None


def test_the_table_of_a_model_has_shapes_and_counts():
    lines = repr(nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Linear(400, 10, bias=False))).split("\n")
    assert lines[0].split() == ["Sequential", "4,160"]
    assert lines[1].split("  ")[-1] == "weight (16, 1, 3, 3), bias (16,)"
    assert lines[2].strip() == "1: ReLU()"
    assert "bias=False" in lines[3]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.Linear(2, 3, bias=False), "Linear(2, 3, bias=False)"),
        (lambda: nn.Conv2d(3, 8, (3, 5), stride=2), "Conv2d(3, 8, kernel_size=(3, 5), stride=2)"),
        (lambda: nn.Conv2d(4, 8, 3, groups=2), "Conv2d(4, 8, kernel_size=3, groups=2)"),
        (lambda: nn.MaxPool2d(2, stride=1, padding=1), "MaxPool2d(2, stride=1, padding=1)"),
        (lambda: nn.LayerNorm((3, 4)), "LayerNorm(3, 4)"),
        (lambda: nn.BatchNorm1d(3), "BatchNorm1d(3)"),
        (lambda: nn.GRUCell(3, 4), "GRUCell(3, 4)"),
        (lambda: nn.Embedding(3, 4), "Embedding(3, 4)"),
        (lambda: nn.GELU("tanh"), "GELU(approximate='tanh')"),
        (lambda: nn.Softmax(), "Softmax(axis=-1)"),
        (lambda: nn.ELU(), "ELU(1.0)"),
        (lambda: nn.Dropout(0.1), "Dropout(0.1)"),
    ],
)
def test_a_layer_prints_its_sizes(make, text):
    assert repr(make()) == text


def test_a_parameter_prints_as_one():
    assert repr(nn.Parameter([1.0])) == "Parameter([1.], requires_grad=True)"


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: nn.Module()(1), NotImplementedError, "needs a method forward"),
        (lambda: nn.Sequential(nn.Linear(1, 1), len), TypeError, "item 1 is of type"),
        (lambda: nn.MultiheadAttention(5, 2), ValueError, "multiple of num_heads"),
        (lambda: nn.RNNCell(1, 1, nonlinearity="sin"), ValueError, "nonlinearity"),
        (lambda: nn.Dropout(2.0), ValueError, "probability"),
        (lambda: nn.BatchNorm2d(3)(np.ones((2, 3))), ValueError, r"of 3 features got shape \(2, 3\)"),
        (lambda: nn.init.xavier_normal_(nn.Parameter([1.0])), ValueError, "two or more axes"),
        (lambda: nn.Linear(2, 3)(np.ones((1, 5))), ValueError, "shape"),
        (lambda: nn.Parameter([1, 2]), TypeError, "floating-point"),
    ],
)
def test_a_mistake_gets_a_sentence(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


@pytest.mark.parametrize(
    ("fill", "variance"),
    [
        (nn.init.xavier_uniform_, 2 / (200 + 300)),
        (nn.init.xavier_normal_, 2 / (200 + 300)),
        (nn.init.he_uniform_, 2 / 300),
        (nn.init.he_normal_, 2 / 300),
        (nn.init.zeros_, 0),
        (lambda p: nn.init.normal_(p, std=3.0), 9),
        (lambda p: nn.init.uniform_(p, -1.0, 1.0), 1 / 3),
    ],
)
def test_an_initialiser_has_the_stated_variance(fill, variance):
    nn.manual_seed(0)
    p = fill(nn.Parameter(np.full((200, 300), 5.0)))
    assert p.data.mean() == pytest.approx(0, abs=0.05)
    assert p.data.var() == pytest.approx(variance, rel=0.02)


def test_initialising_is_reproducible():
    def first():
        nn.manual_seed(3)
        return nn.Linear(4, 4).weight.data

    np.testing.assert_array_equal(first(), first())


def test_a_forward_pass_without_recording_makes_no_graph():
    with no_grad():
        assert nn.Linear(2, 2)(np.ones((1, 2))).grad_fn is None


def test_children_buffers_and_registered_buffers_are_found_by_pytorchs_names():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    assert list(model.children()) == [model[0], model[1]]
    model.again = model[0]
    assert len(list(model.children())) == 2
    model.register_buffer("scale", np.array([2.0]))
    model.register_buffer("nothing", None)
    names = ["scale", "1.running_mean", "1.running_var", "1.num_batches_tracked"]
    assert [name for name, _ in model.named_buffers()] == names
    assert len(list(model.buffers())) == 4
    assert model.nothing is None
    assert isinstance(model.scale, nn.Buffer)
    assert "scale" in model.state_dict()
    for name in ("scale", "training", "not a name"):
        with pytest.raises(ValueError, match="buffer"):
            model.register_buffer(name, 1.0)


def test_a_module_dict_owns_its_modules_by_name():
    heads = nn.ModuleDict({"a": nn.Linear(2, 3), "b": nn.Tanh()})
    heads["c"] = nn.Linear(3, 1)
    heads.update([("b", nn.ReLU())])
    assert (list(heads), len(heads), "b" in heads, "d" in heads) == (["a", "b", "c"], 3, True, False)
    assert isinstance(heads["b"], nn.ReLU)
    assert [name for name, _ in heads.items()] == heads.keys()
    assert heads.values()[0] is heads["a"]
    assert [name for name, _ in heads.named_parameters()] == ["a.weight", "a.bias", "c.weight", "c.bias"]
    del heads["c"]
    assert list(heads) == ["a", "b"]
    for name in ("x.y", "", "forward", "training"):
        with pytest.raises(KeyError):
            heads[name] = nn.Tanh()
    with pytest.raises(KeyError):
        heads["d"]
    with pytest.raises(KeyError):
        del heads["training"]
    with pytest.raises(TypeError, match="made of modules"):
        heads["d"] = abs


@pytest.mark.parametrize("inside", ["alone", "in a Sequential"])
def test_hooks_of_a_module_see_and_change_what_goes_in_and_out(inside):
    layer, seen = nn.Tanh(), []
    model = layer if inside == "alone" else nn.Sequential(layer)
    before = layer.register_forward_pre_hook(lambda module, args: seen.append(("in", module, args[0].item())))
    doubled = layer.register_forward_pre_hook(lambda module, args: args[0] * 2)
    after = layer.register_forward_hook(
        lambda module, args, out: seen.append(("out", args[0].item(), out.item()))
    )
    ten = layer.register_forward_hook(lambda module, args, out: out * 10)
    assert model(Tensor(0.25)).item() == pytest.approx(10 * np.tanh(0.5))
    assert seen == [("in", layer, 0.25), ("out", 0.5, np.tanh(0.5))]
    for handle in (before, doubled, after, ten, ten):
        handle.remove()
    assert model(Tensor(0.25)).item() == np.tanh(0.25)
    assert len(seen) == 2
