"""Forward mode on single numbers: the table's rows once more, directions, and how many runs they take."""

import math
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_ref import dual
from autograd_ref.dual import RULES, Dual, derivative, gradient, jvp

BINARY = {"+": operator.add, "*": operator.mul, "/": operator.truediv, "**": operator.pow}

# Textbook derivatives, written with `math` alone and unlike the table.
TEXTBOOK = {
    "exp": lambda x: math.exp(x),
    "log": lambda x: x**-1,
    "sin": lambda x: math.cos(x),
    "cos": lambda x: math.cos(x + math.pi / 2),
    "sqrt": lambda x: 0.5 * x**-0.5,
    "tanh": lambda x: math.cosh(x) ** -2,
    "sigmoid": lambda x: 0.25 * math.cosh(x / 2) ** -2,
    "relu": lambda x: float(x > 0),
}
BINARY_TEXTBOOK = {
    "+": lambda a, b, da, db: da + db,
    "*": lambda a, b, da, db: da * b + a * db,
    "/": lambda a, b, da, db: (da * b - a * db) / b**2,
    "**": lambda a, b, da, db: math.exp(b * math.log(a)) * (db * math.log(a) + b * da / a),
}
positive = st.floats(0.1, 5.0)


def test_every_row_of_the_table_is_tested():
    assert set(RULES) == set(TEXTBOOK) | set(BINARY_TEXTBOOK)


@pytest.mark.parametrize("op", TEXTBOOK)
@given(x=positive, v=st.floats(-3.0, 3.0))
def test_a_function_carries_the_tangent_by_its_textbook_derivative(op, x, v):
    result = getattr(Dual(x, v), op)()
    assert result.primal == getattr(dual, op)(x)
    assert result.tangent == pytest.approx(TEXTBOOK[op](x) * v, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("op", BINARY_TEXTBOOK)
@given(a=positive, b=positive, da=st.floats(-3.0, 3.0), db=st.floats(-3.0, 3.0))
def test_an_operator_carries_both_tangents_by_its_textbook_rule(op, a, b, da, db):
    result = BINARY[op](Dual(a, da), Dual(b, db))
    assert result.primal == BINARY[op](a, b)
    assert result.tangent == pytest.approx(BINARY_TEXTBOOK[op](a, b, da, db), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("op", BINARY)
@given(a=positive, b=positive, v=st.floats(-3.0, 3.0))
def test_a_plain_number_on_either_side_has_the_tangent_0(op, a, b, v):
    f, rule = BINARY[op], BINARY_TEXTBOOK[op]
    assert f(Dual(a, v), b).tangent == pytest.approx(rule(a, b, v, 0.0), rel=1e-9, abs=1e-9)
    assert f(a, Dual(b, v)).tangent == pytest.approx(rule(a, b, 0.0, v), rel=1e-9, abs=1e-9)


@given(a=positive, b=positive)
def test_subtraction_and_negation_are_derived(a, b):
    x, y = Dual(a, 2.0), Dual(b, 3.0)
    assert ((x - y).primal, (x - y).tangent) == (a - b, -1.0)
    assert ((b - x).primal, (b - x).tangent) == (b - a, -2.0)
    assert ((-x).primal, (-x).tangent) == (-a, -2.0)


def test_the_table_of_the_course_gives_12_and_14():
    def e(a, b):
        return (a * b) * (b + 1)

    assert jvp(e, (2, 3), (1, 0)) == (24.0, 12.0)
    assert jvp(e, (2, 3), (0, 1)) == (24.0, 14.0)
    assert gradient(e, (2, 3)) == (12.0, 14.0)


def test_a_jvp_takes_one_run_and_a_gradient_one_run_per_argument():
    runs = []

    def f(*xs):
        runs.append(xs)
        return sum(x * x for x in xs)

    jvp(f, [1.0] * 5, [1.0] * 5)
    assert len(runs) == 1
    assert gradient(f, [1.0, 2.0, 3.0, 4.0, 5.0]) == (2.0, 4.0, 6.0, 8.0, 10.0)
    assert len(runs) == 6


@given(v=st.tuples(st.floats(-5, 5), st.floats(-5, 5)))
def test_a_jvp_is_the_gradient_times_the_direction(v):
    def f(a, b):
        return dual.sin(a * b) + a / b

    da, db = gradient(f, (1.3, -0.7))
    assert jvp(f, (1.3, -0.7), v)[1] == pytest.approx(da * v[0] + db * v[1], rel=1e-12, abs=1e-12)


def test_a_function_that_ignores_its_argument_has_the_derivative_0():
    assert derivative(lambda x: 7, 2.0) == 0.0
    assert gradient(lambda a, b: a * 3, (1.0, 2.0)) == (3.0, 0.0)


def test_an_argument_that_does_not_move_adds_nothing_where_its_derivative_does_not_exist():
    assert derivative(lambda x: x**3, -2.0) == 12.0
    assert gradient(lambda x, n: x**n, (-2.0, 3.0))[0] == 12.0
    assert jvp(lambda x: dual.sqrt(x), (0.0,), (0.0,)) == (0.0, 0.0)


def test_edge_cases_are_those_of_reverse_mode():
    assert derivative(dual.relu, 0.0) == 0.0
    assert derivative(dual.sqrt, 0.0) == math.inf
    assert derivative(lambda x: x**0, 0.0) == 0.0


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: derivative(dual.log, 0), ValueError, ["log(0.0)", "positive"]),
        (lambda: jvp(operator.add, (1, 2), (1,)), ValueError, ["vs", "2", "1", "equally long"]),
        (lambda: derivative(lambda x: [x], 1.0), TypeError, ["result of f", "list"]),
        (lambda: Dual("1"), TypeError, ["primal", "str"]),
        (lambda: Dual(1, None), TypeError, ["tangent", "NoneType"]),
        (lambda: Dual(1) + "a", TypeError, ["Dual", "str"]),
    ],
)
def test_an_error_is_one_sentence_that_says_what_it_was(make, error, words):
    with pytest.raises(error) as caught:
        make()
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert "\n" not in str(caught.value)


def test_dual_and_value_do_not_mix():
    from autograd_ref.scalar import Value

    for make in (lambda: Dual(1.0) * Value(2.0), lambda: Value(2.0) + Dual(1.0)):
        with pytest.raises(TypeError):
            make()
