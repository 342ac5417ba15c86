"""What the referee makes of honest answers: right, wrong, unfinished, crashing, endless."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from autograder.authoring.trial import run_check
from autograder.lesson.probes import AnswerError, Call, Probe, Reply
from autograder.referee import matching
from autograder.referee.bank import Entry
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment

RIGHT = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"


def outcome(report: Report, name: str = "mul_vjp"):
    return next(o for o in report.outcomes if o.name == name)


def test_a_right_answer_earns_its_points_and_nothing_else(grade_answers: Callable[..., Report]) -> None:
    report = grade_answers(mul_vjp=RIGHT)
    assert [(o.points, o.status) for o in report.outcomes] == [(2, "passed"), (0, "missing")]
    assert (report.score, report.max_score, report.sandboxed) == (2, 5, True)


def test_a_wrong_answer_is_told_its_own_mistake(grade_answers: Callable[..., Report]) -> None:
    found = outcome(grade_answers(mul_vjp="def mul_vjp(g, a, b):\n    return b, a\n"))
    assert (found.points, found.status, found.mistake) == (0, "failed", "no_upstream")
    assert "did not multiply them by g" in found.diagnosis
    assert "mul_vjp(10.0, 2.0, 3.0)" in found.message
    assert "(30.0, 20.0)" in found.message
    assert not found.hidden


def test_the_same_seed_gives_the_same_report(grade_answers: Callable[..., Report]) -> None:
    wrong = "def mul_vjp(g, a, b):\n    return (30.0, 20.0)\n"
    first, second, other = (grade_answers(seed=s, mul_vjp=wrong).as_json() for s in (7, 7, 8))
    assert first == second
    assert first["exercises"][0]["message"] != other["exercises"][0]["message"]
    assert outcome(grade_answers(mul_vjp=wrong)).hidden


def test_an_endless_answer_costs_only_its_own_exercise(grade_answers: Callable[..., Report]) -> None:
    report = grade_answers(mul_vjp=RIGHT, unbox="def unbox(boxes):\n    while True:\n        pass\n")
    assert [(o.points, o.status) for o in report.outcomes] == [(2, "passed"), (0, "timeout")]
    assert "never gets to its end" in outcome(report, "unbox").diagnosis


def test_an_endless_cell_costs_only_its_own_exercise(grade_answers: Callable[..., Report]) -> None:
    unbox = "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)\n"
    report = grade_answers(mul_vjp="while True:\n    pass\n", unbox=unbox)
    assert [(o.points, o.status) for o in report.outcomes] == [(0, "timeout"), (3, "passed")]


def test_a_dying_process_costs_only_the_exercise_that_killed_it(grade_answers: Callable[..., Report]) -> None:
    killer = "import os\ndef mul_vjp(g, a, b):\n    os._exit(7)\n"
    unbox = "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)\n"
    report = grade_answers(mul_vjp=killer, unbox=unbox)
    assert [(o.points, o.status) for o in report.outcomes] == [(0, "error"), (3, "passed")]
    assert "exit code 7" in outcome(report).message


def test_an_exception_names_its_line(grade_answers: Callable[..., Report]) -> None:
    found = outcome(grade_answers(mul_vjp="def mul_vjp(g, a, b):\n    c = a / 0\n    return c, c\n"))
    assert found.status == "error"
    assert "ZeroDivisionError" in found.message
    assert "line 2: c = a / 0" in found.message
    assert "because   d(ab)/da is b, and it is multiplied by g" in found.message


def test_a_syntax_error_is_reported_as_the_cell_s_own(grade_answers: Callable[..., Report]) -> None:
    found = outcome(grade_answers(mul_vjp="def mul_vjp(g, a, b)\n    return g, g\n"))
    assert found.status == "error"
    assert "SyntaxError" in found.message


def test_warnings_and_stderr_cost_nothing(grade_answers: Callable[..., Report]) -> None:
    noisy = "import sys, warnings\ndef mul_vjp(g, a, b):\n    warnings.warn('x')\n    print('y', file=sys.stderr)\n"
    assert outcome(grade_answers(mul_vjp=noisy + "    return g * b, g * a\n")).points == 2


@pytest.mark.parametrize(
    ("changes", "in_place", "found"),
    [((), False, True), ((), True, False), ((0,), True, True), ((1,), True, False)],
)
def test_an_answer_that_failed_in_place_is_taken_for_one_that_changes_the_same_alone(
    mini: Assignment,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    changes: tuple[int, ...],
    in_place: bool,
    found: bool,
) -> None:
    suspects = matching.Matcher(mini, [Entry("unbox", "other", "Another mistake.", "", right=False)], sandbox)
    monkeypatch.setattr(suspects, "_with", lambda entry: None)
    monkeypatch.setattr(matching, "_reply", lambda process, call: Reply(2.0, changes))
    calls = [Call(Probe("unbox"), ([1.0],), 2.0, mutated=(0,))]
    assert (suspects.find("unbox", calls, in_place=in_place) is not None) is found


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("operands could not be broadcast together with shapes (2,3) (2,)", False),
        ("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()", True),
        # The same calls, and another thing in them.
        ("the truth value of a Tensor of 2 numbers is not defined", False),
    ],
)
def test_an_error_is_taken_for_one_of_the_same_type_that_speaks_of_the_same(
    mini: Assignment, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, message: str, found: bool
) -> None:
    suspects = matching.Matcher(mini, [Entry("unbox", "truth", "An `if`.", "", right=False)], sandbox)
    monkeypatch.setattr(suspects, "_with", lambda entry: None)
    asked = AnswerError("ValueError", "The truth value of an array with more than one element is ambiguous.")
    monkeypatch.setattr(matching, "_reply", lambda process, call: asked)
    calls = [Call(Probe("unbox"), ([1.0],), error=AnswerError("ValueError", message))]
    assert (suspects.find("unbox", calls) is not None) is found


def test_what_is_remembered_of_one_student_s_calls_is_not_said_of_another_s(
    mini: Assignment, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same questions, other answers: each is compared with what it gave itself, and no question is asked twice."""
    asked: list[Call] = []

    def reply(process: object, call: Call) -> Reply:
        asked.append(call)
        return Reply(float(len(call.args[0])))

    monkeypatch.setattr(matching.Matcher, "_with", lambda self, entry: None)
    monkeypatch.setattr(matching, "_reply", reply)
    memory, other = matching.Memory(), Entry("unbox", "other", "Another mistake.", "", right=False)

    def found(*gave: object) -> bool:
        calls = [Call(Probe("unbox"), ([1.0] * (i + 1),), value) for i, value in enumerate(gave)]
        return matching.Matcher(mini, [other], sandbox, memory).find("unbox", calls) is not None

    counts = []
    for _ in range(2):
        assert found(1.0, 2.0) and not found(1.0, 2.5) and not found(0.5, 2.0)
        assert found(1.0, 2.0, 3.0) and not found(1.0, 2.5, 3.0)
        assert not found(1.0, object())  # what cannot be written down is compared each time
        counts.append(len(asked))
    raised = Call(Probe("unbox"), ([1.0],), error=AnswerError("KeyError", "1"))
    assert matching.Matcher(mini, [other], sandbox, memory).find("unbox", [raised]) is None
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize(
    ("gave", "other", "found"),
    [
        (2.0 + 1e-7, 2.0, False),
        (2.0 + 4e-13, 2.0, False),
        (2.5 + 1e-7, 2.5, True),
        (2.5, 2.5, True),
        (2.0, 2.0, True),
        (0.0, 1e-300, False),
    ],
)
def test_what_is_nearly_right_is_not_taken_for_an_answer_that_is_right_there(
    mini: Assignment,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    gave: float,
    other: float,
    found: bool,
) -> None:
    """Single precision fails in a close check, and gives nearly what all answers give that are wrong elsewhere."""
    now: list[str] = []
    gives = {"": 2.0 if other > 1 else 1e-300, "wrong elsewhere": other}
    suspects = matching.Matcher(
        mini, [Entry("unbox", "other", "No.", "wrong elsewhere", right=False)], sandbox
    )
    monkeypatch.setattr(suspects, "_with", lambda entry: now.append(entry.source))
    monkeypatch.setattr(matching, "_reply", lambda process, call: Reply(gives[now[-1]]))
    assert (suspects.find("unbox", [Call(Probe("unbox"), ([1.0],), gave)]) is not None) is found


