"""nbgrader's own commands grade through the same referee, and what they show runs nothing that a student wrote."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.plugins import CsvExportPlugin
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from autograder.authoring.build import build_likely
from autograder.authoring.guesses import GUESSES
from autograder.authoring.mutation import EQUIVALENTS, VERDICTS
from autograder.authoring.proved import PROVED
from autograder.classroom.classroom import Classroom
from autograder.classroom.platforms.export import export
from autograder.classroom.records import read_records
from autograder.classroom.report.findings import findings
from autograder.classroom.report.page import page
from autograder.classroom.run import grade_class
from autograder.referee.autograded import write_notebook
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.notebook import read_notebook

from ..conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("bubblewrap")

RIGHT = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"
NO_UPSTREAM = "def mul_vjp(g, a, b):\n    return b, a\n"
#: Would run, or change the page, if it got there as markup.
EVIL = "<script>evil(1)</script><img src=x onerror=evil(2)><a href='javascript:evil(3)'>x</a><iframe srcdoc=evil>"
MARKDOWN = f"{EVIL}\n\n[x](javascript:evil(4)) ![x](x' onerror='evil(5)) <svg onload=evil(6)>\n\n```\n{EVIL}\n````\n~~~~~~\n{EVIL}"  # noqa: E501


@pytest.fixture(scope="module")
def course(mini_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course of its own, with a class that has handed in."""
    root = tmp_path_factory.mktemp("nbgrader") / "course"
    shutil.copytree(mini_course.root, root)
    build_likely(Course(root), "mini", print)
    mini = Course(root).assignment("mini")

    def path(student: str, name: str = "mini.ipynb") -> Path:
        found = root / "submitted" / student / "mini" / name
        found.parent.mkdir(parents=True, exist_ok=True)
        return found

    path("ada").write_text(nbformat.writes(mini.solved()))
    path("bit").write_text(nbformat.writes(mini.solved({"mul_vjp": NO_UPSTREAM}, others="stub")))
    path("cut").write_text('{"cells": [')
    path("dup", "mini (1).ipynb").write_bytes(b"\xef\xbb\xbf" + nbformat.writes(mini.solved()).encode())
    path("eve").symlink_to(path("ada"))
    path("fay").write_text(nbformat.writes(mini.solved({"mul_vjp": RIGHT}, others="stub")))
    # Side files, in folders and through links, some of them with names that matter to nbgrader.
    side = (
        "numpy.py",
        "page.html",
        "data.csv",
        "deep/er/x.bin",
        "deep/timestamp.txt",
        "deep/mini.ipynb",
        "feedback.html",
    )
    for name in side:
        path("fay", name).write_text("side")
    path("fay", "secret.txt").symlink_to(root / "solutions" / "mini" / "mini.py")
    path("fay", "solutions").symlink_to(root / "solutions")
    path("fay", "timestamp.txt").write_text("yesterday, I think")
    path("fay", "deep/timestamp.txt").write_text("2026-01-01 00:00:00 UTC")
    path("ivy").write_text(nbformat.writes(mini.solved()))
    path("ivy", "timestamp.txt").write_text("2026-03-03 00:00:00 UTC")
    path("xss").write_text(nbformat.writes(_hostile(mini)))
    return Course(root)


def _hostile(mini: Assignment) -> nbformat.NotebookNode:
    shout = f"print({EVIL!r})\nprint({MARKDOWN!r})\n"
    raising = f"def unbox(boxes):\n    # {EVIL}\n    raise type({EVIL!r}, (Exception,), {{}})({MARKDOWN!r})\n"
    notebook = mini.solved(
        {"mul_vjp": f"{shout}def mul_vjp(g, a, b):\n    return {EVIL!r}, b\n", "unbox": raising}
    )
    html = nbformat.v4.new_output(
        "display_data", data={"text/html": EVIL, "application/javascript": "evil(7)"}
    )
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [html]
        cell.metadata["name"] = cell.metadata["collapsed"] = EVIL
    notebook.metadata["title"] = notebook.metadata["widgets"] = EVIL
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell(MARKDOWN, attachments={"a": {"text/html": EVIL}}))
    notebook.cells.insert(2, nbformat.v4.new_raw_cell(EVIL, metadata={"format": "text/html"}))
    notebook.cells.insert(3, nbformat.v4.new_code_cell(f"%%html\n{EVIL}"))
    notebook.cells.insert(
        4,
        nbformat.v4.new_code_cell(f"from IPython.display import *\ndisplay(HTML({EVIL!r}))\nHTML({EVIL!r})"),
    )
    return notebook


