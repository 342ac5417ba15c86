"""`autograder demo`: a small class hands in a unit and is graded, from the release to the feedback."""

from __future__ import annotations

import copy
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from ..classroom.classroom import Classroom
from ..classroom.feedback.write import write_feedback
from ..classroom.run import grade_class
from ..errors import UserError
from ..lesson import likely
from ..referee import bank
from ..referee.autograded import write_notebook
from ..sandbox.walls import LANDLOCK, SandboxError
from ..unit.assignment import Assignment, Course
from ..unit.cell import ANSWER
from ..unit.notebook import STUB, Node, node, write_text
from .tables import show_class

UNIT = "03_reverse_mode"

#: Tried by "mallory": replaces the comparison of the checks, and the assertions of everybody else.
PATCH = """\
import autograder.lesson.checks, autograder.lesson.compare, builtins, math
autograder.lesson.checks.difference = lambda *args, **options: None
autograder.lesson.checks.exercise.__exit__ = lambda *args: True
math.isclose = lambda *args, **options: True
"""

#: Her second way: look for the answer key on the disk, and take the reference for an answer.
SNOOP = """\
import os
for folder, _, files in os.walk("/"):
    for file in files:
        if file.endswith(".ipynb") and "solutions" in folder:
            print(open(os.path.join(folder, file)).read())
try:
    import autograd_ref.scalar as answer_key
except ImportError as reason:
    print(reason)
"""


def class_of(assignment: Assignment) -> Iterator[tuple[str, str, Node | bytes]]:
    """What the students of the demo hand in: a name, a file name, a notebook or the raw bytes of a file."""
    exercises = assignment.exercises
    name = f"{assignment.name}.ipynb"
    wrong = [entry for entry in bank.load_bank(assignment) if not entry.right and entry.ends]
    yield "ada", name, assignment.solved()
    half = {e.name: e.solution for e in exercises[: len(exercises) // 2]}
    yield "blaise", name, assignment.solved(half, others="stub")
    # Three students with one typical mistake each, in three different exercises.
    chosen: dict[str, bank.Entry] = {}
    for entry in wrong:
        chosen.setdefault(entry.exercise, entry)
    picks = list(chosen.values())
    picks = [picks[0], picks[len(picks) // 2], picks[-1]]
    for student, entry in zip(("carl", "dorothy", "emmy"), picks, strict=True):
        solution = assignment.exercise(entry.exercise).solution
        yield student, name, assignment.solved({entry.exercise: entry.answer(solution)})
    yield "felix", name, copy.deepcopy(assignment.release)
    crash = exercises[1]
    yield "grace", name, assignment.solved({crash.name: f"{crash.solution}\n\nimport os\nos._exit(1)"})
    yield "mallory", name, _cheating(assignment)
    renamed = write_text(assignment.solved())
    yield "niels", f"{assignment.name} (1).ipynb", b"\xef\xbb\xbf" + renamed.encode()


def _cheating(assignment: Assignment) -> Node:
    """Two answers that do something else than was asked for, and outputs and checks that say all is right."""
    notebook = assignment.solved(others="stub")
    first, second = assignment.exercises[:2]
    tricks = {
        e.name: f"{trick}\n\n{e.stub.replace(STUB, 'return None')}"
        for e, trick in ((first, PATCH), (second, SNOOP))
    }
    for cell, known in zip(notebook.cells, assignment.released, strict=True):
        if known.kind == ANSWER and known.name in tricks:
            cell.source = tricks[known.name]
        elif known.name == first.check_id:
            cell.source = f'print("✓ {first.name}: right")'
        elif known.kind:
            cell.outputs = [node(output_type="stream", name="stdout", text="✓ right (all checks passed)\n")]
    return notebook


def run(folder: Path | None, jobs: int | None, console: Console, progress: Progress) -> None:
    """Make the course folder, grade the class, write feedback, and show it. Raises UserError."""
    source = Course.find(Path(__file__).parent)
    assignment = source.assignment(UNIT)
    root = _new_folder(folder)
    _copy_course(source, root)
    course = Course(root)
    console.print(f"A course in {root}", soft_wrap=True)
    write_notebook(root / "course" / UNIT / f"{assignment.name}.ipynb", assignment.release)
    for side in (source.solutions / UNIT).glob(likely.FILE):
        shutil.copy(side, root / "course" / UNIT)
    students = _hand_in(assignment, root)
    classroom = Classroom(course)
    try:
        sandbox = classroom.sandbox()
    except SandboxError as no_walls:
        sandbox = classroom.sandbox(unprotected_scores=True)
        behind = "the second wall, of the kernel's own" if sandbox.wall() == LANDLOCK else "no wall at all"
        console.print(Text(f"No bubblewrap on this machine: {no_walls}"), soft_wrap=True)
        console.print(
            f"These submissions come with this package, so they run behind {behind}.", soft_wrap=True
        )
    with progress as bar:
        task = bar.add_task("grading", total=2 * len(students))
        advance: Callable[[object], None] = lambda _: bar.advance(task)  # noqa: E731
        rows = grade_class(classroom, assignment, students, sandbox=sandbox, jobs=jobs, done=advance)
        bar.update(task, description="writing feedback")
        problems = write_feedback(classroom, UNIT, students, jobs=jobs, done=advance)
    show_class(rows, console)
    for student, problem in problems.items():
        console.print(Text(f"No feedback for {student}: {problem}", style="red"))
    feedback = root / "feedback" / students[2] / UNIT / f"{assignment.name}.html"
    console.print()
    console.print("Where to look next:")
    console.print(f"  what a student reads    {feedback}", soft_wrap=True)
    console.print(f"  the gradebook           {root / 'gradebook.db'}", soft_wrap=True)
    console.print(
        f"  in the browser          cd {root} && jupyter lab   (menu Nbgrader, Formgrader)", soft_wrap=True
    )
    if problems:
        raise SystemExit(1)


def _new_folder(folder: Path | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="autograder-demo-")).resolve()
    folder = folder.resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        filled = any(folder.iterdir())
    except OSError as error:
        raise UserError(f"{folder} cannot be made a folder: {error.strerror}.") from None
    if filled:
        raise UserError(f"{folder} is not empty; name a new folder, so that nothing is overwritten.")
    return folder


def _copy_course(source: Course, root: Path) -> None:
    shutil.copy(source.root / "nbgrader_config.py", root)
    shutil.copytree(
        source.solutions / UNIT, root / "solutions" / UNIT, ignore=shutil.ignore_patterns("__pycache__", ".*")
    )


def _hand_in(assignment: Assignment, root: Path) -> list[str]:
    """Put everybody's submission into the course folder."""
    students = []
    for student, filename, content in class_of(assignment):
        target = root / "submitted" / student / UNIT
        target.mkdir(parents=True)
        if isinstance(content, bytes):
            (target / filename).write_bytes(content)
        else:
            write_notebook(target / filename, content)
        students.append(student)
    return students
