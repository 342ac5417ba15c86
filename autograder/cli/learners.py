"""The commands of learners."""

from __future__ import annotations

import importlib.util
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer
from rich.text import Text

from ..errors import UserError
from ..lesson.wire import printable
from . import completion
from .options import Seed
from .tables import show_report
from .terminal import console

commands = typer.Typer()


@commands.command(context_settings={"ignore_unknown_options": True})
def lab(
    options: Annotated[
        list[str] | None,
        typer.Argument(help="JupyterLab's own options, such as -- --no-browser --port 8889."),
    ] = None,
) -> None:
    """Open JupyterLab on the notebook to go on with."""
    from ..learner.progress import units_folder

    _open(units_folder(), list(options or []))


@commands.command()
def start(
    folder: Annotated[
        Path, typer.Argument(help="Your folder for the course; a new one, or yours from before.")
    ],
    no_lab: Annotated[bool, typer.Option("--no-lab", help="Do not open JupyterLab.")] = False,
) -> None:
    """Put the course's units into a folder of yours, or a newer version of them, and open JupyterLab there."""
    from ..learner.released import packaged, place

    folder_there = Path(os.path.realpath(folder))  # `resolve` has no sentence on a link to itself
    placed = place(folder_there)
    units = {name.split("/")[0] for name in placed.new if "/" in name}
    if units:
        console.print(f"{len(units)} unit{'s' * (len(units) > 1)} put into {folder}.", soft_wrap=True)
    for name in placed.renewed:
        if name.endswith(".ipynb"):
            console.print(
                Text(f"{name} is the new version; you had not changed the old one."), soft_wrap=True
            )
    for name, beside in placed.left.items():
        if beside:
            told = f"{name} is yours and stays as it is; the new version is beside it: {beside}."
            console.print(Text(told), soft_wrap=True)
        else:
            told = f"{name} is yours and stays as it is; the course's own is {packaged() / name}."
            console.print(Text(told), soft_wrap=True)
    mine = sum(name.endswith(".ipynb") for name in placed.kept)
    notebooks = f"{mine} notebook{'s' * (mine > 1)} that you have changed"
    if not (placed.new or placed.left or any(name.endswith(".ipynb") for name in placed.renewed)):
        rest = f"; your work is as it was, in {notebooks}" if mine else ""
        console.print(f"{folder} is up to date{rest}.", soft_wrap=True)
    elif mine:
        console.print(f"Your work is as it was, in {notebooks}.", soft_wrap=True)
    if no_lab:
        return
    if not _has_jupyterlab():
        console.print("JupyterLab is not installed: open the notebooks with what you have, or install it.")
        return
    _open(folder_there, [])


def _has_jupyterlab() -> bool:
    try:
        return importlib.util.find_spec("jupyterlab") is not None
    except ModuleNotFoundError:
        return False


def _open(folder: Path, options: list[str]) -> None:
    """JupyterLab in a folder of units. Raises UserError when it is not installed."""
    from ..learner import arrival

    if not _has_jupyterlab():
        raise UserError("JupyterLab is not installed: `pip install 'autograd-course[lab]'`.")

    if (
        hasattr(os, "geteuid")
        and os.geteuid() == 0
        and not any("allow" in o and "root" in o for o in options)
    ):
        console.print("You are root, as in a container: JupyterLab is started with --allow-root.")
        options.append("--allow-root")
    raise SystemExit(arrival.start(folder, options))


