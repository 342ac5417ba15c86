"""What students get back: everything once, nothing that acts, no network, and on the platform to the right person."""

from __future__ import annotations

import html
import io
import os
import re
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.classroom.classroom import Classroom
from autograder.classroom.feedback import words, write
from autograder.classroom.feedback.page import page
from autograder.classroom.platforms.collect import collect
from autograder.classroom.platforms.placing import RECORD, recorded
from autograder.classroom.platforms.returned import returned
from autograder.classroom.run import grade_class
from autograder.cli.app import app
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course
from autograder.unit.notebook import read_notebook, write_text
from tests.conftest import REPOSITORY, make_course

NO_UPSTREAM = "def mul_vjp(g, a, b):\n    return b, a\n"
EVIL = "<script>evil()</script>"
#: Students by the names that the platforms give to their files.
CANVAS = {
    "lovelaceada_LATE_11_901_mini-2.ipynb": {},
    "curie_marie_12_902_mini.ipynb": {"mul_vjp": NO_UPSTREAM},
}
MOODLE = {
    "Emmy Noether_4711_assignsubmission_file_/mini.ipynb": {},
    "Zoë O'Neil_4712_assignsubmission_file/my work_1_.ipynb": {"mul_vjp": f"# {EVIL}\n{NO_UPSTREAM}"},
}


def text_of(source: str) -> str:
    """What a reader reads of a page."""
    source = re.sub(r'<style>.*?</style>|<div class="highlight">.*?</div>', "", source, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", source))


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory, bubblewrap: None) -> Classroom:
    """Four from two platforms and one from a folder, graded, one of them graded and commented by hand."""
    root = tmp_path_factory.mktemp("feedback")
    room = Classroom(make_course(root))
    unit = room.course.assignment("mini")

    def take(name: str, files: dict[str, dict[str, str]]) -> None:
        with zipfile.ZipFile(root / name, "w") as archive:
            for path, answers in files.items():
                archive.writestr(path, write_text(unit.solved(answers)))
        assert not collect(
            root / name, {"mini": unit}, lambda who, what: room.folder("submitted", who, what)
        ).skipped

    take("canvas.zip", CANVAS)
    take("moodle.zip", MOODLE)
    take("plain.zip", {"ida/mini.ipynb": {"mul_vjp": NO_UPSTREAM}})
    everybody = room.students("mini")
    assert len(everybody) == 5
    rows = grade_class(room, unit, everybody, sandbox=Sandbox(call_seconds=3.0), jobs=1)
    assert all(row.state == "graded" for row in rows)
    with Gradebook(room.folders.db_url) as gradebook:
        submission = gradebook.find_submission_notebook("mini", "mini", "ida")
        (grade,) = [one for one in submission.grades if one.name == "mul_vjp_check"]
        (comment,) = [one for one in submission.comments if one.name == "mul_vjp"]
        grade.manual_score = 1.5
        comment.manual_comment = f"The *idea* is right: $x^2$ {EVIL}"
        gradebook.db.commit()
    assert write.write_feedback(room, "mini", everybody, jobs=1) == {}
    return room


def page_of(room: Classroom, student: str) -> str:
    return (room.folder("feedback", student, "mini") / "mini.html").read_text(encoding="utf-8")


def test_every_exercise_stands_in_the_table_with_its_points_and_leads_to_its_answer(
    classroom: Classroom,
) -> None:
    unit = classroom.course.assignment("mini")
    for student in classroom.students("mini"):
        source = page_of(classroom, student)
        for exercise in unit.exercises:
            row = rf'<a href="#{exercise.name}">.*</a></th>\n<td class="number">[\d.]+ / {exercise.points:g}</td>'
            assert re.search(row, source)
            assert f'id="{exercise.name}"' in source


def test_a_failure_is_told_once_without_what_to_do_next_in_a_notebook(classroom: Classroom) -> None:
    (wrong,) = [name for name in classroom.students("mini") if "curie" in name]
    autograded = (classroom.folder("autograded", wrong, "mini") / "mini.ipynb").read_text(encoding="utf-8")
    assert "next      " in autograded
    text = text_of(page_of(classroom, wrong))
    assert text.count("  expected  ") == 1
    assert text.count("  likely    ") == 1
    assert "next      " not in text


