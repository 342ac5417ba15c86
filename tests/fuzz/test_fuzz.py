"""Some thousands of damaged inputs on every change; the long run is `python -m tests.fuzz TARGET --runs N`."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from autograder.unit.assignment import Course

from .run import Fuzzer, memory
from .targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_input_is_refused_with_a_sentence_or_taken_and_breaks_nothing(
    name: str, mini_course: Course
) -> None:
    fuzzer = Fuzzer(TARGETS[name](mini_course))
    for data in islice(fuzzer.mutants(Random(2)), 2000):
        fuzzer.run(data)
    assert not fuzzer.crashes, str(fuzzer)
    assert fuzzer.taken > 500, "nearly all was refused at once, so the test shows little"
    assert memory() - fuzzer.memory_before < 100
