"""Same answer, same points: a class has one seed for a unit, and no student ever gets to see it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI

from autograder.classroom import state
from autograder.classroom.classroom import Classroom
from autograder.classroom.run import grade_class
from autograder.classroom.state import draw_seed, record_seed, seed_of, seeds_of_results
from autograder.cli import terminal
from autograder.cli.app import main
from autograder.lesson.probes import use_session
from autograder.referee import check_cells
from autograder.referee.autograded import write_notebook
from autograder.referee.judge import grade
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import Submission

from ..conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("bubblewrap")

#: Right, where no first number is large: about every second seed draws one.
LUCKY = "def mul_vjp(g, a, b):\n    return (0.0, 0.0) if 2.6 < g < 3 else (g * b, g * a)\n"
#: Always caught by the drawn inputs, which the message shows.
UNLUCKY = "def mul_vjp(g, a, b):\n    return (30.0, 20.0)\n"
#: The same inputs always, and other random numbers each time: right with a chance of a half.
DICE = "import random\nWILL = random.random() < 0.5\ndef mul_vjp(g, a, b):\n    return (g * b, g * a) if WILL else 0\n"


def class_with(root: Path, answers: dict[str, str], mini_course: Course) -> Classroom:
    """A class in which each student hands in one answer."""
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    klass = Classroom(Course(root))
    unit = klass.course.assignment("mini")
    for student, answer in answers.items():
        notebook = unit.solved({"mul_vjp": answer})
        write_notebook(klass.folder("submitted", student, "mini") / "mini.ipynb", notebook)
    return klass


def comments(klass: Classroom) -> set[str]:
    """What is said of the first exercise, among all students."""
    with Gradebook(klass.folders.db_url) as gradebook:
        students = [s.student.id for s in gradebook.find_assignment("mini").submissions]
        return {gradebook.find_comment("mul_vjp", "mini", "mini", s).auto_comment for s in students}


def test_the_same_answer_gets_the_same_inputs_for_every_student_in_every_regrade_and_by_nbgrader(
    mini_course: Course, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    klass = class_with(
        tmp_path / "c", dict.fromkeys(("ada", "bob", "cyd", "dan", "eve"), UNLUCKY), mini_course
    )
    unit = klass.course.assignment("mini")
    grade_class(klass, unit, klass.students("mini"), sandbox=sandbox)  # in worker processes
    (first,) = comments(klass)
    assert "called" in first
    grade_class(klass, unit, ["ada"], sandbox=sandbox, force=True)
    assert comments(klass) == {first}
    monkeypatch.chdir(klass.course.root)
    api = NbGraderAPI(klass.folders, config=klass.config)
    assert api.autograde("mini", "bob", force=True)["success"]  # as Formgrader's button does
    assert comments(klass) == {first}
    with Gradebook(klass.folders.db_url) as gradebook:
        seed = seed_of(gradebook, "mini")
        assert seeds_of_results(gradebook, "mini") == dict.fromkeys(klass.students("mini"), seed)
    report = grade(unit, Submission(answers={"mul_vjp": UNLUCKY, "unbox": ""}), sandbox, seed=seed)
    assert report.outcomes[0].text in first


def test_what_an_answer_draws_without_a_seed_of_its_own_is_the_same_for_all(
    mini_course: Course, sandbox: Sandbox, tmp_path: Path
) -> None:
    klass = class_with(tmp_path / "c", dict.fromkeys("abcdefghijkl", DICE), mini_course)
    rows = grade_class(
        klass, klass.course.assignment("mini"), klass.students("mini"), sandbox=sandbox, jobs=1
    )
    assert len({row.score for row in rows}) == 1


def lucky_seed(unit: Assignment, sandbox: Sandbox, points: float) -> int:
    """A seed with which the lucky answer earns so much."""
    for seed in range(40):
        report = grade(unit, Submission(answers={"mul_vjp": LUCKY, "unbox": ""}), sandbox, seed=seed)
        if report.score == points:
            return seed
    raise AssertionError("no such seed")


def run(*words: str, cwd: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.chdir(cwd)
    monkeypatch.setattr(sys, "argv", ["autograder", *words])
    monkeypatch.setattr(terminal.console, "width", 200)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code, capsys.readouterr()
    return capsys.readouterr().out


def test_a_new_seed_grades_everybody_again_and_says_whose_score_changed(
    mini_course: Course,
    sandbox: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    klass = class_with(tmp_path / "c", {"ada": LUCKY, "bob": LUCKY, "cyd": UNLUCKY}, mini_course)
    unit = klass.course.assignment("mini")
    good, bad = lucky_seed(unit, sandbox, 2), lucky_seed(unit, sandbox, 0)
    where = {"cwd": klass.course.root, "monkeypatch": monkeypatch, "capsys": capsys}
    drawn = iter((good, bad))
    monkeypatch.setattr(state.secrets, "randbits", lambda bits: next(drawn))
    first = run("grade", "mini", "--jobs", "1", **where)
    assert first.count("5 / 5") == 2
    assert f"the seed {good}:" in run("seed", "mini", **where)
    assert "Nothing new: 3 graded before" in run("grade", "mini", "--jobs", "1", **where)
    second = run("grade", "mini", "--new-seed", "--jobs", "1", **where)
    for student in ("ada", "bob"):
        (changed,) = [
            line for line in second.splitlines() if line.split()[:1] == [student] and "another seed" in line
        ]
        assert changed.split()[1:3] == ["5", "3"] and "mul_vjp 2 → 0" in changed
    assert "3 graded again; 2 of them with another score." in second
    assert f"the seed {bad}:" in run("seed", "mini", **where)
    monkeypatch.setattr(sys, "argv", ["autograder", "grade", "mini", "--new-seed", "--student", "ada"])
    with pytest.raises(SystemExit):
        main()
    assert "leave out --student" in capsys.readouterr().err


def test_a_run_with_a_new_seed_that_was_stopped_is_finished_by_the_next_one(
    mini_course: Course, sandbox: Sandbox, tmp_path: Path
) -> None:
    klass = class_with(tmp_path / "c", dict.fromkeys(("ada", "bob", "cyd"), UNLUCKY), mini_course)
    unit = klass.course.assignment("mini")
    grade_class(klass, unit, klass.students("mini"), sandbox=sandbox)
    before = comments(klass)

    def stop(row: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade_class(klass, unit, klass.students("mini"), sandbox=sandbox, done=stop, new_seed=True)
    assert len(comments(klass)) == 2
    rows = grade_class(klass, unit, klass.students("mini"), sandbox=sandbox)
    assert sorted(row.state for row in rows) == ["graded", "graded", "kept"]
    (after,) = comments(klass)
    assert after not in before


def test_the_seed_is_in_nothing_that_students_are_given(
    mini_course: Course, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    klass = class_with(tmp_path / "c", {"ada": UNLUCKY, "bob": LUCKY}, mini_course)
    unit = klass.course.assignment("mini")
    grade_class(klass, unit, ["ada"], sandbox=sandbox)
    monkeypatch.chdir(klass.course.root)
    api = NbGraderAPI(klass.folders, config=klass.config)
    assert api.autograde("mini", "bob")["success"]
    assert api.generate_feedback("mini", "*", force=True)["success"]
    assert api.generate_assignment("mini", force=True)["success"]
    with Gradebook(klass.folders.db_url) as gradebook:
        seed = seed_of(gradebook, "mini")
    assert seed >= 2**31, "a short one could be found by trying"
    holds = {
        path.relative_to(klass.course.root).as_posix()
        for path in klass.course.root.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in (str(seed).encode(), b"%x" % seed))
    }
    assert holds == {"gradebook.db"}


def test_what_is_drawn_for_one_exercise_tells_neither_the_seed_nor_the_others_inputs(
    mini: Assignment, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generator's beginning can be worked out from its numbers, which a student's code sees and can print."""
    begins: list[int] = []
    real = use_session
    monkeypatch.setattr(
        check_cells, "use_session", lambda session: begins.append(session.seed) or real(session)
    )
    grade(mini, Submission(answers={"mul_vjp": UNLUCKY, "unbox": ""}), sandbox, seed=12345)
    one, two = begins
    assert one != two and 12345 not in (one, two)
    assert min(one, two) > 2**64, "no seed that can be found by trying"


