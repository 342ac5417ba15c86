"""The page of what a learner has built: of an empty record, a partial and a full one."""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.errors import UserError
from autograder.learner import certificate
from autograder.learner import progress as learner
from autograder.lesson import logbook
from autograder.unit.assignment import Course

from ..cli.test_cli import Said, run
from .test_learner import course, failed, passed

__all__ = ["course", "run"]

Run = Callable[..., Said]


def page(course: Course) -> certificate.Page:
    return certificate.of_folder(course.root / "course")


def text(course: Course, name: str = "") -> str:
    return "\n".join(certificate.lines(page(course), name))


def test_an_empty_record_claims_nothing(course: Course) -> None:
    assert certificate.NOTHING in text(course)
    assert page(course).facts == []
    assert "0 of 2" in text(course) and "right" not in text(course)
    assert certificate.NOTHING in html.unescape(certificate.drawn(page(course)))
    assert "rebuilt" not in text(course) and "rebuilt" not in certificate.drawn(page(course))


def test_a_partial_record_is_told_as_it_is(course: Course) -> None:
    folder = course.root / "course"
    failed(course, "unbox", "second")
    passed(course, "mul_vjp", "unbox")
    logbook.append(folder, {"prediction": "what_is_it", "date": "2026-03-01T10:00:00+00:00"})
    logbook.append(folder, {"exercise": "mul_vjp", "passed": True, "date": "2026-03-04T10:00:00+00:00"})
    told = page(course).facts
    assert told == [
        "2 of 4 exercises are right: 5 points in the learner's notebooks",
        "1 of 2 units are complete",
        "1 exercise failed first, and was mended",  # unbox: the other one still fails
        "1 prediction made before the answer was shown",
        "2 days of work, from 2026-03-01 to 2026-03-04",
    ]
    drawn = html.unescape(certificate.drawn(page(course)))
    assert all(f"{fact}." in drawn and f"{fact}." in text(course) for fact in told)


def test_what_was_right_and_fails_now_is_not_counted(course: Course) -> None:
    passed(course, "mul_vjp", "unbox")
    failed(course, "unbox")
    assert page(course).facts[0].startswith("1 of 4 exercises are right: 2 points")
    assert page(course).mended == 0


def test_a_full_record_fills_every_bar_and_says_who_has_not_graded_it(course: Course) -> None:
    passed(course, "mul_vjp", "unbox", "second", "third")
    assert page(course).facts == [
        "4 of 4 exercises are right: 10 points in the learner's notebooks",
        "2 of 2 units are complete",
    ]
    drawn = certificate.drawn(page(course), "Ada <b>L.</b>")
    assert len(re.findall("width: 180px; height: 12px; background", drawn)) == 2
    assert "Ada &lt;b&gt;L.&lt;/b&gt;" in drawn and "<b>" not in drawn
    assert certificate.CLAIM in html.unescape(drawn)
    assert "Nobody has graded it" in text(course) and "on the learner's own machine" in text(course)


def test_a_title_is_text_and_no_markup(course: Course) -> None:
    shown = page(course)
    marked = dataclasses.replace(
        shown, units=[dataclasses.replace(shown.units[0], title="Values & <i>slopes</i>")]
    )
    drawn = certificate.drawn(marked)
    assert "Values &amp; &lt;i&gt;slopes&lt;/i&gt;" in drawn and "<i>" not in drawn


def test_the_line_of_the_learner_s_own_network_is_quoted_as_text(course: Course) -> None:
    passed(course, "unbox")
    logbook.append(
        course.root / "course", {"line": "O <b>love</b> \x1b[2J", "date": "2026-03-01T10:00:00+00:00"}
    )
    (told,) = (fact for fact in page(course).facts if "network" in fact)
    assert told.startswith("Their own network wrote: “O <b>love</b>") and "\x1b" not in told
    assert "<b>" not in certificate.drawn(page(course)) and "&lt;b&gt;love" in certificate.drawn(page(course))


