# ruff: noqa: E501  (an attack stays on its line)
"""Frames and replies that are broken, forged, repeated, late, or without end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import psutil
import pytest

from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import AddedCell, Submission

from .lab import HONEST, INSIDE, PRE_ANSWER, RIGHT_UNBOX, SOON, WRONG, earned

FRAMES = {
    "garbage": "inside['answers'].write(b'\\xff' * 70_000)",
    "half a frame": "inside['answers'].write((100).to_bytes(8, 'big') + b'{')\ninside['answers'].close()",
    "a frame that claims to be endless": "inside['answers'].write((2 ** 63).to_bytes(8, 'big'))",
    "a frame that is not JSON": "send(b'{')",
    "a frame that is a list": "send([1])",
    "a frame that is nested deeply": "send(b'[' * 100_000)",
    "a frame of a number with very many digits": "send(b'{\"id\": ' + b'9' * 100_000 + b'}')",
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_broken_frame_costs_only_the_cell_that_sent_it(name: str, attack: Callable[..., Report]) -> None:
    report = attack(INSIDE + FRAMES[name] + "\ntime.sleep(0.2)\n")
    assert earned(report) == HONEST
    assert "left out" in " ".join(report.notes)


REPLIES = {
    "answers to questions that were not asked": "for i in range(50): send({'id': '%016x' % i, 'value': True})",
    "an answer twice": "send({'id': inside['request']['id'], 'text': 'one'})",
    "an answer of the wrong form": "send({'id': inside['request']['id'], 'text': 7, 'error': 'no'})",
    "points and a pass": "send({'id': inside['request']['id'], 'points': 99, 'status': 'passed', 'score': 99})",
}


@pytest.mark.parametrize("name", REPLIES)
def test_forged_replies_earn_nothing(name: str, attack: Callable[..., Report]) -> None:
    assert earned(attack(INSIDE + REPLIES[name])) == HONEST


FORGED = {
    "one value for all": ({"value": {"t": "float", "v": "0x1p0"}, "mutated": []}, "failed"),
    "a value that is no packed value": ({"value": {"t": "float", "v": "nan" * 99}}, "error"),
    "a dtype that is no number": (
        {"value": {"t": "array", "dtype": "O", "shape": [1], "bytes": "AAAAAAAAAAA="}},
        "error",
    ),
    "a shape that cannot be": (
        {"value": {"t": "array", "dtype": "<f8", "shape": [0, 2**31 - 1, 2**31 - 1, 2**31 - 1], "bytes": ""}},
        "error",
    ),
    "mutated arguments that are not there": ({"value": None, "mutated": [10**9, -1, "x", None]}, "failed"),
    "an error of the wrong form": ({"error": {"points": 3}}, "error"),
    "a raw number of very many digits": ({"value": 10**40, "mutated": []}, "error"),
    "no value": ({}, "failed"),
}


@pytest.mark.parametrize("name", FORGED)
def test_answers_that_are_forged_at_the_pipe_are_judged_as_any_others(
    name: str, attack: Callable[..., Report]
) -> None:
    reply, status = FORGED[name]
    report = attack(INSIDE + f"REPLY = {reply!r}\n" + PRE_ANSWER)
    assert earned(report) == [(2, "passed"), (0, status)]
    assert not report.outcomes[1].doubtful


FLOODS = {
    "small frames": "body = b'{}'",
    "frames of a megabyte": "body = b'{\"x\": \"' + b'x' * 1_000_000 + b'\"}'",
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_of_frames_ends_in_time_and_earns_nothing(name: str, attack: Callable[..., Report]) -> None:
    flood = f"""
{FLOODS[name]}
frame = len(body).to_bytes(8, "big") + body
def flood():
    while True: inside["answers"].write(frame)
threading.Thread(target=flood, daemon=True).start()
time.sleep(60)
"""
    start, memory = time.monotonic(), psutil.Process().memory_info().rss
    report = attack(INSIDE + flood)
    assert time.monotonic() - start < SOON
    assert earned(report) == HONEST
    assert psutil.Process().memory_info().rss - memory < 300 << 20


def test_a_pupil_that_stops_reading_does_not_stop_the_referee(mini: Assignment, mini_course: Course) -> None:
    """It answers the request by itself and sleeps, so that the next request, a long one, fills the pipe."""
    deaf = INSIDE + "send({'id': inside['request']['id'], 'text': ''})\ntime.sleep(600)\n"
    long = WRONG + "#" + "x" * 150_000
    walls = Sandbox(call_seconds=1.0, hidden_paths=[str(mini_course.root)])
    start = time.monotonic()
    submission = Submission(
        answers={"mul_vjp": long, "unbox": RIGHT_UNBOX}, added=[AddedCell("", "code", deaf)]
    )
    done: list[Report] = []
    thread = threading.Thread(target=lambda: done.append(grade(mini, submission, walls, seed=1)), daemon=True)
    thread.start()
    thread.join(SOON)
    assert done, f"the referee still waits after {time.monotonic() - start:.0f} s"
    assert done[0].outcomes[0].points == 0


LATE = {
    "from a thread": "threading.Thread(target=flood).start()\ntime.sleep(9)",
    "from a child": "if not os.fork():\n    os.setsid()\n    flood()\ntime.sleep(9)",
    "from a child when the process has ended": "if not os.fork():\n    os.setsid()\n    flood()\nos._exit(7)",
}


@pytest.mark.parametrize("name", LATE)
def test_a_reply_after_the_deadline_or_the_end_is_a_reply_to_nobody(
    name: str, beside: Callable[..., Report]
) -> None:
    flood = """
def flood():
    value = {"t": "float", "v": "0x1p0"}
    time.sleep(1.02)
    while True:
        for number in (inside["request"]["id"], "0" * 16):
            send({"id": number, "value": value, "text": "late", "mutated": []})
        time.sleep(0.001)
"""
    late = "def unbox(boxes):\n    import time\n    time.sleep(1.05)\n    return sum(math.log(b.value) for b in boxes)\n"
    report = beside(f"{INSIDE}{flood}\n{LATE[name]}", unbox=late)
    assert earned(report) == [(2, "passed"), (0, "timeout")]
    assert "did not end within 1 s" in report.outcomes[1].message
    # A machine that was busy says so, besides.
    (note,) = [note for note in report.notes if not (report.overloaded and "overloaded" in note)]
    assert "exit code 7" in note if "ended" in name else "did not end within 1 s" in note
