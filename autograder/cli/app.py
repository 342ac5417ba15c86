"""The command line: `autograder --help`."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from typing import Annotated

import typer
from rich.text import Text

from ..errors import Stopped, UserError
from ..lesson.wire import printable
from . import authors, grading, instructors, learners, platforms
from .interrupts import heard
from .options import AUTHORS, INSTRUCTORS, LEARNERS, Commands
from .terminal import errors, line

app = typer.Typer(
    cls=Commands,
    help="Check, grade and build the notebooks of a course on automatic differentiation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for group, whose in (
    (learners, LEARNERS), (instructors, INSTRUCTORS), (grading, INSTRUCTORS), (platforms, INSTRUCTORS),
    (authors, AUTHORS),
):  # fmt: skip
    for info in (*group.commands.registered_commands, *group.commands.registered_groups):
        if not isinstance(info.rich_help_panel, str):
            info.rich_help_panel = whose
    app.registered_commands += group.commands.registered_commands
    app.registered_groups += group.commands.registered_groups


#: What comes with `[grade]` only.
GRADING = {
    "jupytext",
    "latex2mathml",
    "nbclient",
    "nbconvert",
    "nbgrader",
    "psutil",
    "sqlalchemy",
    "jupyter_client",
    "jupyter_core",
}


def _version(wanted: bool) -> None:
    if wanted:
        print(f"autograder {importlib.metadata.version('autograd-course')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take what stands before the command."""


def main() -> None:
    """Run the command; a mistake of the user's is one sentence and exit code 2."""
    try:
        with heard():
            _run()
    except KeyboardInterrupt:  # at a moment when typer does not look for it
        _interrupted()
        raise SystemExit(130) from None
    except SystemExit as end:
        if end.code == 130 and not isinstance(end.__cause__, Stopped):  # typer's code for an interrupt
            _interrupted()
        raise


def _run() -> None:
    # jsonschema's format checker imports a grammar that takes a second to build and that no notebook needs.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from ..sandbox.walls import SandboxError

    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        app()
    except (UserError, SandboxError) as error:
        errors.print(Text(f"autograder: {printable(str(error), 5000)}"), soft_wrap=True)
        raise SystemExit(2) from None
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in GRADING:
            raise
        told = (
            f"This command needs {missing}, which is not installed: `pip install 'autograd-course[grade]'`."
        )
        errors.print(Text(f"autograder: {told}"), soft_wrap=True)
        raise SystemExit(2) from None
    except OSError as error:  # of a file that somebody named, or that cannot be read or written here
        if error.filename is None or not error.strerror:
            raise
        told = f"autograder: {printable(str(error.filename), 500)}: {error.strerror}."
        errors.print(Text(told), soft_wrap=True)
        raise SystemExit(2) from None
    except Stopped as stop:
        errors.print(line(f"autograder: {stop}"), soft_wrap=True)
        raise SystemExit(130) from stop


def _interrupted() -> None:
    errors.print("autograder: stopped; what was finished is kept.")


if __name__ == "__main__":
    main()