ANSWERS = {
    "Tensor": "# mine\n\nclass Tensor:\n    pass\n",
    "project": 'project = "forward"\ndef jvp(f, x, v): ...\n',
}
STUBS = {"Tensor": "# Your engine: Tensor\nraise NotImplementedError\n", "project": 'project = "ball"\n'}


@pytest.mark.parametrize(
    ("answers", "done", "told"),
    [
        (ANSWERS, ("Tensor", "project"), ["an engine of 2 lines and the project “forward”"]),
        (ANSWERS, ("Tensor",), ["an engine of 2 lines"]),
        (ANSWERS, ("project",), ["the project “forward”"]),
        (ANSWERS, (), []),
        (STUBS, ("Tensor", "project"), []),  # right as a file, and nothing is saved
    ],
)
def test_the_engine_and_the_project_are_named_where_they_are_right_and_saved(
    answers: dict[str, str], done: tuple[str, ...], told: list[str], tmp_path: Path
) -> None:
    notebook = nbformat.v4.new_notebook()
    for name, source in answers.items():
        about = {"grade_id": name, "grade": False, "solution": True, "locked": False, "schema_version": 3}
        notebook.cells.append(nbformat.v4.new_code_cell(source, metadata={"nbgrader": about}))
    nbformat.write(notebook, tmp_path / "last.ipynb")
    states = {name: logbook.RIGHT if name in done else logbook.OPEN for name in answers}
    unit = learner.Unit("17_last", "", tmp_path / "last.ipynb", {"Tensor": 17.0, "project": 6.0}, states)
    page = certificate.page_of([unit], [])
    assert [fact for fact in page.facts if "as it is saved" in fact] == [
        f"In the last notebook, as it is saved: {what}" for what in told
    ]
    for shown in ("\n".join(certificate.lines(page)), html.unescape(certificate.drawn(page))):
        assert (certificate.BUILT in shown) == ("Tensor" in done)


def test_a_unit_without_exercises_is_no_row(course: Course) -> None:
    assert [unit.name for unit in learner.units(course.root / "course")] == ["00_start", "02_next", "mini"]
    assert [unit.name for unit in page(course).units] == ["02_next", "mini"]


def test_damaged_lines_and_dates_are_left_out(course: Course) -> None:
    folder = course.root / "course"
    passed(course, "mul_vjp")
    for record in ({"exercise": "unbox", "passed": False, "date": 7}, {"exercise": ["x"]}, {"date": "x"}):
        logbook.append(folder, record)
    assert page(course).days == 0
    assert page(course).facts[0].startswith("1 of 4")


def test_the_command_writes_the_page_and_may_write_it_again(run: Run, course: Course, tmp_path: Path) -> None:
    out = tmp_path / "mine.html"
    for name in ("Ada", "Grace"):
        said = run("certificate", "--name", name, "--out", out, cwd=course.root)
        assert said.code == 0, said.err
        assert f"{certificate.TITLE}: {name}" in said.out
        assert name in out.read_text(encoding="utf-8")
        passed(course, "mul_vjp")
    assert "1 of 4 exercises are right" in out.read_text(encoding="utf-8")


def test_the_command_replaces_no_file_of_another_kind(run: Run, course: Course, tmp_path: Path) -> None:
    out = tmp_path / "diary.html"
    out.write_text("<p>mine</p>", encoding="utf-8")
    said = run("certificate", "--out", out, cwd=course.root)
    assert said.code == 2 and "it is no such page" in said.err
    assert out.read_text(encoding="utf-8") == "<p>mine</p>"


def test_a_folder_without_units_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no unit"):
        certificate.of_folder(tmp_path)


def test_outside_of_a_learner_s_folder_a_notebook_shows_an_empty_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from autograder import certificate as show

    monkeypatch.setattr(logbook, "_here", tmp_path)
    monkeypatch.setattr(logbook, "_unwritten", [])
    show("Ada")
    assert certificate.NOTHING in capsys.readouterr().out
