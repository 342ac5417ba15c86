# ruff: noqa: E501  (an attack stays on its line)
"""Unit 11 is graded by mutation: who looks for anything else than what a rule or an engine computes finds nothing."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.lesson.probes import LocalBoundary, Session, use_session
from autograder.referee.check_cells import compiled, remember, setup_names
from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.ingest import Submission

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
}

#: How the answers of the exercises reach it.
ANSWERS = {
    "rule_is_right": "def rule_is_right(f, rule, inputs, rng):\n    return guess([rule, np.ones(2), *inputs])\n",
    "kink_at": "def kink_at(f, x, rng):\n    return not guess([f, x])\n",
    "dot_product_test": "def dot_product_test(jvp, vjp, inputs, rng):\n    return guess([vjp, inputs, inputs[0]])\n",
    "mended_test": "def mended_test(f, gradient, x):\n    return guess([gradient, x])\n",
    "engine_is_right": "def engine_is_right(Tensor, rng):\n    return guess([Tensor, np.ones(2)])\n",
}


def graded(sandbox: Sandbox, seed: int = 3, **answers: str) -> Report:
    assignment = assignment_of(UNIT)
    given = {e.name: e.stub for e in assignment.exercises} | answers
    return grade(assignment, Submission(answers=given), sandbox, seed=seed, entries=[])


@pytest.mark.parametrize("way", GUESSES)
def test_no_way_but_testing_tells_right_from_wrong(way: str, sandbox: Sandbox) -> None:
    report = graded(sandbox, **{name: f"{GUESSES[way]}\n{text}" for name, text in ANSWERS.items()})
    points = {o.name: o.points for o in report.outcomes if o.name in ANSWERS}
    assert points == dict.fromkeys(ANSWERS, 0), report.outcomes
    assert not any("at fault" in note for note in report.notes), report.notes


@pytest.mark.parametrize("way", ["by frames", "by the garbage collector", "by closures", "by source"])
def test_who_looks_around_is_told_to_the_instructor(way: str, sandbox: Sandbox) -> None:
    assert graded(sandbox, kink_at=f"{GUESSES[way]}\n{ANSWERS['kink_at']}").looks


#: Inputs and programs that are no test, and would show every fault if nobody looked at them.
EMPTY = {
    "NaN": ("draw_inputs", "def draw_inputs(rng):\n    n, k, m = rng.integers(2, 7, 3)\n    return np.full((n, k), np.nan), np.ones((k, m)), np.ones(m)\n"),
    "infinity": ("draw_inputs", "def draw_inputs(rng):\n    return np.full((2, 3), np.inf), np.ones((3, 4)), np.ones(4)\n"),
    "huge": ("draw_inputs", "def draw_inputs(rng):\n    return np.full((2, 3), 1e300), np.full((3, 4), 1e300), np.ones(4)\n"),
    "no rows": ("draw_inputs", "def draw_inputs(rng):\n    return np.ones((0, 3)), np.ones((3, 4)), np.ones(4)\n"),
    "no programs": ("random_program", "def random_program(rng):\n    return []\n"),
    "unknown operations": ("random_program", "def random_program(rng):\n    return [('nan', 0)] * 8\n"),
    "a NaN tolerance": ("step_and_tolerance", "def step_and_tolerance(dtype):\n    return 1e-6, float('nan')\n"),
    "a NaN step": ("step_and_tolerance", "def step_and_tolerance(dtype):\n    return float('nan'), 1e-6\n"),
    "a negative tolerance": ("step_and_tolerance", "def step_and_tolerance(dtype):\n    return 1e-6, -1.0\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTY)
def test_what_is_no_test_shows_no_fault(name: str, sandbox: Sandbox) -> None:
    exercise, text = EMPTY[name]
    (outcome,) = (o for o in graded(sandbox, **{exercise: text}).outcomes if o.name == exercise)
    assert (outcome.points, outcome.status) == (0, "failed"), outcome.text


#: What a test that is lazy in one way is told: the kinds that it misses, and only these.
LAZY = {
    "u is all ones": ("rule_is_right", "u = 1e-6, rng.standard_normal(np.shape(f(*inputs)))", "u = 1e-6, np.ones(np.shape(f(*inputs)))", "g is forgotten"),
    "backward runs once": ("engine_is_right", "(1, 2)", "(1,)", "a second backward replaces the first"),
    "shapes are not compared": ("engine_is_right", "[x.grad.data.shape for x in leaves] != shapes or not", "not", "a gradient has another shape than its leaf"),
    "x * x does not occur": ("random_program", "rng.integers(position)", "rng.integers(position - 1)", "goes wrong where both operands are the same"),
    "nothing is negative": ("draw_inputs", "rng.standard_normal((n, k))", "rng.random((n, k))", "forgets a sign"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAZY)
def test_a_lazy_test_hears_what_kind_of_fault_it_missed(name: str, sandbox: Sandbox) -> None:
    exercise, good, lazy, kind = LAZY[name]
    solution = assignment_of(UNIT).exercise(exercise).solution
    assert good in solution
    (outcome,) = (
        o for o in graded(sandbox, **{exercise: solution.replace(good, lazy)}).outcomes if o.name == exercise
    )
    assert outcome.points == 0
    assert kind in outcome.text, outcome.text


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
    namespace: dict[str, object] = {}
    for cell in assignment.trusted_cells():
        exec(cell.source, namespace)
    with use_session(Session(LocalBoundary(namespace), 1, quiet=True)), np.errstate(all="ignore"):
        exec(compiled(check, "<counted>"), names)
    return found[-1]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("rule_is_right", 12, 36), ("dot_product_test", 12, 36), ("mended_test", 12, 36), ("engine_is_right", 12, 60), ("kink_at", 20, 20)],
)  # fmt: skip
def test_a_dozen_right_ones_and_dozens_of_faults_are_planted(name: str, right: int, wrong: int) -> None:
    found = counted(name)
    assert found[0] >= right
    assert found[1] >= wrong


@pytest.mark.parametrize("seed", range(20))
def test_good_tests_pass_at_every_seed(seed: int) -> None:
    assignment = assignment_of(UNIT)
    namespace: dict[str, object] = {}
    for cell in assignment.trusted_cells():
        exec(cell.source, namespace)
    for exercise in assignment.exercises:
        filename = f"<check {exercise.name}>"
        remember(filename, exercise.check)
        with use_session(Session(LocalBoundary(namespace), 1000 + seed, quiet=True)):
            exec(compiled(exercise.check, filename), setup_names(assignment))
