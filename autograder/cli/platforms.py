"""The commands between a class and the learning platforms: in, back, and who is who."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UserError
from ..unit.assignment import unit_named
from . import completion
from .options import Anyway, Commands, Jobs
from .tables import show_collected, show_roster, show_strangers
from .terminal import Rate, console, line, progress_bar, warn, write_keeping, write_new

if TYPE_CHECKING:
    from ..classroom.classroom import Classroom
    from ..unit.assignment import Assignment

commands = typer.Typer()


@commands.command()
def collect(
    source: Annotated[Path, typer.Argument(help="An archive from your learning platform, or a folder.")],
    unit: Annotated[
        str | None,
        typer.Option(help="The unit, where the notebooks do not say.", autocompletion=completion.units),
    ] = None,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway",
            help="Take also what says another unit than --unit or than the others, and what is older than what was "
            "collected before.",
        ),
    ] = False,
) -> None:
    """Put what a learning platform hands out (Canvas, Moodle, plain) into submitted/STUDENT/UNIT/."""
    from ..classroom.classroom import Classroom, known_roster, known_students, refuse_our_own
    from ..classroom.due import told_without_due_date
    from ..classroom.hand_ins import note_receipts
    from ..classroom.platforms.collect import collect as take_in
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    assignments = {name: classroom.course.assignment(name) for name in classroom.course.units()}
    unit = unit_named(list(assignments), unit) if unit is not None else None
    refuse_our_own(source, classroom)
    people, due = known_students(classroom)

    def target(student: str, its_unit: str) -> Path:
        return classroom.folder("submitted", student, its_unit)

    result = take_in(source, assignments, target, unit=unit, people=people, due=due, anyway=anyway)
    if not result.placed and not result.skipped:
        raise UserError(f"{source} holds nothing to collect: no notebook, and no archive of notebooks.")
    names = {name: assignment.name for name, assignment in assignments.items()}
    receipts = note_receipts(classroom, names, result.placed)
    roster = known_roster(classroom)
    show_collected(result, receipts, everybody=bool(roster))
    show_strangers(sorted({student for student, _ in result.placed} - roster) if roster else [])
    for its_unit in sorted({its_unit for _, its_unit in result.late} - due.keys()):
        late = sorted(student for student, other in result.late if other == its_unit)
        warn(told_without_due_date(its_unit, late))
    if result.skipped:
        raise SystemExit(1)


students = typer.Typer(cls=Commands, help="The students in the gradebook.", no_args_is_help=True)
commands.add_typer(students, name="students")


@students.command(name="import")
def import_students(
    roster: Annotated[
        Path, typer.Argument(help="A CSV file: from Canvas, from Moodle, or with columns of your own.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")
    ] = False,
) -> None:
    """Add the students of a roster to the gradebook, with names, addresses and the platform's numbers."""
    from ..classroom.classroom import Classroom, known_students, write_students
    from ..classroom.listed import Listed
    from ..classroom.platforms.students import compare, read_roster
    from ..unit.assignment import Course

    entries = read_roster(roster)
    if not entries:
        raise UserError(f"{roster} has no row of a student.")
    classroom = Classroom(Course.find())
    result = compare(entries, known_students(classroom)[0])
    show_roster(result)
    if not dry_run:
        changed = [c.person for c in result.changes if c.person and c.what in ("added", "changed")]
        rows = {entry.line: Listed(entry.person.id, entry.section) for entry in entries}
        write_students(classroom, changed, {c.student: rows[c.line] for c in result.changes if c.person})
    counts = [f"{result.count(what)} {what}" for what in ("added", "changed", "unchanged", "refused")]
    console.print(f"{', '.join(counts)}{'; nothing was written' if dry_run else ''}.")
    if result.count("refused"):
        raise SystemExit(1)


class Platform(StrEnum):
    """Where feedback goes back to."""

    canvas = "canvas"
    moodle = "moodle"


@commands.command()
def feedback(
    unit: Annotated[
        str, typer.Argument(help="The unit, by name or number.", autocompletion=completion.units)
    ],
    students: Annotated[list[str] | None, typer.Argument(help="Only these students; else all.")] = None,
    to: Annotated[
        Platform | None, typer.Option(help="Also write a zip that Canvas or Moodle takes back.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The zip; feedback-UNIT-PLATFORM.zip by default.")] = None,
    anyway: Anyway = False,
    jobs: Jobs = None,
) -> None:
    """Write a page of feedback for each student, and on request a zip that a platform gives them."""
    from ..classroom.classroom import Classroom
    from ..classroom.feedback.write import students_of, write_feedback
    from ..classroom.held import refuse_while_held
    from ..unit.assignment import Course

    if out is not None and to is None:
        raise UserError("--out names the zip of --to canvas or --to moodle: say which.")
    classroom = Classroom(Course.find())
    assignment = classroom.course.assignment(unit)
    refuse_while_held(classroom.folders, assignment.unit, anyway)
    everybody = students_of(classroom, assignment.unit, students)
    with progress_bar(Rate()) as bar:
        task = bar.add_task("writing feedback", total=len(everybody))
        problems = write_feedback(
            classroom, assignment.unit, everybody, jobs=jobs, anyway=anyway, done=lambda _: bar.advance(task)
        )
    good = [student for student in everybody if student not in problems]
    for student, problem in problems.items():
        console.print(line(f"{student}: {problem}"), style="red", soft_wrap=True)
    if good:
        page = classroom.folder("feedback", good[0], assignment.unit) / f"{assignment.name}.html"
        console.print(line(f"{_pages(len(good))}, such as {page}"), soft_wrap=True)
    left_out = _give_back(to, out, classroom, assignment, good) if to and good else False
    if problems or left_out:
        raise SystemExit(1)


