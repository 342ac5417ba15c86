"""Reverse mode on single numbers: every row of the table, the graph, the errors."""

import functools
import gc
import math
import operator
import random
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_ref import scalar
from autograd_ref.dual import gradient
from autograd_ref.scalar import RULES, Value

BINARY = {"+": operator.add, "*": operator.mul, "/": operator.truediv, "**": operator.pow}
UNARY = {
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "sqrt": math.sqrt,
    "tanh": math.tanh,
    "sigmoid": lambda x: 1.0 / (1.0 + math.exp(-x)),
    "relu": lambda x: max(0.0, x),
}
POSITIVE_ONLY = {"log", "sqrt", "**"}
DERIVED = {"-": operator.sub}


def numeric(f, xs, i, step=1e-5):
    """The derivative of f by its i-th argument: central differences with one Richardson step."""

    def central(h):
        return (
            f(*(x + h * (k == i) for k, x in enumerate(xs)))
            - f(*(x - h * (k == i) for k, x in enumerate(xs)))
        ) / (2 * h)

    return (4 * central(step / 2) - central(step)) / 3


def points(op, count):
    """Arguments for an operation: signs mixed where it allows, none of them special."""
    rng = random.Random(op)
    for _ in range(20):
        xs = [
            rng.uniform(0.2, 3.0) * (1 if op in POSITIVE_ONLY else rng.choice([-1, 1])) for _ in range(count)
        ]
        yield xs


def reverse(f, xs):
    leaves = [Value(x) for x in xs]
    out = f(*leaves)
    out.backward()
    return out.data, [leaf.grad for leaf in leaves]


def test_every_row_of_the_table_is_tested():
    assert set(RULES) == set(BINARY) | set(UNARY)


