# ruff: noqa: E501  (an attack stays on its line)
"""Answers and outputs without measure: they cost their own exercise, and are told in few words."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox

from .lab import HONEST, INSIDE, PRE_ANSWER, SOON, earned

BOMBS = {
    "an int of a million digits": "def unbox(boxes): return 10 ** 1_000_000",
    "an int just too large for a float": "def unbox(boxes): return 10 ** 400",
    "a list of a million": "def unbox(boxes): return [0.0] * 1_000_000",
    "a list of as much as may be sent": "def unbox(boxes): return [True] * 200_000",
    "a dict of a million": "def unbox(boxes): return {i: i for i in range(1_000_000)}",
    "a dict whose keys collide": "def unbox(boxes): return {(2 ** 61 - 1) * i: 0 for i in range(2_000)}",
    "a nest of lists": "def unbox(boxes):\n    x = []\n    for _ in range(5000): x = [x]\n    return x",
    "a nest that doubles at each level": "def unbox(boxes):\n    x = [1.0] * 9\n    for _ in range(30): x = [x] * 9\n    return x",
    "a list that holds itself": "def unbox(boxes):\n    x = []\n    x.append(x)\n    return x",
    "a large array": "import numpy as np\ndef unbox(boxes): return np.zeros(50_000_000)",
    "an array with very many axes": "import numpy as np\ndef unbox(boxes): return np.ones((2,) * 20, dtype=bool)",
    "a text of a hundred million characters": "def unbox(boxes): return 'x' * 100_000_000",
    "a huge key": "def unbox(boxes): return {'x' * 99_000: 1.0}",
    "a huge repr": "class R:\n    def __repr__(self): return 'x' * 100_000_000\ndef unbox(boxes): return R()",
    "a huge exception": "def unbox(boxes): raise ValueError('x' * 100_000_000)",
    "a huge type name": "def unbox(boxes): return type('x' * 10_000_000, (), {})()",
    "printing without end": "def unbox(boxes):\n    while True: print('x' * 1_000_000)",
    "lone surrogates": "def unbox(boxes): raise ValueError('\\ud800 \\udfff')",
    "a surrogate for an answer": "def unbox(boxes): return '\\ud800'",
    "memory": "def unbox(boxes):\n    x = []\n    while True: x.append(bytearray(1 << 24))",
}


@pytest.mark.parametrize("name", BOMBS)
def test_an_answer_without_measure_costs_its_own_exercise_and_is_told_in_few_words(
    name: str, attack: Callable[..., Report]
) -> None:
    start = time.monotonic()
    report = attack("", unbox=BOMBS[name])
    assert time.monotonic() - start < SOON
    first, second = report.outcomes
    assert (first.points, second.points) == (2, 0)
    assert second.status in ("failed", "error", "timeout")
    assert not second.doubtful, second.message
    told = json.dumps(report.as_json(), ensure_ascii=False)
    assert len(told.encode("utf-8")) < 4000


def test_what_a_cell_prints_is_cut_on_both_sides_of_the_wire(
    attack: Callable[..., Report], walls: Sandbox
) -> None:
    forged = INSIDE + "send({'id': inside['request']['id'], 'text': 'x' * 5_000_000})\n"
    for code in ("print('x' * 5_000_000)", forged):
        report = attack(code)
        assert earned(report) == HONEST
        assert len(report.outputs["added-1"].text) <= walls.output_chars + 100


HOSTILE_VALUES = {
    "an array of eight million truths in 23 axes": "{'t': 'array', 'dtype': '|b1', 'shape': [2] * 23, 'bytes': 'AAAA' * (2 ** 23 // 3) + 'AAA='}",
    "a dict of very many keys that collide": "{'t': 'dict', 'v': [[{'t': 'int', 'v': hex((2 ** 61 - 1) * i)}, None] for i in range(120_000)]}",
    "millions of lists": "[[]] * 3_500_000",
    "millions of items": "{'t': 'list', 'v': [True] * 2_500_000}",
    "an endless type name": "{'t': 'other', 'type': 'x' * 9_000_000, 'text': 'y' * 1_000_000}",
    "a type name with escapes and surrogates": "{'t': 'other', 'type': 'a\\x1b[2J\\ud800\\n✓ b', 'text': '\\x1b]0;x\\x07\\ud800\\n✓ unbox: right'}",
    "a text of megabytes": "'x' * 9_000_000",
    "a key of megabytes": "{'t': 'dict', 'v': [['x' * 9_000_000, None]]}",
    "an int of megabytes": "{'t': 'int', 'v': '0x' + 'f' * 9_000_000}",
}


@pytest.mark.parametrize("name", HOSTILE_VALUES)
def test_a_value_made_to_choke_the_referee_is_refused_or_judged_at_once(
    name: str, attack: Callable[..., Report]
) -> None:
    start, own = time.monotonic(), time.process_time()
    report = attack(INSIDE + f"REPLY = {{'value': {HOSTILE_VALUES[name]}}}\n" + PRE_ANSWER)
    assert time.monotonic() - start < SOON
    assert time.process_time() - own < 6  # the referee's own, which no busy machine makes longer
    first, second = report.outcomes
    assert (first.points, second.points) == (2, 0)
    assert not second.doubtful, second.message
    assert len(second.text.encode("utf-8")) < 2000
    assert "\x1b" not in second.text
    assert "\n✓" not in second.text
