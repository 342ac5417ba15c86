"""The commands of instructors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ..errors import UserError
from . import completion
from .options import EVERYONE, Jobs, Seed, UnprotectedScores, Unsandboxed
from .tables import (
    show_hand_ins,
    show_left_out,
    show_report,
)
from .terminal import console, line, progress_bar, units_named, write, write_new

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..unit.assignment import Assignment

commands = typer.Typer()

#: What works, what does not, and what does not and need not.
MARKS_OF_THE_DOCTOR = {
    True: Text("✓ ", style="green"),
    False: Text("✗ ", style="bold red"),
    None: Text("○ "),
}


@commands.command()
def demo(
    dir: Annotated[Path | None, typer.Option(help="Where to make the demo's course folder.")] = None,
    jobs: Jobs = None,
) -> None:
    """Grade a small class of bundled submissions in a new folder, and show what comes out."""
    from .demo import run

    run(dir, jobs, console, progress_bar())


@commands.command()
def score(
    file: Annotated[Path, typer.Argument(help="The notebook to grade, or a folder with it.")],
    unit: Annotated[
        str | None,
        typer.Option(help="Its unit, where the notebook does not say.", autocompletion=completion.units),
    ] = None,
    solutions: Annotated[
        Path | None, typer.Option(help="The answer key; the course's own by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    fail_under: Annotated[
        float | None, typer.Option(min=0, help="Exit with status 1 below so many points, for CI.")
    ] = None,
    gradescope: Annotated[
        Path | None, typer.Option(help="Write the result to this file, as Gradescope reads it.")
    ] = None,
    held_until: Annotated[
        str | None, typer.Option(help="With --gradescope: until this time students are shown nothing.")
    ] = None,
    seed: Seed = None,
    unsandboxed: Unsandboxed = False,
    unprotected_scores: UnprotectedScores = False,
) -> None:
    """Grade one notebook file; writes nothing but what is asked for."""
    # Long, because the options of a command are its parameters, and each says what it is for.
    from ..classroom.commands import score_file

    held = False
    if held_until is not None:  # before anything runs, which is in vain with a time that cannot be read
        from ..classroom.held import is_over, read_time

        held = not is_over(read_time(held_until))
    with progress_bar() as bar:

        def begin(assignment: Assignment) -> Callable[[str], None]:
            task = bar.add_task(assignment.unit, total=len(assignment.exercises))
            return lambda name: bar.update(task, description=name, advance=1)

        assignment, report = score_file(
            file,
            unit,
            solutions,
            seed=seed,
            unsandboxed=unsandboxed,
            unprotected_scores=unprotected_scores,
            begin=begin,
        )
    if as_json:
        print(json.dumps(report.as_json(), indent=2, ensure_ascii=False))
    else:
        show_report(assignment, report)
    if gradescope is not None:
        from ..classroom.platforms.gradescope import results

        found = results(report, assignment.exam, held)
        text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
        write(gradescope, text, text.partition(":")[0])
    if fail_under is not None and report.score < fail_under:
        raise SystemExit(1)


@commands.command()
def bundle(
    units: Annotated[
        list[str] | None,
        typer.Argument(
            help="Units by name or number; all when none is named.", autocompletion=completion.units
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The zip file to write.")] = Path("course.zip"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file of that name.")] = False,
) -> None:
    """Write a zip of released units to hand out: notebooks, a page for learners, no answers and no hidden tests."""
    from ..classroom.bundle import bundle as bundled
    from ..unit.assignment import Course

    course = Course.find()
    named = units_named(course.units(), units)
    write_new(out, force, lambda: bundled(course, named))
    console.print(f"{out}: {len(named)} unit{'s' * (len(named) > 1)}", soft_wrap=True)


@commands.command()
def site(
    units: Annotated[
        list[str] | None,
        typer.Argument(
            help="Units by name or number; all when none is named.", autocompletion=completion.units
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The folder to write; it may be one that this command wrote.")
    ] = Path("site"),
) -> None:
    """Write a website: the units to read, and to work on in the browser with nothing installed. No answers.

    It needs the extra `site` (`pip install "autograd-course[site]"`) and a clone of the course, or a course of one's
    own. In the browser, Python is loaded from cdn.jsdelivr.net.
    """
    from ..classroom.site.publish import WITHOUT_A_COURSE, publish
    from ..unit.assignment import Course

    course = Course.find(remedy=WITHOUT_A_COURSE)
    named = units_named(course.units(), units)
    publish(course, named, out, lambda text: console.print(Text(text), soft_wrap=True))
    console.print(
        line(
            f"{out}: {len(named)} unit{'s' * (len(named) > 1)}. Any web server can show it; its notebooks"
            f" load Python from cdn.jsdelivr.net. To look at it here: python -m http.server --directory {out}"
        ),
        soft_wrap=True,
    )


@commands.command()
def seed(unit: Annotated[str, typer.Argument(help="The unit.", autocompletion=completion.units)]) -> None:
    """Say with which seed a unit is graded in this class; `autograder grade UNIT --new-seed` draws another."""
    from ..classroom.classroom import Classroom
    from ..classroom.gradebook import opened
    from ..classroom.state import seed_of
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    name = classroom.course.assignment(unit).unit
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        number = seed_of(gradebook, name)
    told = (
        f"{name} is graded with the seed {number}: `autograder score FILE --seed {number}` repeats a result. "
        "Keep it from students: it decides the hidden inputs."
    )
    console.print(told, soft_wrap=True)


@commands.command()
def report(
    unit: Annotated[str, typer.Argument(help="The unit to report on.", autocompletion=completion.units)],
    out: Annotated[Path | None, typer.Option(help="The page; report-UNIT.html by default.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table behind the page, too.")] = None,
) -> None:
    """Write one HTML page on a graded class: scores, exercises, mistakes, and who needs a look."""
    from ..classroom.classroom import Classroom
    from ..classroom.records import records_of_class
    from ..classroom.report.findings import findings, table
    from ..classroom.report.page import page
    from ..referee import bank
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    assignment = classroom.course.assignment(unit)
    unit = assignment.unit
    out = out or Path(f"report-{unit}.html")
    if csv is not None and csv.resolve() == out.resolve():
        raise UserError(f"The page and the table would both be {out}: name another file with --out or --csv.")
    records = records_of_class(classroom, assignment)
    if not (records.graded or records.old or records.waiting):
        raise UserError(
            f"Nothing of {unit} has been handed in or graded: `autograder grade {unit}` comes first."
        )
    found = findings(assignment, bank.load_bank(assignment), records)
    text = page(found)
    write(out, text, text[:100])
    told = f"{len(records.graded)} submissions in {out}"
    if csv is not None:
        text = table(found)
        write(csv, text, text.partition("\n")[0])
        told += f", and as a table in {csv}"
    console.print(line(f"{told}."), soft_wrap=True)
    show_left_out(records, unit)


@commands.command()
def teach(
    units: Annotated[
        list[str], typer.Argument(help="Units by name or number.", autocompletion=completion.units)
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="The folder to write into; `teaching` in the course's folder by default."),
    ] = None,
) -> None:
    """Write slides of a unit for 15 minutes of class, and a page on its exercises: minutes and usual mistakes."""
    from ..classroom.teaching.publish import FOLDER, publish
    from ..unit.assignment import Course

    course = Course.find()
    named = list(dict.fromkeys(units_named(course.units(), units)))
    publish(
        course, named, out or course.root / FOLDER, lambda text: console.print(line(text), soft_wrap=True)
    )


@commands.command()
def hold(
    unit: Annotated[
        str, typer.Argument(help="The unit, by name or number.", autocompletion=completion.units)
    ],
    until: Annotated[
        str | None, typer.Option(help="When they may be given out, with the zone: '2026-12-01 09:00 +01:00'.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Hold them back no more.")] = False,
) -> None:
    """Hold a unit's results back until a time: no feedback, grades or adapters for platforms before it."""
    from ..classroom import held
    from ..classroom.classroom import Classroom
    from ..classroom.gradebook import opened
    from ..unit.assignment import Course

    if off and until is not None:
        raise UserError("Either --until or --off.")
    when = None if until is None else held.read_time(until)
    classroom = Classroom(Course.find())
    name = classroom.course.assignment(unit).unit
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        if off or when is not None:
            held.hold(gradebook, name, when)
        when = held.held_until(gradebook, name)
    none = f"The results of {name} are not held back."
    console.print(none if when is None else held.told(name, when), soft_wrap=True)


