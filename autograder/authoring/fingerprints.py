"""Writes `likely.json`: what the bank's wrong answers do in the visible checks, as digests, and their sentences.

Each wrong answer runs once, in the sandbox, through the part of its check that learners have. `likely.py` says what
the file is good for, and reads it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..lesson import echo, exceptions, likely, locked
from ..lesson.failures import ERROR, FAILED, TIMEOUT
from ..lesson.probes import Call
from ..lesson.wire import parsed
from ..referee.bank import Entry, load_bank
from ..referee.report import Outcome
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment
from ..unit.notebook import visible_part
from .parallel import each
from .told import told_of
from .trial import run_check, stopped_by


def made_from(assignment: Assignment) -> str:
    """A digest of all that the file depends on: bank, visible checks, the code that they need, what makes digests."""
    digest = hashlib.sha256()
    makers = (likely.__file__, exceptions.__file__, echo.__file__)
    for path in (*map(Path, makers), assignment.path.parent / "mistakes.py"):
        # As text: where lines end otherwise, the same things follow.
        digest.update(path.read_text(encoding="utf-8").encode() if path.is_file() else b"")
    for cell in assignment.trusted_cells():
        digest.update(cell.source.encode())
    for exercise in assignment.exercises:
        digest.update(visible_part(exercise.check).encode())
    if told := told_of(assignment):
        digest.update(json.dumps(told, sort_keys=True).encode())
    return digest.hexdigest()[:16]


def file_is_for(text: str) -> str:
    """What a file was made from; empty when it does not say."""
    try:
        told = parsed(text)["made_from"]
    except (ValueError, LookupError, TypeError):
        return ""
    return told if isinstance(told, str) else ""


def sentences_of(assignment: Assignment) -> dict[str, str]:
    """The sentences of the unit's file by their digests; none when it was made from something else."""
    path = assignment.path.parent / likely.FILE
    with contextlib.suppress(OSError, ValueError):
        if file_is_for(path.read_text(encoding="utf-8")) == made_from(assignment):
            return likely.read(path)
    return {}


def make(assignment: Assignment, sandbox: Sandbox, jobs: int | None = None) -> str:
    """The text of the unit's file. Runs every wrong answer of the bank; raises UserError where one cannot be run."""
    wrong = [entry for entry in load_bank(assignment) if not entry.right]

    digests = dict(each(_digest, (assignment, sandbox), wrong, jobs))
    in_order = [digests[i] for i in range(len(wrong))]
    return as_text(made_from(assignment), wrong, in_order, told_of(assignment))


def _digest(given: tuple[Assignment, Sandbox], entry: Entry) -> str:
    assignment, sandbox = given
    try:
        return fingerprint_of(assignment, entry, sandbox)
    except Exception as error:
        told = f"{assignment.unit}, {entry.exercise}, {entry.name}: {stopped_by(error)}"
        raise UserError(f"{told}. Mend it, and build the unit again.") from error


def as_text(
    version: str, wrong: Sequence[Entry], digests: Sequence[str], told: Mapping[str, str] | None = None
) -> str:
    """The file's text. Of several answers that do the same, the first in the bank is the one that is told.

    That two answers have no end says little of their mistakes: then neither is told.
    """
    texts: dict[str, int] = {}
    sentences: dict[str, int] = {}
    endless = Counter(digest for entry, digest in zip(wrong, digests, strict=True) if not entry.ends)
    for entry, digest in zip(wrong, digests, strict=True):
        if digest and digest not in sentences and endless[digest] < 2:
            sentences[digest] = texts.setdefault(entry.sentence, len(texts))
    about: dict[str, Any] = {
        "made_from": version,
        "sentences": dict(sorted(sentences.items())),
        "texts": list(texts),
    }
    if told:
        # The bank's own sentences come first; and what the bank does not tell apart, mutants do not, either.
        about["mutants"] = {
            digest[:16]: locked.lock(digest, text)
            for digest, text in sorted(told.items())
            if digest[:16] not in digests
        }
    return json.dumps(about, ensure_ascii=False, indent=1) + "\n"


def fingerprint_of(
    assignment: Assignment,
    entry: Entry,
    sandbox: Sandbox,
    graded: tuple[Outcome, Sequence[Call]] | None = None,
) -> str:
    """The digest of what an answer does in the visible part of its check; empty when that part lets it pass.

    Where the answer was `graded` already and a visible check of the whole exercise ended it before anything was drawn,
    its calls are the same as a learner's, and are not made again. A class draws at another seed than a notebook.
    """
    exercise = assignment.exercise(entry.exercise)
    if graded is not None and not exercise.parts:
        outcome, calls = graded
        if outcome.status in (FAILED, ERROR) and not (outcome.hidden or outcome.drawn) and entry.ends:
            return likely.fingerprint(exercise.name, calls)
    ending = run_check(
        assignment, exercise, entry.answer(exercise.solution), visible_part(exercise.check), sandbox
    )
    if ending.failure is not None and not (ending.status == TIMEOUT and not entry.ends):
        if ending.status in (FAILED, ERROR) and ending.calls and not ending.failure.not_run:
            return likely.fingerprint(exercise.name, ending.calls)
    elif not ending.passed and ending.calls and not entry.ends:
        # Which limit is met first is the machine's affair: only the bank knows that an answer has no end.
        return likely.fingerprint(exercise.name, ending.calls, endless=True)
    return ""
