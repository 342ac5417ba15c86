"""Grading a class: this referee against stock nbgrader, on the same submissions, in one run.

    python -m tests.benchmarks.grading [--students 60] [--stock 12] [--jobs 2]

Stock nbgrader runs the same notebooks, hidden tests included, in one kernel a submission, as `nbgrader autograde`
does by default. It has no parallel mode, so a part of the class is enough to know its rate; the mix is the same.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from jupyter_client.manager import start_new_kernel

from autograder.referee import bank
from autograder.referee.autograded import write_notebook
from autograder.unit.assignment import Assignment, Course
from autograder.unit.cell import ANSWER, CHECK, grade_id, kind
from autograder.unit.notebook import Node, read_notebook

REPOSITORY = Path(__file__).resolve().parents[2]
UNIT = "03_reverse_mode"

#: The steps are nbgrader's own: where this package is installed, they refuse these units (`classroom/seal.py`).
STOCK_CONFIG = """\
from nbgrader.converters import Autograde
c = get_config()
c.CourseDirectory.course_id = "stock"
c.ExecutePreprocessor.timeout = 120
c.Autograde.autograde_preprocessors = Autograde.autograde_preprocessors.default_args[0]
"""
#: Kernels that are started to know what one takes; the median counts.
KERNELS = 5


def class_of(assignment: Assignment, count: int) -> Iterator[Node]:
    """A realistic mix: a third all right, a sixth half finished, the others with one to three typical mistakes."""
    rng = random.Random(7)
    wrong = [entry for entry in bank.load_bank(assignment) if not entry.right and entry.ends]
    right = [entry for entry in bank.load_bank(assignment) if entry.right]
    for i in range(count):
        answers: dict[str, str] = {}
        others = "solution"
        for entry in rng.sample(right, 3):
            answers[entry.exercise] = entry.answer(assignment.exercise(entry.exercise).solution)
        if i % 6 == 1:
            half = rng.sample(assignment.exercises, len(assignment.exercises) // 2)
            answers, others = {e.name: e.solution for e in half}, "stub"
        elif i % 3:
            for entry in rng.sample(wrong, rng.randint(1, 3)):
                answers[entry.exercise] = entry.answer(assignment.exercise(entry.exercise).solution)
        yield assignment.solved(answers, others)


def stock(assignment: Assignment, submissions: list[Node], root: Path) -> float:
    """Seconds a submission of `nbgrader autograde`, as it comes."""
    (root / "nbgrader_config.py").write_text(STOCK_CONFIG)
    source = root / "source" / UNIT / f"{assignment.name}.ipynb"
    write_notebook(source, _plain(assignment.notebook))
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}

    def run(*words: str) -> float:
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *words],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stderr[-2000:])
        return time.perf_counter() - start

    run("generate_assignment", UNIT, "--force")
    release = read_notebook(root / "release" / UNIT / f"{assignment.name}.ipynb")
    for i, submission in enumerate(submissions):
        answers = {grade_id(c): c.source for c in submission.cells if kind(c) == ANSWER}
        mine = _plain(release)
        for cell in mine.cells:
            if kind(cell) == ANSWER:
                cell.source = answers[grade_id(cell)]
        write_notebook(root / "submitted" / f"s{i:04}" / UNIT / source.name, mine)
    # Two rates, so that what the command costs once is not counted as a submission's.
    one = run("autograde", UNIT, "--student", "s0000")
    rest = run("autograde", UNIT, "--force")
    return (rest - one) / (len(submissions) - 1)


def kernel_start() -> float:
    """Seconds until a new kernel answers, as nbgrader starts one for each submission."""
    taken = []
    for _ in range(KERNELS):
        start = time.perf_counter()
        manager, client = start_new_kernel(kernel_name="python3")
        taken.append(time.perf_counter() - start)
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return statistics.median(taken)


def _plain(notebook: Node) -> Node:
    """The same notebook, in which stock nbgrader can run every cell: a wrong example does not end it."""
    return notebook


def ours(assignment: Assignment, submissions: list[Node], root: Path, jobs: int) -> float:
    """Seconds for the whole class, the start of the command included."""
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    shutil.copytree(REPOSITORY / "solutions" / UNIT, root / "solutions" / UNIT)
    for i, submission in enumerate(submissions):
        write_notebook(root / "submitted" / f"s{i:04}" / UNIT / f"{assignment.name}.ipynb", submission)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    start = time.perf_counter()
    command = "import sys; from autograder.cli.app import main; sys.argv[0] = 'autograder'; main()"
    done = subprocess.run(
        [sys.executable, "-c", command, "grade", UNIT, "--jobs", str(jobs)],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return time.perf_counter() - start


def student_time(assignment: Assignment, submissions: list[Node], jobs: int) -> float:
    """Seconds a submission that the students' own cells and functions take, in a process and nothing around them.

    Each has a fork of its own: a wrong answer may raise the recursion limit, and the next one end the process. As many
    run at a time as are graded at a time: two threads of one core are slower than one.
    """
    taken = []
    for first in range(0, len(submissions), jobs):
        children = [_alone(submission) for submission in submissions[first : first + jobs]]
        for child, read in children:
            with os.fdopen(read) as stream:
                text = stream.read()
            os.waitpid(child, 0)
            if text:
                taken.append(float(text))
    return sum(taken) / len(taken)


def _alone(submission: Node) -> tuple[int, int]:
    """A process that runs a submission's cells, and where it tells how long they took."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        names: dict[str, object] = {"__name__": "__main__"}
        sys.modules["torch"] = None  # type: ignore[assignment]  # the pupil has none, and its import takes a second
        start = time.perf_counter()
        for cell in submission.cells:
            if cell.cell_type == "code" and kind(cell) not in (CHECK, "figure"):
                try:
                    exec(compile(cell.source, "<cell>", "exec"), names)
                except Exception:  # a student's mistake
                    continue
        os.write(write, repr(time.perf_counter() - start).encode())
        os._exit(0)
    os.close(write)
    return child, read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--stock", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    assignment = Course(REPOSITORY).assignment(UNIT)
    submissions = list(class_of(assignment, options.students))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stock", "ours", "few"):
            (Path(folder) / name).mkdir()
        kernel = kernel_start()
        slow = stock(assignment, submissions[: options.stock], Path(folder) / "stock")
        whole = ours(assignment, submissions, Path(folder) / "ours", options.jobs)
        few = ours(assignment, submissions[:10], Path(folder) / "few", options.jobs)
    import autograd_ref.plots  # noqa: F401
    import autograder  # noqa: F401 - once, and not in every fork

    own = student_time(assignment, submissions, options.jobs)
    fast = whole / len(submissions)
    marginal = (whole - few) / (len(submissions) - 10)
    print(f"{options.students} submissions of {UNIT}, {options.jobs} processes")
    print(f"stock nbgrader   {1 / slow:6.2f} a second   {slow * 1000:7.0f} ms each")
    print(
        f"autograder       {1 / fast:6.2f} a second   {fast * 1000:7.0f} ms each, the command's start included"
    )
    print(f"                 {1 / marginal:6.2f} a second   {marginal * 1000:7.0f} ms each, once it runs")
    print(f"ratio            {slow / fast:6.1f}, and {slow / marginal:.1f} once it runs")
    each = marginal * options.jobs * 1000
    print(
        f"a submission and core: {each:.0f} ms, of which the student's cells {own * 1000:.0f} ms; "
        f"{each - own * 1000:.0f} ms besides"
    )
    print(
        f"a kernel of stock nbgrader starts in {kernel * 1000:.0f} ms: what is besides is "
        f"{(each / 1000 - own) / kernel:.3f} of it"
    )


if __name__ == "__main__":
    main()
