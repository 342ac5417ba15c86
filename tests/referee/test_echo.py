"""In a class: the call that failed is made again for the diagnosis, and for nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from autograder.lesson import echo
from autograder.lesson.failures import FAILED, PASSED
from autograder.lesson.probes import AnswerLost, AnswerTimeout, Call, Probe
from autograder.referee import bank
from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.referee.runner import Runner
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment
from autograder.unit.ingest import Submission

UNBOX = "def unbox(boxes):\n    import math\n    return sum(math.log(box.value) for box in boxes)\n"
#: In the visible call, of 10, 2 and 3, both give (25, 20).
LIKE_IT = "def mul_vjp(g, a, b):\n    return g * b - 5, g * a\n"
OTHER = "def mul_vjp(g, a, b):\n    return b + 22, g * a\n"


@pytest.mark.parametrize(("answer", "mistake"), [(LIKE_IT, "less_five"), (OTHER, "")])
def test_a_mistake_that_agrees_in_the_call_alone_is_not_told(
    mini: Assignment, sandbox: Sandbox, answer: str, mistake: str
) -> None:
    entry = bank.Entry("mul_vjp", "less_five", "You have taken 5 off.", LIKE_IT, right=False)
    report = grade(mini, Submission(answers={"mul_vjp": answer}), sandbox, seed=1, entries=[entry])
    outcome = report.outcomes[0]
    assert (outcome.status, outcome.mistake) == (FAILED, mistake)


#: Wrong in the visible call, and without an end in the echo of it.
HANGS = "def mul_vjp(g, a, b):\n    while g != 10.0:\n        pass\n    return b, a\n"
ENDS = "import os\ndef mul_vjp(g, a, b):\n    if g != 10.0:\n        os._exit(3)\n    return b, a\n"


@pytest.mark.parametrize("answer", [HANGS, ENDS])
def test_an_echo_without_an_end_costs_no_points_and_is_told_nowhere(
    grade_answers: Callable[..., Report], monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr(echo, "SECONDS", 0.5)
    report = grade_answers(mul_vjp=answer, unbox=UNBOX)
    product, unbox = report.outcomes
    assert (product.status, product.points) == (FAILED, 0)
    assert "called    mul_vjp(10.0, 2.0, 3.0)" in product.text
    assert (unbox.status, unbox.points) == (PASSED, 3)
    assert not report.overloaded and not report.notes


def test_what_an_echo_takes_is_given_back(sandbox: Sandbox) -> None:
    """Time of the clock and of the processor, also where its process is lost."""
    runner = Runner(sandbox, (), 1)
    try:
        runner.run_cell(
            "import time\ndef quick(x):\n    return x\ndef busy(x):\n    while True:\n        pass\n"
        )
        process = runner.process
        assert process is not None
        deadlines = runner.deadline, process.deadline
        assert runner.call(Probe("quick"), (1.0,), seconds=1.0).value == 1.0
        assert runner.deadline > deadlines[0] and process.deadline > deadlines[1]
        deadline, used = runner.deadline, process.cpu()
        with pytest.raises(AnswerTimeout):
            runner.call(Probe("busy"), (1.0,), seconds=1.0)
        assert runner.deadline >= deadline + 1.0
        assert runner.cpu == pytest.approx(used, abs=0.1)
        assert runner.call(Probe("quick"), (2.0,)).value == 2.0
    finally:
        runner.close()


def test_a_call_that_has_a_time_of_its_own_has_no_more_than_others(sandbox: Sandbox) -> None:
    runner = Runner(Sandbox(call_seconds=0.5), (), 1)
    try:
        runner.run_cell("def busy(x):\n    while True:\n        pass\n")
        with pytest.raises(AnswerTimeout, match=r"0\.5 s"):
            runner.call(Probe("busy"), (1.0,), seconds=60.0)
    finally:
        runner.close()


def test_a_process_that_has_ended_is_asked_in_vain(sandbox: Sandbox) -> None:
    """A check goes on with its other parts, and makes the call that failed again."""
    process = PupilProcess(sandbox, (), time.monotonic() + 60)
    process.run_cell("def same(x):\n    return x\n")
    process.close()
    with pytest.raises(AnswerLost, match="has ended"):
        process.call(Probe("same"), (1.0,))
    assert list(echo.echoes(process, [Call(Probe("same"), (1.0,))])) == []
