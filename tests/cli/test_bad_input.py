"""What people type by mistake is one sentence and status 2, ends at once, and costs no file that was there."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.classroom.cluster import Cluster
from autograder.errors import UserError
from autograder.referee.autograded import write_notebook
from autograder.unit.assignment import Course

from .played import in_this_process

pytestmark = pytest.mark.usefixtures("bubblewrap")

LONG = "a" * 300
OWN = "is this course's own folder, or holds it"


@pytest.fixture(scope="module")
def graded(mini_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of one that was graded, and files that are none, or none of the expected kind."""
    root = tmp_path_factory.mktemp("class") / "course"
    shutil.copytree(mini_course.root, root)
    solved = Course(root).assignment("mini").solved()
    write_notebook(root / "submitted" / "ada" / "mini" / "mini.ipynb", solved)
    write_notebook(root / "work.ipynb", solved)
    code, told = in_this_process(["grade", "mini", "--jobs", "1"], root)
    assert code == 0, told
    (root / "a folder").mkdir()
    (root / "notes.txt").write_text("mine")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    return root


MISTAKES: dict[str, tuple[list[str], str]] = {
    "collect: this course": (["collect", "."], OWN),
    "collect: no name": (["collect", ""], OWN),
    "collect: what lies above": (["collect", ".."], OWN),
    "collect: the submissions": (["collect", "submitted"], OWN),
    "collect: one student's": (["collect", "submitted/ada"], OWN),
    "collect: the release": (["collect", "course"], OWN),
    "collect: a long name": (["collect", LONG], f"{LONG}: File name too long."),
    "score: a long name": (["score", LONG], f"{LONG}: File name too long."),
    "score: a unit of a long name": (["score", "work.ipynb", "--unit", LONG], "File name too long."),
    "score: a result that is a folder": (
        ["score", "work.ipynb", "--gradescope", "."],
        ". is there, and it is no file: name another one.",
    ),
    "score: a time that is none": (
        ["score", "work.ipynb", "--gradescope", "g.json", "--held-until", "soon"],
        "'soon' is no time with a zone",
    ),
    "grade: a long name": (["grade", LONG], "File name too long."),
    "grade: a scheduler without a port": (["grade", "mini", "--scheduler", "x"], "no address of a Dask"),
    "report: no name": (["report", "mini", "--out", ""], ". is there, and it is no file: name another one."),
    "report: a pipe": (["report", "mini", "--csv", "pipe"], "pipe is there, and it is no file"),
    "report: twice the same": (
        ["report", "mini", "--out", "r.html", "--csv", "./r.html"],
        "would both be r.html: name another file with --out or --csv.",
    ),
    "export: a device": (["export", "--to", "csv", "--out", os.devnull], "it is no file: name another one."),
    "bundle: a long name": (["bundle", "--out", LONG], "cannot be written: File name too long."),
    "bundle: a pipe": (["bundle", "--out", "pipe", "--force"], "pipe is there, and it is no file"),
    "students: a folder": (["students", "import", "a folder"], "a folder is no file: export the roster"),
    "mine: a pipe": (["mine", "pipe"], "pipe is no file of Python."),
    "mine: a device without an end": (["mine", "/dev/zero"], "/dev/zero is no file of Python."),
    "mine: to put and to check": (["mine", "work.ipynb", "--put", "--hidden"], "--put copies the file and"),
    "due: a year that is none": (["due", "mini", "9999-12-31 23:59 -12:00"], "The year 9999 is none"),
    "hold: a year that is none": (["hold", "mini", "--until", "0001-01-01 00:00 +12:00"], "The year 1 is"),
    "prove: a matrix at seeds": (["prove", "--matrix", "m.csv", "--seeds", "5"], "leave out --seeds"),
    "prove: what is alike at seeds": (["prove", "--alike", "--seeds", "5"], "leave out --seeds"),
    "prove: two questions": (["prove", "--alike", "--matrix", "m.csv"], "one after the other"),
    "start: a link to itself": (["start", "loop", "--no-lab"], "name a folder outside of it"),
}


def files(root: Path) -> dict[Path, bytes]:
    """All files but the gradebook, whose tables are made when they are asked for, and the report's own page."""
    passed_over = ("gradebook.db", "report-mini.html")
    return {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and p.name not in passed_over}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_in_a_sentence_and_changes_nothing(name: str, graded: Path) -> None:
    words, sentence = MISTAKES[name]
    before = files(graded)
    code, told = in_this_process(words, graded)
    assert code == 2, told
    assert sentence in told and "Traceback" not in told
    assert files(graded) == before


WRITES: dict[str, Callable[[str], list[str]]] = {
    "report --out": lambda name: ["report", "mini", "--out", name],
    "report --csv": lambda name: ["report", "mini", "--csv", name],
    "score --gradescope": lambda name: ["score", "notebook.ipynb", "--gradescope", name],
    "export --out": lambda name: ["export", "--to", "csv", "--out", name],
}


@pytest.mark.parametrize("name", WRITES)
def test_what_is_no_earlier_result_is_kept_beside_the_new_one(
    name: str, graded: Path, tmp_path: Path
) -> None:
    here = tmp_path / "course"
    shutil.copytree(graded, here, symlinks=True, ignore=shutil.ignore_patterns("pipe"))
    shutil.copy(here / "work.ipynb", here / "notebook.ipynb")
    for _ in range(2):
        code, told = in_this_process(WRITES[name]("work.ipynb"), here)
        assert code == 0, told
    (kept,) = here.glob("work.earlier-*")
    assert kept.read_bytes() == (graded / "work.ipynb").read_bytes()
    assert (here / "work.ipynb").read_bytes() != kept.read_bytes()


def test_a_folder_beside_the_submissions_is_collected(graded: Path) -> None:
    """A course may have it in its own folder: what came from the platform is downloaded somewhere."""
    place = graded / "downloads" / "bob"
    place.mkdir(parents=True)
    shutil.copy(graded / "work.ipynb", place / "mini.ipynb")
    with zipfile.ZipFile(graded / "all.zip", "w") as archive:
        archive.write(graded / "work.ipynb", "cy/mini.ipynb")
    for source in ("downloads", "all.zip"):
        code, told = in_this_process(["collect", source], graded)
        assert code == 0 and "1 collected" in told, told


@pytest.mark.parametrize("address", ["x", "tcp://x", "tcp://x:", "x:port"])
def test_an_address_without_a_port_is_told_at_once(address: str) -> None:
    with pytest.raises(UserError, match=r"is no address of a Dask scheduler, such as tcp://HOST:8786\."):
        Cluster(address, grader=None, tell=print)  # type: ignore[arg-type]
