"""Writes the pages of a class: what all have alike is made once, and a large class is shared out among processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from traitlets.config import Config

from ...errors import UserError
from ...unit.assignment import Assignment, Course
from ..classroom import Classroom
from ..gradebook import opened
from ..platforms.returned import Paper
from ..workers import cores
from .notebook import graded_notebook

#: Fewer pages than these are written in this process: to start others takes as long.
FEW = 60


def students_of(classroom: Classroom, unit: str, wanted: Sequence[str] | None = None) -> list[str]:
    """Whose submissions of a unit are graded, or those of them that are asked for. Raises UserError."""
    graded = classroom.students(unit, "autograded")
    if not graded:
        raise UserError(f"Nothing of {unit} is graded yet: `autograder grade {unit}` comes first.")
    if missing := sorted(set(wanted or ()) - set(graded)):
        raise UserError(f"There is no graded submission of {', '.join(missing)} for {unit}.")
    return sorted(set(wanted)) if wanted else graded


def papers_of(classroom: Classroom, assignment: Assignment, students: Sequence[str]) -> Iterator[Paper]:
    """What these students get back, for a platform's zip."""
    unit, name = assignment.unit, assignment.name
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        for student in students:
            notebook = classroom.folder("autograded", student, unit) / f"{name}.ipynb"
            yield Paper(
                student,
                classroom.folder("submitted", student, unit),
                classroom.folder("feedback", student, unit) / f"{name}.html",
                partial(graded_notebook, gradebook, notebook, unit, name, student),
            )


def write_feedback(
    classroom: Classroom,
    unit: str,
    students: Sequence[str],
    *,
    jobs: int | None = None,
    anyway: bool = False,
    done: Callable[[str], object] = lambda student: None,
) -> dict[str, str]:
    """Write the pages of these students; gives, by student, a sentence for each page that could not be written.

    `done` is called with each student whose page is written, or not. What is held back is written `anyway`, or not.
    """
    write = partial(_write, classroom.course.root, unit, anyway)
    count = min(jobs or cores(), len(students))
    problems: dict[str, str] = {}
    told = (
        _side_by_side(write, students, count) if len(students) >= FEW and count > 1 else map(write, students)
    )
    for student, problem in told:
        if problem:
            problems[student] = problem
        done(student)
    return dict(sorted(problems.items()))


def _side_by_side(
    write: Callable[[str], tuple[str, str]], students: Sequence[str], count: int
) -> Iterator[tuple[str, str]]:
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))
    try:
        with _uninterrupted():  # workers inherit that: an interrupt is this process's to answer
            waiting = {pool.submit(write, student): student for student in students}
        for future in as_completed(waiting):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield waiting[future], "the process that wrote it was ended, perhaps for want of memory"
    finally:
        pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _write(root: Path, unit: str, anyway: bool, student: str) -> tuple[str, str]:
    """Let nbgrader write one page: it knows what was graded by hand, who is late, and where pages go."""
    from nbgrader.apps.api import NbGraderAPI

    classroom = Classroom(Course(root))
    ours = Config(GenerateFeedback={"exporter_class": "autograder.classroom.feedback.page.FeedbackExporter"})
    ours.merge(classroom.config)  # unless the course has a page of its own
    ours.FeedbackExporter.anyway = anyway
    result = NbGraderAPI(classroom.folders, config=ours).generate_feedback(unit, student, force=True)
    if result["success"]:
        return student, ""
    said = [line for line in str(result.get("error") or result.get("log") or "").splitlines() if line.strip()]
    return student, said[-1].strip() if said else "nbgrader gave no reason"
