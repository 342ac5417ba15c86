"""The steps of a unit's proof, each run under a progress bar and shown: the bank, further seeds, mutants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment
from .tables import show_mutants
from .terminal import advance, console, progress_bar, told_to

if TYPE_CHECKING:
    from ..authoring.proved import Chosen
    from ..referee.bank import Entry


def prove_mutants(assignment: Assignment, sandbox: Sandbox, jobs: int | None, chance: int) -> list[str]:
    """Run a unit's mutants, or a tenth of them, and show what passed; gives what is not as it should be."""
    from ..authoring.mutation import run_mutants

    with progress_bar() as bar:
        result = run_mutants(assignment, sandbox, jobs=jobs, chance=chance, **told_to(bar, assignment.unit))
    show_mutants(result)
    return result.problems


def show_again(problems: Sequence[str]) -> None:
    """All that failed, once more at the end: between thousands of lines that are as they should be nobody finds it."""
    console.print(f"\n{len(problems)} problem{'s' * (len(problems) > 1)}:", style="bold red")
    for problem in problems:
        console.print(Text(f"✗ {problem}", style="red"), soft_wrap=True)


def show_choice(without: Sequence[str], chance: int, further: bool) -> None:
    """Which units have no verdicts on mutants, and what was left to chance."""
    if without:
        told = "no verdicts on mutants yet; `autograder mutants` makes them"
        console.print(f"{', '.join(without)}: {told}.", soft_wrap=True)
    also = ", and the further seeds follow from it" if further else ""
    console.print(
        f"All ran at seed {chance}, which chose the tenth of the mutants, too{also}: --seed {chance} repeats it.",
        soft_wrap=True,
    )


def prove_bank(
    assignment: Assignment,
    sandbox: Sandbox,
    seed: int,
    jobs: int | None,
    left_out: frozenset[Entry] = frozenset(),
) -> tuple[list[str], frozenset[Entry]]:
    """Run a unit's bank, but for what is left out, and show what became of each answer.

    Gives what is not as it should be, and the answers that ran and end as they did at every other seed.
    """
    from ..authoring.prove import gaps, in_the_notebook, prove, trials
    from ..referee import bank

    name, entries = assignment.unit, bank.load_bank(assignment)
    with progress_bar() as bar:
        task = bar.add_task(name, total=len(list(trials(assignment, entries))) - len(left_out))
        done = partial(advance, bar, task)
        proofs = prove(assignment, sandbox, seed=seed, jobs=jobs, done=done, left_out=left_out)
    table = Table(name, "answer", "kind", "caught by", "is told", "", box=None, header_style="bold")
    for proof in proofs:
        entry = proof.trial.entry
        kind = "" if entry is None else "right" if entry.right else "wrong"
        mark = Text("✓", style="green") if proof.good else Text("✗", style="bold red")
        label = proof.trial.label
        table.add_row(Text(proof.trial.exercise), Text(label), kind, proof.caught, Text(proof.said), mark)
    console.print(table)
    missing = list(gaps(assignment, entries))
    for gap in missing:
        console.print(f"✗ {gap}", style="red")
    problems = [" ".join(f"{proof.trial.label}: {proof.said}".split()) for proof in proofs if not proof.good]
    problems += missing
    bad = len(problems)
    wrong = sum(p.trial.entry is not None and not p.trial.entry.right for p in proofs)
    right = sum(p.trial.entry is not None and p.trial.entry.right for p in proofs)
    verdict = "proved" if not bad else f"NOT proved: {bad} problem{'s' if bad > 1 else ''}"
    rest = f" {len(left_out)} more wrong answers were proved before, and nothing changed." if left_out else ""
    console.print(
        f"{name}: {verdict}; {wrong} wrong and {right} right answers, {len(proofs)} runs.{rest}",
        style="bold",
        soft_wrap=True,
    )
    if not assignment.exam:  # whose notebook says nothing of mistakes
        console.print(in_the_notebook(proofs), soft_wrap=True)
    settled = frozenset(proof.trial.entry for proof in proofs if proof.trial.entry and proof.settled)
    return problems, settled


def prove_at_seeds(
    assignment: Assignment,
    sandbox: Sandbox,
    seeds: Sequence[int],
    jobs: int | None,
    settled: frozenset[Entry] = frozenset(),
    chosen: Chosen | None = None,
) -> list[str]:
    """Run what is chosen of a unit's bank at further seeds, or all that is right, and show what slipped.

    Gives that, and what went wrong.
    """
    from ..authoring.seeds import at_seeds

    if not seeds:
        return []
    name = assignment.unit
    among = chosen.entries if chosen else None
    with progress_bar() as bar:
        progress = told_to(bar, f"{name}, further seeds")
        result = at_seeds(
            assignment,
            sandbox,
            seeds,
            among=among,
            only_right=chosen is None,
            settled=settled,
            jobs=jobs,
            **progress,
        )
    problems = [*(slip.told(name) for slip in result.slips), *result.faults]
    for told in problems:
        console.print(Text(f"✗ {told}", style="red"), soft_wrap=True)
    at = (
        ", ".join(map(str, seeds)) if len(seeds) < 9 else f"{seeds[0]}, {seeds[1]}, ..., {len(seeds)} of them"
    )
    what = "runs" if chosen else "runs of right answers alone"
    slipped = "wrong answers passed or right ones were refused" if chosen else "were refused"
    part = f" Of {len(chosen.sampled)} unchanged exercises a tenth." if chosen and chosen.sampled else ""
    console.print(
        f"{name}: {result.runs} {what} at the further seeds {at}; "
        f"{len(result.slips)} {slipped}. "
        f"{result.spared} more would have ended as before, since nothing had been drawn.{part}",
        style="bold",
        soft_wrap=True,
    )
    return problems


def show_times(unit: str, clock: Sequence[float]) -> None:
    """How long a unit's proof took, and which of its steps."""
    bank, seeds, mutants = (after - before for before, after in pairwise(clock))
    console.print(
        f"{unit} took {clock[-1] - clock[0]:.0f} s: the bank {bank:.0f} s, further seeds {seeds:.0f} s, "
        f"mutants {mutants:.0f} s.",
        style="dim",
    )
