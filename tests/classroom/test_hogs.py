"""Who takes the whole machine costs the neighbours nothing, and the class a bounded time."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.classroom import workers
from autograder.classroom.classroom import Classroom
from autograder.classroom.grader import Grader, Job, Result
from autograder.classroom.run import grade_class
from autograder.classroom.state import cost_of, keep_cost, seed_of
from autograder.referee.autograded import write_notebook
from autograder.referee.report import Outcome, Report
from autograder.sandbox.walls import CALLS, Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.notebook import write_text

pytestmark = pytest.mark.usefixtures("bubblewrap")

#: Thirty processes that spin, again in every cell and call.
HOG = """
import os, time
def mul_vjp(g, a, b):
    for _ in range(30):
        if not os.fork():
            os.setsid()
            while True: pass
    time.sleep(9)
    return g * b, g * a
mul_vjp(1, 2, 3)
"""
#: Right, and takes a second and a half of a processor.
THOROUGH = """
import time
def mul_vjp(g, a, b):
    if g == 10.0:
        begun = time.process_time()
        while time.process_time() - begun < 1.5: pass
    return g * b, g * a
"""


@pytest.fixture
def walls(mini_course: Course) -> Sandbox:
    return Sandbox(
        call_seconds=3.0, notebook_seconds=12.0, cpu_seconds=12, hidden_paths=[str(mini_course.root)]
    )


def test_neighbours_of_hogs_keep_their_points_and_the_class_its_time(
    mini_course: Course, walls: Sandbox, tmp_path: Path
) -> None:
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    klass = Classroom(Course(root))
    unit = klass.course.assignment("mini")
    answers = {f"hog{i}": HOG for i in range(4)} | {f"late{i}": THOROUGH for i in range(6)}
    for student, answer in answers.items():
        write_notebook(
            klass.folder("submitted", student, "mini") / "mini.ipynb",
            unit.solved({"mul_vjp": answer, "unbox": unit.exercise("unbox").solution}),
        )
    names = sorted(answers, key=lambda name: (name[-1], name))  # hogs and others side by side
    begin = time.monotonic()
    rows = {row.student: row for row in grade_class(klass, unit, names, sandbox=walls, jobs=2)}
    took = time.monotonic() - begin
    assert {name: row.score for name, row in rows.items() if name.startswith("late")} == {
        f"late{i}": 5 for i in range(6)
    }
    assert all(rows[f"hog{i}"].score <= 3 for i in range(4))
    # Each has its limits twice at most, the second time alone; and the others' seconds are their own.
    each = 2 * (walls.notebook_seconds + walls.call_seconds)
    assert took < 4 * each + 6 * each / 2


@pytest.fixture
def grader(mini: Assignment, walls: Sandbox) -> Grader:
    return Grader.of(mini, [], walls)


class Scripted:
    """A pool that finds the machine overloaded whenever anybody works beside."""

    def __init__(self, overloaded: set[str], always: bool = False) -> None:
        self.under_way: list[Job] = []
        self.beside: dict[str, list[int]] = {}
        self.overloaded, self.always = overloaded, always

    def room(self) -> bool:
        return len(self.under_way) < 3

    def give(self, job: Job) -> None:
        self.under_way.append(job)

    def take(self) -> tuple[Job, Result | None]:
        count = len(self.under_way)
        job = self.under_way.pop(0)
        self.beside.setdefault(job.student, []).append(count - 1)
        report = Report("mini", 1, True, [Outcome("mul_vjp", 0, 2, "timeout", "")])
        report.overloaded = job.student in self.overloaded and (count > 1 or self.always)
        return job, Result(job, report)

    def close(self, at_once: bool) -> None:
        pass


def test_who_had_no_processor_is_graded_again_at_the_end_and_alone() -> None:
    pool = Scripted({"b", "d"})
    results = list(workers.graded_by(pool, [Job(name, b"") for name in "abcdef"]))
    assert [result.job.student for result in results] == ["a", "c", "e", "f", "b", "d"]
    assert not any(result.overloaded for result in results)
    assert pool.beside["b"][1:] == [0] and pool.beside["d"][1:] == [0]


def test_who_has_no_processor_alone_either_is_graded_twice_and_no_more() -> None:
    pool = Scripted({"b"}, always=True)
    results = list(workers.graded_by(pool, [Job(name, b"") for name in "abc"]))
    assert [result.overloaded for result in results] == [False, False, True]
    assert len(pool.beside["b"]) == 2


def test_a_timeout_on_an_overloaded_machine_asks_for_a_look_and_says_why(grader: Grader, crowd: None) -> None:
    notebook = grader.assignment.solved({"mul_vjp": THOROUGH.replace("1.5", "11")})
    result = grader.grade(Job("ada", write_text(notebook).encode(), seed=1))
    assert result.report is not None and result.overloaded
    first = result.report.outcomes[0]
    assert (first.status, first.doubtful) == ("timeout", True)
    assert "overloaded" in result.report.notes[-1]


def test_the_limits_of_a_class_come_from_what_the_solution_takes(grader: Grader) -> None:
    walls = Sandbox()
    quick, slow, slowest = walls.within(0.1), walls.within(3.0), walls.within(60.0)
    assert (quick.call_seconds, quick.notebook_seconds, quick.cpu_seconds) == (4.0, 40.0, 40)
    assert (slow.call_seconds, slow.notebook_seconds, slow.cpu_seconds) == (10.0, 100.0, 100)
    assert (slowest.call_seconds, slowest.notebook_seconds, slowest.cpu_seconds) == (10.0, 240.0, 120)
    assert quick.notebook_seconds >= CALLS * quick.call_seconds
    own = Sandbox(call_seconds=2.0, notebook_seconds=9.0, memory_mb=600).within(0.1)
    assert (own.call_seconds, own.notebook_seconds, own.memory_mb) == (2.0, 9.0, 600)
    job = Job("ada", None, "nothing", solution_seconds=0.1)
    assert grader.grade(job).report is not None
    assert grader.limited[0.1].notebook_seconds == grader.sandbox.notebook_seconds


def test_the_solution_is_measured_once_in_a_class_and_again_when_it_changes(
    mini_course: Course, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    klass = Classroom(Course(root))
    unit = klass.course.assignment("mini")
    write_notebook(klass.folder("submitted", "ada", "mini") / "mini.ipynb", unit.solved())
    seen: list[tuple[str, float | None]] = []
    real = Grader.grade
    monkeypatch.setattr(
        Grader, "grade", lambda self, job: seen.append((job.student, job.solution_seconds)) or real(self, job)
    )
    for _ in range(2):
        grade_class(klass, unit, ["ada"], sandbox=sandbox, jobs=1, force=True)
    assert [student for student, _ in seen] == ["", "ada", "ada"]
    assert seen[0][1] is None and seen[1] == seen[2]
    assert 0.0 <= (seen[1][1] or 0.0) < 5.0
    with Gradebook(klass.folders.db_url) as gradebook:
        key = Grader.of(unit, [], sandbox).key
        assert cost_of(gradebook, "mini", key) == seen[1][1]
        assert cost_of(gradebook, "mini", "another") is None
        seed = seed_of(gradebook, "mini")
        keep_cost(gradebook, "mini", "another", 2.0)
        assert (cost_of(gradebook, "mini", "another"), cost_of(gradebook, "mini", key)) == (2.0, None)
        assert seed_of(gradebook, "mini") == seed
