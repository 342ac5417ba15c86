"""The commands of authors of units."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..errors import UserError
from ..unit.assignment import Assignment, Course
from . import completion
from .authors_tables import show_alike, show_matrix
from .options import Jobs, RightSeeds, Seed, UnprotectedScores, Unsandboxed
from .proofs import prove_at_seeds, prove_bank, prove_mutants, show_again, show_choice, show_times
from .tables import show_mutants
from .terminal import console, progress_bar, told_to, units_named

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
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="With --seeds, grade all of unchanged exercises too, not a tenth of them."
        ),
    ] = False,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep", help="Note in proved.json what was proved, so that later runs take a tenth of it."
        ),
    ] = False,
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
    from ..authoring.proved import choose, read_proved, to_keep, write_proved
    from ..authoring.seeds import further_seeds
    from ..unit.settings import configured_sandbox, load_config

    if (alike or matrix is not None) and (seeds or right_seeds):
        raise UserError(
            f"--{'alike' if alike else 'matrix'} is shown in place of the proof, at one seed: leave out --seeds and "
            "--right-seeds."
        )
    if alike and matrix is not None:
        raise UserError("--alike and --matrix are two questions: ask one after the other.")
    if keep and not seeds:
        raise UserError(
            "--keep notes what was proved at further seeds: say at how many, for example --seeds 5."
        )
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
            clock = [time.monotonic()]
            chosen = choose(assignment, seeds, {} if everything else read_proved(assignment), chance)
            found, settled = prove_bank(assignment, sandbox, chance, jobs, chosen.left_out)
            settled |= chosen.settled
            clock.append(time.monotonic())
            found += prove_at_seeds(assignment, sandbox, further[:seeds], jobs, settled, chosen)
            found += prove_at_seeds(assignment, sandbox, further[seeds:], jobs)
            if keep and not found:
                write_proved(assignment, to_keep(assignment, chosen, settled))
            clock.append(time.monotonic())
            if read_verdicts(assignment):
                found += prove_mutants(assignment, sandbox, jobs, chance)
            else:
                without.append(assignment.unit)
            problems += [f"{assignment.unit}: {problem}" for problem in found]
            clock.append(time.monotonic())
            show_times(assignment.unit, clock)
    show_choice(without, chance, bool(further))
    if problems:
        show_again(problems)
        raise SystemExit(1)


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


@commands.command(name="guesses")
def guesses_command(
    units: Annotated[
        list[str] | None,
        typer.Argument(help="The units; all when none is named.", autocompletion=completion.units),
    ] = None,
) -> None:
    """Show that what is said to predictions is so: run the cells, each prediction filled in with what is right."""
    from ..authoring.guesses import GUESSES, predictions_shown, read_guesses, untrue

    course = Course.find()
    good = True
    for name in units_named(course.units(), units):
        assignment = course.assignment(name)
        guesses = read_guesses(assignment)
        if not guesses:
            _say(f"· {name}: no {GUESSES}")
            continue
        problems = [
            f"✗ {name}: {told}"
            for shown in predictions_shown(assignment)
            if shown.prediction in guesses
            for told in untrue(guesses[shown.prediction], shown)
        ]
        for line in problems or [f"✓ {name}: {len(guesses)} prediction{'s' * (len(guesses) != 1)}"]:
            _say(line)
        good = good and not problems
    if not good:
        raise SystemExit(1)
