"""The calls behind `autograder score` and `autograder grade`: one file, and one unit of the class.

nbgrader is imported while the worker processes start, so it is no import of this file's.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError
from ..referee import judge
from ..referee.bank import load_bank
from ..referee.matching import Memory
from ..referee.report import Report
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Course, find_assignment
from ..unit.folder import pick_file
from ..unit.ingest import take
from ..unit.raw import parse, read_bytes, unit_of
from ..unit.settings import configured_sandbox, load_config
from .grader import Graded, Grader
from .sentences import sentences_for
from .workers import ahead, waiting

if TYPE_CHECKING:
    from .late import LatePolicy


def score_file(
    file: Path,
    unit: str | None = None,
    solutions: Path | None = None,
    *,
    seed: int | None = None,
    unsandboxed: bool = False,
    unprotected_scores: bool = False,
    begin: Callable[[Assignment], Callable[[str], None]],
) -> tuple[Assignment, Report]:
    """Grade one notebook file, or the one in a folder that counts. Raises UserError.

    `begin` is told its unit and gives what hears of each exercise.

    The answer key is the course's own, or in the folder `solutions`.
    """
    notes: list[str] = []
    if solutions is None:
        course = Course.find(remedy="Change to the course's folder, or name its answer key with --solutions.")
        key = course.solutions
        sandbox = configured_sandbox(load_config(course.root), course.root, unsandboxed, unprotected_scores)
    else:
        if not solutions.is_dir():
            raise UserError(f"There is no folder {solutions} to take the answer key from.")
        key = solutions.resolve()
        sandbox = Sandbox(
            hidden_paths=[str(key)], unsandboxed=unsandboxed, unprotected_scores=unprotected_scores
        )
    if file.is_dir():
        if not unit:
            raise UserError(f"{file} is a folder: name its unit with --unit, or a notebook in it.")
        assignment = find_assignment(key, unit)
        found, note = pick_file(file, assignment.name, assignment)
        if found is None:
            raise UserError(note)
        file, notes = found, [note] if note else []
    notebook = parse(read_bytes(file), str(file), notes)
    unit = unit or unit_of(notebook)
    if not unit:
        raise UserError(f"{file} does not say which unit it is: name it with --unit.")
    assignment = find_assignment(key, unit)
    progress = begin(assignment)
    memory = Memory(sentences_for(assignment))
    submission = take(notebook, assignment)
    submission.notes[:0] = notes
    return assignment, judge.grade(
        assignment, submission, sandbox, seed=seed, progress=progress, memory=memory
    )


def grade_unit(
    course: Course,
    assignment: Assignment,
    students: Sequence[str] | None = None,
    *,
    force: bool = False,
    new_seed: bool = False,
    late_policy: LatePolicy = None,
    rule: str = "",
    jobs: int | None = None,
    scheduler: str | None = None,
    unsandboxed: bool = False,
    unprotected_scores: bool = False,
    begin: Callable[[Sequence[str]], None],
    done: Callable[[Graded], None],
    tell: Callable[[str], None],
) -> tuple[list[Graded], list[str]]:
    """Grade what has been handed in of a unit: the rows, and who was in the gradebook before. Raises UserError.

    `begin` is told who will be graded, `done` hears of each, `tell` of workers of a cluster that cannot grade.
    """
    # Long, because it hands on the options of a command.
    config = load_config(course.root)
    sandbox = configured_sandbox(config, course.root, unsandboxed, unprotected_scores)
    expected = (
        0 if students or scheduler else waiting(config, course.root, assignment.unit, force or new_seed)
    )
    with ahead(lambda: Grader.of(assignment, load_bank(assignment), sandbox), expected, jobs) as pool:
        from . import run
        from .classroom import Classroom, known_students
        from .due import mark_late

        gc.freeze()  # nbgrader and SQLAlchemy stay, and need not be looked through for garbage again and again
        classroom = Classroom(course)
        found = handed_in(classroom.students(assignment.unit), students, classroom.folder, assignment.unit)
        people, due_dates = known_students(classroom)
        known = [person.id for person in people]
        mark_late(classroom, assignment.unit, found, due_dates.get(assignment.unit))
        begin(found)
        rows = run.grade_class(
            classroom,
            assignment,
            found,
            sandbox=sandbox,
            force=force,
            jobs=jobs,
            done=done,
            scheduler=scheduler,
            tell=tell,
            pool=pool,
            new_seed=new_seed,
            late_policy=late_policy,
            rule=rule,
        )
    return rows, known


def handed_in(
    found: Sequence[str], wanted: Sequence[str] | None, folder: Callable[[str, str, str], Path], unit: str
) -> list[str]:
    """Those who are graded: all who have handed in something, or those that are named. Raises UserError."""
    for name in wanted or ():
        if name not in found:
            raise UserError(f"{name} has handed in nothing: there is no {folder('submitted', name, unit)}.")
    if not found:
        raise UserError(f"Nothing has been handed in: there is no {folder('submitted', '*', unit)}.")
    return list(dict.fromkeys(wanted or found))
