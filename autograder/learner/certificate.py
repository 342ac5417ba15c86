"""A page of what a learner has built, drawn from their own record, to keep.

    from autograder import certificate
    certificate()                                      in a notebook
    autograder certificate --name "Ada"                as a file

It says what the record says: which visible checks passed, in these notebooks, on the learner's own machine. Nobody has
graded it, and anybody can write a record; so the page says that, too.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..lesson import logbook
from ..lesson.colours import GREEN, css
from ..lesson.logbook import Record
from ..lesson.own_line import LONGEST
from ..lesson.progress import bar
from ..lesson.wire import printable
from ..unit.cell import ANSWER, grade_id, kind
from ..unit.notebook import read_notebook
from . import progress as learner

#: The exercises of unit 17.
ENGINE, PROJECT = "Tensor", "project"
TITLE = "What I have built"
#: By this a file is known as one that may be written again.
MARK = "<!-- a page of autograder certificate -->"
CLAIM = (
    "From the record that the notebooks kept. It says that the checks which a learner sees passed in these notebooks, "
    "or on a file that is named, on the learner's own machine. Nobody has graded it, and nobody has verified it."
)
#: Said once the engine of unit 17 is right.
BUILT = (
    "An engine for automatic differentiation, rebuilt piece by piece, and then written from an empty page."
)
NOTHING = "The record is empty so far: no check has passed in these notebooks"


@dataclass(frozen=True)
class Page:
    """What there is to say: the units, and what the record tells beyond them."""

    units: Sequence[learner.Unit]
    #: exercises that failed at least once and are right now
    mended: int
    predictions: int
    #: on how many days something was tried, and the first and the last of them; empty without a date
    days: int
    first: str
    last: str
    #: a line that the learner's own network wrote, chosen by the learner; empty where none was
    line: str = ""
    #: the file in which the engine of unit 17 was right when it was last checked; empty where it was the notebook
    file: str = ""
    #: how many lines of code the engine of unit 17 has in the saved notebook, and which project is chosen there; 0 and
    #: empty where these are not right
    lines: int = 0
    project: str = ""

    @property
    def built(self) -> bool:
        """Whether an engine from an empty page is right, which is what the course is about."""
        return bool(self.file) or any(ENGINE in unit.done for unit in self.units)

    @property
    def done(self) -> int:
        return sum(len(unit.done) for unit in self.units)

    @property
    def exercises(self) -> int:
        return sum(len(unit.points) for unit in self.units)

    @property
    def facts(self) -> list[str]:
        """The record in sentences; none where nothing is right."""
        if not self.done and not self.file:
            return []
        whole = [unit for unit in self.units if unit.points and not unit.left]
        points = sum(unit.earned for unit in self.units)
        right = f"{self.done} of {self.exercises} exercises are right"
        found = [f"{right}: {points:g} points in the learner's notebooks"]
        if whole:
            found.append(
                f"{len(whole)} of {sum(bool(unit.points) for unit in self.units)} units are complete"
            )
        if self.mended:
            were = "was" if self.mended == 1 else "were"
            found.append(f"{_count(self.mended, 'exercise')} failed first, and {were} mended")
        if self.predictions:
            found.append(f"{_count(self.predictions, 'prediction')} made before the answer was shown")
        if self.days:
            between = f", from {self.first} to {self.last}" if self.days > 1 else f", {self.first}"
            found.append(f"{_count(self.days, 'day')} of work{between}")
        saved = [f"an engine of {_count(self.lines, 'line')}"] if self.lines else []
        saved += [f"the project “{printable(self.project, LONGEST)}”"] if self.project else []
        if saved:
            found.append(f"In the last notebook, as it is saved: {' and '.join(saved)}")
        if self.file:
            found.append(f"Their own engine was checked as a file: {printable(self.file, LONGEST)}")
        if self.line:
            found.append(f"Their own network wrote: “{printable(self.line, LONGEST)}”")
        return found


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def page_of(units: Iterable[learner.Unit], records: Sequence[Record]) -> Page:
    """What a record says of these units."""
    shown = [unit for unit in units if unit.points]
    right = {name for unit in shown for name in unit.done}
    failed = {r.get("exercise") for r in records if r.get("passed") is False and "file" not in r}
    days = sorted({day for record in records if (day := _day(record))})
    first, last = (days[0], days[-1]) if days else ("", "")
    return Page(
        shown,
        len(right & failed),
        len(logbook.predictions(records)),
        len(days),
        first,
        last,
        logbook.line_of(records),
        _file_of(records),
        *_saved(shown),
    )


def _saved(units: Iterable[learner.Unit]) -> tuple[int, str]:
    """The lines of the engine and the name of the project in the notebook that has them, each where it is right."""
    for unit in units:
        if ENGINE in unit.done or PROJECT in unit.done:
            with contextlib.suppress(OSError, ValueError, UserError):
                answers = {
                    grade_id(c): c.source for c in read_notebook(unit.notebook).cells if kind(c) == ANSWER
                }
                chosen = re.search(r"""^project = ["'](\w+)["']""", answers.get(PROJECT, ""), re.MULTILINE)
                # What was right as a file, or was never saved, has not been written there.
                written = (
                    re.search(r"^ *def ", answers.get(PROJECT, ""), re.MULTILINE) and PROJECT in unit.done
                )
                engine = (
                    re.search(r"^class Tensor\b", answers.get(ENGINE, ""), re.MULTILINE)
                    and ENGINE in unit.done
                )
                return code_lines(answers[ENGINE]) if engine else 0, chosen[1] if chosen and written else ""
    return 0, ""


def code_lines(source: str) -> int:
    """How many lines of a source are neither empty nor a comment.

    >>> code_lines("# Your engine\\n\\nclass Tensor:  # of floats\\n    pass\\n")
    2
    """
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in source.splitlines())