@pytest.fixture(scope="module")
def settings(course: Course) -> Iterator[Config]:
    from nbgrader.plugins import LateSubmissionPlugin

    class Strict(LateSubmissionPlugin):
        def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float:
            return 0.5

    sys.modules["strict_course"] = types.ModuleType("strict_course")
    sys.modules["strict_course"].Strict = Strict  # type: ignore[attr-defined]
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write(
            "\nc.AssignLatePenalties.plugin_class = 'strict_course.Strict'\nc.Sandbox.call_seconds = 3\n"
        )
    yield Classroom(course).config
    del sys.modules["strict_course"]


@pytest.fixture(scope="module")
def api(course: Course, settings: Config) -> Iterator[NbGraderAPI]:
    """nbgrader in the course's folder, the assignment generated, everybody graded, feedback written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course.root)
        classroom = Classroom(course)
        found = NbGraderAPI(classroom.folders, config=classroom.config)
        shutil.copytree(course.root / "course", course.root / "built")
        shutil.rmtree(course.root / "course" / "mini")
        # What an instructor's folder holds and nobody else may have.
        for name in (EQUIVALENTS, GUESSES, VERDICTS, PROVED):
            (course.root / "solutions" / "mini" / name).write_text("{}\n")
        result = found.generate_assignment("mini", force=True)
        assert result["success"], result
        with Gradebook(classroom.folders.db_url) as gradebook:
            gradebook.update_or_create_assignment("mini", duedate="2026-03-01 00:00:00 UTC")
        found.graded = found.autograde("mini", "*")  # type: ignore[attr-defined]
        found.returned = found.generate_feedback("mini", "*", force=True)  # type: ignore[attr-defined]
        yield found


@pytest.fixture
def gradebook(api: NbGraderAPI, course: Course) -> Iterator[Gradebook]:
    with Gradebook(Classroom(course).folders.db_url) as found:
        yield found


def test_generate_assignment_makes_byte_for_byte_what_build_releases(
    api: NbGraderAPI, course: Course
) -> None:
    for name in ("mini.ipynb", "likely.json"):
        built, generated = (course.root / place / "mini" / name for place in ("built", "course"))
        assert generated.read_bytes().rstrip(b"\n") == built.read_bytes().rstrip(b"\n")
    assert sorted(p.name for p in generated.parent.iterdir()) == ["likely.json", "mini.ipynb"]


def test_the_whole_class_is_graded_and_nobody_s_damage_is_a_failure(api: NbGraderAPI, course: Course) -> None:
    assert api.graded["success"], api.graded["log"][-3000:]  # type: ignore[attr-defined]
    assert api.returned["success"], api.returned["log"][-3000:]  # type: ignore[attr-defined]
    for student in ("ada", "bit", "cut", "dup", "eve", "fay", "ivy", "xss"):
        assert (course.root / "autograded" / student / "mini" / "mini.ipynb").is_file()
        assert (course.root / "feedback" / student / "mini" / "mini.html").is_file()


def test_scores_are_those_of_autograder_grade(
    gradebook: Gradebook, course: Course, mini_course: Course, sandbox: Sandbox, tmp_path: Path
) -> None:
    theirs = {s.student.id: s.score for s in gradebook.find_assignment("mini").submissions}
    assert theirs == {"ada": 5, "bit": 0, "cut": 0, "dup": 5, "eve": 0, "fay": 2, "ivy": 5, "xss": 0}
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root)
    shutil.copytree(course.root / "submitted", root / "submitted", symlinks=True)
    classroom = Classroom(Course(root))
    unit = classroom.course.assignment("mini")
    some = ["bit", "cut", "dup", "fay"]
    rows = grade_class(classroom, unit, some, sandbox=sandbox)
    assert {row.student: row.score for row in rows} == {student: theirs[student] for student in some}


def test_damage_is_recorded_with_its_reason_and_asks_for_a_look(gradebook: Gradebook) -> None:
    assert gradebook.find_submission("mini", "cut").needs_manual_grade
    assert "cut off" in gradebook.find_comment("mul_vjp", "mini", "mini", "cut").auto_comment
    assert gradebook.find_submission("mini", "eve").needs_manual_grade


def test_neither_side_files_nor_links_reach_the_graded_folders(api: NbGraderAPI, course: Course) -> None:
    for kind, suffix in (("autograded", "ipynb"), ("feedback", "html")):
        for student in ("ada", "dup", "eve", "fay", "xss"):
            folder = course.root / kind / student / "mini"
            assert sorted(p.name for p in folder.rglob("*")) == [f"mini.{suffix}"], student


def test_messages_and_diagnoses_are_in_the_feedback(api: NbGraderAPI, course: Course) -> None:
    page = (course.root / "feedback" / "bit" / "mini" / "mini.html").read_text()
    assert "You returned the local derivatives, but did not multiply them by g." in page
    assert "mul_vjp(10.0, 2.0, 3.0)" in page
    assert "not written yet" in page


@pytest.mark.parametrize("student", ["ada", "bit", "xss"])
def test_feedback_holds_no_hidden_test_and_no_solution(
    student: str, api: NbGraderAPI, course: Course
) -> None:
    page = re.sub(r"<[^>]*>", "", (course.root / "feedback" / student / "mini" / "mini.html").read_text())
    assert "HIDDEN TESTS" not in page
    assert "check.cases" not in page
    assert "an empty sum is 0" not in page
    autograded = (course.root / "autograded" / student / "mini" / "mini.ipynb").read_text()
    assert "HIDDEN TESTS" not in autograded
    assert "check.cases" not in autograded


class Markup(HTMLParser):
    """Collects what could run: scripts with their text, handlers, links of a kind that runs, foreign frames."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.suspects: list[str] = []
        self.text: list[str] = []
        self._in_script = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self._in_script = True
            self.scripts.append(dict(attrs).get("src") or "")
        if tag in ("iframe", "object", "embed", "svg", "math", "base") or dict(attrs).get("src") == "x":
            self.suspects.append(f"<{tag}>")
        for name, value in attrs:
            if (
                name.startswith("on")
                or name == "srcdoc"
                or re.match(r"\s*(javascript|data:text)", value or "", re.I)
            ):
                self.suspects.append(f"{tag} {name}={value}")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data
        else:
            self.text.append(data)


