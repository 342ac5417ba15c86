"""Scores that were got without a wall: every place where one is shown says that it is not protected."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.sandbox.walls import UNPROTECTED
from autograder.unit.assignment import Assignment, Course

from ..cli.test_cli import Said, course, run  # noqa: F401  fixtures

pytestmark = pytest.mark.usefixtures("bubblewrap")
MARK = "These scores are not protected"


def cells(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))


def test_a_score_without_a_wall_is_marked_wherever_it_is_shown_until_it_is_graded_behind_one(
    run: Callable[..., Said],  # noqa: F811
    course: Course,  # noqa: F811
    mini: Assignment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = course.root / "nbgrader_config.py"
    walled = config.read_text()
    config.write_text(f"{walled}\nc.Sandbox.landlock = False\nc.Sandbox.unsandboxed = True\n")
    for student, notebook in (("ada", mini.solved()), ("bob", mini.solved(others="stub"))):
        folder = course.root / "submitted" / student / "mini"
        folder.mkdir(parents=True)
        (folder / "mini.ipynb").write_text(nbformat.writes(notebook))
    refused = run("grade", "mini", cwd=course.root)
    assert (refused.code, refused.out) == (2, "")
    assert "--unprotected-scores" in refused.err

    graded = run("grade", "mini", "--unprotected-scores", cwd=course.root)
    assert graded.code == 0
    assert graded.out.count("(not protected)") == 2 and MARK in graded.out
    kept = run("grade", "mini", "--unprotected-scores", cwd=course.root)
    assert kept.out.count("(unchanged)") == kept.out.count("(not protected)") == 2

    autograded = course.root / "autograded" / "ada" / "mini" / "mini.ipynb"
    notebook = nbformat.read(autograded, 4)
    assert f"**{UNPROTECTED}**" in notebook.cells[0].source
    assert notebook.metadata["autograder"]["wall"] == "none"
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        found = gradebook.find_submission_notebook("mini", "mini", "ada")
        assert [comment.auto_comment for comment in found.comments] == [UNPROTECTED] * 2

    from autograder.classroom.classroom import Classroom
    from autograder.classroom.feedback.write import write_feedback

    classroom = Classroom(Course(course.root))
    with monkeypatch.context() as patch:
        patch.chdir(course.root)
        assert write_feedback(classroom, mini.unit, ["ada", "bob"]) == {}
    for student in ("ada", "bob"):
        assert MARK in (course.root / "feedback" / student / "mini" / "mini.html").read_text()

    page, table = course.root / "page.html", course.root / "table.csv"
    run("report", "mini", "--out", page, "--csv", table, cwd=course.root)
    assert "2 scores not protected" in page.read_text() and MARK in page.read_text()
    head, *rows = cells(table)
    assert [row[head.index("protected")] for row in rows] == ["no", "no"]

    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        for number, student in enumerate(("ada", "bob"), 1):  # by which Canvas knows them
            gradebook.update_or_create_student(student, lms_user_id=str(number))
    for to in ("csv", "canvas", "moodle"):
        out = course.root / f"{to}.csv"
        said = run("export", "--to", to, "--out", out, cwd=course.root)
        assert "mini: 2 of 2 scores were got without a wall" in said.out
        assert "not protected" in out.read_text() if to != "csv" else "mini: protected" in out.read_text()
    head, *rows = cells(course.root / "csv.csv")
    assert [row[head.index("mini: protected")] for row in rows] == ["no", "no"]

    config.write_text(walled)
    again = run("grade", "mini", cwd=course.root)
    assert "not protected" not in again.out and "2 graded again" in again.out
    run("report", "mini", "--out", page, "--csv", table, cwd=course.root)
    assert "not protected" not in page.read_text()
    said = run("export", "--to", "csv", "--out", course.root / "csv.csv", cwd=course.root)
    assert "without a wall" not in said.out
    assert "mini: protected" not in (course.root / "csv.csv").read_text()
