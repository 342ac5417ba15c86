"""The proof of a unit's bank, in what order it runs and tells."""

from __future__ import annotations

from autograder.authoring.prove import Trial, prove, trials
from autograder.referee.bank import load_bank
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment


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
