"""The command that grades a class."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import TextColumn, TimeRemainingColumn
from rich.text import Text

from ..errors import Stopped, UserError
from ..lesson.wire import printable
from . import completion
from .options import Jobs, UnprotectedScores, Unsandboxed
from .tables import (
    how_to_go_on,
    show_changes,
    show_class,
    show_people,
)
from .terminal import Rate, console, errors, line, progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..classroom.grader import Graded
    from ..classroom.late import LatePolicy
    from ..unit.assignment import Assignment, Course

commands = typer.Typer()


class HandIns(StrEnum):
    """Which of several hand-ins counts."""

    last = "last"
    best = "best"


@commands.command(name="grade")
def grade_command(
    unit: Annotated[str, typer.Argument(help="The unit to grade.", autocompletion=completion.units)],
    student: Annotated[list[str] | None, typer.Option(help="Only this student; may be repeated.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Grade again what has not changed.")] = False,
    new_seed: Annotated[
        bool,
        typer.Option("--new-seed", help="Draw other random inputs for the unit, and grade everybody again."),
    ] = False,
    late_policy: Annotated[
        str | None,
        typer.Option(
            metavar="PERCENT",
            help="What each day of lateness costs from now on, in percent of the unit's points; kept for the unit. "
            "'nbgrader' for nbgrader's own configuration.",
        ),
    ] = None,
    hand_ins: Annotated[
        HandIns | None,
        typer.Option(help="Which of several hand-ins of a student counts from now on; kept for the unit."),
    ] = None,
    jobs: Jobs = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Grade on the workers of the Dask scheduler at this address.")
    ] = None,
    unsandboxed: Unsandboxed = False,
    unprotected_scores: UnprotectedScores = False,
) -> None:
    """Grade submitted/*/UNIT/ into the gradebook."""
    # Long, because the options of a command are its parameters, and each says what it is for.
    from ..unit.assignment import Course

    if new_seed and student:
        raise UserError("A seed is the whole class's: leave out --student, or leave out --new-seed.")
    policy = _late_policy(late_policy)
    course = Course.find()
    assignment = course.assignment(unit)
    if not assignment.graded:
        console.print(f"{assignment.unit} is for practice and has no points, so there is nothing to grade.")
        console.print("`autograder score FILE` says which of its exercises are right in one notebook.")
        return
    _warn_of_an_old_build(assignment)
    rows, known = _graded(
        course,
        assignment,
        student or [],
        force,
        scheduler,
        new_seed=new_seed,
        late_policy=policy,
        rule=hand_ins.value if hand_ins else "",
        jobs=jobs,
        unsandboxed=unsandboxed,
        unprotected_scores=unprotected_scores,
    )
    show_class(rows)
    show_changes(rows)
    from ..classroom.classroom import Classroom, known_roster

    show_people(rows, known, whole=not student, everybody=bool(known_roster(Classroom(course))))
    _tell_of_lateness(course, assignment, [row.student for row in rows])
    if any(row.state == "failed" for row in rows):
        raise SystemExit(1)


def _warn_of_an_old_build(assignment: Assignment) -> None:
    """Say so when the unit's source was edited after its notebook was built."""
    from ..unit.source import outdated

    if outdated(assignment):
        source = assignment.path.with_suffix(".py").name
        warning = (
            f"{source} was edited after {assignment.path.name} was built from it. "
            f"The built one is what is graded with: `autograder build {assignment.unit}` takes the change in."
        )
        errors.print(Text(warning, style="yellow"), soft_wrap=True)


def _tell_of_lateness(course: Course, assignment: Assignment, students: Sequence[str]) -> None:
    """Say what a late policy could not take into account, and how to tell it."""
    from ..classroom.classroom import Classroom
    from ..classroom.due import told_of_lateness

    for told in told_of_lateness(Classroom(course), assignment.unit, students):
        console.print(Text(told, style="yellow"), soft_wrap=True)


def _late_policy(text: str | None) -> LatePolicy:
    """`--late-policy` as a number of percent. Raises UserError."""
    if text is None or text == "nbgrader":
        return text  # type: ignore[return-value]
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:
        raise UserError(
            f"--late-policy takes percent of the points for each day, 0 to 100, and not {text!r}."
        )
    return percent


def _graded(
    course: Course,
    assignment: Assignment,
    students: Sequence[str],
    force: bool,
    scheduler: str | None,
    **options: Any,
) -> tuple[list[Graded], list[str]]:
    """Grade with a progress bar; an interrupt becomes a sentence."""
    from ..classroom.commands import grade_unit

    finished = total = 0
    try:
        with progress_bar(Rate(), TextColumn("left"), TimeRemainingColumn()) as bar:
            task = bar.add_task(assignment.unit, total=None)

            def begin(names: Sequence[str]) -> None:
                nonlocal total
                total = len(names)
                bar.update(task, total=total)

            def done(row: Graded) -> None:
                nonlocal finished
                finished += row.state != "failed"
                bar.update(task, description=line(row.student).plain, advance=1)

            return grade_unit(
                course,
                assignment,
                students,
                force=force,
                scheduler=scheduler,
                begin=begin,
                done=done,
                **options,
                tell=lambda told: bar.console.print(Text(printable(told, 500)), soft_wrap=True),
            )
    except KeyboardInterrupt:
        if not total:
            raise
        raise Stopped(how_to_go_on(assignment.unit, finished, total, students, force, scheduler)) from None
