"""Of several hand-ins the last or the best counts, after lateness; none is lost, none is swapped, all have one seed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI

from autograder.classroom.attempts import BEST, LAST, rule_of
from autograder.classroom.classroom import Classroom
from autograder.classroom.feedback.write import write_feedback
from autograder.classroom.grader import Graded
from autograder.classroom.hand_ins import hand_ins
from autograder.classroom.platforms.placing import place
from autograder.classroom.run import grade_class
from autograder.sandbox.walls import Sandbox
from autograder.unit.notebook import write_text
from autograder.unit.receipt import receipt_of

from ..conftest import make_course

#: Points of what is handed in, by what is right in it.
RIGHT = {
    "mul_vjp": "def mul_vjp(g, a, b):\n    return g * b, g * a\n",
    "unbox": "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)\n",
}
HAND_INS = {0: (), 2: ("mul_vjp",), 3: ("unbox",), 5: ("mul_vjp", "unbox")}
Run = Callable[..., dict[str, Graded]]


@pytest.fixture
def room(tmp_path: Path) -> Classroom:
    return Classroom(make_course(tmp_path))


@pytest.fixture
def run(room: Classroom, sandbox: Sandbox) -> Run:
    def grade(**options: Any) -> dict[str, Graded]:
        unit = room.course.assignment("mini")
        seen: list[str] = []
        rows = grade_class(
            room,
            unit,
            room.students("mini"),
            sandbox=sandbox,
            jobs=1,
            done=lambda row: seen.append(row.student),
            **options,
        )
        assert sorted(seen) == [row.student for row in rows]  # each once
        return {row.student: row for row in rows}

    return grade


def notebook(room: Classroom, points: int, mark: str = "") -> dict[str, Any]:
    answers = {name: text + f"# {mark}\n" for name, text in RIGHT.items() if name in HAND_INS[points]}
    return room.course.assignment("mini").solved(answers, others="stub")


def hand_in(room: Classroom, student: str, *all_points: int, days: tuple[int, ...] = ()) -> list[str]:
    """Hand in one after the other, as `collect` places them; gives the receipts."""
    receipts = []
    folder = room.folder("submitted", student, "mini")
    folder.mkdir(parents=True, exist_ok=True)
    for number, points in enumerate(all_points):
        made = notebook(room, points, f"{student} {number}")
        place(folder / "mini.ipynb", write_text(made).encode(), beside=("timestamp.txt",))
        if days:
            (folder / "timestamp.txt").write_text(f"2026-01-{days[number]:02} 12:00:00 UTC\n")
        receipts.append(receipt_of(made))
    return receipts


def in_gradebook(room: Classroom, student: str) -> tuple[float, str]:
    """The points after lateness, and the time of handing in."""
    with Gradebook(room.folders.db_url, room.folders.course_id) as gradebook:
        submission = gradebook.find_submission("mini", student)
        late = sum(n.late_submission_penalty or 0 for n in submission.notebooks)
        return submission.score - late, str(submission.timestamp or "")


def graded(room: Classroom, student: str) -> list[str]:
    found = hand_ins(room, [room.course.assignment("mini")])
    return [one.receipt for one in found if one.student == student and one.graded]


def about(room: Classroom, student: str) -> dict[str, Any]:
    path = room.folder("autograded", student, "mini") / "mini.ipynb"
    found: dict[str, Any] = json.loads(path.read_text())["metadata"]["autograder"]
    return found


def test_the_best_of_several_counts_where_the_class_says_so_and_the_last_else(
    room: Classroom, run: Run
) -> None:
    ada = hand_in(room, "ada", 2, 5, 3)
    bob = hand_in(room, "bob", 5)
    before = {path: path.read_bytes() for path in room.course.root.glob("submitted/**/*") if path.is_file()}
    rows = run()
    assert (rows["ada"].score, rows["ada"].hand_in) == (3, "the last of 3 hand-ins")
    assert (rows["bob"].score, rows["bob"].hand_in) == (5, "")
    assert graded(room, "ada") == [ada[2]]

    rows = run(rule=BEST)
    assert (rows["ada"].score, rows["ada"].before, rows["ada"].why) == (5, 3, "another file")
    assert rows["ada"].hand_in == "the best of 3 hand-ins: number 2"
    assert rows["bob"].state == "kept"
    assert graded(room, "ada") == [ada[1]] and graded(room, "bob") == bob
    assert in_gradebook(room, "ada")[0] == 5
    # It is kept for the unit, and what has not changed is not graded again.
    again = run()
    assert {row.state for row in again.values()} == {"kept"}
    assert (again["ada"].score, again["ada"].hand_in) == (5, rows["ada"].hand_in)
    told = (
        "You handed in 3 times: the best one counts, which is number 2. In order they earned 2, 5, 3 points"
    )
    write_feedback(room, "mini", ["ada", "bob"], jobs=1)
    assert told in (room.folder("feedback", "ada", "mini") / "mini.html").read_text()
    assert "handed in" not in (room.folder("feedback", "bob", "mini") / "mini.html").read_text()

    assert run(rule=LAST)["ada"].score == 3
    assert graded(room, "ada") == [ada[2]]
    # Nothing of a hand-in has changed, and all receipts are known.
    after = {path: path.read_bytes() for path in room.course.root.glob("submitted/**/*") if path.is_file()}
    assert after == before
    known = {one.receipt for one in hand_ins(room, [room.course.assignment("mini")]) if one.student == "ada"}
    assert known == set(ada)


def test_each_hand_in_has_its_own_lateness_and_a_change_of_it_changes_what_counts(
    room: Classroom, run: Run
) -> None:
    ada = hand_in(room, "ada", 2, 3, 5, days=(1, 2, 20))
    rows = run(rule=BEST, late_policy=10.0)
    assert (rows["ada"].score, rows["ada"].late) == (5, 0)  # there is no due date yet

    def due(day: int) -> dict[str, Graded]:
        with Gradebook(room.folders.db_url, room.folders.course_id) as gradebook:
            gradebook.update_or_create_assignment("mini", duedate=f"2026-01-{day:02} 13:00:00 UTC")
        return run()

    rows = due(2)  # the third loses all of its 5 points
    assert (rows["ada"].score, rows["ada"].penalty, rows["ada"].why) == (3, 0, "another hand-in counts")
    assert in_gradebook(room, "ada") == (3, "2026-01-02 12:00:00")
    assert graded(room, "ada") == [ada[1]]
    rows = due(18)  # it loses 1 of 5
    assert (rows["ada"].score, rows["ada"].penalty) == (5, 1)
    assert in_gradebook(room, "ada") == (4, "2026-01-20 12:00:00")
    rows = due(16)  # 2 of 5: as much as the second keeps, and the later one counts
    assert (rows["ada"].state, rows["ada"].penalty, graded(room, "ada")) == ("kept", 2, [ada[2]])
    assert run(late_policy=20.0)["ada"].score == 3
    with Gradebook(room.folders.db_url, room.folders.course_id) as gradebook:
        gradebook.grant_extension("mini", "ada", days=9)
    assert run()["ada"].score == 5


def test_a_new_hand_in_is_one_more_and_a_worse_one_takes_nothing(room: Classroom, run: Run) -> None:
    hand_in(room, "ada", 2, 3)
    hand_in(room, "bob", 3, 2)
    assert [row.score for row in run(rule=BEST).values()] == [3, 3]
    receipts = hand_in(room, "ada", 0, 5)
    rows = run()
    assert rows["bob"].state == "kept"
    assert (rows["ada"].score, rows["ada"].hand_in) == (5, "the best of 4 hand-ins: number 4")
    assert graded(room, "ada") == receipts[1:]
    (room.folder("submitted", "ada", "mini") / "mini.ipynb.earlier-4").write_text("{torn")
    assert run()["ada"].score == 5
    seeds = {about(room, student).get("seed") for student in ("ada", "bob")}
    assert seeds == {None}  # it is in nothing that students get; the gradebook has one for all
    with Gradebook(room.folders.db_url, room.folders.course_id) as gradebook:
        assert rule_of(gradebook, "mini") == BEST


def test_nbgrader_s_own_way_takes_no_other_hand_in_than_the_one_that_counts(
    room: Classroom, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(room, "ada", 5, 2, days=(1, 2))
    hand_in(room, "bob", 3)
    run(rule=BEST)
    monkeypatch.chdir(room.course.root)
    api = NbGraderAPI(room.folders, config=room.config)
    assert api.autograde("mini", "bob", force=True)["success"]
    try:
        told = str(api.autograde("mini", "ada", force=True))
    except SystemExit as end:
        told = str(end)
    assert "ada has several hand-ins of mini" in told and "autograder grade mini" in told
    assert in_gradebook(room, "ada") == (5, "2026-01-01 12:00:00")
    run(rule=LAST)
    assert api.autograde("mini", "ada", force=True)["success"]
    assert in_gradebook(room, "ada") == (2, "2026-01-02 12:00:00")
