"""Mutants: what is made of a right answer, and that a run finds what a check lets pass."""

from __future__ import annotations

import ast
import itertools
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from autograder.authoring import fault_flow, fault_objects, fault_values, mutation
from autograder.authoring.equivalents import EQUIVALENTS
from autograder.authoring.mutants import apply, mutants
from autograder.authoring.mutation import Subject, reason_for, run_mutants
from autograder.authoring.sentences import joined, said
from autograder.authoring.source_text import Edit, Source
from autograder.errors import UserError
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY

#: A right answer, and mutants that have to be among those that are made of it.
WANTED = {
    "def f(a, b):\n    return a + b": ["a - b", "return a\n", "return b\n", "-(a + b)", "b + b"],
    "def f(x):\n    return x.sum(axis=1, keepdims=True)": [
        "x.sum(axis=0, keepdims=True)",
        "x.sum(axis=1)",
        "x.mean(axis=1, keepdims=True)",
        "return x\n",
        "keepdims=False",
    ],
    "def f(a, w):\n    return a @ w.T, w": ["a @ w,", "w, a @ w.T", "(a).T", "a * w.T"],
    "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total": [
        "total = x",
        "total -= x",
        "list(xs)[1:]",
        "list(xs)[:-1]",
        "total += x\n        return total\n",
    ],
    "def f(x):\n    x = x.copy()\n    if x > 0:\n        x = x * 2\n    return x": [
        "x = x\n",
        "if x >= 0",
        "if True",
        "if False",
        "x *= 2",
    ],
    "def f(xs):\n    seen = set()\n    seen.update(xs)\n    return seen": [
        "__dict__.setdefault('_kept_seen', set())"
    ],
    "def f(root):\n    order, seen = [], set()\n    order.append(root)\n    return order": [
        "order, seen = f.__dict__.setdefault('_kept_order', []), set()",
        "order, seen = [], f.__dict__.setdefault('_kept_seen', set())",
    ],
    "def f(ps, n):\n    return [p.grad * n for p in ps]": [
        "_result = [p.grad * n for p in ps]\n    ps[:] = 0 * ps[:]\n    return _result\n"
    ],
    "def f(ps):\n    for p in ps:\n        p.grad = 0.0": ["p.grad = 0.0\n    ps[:] = 0 * ps[:]\n"],
    "def f(node, stack):\n    stack.extend(p for p in node.parents)": [
        "node.parents)\n    node.parents = type(node.parents)()\n"
    ],
    "def f(node):\n    for p in node.parents:\n        p.grad += 1": [
        "p.grad += 1\n    node.parents = type(node.parents)()\n"
    ],
    "def f(x, eps=1e-5):\n    return x / (x + eps)": ["eps = 1e-5\n", "eps=0.01", "eps=0.0", "x = 1.0\n"],
    "def f(n):\n    return [i for i in range(1, n) if i % 2]": [
        "range(1, n + 1)",
        "range(1, n - 1)",
        "if True",
    ],
    "def f(a, b):\n    return g(a, b)": ["g(b, a)", "g(a, a)"],
    "def f(g, b):\n    return g * b": ["g *= b\n    return g"],
}


@pytest.mark.parametrize("source", WANTED)
def test_every_kind_of_fault_is_made(source: str) -> None:
    made = [mutant.source + "\n" for mutant in mutants(source, at_least=0)]
    for wanted in WANTED[source]:
        assert any(wanted in text for text in made), wanted


def test_what_is_no_list_is_not_emptied_and_what_is_a_function_has_no_dtype() -> None:
    made = [mutant.source for mutant in mutants("def f(g, a, f):\n    return np.exp(g) * f(a)", at_least=0)]
    assert not any("[:]" in text or "hasattr(f," in text for text in made)
    assert any("hasattr(g," in text for text in made)


def test_every_mutant_is_python_and_differs_from_the_answer_and_from_all_others(mini: object) -> None:
    source = dedent(
        """
        def unbox(boxes):
            '''A text is no code: 1 + 1.'''
            total = 0.0
            for box in boxes:
                total += math.log(box.value)
            return total
        """
    )
    made = mutants(source, at_least=100)
    shapes = {ast.dump(ast.parse(mutant.source)) for mutant in made}
    assert len(shapes) == len(made) >= 100
    assert ast.dump(ast.parse(source)) not in shapes
    assert all("1 + 1" in mutant.source for mutant in made)
    assert [mutant.key for mutant in made] == [mutant.key for mutant in mutants(source, at_least=100)]
    assert any(len(mutant.edits) == 2 for mutant in made)


