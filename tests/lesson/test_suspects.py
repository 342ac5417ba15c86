# ruff: noqa: E501  (a probe stays on its line)
"""A learner's test is judged by what it says of right and wrong subjects, of which it has nothing but their replies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest

from autograder import Suspect, exercise
from autograder.lesson.failures import CheckFailed
from autograder.lesson.probes import (
    AnswerError,
    AnswerTimeout,
    Boundary,
    Call,
    LocalBoundary,
    Probe,
    Session,
    compile_probe,
    use_session,
)
from autograder.lesson.questions import MOST_QUESTIONS
from autograder.lesson.suspects import Misjudged
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox


class Text(Probe):
    """A probe whose source is given as text."""

    def __init__(self, source: str) -> None:
        super().__init__("verdict", compile_probe(source, "verdict", {}))
        self.text = source

    @property
    def source(self) -> str:  # type: ignore[override]
        return self.text

    def asking(self, subject: Any) -> Probe:
        other = Text(self.text)
        other.subject = subject
        return other


def doubling(about: str, factor: float, right: bool = False) -> Suspect:
    return Suspect(about, right, lambda: lambda question: factor * question, (3.0,))


SUSPECTS = [doubling("a right one", 2.0, right=True), doubling("half", 1.0), doubling("the sign", -2.0)] * 3
GOOD = "def verdict(ask, x, seed):\n    return ask(x) == 2 * x\n"


@pytest.fixture(params=["here", "warm", "cold"])
def boundary(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[Boundary]:
    if request.param == "here":
        yield LocalBoundary({"np": np})
        return
    walls = Sandbox(warm=request.param == "warm", call_seconds=10.0)
    walls.wall()
    process = PupilProcess(walls, (), time.monotonic() + 60)
    yield process
    process.close()


def told(boundary: Boundary, source: str, suspects: list[Suspect] = SUSPECTS) -> str:
    """What a check says of a test; empty when it passes."""
    try:
        with use_session(Session(boundary, 5, quiet=True)), exercise("verdict") as check:
            check.tells_apart(Text(source), suspects, "doubles")
    except CheckFailed as error:
        return str(error)
    return ""


def test_a_good_test_passes(boundary: Boundary) -> None:
    assert told(boundary, GOOD) == ""


def test_what_is_missed_is_told_by_its_kind_and_counted(boundary: Boundary) -> None:
    text = told(boundary, "def verdict(ask, x, seed):\n    return abs(ask(x)) == 2 * x\n")
    assert "3 of 6 faults not found" in text
    assert "missed    the sign (3 times)" in text
    assert "half" not in text


def test_an_accusation_is_told_before_what_is_missed(boundary: Boundary) -> None:
    text = told(boundary, "def verdict(ask, x, seed):\n    return ask(x) < 0\n")
    assert "3 of 3 right rules accused" in text
    assert "accused   a right one" in text
    assert "missed" not in text


SAME = {"always right": "True", "always wrong": "False", "by a coin": "seed % 2 == 0"}


@pytest.mark.parametrize("name", SAME)
def test_who_asks_nothing_passes_nothing(name: str) -> None:
    assert told(LocalBoundary({}), f"def verdict(ask, x, seed):\n    return {SAME[name]}\n")


def test_something_else_than_true_or_false_is_no_verdict(boundary: Boundary) -> None:
    assert "neither True nor False" in told(boundary, "def verdict(ask, x, seed):\n    return 'right'\n")
    assert "neither True nor False" in told(boundary, "def verdict(ask, x, seed):\n    return 1\n")


def test_a_test_that_raises_has_found_something(boundary: Boundary) -> None:
    assert told(boundary, "def verdict(ask, x, seed):\n    assert ask(x) == 2 * x\n    return True\n") == ""
    assert told(boundary, "def verdict(ask, x, seed):\n    raise ValueError(x)\n")


def test_a_verdict_that_was_wrong_is_not_asked_for_again() -> None:
    # Who is asked once more only where the first verdict was wrong would know by that what is right.
    source = (
        "def verdict(ask, x, seed):\n    asked.append(ask(x))\n    return asked.count(asked[-1]) % 2 == 0\n"
    )
    counts = []
    for factor in (2.0, 1.0):
        asked: list[float] = []
        told(LocalBoundary({"asked": asked}), source, [doubling("", factor, right=factor == 2.0)])
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_one_unlucky_verdict_costs_nothing() -> None:
    unlucky = (
        "def verdict(ask, x, seed):\n    count.append(1)\n    return (ask(x) == 2 * x) != (len(count) == 4)\n"
    )
    assert told(LocalBoundary({"count": []}), unlucky) == ""
    twice = unlucky.replace("len(count) == 4", "len(count) in (3, 4)")
    assert told(LocalBoundary({"count": []}), twice)


def test_the_order_is_another_one_in_every_run() -> None:
    orders = set()
    for seed in range(5):
        seen: list[float] = []
        source = "def verdict(ask, x, seed):\n    seen.append(ask(x))\n    return seen[-1] == 2 * x\n"
        with (
            use_session(Session(LocalBoundary({"seen": seen}), seed, quiet=True)),
            exercise("verdict") as check,
        ):
            check.tells_apart(Text(source), SUSPECTS, "doubles")
        orders.add(tuple(seen))
    assert len(orders) == 5


def asked(boundary: Boundary, source: str, subject: Callable[[Any], Any]) -> Any:
    return boundary.call(Text(source).asking(lambda: subject), ()).value


def test_arrays_and_lists_travel_both_ways(boundary: Boundary) -> None:
    source = "def verdict(ask):\n    import numpy as np\n    return ask(('f', np.ones((2, 3)), [1, None]))\n"
    got = asked(boundary, source, lambda question: [question[1] * 2, question[2]])
    assert np.array_equal(got[0], np.full((2, 3), 2.0))
    assert got[1] == [1, None]


QUESTIONS = {
    "an object": "object()",
    "a function": "print",
    "an array of another kind": "__import__('numpy').array([object()])",
    "something deep": "[" * 60 + "]" * 60,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_that_cannot_be_answered_raises_where_it_was_asked(
    question: str, boundary: Boundary
) -> None:
    def subject(question: Any) -> float:
        return float(question) + 1

    source = f"def verdict(ask):\n    try:\n        return ask({QUESTIONS[question]})\n    except ValueError:\n        return 'refused', ask(1.0)\n"
    assert asked(boundary, source, subject) == ("refused", 2.0)


def test_the_number_of_questions_has_a_limit(boundary: Boundary) -> None:
    source = f"def verdict(ask):\n    for i in range({MOST_QUESTIONS + 1}):\n        ask(0)\n"
    with pytest.raises(AnswerError, match=f"at most {MOST_QUESTIONS} questions"):
        asked(boundary, source, lambda question: 0)


def test_questions_do_not_stretch_a_call(sandbox: Sandbox) -> None:
    walls = Sandbox(call_seconds=1.0)
    process = PupilProcess(walls, (), time.monotonic() + 60)
    source = "def verdict(ask):\n    while True:\n        try:\n            ask(0)\n        except ValueError:\n            pass\n"
    start = time.monotonic()
    with pytest.raises(AnswerTimeout):
        asked(process, source, lambda question: 0)
    assert time.monotonic() - start < 20


def test_who_keeps_the_way_to_ask_gets_nothing_by_it_later(sandbox: Sandbox) -> None:
    walls = Sandbox(call_seconds=1.0)
    process = PupilProcess(walls, (), time.monotonic() + 60)
    process.run_cell("kept = []")
    first = "def verdict(ask):\n    kept.append(ask)\n    return ask(1)\n"
    assert asked(process, first, lambda question: question + 1) == 2
    later = "def verdict(ask):\n    return kept[0](1)\n"
    with pytest.raises((AnswerTimeout, AnswerError)):
        asked(process, later, lambda question: question + 1)
    process.close()


def test_what_was_asked_is_known_by_its_kind() -> None:
    source = "def verdict(ask):\n    import numpy as np\n    ask(('f', np.ones(3)))\n    ask(('f', np.arange(3.0)))\n    ask(('f', np.arange(3.0)))\n"
    reply = LocalBoundary({}).call(Text(source).asking(lambda: lambda question: None), ())
    assert reply.asked == (("f =", 1), ("f ~", 2))


@pytest.mark.parametrize(("kinds", "more"), [(6, ""), (7, "and 1 more kind"), (8, "and 2 more kinds")])
def test_kinds_that_are_not_named_are_counted(kinds: int, more: str) -> None:
    suspects = [Suspect(f"kind {k}", False, lambda: lambda question: 0) for k in range(kinds)]
    found = Misjudged(missed=[(suspect, cast(Call, None)) for suspect in suspects])
    ((_, text),) = found.rows
    assert text.splitlines()[6:] == ([more] if more else [])
