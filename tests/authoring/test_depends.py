"""What verdicts on mutants depend on: all that a check and its answers can reach, and nothing else."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring import explain, mutation
from autograder.authoring.depends import around, reached
from autograder.referee.bank import Entry, load_bank
from autograder.unit.assignment import Assignment, Course, Exercise

from ..conftest import REPOSITORY

#: Cells, and which of their statements `f(1)` reaches, by a word that stands in each.
REACHED = {
    "a function, and what it calls": (
        "def f(x):\n    return near(x)\ndef near(x): pass\ndef far(x): pass",
        "f near",
    ),
    "a name that is imported under another": ("import near as f, far as g", "near"),
    "a module below another": ("import f.near, g.far", "near"),
    "what is changed under its name": ("f.near = 1\nf['near'] = 2\ng.far = 3\nf, h = near", "near near near"),
    "what is changed inside of what it uses": (
        "def f(x): return table\ntable[near()] = 1\nother[0] = 2",
        "f near",
    ),
    "a call that may write into it": ("def f(x): pass\nnear(f)\nfar(g)", "f near"),
    "a loop that may": ("for one in (f, g): near(one)\nfor other in (h, i): far(other)", "near"),
    "a condition": ("if f: near = 1\nif g: far = 1", "near"),
    "a with": ("with f: near = 1\nwith g: far = 1", "near"),
    "a try": ("try: near = f\nfinally: pass\ntry: far = g\nfinally: pass", "near"),
    "a while": ("while f: near = 1\nwhile g: far = 1", "near"),
    "what is only an index": ("other[f] = 1\nother.far[f] = 2", ""),
    "a decorator": ("def near(f): return f\n@near\ndef f(x): pass\n@far\ndef g(x): pass", "near near"),
    "a base class": ("class near: pass\nclass f(near): pass\nclass g: pass", "near near"),
    "a default": ("near = 1\ndef f(x, y=near): pass\ndef g(x, y=far): pass", "near near"),
    "a text that names it": (
        "def f(x): return yours('near')\ndef near(): pass\ndef far(): pass",
        "near near",
    ),
    "a text that is a program": ("def f(x): exec('a = near(2); b = a')\ndef near(): pass", "near near"),
    "a sentence names nothing": ("def f(x):\n    'as in far or in g'\ndef far(): pass\ndef g(): pass", "f"),
    "a text that Python would warn of": ("def f(x): return '2or near'\ndef near(): pass", "near near"),
    "a cell that is no Python, by its words": ("%near f\n%far g", "near"),
    "of which no word is one of its": ("%far g", ""),
}


@pytest.mark.parametrize("what", REACHED)
def test_what_is_reached(what: str) -> None:
    cell, words = REACHED[what]
    found = reached([cell], ["f(1)"])
    assert len(found) == len(words.split()), found
    assert all(word in text for word, text in zip(words.split(), found, strict=True)), found


def test_what_stands_in_a_later_cell_is_reached_too() -> None:
    assert reached(["def f(x): return h(x)", "def g(x): pass", "def h(x): pass"], ["f"]) == [
        "def f(x): return h(x)",
        "def h(x): pass",
    ]


def test_an_attribute_is_a_name_too() -> None:
    assert reached(["def f(x): pass\ndef far(x): pass"], ["yours.f(1)"]) == ["def f(x): pass"]


def test_a_text_that_python_would_warn_of_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert reached(["def near(): pass"], ["'3or near'"]) == ["def near(): pass"]


@pytest.fixture
def relu() -> tuple[Assignment, Exercise, list[Entry]]:
    """A unit, an exercise of it whose answers do not stand on `topological_order`, and the bank."""
    assignment = Course(REPOSITORY).assignment("03_reverse_mode")
    return assignment, assignment.exercise("relu_vjp"), load_bank(assignment)


def test_around_an_exercise_stand_other_right_answers_and_not_its_own(
    relu: tuple[Assignment, Exercise, list[Entry]],
) -> None:
    assignment, exercise, entries = relu
    texts = around(assignment, exercise, entries)
    right = [entry.source for entry in entries if entry.right and entry.exercise == "relu_vjp"]
    assert right and texts[: len(right)] == right
    assert not any(text.startswith("def relu_vjp") for text in texts[len(right) :])
    assert not any(text.startswith("def topological_order") for text in texts)


@pytest.mark.parametrize("where", ["the solution", "the check", "another right answer"])
def test_what_any_of_its_texts_names_is_around_it(
    where: str, relu: tuple[Assignment, Exercise, list[Entry]]
) -> None:
    assignment, exercise, entries = relu
    more = "\ntopological_order\n"
    if where == "the solution":
        exercise = replace(exercise, solution=exercise.solution + more)
    elif where == "the check":
        exercise = replace(exercise, check=exercise.check + more)
    else:
        own = next(entry for entry in entries if entry.right and entry.exercise == "relu_vjp")
        entries = [replace(own, source=own.source + more)]
    assert any(text.startswith("def topological_order") for text in around(assignment, exercise, entries))


def test_what_only_a_hidden_test_names_counts_with_hidden_tests_alone(
    relu: tuple[Assignment, Exercise, list[Entry]],
) -> None:
    assignment, exercise, entries = relu
    hidden = "\n### BEGIN HIDDEN TESTS\ntopological_order\n### END HIDDEN TESTS\n"
    exercise = replace(exercise, check=exercise.check + hidden)
    with_it, without = (around(assignment, exercise, entries, hidden) for hidden in (True, False))
    assert any(text.startswith("def topological_order") for text in with_it)
    assert not any(text.startswith("def topological_order") for text in without)


def _digests(assignment: Assignment) -> dict[str, tuple[str, str]]:
    entries = load_bank(assignment)
    return {
        e.name: (
            mutation.current(assignment, e, entries, {}),
            explain.explained(assignment, e, entries),
        )
        for e in assignment.exercises
    }


def _changed(tmp_path: Path, unit: str, before: str, after: str) -> Assignment:
    """The unit with a piece of its solution's notebook changed."""
    folder = tmp_path / "solutions" / unit
    folder.mkdir(parents=True)
    for path in (REPOSITORY / "solutions" / unit).iterdir():
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".ipynb":
                assert text.count(before) == 1
                text = text.replace(before, after)
            (folder / path.name).write_text(text, encoding="utf-8")
    return Course(tmp_path).assignment(unit)


def test_a_probe_that_changes_asks_for_the_exercises_that_use_it(tmp_path: Path) -> None:
    unit = "03_reverse_mode"
    old = _digests(Course(REPOSITORY).assignment(unit))
    new = _digests(_changed(tmp_path, unit, "1_000)  # Python's own", "1_001)  # Python's own"))
    assert {name for name in old if old[name] != new[name]} == {"Scalar"}
    assert all(a != b for a, b in zip(old["Scalar"], new["Scalar"], strict=True))


def test_a_model_answer_that_changes_asks_for_those_that_stand_on_it(tmp_path: Path) -> None:
    unit = "02_forward_mode"
    old = _digests(Course(REPOSITORY).assignment(unit))
    new = _digests(
        _changed(
            tmp_path,
            unit,
            'as_dual(f(Dual(x, 1.0))).tangent\\n",\n    "    ###',
            'as_dual(f(Dual(x, 1))).tangent\\n",\n    "    ###',
        )
    )
    assert {name for name in old if old[name] != new[name]} == {
        "derivative",
        "newton_step",
        "second_derivative",
        "best_angle",
    }
