"""The commands of authors of units."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from ..errors import UserError
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Course
from . import completion
from .authors_tables import show_alike, show_matrix
from .options import Jobs, RightSeeds, Seed, UnprotectedScores, Unsandboxed
from .tables import show_mutants
from .terminal import advance, console, progress_bar, told_to, units_named

if TYPE_CHECKING:
    from ..referee.bank import Entry

commands = typer.Typer()


@commands.command()
def init(
    folder: Annotated[Path, typer.Argument(help="A new folder, or an empty one.")],
) -> None:
    """Start a course of your own: a configuration, a README, CI, and one small unit, built and graded as it is."""
    from ..authoring.build import build as build_units
    from ..authoring.frames import FIRST, new_course

    for path in new_course(folder):
        console.print(Text(f"  {path}"), soft_wrap=True)
    # Else the first push of what is made here would fail its own CI.
    build_units(Course(folder.resolve()), [FIRST], False, _say)
    console.print(Text(f"Next: cd {folder} && autograder prove"), soft_wrap=True)


@commands.command()
def new(
    unit: Annotated[str, typer.Argument(help="Its name, such as 02_my_unit.")],
) -> None:
    """Make the frame of a unit: one exercise with its check, its hints and its bank, to be replaced by yours."""
    from ..authoring.frames import new_unit

    for path in new_unit(Course.find().solutions, unit):
        console.print(Text(f"  {path}"), soft_wrap=True)
    console.print(
        Text(f"Next: edit these, then autograder build {unit} && autograder prove {unit}"), soft_wrap=True
    )


@commands.command()
def build(
    units: Annotated[
        list[str] | None,
        typer.Argument(help="The units to build; all when none is named.", autocompletion=completion.units),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 when something differs.")
    ] = False,
) -> None:
    """Make the solution notebooks and the released ones from their sources."""
    from ..authoring.build import build as build_units

    course = Course.find()
    if not build_units(course, units_named(course.units(), units), check, _say):
        raise SystemExit(1)


def _say(told: str) -> None:
    """A line of a build, whole: a path or a sentence of somebody's is no markup."""
    console.print(Text(told), soft_wrap=True)


def _say_unbuilt(course: Course, assignments: Iterable[Assignment]) -> None:
    """Who has changed a source and not built it would be told what held before."""
    from ..authoring.build import unbuilt

    for assignment in assignments:
        if told := unbuilt(course, assignment.unit):
            console.print(Text(told, style="yellow"), soft_wrap=True)


@commands.command(name="prove")
def prove_command(
    unit: Annotated[
        str | None,
        typer.Argument(help="The unit to prove; all when none is named.", autocompletion=completion.units),
    ] = None,
    seed: Seed = None,
    seeds: Annotated[
        int, typer.Option(min=0, help="At how many further seeds, drawn and shown, the bank is graded too.")
    ] = 0,
    right_seeds: RightSeeds = 0,
    matrix: Annotated[
        Path | None,
        typer.Option(
            help="Show instead which check ends which wrong answer, and write all of it to this CSV file."
        ),
    ] = None,
    alike: Annotated[
        bool,
        typer.Option(
            "--alike",
            help="Show instead which mistakes a visible check takes for one of the bank's, whose sentence they hear.",
        ),
    ] = False,
    jobs: Jobs = None,
    unsandboxed: Unsandboxed = False,
    unprotected_scores: UnprotectedScores = False,
) -> None:
    """Show that wrong answers, the bank's and those made by machine, earn nothing and right ones everything."""
    # Long, because the options of a command are its parameters, and each says what it is for.
    from ..authoring.mutation import read_verdicts
    from ..authoring.parallel import kept
    from ..authoring.seeds import further_seeds
    from ..unit.settings import configured_sandbox, load_config

    if (alike or matrix is not None) and (seeds or right_seeds):
        raise UserError(
            f"--{'alike' if alike else 'matrix'} is shown in place of the proof, at one seed: leave out --seeds and "
            "--right-seeds."
        )
    if alike and matrix is not None:
        raise UserError("--alike and --matrix are two questions: ask one after the other.")
    course = Course.find()
    sandbox = configured_sandbox(load_config(course.root), course.root, unsandboxed, unprotected_scores)
    assignments = [course.assignment(name) for name in units_named(course.units(), [unit] if unit else None)]
    _say_unbuilt(course, assignments)
    if matrix is not None:
        show_matrix(assignments, sandbox, matrix, seed or 0, jobs)
        return
    if alike:
        show_alike(assignments, sandbox, jobs)
        return
    chance = secrets.randbelow(2**31) if seed is None else seed
    further = further_seeds(seeds + right_seeds, chance)
    problems: list[str] = []
    without: list[str] = []
    with kept():
        for assignment in assignments:
            begun = time.monotonic()
            found, settled = _prove_bank(assignment, sandbox, chance, jobs)
            found += _prove_at_seeds(assignment, sandbox, further[:seeds], jobs, settled)
            found += _prove_at_seeds(assignment, sandbox, further[seeds:], jobs, only_right=True)
            if read_verdicts(assignment):
                found += _prove_mutants(assignment, sandbox, jobs, chance)
            else:
                without.append(assignment.unit)
            problems += [f"{assignment.unit}: {problem}" for problem in found]
            console.print(f"{assignment.unit} took {time.monotonic() - begun:.0f} s.", style="dim")
    _show_choice(without, chance, bool(further))
    if problems:
        _show_again(problems)
        raise SystemExit(1)


