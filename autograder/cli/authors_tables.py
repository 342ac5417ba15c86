"""What `autograder prove` shows in place of the proof where an author asks for it: the matrix, and what is alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment
from .terminal import console, progress_bar, told_to, write


def show_matrix(
    assignments: Sequence[Assignment], sandbox: Sandbox, path: Path, seed: int, jobs: int | None
) -> None:
    """Show which checks end what, and write the whole matrix."""
    from ..authoring.matrix import matrix, table_of

    texts: list[str] = []
    faults = 0
    for assignment in assignments:
        with progress_bar() as bar:
            found = matrix(assignment, sandbox, seed=seed, jobs=jobs, **told_to(bar, assignment.unit))
        table = Table("exercise", "line", "part", "ends", "alone", "check", box=None, header_style="bold")
        for row in table_of(found.checks, found):
            table.add_row(*map(Text, row))
        console.print(table)
        for check in found.idle:
            told = f"{check.exercise}, line {check.line}, ends nothing: {check.text}"
            console.print(Text(told, style="yellow"), soft_wrap=True)
        for fault in found.faults:
            console.print(Text(f"✗ {fault}", style="red"), soft_wrap=True)
        console.print(
            f"{assignment.unit}: {len(found.checks)} checks, {len(found.rows)} wrong answers and mutants; "
            f"{len(found.idle)} checks end nothing, {len(found.never_alone)} nothing that no other ends.",
            style="bold",
            soft_wrap=True,
        )
        head, _, rest = found.csv().partition("\n")
        texts += [f"unit,{head}\n"] * (not texts) + [
            f"{assignment.unit},{row}\n" for row in rest.splitlines()
        ]
        faults += len(found.faults)
    write(path, "".join(texts), (texts or [""])[0])
    console.print(Text(f"{path} holds all of it."), soft_wrap=True)
    if faults:
        raise SystemExit(1)


def show_alike(assignments: Sequence[Assignment], sandbox: Sandbox, jobs: int | None) -> None:
    """Show the sentences of the bank that are also heard by who made another mistake."""
    from ..authoring.alike import alike

    for assignment in assignments:
        with progress_bar() as bar:
            found = alike(assignment, sandbox, jobs=jobs, **told_to(bar, assignment.unit))
        for one in found:
            console.print(
                Text(f"{one.entry.exercise}, {one.entry.name}: {one.entry.sentence}"), soft_wrap=True
            )
            for other in one.others:
                console.print(
                    Text(f"    also {other.told} (another result in {other.differs} of {other.calls} calls)"),
                    soft_wrap=True,
                )
        count = sum(len(one.others) for one in found)
        console.print(
            f"{assignment.unit}: {count} mutants hear a sentence of the bank and do something else elsewhere, "
            f"{len(found)} sentences.",
            style="bold",
            soft_wrap=True,
        )
