"""The command line: `autograder --help`."""

from __future__ import annotations

import gc
import json
import os
import shlex
import subprocess
import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from ..errors import Stopped, UserError
from ..lesson.wire import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..classroom.grader import Graded
    from ..classroom.workers import Processes
    from ..sandbox.walls import Sandbox
    from ..unit.assignment import Assignment, Course

app = typer.Typer(
    help="Check, grade and build the notebooks of a course on automatic differentiation.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

Unsandboxed = Annotated[
    bool,
    typer.Option(
        "--unsandboxed", help="Run student code without a sandbox, behind the process boundary alone."
    ),
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="How many submissions at a time.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Repeat a result: the seed that was reported with it.")]


def progress_bar(*more: ProgressColumn) -> Progress:
    return Progress(
        TextColumn("{task.description:<28.28}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        *more,
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    )


class Rate(ProgressColumn):
    """How many are done in a second, or in a minute where that is less than one."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.0f}/min", style="cyan")


def line(text: str) -> Text:
    """Words that others chose, as one line that a terminal only shows."""
    return Text(printable(text, 5000).replace("\n", " ").replace("\t", " "))


@app.command()
def demo(
    dir: Annotated[Path | None, typer.Option(help="Where to make the demo's course folder.")] = None,
    jobs: Jobs = None,
) -> None:
    """Grade a small class of bundled submissions in a new folder, and show what comes out."""
    from .demo import run

    run(dir, jobs, console, progress_bar())


@app.command(context_settings={"ignore_unknown_options": True})
def lab(
    options: Annotated[
        list[str] | None,
        typer.Argument(help="JupyterLab's own options, such as -- --no-browser --port 8889."),
    ] = None,
) -> None:
    """Open JupyterLab on the notebooks for learners."""
    from ..unit.assignment import Course

    options = list(options or [])
    if (
        hasattr(os, "geteuid")
        and os.geteuid() == 0
        and not any("allow" in o and "root" in o for o in options)
    ):
        console.print("You are root, as in a container: JupyterLab is started with --allow-root.")
        options.append("--allow-root")
    folder = Course.find().root / "course"
    raise SystemExit(subprocess.call([sys.executable, "-m", "jupyterlab", str(folder), *options]))


@app.command()
def progress(
    unit: Annotated[
        str | None, typer.Argument(help="The unit to show, by name or number; else the one you are in.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Show which exercises are done, the points so far, and what comes next."""
    from ..learner import progress as learner

    folder = learner.units_folder()
    found = learner.units(folder)
    if not found:
        raise UserError(f"There is no unit in {folder} yet.")
    shown = learner.find(found, unit) if unit else learner.current(found, folder)
    if as_json:
        print(json.dumps(learner.as_json(found, shown), indent=2, ensure_ascii=False))
    else:
        learner.show(found, shown, console)


@app.command()
def fresh(unit: Annotated[str, typer.Argument(help="The unit, by name or number.")]) -> None:
    """Start a unit again from an empty notebook; your own is kept beside it under a new name."""
    from ..learner import progress as learner

    done = learner.start_afresh(learner.units_folder(), unit)
    folder = done.notebook.parent
    if done.kept:
        console.print(Text(f"Your notebook is kept as {folder.name}/{done.kept.name}."), soft_wrap=True)
    console.print(
        Text(
            f"{folder.name}/{done.notebook.name} is as released. If it is open in JupyterLab, reload it "
            "(menu File, Reload Notebook from Disk) and restart its kernel."
        ),
        soft_wrap=True,
    )


@app.command()
def build(
    units: Annotated[
        list[str] | None, typer.Argument(help="The units to build; all when none is named.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 when something differs.")
    ] = False,
) -> None:
    """Make the solution notebooks and the released ones from their sources."""
    from ..authoring.build import build as build_units
    from ..unit.assignment import Course

    course = Course.find()
    if not build_units(course, _units(course.units(), units), check, console.print):
        raise SystemExit(1)


@app.command()
def score(
    file: Annotated[Path, typer.Argument(help="The notebook to grade.")],
    unit: Annotated[str | None, typer.Option(help="Its unit, where the notebook does not say.")] = None,
    solutions: Annotated[
        Path | None, typer.Option(help="The answer key; the course's own by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    seed: Seed = None,
    unsandboxed: Unsandboxed = False,
) -> None:
    """Grade one notebook file; writes nothing."""
    from ..authoring.fingerprints import sentences_of
    from ..lesson.checks import PASSED
    from ..referee.judge import grade
    from ..referee.matching import Memory
    from ..sandbox.walls import Sandbox
    from ..unit.assignment import Course, find_assignment
    from ..unit.ingest import parse, read_bytes, take, unit_of
    from ..unit.settings import configured_sandbox, load_config

    notebook = parse(read_bytes(file), str(file))
    if solutions is None:
        course = Course.find()
        key = course.solutions
        sandbox = configured_sandbox(load_config(course.root), course.root, unsandboxed)
    else:
        if not solutions.is_dir():
            raise UserError(f"There is no folder {solutions} to take the answer key from.")
        key = solutions.resolve()
        config = {"unsandboxed": True} if unsandboxed else {}
        sandbox = Sandbox(hidden_paths=[str(key)], **config)
    unit = unit or unit_of(notebook)
    if not unit:
        raise UserError(f"{file} does not say which unit it is: name it with --unit.")
    assignment = find_assignment(key, unit)
    with progress_bar() as bar:
        task = bar.add_task(unit, total=len(assignment.exercises))

        def step(name: str) -> None:
            bar.update(task, description=name, advance=1)

        memory = Memory(sentences_of(assignment))
        report = grade(
            assignment, take(notebook, assignment), sandbox, seed=seed, progress=step, memory=memory
        )
    if as_json:
        print(json.dumps(report.as_json(), indent=2, ensure_ascii=False))
        return
    for outcome in report.outcomes:
        console.print(
            Text(printable(outcome.text, 5000), style="green" if outcome.status == PASSED else "default"),
            soft_wrap=True,
        )
    for note in report.notes:
        console.print(line(f"note: {note}"), soft_wrap=True)
    result = report.as_json()
    verdict = f"{result['score']} of {result['max_score']} points"
    if not assignment.graded:
        passed = sum(outcome.status == PASSED for outcome in report.outcomes)
        verdict += f": {unit} is for practice, and {passed} of its {len(report.outcomes)} exercises are right"
    console.print(f"{verdict} (seed {report.seed})", style="bold", soft_wrap=True)


@app.command()
def collect(
    source: Annotated[Path, typer.Argument(help="An archive from your learning platform, or a folder.")],
    unit: Annotated[str | None, typer.Option(help="The unit, where the notebooks do not say.")] = None,
) -> None:
    """Put what a learning platform hands out (Canvas, Moodle, plain) into submitted/STUDENT/UNIT/."""
    from ..classroom.classroom import Classroom, known_students
    from ..classroom.platforms.collect import collect as take_in
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    notebooks = {name: classroom.course.assignment(name).name for name in classroom.course.units()}
    if unit is not None and unit not in notebooks:
        raise UserError(f"There is no unit {unit!r}; there is {', '.join(notebooks)}.")
    expected, known = known_students(classroom)

    def target(student: str, its_unit: str) -> Path:
        return classroom.folder("submitted", student, its_unit)

    result = take_in(source, notebooks, target, unit=unit, known=known, expected=expected)
    if not result.students and not result.skipped:
        raise UserError(f"{source} holds nothing to collect: no notebook, and no archive of notebooks.")
    table = Table(box=None, header_style="bold")
    for column in ("student", "unit", "what"):
        table.add_column(column)
    for student, what in result.students.items():
        late = " (late, says the platform)" if student in result.late else ""
        table.add_row(line(student), line(result.units[student]), Text(what + late))
    console.print(table)
    for reason in result.skipped:
        console.print(line(f"skipped  {reason}"), soft_wrap=True)
    if result.missing:
        console.print(line(f"missing  {', '.join(result.missing)}"), soft_wrap=True)
    console.print(
        f"{len(result.students)} collected, {len(result.skipped)} skipped, {len(result.missing)} missing."
    )


@app.command(name="grade")
def grade_command(
    unit: Annotated[str, typer.Argument(help="The unit to grade.")],
    student: Annotated[list[str] | None, typer.Option(help="Only this student; may be repeated.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Grade again what has not changed.")] = False,
    jobs: Jobs = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Grade on the workers of the Dask scheduler at this address.")
    ] = None,
    unsandboxed: Unsandboxed = False,
) -> None:
    """Grade submitted/*/UNIT/ into the gradebook."""
    from ..classroom.grader import Grader
    from ..classroom.workers import ahead, waiting
    from ..referee.bank import load_bank
    from ..unit.assignment import Course
    from ..unit.settings import configured_sandbox, load_config

    course = Course.find()
    assignment = course.assignment(unit)
    if not assignment.graded:
        console.print(f"{unit} is for practice and has no points, so there is nothing to grade.")
        console.print("`autograder score FILE` says which of its exercises are right in one notebook.")
        return
    if assignment.outdated:
        warning = (
            f"{assignment.path.with_suffix('.py').name} was edited after {assignment.path.name} was built from it. "
            f"The built one is what is graded with: `autograder build {unit}` takes the change in."
        )
        errors.print(Text(warning, style="yellow"), soft_wrap=True)
    config = load_config(course.root)
    sandbox = configured_sandbox(config, course.root, unsandboxed)
    expected = 0 if student or scheduler else waiting(config, course.root, unit, force)
    with ahead(lambda: Grader.of(assignment, load_bank(assignment), sandbox), expected, jobs) as workers:
        _grade(course, assignment, sandbox, student, force, jobs, scheduler, workers)


def _grade(
    course: Course,
    assignment: Assignment,
    sandbox: Sandbox,
    student: list[str] | None,
    force: bool,
    jobs: int | None,
    scheduler: str | None,
    workers: Processes | None,
) -> None:
    from ..classroom.classroom import Classroom, grade_class, known_students

    gc.freeze()  # nbgrader and SQLAlchemy stay, and need not be looked through for garbage again and again
    classroom, unit = Classroom(course), assignment.unit
    found = classroom.students(unit)
    if student:
        for name in student:
            if name not in found:
                raise UserError(
                    f"{name} has handed in nothing: there is no {classroom.folder('submitted', name, unit)}."
                )
        found = list(dict.fromkeys(student))
    if not found:
        raise UserError(
            f"Nothing has been handed in: there is no {classroom.folder('submitted', '*', unit)}."
        )
    known, _ = known_students(classroom)
    finished = 0
    try:
        with progress_bar(Rate(), TextColumn("left"), TimeRemainingColumn()) as bar:
            task = bar.add_task(unit, total=len(found))

            def tell(line: str) -> None:
                bar.console.print(Text(printable(line, 500)), soft_wrap=True)

            def done(row: Graded) -> None:
                nonlocal finished
                finished += row.state != "failed"
                bar.update(task, description=line(row.student).plain, advance=1)

            rows = grade_class(
                classroom,
                assignment,
                found,
                sandbox=sandbox,
                force=force,
                jobs=jobs,
                done=done,
                scheduler=scheduler,
                tell=tell,
                crew=workers,
            )
    except KeyboardInterrupt:
        options = "".join(
            [f" --student {shlex.quote(name)}" for name in student or ()] + [" --force"] * force
        )
        if scheduler:
            options += f" --scheduler {scheduler}"
        raise Stopped(
            f"stopped; {finished} of {len(found)} are graded and kept. "
            f"`autograder grade {unit}{options}` " + ("begins again." if force else "goes on with the rest.")
        ) from None
    show_class(rows)
    show_changes(rows)
    show_people(rows, known, whole=not student)
    if any(row.state == "failed" for row in rows):
        raise SystemExit(1)


@app.command()
def report(
    unit: Annotated[str, typer.Argument(help="The unit to report on.")],
    out: Annotated[Path | None, typer.Option(help="The page; report-UNIT.html by default.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table behind the page, too.")] = None,
) -> None:
    """Write one HTML page on a graded class: scores, exercises, mistakes, and who needs a look."""
    from ..classroom.classroom import Classroom
    from ..classroom.records import read_records
    from ..classroom.report import page as reports
    from ..referee import bank
    from ..unit.assignment import Course

    classroom = Classroom(Course.find())
    assignment = classroom.course.assignment(unit)
    students = sorted({*classroom.students(unit), *classroom.students(unit, "autograded")})
    records = read_records(
        assignment,
        [
            (name, classroom.folder("autograded", name, unit) / f"{assignment.name}.ipynb")
            for name in students
        ],
    )
    if not students:
        raise UserError(
            f"Nothing of {unit} has been handed in or graded: `autograder grade {unit}` comes first."
        )
    found = reports.findings(assignment, bank.load_bank(assignment), records)
    out = out or Path(f"report-{unit}.html")
    _write(out, reports.page(found))
    told = f"{len(records.graded)} submissions in {out}"
    if csv is not None:
        _write(csv, reports.table(found))
        told += f", and as a table in {csv}"
    console.print(Text(f"{told}."), soft_wrap=True)
    for names, what in (
        (
            records.old,
            f"graded before these data were kept; grade again with --force: autograder grade {unit} --force",
        ),
        (records.waiting, f"not graded yet: autograder grade {unit}"),
    ):
        if names:
            shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
            console.print(line(f"{len(names)} left out ({shown}), {what}"), soft_wrap=True)


class Format(StrEnum):
    """Whom an export is for."""

    csv = "csv"
    canvas = "canvas"
    moodle = "moodle"


@app.command()
def export(
    to: Annotated[Format, typer.Option(help="A table for a spreadsheet, or what Canvas or Moodle imports.")],
    unit: Annotated[str | None, typer.Option(help="Only this unit; else all in the gradebook.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file; grades.csv or grades-FORMAT.csv by default.")
    ] = None,
) -> None:
    """Write the gradebook's scores, with what was given by hand and late penalties, as a CSV file."""
    from ..classroom.classroom import Classroom
    from ..classroom.platforms.export import export as grades
    from ..unit.assignment import Course

    folders = Classroom(Course.find()).folders
    text = grades(folders.db_url, folders.course_id, to.value, unit)
    out = out or Path("grades.csv" if to is Format.csv else f"grades-{to.value}.csv")
    _write(out, text)
    console.print(Text(f"Grades in {out}."), soft_wrap=True)


def _write(path: Path, text: str) -> None:
    from ..referee.autograded import write_file

    try:
        write_file(path, text)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from None


def show_class(rows: Sequence[Graded], console: Console = console) -> None:
    """The table of a class, and the mistakes that were made most."""
    from ..classroom.classroom import mistakes_table, show_score
    from ..referee.judge import tidy

    table = Table(box=None, header_style="bold")
    table.add_column("student")
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("what went wrong")
    for row in rows:
        kept = Text(" (unchanged)", style="dim") if row.state == "kept" else Text("")
        if row.by_hand is not None:
            kept.append(f" (by hand: {tidy(row.by_hand)})", style="bold")
        style = "green" if row.score == row.max_score else "red" if row.state == "failed" else "default"
        table.add_row(
            line(row.student), Text(show_score(row), style=style, justify="right"), line(row.summary) + kept
        )
    console.print(table)
    made = mistakes_table(rows)
    if made:
        console.print()
        counts = Table(box=None, header_style="bold")
        counts.add_column("mistake")
        counts.add_column("students", justify="right")
        for mistake, count in made[:10]:
            counts.add_row(line(mistake), Text(str(count), justify="right"))
        console.print(counts)


def show_changes(rows: Sequence[Graded], console: Console = console) -> None:
    """Whose score is another than before, and why; or that nothing was there to be done."""
    from ..referee.judge import tidy

    if rows and all(row.state == "kept" for row in rows):
        told = f"Nothing new: {len(rows)} graded before, unchanged since (--force grades them again)."
        console.print(f"\n{told}", soft_wrap=True)
        return
    changed = [row for row in rows if row.before is not None]
    if changed:
        table = Table("student", "before", "now", "which", "why", box=None, header_style="bold")
        for row in changed:
            before, now = str(tidy(row.before or 0)), str(tidy(row.score))
            table.add_row(line(row.student), before, now, Text(", ".join(row.changes)), row.why)
        console.print()
        console.print(table)
    again = sum(bool(row.why) and row.state == "graded" for row in rows)
    if again:
        console.print(f"\n{again} graded again; {len(changed)} of them with another score.")


def show_people(
    rows: Sequence[Graded], known: Sequence[str], whole: bool, console: Console = console
) -> None:
    """Who is late, new to the gradebook, or (when the whole class was graded) missing."""
    there = {row.student for row in rows}
    late = [f"{row.student} ({_duration(row.late)})" for row in rows if row.late > 0]
    new = [row.student for row in rows if known and row.student not in known and row.state == "graded"]
    missing = [name for name in known if name not in there] if whole else []
    for title, names in (("late", late), ("new", new), ("missing", missing)):
        if names:
            console.print(Text(f"{title:<8} {', '.join(names)}"), soft_wrap=True)


def _duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    days, hours = divmod(minutes // 60, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {minutes % 60} min"


@app.command(name="prove")
def prove_command(
    unit: Annotated[str | None, typer.Argument(help="The unit to prove; all when none is named.")] = None,
    seed: Seed = None,
    jobs: Jobs = None,
    unsandboxed: Unsandboxed = False,
) -> None:
    """Show that every wrong answer of the bank earns nothing and every right one everything."""
    from ..authoring.prove import gaps, in_the_notebook, prove, trials
    from ..referee import bank
    from ..unit.assignment import Course
    from ..unit.settings import configured_sandbox, load_config

    course = Course.find()
    sandbox = configured_sandbox(load_config(course.root), course.root, unsandboxed)
    good = True
    for name in _units(course.units(), [unit] if unit else None):
        assignment = course.assignment(name)
        entries = bank.load_bank(assignment)
        with progress_bar() as bar:
            task = bar.add_task(name, total=len(list(trials(assignment, entries))))
            proofs = prove(assignment, sandbox, seed=seed, jobs=jobs, done=partial(_advance, bar, task))
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
        bad = sum(not proof.good for proof in proofs) + len(missing)
        wrong = sum(p.trial.entry is not None and not p.trial.entry.right for p in proofs)
        right = sum(p.trial.entry is not None and p.trial.entry.right for p in proofs)
        verdict = "proved" if not bad else f"NOT proved: {bad} problem{'s' if bad > 1 else ''}"
        console.print(
            f"{name}: {verdict}; {wrong} wrong and {right} right answers, {len(proofs)} runs.", style="bold"
        )
        console.print(in_the_notebook(proofs), soft_wrap=True)
        good = good and not bad
    if not good:
        raise SystemExit(1)


@app.command()
def doctor() -> None:
    """Say what works on this machine, and how to mend what does not."""
    from .doctor import examine

    good = True
    for finding in examine():
        mark = Text("✓ ", style="green") if finding.good else Text("✗ ", style="bold red")
        console.print(mark + Text(f"{finding.what:<12} {finding.told}"), soft_wrap=True)
        good = good and finding.good
    if not good:
        raise SystemExit(1)


def _advance(bar: Progress, task: TaskID, _: object) -> None:
    bar.advance(task)


def _units(known: list[str], wanted: list[str] | None) -> list[str]:
    for unit in wanted or []:
        if unit not in known:
            raise UserError(f"There is no unit {unit!r}; there is {', '.join(known) or 'none yet'}.")
    return wanted or known


def main() -> None:
    """Run the command; a mistake of the user's is one sentence and exit code 2."""
    # jsonschema's format checker imports a grammar that takes a second to build and that no notebook needs.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from ..sandbox.walls import SandboxError

    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        app()
    except (UserError, SandboxError) as error:
        errors.print(Text(f"autograder: {printable(str(error), 5000)}"), soft_wrap=True)
        raise SystemExit(2) from None
    except Stopped as stop:
        errors.print(line(f"autograder: {stop}"), soft_wrap=True)
        raise SystemExit(130) from None
    except SystemExit as end:
        if end.code == 130:  # typer's code for an interrupt from the keyboard
            errors.print("autograder: stopped; what was finished is kept.")
        raise


if __name__ == "__main__":
    main()