@commands.command()
def progress(
    unit: Annotated[
        str | None,
        typer.Argument(
            help="The unit to show, by name or number; else the one you are in.",
            autocompletion=completion.units,
        ),
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


@commands.command()
def fresh(
    unit: Annotated[
        str, typer.Argument(help="The unit, by name or number.", autocompletion=completion.units)
    ],
) -> None:
    """Start a unit again from an empty notebook; your own is kept beside it under a new name."""
    from ..learner.fresh import start_afresh
    from ..learner.progress import units_folder

    done = start_afresh(units_folder(), unit)
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
    if done.forgotten:
        were = "exercises that were right count" if done.forgotten > 1 else "exercise that was right counts"
        where = f"; your old answers are in {folder.name}/{done.kept.name}" if done.kept else ""
        until = "in your progress and on your certificate, until a check passes again"
        console.print(Text(f"{done.forgotten} {were} as open now, {until}{where}."), soft_wrap=True)


@commands.command()
def receipt(
    file: Annotated[Path, typer.Argument(help="The notebook that you hand in, as it is saved.")],
) -> None:
    """Print the receipt of a notebook: a digest of what is written in it, which your instructor can look up."""
    from ..unit.raw import parse, read_bytes
    from ..unit.receipt import receipt_of

    console.print(receipt_of(parse(read_bytes(file), str(file))), soft_wrap=True)
    told = "Hand in this file, and keep that line: it says what was written in it, not when, nor by whom."
    console.print(told, soft_wrap=True)


@commands.command()
def mine(
    file: Annotated[Path, typer.Argument(help="Your engine of unit 17, such as engine.py.")],
    put: Annotated[bool, typer.Option("--put", help="Copy it into the notebook's answer cell.")] = False,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Run the hidden tests, too; it takes the answer key.")
    ] = False,
    solutions: Annotated[
        Path | None, typer.Option(help="The answer key; the course's own by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    seed: Seed = None,
) -> None:
    """Check an engine that you wrote as a file, as unit 17 does, or put it into that unit's notebook."""
    from ..learner import engine_file
    from ..learner.engine_record import note_check
    from ..learner.progress import units_folder

    if put and (hidden or as_json or solutions is not None or seed is not None):
        raise UserError("--put copies the file and checks nothing: leave out the other options.")
    if put:
        notebook, kept = engine_file.put(file, units_folder())
        where = f"{notebook.parent.name}/{notebook.name}"
        if kept:
            console.print(Text(f"What stood in its answer cell is kept as {kept.name}."), soft_wrap=True)
        console.print(
            Text(
                f"{file.name} is in the answer cell of {where}. If that is open in JupyterLab, reload it "
                "(menu File, Reload Notebook from Disk). Then run the cell and its check: that is what counts, and "
                "what your progress knows."
            ),
            soft_wrap=True,
        )
        return
    assignment, report = engine_file.check(file, hidden=hidden, solutions=solutions, seed=seed)
    # The record is of the checks that a learner sees: with the answer key this was another one.
    noted = None if hidden or solutions is not None else note_check(file, report)
    if as_json:
        print(json.dumps(report.as_json(), indent=2, ensure_ascii=False))
    else:
        show_report(assignment, report)
        if report.score == report.max_score:
            named = f"Your certificate of {noted.name}/ names it from now on. " if noted else ""
            hand_in = f"`autograder mine {file} --put` copies it into the notebook: only that is handed in, and counts "
            console.print(Text(f"{named}{hand_in}in your progress."), soft_wrap=True)


@commands.command()
def certificate(
    name: Annotated[str, typer.Option(help="Whose it is, as it shall stand there.")] = "",
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("certificate.html"),
) -> None:
    """Write a page of what you have built, from the record that your notebooks kept."""
    from ..learner import certificate as pages
    from ..learner.progress import units_folder

    name = printable(name, 200)
    page = pages.of_folder(units_folder())
    pages.write(page, name, out)
    for line in pages.lines(page, name):
        console.print(Text(line), soft_wrap=True)
    console.print(Text(f"\n{out} shows it in a browser."), soft_wrap=True)


@commands.command()
def review(
    count: Annotated[int, typer.Option(min=1, help="At most so many exercises.")] = 3,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Those that are due next, too, where fewer are due today.")
    ] = False,
    no_lab: Annotated[bool, typer.Option("--no-lab", help="Do not open JupyterLab.")] = False,
) -> None:
    """Draw exercises that you solved some time ago, to be solved again: the oldest and the hardest first."""
    from ..learner import progress as learner
    from ..learner import review as reviews

    folder = learner.units_folder()
    units = learner.units(folder)
    today = datetime.now().astimezone().date()
    drawn = reviews.draw(folder, units, count, today, anyway)
    for one in drawn:
        said = f"{one.notebook.relative_to(folder)}: {one.card.said(today)}"
        console.print(Text(said), soft_wrap=True)
    if not drawn:
        soonest = min(reviews.cards(units, folder, today), key=lambda card: card.due)
        days = max(1, (soonest.due - today).days)
        when = f"in {days} days" if days > 1 else "tomorrow"
        rested = "" if anyway else "; `autograder review --anyway` draws what has rested a night"
        console.print(
            f"Nothing is due today. The next is {soonest.exercise}, {when}{rested}.", soft_wrap=True
        )
        return
    if no_lab or not _has_jupyterlab():
        return
    place = quote(drawn[0].notebook.relative_to(folder).as_posix())
    _open(folder, [f"--LabApp.default_url=/lab/tree/{place}"])
