"""What units 00 to 04 say of PyTorch: functions, numbers and scalar networks."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from . import proves, text_of


def leaf(torch: ModuleType, value: Any) -> Any:
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


# -- 00 -----------------------------------------------------------------------------------------------------------


@proves(
    "00_start_here",
    "| `make_line`, a closure | what `torch.func.grad` returns |",
    "| `Recipe` with `__add__` | a tensor: its operators record how it was made |",
)
def test_grad_returns_a_function_and_operators_record(torch: ModuleType) -> None:
    slope = torch.func.grad(lambda x: x**2)
    assert callable(slope) and float(slope(torch.tensor(3.0))) == 6.0
    assert "Add" in (leaf(torch, 1.0) + 2).grad_fn.name()


@proves(
    "00_start_here",
    "| `Polynomial` with `__call__` | a module: `model(x)` |",
    "| `in_a_row` | `torch.nn.Sequential` |",
)
def test_a_module_is_called_and_sequential_calls_the_first_first(torch: ModuleType, solved: Any) -> None:
    class Double(torch.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            return 2 * x

    class AddThree(torch.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            return x + 3

    ours = solved("00_start_here")["in_a_row"]([lambda x: 2 * x, lambda x: x + 3])
    assert float(torch.nn.Sequential(Double(), AddThree())(torch.tensor(5.0))) == ours(5.0) == 13.0


@proves(
    "00_start_here",
    "By unit 16 it can train a small GPT, which writes lines after Shakespeare.",
)
def test_a_learner_s_own_engine_trains_the_small_gpt() -> None:
    text = text_of("16_small_gpt")
    assert "own = mine.engine()" in text
    assert "then your answers of units 03 to 09 train it." in text
    assert "154 sonnets of Shakespeare" in text


# -- 01 -----------------------------------------------------------------------------------------------------------


@proves("01_derivatives", "| `mean_squared_error` | `torch.nn.functional.mse_loss` |")
def test_mean_squared_error_is_mse_loss(torch: ModuleType, solved: Any) -> None:
    p, y = np.array([2.0, 4.0, 5.0]), np.array([1.0, 7.0, 7.0])
    theirs = torch.nn.functional.mse_loss(torch.tensor(p), torch.tensor(y))
    assert float(theirs) == pytest.approx(solved("01_derivatives")["mean_squared_error"](p, y), rel=1e-14)


@proves(
    "01_derivatives",
    "| `rate`, one step of `gradient_descent` | `lr`, `torch.optim.SGD(...).step()` |",
)
def test_a_step_of_sgd_is_a_step_of_gradient_descent(torch: ModuleType, solved: Any) -> None:
    p = leaf(torch, [1.0, -2.0])
    optimizer = torch.optim.SGD([p], lr=0.25)
    (p**3).sum().backward()
    optimizer.step()
    ours = solved("01_derivatives")["gradient_descent"](lambda p: 3 * p**2, np.array([1.0, -2.0]), 0.25, 1)
    assert p.tolist() == pytest.approx(ours[-1].tolist(), rel=1e-14)


@proves("01_derivatives", "| `array_gradient` | what `torch.autograd.gradcheck` compares with |")
def test_gradcheck_steps_to_both_sides_of_every_number(torch: ModuleType) -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append(x.detach().clone())
        return (x**2).sum()

    x = leaf(torch, [1.0, -2.0, 0.5])
    assert torch.autograd.gradcheck(f, (x,))
    moved = [(s - x.detach()).numpy() for s in seen if not torch.equal(s, x)]
    for i in range(3):
        steps = [m[i] for m in moved if np.count_nonzero(m) == 1 and m[i]]
        assert min(steps) < 0 < max(steps)
        assert min(steps) == pytest.approx(-max(steps), rel=1e-6)


@proves(
    "01_derivatives",
    "A layer of a neural network that turns `a` numbers into `b` has a · b weights and b biases, all of them "
    "parameters.",
)
def test_network_parameters_counts_those_of_a_model(torch: ModuleType, solved: Any) -> None:
    nn = torch.nn
    model = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
    count = sum(p.numel() for p in model.parameters())
    names = solved("01_derivatives", demonstrations=True)
    assert count == names["network_parameters"]([64, 32, 10]) == 2410


@proves(
    "01_derivatives",
    "## The same in PyTorch",
    "import torch",
)
def test_the_gradient_of_the_ball_s_loss_is_pytorch_s(torch: ModuleType, solved: Any) -> None:
    names = solved("01_derivatives", demonstrations=True)
    p = leaf(torch, [1.0, 2.0, 3.0])
    t, heights = torch.tensor(names["seconds"]), torch.tensor(names["metres"])
    torch.nn.functional.mse_loss(p[0] + p[1] * t + p[2] * t**2, heights).backward()
    ours = names["ball_gradient"](np.array([1.0, 2.0, 3.0]))
    assert p.grad.tolist() == pytest.approx(ours.tolist(), rel=1e-8)


@proves("01_derivatives", "PyTorch's floats have 32 bits unless you ask for 64, and keep about 7 digits.")
def test_floats_have_32_bits_and_about_seven_digits(torch: ModuleType) -> None:
    assert torch.tensor(1.0).dtype == torch.float32
    assert torch.tensor(1.0, dtype=torch.float64).dtype == torch.float64
    assert 6.5 < -math.log10(torch.finfo(torch.float32).eps) < 7.5


# -- 02 -----------------------------------------------------------------------------------------------------------


@proves(
    "02_forward_mode",
    "A `Dual` holds both numbers, under PyTorch's names: the value is its `primal`, the slope its `tangent`.",
    "| `Dual(primal, tangent)` | `torch.autograd.forward_ad.make_dual(primal, tangent)` |",
    "| `out.primal`, `out.tangent` | `torch.autograd.forward_ad.unpack_dual(out)` |",
)
def test_a_dual_has_a_primal_and_a_tangent(torch: ModuleType, solved: Any) -> None:
    from torch.autograd import forward_ad

    with forward_ad.dual_level():
        a = forward_ad.make_dual(torch.tensor(2.0), torch.tensor(1.0))
        out = forward_ad.unpack_dual((a * 3.0) * (3.0 + 1))
        theirs = float(out.primal), float(out.tangent)
    Dual = solved("02_forward_mode")["Dual"]
    ours = (Dual(2.0, 1.0) * 3.0) * (3.0 + 1)
    assert theirs == (ours.primal, ours.tangent) == (24.0, 12.0)


@proves(
    "02_forward_mode",
    "`torch.func` numbers its nested derivatives, and each takes only slopes of its own number.",
)
@pytest.mark.parametrize("how", ["grad", "jvp"])
def test_nested_derivatives_are_not_confused(torch: ModuleType, solved: Any, how: str) -> None:
    def derivative(f: Any, x: Any) -> Any:
        if how == "grad":
            return torch.func.grad(f)(x)
        return torch.func.jvp(f, (x,), (torch.ones(()),))[1]

    one = torch.tensor(1.0)
    assert float(derivative(lambda x: x * derivative(lambda y: x + y, one), one)) == 1.0
    confused = solved("02_forward_mode")["derivative"]
    assert confused(lambda x: x * confused(lambda y: x + y, 1.0), 1.0) == 2.0


@proves(
    "02_forward_mode", "Test a rule in a random direction, as the fast mode of PyTorch's `gradcheck` does."
)
def test_the_fast_mode_of_gradcheck_takes_a_random_direction(torch: ModuleType) -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append(x.detach().clone())
        return (x**2).sum()

    x = leaf(torch, [1.0, -2.0, 0.5, 3.0])
    assert torch.autograd.gradcheck(f, (x,), fast_mode=True)
    moved = [(s - x.detach()).numpy() for s in seen if not torch.equal(s, x)]
    assert moved
    for step in moved:  # all numbers at once, and each by another amount
        assert np.count_nonzero(step) == 4 and len(set(np.abs(step / step[0]).round(3))) == 4


@proves("02_forward_mode", "| `mul_jvp` and the other rules | the `jvp` of a `torch.autograd.Function` |")
def test_the_jvp_of_a_function_is_a_rule(torch: ModuleType, solved: Any) -> None:
    from torch.autograd import forward_ad

    class Multiply(torch.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.a, ctx.b = a, b
            return a * b

        @staticmethod
        def jvp(ctx: Any, da: Any, db: Any) -> Any:
            return solved("02_forward_mode")["mul_jvp"](ctx.a, da, ctx.b, db)[1]

    numbers = [(torch.tensor(2.0), torch.tensor(3.0)), (torch.tensor(5.0), torch.tensor(-1.0))]
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(x, dx) for x, dx in numbers]
        assert float(forward_ad.unpack_dual(Multiply.apply(*duals)).tangent) == 13.0


@proves(
    "02_forward_mode",
    "| `jvp(f, xs, vs)` | `torch.func.jvp(f, xs, vs)` |",
    "| `forward_gradient(f, xs)` | `torch.func.jacfwd(f, argnums=(0, 1))(*xs)`, for two inputs |",
    "| `second_derivative` | `torch.func.jacfwd(torch.func.jacfwd(f))` |",
)
def test_jvp_gradient_and_second_derivative(torch: ModuleType, solved: Any) -> None:
    ours = solved("02_forward_mode")

    def e(a: Any, b: Any) -> Any:
        return (a * b) * (b + 1)

    xs, vs = (torch.tensor(2.0), torch.tensor(3.0)), (torch.tensor(1.0), torch.tensor(10.0))
    assert [float(x) for x in torch.func.jvp(e, xs, vs)] == list(ours["jvp"](e, [2.0, 3.0], [1.0, 10.0]))
    by_each = torch.func.jacfwd(e, argnums=(0, 1))(*xs)
    assert [float(x) for x in by_each] == ours["forward_gradient"](e, [2.0, 3.0]) == [12.0, 14.0]
    assert float(torch.func.jacfwd(e)(*xs)) == 12.0  # by the first input alone

    twice = torch.func.jacfwd(torch.func.jacfwd(lambda x: 1 / x))(torch.tensor(2.0))
    assert float(twice) == ours["second_derivative"](lambda x: 1 / x, 2.0) == 0.25


@proves(
    "02_forward_mode",
    "## The same in PyTorch",
    "Where it is installed, this cell throws with PyTorch's dual numbers, and compares.",
    "import torch",
    'print("PyTorch is not installed here: `pip install torch`, then run this cell again.")',
)
def test_a_throw_and_its_slope_are_pytorch_s(torch: ModuleType, solved: Any) -> None:
    ours = solved("02_forward_mode")
    one = torch.ones((), dtype=torch.float64)
    theirs = [float(x) for x in torch.func.jvp(ours["landing"], (10 * one,), (one,))]
    assert theirs == pytest.approx(list(ours["jvp"](ours["landing"], [10.0], [1.0])), rel=1e-12)


# -- 03 -----------------------------------------------------------------------------------------------------------


@proves(
    "00_start_here",
    "In this course you write what does that, the core of PyTorch, from nothing.",
)
@proves(
    "03_reverse_mode",
    "You write the program that makes one pass for all of them: the core of PyTorch's `backward`.",
    "| `Value` with `data` and `grad` | a tensor with `requires_grad=True` |",
    "| `backpropagate(L)` | `L.backward()` |",
)
def test_backward_fills_in_the_same_gradients(torch: ModuleType, solved: Any) -> None:
    names = solved("03_reverse_mode")
    theirs = [leaf(torch, x) for x in (2.0, 3.0, 1.0)]
    ours = [names["Value"](x) for x in (2.0, 3.0, 1.0)]
    for a, b, c in (theirs, ours):
        L = (a * b + c) ** 2
        L.backward() if isinstance(L, torch.Tensor) else names["backpropagate"](L)
    assert [float(x.grad) for x in theirs] == [x.grad for x in ours] == [42.0, 28.0, 14.0]


@proves("03_reverse_mode", "At 0 it has a corner and no derivative: we take 0, as PyTorch does.")
def test_relu_has_the_slope_0_at_0(torch: ModuleType, solved: Any) -> None:
    x = leaf(torch, 0.0)
    torch.relu(x).backward()
    assert float(x.grad) == solved("03_reverse_mode")["relu_vjp"](1.0, 0.0, 0.0)[0] == 0.0


@proves(
    "03_reverse_mode",
    "## The same in PyTorch",
    "Where it is installed, this cell computes V with PyTorch, and compares.",
    "import torch",
    'print("PyTorch is not installed here: `pip install torch`, then run this cell again.")',
)
def test_v_and_its_gradients_are_pytorch_s(torch: ModuleType, solved: Any) -> None:
    names = solved("03_reverse_mode", demonstrations=True)
    assert "theirs [7.0, 6.0, 5.0]\nyours  [7.0, 6.0, 5.0]\n" in names["printed"]


@proves(
    "03_reverse_mode",
    "| `op` and `parents` | `grad_fn` and its `next_functions` |",
    "| `record` | what every operation does unless `torch.no_grad()` is on |",
)
def test_operations_are_recorded_unless_no_grad_is_on(torch: ModuleType) -> None:
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    out = (a * b) + 1
    product = out.grad_fn.next_functions[0][0]
    assert "Add" in out.grad_fn.name() and "Mul" in product.name()
    assert [node.variable is x for (node, _), x in zip(product.next_functions, (a, b), strict=True)] == [
        True,
        True,
    ]
    with torch.no_grad():
        assert (a * b).grad_fn is None


@proves(
    "03_reverse_mode",
    "| a VJP, and its `g` | the `backward` of a `torch.autograd.Function`, and its `grad_output` |",
    "| `out` and `inputs` for the rule | `ctx.save_for_backward` |",
)
def test_the_backward_of_a_function_is_a_vjp(torch: ModuleType, solved: Any) -> None:
    class Exp(torch.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            out = torch.exp(a)
            ctx.save_for_backward(a, out)
            return out

        @staticmethod
        def backward(ctx: Any, grad_output: Any) -> Any:
            a, out = ctx.saved_tensors
            return solved("03_reverse_mode")["exp_vjp"](grad_output, out, a)[0]

    x = leaf(torch, 0.5)
    (10.0 * Exp.apply(x)).backward()
    assert float(x.grad) == pytest.approx(10 * math.exp(0.5), rel=1e-14)


@proves(
    "03_reverse_mode",
    "PyTorch *adds* to the `grad` of the inputs on every call, until you set it to zero (unit 04).",
)
@proves(
    "04_scalar_networks",
    "Unlike unit 03's, this `backward` *adds* to the grads of parameters, as PyTorch's does.",
)
@proves(
    "05_tensors",
    "One difference: our `backward` begins anew each time, PyTorch *adds* to the `grad` of the inputs.",
)
def test_backward_adds_to_the_grads_of_leaves(torch: ModuleType, solved: Any) -> None:
    from autograd_ref.scalar import Value

    theirs, ours, found = leaf(torch, 3.0), Value(3.0), []
    for _ in range(3):
        (theirs * theirs).backward()
        (ours * ours).backward()
        found.append((float(theirs.grad), ours.grad))
    assert found == [(6.0, 6.0), (12.0, 12.0), (18.0, 18.0)]
    theirs.grad.zero_()
    (theirs * theirs).backward()
    assert float(theirs.grad) == 6.0

    names = solved("03_reverse_mode")
    x = names["Value"](3.0)
    y = x * x
    for _ in range(2):
        names["backpropagate"](y)
        assert x.grad == 6.0

    names = solved("05_tensors")
    t = names["Tensor"](np.array([3.0]))
    out = t * t
    for _ in range(2):
        names["backward"](out)
        assert t.grad.tolist() == [6.0]


# -- 04 -----------------------------------------------------------------------------------------------------------


@proves(
    "04_scalar_networks",
    "`x.grad` is 2: this Value noted the slope when it multiplied.",
    "Your unit 03 read the inputs on the way back, and would have said 100, as PyTorch does after `w.data = "
    "torch.tensor(100.0)`.",
)
def test_a_change_of_data_goes_unseen(
    torch: ModuleType, solved: Any, recwarn: pytest.WarningsRecorder
) -> None:
    from autograd_ref.scalar import Value

    x, w = Value(3.0), Value(2.0)
    y = x * w
    w.data = 100.0
    y.backward()
    assert x.grad == 2.0

    names = solved("03_reverse_mode")
    x, w = names["Value"](3.0), names["Value"](2.0)
    y = x * w
    w.data = 100.0
    names["backpropagate"](y)
    assert x.grad == 100.0

    x, w = leaf(torch, 3.0), leaf(torch, 2.0)
    y = x * w
    w.data = torch.tensor(100.0, dtype=torch.float64)
    y.backward()
    assert float(x.grad) == 100.0 and not recwarn.list


@proves(
    "04_scalar_networks",
    "| `MLP` | `nn.Sequential` of `nn.Linear` and `nn.Tanh` |",
    "| `network.parameters()` | `model.parameters()` |",
)
def test_the_network_is_a_sequential_of_linear_and_tanh(torch: ModuleType, solved: Any) -> None:
    nn = torch.nn
    ours = solved("04_scalar_networks")["MLP"]([2, 8, 1], seed=3)

    def doubles(numbers: Any) -> Any:
        return torch.tensor(numbers, dtype=torch.float64)

    model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)).double()
    with torch.no_grad():
        for linear, layer in zip((model[0], model[2]), ours.layers, strict=True):
            linear.weight.copy_(doubles([[w.data for w in row] for row, _ in layer]))
            linear.bias.copy_(doubles([bias.data for _, bias in layer]))
    point = [0.5, -1.5]
    assert model(doubles(point)).item() == pytest.approx(ours(point).data, rel=1e-12)
    assert sum(p.numel() for p in model.parameters()) == len(ours.parameters())


@proves(
    "04_scalar_networks",
    "## The same in PyTorch",
    "import torch",
    'print("PyTorch is not installed here: `pip install torch`, then run this cell again.")',
)
def test_the_cell_with_pytorch_finds_the_same_loss_and_gradients(torch: ModuleType, solved: Any) -> None:
    names = solved("04_scalar_networks", demonstrations=True)
    assert "the same 105 gradients: True" in names["printed"]
    assert names["your_loss"].data == pytest.approx(names["their_loss"].item(), rel=1e-12)
    assert any(names["theirs"]) and names["found"] == pytest.approx(names["theirs"], abs=1e-12)


@proves(
    "04_scalar_networks",
    "| `margin_loss` | `nn.SoftMarginLoss()` |",
    "| `loss.data`, the number | `loss.item()` |",
)
def test_margin_loss_is_the_soft_margin_loss(torch: ModuleType, solved: Any) -> None:
    scores, targets = [2.0, 0.5, -2.0], [1, -1, -1]
    loss = torch.nn.SoftMarginLoss()(torch.tensor(scores, dtype=torch.float64), torch.tensor(targets))
    assert type(loss.item()) is float
    ours = solved("04_scalar_networks")["margin_loss"](scores, targets)
    assert loss.item() == pytest.approx(ours, rel=1e-12)


@proves(
    "04_scalar_networks",
    "An *optimizer*, as PyTorch calls it, has two methods.",
    "| `SGD` with `zero_grad` and `step` | `torch.optim.SGD` |",
)
def test_sgd_steps_with_all_that_backward_has_added(torch: ModuleType) -> None:
    w = leaf(torch, 2.0)
    optimizer = torch.optim.SGD([w], lr=0.1)
    assert isinstance(optimizer, torch.optim.Optimizer)
    for x, target in ((1.0, 5.0), (3.0, 2.0)):
        ((w * x - target) ** 2 / 2).backward()
    optimizer.step()
    assert w.item() == pytest.approx(2.0 - 0.1 * 9.0)
    optimizer.zero_grad()
    assert w.grad is None or float(w.grad) == 0.0


@proves(
    "04_scalar_networks",
    "Scores that you only look at hold a graph, too: where `backward` never runs, PyTorch has `torch.no_grad()`, and "
    "nothing is recorded.",
)
def test_under_no_grad_nothing_is_recorded(torch: ModuleType) -> None:
    with torch.no_grad():
        assert (leaf(torch, 2.0) * 3).grad_fn is None


@proves(
    "04_scalar_networks",
    "| `mini_batches` | `DataLoader(dataset, batch_size=10, shuffle=True)` |",
)
@proves("10_training", "`DataLoader(..., shuffle=True)` makes PyTorch's batches, `random_split` the parts;")
def test_a_data_loader_shuffles_anew_and_keeps_the_smaller_last_batch(torch: ModuleType) -> None:
    from torch.utils.data import DataLoader, TensorDataset

    x = torch.arange(25)
    loader = DataLoader(TensorDataset(x, 10 * x), batch_size=10, shuffle=True)
    epochs = []
    for _ in range(2):
        pairs = list(loader)
        assert [len(a) for a, _ in pairs] == [10, 10, 5]
        assert all(torch.equal(10 * a, b) for a, b in pairs)
        epochs.append(torch.cat([a for a, _ in pairs]).tolist())
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(25))
    assert epochs[0] != epochs[1]
