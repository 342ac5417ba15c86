"""`autograder review`: which exercises come again and when, and the notebooks in which they do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import date, datetime, time, timedelta
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.errors import UserError
from autograder.learner import progress, review
from autograder.learner.review import DAYS, Card, draw, once_more
from autograder.lesson import logbook
from autograder.lesson.logbook import REVIEW, REVIEWS
from autograder.unit.assignment import Course
from autograder.unit.raw import unit_of

from ..conftest import REPOSITORY
from .test_learner import Run, course, run

__all__ = ["course", "run"]

#: Noon, so that no day of the tests is another one in a zone with a change of clocks.
NOW = datetime.now().astimezone().replace(hour=12)
TODAY = NOW.date()
UNITS = sorted(Course(REPOSITORY).units())


@pytest.fixture(autouse=True)
def released(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small course's notebooks are as they were released."""

    def found(folder: Path, unit: str) -> tuple[str, str]:
        (path,) = (folder / unit).glob("*.ipynb")
        return path.name, path.read_text(encoding="utf-8")

    monkeypatch.setattr(review, "released", found)


def days_ago(days: int) -> date:
    return TODAY - timedelta(days=days)


def noted(folder: Path, name: str, *events: tuple[int, bool], file: str = logbook.FILE) -> None:
    """Checks of an exercise, each so many days ago."""
    for days, passed in events:
        moment = (NOW - timedelta(days=days)).isoformat(timespec="seconds")
        logbook.append(folder, {"exercise": name, "passed": passed, "date": moment}, file)


def cards_of(course: Course) -> dict[str, Card]:
    folder = course.root / "course"
    return {card.exercise: card for card in review.cards(progress.units(folder), folder, TODAY)}


def names_drawn(course: Course, count: int = 9, anyway: bool = False) -> list[str]:
    folder = course.root / "course"
    return [one.card.exercise for one in draw(folder, progress.units(folder), count, TODAY, anyway)]


def test_what_was_never_right_does_not_come_and_what_was_comes_after_some_days(course: Course) -> None:
    folder = course.root / "course"
    noted(folder, "mul_vjp", (DAYS[0], True))
    noted(folder, "unbox", (30, False))
    noted(folder, "second", (DAYS[0] - 1, True))
    assert set(cards_of(course)) == {"mul_vjp", "second"}
    assert names_drawn(course) == ["mul_vjp"]
    assert names_drawn(course, anyway=True) == ["mul_vjp", "second"]


def test_the_oldest_and_what_was_wrong_at_first_come_first(course: Course) -> None:
    folder = course.root / "course"
    noted(folder, "mul_vjp", (5, True))
    noted(folder, "second", (9, True))
    noted(folder, "third", (6, False), (5, True))
    assert names_drawn(course) == ["third", "second", "mul_vjp"]
    assert names_drawn(course, count=1) == ["third"]


@pytest.mark.parametrize(
    ("reviews", "again", "last"),
    [
        ([], 0, 40),
        ([(30, True)], 1, 30),
        ([(30, True), (20, True)], 2, 20),
        ([(30, True), (30, True), (30, True)], 1, 30),  # once more on the same day is no recall
        ([(30, False), (30, True)], 0, 30),  # it was not known, and was right in the end
        ([(30, True), (20, False), (20, True), (12, True)], 1, 12),
        ([(30, True), (20, False)], 0, 30),  # given up: it stays due
    ],
)
def test_each_recall_lengthens_the_rest_and_a_mistake_begins_anew(
    reviews: list[tuple[int, bool]], again: int, last: int, course: Course
) -> None:
    folder = course.root / "course"
    noted(folder, "mul_vjp", (40, True))
    noted(folder, "mul_vjp", *reviews, file=REVIEWS)
    card = cards_of(course)["mul_vjp"]
    assert card.again == again
    assert card.wait == DAYS[again]
    assert card.last == days_ago(last)


def test_a_mistake_in_the_unit_after_it_was_right_does_not_make_it_harder(course: Course) -> None:
    noted(course.root / "course", "mul_vjp", (40, True), (39, False), (38, True))
    card = cards_of(course)["mul_vjp"]
    assert not card.harder
    assert card.wait == DAYS[0]


def test_damaged_records_cost_only_themselves(course: Course) -> None:
    folder = course.root / "course"
    for record in ({"exercise": "mul_vjp", "passed": True, "date": "soon"}, {"exercise": 3, "passed": True}):
        logbook.append(folder, record)
    with (folder / logbook.FILE).open("a") as file:
        file.write("{not JSON\n")
    noted(folder, "mul_vjp", (3, True))
    assert names_drawn(course) == ["mul_vjp"]


