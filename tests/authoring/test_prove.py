"""The proof of a unit's bank, in what order it runs and tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import prove as prove_module
from autograder.authoring.build import build_likely
from autograder.authoring.fingerprints import sentences_of
from autograder.authoring.prove import Trial, prove, trials
from autograder.referee.bank import load_bank
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment

from ..conftest import make_course


def test_what_a_limit_stops_runs_first_and_all_is_told_in_the_notebook_s_order(
    mini: Assignment, sandbox: Sandbox
) -> None:
    ran: list[Trial] = []
    proofs = prove(mini, sandbox, seed=2, jobs=1, done=lambda proof: ran.append(proof.trial))
    assert [proof.trial for proof in proofs] == list(trials(mini, load_bank(mini)))
    assert [trial.entry is None or trial.entry.ends for trial in ran] == sorted(
        proof.trial.entry is None or proof.trial.entry.ends for proof in proofs
    )
    assert ran[0].entry is not None and not ran[0].entry.ends


def test_what_the_build_has_written_is_known_as_in_a_class_and_what_does_not_end_is_stopped_soon(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = make_course(tmp_path)
    build_likely(course, "mini", print)
    mini = course.assignment("mini")
    known, real = sentences_of(mini), prove_module.grade
    assert known
    endless = [entry.source for entry in load_bank(mini) if not entry.ends]
    seconds: dict[bool, set[float]] = {True: set(), False: set()}
    sandbox.least_call_seconds = 0.5

    def noted(assignment: Any, submission: Any, walls: Sandbox, **options: Any) -> Any:
        assert options["memory"].sentences == known
        ends = not any(
            answer.endswith(source) for answer in submission.answers.values() for source in endless
        )
        seconds[ends].add(walls.call_seconds)
        return real(assignment, submission, walls, **options)

    monkeypatch.setattr(prove_module, "grade", noted)
    assert all(proof.good for proof in prove(mini, sandbox, seed=2, jobs=1))
    assert seconds == {False: {0.5}, True: {sandbox.call_seconds}} and sandbox.call_seconds > 0.5
