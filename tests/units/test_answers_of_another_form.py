"""Answers of a form that nobody asked for get a message about themselves: no words of Python's on the check's lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from autograder.authoring.trial import run_check
from autograder.lesson.failures import ERROR, FAILED, Failure
from autograder.lesson.forms import OF_A_CALL, OF_THE_WIRE, SENTENCES, of_form
from autograder.unit.assignment import Course, Exercise
from autograder.unit.settings import configured_sandbox, load_config

from ..conftest import REPOSITORY

COURSE = Course(REPOSITORY)
#: What every function of an answer gives in place of its result, whatever it is called with.
FORMS = {
    "None": "None",
    "a number": "2.5",
    "an empty tuple": "()",
    "a pair": "(1.0, 2.0)",
    "five": "(1.0,) * 5",
    "a list": "[1.0]",
    "a text": "'abc'",
    "an array": "__import__('numpy').ones((1, 2, 3, 7))",
    "an array without axes": "__import__('numpy').array(3.0)",
    "a NaN": "float('nan')",
    "a generator": "(x for x in ())",
    "a class": "Exception",
    "a function": "len",
    "a dict": "{}",
    "an exception": "1 // 0",
}
#: Of these, so many are tried with each function, others with the next one.
EACH = 5
#: Python's words, which speak of a line of code.
PYTHON = re.compile(
    r"\w+(Error|Exception|Iteration|Interrupt):|object (has no|is not|of type|does not)|to unpack|unpack non-|"
    r"unsupported operand|bad operand|out of range|out of bounds|NoneType|has no len|broadcast together"
)


#: Of a whole engine that a learner designs, a check knows these names, and nothing of what is in them.
ASKED_FOR = {"Tensor": {"Tensor", "Linear", "Sequential", "Adam"}}


def answers(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """What is changed of the model answer, and its text with one thing that gives only this."""
    for node in ast.parse(exercise.solution).body:
        if exercise.name in ASKED_FOR:
            if isinstance(node, ast.ClassDef) and node.name in ASKED_FOR[exercise.name]:
                yield node.name, "def {name}(*args, **options):\n    return {form}\n"
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, "def {name}(*args, **options):\n    return {form}\n"
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name != "__init__":
                    yield f"{node.name}.{part.name}", "{name} = lambda *args, **options: {form}\n"
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            # None first: where the form raises, the model answer would stay.
            yield node.targets[0].id, "{name} = None\n{name} = {form}\n"


def leak(failure: Failure) -> str:
    """The line of a message that has Python's words for what happened in the check; empty when there is none."""
    rows = dict(failure.rows)
    own = rows.get("raised", "")
    if "at" in rows or OF_A_CALL.search(own) or OF_THE_WIRE.search(own):
        rows.pop("raised", None)  # of a line that the learner wrote, or of how a function is called
    for name in ("called", "returned", "compared", "expected"):
        rows.pop(name, None)  # values: what the answer itself gave
    told = [failure.headline.removeprefix("your code raised "), *rows.values(), failure.diagnosis]
    return next((text for text in told if PYTHON.search(text)), "")


@pytest.mark.parametrize("unit", COURSE.units())
def test_a_message_never_shows_an_error_of_the_check_s_own(unit: str, bubblewrap: None) -> None:
    assignment, sandbox = (
        COURSE.assignment(unit),
        configured_sandbox(load_config(REPOSITORY), REPOSITORY, False, False),
    )
    forms = list(FORMS)
    jobs = []
    for exercise in assignment.exercises:
        found = list(answers(exercise))
        assert found, exercise.name
        for name, text in found:
            first = len(jobs) // EACH
            for step in range(EACH):
                form = forms[(first + 3 * step) % len(forms)]
                changed = text.format(name=name, form=FORMS[form])
                jobs.append((exercise, f"{name} gives {form}", f"{exercise.solution}\n\n\n{changed}"))

    def run(job: tuple[Exercise, str, str]) -> str:
        exercise, what, answer = job
        ending = run_check(assignment, exercise, answer, exercise.check, sandbox, seed=3)
        where = f"{exercise.name}, where {what}"
        if ending.status not in (FAILED, ERROR) or ending.failure is None:
            return f"{where}: {ending.status}"
        found = leak(ending.failure)
        return f"{where}: {found}" if found else ""

    with ThreadPoolExecutor(2) as pool:
        told = [text for text in pool.map(run, jobs) if text]
    assert not told, "\n".join(told)


SAID = {
    (
        "IndexError",
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
        "valid indices",
    ): "An array stands where a dict is wanted",
    (
        "AttributeError",
        "'NoneType' object has no attribute 'data'",
    ): "Something is None where the check asks for its",
    (
        "AttributeError",
        "'float' object has no attribute 'grad'",
    ): "asks for a `grad`, which a float does not have",
    ("AttributeError", "type object 'Value' has no attribute 'pow'"): "asks the class `Value` for its `pow`",
    ("ValueError", "not enough values to unpack (expected 2, got 1)"): "2 values are wanted, and there: 1.",
    ("ValueError", "too many values to unpack (expected 2)"): "2 values are wanted, and there are more.",
    (
        "TypeError",
        "cannot unpack non-iterable float object",
    ): "Where several values are wanted, there is a float.",
    (
        "TypeError",
        "cannot unpack non-iterable NoneType object",
    ): "Something is None where several values are wanted",
    (
        "TypeError",
        "object of type 'NoneType' has no len()",
    ): "Something is None where several values are wanted",
    (
        "TypeError",
        "object of type 'generator' has no len()",
    ): "Where several values are wanted, there is a generator.",
    (
        "TypeError",
        "'float' object is not subscriptable",
    ): "Where several values are wanted, there is a float.",
    ("TypeError", "'str' object is not callable"): "A function is wanted, and this is a text.",
    (
        "TypeError",
        "unsupported operand type(s) for *: 'NoneType' and 'float'",
    ): "None that the check computes with",
    ("TypeError", "unsupported operand type(s) for *: 'dict' and 'float'"): "no number or array that fits",
    (
        "TypeError",
        "float() argument must be a string or a real number, not 'dict'",
    ): "no number or array that fits",
    ("TypeError", "iteration over a 0-d array"): "An array with more axes is wanted.",
    ("TypeError", "'tuple' object does not support item assignment"): "The check cannot use a tuple here.",
    ("IndexError", "tuple index out of range"): "looks at more values than there are",
    (
        "TypeError",
        "list indices must be integers or slices, not str",
    ): "A dict with names for keys is wanted, and this is a list.",
    ("KeyError", "'loss'"): "A key that the check looks for is not there.",
    (
        "ValueError",
        "operands could not be broadcast together with shapes (2,3) (4,) ",
    ): "The shape is another one",
    ("ValueError", "something new"): "What your code gives has another form than the check can use.",
}


@pytest.mark.parametrize("error", SAID, ids=" ".join)
def test_an_exception_of_the_check_s_own_is_told_in_words_about_the_answer(error: tuple[str, str]) -> None:
    told = of_form(*error)
    assert SAID[error] in told
    assert told.endswith((".", "?"))
    assert not PYTHON.search(told)
    assert "{" not in told


def test_every_kind_of_sentence_is_tried() -> None:
    texts = [text for _, text in SAID]
    idle = [pattern for pattern, _ in SENTENCES if not any(re.search(pattern, text) for text in texts)]
    assert not idle
