"""The tables and sentences that commands print."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..lesson.wire import printable
from ..unit.receipt import short
from .terminal import console, line
from .terminal import names as listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..authoring.mutation import Result
    from ..classroom.grader import Graded
    from ..classroom.hand_ins import HandIn
    from ..classroom.platforms.collect import Collected
    from ..classroom.platforms.students import Import
    from ..classroom.records import Records
    from ..referee.report import Report
    from ..unit.assignment import Assignment


def show_class(rows: Sequence[Graded], console: Console = console) -> None:
    """The table of a class, and the mistakes that were made most."""
    from ..classroom.run import mistakes_table, show_score
    from ..referee.report import tidy
    from ..sandbox.walls import UNPROTECTED

    table = Table(box=None, header_style="bold")
    table.add_column("student")
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("receipt", no_wrap=True)
    table.add_column("what went wrong")
    for row in rows:
        kept = Text(" (unchanged)", style="dim") if row.state == "kept" else Text("")
        if row.hand_in:
            kept.append(f" ({row.hand_in})", style="default")
        if not row.protected:
            kept.append(" (not protected)", style="bold red")
        if row.by_hand is not None:
            kept.append(f" (by hand: {tidy(row.by_hand)})", style="bold")
        style = "green" if row.score == row.max_score else "red" if row.state == "failed" else "default"
        table.add_row(
            line(row.student),
            Text(show_score(row), style=style, justify="right"),
            short(row.receipt),
            line(row.summary) + kept,
        )
    console.print(table)
    if not all(row.protected for row in rows):
        console.print()
        console.print(Text(UNPROTECTED, style="bold red"), soft_wrap=True)
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
    from ..referee.report import tidy

    if rows and all(row.state == "kept" for row in rows):
        if any(row.penalty_before is not None for row in rows):
            show_penalties(rows, console)
            return
        told = f"Nothing new: {len(rows)} graded before, unchanged since (--force grades them again)."
        console.print(f"\n{told}", soft_wrap=True)
        return
    changed = [row for row in rows if row.before is not None]
    if changed:
        table = Table("student", "before", "now", "which", "why", box=None, header_style="bold")
        for row in changed:
            before, now = str(tidy(row.before or 0)), str(tidy(row.score))
            table.add_row(line(row.student), before, now, line(", ".join(row.changes)), line(row.why))
        console.print()
        console.print(table)
    show_penalties(rows, console)
    again = sum(bool(row.why) and row.state == "graded" for row in rows)
    if again:
        console.print(f"\n{again} graded again; {len(changed)} of them with another score.")


def show_penalties(rows: Sequence[Graded], console: Console = console) -> None:
    """Whose late penalty is another one than when they were graded."""
    changed = [row for row in rows if row.penalty_before is not None]
    if changed:
        table = Table("student", "late penalty before", "now", box=None, header_style="bold")
        for row in sorted(changed, key=lambda row: row.student):
            table.add_row(line(row.student), _points(row.penalty_before or 0), _points(row.penalty))
        console.print()
        console.print(table)


def _points(number: float) -> str:
    return f"{number:.4g}"


def show_people(
    rows: Sequence[Graded],
    known: Sequence[str],
    whole: bool,
    console: Console = console,
    everybody: bool = True,
) -> None:
    """Who is late, new to the gradebook, or (when the whole class was graded) missing.

    `everybody` whether it is known who has to hand in.
    """
    there = {row.student for row in rows}
    late = [
        f"{row.student} ({_duration(row.late)}{f', −{_points(row.penalty)}' if row.penalty else ''})"
        for row in rows
        if row.late > 0
    ]
    new = [row.student for row in rows if known and row.student not in known and row.state == "graded"]
    missing = [name for name in known if name not in there] if whole else []
    for title, names in (("late", sorted(late)), ("new", sorted(new)), ("missing", sorted(missing))):
        if names:
            console.print(Text(f"{title:<8} {listed(names)}"), soft_wrap=True)
    if whole and known and everybody and not missing:
        console.print("Everybody has handed in.")


def _duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    days, hours = divmod(minutes // 60, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {minutes % 60} min"


def show_mutants(result: Result, console: Console = console) -> None:
    """The mutants of a unit that passed and are not listed, each with its difference; and how many were made."""
    for verdict in result.survivors:
        console.print(Text(f"✗ {verdict.told}", style="red"))
        for name in verdict.subject.names:
            console.print(Text(f"  {name}"), soft_wrap=True)
        console.print(Text(verdict.subject.difference, style="dim"), soft_wrap=True)
    for fault in result.faults:
        console.print(Text(f"✗ {fault}", style="red"), soft_wrap=True)
    listed = sum(bool(verdict.reason) for verdict in result.verdicts)
    dead = sum(not verdict.passed for verdict in result.verdicts)
    sampled = f"; of {len(result.sampled)} unchanged exercises a tenth" if result.sampled else ""
    console.print(
        f"{result.unit}: {len(result.verdicts)} mutants{sampled}, {dead} dead, {listed} listed as no fault, "
        f"{len(result.survivors)} alive.",
        style="bold",
        soft_wrap=True,
    )


def show_report(assignment: Assignment, report: Report) -> None:
    """What one submission earned, exercise by exercise."""
    from ..lesson.failures import PASSED

    for outcome in report.outcomes:
        console.print(
            Text(printable(outcome.text, 5000), style="green" if outcome.status == PASSED else "default"),
            soft_wrap=True,
        )
    for note in [*report.notes, *report.looks]:
        console.print(line(f"note: {note}"), soft_wrap=True)
    result = report.as_json()
    verdict = f"{result['score']} of {result['max_score']} points"
    if not assignment.graded:
        passed = sum(outcome.status == PASSED for outcome in report.outcomes)
        right = f"{passed} of its {len(report.outcomes)} exercises are right"
        verdict += f": {assignment.unit} is for practice, and {right}"
    protected = "" if report.protected else ", NOT PROTECTED"
    console.print(f"{verdict}{protected} (seed {report.seed})", style="bold", soft_wrap=True)
    if report.receipt:
        console.print(f"Receipt: {report.receipt}", soft_wrap=True)


def show_collected(result: Collected, receipts: Mapping[tuple[str, str], str], everybody: bool) -> None:
    """What became of an archive; `everybody` whether it is known who has to hand in."""
    table = Table("student", "unit", "receipt", "what", box=None, header_style="bold")
    for (student, its_unit), what in sorted(result.placed.items()):
        late = result.late.get((student, its_unit), "")
        receipt = short(receipts[student, its_unit])
        kept = result.kept.get((student, its_unit), "")
        what += f"; the one before is kept as {kept}" if kept else ""
        table.add_row(line(student), line(its_unit), receipt, line(f"{what} ({late})" if late else what))
    console.print(table)
    for note in result.notes:
        console.print(line(f"note     {note}"), soft_wrap=True)
    for (student, its_unit), why in sorted(result.broken.items()):
        told = f'{its_unit}: {why} Ask {student} for it again; as it is, it is graded as "needs a look", with 0 points.'
        console.print(line(f"broken   {told}"), soft_wrap=True)
    for reason in sorted(result.skipped):
        console.print(line(f"skipped  {reason}"), soft_wrap=True)
    if result.missing:
        console.print(line(f"missing  {', '.join(result.missing)}"), soft_wrap=True)
    elif everybody:
        console.print("Everybody has handed in.")
    console.print(
        f"{len(result.placed)} collected, {len(result.skipped)} skipped, {len(result.missing)} missing."
    )


def show_strangers(students: Sequence[str]) -> None:
    """Whose work was collected, and who is not on the class's list."""
    if students:
        told = "not in the roster, and collected all the same (`autograder students import ROSTER.csv` adds students)"
        console.print(line(f"{told}: {', '.join(students)}"), soft_wrap=True)