def test_what_was_graded_and_written_by_hand_counts_and_the_check_s_own_comment_is_no_comment(
    classroom: Classroom,
) -> None:
    source = page_of(classroom, "ida")
    assert "1.5 of 2 points, given by hand" in source
    assert "<b>Comment</b><p>The <em>idea</em> is right: <math" in source
    assert source.count('class="comment"') == 1
    (wrong,) = [name for name in classroom.students("mini") if "curie" in name]
    assert 'class="comment"' not in page_of(classroom, wrong)


def test_a_page_asks_no_network_for_anything_and_nothing_in_it_acts(classroom: Classroom) -> None:
    for student in classroom.students("mini"):
        source = page_of(classroom, student)
        assert not re.search(r"<(script|iframe|object|embed|link|form)\b|\bon\w+=|javascript:", source)
        assert not re.search(r"""(src|href)=["'](?!#|data:image/|https://|http://)""", source)
        assert not re.search(r"""(src=["']|url\(|@import\s*["']?)https?:""", source)
    shown = "".join(page_of(classroom, name) for name in classroom.students("mini"))
    assert "evil()" in shown and EVIL not in shown


def test_every_formula_of_the_course_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []
    formula = words.formula

    def noted(body: str, display: str = "inline") -> str:
        seen.append((body, formula(body, display)))
        return seen[-1][1]

    monkeypatch.setattr(words, "formula", noted)
    for path in sorted((REPOSITORY / "course").glob("*/*.ipynb")):
        for cell in read_notebook(path).cells:
            if cell.cell_type == "markdown":
                words.html_of(cell.source)
    assert len(seen) > 80
    assert [body for body, drawn in seen if not drawn.startswith("<math")] == []


def test_a_picture_keeps_its_words_and_what_is_folded_in_the_notebook_is_folded(classroom: Classroom) -> None:
    solved = nbformat.read(REPOSITORY / "solutions/03_reverse_mode/reverse_mode.ipynb", as_version=4)
    source = page(solved, {"student": "ada", "notebook": "x", "score": 1.0, "max_score": 26.0})
    pictures = re.findall(r'<img alt="([^"]*)" src="data:image/png', source)
    assert len(pictures) >= 3 and all(len(alt) > 20 for alt in pictures)
    folded = [cell for cell in solved.cells if cell.metadata.get("jupyter", {}).get("source_hidden")]
    assert source.count('<details class="code">') == len(folded) > 5


def test_pages_that_are_written_side_by_side_are_the_same(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "FEW", 2)
    everybody = classroom.students("mini")
    before = {student: page_of(classroom, student) for student in everybody}
    done: list[str] = []
    assert write.write_feedback(classroom, "mini", everybody, jobs=2, done=done.append) == {}
    assert sorted(done) == everybody
    assert {student: page_of(classroom, student) for student in everybody} == before


def test_a_page_that_cannot_be_written_is_named_and_the_others_are_there(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "FEW", 2)
    told = write.write_feedback(classroom, "mini", [*classroom.students("mini"), "nobody"], jobs=2)
    assert list(told) == ["nobody"] and told["nobody"]


def _ending(student: str) -> tuple[str, str]:
    os._exit(1)  # as a process that is killed for want of memory


def test_a_worker_that_is_lost_is_a_sentence() -> None:
    found = dict(write._side_by_side(_ending, ["a", "b"], 2))
    assert set(found) == {"a", "b"} and all("was ended" in told for told in found.values())


def test_canvas_gets_notebooks_under_the_names_that_it_gave(classroom: Classroom) -> None:
    entries = given_back(classroom, "canvas")
    assert set(entries) == set(CANVAS)
    for name, data in entries.items():
        # Canvas' rule: the first two parts that are numbers are the student's and the handed-in file's.
        assert [part for part in name.split("_") if part.isdigit()][:2] in (["11", "901"], ["12", "902"])
        notebook = nbformat.reads(data.decode(), as_version=4)
        nbformat.validate(notebook)
        assert re.match(r"\*\*\d+(\.\d+)? of \d+ points\*\*", notebook.cells[0].source)


def test_moodle_gets_pages_in_folders_that_it_knows(classroom: Classroom) -> None:
    entries = given_back(classroom, "moodle")
    assert {name.partition("/")[2] for name in entries} == {"mini.html"}
    people = {}
    for name, data in entries.items():
        # Moodle's rule: NAME_NUMBER_PLUGINTYPE_PLUGIN, split at the first four underscores.
        full, number, kind, plugin, _ = name.partition("/")[0].split("_", 4)
        assert (kind, plugin) == ("assignsubmission", "file")
        people[number] = full
        assert data.startswith(b"<!DOCTYPE html>")
    assert people == {"4711": "Emmy Noether", "4712": "Zoë O'Neil"}


