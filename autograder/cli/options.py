"""Options that several commands share, and how commands are listed."""

from __future__ import annotations

from typing import Annotated, Any

import typer
import typer.core

Unsandboxed = Annotated[
    bool,
    typer.Option(
        "--unsandboxed",
        help="Run student code without bubblewrap, behind the second wall (Landlock): scores are as safe.",
    ),
]
UnprotectedScores = Annotated[
    bool,
    typer.Option(
        "--unprotected-scores",
        help="Run student code also where there is no wall: it can then read the answer key and change any score.",
    ),
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="How many submissions at a time.")]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Also while results are held back (`autograder hold`).")
]
Seed = Annotated[int | None, typer.Option(min=0, help="Repeat a result: the seed that was reported with it.")]
RightSeeds = Annotated[
    int, typer.Option(min=0, help="At how many more, than those, the right answers are graded.")
]


#: The headings of the list of commands, in their order.
LEARNERS, INSTRUCTORS = "For learners", "For instructors, in a course with its answers"
AUTHORS, EVERYONE = "For authors", "For everyone"


class Commands(typer.core.TyperGroup):
    """Commands under a heading for whom they are; what they do is wrapped, and not cut, in a narrow terminal."""

    def format_commands(self, context: Any, formatter: Any) -> None:
        """Write the list of the commands; without headings where they have none, as in a group of commands."""
        listed = [(name, self.get_command(context, name)) for name in self.list_commands(context)]
        headings: dict[str, list[tuple[str, str]]] = {
            LEARNERS: [],
            INSTRUCTORS: [],
            AUTHORS: [],
            EVERYONE: [],
        }
        for name, command in listed:
            if command:
                heading = getattr(command, "rich_help_panel", None)
                rows = headings.setdefault(heading if isinstance(heading, str) else "Commands", [])
                rows.append((name, command.get_short_help_str(1000)))
        wide = max((len(name) for name, _ in listed), default=0)
        for heading, rows in headings.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl([(name.ljust(wide), told) for name, told in rows])
