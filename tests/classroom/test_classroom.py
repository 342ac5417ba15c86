"""A class is graded in one run: damage stays with its owner, what people decided stays, nothing ends in a silent 0."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbgrader import api
from nbgrader.api import Gradebook
from nbgrader.dbutil import _temp_alembic_ini
from rich.console import Console

from autograder.classroom import grader as grader_module
from autograder.classroom import run as run_module
from autograder.classroom.classroom import Classroom, known_students
from autograder.classroom.gradebook import newest_version
from autograder.classroom.grader import Graded, row_of
from autograder.classroom.run import grade_class, mistakes_table
from autograder.cli import tables as cli
from autograder.errors import UserError
from autograder.referee.report import Outcome, Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course

RIGHT = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"
NO_UPSTREAM = "def mul_vjp(g, a, b):\n    return b, a\n"


@pytest.fixture(scope="module")
def course(mini_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course of its own, with a class that has handed in."""
    root = tmp_path_factory.mktemp("class") / "course"
    shutil.copytree(mini_course.root, root)
    course = Course(root)
    mini = course.assignment("mini")
    for student in ("ada", "bit", "cut", "dup", "eve", "fay", "gil", "hal", "ivy"):
        (root / "submitted" / student / "mini").mkdir(parents=True)

    def path(student: str, name: str = "mini.ipynb") -> Path:
        return root / "submitted" / student / "mini" / name

    solved = nbformat.writes(mini.solved())
    path("ada").write_text(solved)
    path("bit").write_text(nbformat.writes(mini.solved({"mul_vjp": NO_UPSTREAM}, others="stub")))
    path("cut").write_text(solved[: len(solved) // 2])
    path("dup", "mini (1).ipynb").write_bytes(b"\xef\xbb\xbf" + solved.encode())
    path("eve").symlink_to(path("ada"))
    path("fay", "notes.txt").write_text("I lost it")
    path("gil").mkdir()
    path("hal").write_text(
        nbformat.writes(mini.solved({"unbox": "print('\\ud800\\x1b[2J')\nraise ValueError('\\ud801')"}))
    )
    path("hal", "timestamp.txt").write_text("the day before yesterday")
    path("ivy").write_text(solved)
    path("ivy", "timestamp.txt").write_text("2026-01-02 03:04:05 UTC")
    # A whole folder that is a link to a classmate's.
    (root / "submitted" / "joe").mkdir()
    (root / "submitted" / "joe" / "mini").symlink_to(root / "submitted" / "ada" / "mini")
    return course


@pytest.fixture(scope="module")
def klass(course: Course) -> Classroom:
    return Classroom(course)


@pytest.fixture(scope="module")
def unit(course: Course) -> Assignment:
    return course.assignment("mini")


@pytest.fixture(scope="module")
def rows(klass: Classroom, unit: Assignment, sandbox: Sandbox) -> dict[str, Graded]:
    """The first run over the class."""
    students = klass.students("mini")
    return {row.student: row for row in grade_class(klass, unit, students, sandbox=sandbox, jobs=1)}


@pytest.fixture
def gradebook(klass: Classroom, rows: dict[str, Graded]) -> Iterator[Gradebook]:
    with Gradebook(klass.folders.db_url, klass.folders.course_id) as found:
        yield found


def test_every_student_is_graded_once_whatever_the_others_handed_in(rows: dict[str, Graded]) -> None:
    assert {name: (row.score, row.state) for name, row in rows.items()} == {
        "ada": (5, "graded"),
        "bit": (0, "graded"),
        "cut": (0, "graded"),
        "dup": (5, "graded"),
        "eve": (0, "graded"),
        "fay": (0, "graded"),
        "gil": (0, "graded"),
        "hal": (2, "graded"),
        "ivy": (5, "graded"),
        "joe": (0, "graded"),
    }


def test_a_zero_that_damage_brought_says_why_and_asks_for_a_look(
    rows: dict[str, Graded], gradebook: Gradebook
) -> None:
    reasons = {
        "cut": "cut off",
        "eve": "symbolic link",
        "fay": "no notebook",
        "gil": "not a file",
        "joe": "symbolic link",
    }
    for student, reason in reasons.items():
        assert reason in rows[student].summary
        submission = gradebook.find_submission("mini", student)
        assert submission.needs_manual_grade
        assert reason in gradebook.find_comment("unbox", "mini", "mini", student).auto_comment


def test_scores_and_messages_are_in_the_gradebook(gradebook: Gradebook) -> None:
    scores = {s.student.id: s.score for s in gradebook.find_assignment("mini").submissions}
    assert scores == {
        "ada": 5, "bit": 0, "cut": 0, "dup": 5, "eve": 0, "fay": 0, "gil": 0, "hal": 2, "ivy": 5, "joe": 0,
    }  # fmt: skip
    told = gradebook.find_comment("mul_vjp", "mini", "mini", "bit").auto_comment
    assert "did not multiply them by g" in told
    assert gradebook.find_comment("mul_vjp", "mini", "mini", "ada").auto_comment is None
    assert not gradebook.find_submission("mini", "ada").needs_manual_grade


def test_a_timestamp_is_taken_when_it_is_one(gradebook: Gradebook, rows: dict[str, Graded]) -> None:
    assert str(gradebook.find_submission("mini", "ivy").timestamp).startswith("2026-01-02 03:04:05")
    assert gradebook.find_submission("mini", "hal").timestamp is None


def test_each_student_has_an_autograded_notebook_that_is_valid(
    course: Course, rows: dict[str, Graded]
) -> None:
    for student in rows:
        folder = course.root / "autograded" / student / "mini"
        assert [p.name for p in folder.iterdir()] == ["mini.ipynb"]
        nbformat.validate(nbformat.read(folder / "mini.ipynb", as_version=4))


def test_what_was_handed_in_is_not_changed(course: Course, rows: dict[str, Graded]) -> None:
    submitted = course.root / "submitted"
    assert (submitted / "eve" / "mini" / "mini.ipynb").is_symlink()
    assert [p.name for p in (submitted / "dup" / "mini").iterdir()] == ["mini (1).ipynb"]


def test_the_class_s_mistakes_are_counted(rows: dict[str, Graded]) -> None:
    assert mistakes_table(list(rows.values())) == [("mul_vjp: no_upstream", 1)]


def test_a_second_run_keeps_what_has_not_changed_and_force_grades_it_again(
    klass: Classroom, unit: Assignment, sandbox: Sandbox, rows: dict[str, Graded]
) -> None:
    again = grade_class(klass, unit, ["ada", "bit"], sandbox=sandbox)
    assert [(row.state, row.score, row.summary) for row in again] == [
        ("kept", 5, "all right"),
        ("kept", 0, rows["bit"].summary),
    ]
    assert again[1].mistakes == rows["bit"].mistakes
    forced = grade_class(klass, unit, ["ada"], sandbox=sandbox, force=True)
    assert [(row.state, row.score) for row in forced] == [("graded", 5)]


def test_a_file_that_has_changed_is_graded_again(
    klass: Classroom, unit: Assignment, sandbox: Sandbox, rows: dict[str, Graded]
) -> None:
    path = klass.folder("submitted", "fay", "mini") / "mini.ipynb"
    path.write_text(nbformat.writes(unit.solved({"mul_vjp": RIGHT}, others="stub")))
    (row,) = grade_class(klass, unit, ["fay"], sandbox=sandbox)
    assert (row.state, row.score) == ("graded", 2)
    path.unlink()
    (row,) = grade_class(klass, unit, ["fay"], sandbox=sandbox)
    assert (row.state, row.score) == ("graded", 0)


def test_a_notebook_that_lies_beside_the_graded_one_is_named(
    klass: Classroom, unit: Assignment, sandbox: Sandbox, rows: dict[str, Graded]
) -> None:
    folder = klass.folder("submitted", "fay", "mini")
    right, other = folder / "mini.ipynb", folder / "mini-final.ipynb"
    right.write_text(nbformat.writes(unit.solved({"mul_vjp": RIGHT}, others="stub")))
    assert [row.summary for row in grade_class(klass, unit, ["fay"], sandbox=sandbox)] == ["1 not written"]
    other.write_text(nbformat.writes(unit.solved()))
    (row,) = grade_class(klass, unit, ["fay"], sandbox=sandbox)
    assert (row.state, row.score) == ("graded", 2)
    assert row.summary.endswith("; not graded, because one notebook counts: 'mini-final.ipynb'")
    path = klass.folder("autograded", "fay", "mini") / "mini.ipynb"
    assert "Not graded, because one notebook counts: 'mini-final.ipynb'." in path.read_text()
    right.unlink()
    (row,) = grade_class(klass, unit, ["fay"], sandbox=sandbox)
    assert (row.score, row.summary) == (5, "all right")
    other.unlink()


def test_scores_and_comments_of_a_person_survive_a_second_grading(
    klass: Classroom, unit: Assignment, sandbox: Sandbox, rows: dict[str, Graded]
) -> None:
    with Gradebook(klass.folders.db_url, klass.folders.course_id) as gradebook:
        gradebook.find_grade("mul_vjp_check", "mini", "mini", "bit").manual_score = 1.5
        gradebook.find_grade("mul_vjp_check", "mini", "mini", "bit").extra_credit = 0.25
        gradebook.find_comment("mul_vjp", "mini", "mini", "bit").manual_comment = "Half of it is right."
        gradebook.db.commit()
    (row,) = grade_class(klass, unit, ["bit"], sandbox=sandbox, force=True)
    assert (row.score, row.by_hand) == (0, 1.75)
    (row,) = grade_class(klass, unit, ["bit"], sandbox=sandbox)
    assert (row.state, row.score, row.by_hand) == ("kept", 0, 1.75)
    with Gradebook(klass.folders.db_url, klass.folders.course_id) as gradebook:
        grade = gradebook.find_grade("mul_vjp_check", "mini", "mini", "bit")
        assert (grade.score, grade.manual_score, grade.auto_score) == (1.75, 1.5, 0)
        assert grade.needs_manual_grade
        assert gradebook.find_comment("mul_vjp", "mini", "mini", "bit").comment == "Half of it is right."


def test_a_run_that_is_killed_is_finished_by_the_next_one(
    klass: Classroom,
    unit: Assignment,
    sandbox: Sandbox,
    rows: dict[str, Graded],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.rmtree(klass.folder("autograded", "ivy", "mini"))

    def die(*args: object) -> None:
        raise KeyboardInterrupt

    for name in ("fill_in", "record_seed", "one_transaction", "write_file"):
        with monkeypatch.context() as patch:
            patch.setattr(run_module, name, die)
            with pytest.raises(KeyboardInterrupt):
                grade_class(klass, unit, ["ivy"], sandbox=sandbox)
        assert not (klass.folder("autograded", "ivy", "mini") / "mini.ipynb").exists()
    (row,) = grade_class(klass, unit, ["ivy"], sandbox=sandbox)
    assert (row.state, row.score) == ("graded", 5)
    with Gradebook(klass.folders.db_url, klass.folders.course_id) as gradebook:
        assert gradebook.find_submission("mini", "ivy").score == 5


def test_an_exercise_that_came_or_went_after_grading_is_one_sentence_and_nothing_is_lost(
    course: Course,
    klass: Classroom,
    sandbox: Sandbox,
    rows: dict[str, Graded],
    gradebook: Gradebook,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {s["student"]: s["score"] for s in gradebook.submission_dicts("mini")}
    changed = course.assignment("mini")
    gone = changed.exercises[-1]
    monkeypatch.setitem(changed.__dict__, "exercises", changed.exercises[:-1])
    monkeypatch.setattr(run_module.bank, "load_bank", lambda assignment: [])
    with pytest.raises(UserError, match=rf"before {gone.name} was added or removed.*remove mini --force"):
        grade_class(klass, changed, ["ada"], sandbox=sandbox)
    gradebook.db.expire_all()
    assert {s["student"]: s["score"] for s in gradebook.submission_dicts("mini")} == before


def test_a_failure_of_this_machine_is_told_and_the_class_goes_on(
    klass: Classroom,
    unit: Assignment,
    sandbox: Sandbox,
    rows: dict[str, Graded],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = grader_module.grade

    def fail(assignment: Assignment, submission: object, *args: object, **kwargs: object) -> Report:
        if getattr(submission, "answers", {}).get("mul_vjp") == NO_UPSTREAM:
            raise OSError("No space left on device")
        return real(assignment, submission, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(grader_module, "grade", fail)
    bad, good = grade_class(klass, unit, ["bit", "ada"], sandbox=sandbox, force=True)
    assert bad.state == "failed"
    assert "No space left" in bad.summary
    assert (good.state, good.score) == ("graded", 5)
    with Gradebook(klass.folders.db_url, klass.folders.course_id) as gradebook:
        assert gradebook.find_grade("mul_vjp_check", "mini", "mini", "bit").manual_score == 1.5


def test_a_row_names_what_went_wrong() -> None:
    def outcome(name: str, status: str, mistake: str = "") -> Outcome:
        return Outcome(name, 0, 1, status, "", mistake=mistake)

    report = Report(
        "mini", 0, True, [outcome("a", "failed", "sign"), outcome("b", "timeout"), outcome("c", "missing")]
    )
    assert row_of("x", report).summary == "a (sign), b (timeout), 1 not written"
    assert row_of("x", Report("mini", 0, True, [outcome("a", "missing")])).summary == "nothing written"


def test_hidden_folders_and_files_are_no_students(course: Course, klass: Classroom) -> None:
    (course.root / "submitted" / ".trash" / "mini").mkdir(parents=True)
    (course.root / "submitted" / "readme.txt").write_text("")
    (course.root / "submitted" / "other-unit-only" / "other").mkdir(parents=True)
    assert not {".trash", "readme.txt", "other-unit-only"} & set(klass.students("mini"))
    assert os.path.isdir(course.root / "submitted" / "other-unit-only")


@pytest.fixture
def small(mini_course: Course, tmp_path: Path) -> Classroom:
    """A class of two, for tests that change the unit."""
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    course = Course(root)
    for student, answers in (("ada", {}), ("bit", {"mul_vjp": NO_UPSTREAM})):
        path = root / "submitted" / student / "mini" / "mini.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(course.assignment("mini").solved(answers)))
    return Classroom(course)


def change(klass: Classroom, old: str, new: str) -> Assignment:
    """The unit after its answer key was edited and built again."""
    path = klass.course.assignment("mini").path
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return klass.course.assignment("mini")


def shown(function: Callable[..., None], *args: object) -> str:
    """What a function prints on a wide console."""
    out = io.StringIO()
    function(*args, console=Console(width=200, file=out))
    return out.getvalue()


def test_a_hidden_test_that_changes_regrades_all_and_shows_whose_score_changed_and_why(
    small: Classroom, sandbox: Sandbox
) -> None:
    grade_class(small, small.course.assignment("mini"), ["ada", "bit"], sandbox=sandbox)
    unit = change(small, "check.close(sum_of_logs([]), 0.0", "check.close(sum_of_logs([]), 9.0")
    rows = grade_class(small, unit, ["ada", "bit"], sandbox=sandbox)
    assert [(row.state, row.before, row.score) for row in rows] == [("graded", 5, 2), ("graded", 3, 0)]
    text = shown(cli.show_changes, rows)
    for name, before, now in (("ada", 5, 2), ("bit", 3, 0)):
        assert re.search(rf"{name} +{before} +{now} +unbox 3 → 0 \(failed\) +the unit has changed", text), (
            text
        )
    assert "2 graded again; 2 of them with another score." in text
    unit = change(small, "an empty sum is 0", "an empty sum is nothing")
    rows = grade_class(small, unit, ["ada", "bit"], sandbox=sandbox)
    assert "2 graded again; 0 of them with another score." in shown(cli.show_changes, rows)
    rows = grade_class(small, unit, ["ada", "bit"], sandbox=sandbox, force=True)
    assert {row.why for row in rows} == {"--force"}


def test_a_run_with_nothing_new_writes_nothing_grades_nothing_and_says_so(
    small: Classroom, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = small.course.assignment("mini")
    grade_class(small, unit, ["ada", "bit"], sandbox=sandbox)

    def stamps() -> dict[str, int]:
        files = [*small.course.root.glob("autograded/**/*"), small.course.root / "gradebook.db"]
        return {str(path): path.stat().st_mtime_ns for path in files}

    before = stamps()
    monkeypatch.setattr(grader_module, "grade", None)
    rows = grade_class(small, unit, ["ada", "bit"], sandbox=sandbox)
    assert stamps() == before
    assert shown(cli.show_changes, rows).strip().startswith("Nothing new: 2 graded before")


def test_an_older_gradebook_that_was_put_back_is_brought_up_to_date(
    small: Classroom, sandbox: Sandbox
) -> None:
    unit = small.course.assignment("mini")
    database = small.course.root / "gradebook.db"
    grade_class(small, unit, ["ada", "bit"], sandbox=sandbox)
    older = database.read_bytes()
    path = small.folder("submitted", "bit", "mini") / "mini.ipynb"
    path.write_text(nbformat.writes(unit.solved()))
    grade_class(small, unit, ["bit"], sandbox=sandbox)
    database.write_bytes(older)
    rows = grade_class(small, unit, ["ada", "bit"], sandbox=sandbox)
    assert [(row.state, row.score) for row in rows] == [("kept", 5), ("graded", 5)]
    with Gradebook(small.folders.db_url, small.folders.course_id) as gradebook:
        assert gradebook.find_submission("mini", "bit").score == 5


def test_who_is_late_new_or_missing_is_named(small: Classroom, sandbox: Sandbox) -> None:
    unit = small.course.assignment("mini")
    with Gradebook(small.folders.db_url, small.folders.course_id) as gradebook:
        for student in ("ada", "zoe"):
            gradebook.update_or_create_student(student)
        gradebook.update_or_create_assignment("mini", duedate="2026-01-01 00:00:00 UTC")
    stamp = small.folder("submitted", "ada", "mini") / "timestamp.txt"
    stamp.write_text("2026-01-02 03:04:05 UTC")
    known = [person.id for person in known_students(small)[0]]
    rows = grade_class(small, unit, ["ada", "bit"], sandbox=sandbox)
    lines = shown(cli.show_people, rows, known, True).splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [
        ["late", "ada (1 d 3 h)"],
        ["new", "bit"],
        ["missing", "zoe"],
    ]
    assert "missing" not in shown(cli.show_people, rows, known, False)


def test_an_unknown_student_is_refused_where_nbgrader_is_told_to(small: Classroom, sandbox: Sandbox) -> None:
    with open(small.course.root / "nbgrader_config.py", "a") as config:
        config.write("\nc.Autograde.create_student = False\n")
    with Gradebook(small.folders.db_url, small.folders.course_id) as gradebook:
        gradebook.update_or_create_student("ada")
    klass = Classroom(small.course)
    ada, bit = grade_class(klass, klass.course.assignment("mini"), ["ada", "bit"], sandbox=sandbox)
    assert (ada.state, bit.state) == ("graded", "failed")
    assert "is not in the gradebook" in bit.summary
    assert [person.id for person in known_students(klass)[0]] == ["ada"]


def test_the_version_of_the_tables_is_what_alembic_says(monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = Path(sysconfig.get_path("scripts"))
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    with _temp_alembic_ini("sqlite://") as settings:
        told = subprocess.run(
            ["alembic", "-c", settings, "heads"], capture_output=True, text=True, check=True
        )
    assert told.stdout.split()[0] == newest_version() == api.get_alembic_version()


#: A time whose hour has too many digits for `decimal`: an InvalidOperation, which is no ValueError.
NO_HOUR = "1333333333333444444444444777777777777.5h333333333333"


def test_what_only_some_students_names_and_times_do_ends_no_run(small: Classroom, sandbox: Sandbox) -> None:
    """Three that cannot be written, one after the other, end a run: the gradebook's failures count, not a student's."""
    work = small.folder("submitted", "ada", "mini") / "mini.ipynb"
    for student in ("cy", "dee", "eve", "no\udcfe", "no\udcfd", "no\udcfc", "zoe"):
        folder = small.folder("submitted", student, "mini")
        folder.mkdir(parents=True)
        shutil.copy(work, folder)
        (folder / "timestamp.txt").write_text(NO_HOUR)
    students = small.students("mini")
    rows = grade_class(small, small.course.assignment("mini"), students, sandbox=sandbox, jobs=1)
    assert {row.student: row.state for row in rows} == {
        student: "failed" if student.startswith("no") else "graded" for student in students
    }


@pytest.mark.parametrize("mode", [0o444, 0])
def test_a_folder_that_may_not_be_read_is_in_nobody_s_way(mode: int, small: Classroom) -> None:
    """Root may read all: as in a namespace in which the same user is none."""
    command = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] if os.geteuid() == 0 else []
    if command and subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    code = f"""
from pathlib import Path
from autograder.unit.assignment import Course
from autograder.classroom.classroom import Classroom
from autograder.classroom.attempts import job_of
from autograder.classroom.attempts import read_timestamp
klass = Classroom(Course(Path({str(small.course.root)!r})))
for student in klass.students("mini"):
    job = job_of(klass, klass.course.assignment("mini"), student)
    print(student, job.data is not None, job.note)
    read_timestamp(klass.folder("submitted", student, "mini") / "timestamp.txt")
"""
    folder = small.folder("submitted", "bit", "mini")
    folder.chmod(mode)
    try:
        done = subprocess.run(
            [*command, sys.executable, "-c", code], capture_output=True, text=True, timeout=60
        )
    finally:
        folder.chmod(0o755)
    assert done.stdout.splitlines() == [
        "ada True ",
        "bit False The folder mini cannot be read: Permission denied.",
    ], done.stderr[-500:]
