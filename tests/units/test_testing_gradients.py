# ruff: noqa: E501  (an attack stays on its line)
"""Unit 11 is graded by mutation: who looks for anything else than what a rule or an engine computes finds nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from autograder.lesson import questions
from autograder.lesson.failures import CheckFailed
from autograder.lesson.probes import LocalBoundary, Session, use_session
from autograder.referee.check_cells import compiled, remember, setup_names
from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.ingest import Submission
from autograder.unit.notebook import visible_part

from .test_units import assignment_of

UNIT = "11_testing_gradients"

#: Each defines `guess(things)`, which says whether what was given is right: by anything but by testing it.
GUESSES = {
    "all are right": "def guess(things):\n    return True\n",
    "all are wrong": "def guess(things):\n    return False\n",
    "by turns": "turns = []\ndef guess(things):\n    turns.append(1)\n    return len(turns) % 2 == 0\n",
    "twice alike": "turns = []\ndef guess(things):\n    turns.append(1)\n    return len(turns) // 2 % 4 == 0\n",
    "by a coin": "def guess(things):\n    return bool(np.random.default_rng().random() < 0.2)\n",
    "by address": "def guess(things):\n    return sum(map(id, things)) // 16 % 5 == 0\n",
    "by hash": "def guess(things):\n    return hash(things[0]) % 5 == 0\n",
    "by code": """
seen = []
def guess(things):
    code = repr([getattr(t, "__code__", None) and (t.__code__.co_code, t.__code__.co_consts, t.__code__.co_firstlineno) for t in things])
    seen.append(code)
    return code == seen[0]
""",
    "by closures": """
def guess(things):
    found = [cell.cell_contents for t in things for cell in (getattr(t, "__closure__", None) or ())]
    found += [cell.cell_contents for t in found for cell in (getattr(t, "__closure__", None) or ())]
    text = repr([getattr(x, "__dict__", x) for x in found]) + repr([getattr(x, "__slots__", ()) for x in found])
    return "wrong" not in text and "fault" not in text and "right=False" not in text
""",
    "by frames": """
def guess(things):
    import sys
    frame, found = sys._getframe(), []
    while frame is not None:
        found.append({name: repr(value)[:300] for name, value in frame.f_locals.items()})
        frame = frame.f_back
    text = repr(found[2:])
    return not any(word in text for word in ("Suspect", "right=False", "about=", "missed"))
""",
    "by the garbage collector": """
def guess(things):
    import gc
    suspects = [o for o in gc.get_objects() if type(o).__name__ in ("Suspect", "Engine", "Asked", "Node")]
    return all(getattr(o, "right", True) for o in suspects[:1])
""",
    "by source": """
def guess(things):
    import inspect
    try:
        text = inspect.getsource(things[0])
    except (OSError, TypeError):
        text = ""
    return "fault" not in text
""",
    "by asking who is right": """
def guess(things):
    found = []
    for t in things:
        for cell in getattr(t, "__closure__", None) or ():
            ask = cell.cell_contents
            for question in (("right",), ("about",), ("kind",), ("fault",), "right", None, (), {"right": 1}, ("f",), ("rule",)):
                try:
                    found.append(ask(question))
                except Exception as error:
                    found.append(str(error))
    return "wrong" not in repr(found)
""",
    "by the time that it takes": """