def _pages(count: int) -> str:
    return f"{count} page{'s' * (count != 1)} of feedback"


def _give_back(
    to: Platform, out: Path | None, classroom: Classroom, assignment: Assignment, students: list[str]
) -> bool:
    """Write the zip for a platform; whether somebody whom it could serve is left out of it, or there is none."""
    from ..classroom.feedback.write import papers_of
    from ..classroom.platforms.returned import PLATFORMS, returned

    found = returned(to.value, papers_of(classroom, assignment, students))
    for student, reason in found.left_out.items():
        if student in found.elsewhere:
            continue
        console.print(line(f"{student} is not in the zip: {reason}"), style="red", soft_wrap=True)
    if found.elsewhere:
        told = "Not in the zip" if found.students else "No zip is written"
        told += f", since not collected from {PLATFORMS[to.value]}: {', '.join(found.elsewhere)}."
        console.print(line(f"{told} Give them their pages yourself."), soft_wrap=True)
    if found.students:
        out = out or Path(f"feedback-{assignment.unit}-{to.value}.zip")
        write_keeping(out, found.data)
        console.print(line(f"{out}: {len(found.students)} of {len(students)} students"), soft_wrap=True)
    return not found.students or len(found.left_out) > len(found.elsewhere)


class Format(StrEnum):
    """Whom an export is for."""

    csv = "csv"
    canvas = "canvas"
    moodle = "moodle"


@commands.command()
def export(
    to: Annotated[Format, typer.Option(help="A table for a spreadsheet, or what Canvas or Moodle imports.")],
    unit: Annotated[
        str | None,
        typer.Option(help="Only this unit; else all in the gradebook.", autocompletion=completion.units),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file; grades.csv or grades-FORMAT.csv by default.")
    ] = None,
    assignment: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With --to canvas and --unit: the assignment as Canvas' own export calls it, 'Homework 3 (99881)'.",
        ),
    ] = None,
    anyway: Anyway = False,
) -> None:
    """Write the gradebook's scores, with what was given by hand and late penalties, as a CSV file."""
    from ..classroom.classroom import Classroom
    from ..classroom.platforms.export import export as grades
    from ..unit.assignment import Course

    if assignment is not None and (to is not Format.canvas or unit is None):
        raise UserError(
            "--assignment names one unit's column for Canvas: give --to canvas and --unit UNIT, too."
        )
    course = Course.find()
    folders = Classroom(course).folders
    if unit is not None and unit.isdigit():
        unit = unit_named(course.units(), unit)
    text = grades(folders.db_url, folders.course_id, to.value, unit, warn, anyway, assignment)
    out = out or Path("grades.csv" if to is Format.csv else f"grades-{to.value}.csv")
    write_keeping(out, text.encode("utf-8"))
    console.print(line(f"Grades in {out}."), soft_wrap=True)


@commands.command()
def gradescope(
    unit: Annotated[
        str, typer.Argument(help="The unit, by name or number.", autocompletion=completion.units)
    ],
    out: Annotated[Path, typer.Option(help="The zip file to write.")] = Path("autograder.zip"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file of that name.")] = False,
    anyway: Anyway = False,
) -> None:
    """Write the zip that Gradescope grades a unit with. It holds the answers: upload it, and give it to nobody."""
    from ..classroom.classroom import Classroom
    from ..classroom.held import held_now, told
    from ..classroom.platforms.gradescope import package
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    assignment = classroom.course.assignment(unit)
    until = None if anyway else held_now(classroom.folders, assignment.unit)
    write_new(out, force, lambda: package(assignment, until))
    console.print(f"{out}: the grader of {assignment.unit}, with its answers.", soft_wrap=True)
    if until is not None:
        shown = "What is handed in before is shown to students when you publish grades on Gradescope."
        console.print(f"{told(assignment.unit, until)} {shown}", soft_wrap=True)


@commands.command()
def classroom50(
    unit: Annotated[
        str, typer.Argument(help="The unit, by name or number.", autocompletion=completion.units)
    ],
    out: Annotated[Path, typer.Option(help="The folder to write: autograders/SLUG of your classroom.")],
    anyway: Anyway = False,
) -> None:
    """Write what Classroom 50 grades a unit with: by the checks that students see, since students can read it."""
    from ..classroom.classroom import Classroom
    from ..classroom.held import refuse_while_held
    from ..classroom.platforms.github import classroom50 as files_of
    from ..classroom.platforms.github import write_files
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    assignment = classroom.course.assignment(unit)
    refuse_while_held(classroom.folders, assignment.unit, anyway)
    write_files(out, files_of(assignment))
    told = f"{out}: the grader of {assignment.unit}, without answers and without hidden tests."
    console.print(line(told), soft_wrap=True)


@commands.command()
def repository(
    unit: Annotated[
        str, typer.Argument(help="The unit, by name or number.", autocompletion=completion.units)
    ],
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    anyway: Anyway = False,
) -> None:
    """Write what a student's repository begins with: the released unit, and a workflow that checks it on each push."""
    from ..classroom.classroom import Classroom
    from ..classroom.held import refuse_while_held
    from ..classroom.platforms.github import repository as files_of
    from ..classroom.platforms.github import write_files
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    assignment = classroom.course.assignment(unit)
    refuse_while_held(classroom.folders, assignment.unit, anyway)
    write_files(out, files_of(assignment))
    told = f"{out}: a repository for {assignment.unit}, without answers and without hidden tests."
    console.print(line(told), soft_wrap=True)
