"""What was proved of a bank at further seeds, kept in `proved.json` beside it.

Further seeds take most of a proof's time, and show the same for an exercise in which nothing has changed. So they are
kept as verdicts on mutants are, under a digest of all that they depend on: a run grades the whole bank of an exercise
that changed, and of the others one answer in `SAMPLE`, at seeds that nobody has drawn before.

    {"mul_vjp": {"digest": "…", "seeds": 5, "grader": "…", "settled": [0, 2]}}

Most wrong answers are `settled`: a visible check ended them before anything was drawn, so they end as they did at every
seed. Of these a run takes one in `SAMPLE`, and of the other wrong ones one in `DRAWN`, as long as the exercise and the
code that grades are what they were. The right ones run always: refusing one is the worst that a check can do.
"""

from __future__ import annotations

import ast
import functools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..lesson import checks, draw, suspects
from ..lesson.syntax import syntax_tree
from ..referee import judge
from ..referee.bank import Entry, load_bank
from ..unit.assignment import Assignment, Exercise
from . import verdicts
from .depends import around
from .verdicts import SAMPLE, digest_of

PROVED = "proved.json"

#: Of wrong answers that did not change, and whose end may hang on what is drawn, a run takes one in so many.
DRAWN = 3


@dataclass
class Chosen:
    """What a run has to grade at further seeds."""

    entries: list[Entry] = field(default_factory=list)
    #: the exercises of which this is a part only, because all of them was proved before
    sampled: list[str] = field(default_factory=list)
    #: what may be kept when nothing slips
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: wrong answers that need not be graded once more at a run's first seed
    left_out: frozenset[Entry] = frozenset()
    #: those of them that a run at any other seed need not grade either
    settled: frozenset[Entry] = frozenset()


def choose(assignment: Assignment, seeds: int, known: Mapping[str, object], chance: int) -> Chosen:
    """The answers to grade at so many seeds: all of an exercise, or one in SAMPLE, as `chance` draws them.

    The latter where `known`, as `read_proved` gives it, says of the exercise as it is now that it was proved at as
    many seeds.
    """
    bank = load_bank(assignment)
    found = Chosen()
    pick, again_pick = random.Random(chance), random.Random(f"{chance}, again")
    for exercise in assignment.exercises:
        entries = [entry for entry in bank if entry.exercise == exercise.name]
        now, before = digest(assignment, exercise, bank), _read(known, exercise.name)
        if before["digest"] == now and int(before["seeds"]) >= seeds:
            found.sampled.append(exercise.name)
            found.kept[exercise.name] = before
            if seeds and before.get("grader") == grader():  # a proof at one seed is of the whole bank
                settled = {entries[i] for i in before["settled"]}
                left_out = {
                    entry
                    for entry in entries
                    if not entry.right and again_pick.randrange(SAMPLE if entry in settled else DRAWN) > 0
                }
                found.left_out |= left_out
                found.settled |= left_out & settled
            entries = [entry for entry in entries if pick.randrange(SAMPLE) == 0]
        else:
            found.kept[exercise.name] = {"digest": now, "seeds": seeds}
        found.entries += entries
    return found


def _read(known: Mapping[str, object], exercise: str) -> dict[str, Any]:
    one = known.get(exercise)
    if isinstance(one, dict) and isinstance(one.get("digest"), str) and isinstance(one.get("seeds"), int):
        settled = one.get("settled")
        if not isinstance(settled, list) or not all(isinstance(i, int) for i in settled):
            one = {name: one[name] for name in ("digest", "seeds")}
        return one
    return {"digest": "", "seeds": 0}


def to_keep(assignment: Assignment, chosen: Chosen, settled: frozenset[Entry]) -> dict[str, dict[str, Any]]:
    """What may be kept after a run that graded the bank, without what was left out, and found these settled."""
    bank = load_bank(assignment)
    for exercise, kept in chosen.kept.items():
        entries = [entry for entry in bank if entry.exercise == exercise]
        if chosen.left_out.isdisjoint(entries):
            found = [i for i, entry in enumerate(entries) if entry in settled]
            chosen.kept[exercise] = {**kept, "grader": grader(), "settled": found}
    return chosen.kept


@functools.cache
def grader() -> str:
    """A digest of the code that grades, and of the reference that it grades by."""
    return digest_of(file.read_text(encoding="utf-8") for file in sorted(grader_files() | reference_files()))


def reference_files() -> set[Path]:
    """The modules of `autograd_ref`, without those that draw pictures."""
    package = Path(str(judge.__file__)).parents[2] / "autograd_ref"
    return {file for file in package.rglob("*.py") if file.parent.name != "plots"}


def grader_files() -> set[Path]:
    """The modules of the judge and of what a check cell imports, all that these import, and the pupil's."""
    new = [Path(str(module.__file__)) for module in (judge, checks, draw, suspects)]
    rooms = new[0].parent.parent
    files = set((rooms / "sandbox" / "pupil").glob("*.py"))
    while new:
        file = new.pop()
        files.add(file)
        new += set(imported(file, rooms)) - files
    return files


def imported(file: Path, package: Path) -> Iterator[Path]:
    """The modules of a package that a file of it imports, relatively, wherever in it."""
    for node in ast.walk(syntax_tree(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for path in (folder, *(folder / alias.name for alias in node.names)):
                for module in (path.with_suffix(".py"), path / "__init__.py"):
                    if module.is_file() and package in module.parents:
                        yield module


def digest(assignment: Assignment, exercise: Exercise, bank: Sequence[Entry]) -> str:
    """What it depends on how the bank's answers to an exercise end at a seed: them, the check, and what draws.

    Their sentences are told, and decide nothing.
    """
    mine = [entry for entry in bank if entry.exercise == exercise.name]
    answers = [repr((entry.source, entry.right, entry.ends, entry.keeps)) for entry in mine]
    around_it = around(assignment, exercise, bank)
    return digest_of([_drawing(), exercise.solution, exercise.check, *answers, *around_it])


@functools.cache
def _drawing() -> str:
    """The code that draws the cases of hidden tests."""
    return Path(str(draw.__file__)).read_text(encoding="utf-8")


def read_proved(assignment: Assignment) -> dict[str, object]:
    """What `proved.json` keeps, by exercise; nothing when it is not there or broken."""
    return verdicts.read(assignment, PROVED)


def write_proved(assignment: Assignment, kept: Mapping[str, object]) -> Path:
    """Keep what was proved beside the bank."""
    return verdicts.write(assignment, PROVED, kept)