def given_back(room: Classroom, platform: str) -> dict[str, bytes]:
    unit = room.course.assignment("mini")
    found = returned(platform, write.papers_of(room, unit, room.students("mini")))
    assert len(found.left_out) == 3
    assert all(told == f"this was not collected from {platform.title()}" for told in found.left_out.values())
    with zipfile.ZipFile(io.BytesIO(found.data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_notebook_that_goes_back_holds_what_was_done_by_hand(classroom: Classroom) -> None:
    unit = classroom.course.assignment("mini")
    (paper,) = write.papers_of(classroom, unit, ["ida"])
    cells = nbformat.reads(paper.notebook(), as_version=4).cells
    answer = [cell.id for cell in cells].index("mul_vjp")
    assert cells[answer + 1].source.startswith("**Comment**\n\nThe *idea* is right")
    assert sum(cell.source.startswith("**Comment**") for cell in cells) == 1


def test_the_command_writes_pages_and_a_zip_and_says_who_is_not_in_it(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(classroom.course.root)
    done = CliRunner().invoke(app, ["feedback", "mini", "--to", "canvas", "--jobs", "1"])
    assert done.exit_code == 0, "everybody who could be served was"
    assert "5 pages of feedback" in done.output
    others = ", ".join(sorted(name for name in classroom.students("mini") if name[0] in "EZi"))
    told = f"Not in the zip, since not collected from Canvas: {others}. Give them their pages yourself."
    assert told in done.output
    with zipfile.ZipFile("feedback-mini-canvas.zip") as archive:
        assert len(archive.namelist()) == 2
    nobody = CliRunner().invoke(app, ["feedback", "mini", "ida", "--to", "canvas", "--jobs", "1"])
    assert (
        nobody.exit_code,
        "No zip is written, since not collected from Canvas: ida." in nobody.output,
    ) == (1, True)


def test_who_came_from_the_platform_and_cannot_be_served_is_a_failure(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(classroom.course.root)
    (ada,) = [name for name in classroom.students("mini") if "ada" in name]
    record = classroom.folder("submitted", ada, "mini") / RECORD
    before = record.read_text()
    record.write_text("{ cut off")
    out = ["--out", str(tmp_path / "f.zip")]
    done = CliRunner().invoke(app, ["feedback", "mini", "--to", "canvas", "--jobs", "1", *out])
    record.write_text(before)
    assert done.exit_code == 1
    assert f"{ada} is not in the zip: its record has no name of a file" in done.output


def test_a_zip_of_two_does_not_take_the_place_of_the_class_s_without_a_word(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(classroom.course.root)
    out = tmp_path / "f.zip"
    whole = ["feedback", "mini", "--to", "canvas", "--jobs", "1", "--out", str(out)]
    assert "kept as" not in CliRunner().invoke(app, whole).output
    before = out.read_bytes()
    assert "kept as" not in CliRunner().invoke(app, whole).output, "the same again is no other content"
    with zipfile.ZipFile(out) as archive:
        one = next(iter(archive.namelist()))
    student = next(
        name
        for name in classroom.students("mini")
        if recorded(classroom.folder("submitted", name, "mini")).get("given") == one
    )
    done = CliRunner().invoke(app, [*whole, student])
    kept = tmp_path / "f.earlier-1.zip"
    assert f"{out} was there already, with other content: that is kept as {kept}." in done.output
    assert kept.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["mini", "nobody"], "There is no graded submission of nobody for mini."),
        (["mini", "--out", "x.zip"], "--out names the zip of --to canvas or --to moodle: say which."),
    ],
)
def test_a_mistake_is_one_sentence(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    monkeypatch.chdir(classroom.course.root)
    done = CliRunner().invoke(app, ["feedback", *arguments])
    assert str(done.exception) == told


def test_before_anything_is_graded_it_says_what_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course: Course = make_course(tmp_path)
    monkeypatch.chdir(course.root)
    done = CliRunner().invoke(app, ["feedback", "mini"])
    assert str(done.exception) == "Nothing of mini is graded yet: `autograder grade mini` comes first."
