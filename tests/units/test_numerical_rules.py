"""A difference quotient is no rule: whoever answers all rules of a unit with one earns nothing for them.

Each helper differentiates the operation itself, at the inputs that the rule is given. Real differences are inexact,
and lost beside large and endless numbers; the complex step (Squire and Trapp, 1998, doi:10.1137/S003614459631241X) is
exact, and lost where numbers are so small that its product with them is 0. Both take a run for each number.
"""

from __future__ import annotations

import ast
import copy
import textwrap

import pytest

from autograder.referee.judge import grade
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment
from autograder.unit.cell import CHECK
from autograder.unit.ingest import Submission

from .test_units import COURSE, assignment_of

#: How `slope(f, g, xs, k)` finds g times the derivative of f by xs[k]; `moved` changes that input, or one number of it.
HELPERS = {
    "central difference": """
        h = 1e-5
        return (g * (f(*moved(h)) - f(*moved(-h)))) / (2 * h)
    """,
    "five points": """
        h = 1e-3
        return g * (f(*moved(-2 * h)) - 8 * f(*moved(-h)) + 8 * f(*moved(h)) - f(*moved(2 * h))) / (12 * h)
    """,
    "five points, closer": """
        h = 1e-5
        return g * (f(*moved(-2 * h)) - 8 * f(*moved(-h)) + 8 * f(*moved(h)) - f(*moved(2 * h))) / (12 * h)
    """,
    "step of 1": """
        return g * (f(*moved(1.0)) - f(*moved(-1.0))) / 2
    """,
    "complex step": """
        h = 1e-20
        return g * np.imag(f(*moved(1j * h))) / h
    """,
    "complex step, g last": """
        h = 1e-20
        return np.imag(f(*moved(1j * h))) / h * g
    """,
    "complex step, relative": """
        h = 1e-20 * (float(np.max(np.abs(x))) or 1.0)
        return np.imag(f(*moved(1j * h))) / h * g
    """,
}

COMMON = """
import cmath
import math
import numpy as np

def slope(f, g, xs, k, place=None):
    x = xs[k] if place is None else xs[k][place]

    def moved(step):
        if place is None:
            return (*xs[:k], xs[k] + step, *xs[k + 1:])
        there = xs[k].astype(complex if isinstance(step, complex) else float)
        there[place] += step
        return (*xs[:k], there, *xs[k + 1:])

HELPER

def of_numbers(f, g, *xs):
    return tuple(slope(f, g, xs, k) for k in range(len(xs)))

def of_pairs(f, *pairs):
    xs, vs = pairs[::2], pairs[1::2]
    return f(*xs).real, sum(slope(f, v, xs, k) for k, v in enumerate(vs))

def of_arrays(f, g, *xs):
    with np.errstate(all="ignore"):
        found = []
        for k, x in enumerate(xs):
            back = np.zeros_like(x, dtype=float)
            for place in np.ndindex(x.shape):
                back[place] = np.sum(slope(f, g, xs, k, place))
            found.append(back)
        return tuple(found)

def largest(a, b):
    return np.where(np.real(a) >= np.real(b), a, b)
"""

SCALAR = {
    "exp": "lambda a: cmath.exp(a)",
    "log": "lambda a: cmath.log(a)",
    "sin": "lambda a: cmath.sin(a)",
    "cos": "lambda a: cmath.cos(a)",
    "sqrt": "lambda a: cmath.sqrt(a)",
}
SHARE = "lambda a, da, b, db: of_pairs(lambda a, b: a / (a + b), a, da, b, db)"
CUBE = "lambda g, out, a: tuple(np.real(of_numbers(lambda a: a**3, g, a)).tolist())"
E = "np.exp(z - z.real.max(-1, keepdims=True))"
SOFT = f"lambda z: {E} / {E}.sum(-1, keepdims=True)"