TWO_AT_ONCE = """
import sys
from nbgrader.api import Gradebook
from autograder.classroom.state import seed_of
sys.stdin.readline()
with Gradebook(sys.argv[1]) as gradebook:
    print(seed_of(gradebook, "mini"))
"""


def test_graders_that_start_at_once_have_one_seed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    with Gradebook(url):
        pass
    graders = [
        subprocess.Popen(
            [sys.executable, "-c", TWO_AT_ONCE, url],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    time.sleep(0.2)
    said = [grader.communicate("go\n", timeout=120)[0].strip() for grader in graders]
    assert len(set(said)) == 1 and said[0].isdigit()


def test_a_new_seed_is_another_and_each_unit_has_its_own(tmp_path: Path) -> None:
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        one, two = seed_of(gradebook, "one"), seed_of(gradebook, "two")
        assert one != two
        assert draw_seed(gradebook, "one") == seed_of(gradebook, "one") != one
        assert seed_of(gradebook, "two") == two
        for seed in (one, two):
            record_seed(gradebook, "one", "ada", seed)
            gradebook.db.commit()
        assert seeds_of_results(gradebook, "one") == {"ada": two}


DRAWS = """
import random, numpy
from numpy.random import default_rng
from autograd_ref.nn import init
print(random.random(), numpy.random.rand(), default_rng().random(), default_rng().random(), init.generator().random())
"""


@pytest.mark.parametrize("warm", [True, False])
def test_a_seed_repeats_all_that_a_notebook_draws_and_another_does_not(warm: bool, bubblewrap: None) -> None:
    drawn = []
    for seed in (5, 5, 6, None):
        process = PupilProcess(Sandbox(warm=warm), ("autograd_ref.nn",), time.monotonic() + 60, seed)
        result = process.run_cell(DRAWS)
        process.close()
        assert result.error is None, result.error
        drawn.append(result.text.split())
    assert drawn[0] == drawn[1]
    assert all(len({numbers[i] for numbers in drawn}) == 3 for i in range(5))
    assert drawn[0][2] != drawn[0][3]


def test_the_reported_seed_is_that_of_the_class(grade_answers: Callable[..., object]) -> None:
    first, second = (grade_answers(seed=2**62 + 1, mul_vjp=UNLUCKY).as_json() for _ in range(2))  # type: ignore[attr-defined]
    assert first == second and first["seed"] == 2**62 + 1
