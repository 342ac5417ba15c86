"""The call that failed, made again with other numbers: two mistakes that agree by chance in one call are told apart."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np
import pytest

from autograder.lesson import echo, likely
from autograder.lesson.checks import exercise
from autograder.lesson.echo import MOST_NUMBERS, echoes, moved
from autograder.lesson.failures import CheckFailed
from autograder.lesson.probes import (
    AnswerError,
    Call,
    LocalBoundary,
    Probe,
    Session,
    probe,
    use_session,
    yours,
)

F = Probe("f")


def echoed(function: Any, *args: Any) -> list[Call]:
    return list(echoes(LocalBoundary({"f": function}), [Call(F, args)]))


def test_what_agrees_by_chance_in_one_call_has_another_digest() -> None:
    """The quotient of 8 and 2 is the square of 2."""
    answers = {"square": lambda a, b: a * a, "quotient": lambda a, b: b / a, "sum": lambda a, b: a + a}
    digests = {
        name: likely.fingerprint("f", [Call(F, (2.0, 8.0), 4.0), *echoed(answer, 2.0, 8.0)])
        for name, answer in answers.items()
    }
    again = likely.fingerprint("f", [Call(F, (2.0, 8.0), 4.0), *echoed(lambda a, b: a**2, 2.0, 8.0)])
    assert len(set(digests.values())) == 3
    assert again == digests["square"]


def test_what_is_last_and_what_is_largest_have_digests_of_their_own() -> None:
    for given in ([1.0, 2.0, 5.0], np.array([[1.0], [2.0], [5.0]])):
        answers = {"last": lambda x: np.ravel(x)[-1], "largest": lambda x: np.max(x)}
        digests = {likely.fingerprint("f", echoed(answer, given)) for answer in answers.values()}
        assert len(digests) == 2


def test_the_first_echo_keeps_what_is_equal_and_what_is_zero_and_the_second_moves_each_by_itself() -> None:
    given = (np.array([[0.0, 2.0], [2.0, -1.0]], np.float32), [3.0, (3.0, "n", 7, True, None)], {"k": 3.0})
    first, second = echoed(lambda *args: 0, *given)
    assert np.array_equal(first.args[0], np.array([[0.0, 1.8], [1.8, -0.9]], np.float32))
    assert first.args[1:] == ([2.7, (2.7, "n", 7, True, None)], {"k": 2.7})
    array, (x, (y, *rest)), other = second.args
    assert array.dtype == np.float32 and array.shape == (2, 2)
    assert rest == ["n", 7, True, None]
    numbers = [*array.ravel().tolist(), x, y, other["k"]]
    assert len(set(numbers)) == len(numbers)
    # The numbers of an array in the opposite order, too.
    assert np.allclose(array, [[-1.0, 2.0], [2.0, 0.0]], atol=0.25) and array[1, 1] > 0


def test_what_the_call_was_given_stays_as_it_was() -> None:
    given = (np.array([1.0, 2.0]), [3.0])

    def spoils(x: Any, y: Any) -> float:
        x[:] = 0
        y.clear()
        return 1.0

    first, second = echoed(spoils, *given)
    assert given[0].tolist() == [1.0, 2.0] and given[1] == [3.0]
    assert first.mutated == second.mutated == (0, 1)
    assert first.args[0].tolist() == [0.9, 1.8] and first.args[1] == [2.7]


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_no_number_and_infinity_stay(value: float) -> None:
    assert repr(moved(value, lambda x: x + 1)) == repr(value)
    assert repr(moved(np.array([value]), lambda x: x + 1)) == repr(np.array([value]))


def test_numpys_numbers_keep_their_type() -> None:
    for number in (np.float32(2.0), np.float64(2.0), np.array(2.0, np.float16)):
        out = moved(number, lambda x: 0.5 * x)
        assert type(out) is type(number) and out.dtype == number.dtype and float(out) == 1.0
    assert moved(np.int64(2), lambda x: 0.5 * x) == 2


@pytest.mark.parametrize(
    "args",
    [(), (3, "n", True), (np.arange(3),), (np.zeros(MOST_NUMBERS + 1),), ([1.0] * (MOST_NUMBERS + 1),)],
)
def test_of_what_cannot_be_moved_and_of_what_is_large_comes_nothing(args: tuple[Any, ...]) -> None:
    assert echoed(lambda *args: 0, *args) == []


def test_of_what_asks_questions_comes_nothing() -> None:
    asking = F.asking(lambda: lambda question: question)
    assert list(echoes(LocalBoundary({"f": lambda ask, x: x}), [Call(asking, (1.0,))])) == []


def test_it_is_the_last_call_that_was_given_numbers_with_a_point() -> None:
    calls = [Call(F, (1.0,)), Call(F, (2.0,)), Call(F, (3,))]
    found = list(echoes(LocalBoundary({"f": lambda x: x}), calls))
    assert next(call.args for call in found) == (1.8,)


def test_what_raises_tells_what_it_raised() -> None:
    def answer(x: float) -> float:
        if x < 2:
            raise KeyError("no such x")
        return x

    first, _ = echoed(answer, 2.0)
    assert isinstance(first.error, AnswerError) and first.error.type_name == "KeyError"
    assert first.value is None


def failed(session: Session, got: Any = 5.0) -> None:
    with use_session(session), pytest.raises(CheckFailed), exercise("f") as check:
        check.close(yours.f(2.0), got, "the square")


def test_a_wrong_value_has_echoes_and_they_are_no_calls_of_the_check() -> None:
    session = Session(LocalBoundary({"f": lambda x: x * x}), quiet=True)
    failed(session)
    assert [call.args for call in session.calls] == [(2.0,)]
    assert next(call.args[0] for call in session.echoes) == 1.8
    assert len(session.echoes) == 2
    with use_session(session), exercise("f") as check:
        check.close(yours.f(2.0), 4.0, "the square")
    assert session.echoes == []


def test_where_something_was_drawn_only_a_notebooks_seed_has_echoes() -> None:
    for seed, count in ((0, 2), (7, 0)):
        session = Session(LocalBoundary({"f": lambda x: x * x}), seed, quiet=True)
        with use_session(session), pytest.raises(CheckFailed), exercise("f") as check:
            check.close(yours.f(2.0 + check.rng.random()), 0.0, "no square")
        assert len(session.echoes) == count


def in_two_parts() -> None:
    with exercise("f") as check:
        with check.part("at random", 1):
            check.true(yours.f(check.rng.random()) >= 0, "a square")
        with check.part("at 2", 1):
            check.close(yours.f(2.0), 5.0, "no square")


def test_what_another_part_drew_is_no_matter_of_the_part_that_failed() -> None:
    session = Session(LocalBoundary({"f": lambda x: x * x}), 7, quiet=True)
    with use_session(session), pytest.raises(CheckFailed):
        in_two_parts()
    assert len(session.echoes) == 2
    assert session.drawn


def test_an_answer_that_raised_has_none() -> None:
    session = Session(LocalBoundary({"f": lambda x: 1 / 0}), quiet=True)
    failed(session)
    assert session.echoes == []


@probe
def loud(x: float) -> float:
    print("seen", x)
    warnings.warn("careful", stacklevel=1)
    if x < 2:
        time.sleep(60)
    return x


def test_in_a_notebook_it_is_quiet_and_ends_in_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(echo, "SECONDS", 0.2)
    begun = time.monotonic()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = list(echoes(LocalBoundary(), [Call(loud, (2.0,))]))
    assert found == []
    assert time.monotonic() - begun < 0.5 * LocalBoundary.SECONDS
    assert not warned and capsys.readouterr().out == ""
