"""An engine that a learner writes as a file, in an editor: checked by itself, and put into unit 17's notebook.

    autograder mine engine.py              the checks that a learner sees
    autograder mine engine.py --hidden     with the answer key: the hidden tests, too
    autograder mine engine.py --put        into the answer cell, for only the notebook is handed in

The file takes the place of the answer, and everything else is as for a submission: the referee asks, and the code runs
in a process of its own.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from ..classroom.sentences import sentences_for
from ..errors import UserError
from ..referee import judge
from ..referee.matching import Memory
from ..referee.report import Report
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Course, find_assignment
from ..unit.cell import ANSWER, grade_id, kind
from ..unit.ingest import MAX_SOURCE_CHARS, Submission
from ..unit.notebook import Node, read_notebook, write_text
from . import progress as learner
from .progress import KEPT
from .released import packaged, write_whole

UNIT, EXERCISE = "17_from_an_empty_page", "Tensor"
#: What a learner is told on their own machine, of what took too long beside other programs.
BUSY = (
    "Other programs kept this machine busy meanwhile. If the same takes too long when it is run again, your engine is "
    "slow there, or does not come to an end."
)


def check(
    file: Path, *, hidden: bool = False, solutions: Path | None = None, seed: int | None = None
) -> tuple[Assignment, Report]:
    """Check the engine in a file: with the released unit, or with the answer key `hidden` tests and all.

    `solutions` is the folder of the answer key, the course's own by default. Raises UserError.
    """
    text = read(file)
    _compiles(file, text)
    if hidden or solutions is not None:
        remedy = "The hidden tests are in its answer key: name that folder with --solutions."
        key = Course.find(remedy=remedy).solutions if solutions is None else solutions.resolve()
        assignment, sandbox = find_assignment(key, UNIT), Sandbox(hidden_paths=[str(key)])
    else:
        # One's own code on one's own machine, with nothing there to be read or changed: any wall will do.
        assignment, sandbox = find_assignment(packaged(), UNIT), Sandbox(unprotected_scores=True)
        # There is no bank, and so its sentences are found by their digests, as in a notebook.
        about = assignment.notebook.metadata
        about["autograder"] = Node(about["autograder"]) | {"released": True}
    answers = {exercise.name: exercise.stub for exercise in assignment.exercises} | {EXERCISE: text}
    memory = Memory(sentences_for(assignment))
    report = judge.grade(
        assignment, Submission(answers=answers), sandbox, seed=seed, memory=memory, only=EXERCISE
    )
    for outcome in report.outcomes:  # what to do next is said of a notebook's cells, and here is a file
        outcome.message = re.sub(r"\n  next {6}.*(\n {12}.*)*", "", outcome.message)
    report.notes = [BUSY if note == judge.OVERLOADED else note for note in report.notes]
    return assignment, report


def _compiles(file: Path, text: str) -> None:
    """Raises UserError, with the file's own line, when the text is no Python."""
    try:
        compile(text, str(file), "exec", dont_inherit=True)
    except SyntaxError as error:
        what = f": {error.text.strip()}" if error.text else ""
        raise UserError(f"{file}, line {error.lineno}: {error.msg}{what}") from None
    except (ValueError, RecursionError, MemoryError) as error:  # a null byte, or too deep a nest
        raise UserError(f"{file} is no Python: {error}.") from None


def read(file: Path) -> str:
    """The text of a file of Python. Raises UserError when it cannot be one."""
    try:
        if file.exists() and not file.is_file():  # a device or a pipe may have no end
            raise UserError(f"{file} is no file of Python.")
        if file.is_file() and file.stat().st_size > 4 * MAX_SOURCE_CHARS:
            raise UserError(
                f"{file} has {file.stat().st_size} bytes, and an answer at most {MAX_SOURCE_CHARS}."
            )
        text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UserError(f"{file} is no text in UTF-8.") from None
    if len(text) > MAX_SOURCE_CHARS:
        raise UserError(f"{file} has {len(text)} characters, and an answer at most {MAX_SOURCE_CHARS}.")
    if not text.strip():
        raise UserError(f"{file} is empty.")
    return text


def put(file: Path, folder: Path, moment: datetime | None = None) -> tuple[Path, Path | None]:
    """Copy the file into the answer cell of unit 17's notebook, in the learner's folder of units.

    Gives the notebook, and where the cell's text is kept if that was another one. Raises UserError.
    """
    text = read(file).strip("\n")
    path = learner.find(learner.units(folder), UNIT).notebook
    try:
        notebook = read_notebook(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as a notebook ({error}).") from None
    cells = [cell for cell in notebook.cells if kind(cell) == ANSWER and grade_id(cell) == EXERCISE]
    if len(cells) != 1:
        raise UserError(
            f"{path} has {len(cells)} answer cells of {EXERCISE}, not one: `autograder fresh 17` puts a new notebook "
            "there and keeps yours."
        )
    (cell,) = cells
    before = str(cell.source).strip("\n")
    try:
        kept = _keep(file, before, moment or datetime.now()) if _is_work(before, text) else None
        cell.source, cell.outputs, cell.execution_count = text, [], None
        write_whole(path, write_text(notebook).encode("utf-8"))
    except OSError as error:
        raise UserError(f"{path} cannot be changed: {error.strerror}.") from None
    return path, kept


def _is_work(before: str, text: str) -> bool:
    """Whether the cell held something that is lost with it."""
    stub = find_assignment(packaged(), UNIT).exercise(EXERCISE).stub.strip("\n")
    return before not in ("", stub, text)


def _keep(file: Path, text: str, moment: datetime) -> Path:
    """Write what stood in the cell beside the file, under a name that nothing has yet. Raises OSError."""
    for count in range(1, 1000):
        again = f", {count}" if count > 1 else ""
        kept = file.with_name(f"{file.stem}{KEPT}{moment:%Y-%m-%d %H%M}{again}){file.suffix}")
        try:
            with kept.open("x", encoding="utf-8") as place:
                place.write(text + "\n")
        except FileExistsError:
            continue
        return kept
    raise OSError(0, "there are too many kept files")
