"""Lateness costs what the class has said, by the due date and the time of handing in as they are now."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from rich.console import Console
from sqlalchemy import event
from sqlalchemy.engine import Engine

from autograder.classroom.classroom import Classroom, known_students
from autograder.classroom.grader import Graded
from autograder.classroom.platforms.collect import collect
from autograder.classroom.platforms.export import export
from autograder.classroom.run import grade_class
from autograder.cli import tables
from autograder.cli.grading import _late_policy
from autograder.errors import UserError
from autograder.referee.autograded import write_notebook
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course

RIGHT = {
    "mul_vjp": "def mul_vjp(g, a, b):\n    return g * b, g * a\n",
    "unbox": "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)\n",
}
Grade = Callable[..., dict[str, Graded]]


@pytest.fixture
def classroom(mini_course: Course, tmp_path: Path) -> Classroom:
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    found = Classroom(Course(root))
    mini = found.course.assignment("mini")
    for student in ("ada", "bob"):
        write_notebook(found.folder("submitted", student, "mini") / "mini.ipynb", mini.solved(RIGHT))
    return found


@pytest.fixture
def grade(classroom: Classroom, sandbox: Sandbox) -> Grade:
    def run(**options: Any) -> dict[str, Graded]:
        unit = classroom.course.assignment("mini")
        rows = grade_class(classroom, unit, ["ada", "bob"], sandbox=sandbox, jobs=1, **options)
        return {row.student: row for row in rows}

    return run


def due(classroom: Classroom, when: str) -> None:
    with Gradebook(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        gradebook.update_or_create_assignment("mini", duedate=when)


def handed_in(classroom: Classroom, student: str, when: str) -> None:
    path = classroom.folder("submitted", student, "mini") / "timestamp.txt"
    path.write_text(when) if when else path.unlink()


def scores(classroom: Classroom) -> dict[str, float]:
    with Gradebook(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        return {
            s.student_id: s.score - sum(n.late_submission_penalty or 0 for n in s.notebooks)
            for s in gradebook.find_assignment("mini").submissions
        }


def shown(function: Callable[..., None], *args: Any) -> str:
    console = Console(file=io.StringIO(), width=120)
    function(*args, console=console)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_each_day_that_has_begun_costs_a_share_of_the_unit_s_points(
    classroom: Classroom, grade: Grade
) -> None:
    due(classroom, "2026-01-01 00:00:00 UTC")
    handed_in(classroom, "ada", "2026-01-02 00:00:01 UTC")
    handed_in(classroom, "bob", "2026-01-01 00:00:00 UTC")
    rows = grade(late_policy=10.0)
    assert (rows["ada"].score, rows["ada"].penalty, rows["bob"].penalty) == (5, 1.0, 0)
    assert scores(classroom) == {"ada": 4.0, "bob": 5.0}
    assert "late     ada (1 d 0 h, −1)" in shown(
        tables.show_people, list(rows.values()), ["ada", "bob"], True
    )
    # It is kept: the next run knows it, and so does the export.
    assert grade()["ada"].penalty == 1.0
    text = export(classroom.folders.db_url, classroom.folders.course_id, "csv", "mini", lambda told: None)
    assert [row.split(",")[-3:-1] for row in text.splitlines()[1:]] == [["1", "4"], ["0", "5"]]


def test_what_changes_after_grading_is_recomputed_by_the_next_run_and_shown(
    classroom: Classroom, grade: Grade
) -> None:
    handed_in(classroom, "ada", "2026-01-03 12:00:00 UTC")
    grade(late_policy=10.0)
    assert scores(classroom)["ada"] == 5
    steps: list[tuple[Callable[[], None], dict[str, Any], float]] = [
        (lambda: due(classroom, "2026-01-01 00:00:00 UTC"), {}, 1.5),
        (lambda: handed_in(classroom, "ada", "2026-01-01 00:00:01 UTC"), {}, 0.5),
        (lambda: None, {"late_policy": 50.0}, 2.5),
        (lambda: handed_in(classroom, "ada", "2026-02-01 00:00:00 UTC"), {}, 5.0),
        (lambda: due(classroom, "2026-03-01 00:00:00 UTC"), {}, 0.0),
        (lambda: due(classroom, "2026-01-01 00:00:00 UTC"), {}, 5.0),
        (lambda: handed_in(classroom, "ada", ""), {}, 0.0),
    ]
    before = 0.0
    for change, options, penalty in steps:
        change()
        row = grade(**options)["ada"]
        assert (row.state, row.penalty, row.penalty_before) == ("kept", penalty, before)
        assert scores(classroom)["ada"] == 5 - penalty
        told = shown(tables.show_changes, [row])
        assert ["ada", f"{before:g}", f"{penalty:g}"] in [line.split() for line in told.splitlines()]
        before = penalty
        again = grade()["ada"]
        assert (again.penalty, again.penalty_before) == (penalty, None)


def test_without_a_percentage_nbgrader_s_own_configuration_counts(classroom: Classroom, grade: Grade) -> None:
    with (classroom.course.root / "nbgrader_config.py").open("a") as file:
        file.write("\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    del classroom.config  # read anew
    due(classroom, "2026-01-01 00:00:00 UTC")
    handed_in(classroom, "ada", "2026-01-01 05:00:00 UTC")
    assert grade()["ada"].penalty == 5
    assert grade(late_policy=20.0)["ada"].penalty == 1
    assert grade(late_policy="nbgrader")["ada"].penalty == 5
    assert grade(late_policy=0.0)["ada"].penalty == 0


def test_nbgrader_autograde_takes_off_the_same(
    classroom: Classroom, grade: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    due(classroom, "2026-01-01 00:00:00 UTC")
    handed_in(classroom, "ada", "2026-01-02 05:00:00 UTC")
    grade(late_policy=10.0)
    monkeypatch.chdir(classroom.course.root)
    result = NbGraderAPI(classroom.folders, config=classroom.config).autograde("mini", "ada", force=True)
    assert result["success"], result["log"]
    assert scores(classroom)["ada"] == 4


def test_canvas_late_mark_costs_a_day_and_a_new_hand_in_in_time_costs_nothing(
    classroom: Classroom, grade: Grade, tmp_path: Path
) -> None:
    due(classroom, "2026-01-01 00:00:00 UTC")
    mini = classroom.course.assignment("mini")
    with Gradebook(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        gradebook.add_student("ada", first_name="Ada", last_name="L", lms_user_id="7")
    for late, answers, score in (
        ("_LATE", {}, 4.5),
        ("", {"mul_vjp": "def mul_vjp(g, a, b): return g * b, a * g"}, 5),
    ):
        write_notebook(tmp_path / "x.ipynb", mini.solved(RIGHT | answers))
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
            archive.write(tmp_path / "x.ipynb", f"lada{late}_7_99_mini.ipynb")
        people, dates = known_students(classroom)
        result = collect(
            tmp_path / "all.zip",
            {"mini": mini},
            lambda s, u: classroom.folder("submitted", s, u),
            people=people,
            due=dates,
        )
        assert list(result.students) == ["ada"]
        grade(late_policy=10.0)
        assert scores(classroom)["ada"] == score


@pytest.mark.parametrize(
    ("text", "percent"), [("10", 10.0), ("2.5%", 2.5), ("0", 0.0), ("nbgrader", "nbgrader"), (None, None)]
)
def test_a_late_policy_is_a_percentage(text: str | None, percent: object) -> None:
    assert _late_policy(text) == percent


@pytest.mark.parametrize("text", ["-1", "101", "ten", "nan", "inf", "", "%"])
def test_another_late_policy_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="--late-policy takes percent"):
        _late_policy(text)


def test_a_new_result_goes_into_the_gradebook_once(classroom: Classroom, grade: Grade) -> None:
    """Rows that were inserted empty and filled in afterwards took the thread that writes as long again."""
    told: list[str] = []

    def note(_1: Any, _2: Any, statement: str, *_: Any) -> None:
        told.append(" ".join(statement.split()[:3]))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        grade()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert scores(classroom) == {"ada": 5.0, "bob": 5.0}
    for table in ("grade", "comment"):
        assert told.count(f"INSERT INTO {table}") == 2
        assert not [statement for statement in told if statement.startswith(f"UPDATE {table} ")]
