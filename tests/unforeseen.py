"""What learners hear of mistakes that nobody foresaw: `python -m tests.unforeseen [UNIT ...] [--csv FILE] [--show N]`.

Every wrong answer of the bank is taken as one that the bank does not hold: its own sentence is left out, and what its
notebook would say then is written beside what its mistake is, to be read. A share of each kind follows, by unit.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.explain import endings_of
from autograder.authoring.told import told_of
from autograder.lesson.failures import ERROR, FAILED
from autograder.lesson.locked import whole_digest
from autograder.referee.bank import Entry, load_bank
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course, Exercise, unit_named
from autograder.unit.settings import configured_sandbox, load_config

#: Where a sentence comes from, the one that a notebook prefers first.
BANK, MUTANT, IN_PLACE, RAISED, GENERIC, NOTHING, HIDDEN = (
    "another entry's sentence",
    "a mutant's sentence",
    "an argument changed in place",
    "an exception, with its line",
    "a generic guess",
    "nothing",
    "only hidden tests see it",
)


@dataclass(frozen=True)
class Heard:
    """What is heard of one wrong answer."""

    unit: str
    exercise: str
    name: str
    mistake: str
    source: str
    said: str


def heard(assignment: Assignment, exercise: Exercise, sandbox: Sandbox) -> list[Heard]:
    """What a notebook says to each wrong answer of an exercise whose own sentence it does not know."""
    wrong = [e for e in load_bank(assignment) if e.exercise == exercise.name and not e.right and e.ends]
    endings = endings_of(assignment, exercise, [e.answer(exercise.solution) for e in wrong], sandbox)
    digests = [whole_digest(exercise.name, ending.calls) for ending in endings]
    mutants = told_of(assignment)
    found: list[Heard] = []

    def add(entry: Entry, source: str, said: str = "") -> None:
        found.append(Heard(assignment.unit, exercise.name, entry.name, entry.sentence, source, said))

    for entry, ending, digest in zip(wrong, endings, digests, strict=True):
        failure = ending.failure
        others = [o for o, other in zip(wrong, digests, strict=True) if other == digest and o is not entry]
        if failure is None or ending.status not in (FAILED, ERROR):
            add(entry, HIDDEN)
        elif others:
            add(entry, BANK, others[0].sentence)
        elif ending.status == FAILED and digest in mutants:
            add(entry, MUTANT, mutants[digest])
        elif ending.status == ERROR:
            add(entry, RAISED, failure.diagnosis or dict(failure.rows).get("raised", ""))
        elif failure.in_place:
            add(entry, IN_PLACE, failure.diagnosis)
        else:
            add(entry, GENERIC if failure.diagnosis else NOTHING, failure.diagnosis)
    return found


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.unforeseen", description=__doc__)
    parser.add_argument("units", nargs="*")
    parser.add_argument("--csv", type=Path, help="write every answer with what it hears to this file")
    parser.add_argument(
        "--show", type=int, default=0, help="print so many, drawn at random, to be judged by reading"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    course = Course.find()
    sandbox = configured_sandbox(load_config(course.root), course.root, False, False)
    names = [unit_named(course.units(), unit) for unit in options.units] or course.units()
    jobs = [(a, e) for a in map(course.assignment, names) for e in a.exercises]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [row for part in pool.map(lambda job: heard(*job, sandbox), jobs) for row in part]
    for name in [*names, ""]:
        mine = [row for row in rows if name in ("", row.unit)]
        counts = Counter(row.source for row in mine)
        told = ", ".join(
            f"{counts[s]} {s}" for s in (BANK, MUTANT, IN_PLACE, RAISED, GENERIC, NOTHING, HIDDEN)
        )
        print(f"{name or 'all'}: {len(mine)} wrong answers: {told}.")
    speaking = [row for row in rows if row.source in (MUTANT, GENERIC)]
    for row in random.Random(options.seed).sample(speaking, min(options.show, len(speaking))):
        print(
            f"\n{row.unit} {row.exercise} {row.name} ({row.source})\n  is    {row.mistake}\n  hears {row.said}"
        )
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["unit", "exercise", "name", "what it is", "source", "what is heard"])
            out.writerows((r.unit, r.exercise, r.name, r.mistake, r.source, r.said) for r in rows)


if __name__ == "__main__":
    main()
