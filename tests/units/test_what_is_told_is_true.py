"""Wrong answers hear nothing untrue, where what they do is what another mistake does, too.

A learner hears the sentence of the wrong answer in the bank that gave the same numbers. Here stand answers for which
that sentence, or a generic one, was once untrue: a judge who did not know the bank compared it with the code.
"""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from autograder.authoring.trial import run_check
from autograder.lesson import likely
from autograder.lesson.in_place import KEPT
from autograder.unit.notebook import visible_part
from autograder.unit.settings import configured_sandbox, load_config

from ..conftest import REPOSITORY
from .test_units import assignment_of

ANSWERS = tomllib.loads((REPOSITORY / "tests/units/misheard.toml").read_text(encoding="utf-8"))["answer"]
#: What keeps something gives right numbers at first, as many other answers do.
KEEPS = {"path_as_default", "buffer_kept"}


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{a['unit'][:2]}-{a['name']}" for a in ANSWERS])
def test_an_answer_hears_nothing_that_is_true_of_another_one_alone(answer: dict[str, Any]) -> None:
    assignment = assignment_of(answer["unit"])
    exercise = assignment.exercise(answer["exercise"])
    sandbox = configured_sandbox(load_config(REPOSITORY), REPOSITORY, False, False)
    ending = run_check(assignment, exercise, answer["source"], visible_part(exercise.check), sandbox)
    assert ending.failure is not None
    known = likely.read(assignment.path.parent / likely.FILE)
    told = known.get(likely.fingerprint(exercise.name, ending.calls)) or ending.failure.diagnosis
    assert told and answer["untrue"] not in told
    assert (told == KEPT) == (answer["name"] in KEEPS)