@pytest.mark.parametrize("op", BINARY)
def test_a_binary_rule_gives_the_value_and_the_numeric_derivatives(op):
    for xs in points(op, 2):
        value, grads = reverse(BINARY[op], xs)
        assert value == BINARY[op](*xs)
        assert grads == pytest.approx([numeric(BINARY[op], xs, i) for i in range(2)], rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("op", UNARY)
def test_a_unary_rule_gives_the_value_and_the_numeric_derivative(op):
    for xs in points(op, 1):
        value, grads = reverse(getattr(scalar, op), xs)
        assert value == pytest.approx(UNARY[op](*xs), rel=1e-15)
        assert grads == pytest.approx([numeric(UNARY[op], xs, 0)], rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("op", UNARY)
def test_method_and_function_agree_and_the_function_takes_floats_too(op):
    (x,) = next(points(op, 1))
    assert getattr(Value(x), op)().data == getattr(scalar, op)(Value(x)).data == getattr(scalar, op)(x)


@pytest.mark.parametrize("op", BINARY | DERIVED)
@pytest.mark.parametrize("constant", [3, 1.75, np.float64(1.75), np.float32(1.75), np.int64(3), True])
def test_a_plain_number_may_stand_on_either_side(op, constant):
    f, x = (BINARY | DERIVED)[op], 1.3
    left, right = reverse(lambda v: f(constant, v), [x]), reverse(lambda v: f(v, constant), [x])
    assert left[0] == f(float(constant), x)
    assert right[0] == f(x, float(constant))
    assert left[1] == pytest.approx([numeric(lambda v: f(float(constant), v), [x], 0)], rel=1e-7)
    assert right[1] == pytest.approx([numeric(lambda v: f(v, float(constant)), [x], 0)], rel=1e-7)


def test_a_plain_number_is_part_of_the_operation_and_not_a_parent():
    x = Value(3.0)
    nodes = [x * 2, 2 * x, x + 1, x - 1, 1 / x, x / 4, x**2, 2**x, -x]
    assert [node.op for node in nodes] == ["*2", "*2", "+1", "-1", "1/", "/4", "**2", "2**", "*-1"]
    assert all(node.parents == (x,) for node in nodes)


def test_derived_operations_have_no_rules_and_round_as_python_does():
    for a, b in [(5.0, 3.0), (0.1, 0.7), (1e300, 7.0)]:
        assert (Value(a) - Value(b)).data == a - b
        assert (Value(a) / Value(b)).data == a / b
        assert (-Value(a)).data == -a
    assert "-" not in RULES


def test_known_gradients_of_the_course():
    assert reverse(lambda a, b, c: (a * b + c) ** 2, [2.0, 3.0, 1.0]) == (49.0, [42.0, 28.0, 14.0])
    assert reverse(lambda x, y: x * y + x, [2.0, 3.0])[1] == [4.0, 2.0]
    x, y, z = 1.5, -2.0, 4.0
    assert reverse(lambda x, y, z: x * y + z * (x + y), [x, y, z])[1] == [y + z, x + z, x + y]
    assert reverse(lambda a, b: (a * b) * (b + 1), [2.0, 3.0])[1] == [12.0, 14.0]


def test_a_value_used_several_times_collects_every_contribution():
    assert reverse(lambda x: x * x * x + x, [3.0])[1] == [28.0]
    x = Value(3.0)
    shared = x * 2
    (shared * shared + shared).backward()
    assert (x.grad, shared.grad) == (26.0, 13.0)


def test_a_second_backward_doubles_leaf_gradients_and_renews_those_between():
    x = Value(2.0)
    middle = x * x
    top = middle * middle * 3
    top.backward()
    once = (x.grad, middle.grad, top.grad)
    top.backward()
    assert (x.grad, middle.grad, top.grad) == (2 * once[0], once[1], once[2])
    middle.backward()
    assert (x.grad, middle.grad) == (2 * once[0] + 4.0, 1.0)


def test_two_results_of_one_graph_add_up_in_its_leaves():
    x = Value(2.0)
    shared = x.exp()
    (shared * 3).backward()
    (shared * x).backward()
    assert x.grad == pytest.approx(3 * math.exp(2) + math.exp(2) * 3)


def test_backward_multiplies_by_the_incoming_gradient():
    x = Value(3.0)
    (x * x).backward(-0.5)
    assert x.grad == -3.0


def test_backward_on_a_leaf_adds_the_incoming_gradient():
    x = Value(3.0)
    x.backward()
    x.backward(2.0)
    assert x.grad == 3.0


def test_zero_grad_clears_the_whole_graph_below():
    x, y = Value(2.0), Value(5.0)
    middle = x * y
    top = middle + x
    top.backward()
    top.zero_grad()
    assert [v.grad for v in (x, y, middle, top)] == [0.0] * 4
    top.backward()
    assert (x.grad, y.grad) == (6.0, 2.0)


def test_a_chain_of_100_000_operations_works_and_can_be_deleted():
    x = Value(0.5)
    y = x
    for k in range(100_000):
        y = y + x if k % 2 else y * 1.0
    y.backward()
    assert x.grad == 50_001.0
    y.zero_grad()
    assert x.grad == 0.0
    del y


def test_a_graph_is_freed_without_the_garbage_collector():
    class Watched(Value):
        __slots__ = ("__weakref__",)

    gc.disable()
    try:
        x = Watched(2.0)
        y = (x * x).sin() + 1
        y.backward()
        gone = weakref.ref(x)
        del x, y
        assert gone() is None
    finally:
        gc.enable()


def test_updating_data_after_the_forward_pass_does_not_change_its_gradients():
    x, y = Value(2.0), Value(3.0)
    z = x * y
    x.data, y.data = 100.0, 200.0
    z.backward()
    assert (x.grad, y.grad) == (3.0, 2.0)


def test_edge_cases_are_those_of_pytorch():
    assert reverse(scalar.relu, [0.0]) == (0.0, [0.0])
    assert reverse(scalar.sqrt, [0.0]) == (0.0, [math.inf])
    assert reverse(operator.pow, [0.0, 0.0]) == (1.0, [0.0, 0.0])
    assert reverse(operator.pow, [0.0, 2.0]) == (0.0, [0.0, 0.0])
    assert reverse(operator.pow, [0.0, 0.5]) == (0.0, [math.inf, 0.0])
    assert reverse(lambda x: x**0, [0.0]) == (1.0, [0.0])
    assert reverse(lambda x: x**3, [-2.0]) == (-8.0, [12.0])
    value, (by_base, by_exponent) = reverse(operator.pow, [-2.0, 3.0])
    assert (value, by_base) == (-8.0, 12.0)
    assert math.isnan(by_exponent)


def test_a_derivative_that_overflows_is_infinite_where_the_value_is_not():
    assert reverse(lambda x: x**-1, [1e-200]) == (1e200, [-math.inf])
    assert reverse(lambda x: x**-2.0, [-1e-120]) == (pytest.approx(1e240), [math.inf])


def test_sigmoid_and_tanh_are_stable_far_from_zero():
    assert reverse(scalar.sigmoid, [1e4]) == (1.0, [0.0])
    assert reverse(scalar.sigmoid, [-1e4]) == (0.0, [0.0])
    assert reverse(scalar.sigmoid, [-700.0])[0] == pytest.approx(math.exp(-700.0))
    assert reverse(scalar.tanh, [1e4]) == (1.0, [0.0])


def test_nan_goes_through_and_is_not_hidden():
    for op in UNARY:
        assert math.isnan(getattr(Value(math.nan), op)().data), op


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Value(0.0).log(), ValueError, ["log(0.0)", "positive", "add a small number"]),
        (lambda: Value(-1.5).log(), ValueError, ["log(-1.5)", "positive"]),
        (lambda: scalar.log(-1), ValueError, ["log(-1.0)", "positive"]),
        (lambda: Value(-4.0).sqrt(), ValueError, ["sqrt(-4.0)", "at least 0"]),
        (lambda: Value(-2.0) ** 0.5, ValueError, ["(-2.0) ** 0.5", "whole exponent"]),
        (lambda: Value(math.inf).sin(), ValueError, ["sin(inf)", "finite"]),
        (lambda: Value(3.0) / 0, ZeroDivisionError, ["3.0 / 0.0", "must not be 0"]),
        (lambda: 1 / Value(0.0), ZeroDivisionError, ["1.0 / 0.0", "must not be 0"]),
        (lambda: Value(0.0) ** -1, ZeroDivisionError, ["0.0 ** -1.0", "must not be 0"]),
        (lambda: Value(1e3).exp(), OverflowError, ["exp(1000.0)", "709.78"]),
        (lambda: Value(10.0) ** 400, OverflowError, ["(10.0) ** 400.0", "scale"]),
        (lambda: Value("3"), TypeError, ["data", "str", "pass an int or a float"]),
        (lambda: Value(1.0).backward("1"), TypeError, ["gradient", "str"]),
        (lambda: scalar.exp([1.0]), TypeError, ["argument of exp", "list"]),
        (lambda: Value(1.0) + "a", TypeError, ["+", "Value", "str"]),
        (lambda: "a" - Value(1.0), TypeError, ["Value", "str"]),
        (lambda: Value(1.0) * np.ones(3), TypeError, ["Value"]),
    ],
)
def test_an_error_is_one_sentence_that_says_what_it_was_and_what_to_do(make, error, words):
    with pytest.raises(error) as caught:
        make()
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert "\n" not in message


