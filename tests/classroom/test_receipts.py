"""A learner prints a receipt; the class knows whose it is, which hand-in was graded, and tells it back."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from nbgrader.apps.api import NbGraderAPI
from typer.testing import CliRunner

from autograder.classroom.classroom import Classroom
from autograder.classroom.gradebook import opened
from autograder.classroom.receipts import known_receipts
from autograder.cli.app import app
from autograder.unit.notebook import write_text
from autograder.unit.raw import parse
from autograder.unit.receipt import receipt_of

from ..conftest import make_course

pytestmark = pytest.mark.usefixtures("bubblewrap")
FIRST = "def mul_vjp(g, a, b):\n    return b, a\n"
SECOND = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"


def said(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    return Classroom(make_course(tmp_path_factory.mktemp("receipts")))


def known(room: Classroom) -> dict[tuple[str, str], bool]:
    with opened(room.folders.db_url, room.folders.course_id) as gradebook:
        return known_receipts(gradebook, "mini")


def hand_in(room: Classroom, **answers: str) -> dict[str, str]:
    """Each student prints a receipt of a file, which goes to Canvas and comes back in its archive."""
    found = {}
    with zipfile.ZipFile(room.course.root / "all.zip", "w") as archive:
        for number, (student, answer) in enumerate(answers.items()):
            path = room.course.root / f"{student}'s own.ipynb"
            path.write_text(write_text(room.course.assignment("mini").solved({"mul_vjp": answer})))
            first, second, *_ = said("receipt", path).splitlines()
            assert re.fullmatch("([a-z2-7]{5}-){5}[a-z2-7]{5}", first)
            assert "not when, nor by whom" in second
            found[f"{student}-{700 + number}"] = first
            archive.writestr(f"{student}_{700 + number}_1_mini-3.ipynb", path.read_bytes())
    return found


def test_a_receipt_leads_from_the_learner_to_the_grade_and_back(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(room.course.root)
    old = hand_in(room, ada=FIRST, bob=SECOND)
    told = said("collect", "all.zip")
    assert all(receipt[:5] in told for receipt in old.values())
    assert known(room) == dict.fromkeys(old.items(), False)
    assert f"{old['ada-700']} not graded mini ada-700 mini.ipynb" in flat(said("receipts", old["ada-700"]))

    new = hand_in(room, ada=SECOND + "# once more", bob=SECOND)
    said("collect", "all.zip")
    assert new["bob-701"] == old["bob-701"] and new["ada-700"] != old["ada-700"]
    assert new["ada-700"][:5] in said("grade", "mini", "--jobs", 1)
    assert known(room) == {
        ("ada-700", old["ada-700"]): False,
        ("ada-700", new["ada-700"]): True,
        ("bob-701", new["bob-701"]): True,
    }
    told = said("receipts", old["ada-700"][:7].upper())
    assert flat(told) == f"{old['ada-700']} not graded mini ada-700 mini.ipynb.earlier-1"
    told = said("receipts", new["ada-700"], "--unit", "mini")
    assert flat(told) == f"{new['ada-700']} graded mini ada-700 mini.ipynb"
    assert len(said("receipts").splitlines()) == 3
    assert "No hand-in of this class" in said("receipts", "aaaaa-aaaaa", code=1)
    assert f"Receipt: {new['ada-700']}" in said("score", "submitted/ada-700/mini/mini.ipynb")

    # What everybody gets, and every table, has the receipt of what was graded.
    said("feedback", "mini", "--to", "canvas", "--out", "back.zip")
    page = room.folder("feedback", "ada-700", "mini") / "mini.html"
    assert new["ada-700"] in page.read_text() and old["ada-700"] not in page.read_text()
    with zipfile.ZipFile("back.zip") as archive:
        back = parse(archive.read("ada_700_1_mini-3.ipynb"))
    assert f"`{new['ada-700']}`" in back["cells"][0]["source"][-1]
    for to in ("csv", "moodle"):
        said("export", "--to", to, "--out", "grades.csv")
        assert new["ada-700"] in Path("grades.csv").read_text()
    said("score", "submitted/ada-700/mini/mini.ipynb", "--gradescope", "results.json")
    assert f"Receipt of what was graded: {new['ada-700']}" in Path("results.json").read_text()


def test_nbgrader_s_own_way_notes_it_too_and_a_file_that_is_gone_is_still_known(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(room.course.root)
    unit = room.course.assignment("mini")
    folder = room.folder("submitted", "eve", "mini")
    folder.mkdir(parents=True)
    receipts = []
    for text in (FIRST, SECOND):
        notebook = unit.solved({"mul_vjp": text})
        receipts.append(receipt_of(notebook))
        (folder / "mini.ipynb").write_text(write_text(notebook))
        result = NbGraderAPI(room.folders, config=room.config).autograde("mini", "eve", force=True)
        assert result["success"], result["log"]
        mine = {receipt: graded for (student, receipt), graded in known(room).items() if student == "eve"}
        assert mine == {one: one == receipts[-1] for one in receipts}
    assert "not there any more" in flat(said("receipts", receipts[0]))


def test_what_is_no_notebook_has_no_receipt(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(room.course.root)
    Path("torn.ipynb").write_text("{")
    result = CliRunner().invoke(app, ["receipt", "torn.ipynb"])
    assert "is not a notebook" in str(result.exception)
    with zipfile.ZipFile("torn.zip", "w") as archive:
        archive.writestr("cyd_703_1_mini.ipynb", "{")
    said("collect", "torn.zip", "--unit", "mini")
    assert "cyd" not in {student for student, _ in known(room)}
