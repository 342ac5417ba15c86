"""What units 05 to 07 say of PyTorch: arrays, shapes and losses."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from . import printed_by, proves, text_of


def gradients(torch: ModuleType, function: Any, *arrays: Any, g: Any = None) -> list[list[Any]]:
    """The gradients of function(*tensors), for a cotangent g, as lists."""
    leaves = [torch.tensor(np.asarray(a, dtype=float), requires_grad=True) for a in arrays]
    function(*leaves).backward(gradient=None if g is None else torch.tensor(g))
    return [x.grad.tolist() for x in leaves]


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-10, atol=1e-12)


# -- 05 -----------------------------------------------------------------------------------------------------------


@proves(
    "05_tensors",
    "Where both are equal, each gets **half**, as in PyTorch.",
    "One function, two conventions for its corner; PyTorch has both.",
    "| `maximum_rule` | `torch.maximum`, half and half too |",
)
def test_maximum_shares_a_tie_and_relu_does_not(torch: ModuleType, solved: Any) -> None:
    g, a, b = np.array([10.0, -1, 4, -8]), np.array([3.0, -5, 2, 0]), np.array([1.0, 7, 2, 0])
    ours = solved("05_tensors")
    close(gradients(torch, torch.maximum, a, b, g=g), ours["maximum_rule"](g, np.maximum(a, b), a, b))
    assert gradients(torch, torch.relu, [0.0], g=[1.0]) == [[0.0]]
    assert gradients(torch, lambda x: torch.maximum(x, torch.zeros(1)), [0.0], g=[1.0]) == [[0.5]]


@proves("05_tensors", "In PyTorch, and here, both take the tensor's dtype.")
@proves("05_tensors", "| `as_operand` | type promotion, `torch.result_type` |")
def test_single_numbers_take_the_dtype_of_the_tensor(torch: ModuleType, solved: Any) -> None:
    x, ours = torch.tensor([1.5, -2.0]), solved("05_tensors")
    assert x.dtype == torch.float32
    for number in (2.0, 3, np.float64(2.0), np.sqrt(4.0)):
        assert (x * number).dtype == torch.float32
        assert ours["as_operand"](number, np.dtype("float32")).dtype == np.float32
        tensor = ours["Tensor"](np.array([1.5, -2.0], dtype="float32"))
        assert (tensor * number).data.dtype == np.float32
    assert torch.result_type(x, 2.0) == torch.float32
    wide = torch.ones(2, dtype=torch.float64)
    assert torch.result_type(x, wide) == (x * wide).dtype == torch.float64
    assert ours["as_operand"](np.ones(2), np.dtype("float32")).dtype == np.float64


@proves("05_tensors", "| `Tensor` with `data` and `grad` | a tensor with `requires_grad=True` |")
@proves("05_tensors", "| `unbroadcast` | `Tensor.sum_to_size`; autograd does it for you |")
def test_what_was_stretched_gets_a_sum(torch: ModuleType, solved: Any) -> None:
    g = np.arange(12.0).reshape(3, 4) - 4
    for shape in ((3, 4), (4,), (3, 1), (1, 4), ()):
        ours = solved("05_tensors")["unbroadcast"](g, shape)
        close(torch.tensor(g).sum_to_size(shape), ours)
        (found,) = gradients(torch, lambda x: x + torch.zeros(3, 4), np.zeros(shape), g=g)
        close(found, ours)


@proves("05_tensors", "| `None` from a rule | `None` from the `backward` of a `torch.autograd.Function` |")
def test_a_backward_may_return_none(torch: ModuleType) -> None:
    class Where(torch.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, condition: Any, a: Any) -> Any:
            ctx.save_for_backward(condition)
            return torch.where(condition, a, 0.0)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (condition,) = ctx.saved_tensors
            return None, torch.where(condition, g, 0.0)

    condition, a = torch.tensor([True, False]), torch.tensor([1.0, 2.0], requires_grad=True)
    Where.apply(condition, a).sum().backward()
    assert a.grad.tolist() == [1.0, 0.0]


@proves(
    "05_tensors",
    "## The same in PyTorch",
    "Where it is installed, this cell takes one step's gradients with PyTorch, and compares.",
    "import torch",
    'print("PyTorch is not installed here: `pip install torch`, then run this cell again.")',
)
def test_the_cell_with_pytorch_finds_the_same_six_gradients(torch: ModuleType, solved: Any) -> None:
    names = solved("05_tensors", demonstrations=True)
    assert "all six gradients agree: True" in names["printed"]
    assert len(names["theirs"]) == 6 and all(t.grad.abs().max() > 0 for t in names["theirs"])


@proves("05_tensors", "| `backward(out, c)` | `out.backward(gradient=c)` |")
def test_backward_takes_a_cotangent_and_asks_for_one(torch: ModuleType) -> None:
    assert gradients(torch, lambda x: x**2, [1.0, 2.0, 3.0], g=[0.0, 0.0, -10.0]) == [[0.0, 0.0, -60.0]]
    with pytest.raises(RuntimeError, match="scalar"):
        (torch.ones(3, requires_grad=True) ** 2).backward()


# -- 06 -----------------------------------------------------------------------------------------------------------


@proves(
    "06_shapes_and_matmul",
    "The convention, that of PyTorch's `amax` too: tied numbers **share `g` equally**, 1/3 each.",
    "| `amax_rule` | `torch.amax`, which shares; `torch.max(x, dim)` gives all to the one index that it returns |",
)
def test_amax_shares_and_max_gives_all_to_its_index(torch: ModuleType, solved: Any) -> None:
    a, g = np.array([[5.0, 5, 5, 2], [1, 7, 0, 7]]), np.array([[6.0], [-8.0]])
    (found,) = gradients(torch, lambda x: torch.amax(x, 1, keepdim=True), a, g=g)
    close(found, solved("06_shapes_and_matmul")["amax_rule"](g, a.max(1, keepdims=True), a, 1)[0])
    assert found[0] == [2.0, 2.0, 2.0, 0.0]

    x = torch.tensor(a, requires_grad=True)
    values, index = torch.max(x, 1)
    values.backward(torch.tensor(g[:, 0]))
    expected = np.zeros_like(a)
    expected[np.arange(2), index.numpy()] = g[:, 0]
    assert x.grad.tolist() == expected.tolist()


@proves(
    "06_shapes_and_matmul",
    "| `sum_rule`, `mean_rule` | `x.sum(dim, keepdim)`, `x.mean(dim, keepdim)`; `dim` is the axis |",
)
def test_sums_and_means_over_a_dim(torch: ModuleType, solved: Any) -> None:
    ours, a = solved("06_shapes_and_matmul"), np.arange(6.0).reshape(2, 3)
    g = np.array([[10.0], [-1.0]])
    out = a.sum(1, keepdims=True)
    close(gradients(torch, lambda x: x.sum(1, True), a, g=g)[0], ours["sum_rule"](g, out, a, 1, True)[0])
    close(
        gradients(torch, lambda x: x.mean(1, True), a, g=g)[0], ours["mean_rule"](g, out / 3, a, 1, True)[0]
    )
    flat = gradients(torch, lambda x: x.sum(1, False), a, g=g[:, 0])[0]
    close(flat, ours["sum_rule"](g[:, 0], out[:, 0], a, 1)[0])


@proves(
    "06_shapes_and_matmul",
    "| `reshape_rule`, `permute_rule` | `x.reshape`, `x.permute`; they share memory where they can |",
)
def test_reshape_and_permute_share_memory_where_they_can(torch: ModuleType) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    assert x.reshape(3, 2).data_ptr() == x.permute(1, 0).data_ptr() == x.data_ptr()
    assert x.permute(1, 0).reshape(6).data_ptr() != x.data_ptr()  # here it cannot


@proves("06_shapes_and_matmul", "| `index_rule` | `x[index]`, `index_add_`; `nn.Embedding` |")
def test_a_row_that_was_picked_twice_gets_a_sum(torch: ModuleType, solved: Any) -> None:
    table, index = np.arange(6.0).reshape(3, 2), np.array([0, 2, 0])
    g = np.array([[10.0, -1], [4, 2], [30, 7]])
    expected = solved("06_shapes_and_matmul")["index_rule"](g, table[index], table, index)[0]
    assert gradients(torch, lambda x: x[torch.tensor(index)], table, g=g)[0] == expected.tolist()
    added = torch.zeros(3, 2, dtype=torch.float64).index_add_(0, torch.tensor(index), torch.tensor(g))
    assert added.tolist() == expected.tolist()
    layer = torch.nn.Embedding.from_pretrained(torch.tensor(table), freeze=False)
    layer(torch.tensor(index)).backward(torch.tensor(g))
    assert layer.weight.grad.tolist() == expected.tolist()


@proves("06_shapes_and_matmul", "| `concatenate_rule` | `torch.cat` |")
def test_cat_is_cut_where_the_arrays_met(torch: ModuleType, solved: Any) -> None:
    arrays, g = [np.zeros((3, 2)), np.zeros((3, 1))], np.arange(9.0).reshape(3, 3)
    found = gradients(torch, lambda *xs: torch.cat(xs, 1), *arrays, g=g)
    ours = solved("06_shapes_and_matmul")["concatenate_rule"](g, g, arrays, 1)
    assert found == [piece.tolist() for piece in ours]


@proves("06_shapes_and_matmul", "| `batched_matmul_rule` | `torch.matmul`, also written `@` |")
def test_batched_matmul_broadcasts_and_sums(torch: ModuleType, solved: Any) -> None:
    rng = np.random.default_rng(0)
    a, b, g = rng.normal(size=(5, 2, 3)), rng.normal(size=(3, 4)), rng.normal(size=(5, 2, 4))
    ours = solved("06_shapes_and_matmul")["batched_matmul_rule"](g, a @ b, a, b)
    for multiply in (torch.matmul, lambda x, y: x @ y):
        for found, expected in zip(gradients(torch, multiply, a, b, g=g), ours, strict=True):
            close(found, expected)


@proves("06_shapes_and_matmul", "| `two_layer_rule` | `nn.Linear`, `ReLU`, `nn.Linear` |")
def test_two_linear_layers_with_relu(torch: ModuleType, solved: Any) -> None:
    rng, nn = np.random.default_rng(1), torch.nn
    x, W1, b1, W2, b2 = (rng.normal(size=s) for s in ((4, 3), (3, 5), (5,), (5, 2), (2,)))
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2)).double()
    with torch.no_grad():
        for p, value in zip(model.parameters(), (W1.T, b1, W2.T, b2), strict=True):
            p.copy_(torch.tensor(value))
    g, inputs = rng.normal(size=(4, 2)), torch.tensor(x, requires_grad=True)
    model(inputs).backward(torch.tensor(g))
    dx, dW1, db1, dW2, db2 = solved("06_shapes_and_matmul")["two_layer_rule"](g, None, x, W1, b1, W2, b2)
    close(inputs.grad, dx)
    for p, expected in zip(model.parameters(), (dW1.T, db1, dW2.T, db2), strict=True):
        close(p.grad, expected)


@proves(
    "06_shapes_and_matmul",
    "## The same in PyTorch",
    "Where it is installed, this cell computes all gradients with PyTorch, and compares.",
    "import torch",
)
def test_the_digits_network_has_pytorch_s_gradients_to_the_pixels(torch: ModuleType, solved: Any) -> None:
    names = solved("06_shapes_and_matmul", demonstrations=True)
    assert "the gradients of all weights and pixels agree: True" in names["printed"]
    tensors = [*names["theirs"], names["pictures"]]
    assert len(tensors) == len(names["ours"]) == 5
    assert all(t.grad.abs().max() > 0 for t in tensors)
    # Blank blocks are tied, so that a network without PyTorch's convention would not agree.
    assert (names["blocks"][0].detach().numpy() == 0).all(axis=(2, 3)).any()


# -- 07 -----------------------------------------------------------------------------------------------------------


@proves(
    "07_losses",
    "| a number that scatters | squared error | `mse_loss`; with a width: `gaussian_nll_loss`, of σ² |",
)
def test_gaussian_nll_loss_has_a_width(torch: ModuleType, solved: Any) -> None:
    p, y, sigma = np.array([2.0, -1.0, 0.5]), np.array([3.0, -1.0, 4.0]), 2.0
    F, ours = torch.nn.functional, solved("07_losses")
    variance = torch.full((3,), sigma**2, dtype=torch.float64)
    theirs = F.gaussian_nll_loss(torch.tensor(p), torch.tensor(y), variance, full=True)
    close(theirs, ours["gaussian_nll"](p, y, sigma))
    found = gradients(torch, lambda x: F.mse_loss(x, torch.tensor(y)), p)[0]
    close(found, ours["mse_rule"](1.0, None, p, y)[0])


@proves(
    "07_losses",
    "| one of C classes | cross-entropy "
    "| `cross_entropy`, which takes **logits**; from log-probabilities: `nll_loss` |",
)
def test_cross_entropy_takes_logits_and_the_mean_over_rows(torch: ModuleType, solved: Any) -> None:
    logits, labels = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]]), np.array([0, 2])
    F, ours = torch.nn.functional, solved("07_losses")
    logp = ours["log_softmax"](logits)
    target = torch.tensor(labels)
    close(F.cross_entropy(torch.tensor(logits), target), ours["nll_loss"](logp, labels))
    close(F.cross_entropy(torch.tensor(logits), target, reduction="mean"), ours["nll_loss"](logp, labels))
    close(F.nll_loss(torch.tensor(logp), target), ours["nll_loss"](logp, labels))
    found = gradients(torch, lambda x: F.cross_entropy(x, target), logits)[0]
    close(found, ours["cross_entropy_rule"](1.0, None, logp, labels)[0])


@proves("07_losses", "| yes or no | binary cross-entropy | `binary_cross_entropy_with_logits` |")
def test_binary_cross_entropy_with_logits(torch: ModuleType, solved: Any) -> None:
    z, t = np.array([[1.5, -40.0], [0.0, 1e4]]), np.array([[1.0, 0.5], [0.0, 0.0]])
    F, ours = torch.nn.functional, solved("07_losses")
    close(F.binary_cross_entropy_with_logits(torch.tensor(z), torch.tensor(t)), ours["bce_with_logits"](z, t))
    found = gradients(torch, lambda x: F.binary_cross_entropy_with_logits(x, torch.tensor(t)), z)[0]
    close(found, ours["bce_rule"](1.0, None, z, t)[0])


@proves(
    "07_losses",
    "`softmax`, `logsumexp` and `log_softmax` have the same names in `torch`; the axis is called `dim`.",
)
def test_softmax_and_its_logarithms_have_the_same_names(torch: ModuleType, solved: Any) -> None:
    logits = np.array([[0.5, -1.0, 2.0], [1e4, 0.3, -0.7]])
    for name in ("softmax", "logsumexp", "log_softmax"):
        close(getattr(torch, name)(torch.tensor(logits), dim=-1), solved("07_losses")[name](logits))


@proves("07_losses", "| a number, with outliers | absolute error | `l1_loss`; smooth at 0: `huber_loss` |")
def test_l1_loss_has_a_corner_and_huber_loss_has_none(torch: ModuleType, solved: Any) -> None:
    x, y = np.array([[0.25, -3.0], [1e3, 0.5]]), np.array([[0.0, 4.0], [-1.0, 1.0]])
    F, theirs = torch.nn.functional, solved("07_losses")["CONTRIBUTED"]
    for name, function in {"absolute": F.l1_loss, "huber": F.huber_loss}.items():
        close(function(torch.tensor(x), torch.tensor(y)), theirs[name][0](x, y))
    tiny, zero = [1e-9], torch.zeros(1, dtype=torch.float64)
    assert gradients(torch, lambda x: F.l1_loss(x, zero), tiny) == [[1.0]]
    assert gradients(torch, lambda x: F.huber_loss(x, zero), tiny) == [[1e-9]]


@proves(
    "07_losses",
    "an outlier is less of a surprise; minus the logarithm of this density is $|y - \\mu| + \\log 2$, "
    "the **absolute error**.",
    "These are the mean and the median. One outlier drags the mean away.",
)
def test_the_absolute_error_is_the_likelihood_of_a_density_with_long_tails(solved: Any) -> None:
    away = np.linspace(-40, 40, 80_001)
    density = np.exp(-np.abs(away)) / 2
    assert (density * 0.001).sum() == pytest.approx(1.0, abs=1e-6)  # a density
    close(-np.log(density), np.abs(away) + np.log(2))
    surprise = [solved("07_losses")["gaussian_nll"](np.zeros(1), np.array([y]), 1.0) for y in (0.0, 20.0)]
    assert surprise[1] - surprise[0] == 200.0
    absolute = solved("07_losses")["CONTRIBUTED"]["absolute"][0]
    assert absolute(np.array([20.0]), np.zeros(1)) - absolute(np.zeros(1), np.zeros(1)) == 20.0
    said = printed_by("07_losses", {"np": np}, 'prediction, "best_with_an_outlier"')
    assert said.split("\n")[:2] == ["squared error: 20.0", "absolute error: 3.0"]
    assert (np.mean([1, 2, 3, 4, 90]), np.median([1, 2, 3, 4, 90])) == (20.0, 3.0)


@proves(
    "07_losses",
    "There cross-entropy has the slope -1.",
    "Squared error is flat: its slope holds the factor p (1 - p).",
)
def test_squared_error_needs_1507_steps_where_cross_entropy_needs_9(solved: Any) -> None:
    said = printed_by("07_losses", solved("07_losses"), 'prediction, "slopes_of_two_losses"')
    assert said.split("\n")[0] == "slopes -0.99966 and -0.00067: 1,491 times"
    assert said.split("\n")[1] == "steps until p = 1/2: 9 and 1,507"
    p = 1 / (1 + np.exp(8.0))
    assert (p - 1) / (2 * (p - 1) * p * (1 - p)) == pytest.approx(1491.48, abs=0.01)


@proves(
    "07_losses",
    "A target of 0.5 says that half of those asked said yes.",
    "Overflow behind `np.where`: it computes both branches.",
    "logistic is binary cross-entropy with # targets -1 and 1 for no and yes.",
)
def test_targets_of_a_half_both_branches_and_targets_of_minus_1(solved: Any) -> None:
    names, z = solved("07_losses"), np.array([1.5, -2.0, 0.25])
    bce = names["bce_with_logits"]
    asked = np.repeat(z, 2), np.tile([0.0, 1.0], 3)  # everybody twice: a no and a yes
    close(bce(z, np.full(3, 0.5)), bce(*asked))

    def softplus(z: Any) -> Any:
        """By the formula that holds for the sign of each z, and the other one beside it."""
        return np.where(z < 0, np.log1p(np.exp(z)), z + np.log1p(np.exp(-z)))

    with np.errstate(over="raise"):
        assert softplus(np.array([3.0])) == pytest.approx(np.log1p(np.exp(3.0)))
        assert 800.0 + np.log1p(np.exp(-800.0)) == 800.0  # the branch that is taken
        with pytest.raises(FloatingPointError):
            softplus(np.array([800.0]))
    signs = np.array([1.0, -1.0, -1.0])
    close(names["CONTRIBUTED"]["logistic"][0](z, signs), bce(z, (signs + 1) / 2))


@proves(
    "07_losses",
    "After one step they are the ink of a digit's pictures less a tenth of all ink: what is true, minus what was said.",
)
def test_the_first_step_of_the_digits_is_their_ink_less_a_tenth_of_all(solved: Any) -> None:
    names = solved("07_losses", demonstrations=True)
    ink = names["seen"]
    truth = np.eye(10)[names["meant"][: len(ink)]]
    close(names["first_W"], 5 / len(ink) * (ink.T @ truth - 0.1 * ink.sum(axis=0)[:, None]))


@proves("07_losses", "Unit 15 needs it for attention.")
def test_attention_s_softmax_sends_back_what_the_rule_of_softmax_does(solved: Any) -> None:
    assert "a row of the softmax sends back p · (u - sum of u · p)" in text_of("15_attention")
    p, u = np.array([0.125, 0.25, 0.625]), np.array([10.0, -2.0, 4.0])
    close(solved("07_losses")["softmax_rule"](u, p, np.log(p)), (p * (u - (u * p).sum()),))