#: By unit and exercise: functions and their text. What is not named keeps the solution's.
RULES: dict[str, dict[str, str]] = {
    "02_forward_mode": {
        "add_jvp": "add_jvp = lambda a, da, b, db: of_pairs(lambda a, b: a + b, a, da, b, db)",
        "mul_jvp": "mul_jvp = lambda a, da, b, db: of_pairs(lambda a, b: a * b, a, da, b, db)",
        "chain_jvp": "chain_jvp = lambda f, f_prime, a, da: of_pairs(f, a, da)",
        "mended_jvps": f"""
rules = mended_jvps()
mended_jvps = lambda: {{**rules, "share": {SHARE}}}""",
    },
    "03_reverse_mode": {
        "exp_log_sqrt": "\n".join(
            f"{n}_vjp = lambda g, out, a: of_numbers({SCALAR[n]}, g, a)" for n in ("exp", "log", "sqrt")
        ),
        "sin_cos": "\n".join(
            f"{n}_vjp = lambda g, out, a: of_numbers({SCALAR[n]}, g, a)" for n in ("sin", "cos")
        ),
        "relu_vjp": "relu_vjp = lambda g, out, a: of_numbers(lambda a: a if a.real > 0 else 0 * a, g, a)",
        "mended_rules": f"""
rules = mended_rules()
mended_rules = lambda: {{**rules, "cube": {CUBE}}}""",
    },
    "05_tensors": {
        "array_arithmetic": "\n".join(
            f"{name}_rule = lambda g, out, a, b: elementwise(lambda a, b: a {sign} b, g, a, b)"
            for name, sign in (("mul", "*"), ("div", "/"))
        ),
        "array_functions": """
tanh_rule = lambda g, out, a: elementwise(np.tanh, g, a)
power_rule = lambda g, out, a, n: elementwise(lambda a: a**n, g, a)
""",
        "stable_sigmoid": "sigmoid_rule = lambda g, out, a: elementwise(lambda a: 1 / (1 + np.exp(-a)), g, a)",
        "maximum_ties": "maximum_rule = lambda g, out, a, b: elementwise(largest, g, a, b)",
        "mended_array_rules": """
rules = mended_array_rules()
mended_array_rules = lambda: {**rules, "square": lambda g, out, a: elementwise(lambda a: a * a, g, a)}
""",
    },
    "06_shapes_and_matmul": {
        "sum_and_mean": """
def sum_rule(g, out, a, axis=None, keepdims=False):
    return of_arrays(lambda a: a.sum(axis, keepdims=keepdims), g, a)

def mean_rule(g, out, a, axis=None, keepdims=False):
    return of_arrays(lambda a: a.mean(axis, keepdims=keepdims), g, a)
""",
        "amax_rule": "amax_rule = lambda g, out, a, axis: of_arrays(lambda a: a.max(axis, keepdims=True), g, a)",
        "move_rules": """
reshape_rule = lambda g, out, a, shape: of_arrays(lambda a: a.reshape(shape), g, a)
permute_rule = lambda g, out, a, axes: of_arrays(lambda a: np.transpose(a, axes), g, a)
""",
        "index_rule": "index_rule = lambda g, out, a, index: of_arrays(lambda a: a[index], g, a)",
        **{
            name: f"{name} = lambda g, out, a, b: of_arrays(lambda a, b: a @ b, g, a, b)"
            for name in ("matmul_rule", "batched_matmul_rule")
        },
        "mended_lookup": """
def mended_lookup(g, index, table, W, v):
    return of_arrays(lambda table, W, v: np.tanh(table[index] @ W) @ v, g, table, W, v)
""",
        "two_layer_rule": """
def two_layer_rule(g, out, *inputs):
    return of_arrays(lambda x, W1, b1, W2, b2: largest(x @ W1 + b1, 0.0) @ W2 + b2, g, *inputs)
""",
    },
    "07_losses": {
        "mse_rule": "mse_rule = lambda g, out, p, y: of_arrays(lambda p: ((p - y) ** 2).mean(), g, p)",
        "softmax_rule": f"softmax_rule = lambda g, out, z: of_arrays({SOFT}, g, z)",
        "log_softmax_rule": f"log_softmax_rule = lambda g, out, z: of_arrays(lambda z: np.log(({SOFT})(z)), g, z)",
        "cross_entropy_rule": f"""
def cross_entropy_rule(g, out, logp, labels):
    rows = np.arange(len(labels))
    return of_arrays(lambda z: -np.log(({SOFT})(z))[rows, labels].mean(), g, logp)
""",
        "bce_rule": """
def bce_rule(g, out, z, t):
    def loss(z):
        low = np.where(np.real(z) > 0, -z, z)
        return (largest(z, 0.0) - t * z + np.log1p(np.exp(low))).mean()
    return of_arrays(loss, g, z)
""",
        "mended_loss_rules": """
rules = mended_loss_rules()
distance = lambda g, out, x, y: of_arrays(lambda x: ((x - y) ** 2).sum(axis=1).mean() / 2, g, x)
mended_loss_rules = lambda: {**rules, "distance": distance}
""",
    },
    "13_second_derivatives": {
        "tanh_rule": "tanh_rule = lambda g, out, a: (slope(lambda a: a.tanh(), g, (a,), 0),)",
        "fixed_point_rule": """
def fixed_point_rule(g, z, W, x):
    def loop(W, x):
        found = z
        for _ in range(300):
            found = np.tanh(W @ found + x)
        return found

    return of_arrays(loop, g, W, x)
""",
    },
    "14_convolution": {
        "conv1d_rule": """
def conv1d_rule(g, x, w):
    places = range(len(x) - len(w) + 1)
    return of_arrays(lambda x, w: np.array([(w * x[i : i + len(w)]).sum() for i in places]), g, x, w)
""",
        "patch_product_rule": """
def patch_product_rule(g, p, weight):
    def layer(p, weight, bias):
        return weight.reshape(len(weight), -1) @ p + bias[:, None]

    return of_arrays(layer, g, p, weight, np.zeros(len(weight)))
""",
        "mended_rule": """
def mended_rule(g, x, weight, stride, padding):
    kh, kw = weight.shape[1:]

    def layer(x, weight):
        x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
        out = np.zeros(g.shape, np.result_type(x, weight))
        for i, j in np.ndindex(*g.shape[2:]):
            seen = x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
            out[:, :, i, j] = (seen * weight).sum(axis=(2, 3))
        return out

    return of_arrays(layer, g, x, weight)
""",
    },
    "15_attention": {
        "attention_rule": """
def attention_rule(g, p, q, k, v):
    past = np.tri(p.shape[-1])

    def layer(q, k, v):
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        e = past * np.exp(scores - scores.real.max(axis=-1, keepdims=True))
        return (e / e.sum(axis=-1, keepdims=True)) @ v

    return of_arrays(layer, g, q, k, v)
""",
        "block_rule": """
def block_rule(g, x, W):
    def layer(x, W):
        centred = x - x.mean(axis=-1, keepdims=True)
        n = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
        return x + np.tanh(n @ W)

    return of_arrays(layer, g, x, W)
""",
    },
    "16_small_gpt": {
        "tied_rule": """
def tied_rule(ids, g, h, to_logits):
    def both(E):
        return np.sum(E[ids] * g) + np.sum((h @ E.T) * to_logits)

    return of_arrays(both, 1.0, np.zeros((to_logits.shape[1], h.shape[1])))[0]
""",
    },
}