def _file_of(records: Sequence[Record]) -> str:
    """The file of the last check of one, if it was right; empty where the notebook's own check was right after it."""
    found = ""
    for record in records:
        passed, file = record.get("passed"), record.get("file")
        if isinstance(file, str):
            found = file if passed is True else ""
        elif passed is True and record.get("exercise") == ENGINE:
            found = ""
    return found


def _day(record: Record) -> str:
    date: Any = record.get("date")
    return date[:10] if isinstance(date, str) and len(date) >= 10 else ""


def lines(page: Page, name: str = "") -> Iterator[str]:
    """The page as text."""
    yield TITLE + (f": {name}" if name else "")
    yield from ("", BUILT, "") if page.built else ("",)
    width = max((len(_title(unit)) for unit in page.units), default=0)
    for unit in page.units:
        done, most = len(unit.done), len(unit.points)
        yield f"  {_title(unit):<{width}}  {bar(done, most, 12)}  {done} of {most}"
    yield from ("", *(f"{fact}." for fact in page.facts or [NOTHING]), "", CLAIM)


def _title(unit: learner.Unit) -> str:
    return f"{unit.name[:2]}  {unit.title or unit.name}"


def drawn(page: Page, name: str = "") -> str:
    """The page as HTML, with all its looks in the elements themselves: an untrusted notebook keeps nothing else."""
    rows = "".join(_row(unit) for unit in page.units)
    facts = "".join(f'<div style="margin: 2px 0">{escape(fact)}.</div>' for fact in page.facts or [NOTHING])
    built = f'<div style="margin: 6px 0 0 0">{escape(BUILT)}</div>' if page.built else ""
    of = f'<div style="font-size: 20px; margin: 2px 0 10px 0">{escape(name)}</div>' if name else ""
    return (
        '<div style="max-width: 800px; padding: 24px 32px; background: #ffffff; color: #1a1a1a; '
        f'border: 3px double {css(GREEN)}; font-family: sans-serif">'
        f'<div style="font-size: 26px; font-weight: bold">{TITLE}</div>{of}'
        f'{built}<div style="margin: 14px 0 0 0">{rows}</div>'
        f'<div style="margin: 16px 0 0 0">{facts}</div>'
        f'<div style="margin: 14px 0 0 0; color: #595959; font-size: 12px">{escape(CLAIM)}</div></div>'
    )


def _row(unit: learner.Unit) -> str:
    done, most = len(unit.done), len(unit.points)
    return (
        '<div style="margin: 3px 0">'
        f'<span style="display: inline-block; width: 470px; vertical-align: middle">{escape(_title(unit))}</span>'
        '<span style="display: inline-block; width: 180px; height: 12px; border: 1px solid #808080; '
        'vertical-align: middle; margin: 0 10px 0 0">'
        f'<span style="display: inline-block; width: {round(180 * done / most)}px; height: 12px; '
        f'background: {css(GREEN)}; vertical-align: top"></span></span>'
        f'<span style="vertical-align: middle">{done} of {most}</span></div>'
    )


def of_folder(folder: Path) -> Page:
    """The page of a learner's folder of units. Raises UserError when no unit is there."""
    units = learner.units(folder)
    if not units:
        raise UserError(f"There is no unit in {folder} yet.")
    return page_of(units, logbook.read(folder))


def write(page: Page, name: str, path: Path) -> None:
    """Write the page as a file that any browser shows. Raises UserError when another file has that name."""
    try:
        if path.exists() and MARK not in path.read_text(encoding="utf-8", errors="replace"):
            raise UserError(f"{path} is there, and it is no such page: name another file with --out.")
        head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title></head>'
        path.write_text(f"{head}\n<body>{MARK}\n{drawn(page, name)}\n</body></html>\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from None


def certificate(name: str = "") -> None:
    """Show the page in a notebook, with what this kernel has seen and could not write."""
    here = logbook.started_in()
    folder = logbook.units_folder(here) if here is not None else None
    records = logbook.known(folder)
    page = page_of(learner.units(folder) if folder is not None else [], records)
    text = "\n".join(lines(page, name))
    shell = logbook.shell()
    if shell is None:
        print(text)
    else:
        shell.display_pub.publish({"text/html": drawn(page, name), "text/plain": text}, {})