def show_hand_ins(found: Sequence[HandIn]) -> None:
    """Whose hand-ins these are, a line each: a table would cut receipts where the terminal is narrow."""
    for one in found:
        graded = "graded    " if one.graded else "not graded"
        told = f"{one.receipt}  {graded}  {one.unit}  {one.student}  {one.file or '(not there any more)'}"
        console.print(line(told), soft_wrap=True)


def show_roster(result: Import) -> None:
    """What a roster changes."""
    changed = [change for change in result.changes if change.what != "unchanged"]
    if changed:
        table = Table("student", "what", "", box=None, header_style="bold")
        for change in sorted(changed, key=lambda change: (change.what, change.student, change.line)):
            told = f"line {change.line}: {change.told}" if change.what == "refused" else change.told
            table.add_row(line(change.student), change.what, line(told))
        console.print(table)
    if result.absent:
        console.print(line(f"not in the roster, and kept: {', '.join(result.absent)}"), soft_wrap=True)


def show_left_out(records: Records, unit: str) -> None:
    """Who is not in a report, and why."""
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


def how_to_go_on(
    unit: str, finished: int, total: int, students: Sequence[str], force: bool, scheduler: str | None
) -> str:
    """What is kept of a grading that was stopped, and the command that does the rest."""
    options = "".join([f" --student {shlex.quote(name)}" for name in students] + [" --force"] * force)
    if scheduler:
        options += f" --scheduler {scheduler}"
    return f"stopped; {finished} of {total} are graded and kept. `autograder grade {unit}{options}` " + (
        "begins again." if force else "goes on with the rest."
    )