def _prove_mutants(assignment: Assignment, sandbox: Sandbox, jobs: int | None, chance: int) -> list[str]:
    """Run a unit's mutants, or a tenth of them, and show what passed; gives what is not as it should be."""
    from ..authoring.mutation import run_mutants

    with progress_bar() as bar:
        result = run_mutants(assignment, sandbox, jobs=jobs, chance=chance, **told_to(bar, assignment.unit))
    show_mutants(result)
    return result.problems


def _show_again(problems: Sequence[str]) -> None:
    """All that failed, once more at the end: between thousands of lines that are as they should be nobody finds it."""
    console.print(f"\n{len(problems)} problem{'s' * (len(problems) > 1)}:", style="bold red")
    for problem in problems:
        console.print(Text(f"✗ {problem}", style="red"), soft_wrap=True)


def _show_choice(without: Sequence[str], chance: int, further: bool) -> None:
    """Which units have no verdicts on mutants, and what was left to chance."""
    if without:
        told = "no verdicts on mutants yet; `autograder mutants` makes them"
        console.print(f"{', '.join(without)}: {told}.", soft_wrap=True)
    also = ", and the further seeds follow from it" if further else ""
    console.print(
        f"All ran at seed {chance}, which chose the tenth of the mutants, too{also}: --seed {chance} repeats it.",
        soft_wrap=True,
    )


def _prove_bank(
    assignment: Assignment, sandbox: Sandbox, seed: int, jobs: int | None
) -> tuple[list[str], frozenset[Entry]]:
    """Run a unit's bank, and show what became of each answer.

    Gives what is not as it should be, and the answers that end as they did at every other seed.
    """
    from ..authoring.prove import gaps, in_the_notebook, prove, trials
    from ..referee import bank

    name, entries = assignment.unit, bank.load_bank(assignment)
    with progress_bar() as bar:
        task = bar.add_task(name, total=len(list(trials(assignment, entries))))
        proofs = prove(assignment, sandbox, seed=seed, jobs=jobs, done=partial(advance, bar, task))
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
    console.print(
        f"{name}: {verdict}; {wrong} wrong and {right} right answers, {len(proofs)} runs.", style="bold"
    )
    if not assignment.exam:  # whose notebook says nothing of mistakes
        console.print(in_the_notebook(proofs), soft_wrap=True)
    settled = frozenset(proof.trial.entry for proof in proofs if proof.trial.entry and proof.settled)
    return problems, settled


def _prove_at_seeds(
    assignment: Assignment,
    sandbox: Sandbox,
    seeds: Sequence[int],
    jobs: int | None,
    settled: frozenset[Entry] = frozenset(),
    only_right: bool = False,
) -> list[str]:
    """Run a unit's bank at further seeds, and show what slipped; gives that, and what went wrong."""
    from ..authoring.seeds import at_seeds

    if not seeds:
        return []
    name = assignment.unit
    with progress_bar() as bar:
        progress = told_to(bar, f"{name}, further seeds")
        result = at_seeds(
            assignment, sandbox, seeds, only_right=only_right, settled=settled, jobs=jobs, **progress
        )
    problems = [*(slip.told(name) for slip in result.slips), *result.faults]
    for told in problems:
        console.print(Text(f"✗ {told}", style="red"), soft_wrap=True)
    at = (
        ", ".join(map(str, seeds)) if len(seeds) < 9 else f"{seeds[0]}, {seeds[1]}, ..., {len(seeds)} of them"
    )
    what = "runs of right answers alone" if only_right else "runs"
    slipped = "were refused" if only_right else "wrong answers passed or right ones were refused"
    console.print(
        f"{name}: {result.runs} {what} at the further seeds {at}; "
        f"{len(result.slips)} {slipped}. "
        f"{result.spared} more would have ended as before, since nothing had been drawn.",
        style="bold",
        soft_wrap=True,
    )
    return problems


@commands.command(name="mutants")
def mutants_command(
    units: Annotated[
        list[str] | None,
        typer.Argument(help="The units; all when none is named.", autocompletion=completion.units),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Run those of unchanged exercises too, not a tenth of them.")
    ] = False,
    seeds: Annotated[int, typer.Option(min=1, help="At how many seeds a mutant has to fail.")] = 1,
    jobs: Jobs = None,
    unsandboxed: Unsandboxed = False,
    unprotected_scores: UnprotectedScores = False,
) -> None:
    """Show that right answers with one small fault, made by machine, earn nothing."""
    from ..authoring.build import build_likely
    from ..authoring.explain import tell
    from ..authoring.mutation import run_mutants, write_verdicts
    from ..unit.settings import configured_sandbox, load_config

    course = Course.find()
    sandbox = configured_sandbox(load_config(course.root), course.root, unsandboxed, unprotected_scores)
    good = True
    for name in units_named(course.units(), units):
        assignment = course.assignment(name)
        _say_unbuilt(course, [assignment])
        with progress_bar() as bar:
            result = run_mutants(
                assignment,
                sandbox,
                seeds=range(seeds),
                everything=everything,
                jobs=jobs,
                **told_to(bar, name),
            )
        show_mutants(result)
        if result.good:
            write_verdicts(assignment, result.kept)  # the work of minutes, whatever happens to the sentences
            tell(assignment, sandbox, result.kept, jobs)
            write_verdicts(assignment, result.kept)
            build_likely(course, name, console.print)  # a learner's notebook knows mutants, too
        good = good and result.good
    if not good:
        raise SystemExit(1)