#: Nothing tells these from a rule. The slope of a sum is 1, whatever the inputs; and a relu of complex numbers has to
#: decide by the real part, as its rule does. What a table gives is linear in it: moved by one number, it gives
#: that number's slope.
SAME_AS_A_RULE = {
    ("02_forward_mode", "add_jvp"): ("complex step, g last",),
    ("03_reverse_mode", "relu_vjp"): ("complex step", "complex step, g last", "complex step, relative"),
    ("16_small_gpt", "tied_rule"): tuple(HELPERS),
}

ELEMENTWISE = """
def elementwise(f, g, *xs):
    with np.errstate(all="ignore"):
        g = np.asarray(g)
        back = []
        for k in range(len(xs)):
            back.append(np.asarray(slope(f, g, xs, k), dtype=g.dtype))
        return tuple(back)
"""


def answers(unit: str, helper: str) -> dict[str, str]:
    """The answers of a submission that has every rule of a unit from this helper."""
    common = COMMON.replace("HELPER", textwrap.indent(textwrap.dedent(HELPERS[helper]), "    ")) + ELEMENTWISE
    given = {e.name: e.solution for e in assignment_of(unit).exercises}
    for name, text in RULES[unit].items():
        given[name] += f"\n{common}\n{text}\n"
    return given


def test_the_table_names_every_rule_that_the_course_asks_for() -> None:
    asked = {
        (unit, exercise.name)
        for unit in COURSE.units()
        for exercise in assignment_of(unit).exercises
        for node in ast.walk(ast.parse(exercise.solution))
        if isinstance(node, ast.FunctionDef) and node.name.endswith(("_rule", "_jvp", "_vjp"))
        if node.name != "wrong_rule"  # which names one, and is none
    }
    assert asked <= {(unit, name) for unit, rules in RULES.items() for name in rules}


def rules_alone(unit: str) -> Assignment:
    """A unit whose other exercises are not checked: some of them train for seconds, and no helper is in them."""
    alone = copy.copy(assignment_of(unit))
    alone.released = tuple(c for c in alone.released if c.kind != CHECK or c.exercise in RULES[unit])
    return alone


@pytest.mark.parametrize("helper", HELPERS)
@pytest.mark.parametrize("unit", RULES)
def test_difference_quotients_earn_nothing_for_rules(unit: str, helper: str, sandbox: Sandbox) -> None:
    report = grade(rules_alone(unit), Submission(answers=answers(unit, helper)), sandbox, seed=11, entries=[])
    earned = {o.name: o.points for o in report.outcomes if o.name in RULES[unit] and o.points}
    allowed = {name for (u, name), helpers in SAME_AS_A_RULE.items() if u == unit and helper in helpers}
    assert {o.name for o in report.outcomes} == set(RULES[unit])
    assert set(earned) <= allowed, earned
    assert not [note for note in report.notes if "at fault" in note]