times = []
def guess(things):
    import time
    start = time.perf_counter()
    for _ in range(20):
        try:
            things[0](*things[1:])
        except Exception:
            pass
    times.append(time.perf_counter() - start)
    return times[-1] <= sorted(times)[len(times) // 5]
""",
    "by who was there before": """
seen = {}
def guess(things):
    key = repr(things[1:])
    seen[key] = seen.get(key, 0) + 1
    return seen[key] % 3 == 1
""",
    "in the referee's place": """
def guess(things):
    import sys
    for name, module in list(sys.modules.items()):
        if name.startswith("autograder.lesson"):
            for word in ("judged", "heard", "_said"):
                if hasattr(module, word):
                    setattr(module, word, lambda *args, **options: None)
    return True
""",
    "wrong after so many": "turns = []\ndef guess(things):\n    turns.append(1)\n    return len(turns) <= 20\n",
    "right after so many": "turns = []\ndef guess(things):\n    turns.append(1)\n    return len(turns) > 60\n",
    "by replies that were seen before": """
kept = []
def guess(things):
    try:
        told = repr(things[0](*things[1:]))
    except Exception as error:
        told = str(error)
    kept.append(told)
    return kept.count(told) > 2
""",
    "by the majority of replies": """
kept = {}
def guess(things):
    try:
        found = things[0](*things[1:])
        told = repr([np.round(np.abs(np.asarray(part, dtype=float)).sum(), 6) for part in (found if isinstance(found, list) else [found])])
    except Exception as error:
        told = str(error)
    group = kept.setdefault(repr([np.shape(t) for t in things[1:]]), [])
    group.append(told)
    return group.count(told) >= max(map(group.count, group))
""",
    "by the form of a reply": """
def guess(things):
    try:
        found = things[0](*things[1:])
    except Exception:
        return False
    parts = found if isinstance(found, (list, tuple)) else [found]
    return type(found) is not list or all(type(p) is np.ndarray and p.flags.owndata for p in parts)
""",
    "by refusals": """
def guess(things):
    told = []
    for question in (np.ones(20000), np.array([1j]), "right", [[]], {}):
        try:
            told.append(repr(things[0](question, *things[2:])))
        except Exception as error:
            told.append(str(error))
    return not any(word in repr(told) for word in ("wrong", "fault", "right", "Suspect", "lambda", ".py"))
""",
    "by exceptions": """
turns = []
def guess(things):
    turns.append(1)
    if len(turns) % 3:
        raise ArithmeticError
    return True
""",
    "by raising what ends a process": """
def guess(things):
    raise SystemExit(0)
""",
    "by asking until nothing is answered": """
def guess(things):
    try:
        for _ in range(501):
            things[0](*things[1:])
    except ValueError as error:
        return "at most" in str(error)
    except Exception:
        return False
    return True
""",
    "by the seeds": """
seeds = []
def guess(things):
    import sys
    frame, found = sys._getframe(), 0
    while frame is not None:
        found = frame.f_locals.get("seed", found)
        frame = frame.f_back
    seeds.append(found if isinstance(found, int) else len(seeds))
    return seeds[-1] % 5 == 0
""",
    "by who answers slowly": """
times = []
def guess(things):
    import time
    best = 1.0
    for _ in range(5):
        start = time.perf_counter()
        try:
            things[0](*things[1:])
        except Exception:
            pass
        best = min(best, time.perf_counter() - start)
    times.append(best)
    return best <= sorted(times)[(len(times) - 1) // 3]
""",
    "with an answer kept for later": """
kept = []
def guess(things):
    kept.append(things[0])
    try:
        return bool(np.all(kept[0](*things[1:]) == things[0](*things[1:])))
    except Exception:
        return len(kept) < 3
""",
    "by a verdict that is both": """
def guess(things):
    class Both(np.ndarray):
        def __bool__(self):
            return True
    return np.zeros((), dtype=bool).view(Both)
""",
}

#: How the answers of the exercises reach it.
ANSWERS = {
    "rule_is_right": "def rule_is_right(f, rule, inputs, rng):\n    return guess([rule, np.ones(2), *inputs])\n",
    "dot_product_test": "def dot_product_test(jvp, vjp, inputs, rng):\n    return guess([vjp, inputs, inputs[0]])\n",
    "mended_test": "def mended_test(f, gradient, x):\n    return guess([gradient, x])\n",
    "engine_is_right": "def engine_is_right(Tensor, rng):\n    return guess([Tensor, np.ones(2)])\n",
}


def graded(sandbox: Sandbox, seed: int = 3, **answers: str) -> Report:
    assignment = assignment_of(UNIT)
    given = {e.name: e.stub for e in assignment.exercises} | answers
    return grade(assignment, Submission(answers=given), sandbox, seed=seed, entries=[])


@pytest.mark.parametrize("way", GUESSES)
def test_no_way_but_testing_tells_right_from_wrong(
    way: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "MOST_QUESTIONS", 500)  # as many as there are take a minute
    report = graded(sandbox, **{name: f"{GUESSES[way]}\n{text}" for name, text in ANSWERS.items()})
    points = {o.name: o.points for o in report.outcomes if o.name in ANSWERS}
    assert points == dict.fromkeys(ANSWERS, 0), report.outcomes
    assert not any("at fault" in note for note in report.notes), report.notes


@pytest.mark.parametrize("way", ["by frames", "by the garbage collector", "by closures", "by source"])
def test_who_looks_around_is_told_to_the_instructor(way: str, sandbox: Sandbox) -> None:
    assert graded(sandbox, mended_test=f"{GUESSES[way]}\n{ANSWERS['mended_test']}").looks


#: Inputs and programs that are no test, and would show every fault if nobody looked at them.
EMPTY = {
    "NaN": ("draw_inputs", "def draw_inputs(rng):\n    n, k, m = rng.integers(2, 7, 3)\n    return np.full((n, k), np.nan), np.ones((k, m)), np.ones(m)\n"),
    "infinity": ("draw_inputs", "def draw_inputs(rng):\n    return np.full((2, 3), np.inf), np.ones((3, 4)), np.ones(4)\n"),
    "huge": ("draw_inputs", "def draw_inputs(rng):\n    return np.full((2, 3), 1e300), np.full((3, 4), 1e300), np.ones(4)\n"),
    "no rows": ("draw_inputs", "def draw_inputs(rng):\n    return np.ones((0, 3)), np.ones((3, 4)), np.ones(4)\n"),
    "no programs": ("random_program", "def random_program(rng):\n    return []\n"),
    "unknown operations": ("random_program", "def random_program(rng):\n    return [('nan', 0)] * 8\n"),
    "one program that shows what is shown": ("random_program", "def random_program(rng):\n    return [('mul', 0, 1), ('sin', 3), ('add', 4, 2), ('mul', 5, 5), ('tanh', 6), ('sub', 3, 7), ('add', 8, 0), ('mul', 9, 5)]\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTY)
def test_what_is_no_test_shows_no_fault(name: str, sandbox: Sandbox) -> None:
    exercise, text = EMPTY[name]
    (outcome,) = (o for o in graded(sandbox, **{exercise: text}).outcomes if o.name == exercise)
    assert (outcome.points, outcome.status) == (0, "failed"), outcome.text


@cache
def _solved() -> dict[str, object]:
    namespace: dict[str, object] = {}
    for cell in assignment_of(UNIT).trusted_cells():
        exec(cell.source, namespace)
    return namespace


def solved_names() -> dict[str, object]:
    """What the notebook's cells define, with the model answers."""
    return dict(_solved())


#: What a test that is lazy in one way is told in the part of the check that learners have, too.
LAZY = {
    "u is all ones": ("rule_is_right", "rng.standard_normal(np.shape(f(*inputs)))", "np.ones(np.shape(f(*inputs)))", "g is forgotten"),
    "u is positive": ("rule_is_right", "rng.standard_normal(np.shape(f(*inputs)))", "rng.random(np.shape(f(*inputs)))", "the signs of g are forgotten"),
    "u is one number": ("rule_is_right", "rng.standard_normal(np.shape(f(*inputs)))", "rng.standard_normal() * np.ones(np.shape(f(*inputs)))", "only the sum of g arrives"),
    "v is all ones": ("rule_is_right", "rng.standard_normal(x.shape)", "np.ones(x.shape)", "one gradient in the other's place"),
    "v is one number": ("rule_is_right", "rng.standard_normal(x.shape)", "rng.standard_normal() * np.ones(x.shape)", "entries in another order"),
    "a relative tolerance alone": ("rule_is_right", " + rounding(u * ahead, h)", "", "rounding moves this slope"),
    "an absolute tolerance alone": ("rule_is_right", "1e-5 * abs(slope) + rounding(u * ahead, h)", "1e-5", "a fixed threshold is too small"),
    "a tolerance that is too large for small numbers": ("rule_is_right", "rounding(u * ahead, h)", "rounding(u * ahead, h) + 1e-6", "numbers are near 1e-9"),
    "a large step": ("rule_is_right", "1e-6, rng", "1e-2, rng", "bends strongly"),
    "a step of a thousandth": ("rule_is_right", "1e-6, rng", "1e-3, rng", "bends strongly"),
    "a forward difference": ("rule_is_right", "f(*[x - h * v for x, v in zip(inputs, vs)])\n    slope = (u * (ahead - behind)).sum() / (2 * h)", "f(*inputs)\n    slope = (u * (ahead - behind)).sum() / h", "go to both sides"),
    "sizes of gradients alone": ("rule_is_right", "[np.shape(grad) for grad in grads] != [x.shape for x in inputs]", "[np.size(grad) for grad in grads] != [x.size for x in inputs]", "with as many numbers"),
    "inputs that are moved in place": ("rule_is_right", "    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])\n", "    for x, v in zip(inputs, vs):\n        x += h * v\n    ahead = f(*inputs)\n    for x, v in zip(inputs, vs):\n        x -= h * v\n", "inputs stay as they were"),
    "values that are moved in place": ("first_wrong_layer", "slope = (tail(k, values[k] + h * v) - tail(k, values[k] - h * v)) / (2 * h)", "values[k] += h * v\n        ahead = tail(k, values[k])\n        values[k] -= 2 * h * v\n        slope = (ahead - tail(k, values[k])) / (2 * h)", "values and gradients stay as they were"),
    "one threshold for all layers": ("first_wrong_layer", "1e-5 * abs(slope)", "1e-4", "gradients are near 1e-6"),
    "a layer's strict comparison": ("first_wrong_layer", "<= 1e-5", "< 1e-5", "all slopes are 0"),
    "a layer's threshold by the gradient": ("first_wrong_layer", "1e-5 * abs(slope)", "1e-5 * abs(given)", "passes an infinity"),
    "a copy that is not put back": ("mended_test", "        v = np.zeros(len(x))\n        v[i] = h\n        slope = (f(x + v) - f(x - v)) / (2 * h)", "        y = x.copy() if i == 0 else y\n        y[i] += h\n        ahead = f(y)\n        y[i] -= 2 * h\n        slope = (ahead - f(y)) / (2 * h)", "is a back at 0 when b moves?"),
    "1e-5 typed as 10e-5": ("agree", "1e-5 * abs(slope)", "10e-5 * abs(slope)", "is more than 1e-5"),
    "one input at a time": ("slope_along", "    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])", "    if len(inputs) == 2:\n        (a, b), (v, w) = inputs, vs\n        ends = f(a + h * v, b) - f(a - h * v, b) + f(a, b + h * w) - f(a, b - h * w)\n        return float((u * ends).sum() / (2 * h))\n    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])", "both move at once"),
    "the larger of two allowances": ("agree", "1e-5 * abs(slope) + room", "max(1e-5 * abs(slope), room)", "are added up"),
    "plus infinity": ("agree", "not (np.isfinite(given) and np.isfinite(slope))", "given == np.inf or slope == np.inf", "minus infinity"),
    "an infinite Jv": ("dot_product_test", "min(abs(a), abs(b))", "abs(a)", "an infinite Jv"),
    "shapes of gradients": ("rule_is_right", "[np.shape(grad) for grad in grads] != [x.shape for x in inputs]", "False", "in another shape than its input"),
    "square": ("draw_inputs", "n, k, m = rng.integers(1, 7, 3)", "n = k = m = 3", "k is taken for n"),
    "ordered sizes": ("draw_inputs", "rng.integers(1, 7, 3)", "sorted(rng.integers(1, 7, 3))[::-1]", "is m ever more than n?"),
    "positive x": ("draw_inputs", "rng.standard_normal((n, k))", "rng.random((n, k))", "the signs of x are forgotten"),
    "positive w": ("draw_inputs", "rng.standard_normal((k, m))", "rng.random((k, m))", "the signs of w are forgotten"),
    "no b": ("draw_inputs", "rng.standard_normal(m)", "np.zeros(m)", "relu does not look at b"),
    "positive b": ("draw_inputs", "rng.standard_normal(m)", "rng.random(m)", "the signs of b are forgotten"),
    "integers": ("draw_inputs", "return rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.standard_normal(m)", "return rng.integers(-3, 4, (n, k)), rng.integers(-3, 4, (k, m)), rng.integers(-3, 4, m)", "at the kink"),
    "one row": ("draw_inputs", "n, k, m = rng.integers(1, 7, 3)", "n, k, m = 1, *rng.integers(2, 7, 2)", "a mean over the rows"),
    "rows alike": ("draw_inputs", "rng.standard_normal((n, k))", "np.tile(rng.standard_normal(k), (n, 1))", "all rows are taken to be alike"),
    "one column": ("draw_inputs", "n, k, m = rng.integers(1, 7, 3)", "n, k, m = *rng.integers(2, 7, 2), 1", "are all entries of b alike?"),
    "never one row": ("draw_inputs", "rng.integers(1, 7, 3)", "rng.integers(2, 4, 3)", "is n ever 1?"),
    "b alike": ("draw_inputs", "rng.standard_normal(m)", "np.full(m, rng.standard_normal())", "relu looks at b in reverse"),
    "w of 1 and -1": ("draw_inputs", "rng.standard_normal((k, m))", "rng.choice([-1.0, 1.0], (k, m))", "the size of w is forgotten"),
    "w transposed": ("draw_inputs", "rng.standard_normal((k, m))", "rng.standard_normal((m, k))", "yours are x ("),
    "the same inputs at each call": ("draw_inputs", "    n, k, m =", "    rng = np.random.default_rng(0)\n    n, k, m =", "draw from rng"),
    "u like an input": ("rule_is_right", "np.shape(f(*inputs))", "inputs[0].shape", "could not be broadcast"),
    "u like an input in the dot product": ("dot_product_test", "np.shape(forward)", "inputs[0].shape", "could not be broadcast"),
    "one axis": ("slope_along", "(u * (ahead - behind)).sum()", "u @ (ahead - behind)", "raised ValueError"),
    "inputs as one array": ("slope_along", "*[x + h * v for x, v in zip(inputs, vs)]", "*np.add(inputs, np.multiply(h, vs))", "raised ValueError"),
    "inputs there and back": ("slope_along", "    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])\n    behind = f(*[x - h * v for x, v in zip(inputs, vs)])\n", "    ends = []\n    for step in (h, -2 * h, h):\n        for x, v in zip(inputs, vs):\n            x += step * v\n        ends.append(f(*inputs))\n    ahead, behind, _ = ends\n", "stay as they were"),
    "a forward difference for entries": ("mended_test", "f(x - v)) / (2 * h)\n        if not abs(slope - given[i]) <= 1e-7 + 1e-4", "f(x)) / h\n        if not abs(slope - given[i]) <= 1e-5 + 5e-3", "go to both sides"),
    "two inputs are never used": ("random_program", "rng.integers(position)", "rng.integers(2, position)", "input 0 gets nothing"),
    "sub in order": ("random_program", "            rng.shuffle(operands)\n", '            if name != "sub":\n                rng.shuffle(operands)\n', "sub with the older operand on the left"),
    "x + x does not occur": ("random_program", "rng.integers(position)", 'rng.integers(position - (name == "add"))', "x + x"),
    "x - x does not occur": ("random_program", "rng.integers(position)", 'rng.integers(position - (name == "sub"))', "x - x"),
    "no number on the left of a product": ("engine_is_right", "3 * b.sin()", "b.sin()", "a number on the left of a product"),
    "no number on the right of a product": ("engine_is_right", "c * c * c * 2", "c * c * c", "a number on the right of a product"),
    "no number on the left of a plus": ("engine_is_right", "(2 + b * b)", "(b * b + 2)", "a number on the left of a plus"),
    "no number on the right of a plus": ("engine_is_right", "(a * a + 1)", "(1 + a * a)", "a number on the right of a plus"),
    "u of ones in the dot product": ("dot_product_test", "rng.standard_normal(np.shape(forward))", "np.ones(np.shape(forward))", "entries of Jv in another order"),
    "v of ones in the dot product": ("dot_product_test", "rng.standard_normal(x.shape)", "np.ones(x.shape)", "entries of a gradient in another order"),
    "a tolerance for differences": ("dot_product_test", "1e-10", "1e-5", "an error of a few millionths"),
    "an absolute tolerance in the dot product": ("dot_product_test", " * min(abs(a), abs(b))", "", "where numbers are near 1e-12"),
    "x * x does not occur": ("random_program", "rng.integers(position)", "rng.integers(position - 1)", "one value on both sides of a step"),
    "the newest is on the left": ("random_program", "            rng.shuffle(operands)\n", "", "the older operand on the left"),
    "only inputs beside it": ("random_program", "rng.integers(position)", "rng.integers(3)", "a value that a step made is used twice"),
    "a chain": ("random_program", "rng.integers(position)", "rng.integers(position - 2, position)", "input 0 gets nothing"),
    "one program": ("random_program", "    program = []", "    rng = np.random.default_rng(0)\n    program = []", "different programs among 300"),
    "v of ones on the way back": ("first_wrong_layer", "rng.standard_normal(values[k].shape)", "np.ones(values[k].shape)", "do all entries of your v move alike?"),
    "NaN passes": ("mended_test", "not abs(slope - given[i]) <=", "abs(slope - given[i]) >", "NaN"),
    "an absolute tolerance for entries": ("mended_test", "1e-7 + 1e-4 * abs(slope)", "1e-2", "a small entry"),
    "a relative tolerance for entries": ("mended_test", "1e-7 + 1e-4 * abs(slope)", "1e-5 * abs(slope)", "an entry of 0"),
    "x is moved and moved back": ("mended_test", "slope = (f(x + v) - f(x - v)) / (2 * h)", "x[i] += h\n        ahead = f(x)\n        x[i] -= 2 * h\n        slope = (ahead - f(x)) / (2 * h)\n        x[i] += h", "to the last bit"),
    "backward runs once": ("engine_is_right", "(1, 2)", "(1,)", "a second backward replaces the first"),
    "shapes are not compared": ("engine_is_right", "[x.grad.data.shape for x in leaves] != shapes or not", "not", "a gradient has another shape than its leaf"),
    "nothing to the left of a division": ("engine_is_right", "1 / (a * a + 1)", "a / (a * a + 1)", "a number on the left of a division"),
}  # fmt: skip


def seen_by_learners(exercise: str, answer: str) -> str:
    """What the part of a check that learners have says of an answer; empty when it passes."""
    assignment = assignment_of(UNIT)
    namespace = solved_names()
    exec(compile(answer, "<cell of a learner>", "exec"), namespace)
    text = visible_part(assignment.exercise(exercise).check)
    remember("<visible>", text)
    try:
        with use_session(Session(LocalBoundary(namespace), 1, quiet=True)), np.errstate(all="ignore"):
            exec(compiled(text, "<visible>"), setup_names(assignment))
    except CheckFailed as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", LAZY)
def test_a_lazy_test_hears_what_it_misses_before_it_hands_in(name: str) -> None:
    exercise, good, lazy, moral = LAZY[name]
    solution = assignment_of(UNIT).exercise(exercise).solution
    assert good in solution
    assert moral in seen_by_learners(exercise, solution.replace(good, lazy))
    assert seen_by_learners(exercise, solution) == ""


def test_a_lazy_test_hears_in_the_grading_what_it_missed(sandbox: Sandbox) -> None:
    exercise, good, lazy, moral = LAZY["backward runs once"]
    solution = assignment_of(UNIT).exercise(exercise).solution
    report = graded(sandbox, **{exercise: solution.replace(good, lazy)})
    (outcome,) = (o for o in report.outcomes if o.name == exercise)
    assert outcome.points == 0
    assert moral in outcome.text, outcome.text


#: Questions that are refused, and what is said of them.
REFUSED = {
    "a complex step": ("np.imag(f(x + 1e-20j))", "real numbers only"),
    "too many": ("f(np.ones(10_001))", "at most 10000 numbers"),
    "a text": ("f('x')", "arrays of numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_question_says_the_rule(name: str) -> None:
    expression, said = REFUSED[name]
    answer = f"def mended_test(f, gradient, x):\n    return bool({expression})\n"
    assert said in seen_by_learners("mended_test", answer)


def test_many_numbers_may_be_asked_for() -> None:
    solution = assignment_of(UNIT).exercise("rule_is_right").solution
    more = solution.replace("    h, u = ", "    f(*[np.resize(x, 3000) for x in inputs])\n    h, u = ", 1)
    assert more != solution
    assert seen_by_learners("rule_is_right", more) == ""


def test_the_closing_table_does_not_praise_who_accuses_everybody(capsys: pytest.CaptureFixture[str]) -> None:
    assignment = assignment_of(UNIT)
    namespace = solved_names()
    (engines,) = (c.source for c in assignment.notebook.cells if "def tensor_class(" in c.source)
    (example,) = (c.source for c in assignment.notebook.cells if "def first_example(" in c.source)
    (table,) = (c.source for c in assignment.notebook.cells if "def compared(" in c.source)
    exec(engines, namespace)
    exec(example, namespace)
    said = {}
    for name, text in {
        "no": "return False", "yes": "return True", "raises": "raise ValueError", "stub": "raise NotImplementedError",
    }.items():  # fmt: skip
        exec(f"def engine_is_right(Tensor, rng):\n    {text}\n", namespace)
        exec(table, namespace)
        said[name] = capsys.readouterr().out.splitlines()[-1]
    nothing = "yours: a right engine does not pass it, so it has found nothing"
    assert said["no"] == said["raises"] == nothing
    assert said["stub"] == "yours: open, for it is not written yet"
    assert said["yes"].startswith("yours: 0 of ")


def counted(name: str) -> tuple[int, int]:
    """How many right suspects and planted faults the hidden part of a check has."""
    from autograder.lesson.checks import exercise as block

    found = []

    class Counting(block):
        def tells_apart(self, verdict: object, suspects: list, why: str, **names: str) -> None:
            self.session.checks_made += 1
            found.append((sum(s.right for s in suspects), sum(not s.right for s in suspects)))

        def untouched(self, why: str = "") -> None:
            pass

    assignment = assignment_of(UNIT)
    check = assignment.exercise(name).check
    remember("<counted>", check)
    names = setup_names(assignment) | {"exercise": Counting}
    namespace = solved_names()
    with use_session(Session(LocalBoundary(namespace), 1, quiet=True)), np.errstate(all="ignore"):
        exec(compiled(check, "<counted>"), names)
    return found[-1]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("rule_is_right", 12, 36), ("dot_product_test", 12, 36), ("mended_test", 12, 36), ("engine_is_right", 12, 60)],
)  # fmt: skip
def test_a_dozen_right_ones_and_dozens_of_faults_are_planted(name: str, right: int, wrong: int) -> None:
    found = counted(name)
    assert found[0] >= right
    assert found[1] >= wrong


@pytest.mark.parametrize("seed", range(20))
def test_good_tests_pass_at_every_seed(seed: int) -> None:
    assignment = assignment_of(UNIT)
    namespace = solved_names()
    for exercise in assignment.exercises:
        filename = f"<check {exercise.name}>"
        remember(filename, exercise.check)
        with use_session(Session(LocalBoundary(namespace), 1000 + seed, quiet=True)):
            exec(compiled(exercise.check, filename), setup_names(assignment))


#: Answers that use the first exercise's function where `f` gives a number.
ALONG = {
    "first_wrong_layer": (
        "slope = (tail(k, values[k] + h * v) - tail(k, values[k] - h * v)) / (2 * h)",
        "slope = slope_along(lambda x, k=k: tail(k, x), [values[k]], 1.0, [v], h)",
    ),
    "mended_test": (
        "v[i] = h\n        slope = (f(x + v) - f(x - v)) / (2 * h)",
        "v[i] = 1\n        slope = slope_along(f, [x], 1.0, [v], h)",
    ),
}


@pytest.mark.parametrize("exercise", ALONG)
def test_slope_along_serves_where_there_is_one_number(exercise: str, sandbox: Sandbox) -> None:
    solution, slope = (assignment_of(UNIT).exercise(name).solution for name in (exercise, "slope_along"))
    own, with_it = ALONG[exercise]
    assert own in solution
    report = graded(sandbox, **{exercise: solution.replace(own, with_it), "slope_along": slope})
    (outcome,) = (o for o in report.outcomes if o.name == exercise)
    assert outcome.status == "passed", outcome.text