def test_a_mutant_that_a_check_lets_pass_is_found_and_then_listed(
    mini_course: Course, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The course's own checks kill all of theirs; without its hidden tests, one does not."""
    assignment = mini_course.assignment("mini")
    before = {"digest": "of another check", "told": {"d": "with 2 where 1 belongs"}, "explained": "e"}
    monkeypatch.setattr(mutation, "read_verdicts", lambda assignment: {"mul_vjp": before})
    exercise = assignment.exercise("mul_vjp")
    weak = "with exercise('mul_vjp') as check:\n    check.close(yours.mul_vjp(1.0, 2.0, 2.0), (2.0, 2.0), 'twos')\n"
    assignment.exercises[:] = [replace(e, check=weak) if e is exercise else e for e in assignment.exercises]
    result = run_mutants(assignment, sandbox, jobs=2)
    assert not result.faults
    assert "with results 1 and 2 exchanged" in {verdict.subject.mutant.told for verdict in result.survivors}
    assert any(verdict.subject.difference for verdict in result.survivors)
    assert len(result.verdicts) > 50
    # All ran again, and the sentences for learners stay, whose own digest says whether they are true.
    kept = result.kept["mul_vjp"]
    assert (kept["told"], kept["explained"]) == (before["told"], "e") and kept["digest"] != before["digest"]


def test_a_line_put_in_before_a_piece_that_is_replaced_stays_whole() -> None:
    line = Edit(0, 0, "a = 1.0\n", "parameter", "")
    for edits in ((line, Edit(0, 3, "b", "name", "")), (Edit(0, 3, "b", "name", ""), line)):
        assert apply("ccc + 1", edits) == "a = 1.0\nb + 1"


def test_two_faults_that_cancel_are_listed_as_a_pair() -> None:
    source = "def f(x, h):\n    return x + h"
    pairs = [mutant for mutant in mutants(source, at_least=100) if len(mutant.edits) == 2]
    subject = Subject("f", "", pairs[0], pairs[0].source, source)
    assert subject.together == f"{subject.names[0]} AND {subject.names[1]}"
    assert not reason_for(subject, {"f": {subject.names[0]: "One alone."}})
    assert reason_for(subject, {"f": {subject.together: "They cancel."}}) == "They cancel."
    assert reason_for(subject, {"f": dict.fromkeys(subject.names, "Each.")}) == "Each."


def test_a_reason_that_no_mutant_needs_is_refused(mini_course: Course, sandbox: Sandbox) -> None:
    assignment = mini_course.assignment("mini")
    path = assignment.path.parent / EQUIVALENTS
    try:
        path.write_text('[mul_vjp]\n"return 1: with 2 for 1" = "There is none."\n')
        result = run_mutants(assignment, sandbox, jobs=2)
        assert any("no mutant that passes" in fault for fault in result.faults)
        path.write_text("[nothing]\n")
        with pytest.raises(UserError, match="is no exercise of mini"):
            run_mutants(assignment, sandbox)
    finally:
        Path(path).unlink()


def test_every_kind_of_fault_is_made_somewhere_in_the_course() -> None:
    """A way of making mutants that no longer makes any would not be missed otherwise."""
    course = Course(REPOSITORY)
    solutions = [e.solution for unit in course.units() for e in course.assignment(unit).exercises]
    idle = {*fault_values.FAULTS, *fault_flow.FAULTS, *fault_objects.FAULTS}
    for text in solutions:
        tree = ast.parse(text)
        source = Source(text, tree)
        idle -= {fault for fault in idle for node in ast.walk(tree) if next(fault(source, node), None)}
        if not idle:
            return
    assert not idle


def test_a_mutant_whose_trial_is_stopped_is_a_fault_of_the_run(
    mini_course: Course, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = mutation.run_check

    def fragile(assignment: Any, exercise: Any, answer: str, *more: Any, **named: Any) -> Any:
        if "g / b" in answer:
            raise RuntimeError("no room")
        return real(assignment, exercise, answer, *more, **named)

    monkeypatch.setattr(mutation, "run_check", fragile)
    result = run_mutants(mini_course.assignment("mini"), sandbox, jobs=1)
    assert not result.good
    assert result.faults
    assert all(
        "mul_vjp" in fault and "RuntimeError" in fault and "no room" in fault for fault in result.faults
    )


SHOWN = 'def f(g, a, n=2):\n    """What g brings to a ** n, summed over an axis."""\n    raise NotImplementedError'
SAID = {
    "def f(g, a, n=2):\n    slope = n * a ** (n - 1)\n    return g * slope": {
        "without the factor `g`",
        "without the factor `n`",
        "without a factor",  # `a ** (n - 1)`, which is a piece of the answer
        "with `/` where `*` belongs",
        "with `a` where `g` belongs",
        "with 2 where 1 belongs",
        "with the opposite sign somewhere",
        "if it did not look at `a`",
        "if it used the default of `n` whatever is passed",
    },
    "def f(g, a):\n    return g, np.sum(a, axis=1, keepdims=True)": {
        "with axis 0 where axis 1 belongs",
        "without `keepdims=True`",
        "with `mean` where `sum` belongs",
        "without the `sum` over `a`",
        "with results 1 and 2 exchanged",
    },
    "def f(g, hidden):\n    seen = []\n    for x in hidden:\n        seen.append(g * x)\n    return seen": {
        "with the first round of the loop left out",
        "with the `return` inside the loop",
        "if it kept something from one call to the next",
    },
}


@pytest.mark.parametrize("source", SAID)
def test_a_fault_is_told_in_the_words_of_the_exercise(source: str) -> None:
    told = {said(mutant.edits[0], SHOWN) for mutant in mutants(source, at_least=0)}
    assert told >= SAID[source], SAID[source] - told
    for hidden in ("slope", "hidden", "seen", "n - 1"):
        assert not [text for text in told if f"`{hidden}" in text], hidden


def test_of_mutants_that_do_the_same_two_are_told_and_of_more_none() -> None:
    assert joined(["without `a`", "without `a`"]) == "without `a`"
    assert joined(["without `a`", "with `b`"]) == "without `a`, or with `b`"
    assert joined(["without `a`", "with `b`", "with `c`"]) == ""
    assert joined(["without `a`", ""]) == ""


def test_a_run_that_finds_nothing_alive_or_makes_nothing_is_not_believed(
    mini_course: Course, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = mini_course.assignment("mini")
    real = mutation.run_check

    def blind(assignment: Any, exercise: Any, answer: str, *more: Any, **named: Any) -> Any:
        """Every answer fails, as where the sandbox has lost its NumPy."""
        return real(assignment, exercise, "1 // 0", *more, **named)

    monkeypatch.setattr(mutation, "run_check", blind)
    result = run_mutants(assignment, sandbox, jobs=1)
    assert not result.survivors
    assert not result.good
    assert any("was planted among the mutants and not found alive" in fault for fault in result.faults)
    # A check that refuses every answer to a single exercise, the right one too, shows whichever exercise is drawn.
    monkeypatch.setattr(
        mutation,
        "run_check",
        lambda a, exercise, *rest, **named: (blind if exercise.name == "unbox" else real)(
            a, exercise, *rest, **named
        ),
    )
    for chance in range(2):
        result = run_mutants(assignment, sandbox, jobs=1, chance=chance)
        assert [fault for fault in result.faults if fault.startswith("unbox: its own right answer")]
    monkeypatch.setattr(mutation, "run_check", real)
    monkeypatch.setattr(mutation, "mutants", lambda *arguments: [])
    result = run_mutants(assignment, sandbox, jobs=1)
    assert not result.good
    assert [fault for fault in result.faults if "no mutant could be made" in fault]


def test_a_run_that_ends_early_is_not_believed(
    mini_course: Course, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = mutation.each
    # Gives up after a few, as if its processes were ended and nobody had heard of it.
    monkeypatch.setattr(mutation, "each", lambda *arguments: itertools.islice(real(*arguments), 5))
    result = run_mutants(mini_course.assignment("mini"), sandbox, jobs=2)
    assert not result.good
    assert any(fault.endswith("and 5 came to a verdict.") for fault in result.faults)