def pages(course: Course, student: str) -> dict[str, str]:
    """A student's feedback page, and the page on which formgrader shows the submission."""
    # As nbgrader's FormgradeExtension.build_extra_config sets it.
    extra = Config()
    extra.HTMLExporter.template_name = "formgrade"
    extra.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    config = Classroom(course).config
    config.merge(extra)
    resources = {
        "assignment_id": "mini",
        "notebook_id": "mini",
        "submission_id": "1",
        "index": 0,
        "total": 1,
        "base_url": "/",
        "student": student,
        "last_name": "",
        "first_name": "",
        "notebook_path": "x.ipynb",
    }
    path = course.root / "autograded" / student / "mini" / "mini.ipynb"
    page, _ = HTMLExporter(config=config).from_filename(str(path), resources=resources)
    return {
        "feedback": (course.root / "feedback" / student / "mini" / "mini.html").read_text(),
        "formgrader": page,
    }


@pytest.mark.parametrize("page", ["feedback", "formgrader"])
def test_nothing_that_a_student_wrote_can_run_in_the_pages(
    page: str, api: NbGraderAPI, course: Course
) -> None:
    clean, hostile = (Markup(pages(course, student)[page]) for student in ("ada", "xss"))
    own = [s for s in hostile.suspects if s not in clean.suspects]
    assert own == []
    assert not [script for script in hostile.scripts if "evil" in script]
    assert len(hostile.scripts) == len(clean.scripts)
    # It is shown, though, as the text that it is: answers, added cells, markdown, printed output, exceptions.
    shown = "".join(hostile.text)
    for number in range(1, 7):
        assert f"evil({number})" in shown
    assert "evil(7)" not in shown


def test_the_search_for_markup_finds_it() -> None:
    found = Markup(f"<p>{EVIL}</p>")
    assert found.scripts == ["evil(1)"]
    assert len(found.suspects) == 5


