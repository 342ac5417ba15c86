"""The first wrong node: planted mistakes are found and named, and nothing right is accused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autograd_ref.functional as F
from autograd_ref import Tensor, nn, ops, scalar
from autograd_ref.core.primitive import TABLE
from autograd_ref.gradcheck import gradcheck
from autograd_ref.rulecheck import first_wrong
from autograd_ref.scalar import RULES, Value, value

from .cases import CASES

ALL = [
    pytest.param(case, id=f"{name}-{i}")
    for name in sorted(CASES)
    if name not in ("scatter", "scatter_along")
    for i, case in enumerate(CASES[name])
]


def leaf(*values):
    return Tensor(np.array(values), requires_grad=True)


def result_of(case, dtype=float):
    out = case.ours(*[Tensor(a.astype(dtype), requires_grad=True) for a in case.args])
    return out if isinstance(out, Tensor) else out[0]


@pytest.fixture
def plant(monkeypatch):
    """`plant(name, change)` makes a primitive's rules wrong: `change` gets each gradient."""

    def make_wrong(name, change):
        primitive = TABLE[name]
        pull = primitive.pull

        def wrong(g, record):
            return [None if x is None else change(x) for x in pull(g, record)]

        monkeypatch.setattr(primitive, "pull", wrong)

    return make_wrong


@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_right_rule_is_accused(case, dtype):
    assert first_wrong(result_of(case, dtype)) is None


@pytest.mark.parametrize("case", ALL)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_wrong_rule_of_any_primitive_is_found(case, plant):
    out = result_of(case)
    operation = out.grad_fn
    if operation is None or not np.size(out.data) or any(np.size(a) == 0 for a in case.args):
        pytest.skip("nothing to differentiate")
    plant(operation.name, lambda g: g * 1.01 + 0.01)
    wrong = first_wrong(out)
    assert wrong is not None
    assert TABLE[wrong.operation] is operation.primitive


MISTAKES = {
    "the sign": lambda g: -g,
    "a factor": lambda g: 2 * g,
    "zeros": lambda g: 0 * g,
    "a transposed result": lambda g: g.T.reshape(g.shape),
    "one element alone": lambda g: g + np.eye(*g.shape) * (np.arange(g.shape[0]) == 1)[:, None] * 0.1,
    "not a number": lambda g: g * np.nan,
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_named_with_its_place_shapes_and_numbers(mistake, plant):
    x, w = leaf([1.0, -2.0, 0.5], [0.3, 0.8, -0.2]), leaf([0.5, 1.0], [-1.0, 0.2], [0.7, 0.9])
    loss = (ops.tanh(x @ w) ** 2).sum()
    plant("matmul", MISTAKES[mistake])
    wrong = first_wrong(loss)
    assert (wrong.operation, wrong.argument, wrong.position) == ("matmul", 1, 1)
    assert (wrong.input_shapes, wrong.output_shape) == (((2, 3), (3, 2)), (2, 2))
    assert str(wrong).startswith(
        "'matmul', operation 1 of the graph, with inputs of shape (2, 3), (3, 2) and a result of shape (2, 2), "
        "has a wrong rule for its argument number 1: it gives"
    )
    if mistake == "a factor":
        assert wrong.given == pytest.approx(2 * wrong.expected, rel=1e-4)
    if mistake == "not a number":
        assert "not finite" in str(wrong)


def test_the_first_of_several_wrong_operations_is_named(plant):
    x = leaf(0.3, 0.8)
    loss = (ops.sin(ops.exp(x)) * ops.cos(x)).sum()
    for name in ("sin", "cos", "sum"):
        plant(name, lambda g: g * 3)
    assert (first_wrong(loss).operation, first_wrong(loss).position) == ("sin", 2)


def test_the_argument_that_is_wrong_is_named(monkeypatch):
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    out = x / y
    right = TABLE["div"].vjps[0]
    monkeypatch.setattr(TABLE["div"], "vjps", (right, lambda g, ans, x, y: g * x / y))
    assert first_wrong(out).argument == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: g.reshape(-1)[:-1], r"it gives the shape \(5,\) in place of \(2, 3\)"),
        (lambda g: g[5, 5], "it raises IndexError"),
    ],
)
def test_a_rule_that_gives_no_number_is_quoted(change, words, plant):
    out = ops.exp(leaf([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]))
    plant("exp", change)
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(str(first_wrong(out)))


def test_a_mistake_behind_numbers_that_were_not_kept_is_found(plant):
    x = leaf(-5.0, 0.8)
    loss = (ops.exp(x + 1) + ops.sqrt(ops.exp(x + 1) + 2)).sum()  # neither x + 1 nor 1 is kept
    assert first_wrong(loss) is None
    plant("sqrt", lambda g: g * 2)
    assert first_wrong(loss).operation == "sqrt"


