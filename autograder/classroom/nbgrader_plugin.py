"""What nbgrader_config.py names: nbgrader's own commands and buttons grade through the referee."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, from_dict
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    NbGraderPreprocessor,
)
from traitlets.config import Application

from ..authoring.fingerprints import sentences_of
from ..authoring.release import ClearOutputs, Pair
from ..errors import UserError
from ..referee import judge as referee
from ..referee.autograded import autograded
from ..referee.matching import Memory
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Course
from ..unit.folder import pick_file
from ..unit.ingest import read_submission, take
from ..unit.settings import load_config
from .attempts import BEST, earlier_files, read_timestamp, rule_of
from .gradebook import alone, opened, record, register
from .grader import key_of
from .receipts import known_receipts, note_graded
from .records import facts
from .state import cost_of, keep_cost, record_seed, seed_of

__all__ = [
    "ClearOutputs",
    "Referee",
    "SubmissionExporter",
    "find_submission",
]  # what nbgrader_config.py names


#: Copies that `find_submission` made under the expected name, and what was there before; they go when they are graded,
#: so that a later file of another name is not hidden by an old one.
_copies: dict[Path, bytes | None] = {}


def find_submission(assignment: str, student: str, notebooks: list[str]) -> None:
    """nbgrader's hook before it grades a submission: let a file of another name stand for the expected one.

    nbgrader copies what lies beside the notebook and follows links while it does; links hold no work, so they go.
    A unit that the gradebook does not know yet is made known to it, as `autograder grade` does.
    """
    course = Course.find()
    unit = course.assignment(assignment)
    rule = _register(course, unit)
    name = unit.name
    folders = {Path(notebook).parent for notebook in notebooks}
    if rule == BEST and any(earlier_files(folder, unit) for folder in folders):
        raise SystemExit(
            f"autograder: {student} has several hand-ins of {unit.unit}, of which the best one counts: "
            f"`autograder grade {unit.unit}` grades them all, and nbgrader would grade the last one."
        )
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            regular = path.is_file() and not path.is_symlink()
            no_time = regular and path.name == "timestamp.txt" and read_timestamp(path) is None
            if no_time or not (regular or (path.is_dir() and not path.is_symlink())):
                path.unlink()
        target = folder / f"{name}.ipynb"
        found, _ = pick_file(folder, name, unit)
        if found is not None and found != target:
            before = target.read_bytes() if target.is_file() else None
            shutil.copyfile(found, target)
            _copies[target.resolve()] = before
            notebooks[:] = [str(target)]


def _register(course: Course, unit: Assignment) -> str:
    """Make a unit known to the gradebook; gives which of several hand-ins counts.

    Ends the command with a sentence where that cannot be done.
    """
    config = load_config(course.root)
    folders = CourseDirectory(config=config, root=str(course.root))
    if Application.initialized() and isinstance(
        own := getattr(Application.instance(), "coursedir", None), CourseDirectory
    ):
        folders = own  # with what was said on the command line
    try:
        with opened(folders.db_url, folders.course_id) as gradebook, alone(gradebook):
            register(gradebook, unit, folders.db_url)
            return rule_of(gradebook, unit.unit)
    except UserError as error:
        raise SystemExit(
            f"autograder: {error}"
        ) from None  # a plain exception would be logged and passed over


class SubmissionExporter(NotebookExporter):
    """Reads a submission with the referee's tolerance in the place of nbformat's strictness."""

    def from_filename(self, filename: str, resources: dict[str, Any] | None = None, **kw: Any) -> Any:
        parent = self.parent
        if parent is None or not getattr(parent, "_sanitizing", False):
            return super().from_filename(filename, resources=resources, **kw)
        # Every answer in its place, nothing run yet. Referee reads the same file again and grades it.
        about = (resources or {})["nbgrader"]
        assignment = Course.find(Path(parent.coursedir.root)).assignment(about["assignment"])
        submission = read_submission(Path(filename), assignment)
        empty = referee.Report(assignment.unit, 0, "", notes=[])
        empty.outcomes = [
            referee.Outcome(e.name, 0, e.points, "missing", f"✗ {e.name}: not graded yet")
            for e in assignment.exercises
        ]
        notebook = from_dict(autograded(assignment, submission, empty))
        notebook.metadata["autograder"]["source"] = filename
        return self.from_notebook_node(notebook, resources=resources, **kw)


def _of_the_class(gradebook: Gradebook, assignment: Assignment, sandbox: Sandbox) -> tuple[int, Sandbox]:
    """The seed with which a class is graded, and its limits."""
    seed, key = seed_of(gradebook, assignment.unit), key_of(assignment)
    known_receipts(gradebook, assignment.unit)  # makes its table, before there is anything to lose
    cost = cost_of(gradebook, assignment.unit, key)
    if cost is None:
        solution = take(assignment.solved(), assignment)
        cost = referee.grade(assignment, solution, sandbox, seed=seed, entries=[]).cpu
        keep_cost(gradebook, assignment.unit, key, cost)
    return seed, sandbox.within(cost)


class Referee(NbGraderPreprocessor):
    """Grades a submission and writes scores and comments into the gradebook."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Pair:
        about = resources["nbgrader"]
        course = Course.find(Path.cwd())
        assignment = course.assignment(about["assignment"])
        sandbox = Sandbox(parent=self, config=self.config, hidden_paths=[str(course.root)])
        submission = read_submission(Path(nb.metadata["autograder"]["source"]), assignment)
        with Gradebook(about["db_url"]) as gradebook:
            seed, sandbox = _of_the_class(gradebook, assignment, sandbox)
        began = time.monotonic()
        memory = Memory(sentences_of(assignment))
        report = referee.grade(assignment, submission, sandbox, seed=seed, memory=memory)
        if report.overloaded:
            report = referee.grade(assignment, submission, sandbox, seed=seed, memory=memory)
        kept = facts(report, time.monotonic() - began)
        with Gradebook(about["db_url"]) as gradebook:
            record(gradebook, assignment, about["student"], report)
            record_seed(gradebook, assignment.unit, about["student"], seed)
            note_graded(gradebook, assignment.unit, about["student"], report.receipt)
            gradebook.db.commit()
        for outcome in report.outcomes:
            self.log.info(outcome.message.split("\n")[0])
        self._remove_side_files(assignment, about["student"])
        source = Path(nb.metadata["autograder"]["source"]).resolve()
        if source in _copies:
            before = _copies.pop(source)
            source.unlink(missing_ok=True)
            if before is not None:
                source.write_bytes(before)
        notebook = from_dict(autograded(assignment, submission, report))
        notebook.metadata["autograder"] |= from_dict(kept)
        return notebook, resources

    def _remove_side_files(self, assignment: Assignment, student: str) -> None:
        """Drop what nbgrader has copied from beside the submission: it is not used, and feedback would return it."""
        coursedir = CourseDirectory(parent=self, config=self.config, root=str(Path.cwd()))
        folder = Path(coursedir.format_path(coursedir.autograded_directory, student, assignment.unit))
        for path in sorted(folder.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            elif path not in (folder / f"{assignment.name}.ipynb", folder / "timestamp.txt"):
                path.unlink()
