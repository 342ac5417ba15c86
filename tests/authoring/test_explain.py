"""What learners hear of mutants: the same in one long process as in one of its own, and only what is telling."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import cast

import pytest

from autograder.authoring import explain, fault_likely
from autograder.authoring.explain import endings_of, tell
from autograder.authoring.mutants import Mutant, likely_mutants
from autograder.authoring.mutation import run_mutants
from autograder.authoring.sentences import Fault, said, sentences_of
from autograder.authoring.source_text import Edit, Source
from autograder.authoring.trial import run_check
from autograder.lesson.locked import whole_digest
from autograder.referee.bank import load_bank
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.notebook import visible_part

from ..conftest import REPOSITORY
from ..referee.test_parts import course, unit

__all__ = ["course", "unit"]

#: A right answer, and what learners write in its place.
WANTED = {
    "def f(x, y):\n    return (x - y) / (x + y)": [
        "x - y / x + y",
        "((y) - (x))",
        "* x",
    ],
    "def f(g, out):\n    return g * (1 - out * out)": [
        "(1 - g * g)",
    ],
    "def f(p, g, v, mu):\n    v = mu * v + g\n    return p - v, v": [
        "_before = v",
        "(mu * g)",
    ],
    "def f(x):\n    y = x + 1\n    y = y * 2\n    return y": ["y = y * 2\n    y = x + 1"],
    "def f(x):\n    return x if x > 0 else -x": ["not (x > 0)"],
    "def f(x):\n    return np.log(x.std(axis=0))": ["log10", "ddof=1", "x.std()", "return x.std(axis=0)"],
    "def f(a, b):\n    return a @ b": ["(b) @ (a)", "(a @ b).T"],
}


@pytest.mark.parametrize("source", WANTED)
def test_what_learners_write_is_among_the_mutants(source: str) -> None:
    made = [mutant.source.replace("__import__('numpy')", "np") + "\n" for mutant in likely_mutants(source)]
    for wanted in WANTED[source]:
        text = wanted.replace("__import__('numpy')", "np")
        assert any(text in one for one in made), wanted
    shapes = {ast.dump(ast.parse(mutant.source)) for mutant in likely_mutants(source)}
    assert len(shapes) == len(made)


@pytest.mark.parametrize(
    ("kind", "told", "heard"),
    [
        ("axis", "with axis 0 for tuple(range(g.ndim - len(shape)))", "with another axis somewhere"),
        ("axis", "with axis -1 for (0, 1)", "with another axis somewhere"),
        ("axis", "with axis 0 for 1", "with axis 0 where axis 1 belongs"),
        ("length", "with length 1 of the shape for g.ndim - 1", ""),
        ("name", "with n - 1 in the place of n", "with n - 1 in the place of n"),
        ("constant", "with False for True", "with False where True belongs"),
    ],
)
def test_a_sentence_names_what_was_replaced_and_prints_no_expression(
    kind: str, told: str, heard: str
) -> None:
    shown = "def unbroadcast(g, shape): tuple range ndim len"
    assert said(Edit(0, 0, "", kind, told), shown) == heard


def test_every_kind_of_these_faults_is_made_somewhere_in_the_course() -> None:
    course = Course(REPOSITORY)
    solutions = [e.solution for unit in course.units() for e in course.assignment(unit).exercises]
    idle = set(fault_likely.FAULTS)
    for text in solutions:
        tree = ast.parse(text)
        source = Source(text, tree)
        idle -= {fault for fault in idle for node in ast.walk(tree) if next(fault(source, node), None)}
    assert not idle


def test_in_one_process_after_the_other_answers_do_what_they_do_alone(
    mini_course: Course, sandbox: Sandbox
) -> None:
    """Also where one of them leaves something behind for those that follow."""
    assignment = mini_course.assignment("mini")
    exercise = assignment.exercise("unbox")
    answers = [mutant.source for mutant in likely_mutants(exercise.solution)][:30]
    harm = "import math\nmath.log = math.exp\ndef unbox(boxes):\n    return 0.5"
    answers[5:5] = [
        harm,
        "def unbox(boxes):\n    while True: pass",
        "def unbox(boxes):\n    import os\n    os._exit(3)",
    ]
    together = endings_of(assignment, exercise, answers, sandbox)
    for answer, ending in zip(answers, together, strict=True):
        alone = run_check(assignment, exercise, answer, visible_part(exercise.check), sandbox)
        assert ending.status == alone.status, answer
        assert whole_digest("unbox", ending.calls) == whole_digest("unbox", alone.calls), answer


def test_a_process_that_ends_in_a_part_is_followed_by_another(unit: Assignment, sandbox: Sandbox) -> None:
    (exercise,) = unit.exercises
    late = "import os\ncalls = []\ndef spread(values):\n    calls.append(1)\n    if len(calls) == 3: os._exit(3)\n"
    late += "    return sum(values) / len(values), 8 / 3"  # right in the first part, lost in the second
    endings = endings_of(unit, exercise, [late, exercise.solution], sandbox)
    assert [ending.status for ending in endings] == ["error", "passed"]
    assert [part.name for part in endings[0].failure.parts if part.lost] == ["distance"]  # type: ignore[union-attr]


def fault(told: str, kind: str = "dropped", sure: bool = True, of_model: bool = True) -> Fault:
    return Fault("d" * 32, Mutant("x = 1", (Edit(0, 1, "x", kind, told),)), of_model, sure)


FACTOR = fault("without the factor `g`")
SINGLE = [
    fault("without the factor `g`", sure=False),
    fault("with `a` for `g`", "name", sure=False),
    fault("with 2 for 1", "constant", sure=False),
]


@pytest.mark.parametrize(
    ("faults", "sentence"),
    [
        ([FACTOR, fault("if it did not look at `g`", "parameter")], "without the factor `g`"),
        # Several numbers agree: what comes to mind first, and the model answer before others.
        ([FACTOR, fault("with `a` for `g`", "name")], "without the factor `g`"),
        ([FACTOR, fault("with 2 for 1", "constant", of_model=False)], "without the factor `g`"),
        # One number alone: whatever gives it, as long as that are two faults.
        (SINGLE[:2], "without the factor `g`, or with `a` where `g` belongs"),
        (SINGLE, ""),
        # What a machine alone writes is told to nobody, and leaves the sentence to what people do.
        ([fault("with 2 for 1", "constant")], ""),
        (
            [fault("with `max` for `sum`", "function"), fault("with `a` for `g`", "name")],
            "with `a` where `g` belongs",
        ),
        ([fault("with `mean` for `sum`", "function")], "with `mean` where `sum` belongs"),
    ],
)
def test_what_is_told_of_faults_that_do_the_same(faults: list[Fault], sentence: str) -> None:
    found = sentences_of(faults, "def f(g, a): ...")
    assert found == ({"d" * 32: sentence} if sentence else {})


def test_another_name_that_is_only_asked_for_its_parts_is_not_told() -> None:
    for source in ("y = b.shape", "y = b[0]", "y = b\n"):
        edit = Edit(4, 5, "b", "name", "with `b` for `a`")
        assert not sentences_of([Fault("d" * 32, Mutant(source, (edit,)), True)], "def f(a, b): ...")


def test_the_sentences_are_kept_beside_the_verdicts_until_what_they_depend_on_changes(
    mini_course: Course, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = mini_course.assignment("mini")
    kept = run_mutants(assignment, sandbox, jobs=2).kept
    tell(assignment, sandbox, kept, jobs=2)
    assert "with `+` where `*` belongs" in kept["mul_vjp"]["told"].values()
    monkeypatch.setattr(explain, "sentences_of", lambda *arguments: {"d": "new"})
    tell(assignment, sandbox, kept, jobs=1)
    assert kept["mul_vjp"]["told"] != {"d": "new"}
    monkeypatch.setattr(explain, "VERSION", explain.VERSION + 1)
    tell(assignment, sandbox, kept, jobs=1)
    assert kept["mul_vjp"]["told"] == {"d": "new"}


def test_hidden_tests_are_no_part_of_what_sentences_depend_on(mini_course: Course) -> None:
    assignment = mini_course.assignment("mini")
    exercise, entries = assignment.exercise("mul_vjp"), load_bank(assignment)
    now = explain.explained(assignment, exercise, entries)
    hidden = exercise.check.replace("### END HIDDEN TESTS", "assert True\n    ### END HIDDEN TESTS")
    assert hidden != exercise.check
    assert explain.explained(assignment, replace(exercise, check=hidden), entries) == now
    seen = exercise.check.replace("### BEGIN HIDDEN TESTS", "assert True\n    ### BEGIN HIDDEN TESTS")
    for other in (replace(exercise, check=seen), replace(exercise, solution=exercise.solution + "\n1")):
        assert explain.explained(assignment, other, entries) != now


def test_where_the_verdict_alone_counts_the_first_wrong_part_ends_the_check(
    unit: Assignment, sandbox: Sandbox
) -> None:
    exercise = unit.exercises[0]
    negative = "def spread(v):\n    return -1.5, -1.5"
    whole = run_check(unit, exercise, negative, exercise.check, sandbox)
    short = run_check(unit, exercise, negative, exercise.check, sandbox, first_ends=True)
    assert (whole.status, short.status) == ("failed", "failed")
    assert whole.failure is not None and short.failure is not None
    assert len(whole.failure.parts) == 2 and not short.failure.parts
    right = run_check(unit, exercise, exercise.solution, exercise.check, sandbox, first_ends=True)
    assert right.passed


@pytest.mark.parametrize("count", [0, 1, explain.PIECE, explain.PIECE + 1, 3 * explain.PIECE - 1])
def test_no_answer_is_left_out_where_one_process_follows_another(count: int) -> None:
    answers = [(f"answer {i}", cast(Mutant, None), True) for i in range(count)]
    pieces = list(explain.in_pieces(answers))
    assert [answer for piece in pieces for answer in piece] == answers
    assert all(0 < len(piece) <= explain.PIECE for piece in pieces)
