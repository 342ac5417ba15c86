"""A unit as the referee knows it: its cells, its exercises, its answer key, and what is released of it."""

from __future__ import annotations

import contextlib
import copy
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..errors import UserError
from .cell import ANSWER, CHECK, GIVEN, SETUP, Cell, read_cells
from .notebook import Node, read_notebook, release
from .parts import PartOf, parts_of


@dataclass(frozen=True)
class Exercise:
    """One graded exercise: an answer cell and its check cell."""

    name: str
    points: float
    check_id: str
    #: the model answer's cell, and what the released notebook has in its place
    solution: str
    stub: str
    #: the check with its hidden tests
    check: str
    #: the parts that earn points by themselves; none where it is all or nothing
    parts: tuple[PartOf, ...] = ()


@dataclass
class Assignment:
    """A unit, read from its executed solution notebook."""

    unit: str
    path: Path
    notebook: Node
    allowed: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    #: False for a unit of practice, whose exercises have no points
    graded: bool = True

    @classmethod
    def load(cls, path: Path) -> Assignment:
        """Read `solutions/UNIT/NAME.ipynb`. Raises UserError when it is not such a notebook."""
        try:
            notebook = read_notebook(path)
        except Exception as error:
            raise UserError(
                f"{path} cannot be read as a notebook ({error}); run `autograder build`."
            ) from None
        about = notebook.metadata.get("autograder", {})
        if "unit" not in about:
            raise UserError(f"{path} names no unit in its metadata; rebuild it with `autograder build`.")
        assignment = cls(
            str(about["unit"]),
            path,
            notebook,
            tuple(about.get("allow", ())),
            graded=about.get("graded", True),
        )
        if not assignment.exercises:
            raise UserError(f"{path} has no exercises.")
        return assignment

    @property
    def name(self) -> str:
        """The notebook's name without its ending, nbgrader's notebook id."""
        return self.path.stem

    @property
    def max_score(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def exam(self) -> bool:
        """Whether the unit is an exam: no hints, no sentences on mistakes, checks that say right or not yet."""
        return self.notebook.metadata["autograder"].get("exam") is True

    @property
    def is_release(self) -> bool:
        """Whether this is a unit as students have it, without answers and hidden tests: `autograder classroom50`."""
        return self.notebook.metadata["autograder"].get("released") is True

    @cached_property
    def release(self) -> Node:
        """The notebook that students get: no solutions, no hidden tests, no outputs."""
        return copy.deepcopy(self.notebook) if self.is_release else release(self.notebook)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the solution, with model answers and hidden tests."""
        return read_cells(self.notebook)

    @cached_property
    def released(self) -> tuple[Cell, ...]:
        """The same cells as students get them."""
        return read_cells(self.release)

    @cached_property
    def exercises(self) -> list[Exercise]:
        """In the order of the notebook."""
        stubs = {cell.name: cell.source for cell in self.released if cell.name}
        solutions = {cell.name: cell.source for cell in self.cells if cell.kind == ANSWER}
        found = []
        for cell in self.cells:
            if cell.kind != CHECK:
                continue
            name = cell.exercise
            if name not in solutions:
                raise UserError(
                    f"{self.path}: the check {cell.name} has no answer cell with the grade_id {name}."
                )
            parts = parts_of(cell.source, cell.points, f"{self.path}: the check of {name}")
            found.append(
                Exercise(name, cell.points, cell.name, solutions[name], stubs[name], cell.source, parts)
            )
        return found

    def exercise(self, name: str) -> Exercise:
        """The exercise of that name. Raises UserError when there is none."""
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        known = ", ".join(exercise.name for exercise in self.exercises)
        raise UserError(f"{self.unit} has no exercise {name!r}; it has {known}.")

    def trusted_cells(self) -> Iterator[Cell]:
        """The code cells of the solution that define something: set-up, given code, model answers."""
        for cell in self.cells:
            if cell.kind in (SETUP, GIVEN, ANSWER):
                yield cell

    def solved(self, answers: dict[str, str] | None = None, others: str = "solution") -> Node:
        """A submission made of given answers; the other exercises hold the "solution" or the "stub"."""
        notebook = copy.deepcopy(self.release)
        key = {e.name: e.solution if others == "solution" else e.stub for e in self.exercises} | (
            answers or {}
        )
        for cell, known in zip(notebook.cells, self.released, strict=True):
            if known.kind == ANSWER:
                cell.source = key[known.name]
        return notebook


#: Where there is no course. A learner's folder is none, though a learner calls it so.
REMEDY = (
    "This command works on a course with its answers, an instructor's: change to its folder, "
    "or make one with `autograder init FOLDER`."
)


@dataclass(frozen=True)
class Course:
    """Where a course lives."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None, remedy: str = REMEDY) -> Course:
        """The course around `start` (by default the working folder), or around this package's checkout.

        Raises UserError when there is none; `remedy` is its last sentence, for a command that has a better one.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents, Path(__file__).resolve().parents[2]):
            if (folder / "nbgrader_config.py").is_file() and (folder / "solutions").is_dir():
                return cls(folder)
        raise UserError(
            f"No course here: neither {start} nor a folder above it holds nbgrader_config.py and solutions/. {remedy}"
        )

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    def units(self) -> list[str]:
        """The names of the units that have a source."""
        return sorted(p.name for p in self.solutions.iterdir() if p.is_dir() and any(p.glob("*.py")))

    def assignment(self, unit: str) -> Assignment:
        """The unit of that name. Raises UserError when there is none."""
        return find_assignment(self.solutions, unit)


def unit_named(known: Sequence[str], wanted: str) -> str:
    """A unit by its name, or by the number that its name begins with: `3` for `03_reverse_mode`. Raises UserError.

    >>> unit_named(["01_derivatives", "03_reverse_mode"], "3")
    '03_reverse_mode'
    """
    if wanted in known:
        return wanted
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 else -1
    same = [unit for unit in known if (found := re.match(r"[0-9]+", unit)) and int(found[0]) == number]
    if len(same) == 1:
        return same[0]
    raise no_such_unit(wanted, known)


def no_such_unit(wanted: str, known: Sequence[str]) -> UserError:
    """What to say where no unit has this name: those that are like it, or else all.

    >>> str(no_such_unit("derivative", ["01_derivatives", "03_reverse_mode"]))
    "There is no unit 'derivative': did you mean 01_derivatives?"
    """
    if like := _like(wanted, known):
        return UserError(f"There is no unit {wanted!r}: did you mean {' or '.join(like)}?")
    return UserError(f"There is no unit {wanted!r}; there is {', '.join(known) or 'none yet'}.")


def _like(wanted: str, known: Sequence[str]) -> list[str]:
    """The units, three at most, whose name holds what was asked for, or differs from it by a slip."""
    asked = wanted.casefold()[:100]
    if len(asked) < 3:
        return []
    bare = {re.sub(r"^[0-9]+_", "", unit): unit for unit in known}
    found = [unit for unit in known if asked in unit.casefold()]
    found += [bare.get(name, name) for name in difflib.get_close_matches(asked, [*known, *bare], 3, 0.75)]
    return list(dict.fromkeys(found))[:3]


def find_assignment(solutions: Path, unit: str) -> Assignment:
    """The unit of a name or a number, in a folder of solutions or in the folder itself. Raises UserError."""
    if not re.fullmatch(r"[\w-]+", unit):
        raise UserError(f"{unit!r} is not the name of a unit.")
    units = sorted({path.parent.name for path in solutions.glob("*/*.ipynb")})
    sources = {path.parent.name for path in solutions.glob("*/*.py") if path.name != "mistakes.py"}
    with contextlib.suppress(UserError):
        unit = unit_named(sorted({*units, *sources}), unit)
    if unit in sources.difference(units):
        raise UserError(
            f"{unit} is not built yet: run `autograder build {unit}`, or `autograder build` for all units."
        )
    folder = solutions / unit if (solutions / unit).is_dir() else solutions
    for path in sorted(folder.glob("*.ipynb")):
        assignment = Assignment.load(path)
        if assignment.unit == unit:
            return assignment
    if like := _like(unit, units):
        raise no_such_unit(unit, like)
    raise UserError(
        f"There is no unit {unit!r} in {solutions}" + (f"; it has {', '.join(units)}." if units else ".")
    )
