"""Results that are held back go to no student before their time, by no way out, and the time has a zone."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from nbgrader.apps.api import NbGraderAPI
from typer.testing import CliRunner

from autograder.classroom import held
from autograder.classroom.classroom import Classroom
from autograder.classroom.held import read_time
from autograder.classroom.platforms.gradescope import results
from autograder.cli.app import app
from autograder.errors import UserError
from autograder.referee.judge import Report
from autograder.unit.notebook import write_text

from ..conftest import make_course

pytestmark = pytest.mark.usefixtures("bubblewrap")
UNTIL = "2031-05-06 07:08 +02:00"


class Clock(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        return cls.time

    time = datetime(2031, 5, 6, 5, 7, 59, tzinfo=UTC)


def said(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    told = " ".join(f"{result.output} {result.exception or ''}".split())
    assert result.exit_code == code, told
    return told


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    room = Classroom(make_course(tmp_path_factory.mktemp("held")))
    folder = room.folder("submitted", "lovelaceada-700", "mini")
    folder.mkdir(parents=True)
    (folder / "mini.ipynb").write_text(write_text(room.course.assignment("mini").solved()))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(room.course.root)
        said("grade", "mini", "--jobs", 1)
    return room


@pytest.fixture
def room(graded: Classroom, monkeypatch: pytest.MonkeyPatch) -> Classroom:
    monkeypatch.chdir(graded.course.root)
    monkeypatch.setattr(held, "datetime", Clock)
    told = said("hold", "mini", "--until", UNTIL)
    assert told == (
        "The results of mini are held back until 2031-05-06 07:08 UTC+02:00; this machine's clock says "
        "2031-05-06 07:07 UTC+02:00."
    )
    return graded


WAYS = [
    "feedback mini",
    "feedback mini --to canvas",
    "export --to canvas --out c.csv",
    "export --to moodle --unit mini --out m.csv",
    "classroom50 mini --out c50",
    "repository mini --out repo",
]


@pytest.mark.parametrize("way", WAYS)
def test_no_way_to_students_is_open_before_the_time_and_each_says_so(way: str, room: Classroom) -> None:
    before = {path for path in room.course.root.rglob("*") if path.is_file()}
    told = said(*way.split(), code=1)
    assert "The results of mini are held back until 2031-05-06 07:08 UTC+02:00" in told
    assert "--anyway" in told
    assert {path for path in room.course.root.rglob("*") if path.is_file()} == before


def test_nbgrader_s_own_feedback_waits_too(room: Classroom) -> None:
    result = NbGraderAPI(room.folders, config=room.config).generate_feedback(
        "mini", "lovelaceada-700", force=True
    )
    assert not result["success"]
    assert "held back until" in str(result)
    page = room.folder("feedback", "lovelaceada-700", "mini") / "mini.html"
    assert not page.exists()
    said("feedback", "mini", "--anyway")
    assert page.is_file()
    page.unlink()


def test_what_is_for_the_instructor_goes_on(room: Classroom) -> None:
    said("grade", "mini", "--force", "--jobs", 1)
    said("export", "--to", "csv", "--out", "own.csv")
    assert "lovelaceada-700" in Path("own.csv").read_text()
    said("report", "mini", "--out", "own.html")


def test_anyway_its_end_and_off_open_the_ways(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    def export(*options: str) -> str:
        said("export", "--to", "canvas", "--out", "grades.csv", *options)
        text = Path("grades.csv").read_text()
        Path("grades.csv").unlink()
        return text

    assert "mini" in export("--anyway")
    monkeypatch.setattr(Clock, "time", Clock.time + timedelta(seconds=1))
    assert "mini" in export()
    assert "were held back until" in said("hold", "mini")
    monkeypatch.setattr(Clock, "time", Clock.time - timedelta(days=1))
    said("export", "--to", "canvas", code=1)
    assert said("hold", "mini", "--off") == "The results of mini are not held back."
    assert "mini" in export()


def test_what_gradescope_shows_waits_as_well(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    told = said("gradescope", "mini", "--out", "grader.zip", "--force")
    assert "held back until" in told and "publish grades" in told
    with zipfile.ZipFile("grader.zip") as archive:
        script = archive.read("run_autograder").decode()
    assert " --held-until 2031-05-06T07:08:00+02:00\n" in script
    assert read_time("2031-05-06T07:08:00+02:00") == read_time(UNTIL)
    said("gradescope", "mini", "--out", "grader.zip", "--force", "--anyway")
    with zipfile.ZipFile("grader.zip") as archive:
        assert "held" not in archive.read("run_autograder").decode()
    one = "submitted/lovelaceada-700/mini/mini.ipynb"
    for time, visible in ((Clock.time, "after_published"), (Clock.time + timedelta(seconds=1), "visible")):
        monkeypatch.setattr(Clock, "time", time)
        said("score", one, "--gradescope", "r.json", "--held-until", "2031-05-06T07:08:00+02:00")
        found = json.loads(Path("r.json").read_text())
        assert {found["visibility"], *(test["visibility"] for test in found["tests"])} == {visible}
    assert results(Report("mini", 1, ""), exam=True)["visibility"] == "after_published"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2026-12-01 09:00", "no time with a zone"),
        ("tomorrow UTC", "no time with a zone"),
        ("2026-12-01 09:00 Europe/Nowhere", "no time with a zone"),
        ("2026-13-01 09:00 UTC", "no time with a zone"),
        ("2026-12-01 09:00 ../../etc/passwd", "no time with a zone"),
        ("2026-10-25 02:30 Europe/Berlin", "clocks change"),
        ("2026-03-29 02:30 Europe/Berlin", "clocks change"),
    ],
)
def test_a_time_without_a_zone_or_that_there_is_twice_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        read_time(text)
