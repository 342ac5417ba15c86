"""Answers that are right and look unusual: each earns its points, or is told the rule that it breaks."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from autograder.lesson.compare import difference
from autograder.lesson.diagnose import diagnose
from autograder.lesson.wire import Opaque, plain
from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment
from autograder.unit.ingest import Submission
from autograder.unit.raw import python_of

RIGHT = {
    "mul_vjp": "def mul_vjp(g, a, b):\n    return g * b, g * a",
    "unbox": "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)",
}
Grade = Callable[..., Report]

#: Other forms of right answers: what is written, and for which exercise.
GOOD = {
    "a list for a tuple": ("mul_vjp", "def mul_vjp(g, a, b):\n    return [g * b, g * a]"),
    "an array for a tuple": (
        "mul_vjp",
        "import numpy as np\ndef mul_vjp(g, a, b):\n    return np.array([g * b, g * a])",
    ),
    "a namedtuple": (
        "mul_vjp",
        "from collections import namedtuple\nPair = namedtuple('Pair', 'a b')\n"
        "def mul_vjp(g, a, b):\n    return Pair(g * b, g * a)",
    ),
    "a NamedTuple": (
        "mul_vjp",
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: float\n    b: float\n"
        "def mul_vjp(g, a, b):\n    return Pair(g * b, g * a)",
    ),
    "NumPy's numbers": (
        "mul_vjp",
        "import numpy as np\ndef mul_vjp(g, a, b):\n    return np.float64(g * b), np.float64(g * a)",
    ),
    "a library that is not there and not needed": (
        "mul_vjp",
        "import no_such_library as nsl\nimport no_such_library.deep\nfrom no_such_library.x import y as z\n"
        + RIGHT["mul_vjp"],
    ),
    "the same, below a magic": ("mul_vjp", "%matplotlib inline\nimport no_such_library\n" + RIGHT["mul_vjp"]),
    "a star import": ("mul_vjp", "from numpy import *\n" + RIGHT["mul_vjp"]),
    "a star import, and Python's sum": ("unbox", "from numpy import *\n" + RIGHT["unbox"]),
    "a star import, and NumPy's sum": (
        "unbox",
        "from numpy import *\ndef unbox(boxes):\n"
        "    return float(sum(array([[log(b.value), 0.0] for b in boxes] or [[0.0, 0.0]]), axis=(0, 1)))",
    ),
    "a star import, and Python's max of two": (
        "unbox",
        "from numpy import *\ndef unbox(boxes):\n    logs = [math.log(b.value) for b in boxes]\n"
        "    return max(sum(logs), -1e9) + min(0, abs(-1)) + round(0.2) + pow(0, 2) "
        "+ (not all(x == x for x in logs))",
    ),
}


@pytest.mark.parametrize("form", GOOD)
def test_a_right_answer_in_another_form_earns_everything_and_costs_the_others_nothing(
    form: str, grade_answers: Grade
) -> None:
    name, answer = GOOD[form]
    report = grade_answers(**RIGHT | {name: answer})
    assert [outcome.status for outcome in report.outcomes] == ["passed", "passed"], [
        o.text for o in report.outcomes
    ]


#: Forms that a statement does not allow: the rule is told.
RULES = {
    "float32": (
        "import numpy as np\ndef mul_vjp(g, a, b):\n"
        "    return np.float32(g * b * 1.0000001), np.float32(g * a * 1.0000001)",
        "the seven digits that float32 has",
    ),
    "quotes that only newer Python takes": (
        "def mul_vjp(g, a, b):\n    d = {'k': 1}\n    print(f'{d['k']}')\n    return g * b, g * a",
        "use the other kind inside" if sys.version_info < (3, 12) else "",
    ),
    "a library that is not there, used": (
        "import no_such_library as nsl\ndef mul_vjp(g, a, b):\n    return nsl.mul(g, b), g * a",
        "may import NumPy, matplotlib and Python's own library",
    ),
    "a library that is not there, used as a base": (
        "import no_such_library as nsl\nclass M(nsl.nn.Module): ...\n" + RIGHT["mul_vjp"],
        "may import NumPy, matplotlib and Python's own library",
    ),
    "a name of Python's own as a variable": (
        "sum = 0\ndef mul_vjp(g, a, b):\n    return sum([g * b]), g * a",
        "a name such as `sum`",
    ),
    "a function that makes a generator": (
        "def mul_vjp(g, a, b):\n    return (x for x in (g * b, g * a))",
        "and this is a generator",
    ),
}


@pytest.mark.parametrize("form", RULES)
def test_where_a_form_is_not_allowed_the_rule_is_said(form: str, grade_answers: Grade) -> None:
    answer, told = RULES[form]
    if not told:
        pytest.skip("this Python takes it")
    outcome = grade_answers(mul_vjp=answer).outcomes[0]
    assert outcome.points == 0
    assert told in outcome.text


def test_an_import_that_a_unit_refuses_is_still_refused(grade_answers: Grade) -> None:
    answer = "import autograd_ref.scalar\nfrom autograder.referee import judge\n" + RIGHT["mul_vjp"]
    outcome = grade_answers(mul_vjp=answer).outcomes[0]
    assert (outcome.points, "may not import it" in outcome.text) == (0, True)


def test_a_notebook_of_a_newer_python_is_told_which_one_grades(mini: Assignment, sandbox: Sandbox) -> None:
    answers = RIGHT | {"mul_vjp": "def mul_vjp[T](g: T, a: T, b: T):\n    return g * b, g * a\nx: = 3"}
    report = grade(mini, Submission(answers=answers, python=(99, 1)), sandbox, seed=1)
    here = ".".join(map(str, sys.version_info[:2]))
    assert f"ran on Python 99.1, and grading runs {here}" in report.outcomes[0].text
    report = grade(mini, Submission(answers=answers), sandbox, seed=1)
    assert "grading runs" not in report.outcomes[0].text


@pytest.mark.parametrize(
    ("version", "read"),
    [
        ("3.13.1", (3, 13)),
        ("3.9", (3, 9)),
        ("3.14.0rc1", (3, 14)),
        ("", ()),
        (None, ()),
        (3, ()),
        ("9" * 999, ()),
        ([], ()),
    ],
)
def test_the_version_that_a_notebook_names_is_two_numbers_or_nothing(
    version: object, read: tuple[int, ...]
) -> None:
    assert python_of({"metadata": {"language_info": {"version": version}}}) == read
    assert python_of({"metadata": {"language_info": version}}) == ()


class Pair(NamedTuple):
    a: float
    b: tuple[float, ...]


class Sly(tuple):
    _fields = ("a",)

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter((1.0, 2.0))

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = tuple.__hash__


def test_a_tuple_with_names_is_what_it_holds() -> None:
    assert plain(Pair(1.0, namedtuple("P", "x")(2.0))) == (1.0, (2.0,))
    assert type(plain(Pair(1.0, ()))) is tuple
    assert plain(Sly((3.0,))) == (3.0,)
    assert type(plain(Sly((3.0,)))) is tuple


def test_the_library_s_own_dicts_are_dicts() -> None:
    for table in (defaultdict(int, {"a": 1}), OrderedDict(a=1), Counter("a")):
        assert plain(table) == {"a": 1}
        assert type(plain(table)) is dict
    assert type(plain(type("Table", (dict,), {})())) is Opaque


@pytest.mark.parametrize(
    ("got", "expected", "same"),
    [
        (np.array([1.0, 2.0]), (1.0, 2.0), True),
        (np.array([1, 2]), [1.0, 2.0], True),
        (np.array([[1.0], [2.0]]), (np.array([1.0]), np.array([2.0])), True),
        (np.array([[1.0, 2.0]]), ((1.0, 2.0),), True),
        (np.array([1.0, 2.5]), (1.0, 2.0), False),
        (np.array([1.0, 2.0]), (1.0,), False),
        (np.array(1.0), (1.0,), False),
        (np.array([[1.0, 2.0]]), (1.0, 2.0), False),
        (np.array([1.0, 2.0]), {0: 1.0, 1: 2.0}, False),
        ([1.0, 2.0], np.array([1.0, 2.0]), False),
        (np.array([True, False]), (1.0, 0.0), False),
    ],
)
def test_an_array_stands_for_a_tuple_of_the_same_items(got: object, expected: object, same: bool) -> None:
    assert (difference(got, expected) is None) == same


def test_too_few_digits_are_a_diagnosis_only_where_the_numbers_are_right() -> None:
    exact = (1 / 3, 2 / 7)
    assert "float32" in diagnose(tuple(map(np.float32, exact)), exact)
    assert "float32" in diagnose(np.array(exact, dtype="f4"), np.array(exact))
    assert "float16" in diagnose(np.array(exact, dtype="f2"), np.array(exact))
    assert "digits" not in diagnose(np.array([0.3333, 0.5], dtype="f4"), np.array(exact))
    assert "digits" not in diagnose(np.array([0.33333, 0.285714]), np.array(exact))
    # Where float32 goes in, it may come out.
    given = np.array(exact, dtype="f4")
    assert "digits" not in diagnose(given * np.float32(1.00001), given, (given,))
