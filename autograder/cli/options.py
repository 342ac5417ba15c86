"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

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
Seed = Annotated[int | None, typer.Option(min=0, help="Repeat a result: the seed that was reported with it.")]