@pytest.mark.parametrize(("gave", "found"), [(np.array([1.0, 2.0]), True), ([1.0, 2.0], False)])
def test_an_answer_that_gave_a_list_is_not_taken_for_one_that_gave_an_array(
    mini: Assignment, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, gave: object, found: bool
) -> None:
    suspects = matching.Matcher(mini, [Entry("unbox", "other", "Another mistake.", "", right=False)], sandbox)
    monkeypatch.setattr(suspects, "_with", lambda entry: None)
    monkeypatch.setattr(matching, "_reply", lambda process, call: Reply(np.array([1.0, 2.0])))
    assert (suspects.find("unbox", [Call(Probe("unbox"), ([1.0],), gave)]) is not None) is found


@pytest.mark.parametrize(("missing", "found"), [("n_rosw", True), ("n_clos", False)])
def test_a_misspelt_name_is_nobody_else_s_mistake(
    mini: Assignment, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, missing: str, found: bool
) -> None:
    suspects = matching.Matcher(mini, [Entry("unbox", "other", "Another mistake.", "", right=False)], sandbox)
    monkeypatch.setattr(suspects, "_with", lambda entry: None)
    monkeypatch.setattr(matching, "_reply", lambda process, call: AnswerError("NameError", name="n_rosw"))
    call = Call(Probe("unbox"), ([1.0],), error=AnswerError("NameError", name=missing))
    assert (suspects.find("unbox", [call]) is not None) is found


def test_what_overflows_in_a_check_is_no_warning_of_the_grader_s(mini: Assignment, sandbox: Sandbox) -> None:
    exercise = mini.exercise("mul_vjp")
    asked = "check.true(np.isnan(np.log(yours.mul_vjp(1.0, -1.0, -2.0)[0])), 'the logarithm of -2 is none')"
    check = f"import numpy as np\nwith exercise('mul_vjp') as check:\n    {asked}\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run_check(mini, exercise, exercise.solution, check, sandbox).failure is None