def test_math_functions_refuse_a_value_instead_of_losing_its_derivative():
    with pytest.raises(TypeError):
        math.sin(Value(1.0))


# Random expressions are programs over a growing list: each step names an operation and two earlier values.
SMOOTH = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / (b * b + 1.0),
    "**": lambda a, b: (a * a + 0.5) ** (0.3 * scalar.tanh(b)),
    "sin": lambda a, b: scalar.sin(a),
    "cos": lambda a, b: scalar.cos(b),
    "exp": lambda a, b: scalar.exp(scalar.tanh(a)),
    "log": lambda a, b: scalar.log(a * a + 0.7),
    "sqrt": lambda a, b: scalar.sqrt(a * a + b * b + 0.3),
    "tanh": lambda a, b: scalar.tanh(a),
    "sigmoid": lambda a, b: scalar.sigmoid(a - b),
    "const": lambda a, b: 2.0 - 3 * a + b / 2 + 1.5 ** scalar.sin(b),
}
steps = st.lists(
    st.tuples(st.sampled_from(sorted(SMOOTH)), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=8
)
numbers = st.floats(-2.0, 2.0).map(lambda x: round(x, 3))


def run(program, *xs):
    values = list(xs)
    for name, i, j in program:
        values.append(scalar.tanh(SMOOTH[name](values[i % len(values)], values[j % len(values)])) * 2.0)
    # Not with `sum`, which has compensated for rounding since Python 3.12, but for plain floats only.
    return functools.reduce(operator.add, values[len(xs) :], 0.5 * values[0])


@settings(max_examples=150, deadline=None)
@given(program=steps, xs=st.tuples(numbers, numbers, numbers))
def test_reverse_forward_and_numeric_derivatives_of_random_expressions_agree(program, xs):
    def f(*xs):
        return run(program, *xs)

    value, grads = reverse(f, xs)
    assert value == f(*xs)
    assert grads == pytest.approx(gradient(f, xs), rel=1e-9, abs=1e-11)
    assert grads == pytest.approx([numeric(f, xs, i, 1e-4) for i in range(3)], rel=1e-4, abs=1e-5)