@commands.command()
def due(
    unit: Annotated[
        str, typer.Argument(help="The unit, by name or number.", autocompletion=completion.units)
    ],
    time: Annotated[
        str | None, typer.Argument(help="When it is due, with the zone: '2026-11-20 23:59 +01:00'.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Give the due date up.")] = False,
) -> None:
    """Say or set when a unit is due, for late penalties: before collecting or after it, grade once more then."""
    from ..classroom.classroom import Classroom, known_students
    from ..classroom.due import set_due, shown_due
    from ..classroom.held import read_time
    from ..unit.assignment import Course

    if off and time is not None:
        raise UserError("Either a time or --off.")
    when = None if time is None else read_time(time)
    classroom = Classroom(Course.find())
    assignment = classroom.course.assignment(unit)
    if not assignment.graded:
        raise UserError(f"{assignment.unit} is for practice and has no points, so nothing is late in it.")
    if off or when is not None:
        set_due(classroom, assignment, when)
    kept = known_students(classroom)[1].get(assignment.unit)
    console.print(shown_due(assignment.unit, kept, when.tzinfo if when else None), soft_wrap=True)
    if (off or when is not None) and classroom.students(assignment.unit, "autograded"):
        console.print(
            f"`autograder grade {assignment.unit}` works out the late penalties anew.", soft_wrap=True
        )


@commands.command()
def receipts(
    receipt: Annotated[
        str | None, typer.Argument(help="A receipt, or its first five letters; else all are listed.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="Only this unit, by name or number.", autocompletion=completion.units)
    ] = None,
) -> None:
    """Say whose hand-in a receipt belongs to, and whether it is the one that was graded."""
    from ..classroom.classroom import Classroom
    from ..classroom.hand_ins import hand_ins
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    course = classroom.course
    units = [course.assignment(name) for name in ([unit] if unit else course.units())]
    found = hand_ins(classroom, units, receipt or "")
    if found:
        show_hand_ins(found)
        return
    console.print("No hand-in of this class has that receipt." if receipt else "Nothing has been handed in.")
    raise SystemExit(1)


@commands.command(rich_help_panel=EVERYONE)
def doctor() -> None:
    """Say what there is here for learning and for grading, what is missing, and how to mend it."""
    from .doctor import for_grading, for_learning

    good = True
    for heading, findings in (("For learning", for_learning()), ("For grading", for_grading())):
        console.print(Text(heading, style="bold"))
        for finding in findings:
            mark = MARKS_OF_THE_DOCTOR[finding.good]
            console.print(mark + Text(f"{finding.what:<12} {finding.told}"), soft_wrap=True)
            good = good and finding.good is not False
    if not good:
        raise SystemExit(1)