def test_a_late_submission_is_penalised_by_the_instructor_s_plugin(gradebook: Gradebook) -> None:
    late, early = (gradebook.find_submission("mini", student) for student in ("ivy", "ada"))
    assert late.total_seconds_late == 2 * 24 * 3600
    assert (late.score, late.late_submission_penalty) == (5, 0.5)
    assert not early.late_submission_penalty


def test_the_export_holds_the_scores(
    api: NbGraderAPI, course: Course, gradebook: Gradebook, tmp_path: Path
) -> None:
    target = tmp_path / "grades.csv"
    plugin = CsvExportPlugin()
    plugin.to = str(target)
    plugin.export(gradebook)
    with target.open() as file:
        scores = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader(file)}
    assert scores == {"ada": 5, "bit": 0, "cut": 0, "dup": 5, "eve": 0, "fay": 2, "ivy": 5, "xss": 0}


def test_our_export_agrees_with_nbgrader_s_late_penalties_and_all(
    api: NbGraderAPI, course: Course, gradebook: Gradebook, tmp_path: Path
) -> None:
    plugin = CsvExportPlugin()
    plugin.to = str(tmp_path / "grades.csv")
    plugin.export(gradebook)
    with open(plugin.to) as file:
        theirs = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    folders = Classroom(course).folders
    text = export(folders.db_url, folders.course_id, "csv", "mini")
    ours = {row["student"]: float(row["mini: total (of 5)"]) for row in csv.DictReader(io.StringIO(text))}
    assert ours == theirs
    assert ours["ivy"] == 4.5


def test_the_report_reads_what_nbgrader_has_graded(api: NbGraderAPI, course: Course) -> None:
    students = ["ada", "bit", "cut", "xss"]
    files = [(name, course.root / "autograded" / name / "mini" / "mini.ipynb") for name in students]
    found = read_records(course.assignment("mini"), files)
    assert [record.student for record in found.graded] == students
    assert [found.graded[1].exercises[0].mistake, found.graded[2].exercises[0].doubtful] == [
        "no_upstream",
        True,
    ]
    html = page(findings(course.assignment("mini"), [], found))
    assert not re.search("<script|<img|<iframe|<a ", html)


def test_autograding_again_with_force_keeps_what_a_person_decided(api: NbGraderAPI, course: Course) -> None:
    url = Classroom(course).folders.db_url
    with Gradebook(url) as gradebook:
        gradebook.find_grade("mul_vjp_check", "mini", "mini", "bit").manual_score = 1
        gradebook.find_comment("mul_vjp", "mini", "mini", "bit").manual_comment = EVIL
        gradebook.db.commit()
    assert api.autograde("mini", "bit", force=True)["success"]
    assert api.generate_feedback("mini", "bit", force=True)["success"]
    with Gradebook(url) as gradebook:
        assert gradebook.find_submission("mini", "bit").score == 1
        assert gradebook.find_comment("mul_vjp", "mini", "mini", "bit").comment == EVIL


def autograde(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nbgrader", "autograde", "mini"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=200)


def test_autograde_needs_no_generate_assignment_before_and_what_it_cannot_do_is_one_sentence(
    mini_course: Course, tmp_path: Path
) -> None:
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    unit = Course(root).assignment("mini")
    write_notebook(root / "submitted" / "ada" / "mini" / "mini.ipynb", unit.solved())
    first = autograde(root)
    assert first.returncode == 0, first.stderr[-2000:]
    assert "Traceback" not in first.stderr
    with Gradebook(Classroom(Course(root)).folders.db_url) as gradebook:
        assert gradebook.find_submission("mini", "ada").score == 5
    solution = read_notebook(unit.path)
    names = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in solution.cells]
    solution["cells"] = [c for c, name in zip(solution.cells, names, strict=True) if "mul_vjp" not in name]
    write_notebook(unit.path, solution)
    write_notebook(root / "submitted" / "bob" / "mini" / "mini.ipynb", unit.solved())
    second = autograde(root)
    assert second.returncode != 0
    assert "Traceback" not in second.stderr
    (told,) = [line for line in second.stderr.splitlines() if "autograder:" in line]
    assert "before mul_vjp was added or removed" in told
