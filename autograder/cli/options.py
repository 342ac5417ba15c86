"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Unsandboxed = Annotated[
    bool,
    typer.Option(
        "--unsandboxed", help="Run student code without a sandbox, behind the process boundary alone."
    ),
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="How many submissions at a time.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Repeat a result: the seed that was reported with it.")]