def test_the_command_writes_a_notebook_each_and_one_of_today_stays(run: Run, course: Course) -> None:
    folder = course.root / "course"
    noted(folder, "mul_vjp", (5, True))
    noted(folder, "second", (4, True))
    said = run("review", "--no-lab", cwd=course.root)
    assert said.code == 0
    day = TODAY.isoformat()
    assert said.out.splitlines() == [
        f"review/mini/mul_vjp {day}.ipynb: last right 5 days ago",
        f"review/02_next/second {day}.ipynb: last right 4 days ago",
    ]
    path = folder / REVIEW / "mini" / f"mul_vjp {day}.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace("NotImplementedError", "mine"), encoding="utf-8")
    worked_on = path.read_text(encoding="utf-8")
    assert run("review", "--no-lab", cwd=folder / REVIEW / "mini").out == said.out
    assert path.read_text(encoding="utf-8") == worked_on


def test_one_that_was_drawn_and_not_solved_is_given_again_and_one_that_was_solved_is_not(
    course: Course,
) -> None:
    folder = course.root / "course"
    noted(folder, "mul_vjp", (9, True))
    units = progress.units(folder)
    (first,) = draw(folder, units, 1, days_ago(4))
    assert first.notebook.name == f"mul_vjp {days_ago(4)}.ipynb"
    first.notebook.write_text(
        first.notebook.read_text(encoding="utf-8").replace("NotImplementedError", "mine")
    )
    noted(folder, "mul_vjp", (4, False), file=REVIEWS)
    (second,) = draw(folder, units, 1, days_ago(3))
    assert second.notebook == first.notebook
    assert "mine" in second.notebook.read_text(encoding="utf-8")
    noted(folder, "mul_vjp", (3, True), file=REVIEWS)
    (third,) = draw(folder, units, 1, TODAY, anyway=True)
    assert third.notebook.name == f"mul_vjp {TODAY}.ipynb"
    assert "NotImplementedError" in third.notebook.read_text(encoding="utf-8")


def test_days_are_those_of_the_calendar(course: Course) -> None:
    """What was right late in the evening was right yesterday in the morning, and not today."""
    card = Card(progress.units(course.root / "course")[0], "mul_vjp", days_ago(1))
    assert card.said(TODAY) == "last right yesterday"
    late = datetime.combine(days_ago(DAYS[0]), time(23, 59)).astimezone().isoformat(timespec="seconds")
    logbook.append(course.root / "course", {"exercise": "mul_vjp", "passed": True, "date": late})
    assert names_drawn(course) == ["mul_vjp"]


@pytest.mark.parametrize("name", ["review", "course"])
def test_a_learners_own_folder_may_have_any_name(name: str, run: Run, course: Course) -> None:
    """A folder of units that is called as the one for reviews, with a record and without one."""
    folder = course.root.parent / name
    shutil.copytree(course.root / "course", folder)
    for place in (folder, folder / "mini"):
        assert run("progress", cwd=place).out == run("progress", cwd=course.root).out
    assert logbook.units_folder(folder / "mini") == folder
    assert logbook.reviewed_folder(folder / "mini") is None
    noted(folder, "mul_vjp", (5, True))
    said = run("review", "--no-lab", cwd=folder / "mini")
    assert said.out == f"review/mini/mul_vjp {TODAY}.ipynb: last right 5 days ago\n"
    assert logbook.units_folder(folder / REVIEW / "mini") is None
    assert logbook.reviewed_folder(folder / REVIEW / "mini") == folder
    assert run("review", "--no-lab", cwd=folder / REVIEW / "mini").out == said.out


def test_nothing_due_and_nothing_solved_are_sentences(run: Run, course: Course) -> None:
    said = run("review", "--no-lab", cwd=course.root)
    assert said.code == 2
    assert "Nothing to review yet" in said.err
    noted(course.root / "course", "mul_vjp", (0, True))
    said = run("review", "--no-lab", cwd=course.root)
    assert said.code == 0
    assert said.out.startswith(f"Nothing is due today. The next is mul_vjp, in {DAYS[0]} days;")
    assert "--anyway" not in run("review", "--no-lab", "--anyway", cwd=course.root).out
    assert not (course.root / "course" / REVIEW).exists()


