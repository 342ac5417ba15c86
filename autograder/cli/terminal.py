"""What every command prints with: the two consoles, a progress bar, one line of somebody else's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

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
)
from rich.text import Text

from ..errors import UserError
from ..lesson.wire import printable
from ..unit.assignment import unit_named

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


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


def names(others: Iterable[str]) -> str:
    """Names that others chose, one after the other, all of them."""
    return ", ".join(line(name).plain for name in others)


def warn(told: str) -> None:
    """Something that nobody should overlook."""
    console.print(line(told), style="bold red", soft_wrap=True)


def advance(bar: Progress, task: TaskID, _: object) -> None:
    bar.advance(task)


def told_to(bar: Progress, name: str) -> dict[str, Any]:
    """What a long run is given, to tell a progress bar how many steps there are, and that one is done."""
    task = bar.add_task(name, total=None)
    return {"plan": lambda count: bar.update(task, total=count), "done": partial(advance, bar, task)}


def write(path: Path, text: str, head: str) -> None:
    """Write a text over an earlier one that begins with the same head; what begins otherwise is kept beside it."""
    with _writing(path):
        if path.is_file() and not path.read_bytes().startswith(head.encode("utf-8")):
            _keep(path)
        _write_bytes(path, text.encode("utf-8"))


def write_keeping(path: Path, data: bytes) -> None:
    """Write a file; one of other content that is there is kept beside it, under a name that is told."""
    with _writing(path):
        if path.is_file():
            if path.read_bytes() == data:
                return
            _keep(path)
        _write_bytes(path, data)


def _write_bytes(path: Path, data: bytes) -> None:
    from ..referee.autograded import write_bytes

    write_bytes(path, data)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Raises UserError where this cannot become a file: a folder, for example, or a device, which would be replaced."""
    try:
        if not path.name or (path.exists() and not path.is_file()):
            raise UserError(f"{path} is there, and it is no file: name another one.")
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from None


def _keep(path: Path) -> None:
    number = 1
    while (kept := path.with_name(f"{path.stem}.earlier-{number}{path.suffix}")).exists():
        number += 1
    path.rename(kept)
    told = f"{path} was there already, with other content: that is kept as {kept}."
    console.print(line(told), soft_wrap=True)


def write_new(out: Path, force: bool, data: Callable[[], bytes]) -> None:
    """Write a file that is not there yet, unless it may be replaced. Raises UserError."""
    with _writing(out):
        if out.exists() and not force:
            raise UserError(
                f"{out} is there already: name another file with --out, or replace it with --force."
            )
        found = data()
        out.write_bytes(found)


def units_named(known: list[str], wanted: list[str] | None) -> list[str]:
    return [unit_named(known, unit) for unit in wanted or []] or known
