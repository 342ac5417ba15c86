"""Calls that are still to come: an answer sees none of them, and cannot answer one before it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from autograder.lesson import wire
from autograder.lesson.probes import Probe, Reply
from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.referee.runner import Runner
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course
from autograder.unit.ingest import Submission

from ...conftest import REPOSITORY
from .lab import INSIDE, RIGHT, RIGHT_UNBOX, earned

#: What has come behind the request that is being answered: in the stream's buffer, and in the line itself.
LATER = (
    INSIDE
    + """
import os
def later():
    time.sleep(0.02)
    stream = inside["requests"]
    os.set_blocking(stream.fileno(), False)
    try:
        return stream.peek(1)
    finally:
        os.set_blocking(stream.fileno(), True)
"""
)


def test_no_call_is_sent_before_the_answer_to_the_one_before_it(attack: Callable[..., Report]) -> None:
    right = RIGHT.replace("    return", "    if later(): raise RuntimeError('seen')\n    return")
    assert earned(attack(LATER, mul_vjp=right, unbox=RIGHT_UNBOX)) == [(2, "passed"), (3, "passed")]


#: Answers to `mul_vjp` that want the line: what they do, and how their exercise ends.
AHEAD = {
    "takes the answer out of the next call": (
        "import json\n"
        "    told = later()\n"
        "    return tuple(json.loads(told[8:])['args']['v'][:2]) if told else None",
        "failed",
    ),
    "answers the next calls under the number of this one": (
        "for _ in range(30): send({'id': inside['request']['id'], 'value': wire.pack((g * b, g * a)), 'mutated': []})\n"
        "    return None",
        "failed",
    ),
    "answers the next calls under numbers that it makes up": (
        "for i in range(30): send({'id': '%016x' % i, 'value': wire.pack((g * b, g * a)), 'mutated': []})\n"
        "    return None",
        "failed",
    ),
    "empties the line": (
        "os.set_blocking(inside['requests'].fileno(), False)\n"
        "    inside['requests'].read()\n"
        "    os.set_blocking(inside['requests'].fileno(), True)\n"
        "    return None",
        "failed",
    ),
    "floods the line": (
        "for _ in range(3_000): send({'id': '0', 'value': wire.pack((g * b, g * a)), 'mutated': []})\n"
        "    return None",
        "failed",
    ),
    "closes the line behind a right answer": (
        "send({'id': inside['request']['id'], 'value': wire.pack((g * b, g * a)), 'mutated': []})\n"
        "    os._exit(0)",
        "error",
    ),
}


@pytest.mark.parametrize("name", AHEAD)
def test_an_answer_that_wants_to_be_ahead_of_its_calls_earns_nothing(
    name: str, attack: Callable[..., Report]
) -> None:
    body, status = AHEAD[name]
    code = LATER + "import autograder.lesson.wire as wire\n"
    report = attack(code, mul_vjp=f"def mul_vjp(g, a, b):\n    {body}\n", unbox=RIGHT_UNBOX)
    first, second = earned(report)
    # The right values under the right number are an answer like any other, to the one call that has this number.
    assert first == (0, status)
    assert second == (3, "passed")


def numbers(tree: Any) -> set[float]:
    """All odd floats of a packed value: 0, 1 or 0.5 may be anywhere."""
    if isinstance(tree, float):
        return {tree} if tree * 8 % 1 else set()
    if isinstance(tree, dict) and tree.get("t") == "array":
        return set().union(*map(numbers, wire.unpack(tree).ravel().tolist()))
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return set().union(*map(numbers, parts))


def test_a_call_of_our_own_units_may_hold_the_answer_to_one_before_it(
    monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    """Why nothing is sent ahead: where a state is handed on, who sees the next call has the answer to this one."""
    unit = Course(REPOSITORY).assignment("09_optimizers")
    told: list[tuple[str, set[float], set[float]]] = []
    call = Runner.call

    def note(runner: Runner, probe: Probe, args: tuple[Any, ...], *, twice: bool = False) -> Reply:
        reply = call(runner, probe, args, twice=twice)
        if not twice:
            told.append((probe.name, numbers(wire.pack(args)), numbers(wire.pack(reply.value))))
        return reply

    monkeypatch.setattr(Runner, "call", note)
    report = grade(
        unit, Submission(answers={e.name: e.solution for e in unit.exercises}), sandbox, entries=()
    )
    assert report.score == report.max_score
    leaks = {
        name
        for i, (name, given, answer) in enumerate(told)
        for other, later, _ in told[i + 1 : i + 3]
        if other == name and (answer - given) & later
    }
    assert leaks >= {"momentum_step", "adam_step"}
