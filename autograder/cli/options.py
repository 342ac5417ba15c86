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


class Commands(typer.core.TyperGroup):
    """Commands whose descriptions are wrapped, and not cut, where the terminal is narrow."""

    def format_commands(self, context: Any, formatter: Any) -> None:
        """Write the list of the commands."""
        listed = [(name, self.get_command(context, name)) for name in self.list_commands(context)]
        rows = [(name, command.get_short_help_str(1000)) for name, command in listed if command]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