@pytest.mark.parametrize("kinds", [("float32", "float64"), ("float64", "float32")])
def test_a_cast_is_judged_in_the_coarser_of_its_precisions(kinds, plant):
    x = Tensor(np.array([0.3, 0.8], kinds[0]), requires_grad=True)
    out = ops.exp(ops.astype(x, kinds[1]))
    assert first_wrong(out) is None
    plant("cast", lambda g: g * 1.01)
    assert first_wrong(out).operation == "cast"


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_network_at_kinks_and_ties_is_right_and_its_planted_mistake_is_found(dtype, plant):
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.LayerNorm(36),
        nn.Linear(36, 3),
    )
    for parameter in model.parameters():
        parameter.data = parameter.data.astype(dtype)
    x = np.round(np.random.default_rng(0).normal(size=(4, 1, 6, 6))).astype(dtype)
    x[0] = 0  # all ties
    model[0].bias.data[:] = 0  # so relu stands at 0
    loss = F.cross_entropy(model(Tensor(x)), np.array([0, 1, 2, 1]))
    assert first_wrong(loss) is None
    plant("relu", lambda g: g * 1.001)
    assert first_wrong(loss).operation == "relu"


def test_numbers_of_any_size_are_no_mistake():
    for scale in (1e-12, 1e-6, 1e6, 1e12):
        x = leaf(0.3 * scale, 0.8 * scale, 1.7 * scale)
        assert first_wrong((ops.log(x) + ops.sqrt(x) + 1 / x + (x + 1) * x).sum()) is None


def test_no_gradient_and_no_graph_is_changed(plant):
    x = leaf(0.3, 0.8)
    loss = (ops.exp(x) * x).sum()
    first_wrong(loss)
    assert x.grad is None
    loss.backward()
    np.testing.assert_allclose(x.grad.data, np.exp(x.data) * (1 + x.data))


def test_first_wrong_says_where_gradcheck_says_that(plant):
    plant("sin", lambda g: g * 1.1)
    with pytest.raises(AssertionError, match="reverse mode"):
        gradcheck(lambda x: ops.sin(x).exp(), [0.3, 0.8], forward=False)
    assert first_wrong(ops.sin(leaf(0.3, 0.8)).exp()).operation == "sin"


def test_a_graph_that_backward_has_freed_says_so():
    y = (leaf(1.0, 2.0) ** 2).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        first_wrong(y)


def test_what_has_no_graph_is_refused_in_a_sentence_or_right():
    assert first_wrong(leaf(1.0)) is None
    assert first_wrong(Value(1.0)) is None
    with pytest.raises(TypeError, match="not float: pass the result"):
        first_wrong(1.0)


# Values ----------------------------------------------------------------------------------------------------------


def every_operation(x, y):
    parts = [x + y, x * y, x / y, x**y, x + 2, 2 - x, x * 3, 3 / x, x / 3, x**2.5, 2**x, -x]
    parts += [getattr(scalar, name)(x) for name in RULES if name.isalpha()]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@pytest.mark.parametrize("size", [1e-9, 1.0, 300.0])
def test_no_right_rule_of_a_value_is_accused(size):
    assert first_wrong(every_operation(Value(0.7 * size), Value(1.3))) is None


def test_kinks_and_borders_of_values_are_no_mistake():
    x = Value(0.0)
    assert first_wrong(scalar.relu(x) + scalar.relu(-x) * 2 + x**2) is None


@pytest.mark.parametrize("name", list(RULES))
def test_a_wrong_rule_of_a_value_is_found(name, monkeypatch):
    right = RULES[name]

    def wrong(*numbers):
        value, *partials = right(*numbers)
        return (value, *[p * 1.01 for p in partials])

    monkeypatch.setitem(RULES, name, wrong)
    for inner in ("_add", "_multiply"):
        if getattr(value, inner) is right:
            monkeypatch.setattr(value, inner, wrong)
    found = first_wrong(every_operation(Value(0.7), Value(1.3)))
    assert found.operation.strip("0123456789.-") in (name, "") or found.operation == name
    assert found.given == pytest.approx(1.01 * found.expected, rel=1e-6)


def test_the_first_wrong_value_is_named_with_its_numbers():
    a, b = Value(2.0), Value(3.0)
    product = a * b
    product._db = 3.0  # b in place of a
    L = scalar.exp(product * 0.1) ** 2
    wrong = first_wrong(L)
    assert (wrong.operation, wrong.argument, wrong.position, wrong.given) == ("*", 2, 1, 3.0)
    assert wrong.expected == pytest.approx(2.0)
    assert math.isclose(L.data, math.exp(0.6) ** 2)
