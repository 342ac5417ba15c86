"""An exam: what students get says right or not yet, and no more; the instructor is told what is told of other units."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.build import Product, build_likely, check_unit, likely_paths, release
from autograder.classroom.bundle import bundle
from autograder.classroom.platforms import gradescope
from autograder.classroom.platforms.github import classroom50, repository
from autograder.errors import UserError
from autograder.lesson import likely, probes
from autograder.lesson.failures import CheckFailed
from autograder.lesson.probes import LocalBoundary
from autograder.referee.judge import grade
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course
from autograder.unit.ingest import Submission
from autograder.unit.source import read_source

from ..conftest import make_course

HINTS = """# The rule of a product.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Draw a rectangle.
# </details>
# <details><summary>Hint 2: more of it</summary>
# Let a side grow.
# </details>
# Write it below.
"""
WRONG = "def mul_vjp(g, a, b):\n    return b, a"


def write(course: Course, header: str = "exam: true") -> Path:
    """Make the course's unit an exam."""
    source = course.solutions / "mini" / "mini.py"
    text = source.read_text()
    if "Hint" not in text:
        text = text.replace("#     allow: []", f"#     allow: []\n#     {header}")
        text = text.replace("# The rule of a product.\n", HINTS)
        source.write_text(text)
    notebook = read_source(source)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = 1
    source.with_suffix(".ipynb").write_text(Product(source, notebook).text)
    released = course.root / "course" / "mini" / "mini.ipynb"
    released.write_text(Product(released, release(notebook)).text)
    return source


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("exam"))
    write(course)
    return course


def checks_of(course: Course) -> dict[str, str]:
    return {c.exercise: c.source for c in course.assignment("mini").released if c.kind == "check"}


def said(check: str, answer: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a released check says in a student's own notebook."""
    names: dict[str, Any] = {}
    exec(f"from autograder import exercise, number, yours\n{answer}", names)
    monkeypatch.setattr(probes._notebook_session, "boundary", LocalBoundary(names))
    try:
        exec(compile(check, "<check>", "exec"), names)
    except CheckFailed as failed:
        return "\n".join([str(failed).splitlines()[0], *failed._render_traceback_()[1:]])
    return ""


def test_students_get_no_hints_and_no_sentences(exam: Course, sandbox: Sandbox) -> None:
    text = "\n".join(cell.source for cell in exam.assignment("mini").released)
    assert "Hint" not in text and "rectangle" not in text and "Write it below." in text
    own, copied = likely_paths(exam, "mini")
    copied.write_text("{}")
    build_likely(exam, "mini", lambda line: None)
    assert own.is_file() and not copied.exists()
    assert not list(check_unit(exam, "mini"))
    copied.write_text("{}")
    assert [told for told in check_unit(exam, "mini") if "an exam gives no sentences" in told]
    copied.unlink()
    names = zipfile.ZipFile(io.BytesIO(bundle(exam, ["mini"]))).namelist()
    assert "mini/mini.ipynb" in names and not [name for name in names if name.endswith(likely.FILE)]


def test_a_check_says_right_or_not_yet_and_no_more(
    exam: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check = checks_of(exam)["mul_vjp"]
    assert "exam=True" in check
    for answer in (
        WRONG,
        "def mul_vjp(g, a, b):\n    return None",
        "def mul_vjp(g, a, b):\n    return 1 / 0",
    ):
        assert said(check, answer, monkeypatch) == "✗ mul_vjp: not right yet"
    assert "30.0" in said(check.replace(", exam=True", ""), WRONG, monkeypatch)  # as in other units
    assert not said(check, "def mul_vjp(g, a, b):\n    return g * b, g * a", monkeypatch)
    assert "checks passed" not in capsys.readouterr().out
    stub = exam.assignment("mini").exercise("mul_vjp").stub
    assert said(check, stub, monkeypatch).startswith("✗ mul_vjp: not written yet")


def test_whoever_grades_is_told_what_it_was(exam: Course, sandbox: Sandbox) -> None:
    unit = exam.assignment("mini")
    report = grade(unit, Submission(answers={"mul_vjp": WRONG}), sandbox, seed=1)
    assert report.outcomes[0].mistake == "no_upstream"
    shown = gradescope.results(report, exam=True)
    assert shown["visibility"] == "after_published"
    assert {(t["output"], t["visibility"]) for t in shown["tests"]} == {("not right", "after_published")}
    assert "upstream" not in json.dumps(shown)
    for where in (classroom50, repository):
        with pytest.raises(UserError, match="is an exam"):
            where(unit)


def test_what_cannot_be_an_exam_is_refused(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    source = course.solutions / "mini" / "mini.py"
    whole = source.read_text()
    source.write_text(whole.replace("#     allow: []", "#     allow: []\n#     exam: maybe"))
    with pytest.raises(UserError, match="should be true or false"):
        read_source(source)
    source.write_text(
        whole.replace("#     allow: []", "#     allow: []\n#     exam: true").replace(
            'exercise("mul_vjp")', 'exercise("mul_vjp", "look up")'
        )
    )
    with pytest.raises(UserError, match="begins with"):
        read_source(source)