def test_a_folder_that_cannot_be_written_is_a_sentence(course: Course) -> None:
    folder = course.root / "course"
    noted(folder, "mul_vjp", (5, True))
    (folder / REVIEW).write_text("in the way")
    with pytest.raises(UserError, match="cannot be written"):
        names_drawn(course)


def test_it_is_no_notebook_to_hand_in_and_no_progress(run: Run, course: Course) -> None:
    folder = course.root / "course"
    noted(folder, "mul_vjp", (5, True))
    before = run("progress", cwd=course.root).out
    (drawn,) = draw(folder, progress.units(folder), 1, TODAY)
    noted(folder, "mul_vjp", (0, False), file=REVIEWS)
    notebook = json.loads(drawn.notebook.read_text(encoding="utf-8"))
    assert unit_of(notebook) == ""
    assert not any("nbgrader" in cell["metadata"] for cell in notebook["cells"])
    for place in (course.root, folder / REVIEW, folder / REVIEW / "mini"):
        assert run("progress", cwd=place).out == before


@pytest.mark.parametrize("checkout", [True, False])
def test_in_a_kernel_the_answer_is_judged_and_noted_for_reviews_alone(checkout: bool, course: Course) -> None:
    """In a checkout of the course, and in a learner's folder."""
    folder = course.root / "course"
    if not checkout:
        (course.root / "nbgrader_config.py").rename(course.root / "elsewhere.py")
    noted(folder, "mul_vjp", (5, True))
    before = (folder / logbook.FILE).read_text()
    (drawn,) = draw(folder, progress.units(folder), 1, TODAY)
    notebook = nbformat.read(drawn.notebook, as_version=4)
    nbformat.validate(notebook)
    (answer,) = [cell for cell in notebook.cells if cell["id"] == "answer"]
    assert "NotImplementedError" in answer.source
    for source in (
        "def mul_vjp(g, a, b):\n    return g * a, g * b",
        "def mul_vjp(g, a, b):\n    return g * b, g * a",
    ):
        answer.source = source
        NotebookClient(
            notebook, kernel_name="python3", resources={"metadata": {"path": str(drawn.notebook.parent)}}
        ).execute()
    told = [record["passed"] for record in logbook.read(folder, REVIEWS)]
    assert told == [False, True]
    assert (folder / logbook.FILE).read_text() == before
    assert cards_of(course)["mul_vjp"].again == 0  # wrong first: it begins anew


#: Runs every exercise's notebook in a process of its own: first as it is drawn, then with the model answer in it.
ALL_OF_A_UNIT = """
import contextlib, io, json, os, sys
os.environ["MPLBACKEND"] = "agg"
def ended(cells):
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for cell in cells:
                error = None
                try:
                    exec(compile(cell, "<cell>", "exec"), vars(sys.modules["__main__"]))
                except BaseException as problem:
                    error = f"{type(problem).__name__}: {problem}"
        os.write(write, json.dumps([said.getvalue()[-300:], error]).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return json.loads(text)
import numpy, matplotlib.pyplot, IPython, autograd_ref, autograder
given = json.load(sys.stdin)
print(json.dumps({name: [ended(cells) for cells in both] for name, both in given.items()}))
"""


@pytest.mark.parametrize("unit", UNITS)
def test_every_exercise_of_the_course_can_be_done_again(unit: str) -> None:
    assignment = Course(REPOSITORY).assignment(unit)
    released = json.loads(nbformat.writes(assignment.release))
    path = REPOSITORY / "course" / unit / f"{assignment.name}.ipynb"
    its_unit = progress.Unit(unit, "", path, {}, {})
    given: dict[str, list[list[str]]] = {}
    for exercise in assignment.exercises:
        notebook = once_more(released, Card(its_unit, exercise.name, days_ago(3)), TODAY)
        nbformat.validate(nbformat.from_dict(notebook))
        words = next(cell["source"] for cell in notebook["cells"] if cell["id"].startswith("statement"))
        assert f"`{exercise.name}`" in words, exercise.name
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert sum("source_hidden" not in cell["metadata"].get("jupyter", {}) for cell in code) == 2
        given[exercise.name] = [
            [cell["source"] for cell in code],
            [exercise.solution if cell["id"] == "answer" else cell["source"] for cell in code],
        ]
    done = subprocess.run(
        [sys.executable, "-c", ALL_OF_A_UNIT],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
        cwd=path.parent,
    )
    for name, ((_, empty), (said, full)) in json.loads(done.stdout).items():
        assert empty, name  # the check does not pass an empty answer
        assert full is None, (name, full)
        assert "✓" in said, (name, said)
