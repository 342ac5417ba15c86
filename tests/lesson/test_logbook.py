"""The learner's record of checks, and what a notebook shows without a traceback, in real kernels where it matters."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from autograder import predicted
from autograder.lesson import logbook, unfinished
from autograder.lesson.colours import RED, badge
from autograder.lesson.logbook import BROKEN, OPEN, RIGHT, WRONG, append, read, standing, units_folder
from autograder.lesson.progress import Standing, drawn, progress
from autograder.unit.assignment import Assignment, Course

RIGHT_ANSWER = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"
WRONG_ANSWER = "def mul_vjp(g, a, b):\n    return b, a\n"
POINTS = 'from autograder import progress\n\nprogress("mini", {"mul_vjp": 2, "unbox": 3})'


@pytest.fixture
def course(mini_course: Course, tmp_path: Path) -> Course:
    """A copy that a test may change."""
    shutil.copytree(mini_course.root, tmp_path / "checkout")
    return Course(tmp_path / "checkout")


class Shell:
    """Shows what a cell shows, as a terminal would."""

    class display_pub:
        @staticmethod
        def publish(data: dict[str, str], metadata: dict[str, Any]) -> None:
            print(data["text/plain"])


@pytest.fixture
def kernel_of() -> Iterator[Any]:
    """Pretend that this process is the kernel of a notebook in a folder."""
    with pytest.MonkeyPatch.context() as patch:

        def pretend(folder: Path) -> None:
            patch.setattr(logbook, "_here", folder)
            patch.setattr(logbook, "shell", Shell)
            patch.setattr(logbook, "_unwritten", [])

        yield pretend


def states(folder: Path) -> dict[str, str]:
    return standing(read(folder))


# -- the file -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "state"),
    [
        ([], None),
        ([None], OPEN),
        ([False], WRONG),
        ([False, None], OPEN),
        ([False, True], RIGHT),
        ([True, False], BROKEN),
        ([True, None], OPEN),  # its cell was emptied: nothing fails
        ([True, False, None], OPEN),
        ([True, None, False], BROKEN),
        ([True, None, True], RIGHT),
        ([True, False, False], BROKEN),
        ([True, False, True], RIGHT),
    ],
)
def test_the_last_result_counts_and_what_was_right_once_is_remembered(
    results: list[bool | None], state: str | None
) -> None:
    assert standing({"exercise": "a", "passed": passed} for passed in results).get("a") == state


def test_a_unit_that_was_started_afresh_is_open_and_others_are_not() -> None:
    passes = [{"exercise": name, "passed": True} for name in ("a", "b")]
    assert standing([*passes, {"fresh": "u", "exercises": ["a"]}]) == {"b": RIGHT}
    afresh = [*passes, {"fresh": "u", "exercises": ["a"]}, {"exercise": "a", "passed": False}]
    assert standing(afresh) == {"a": WRONG, "b": RIGHT}


def test_a_note_holds_a_name_a_result_and_a_date_and_nothing_else(course: Course, kernel_of: Any) -> None:
    kernel_of(course.root / "course" / "mini")
    logbook.note("mul_vjp", True)
    (line,) = (course.root / "course" / logbook.FILE).read_text().splitlines()
    record = json.loads(line)
    assert list(record) == ["exercise", "passed", "date"]
    assert (record["exercise"], record["passed"]) == ("mul_vjp", True)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\n\n",
        b"\xff\xfe\x00",
        b'{"exercise": "b", "pas',
        b"[" * 100_000,
        b"[1, 2]\n3\nnull",
        b'{"exercise": 3, "passed": true}\n{"exercise": ["x"]}\n{"fresh": 1, "exercises": [[]]}\n{"fresh": "u"}',
    ],
)
def test_a_damaged_file_costs_only_the_damaged_lines(damage: bytes, tmp_path: Path) -> None:
    append(tmp_path, {"exercise": "a", "passed": True})
    with (tmp_path / logbook.FILE).open("ab") as file:
        file.write(damage)
    append(tmp_path, {"exercise": "c", "passed": False})
    assert states(tmp_path) == {"a": RIGHT, "c": WRONG}


def test_several_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from autograder.lesson.logbook import append\n"
        "for i in range(200): append(Path(sys.argv[1]), {'exercise': f'{sys.argv[2]}_{i}', 'passed': True})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(i)]) for i in range(3)]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    assert set(states(tmp_path)) == {f"{w}_{i}" for w in range(3) for i in range(200)}


@pytest.mark.parametrize(
    "obstacle", ["a folder", "a read-only folder", "the folder is gone", "a broken link"]
)
def test_a_file_that_cannot_be_written_troubles_nobody(
    obstacle: str, course: Course, kernel_of: Any, capfd: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    folder = course.root / "course"
    kernel_of(folder / "mini")
    if obstacle == "a folder":
        (folder / logbook.FILE).mkdir()
    elif obstacle == "a broken link":
        (folder / logbook.FILE).symlink_to(folder / "nowhere" / "x")
    elif obstacle == "the folder is gone":
        shutil.rmtree(folder)
    else:  # the tests may run as root, whom no permission stops

        def refuse(*arguments: object) -> int:
            raise PermissionError

        monkeypatch.setattr(os, "open", refuse)
    logbook.note("mul_vjp", True)
    monkeypatch.undo()
    capfd.readouterr()
    progress("mini", {"mul_vjp": 2, "unbox": 3})
    told = capfd.readouterr()
    assert "1 of 2 exercises, 2 of 5 points" in told.out  # this kernel still knows
    assert told.err == ""


def test_a_note_takes_no_time_that_anybody_notices(course: Course, kernel_of: Any) -> None:
    import time

    kernel_of(course.root / "course" / "mini")
    logbook.note("warm", True)
    start = time.perf_counter()
    for _ in range(50):
        logbook.note("mul_vjp", False)
    assert (time.perf_counter() - start) / 50 < 0.01


# -- whose notebook is a learner's --------------------------------------------------------------------------------


def test_only_the_course_folder_of_a_checkout_is_a_learner_s(course: Course, tmp_path: Path) -> None:
    assert units_folder(course.root / "course" / "mini") == course.root / "course"
    assert units_folder(course.root / "solutions" / "mini") is None
    handed_in = course.root / "submitted" / "ada" / "mini"
    shutil.copytree(course.root / "course" / "mini", handed_in)
    assert units_folder(handed_in) is None
    shutil.copytree(course.root / "course" / "mini", tmp_path / "own" / "mini")
    assert units_folder(tmp_path / "own" / "mini") == tmp_path / "own"
    assert units_folder(tmp_path / "own") is None
    shutil.move(tmp_path / "own" / "mini", tmp_path / "own" / "other")
    assert units_folder(tmp_path / "own" / "other") is None


def test_outside_of_a_kernel_nothing_is_written(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logbook, "_here", course.root / "course" / "mini")
    logbook.note("mul_vjp", True)
    assert not (course.root / "course" / logbook.FILE).exists()


# -- in kernels ---------------------------------------------------------------------------------------------------


def run(notebook: Any, folder: Path) -> dict[str, Any]:
    """Run a notebook in a kernel, past its errors; its outputs as text, by cell."""
    NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        resources={"metadata": {"path": folder}},
        allow_errors=True,
    ).execute()
    shown = {}
    for cell in notebook.cells:
        shown[cell.id] = "".join(map(text_of, cell.get("outputs", [])))
    return shown


def text_of(output: Any) -> str:
    plain = output.get("data", {}).get("text/plain", "")
    return output.get("text") or "\n".join(output.get("traceback", [])) or plain


def with_progress(notebook: Any, *more: str) -> Any:
    for source in (*more, POINTS):
        notebook.cells.append(nbformat.v4.new_code_cell(source, id=f"last-{len(notebook.cells)}"))
    return notebook


def test_a_learner_s_kernel_notes_its_checks_and_the_next_kernel_knows(
    course: Course, mini: Assignment
) -> None:
    folder = course.root / "course" / "mini"
    first = with_progress(mini.solved({"mul_vjp": RIGHT_ANSWER}, others="stub"), "unbox([])")
    shown = list(run(first, folder).values())
    assert states(folder.parent) == {"mul_vjp": RIGHT, "unbox": OPEN}
    assert shown[-1].splitlines() == [
        "mini  ████████░░░░░░░░░░░░  1 of 2 exercises, 2 of 5 points",
        "",
        "  ✓ mul_vjp  2 points",
        "  ○ unbox    3 points",
        "",
        "Next: unbox",
    ]
    assert "`unbox` is not written yet: its answer cell is above." in shown[-2]
    assert len(shown[-2].splitlines()) == 1
    error = first.cells[-2].outputs[0]
    assert (error.output_type, error.ename) == ("error", "NotImplementedError")

    second = mini.solved({"mul_vjp": WRONG_ANSWER})
    second.cells = [
        cell for cell in second.cells if cell.id != "box"
    ]  # a cell that was not run in this kernel
    shown = run(with_progress(second), folder)
    assert states(folder.parent) == {"mul_vjp": BROKEN, "unbox": OPEN}
    assert badge("✗ unbox", RED) + " there is no `Box` in this kernel yet" in shown["unbox_check"]
    assert "run all cells above" in shown["unbox_check"]
    assert "! mul_vjp  2 points  was right, now fails" in list(shown.values())[-1]


def test_a_solved_run_of_an_instructor_knows_itself_and_writes_nothing(
    course: Course, mini: Assignment
) -> None:
    folder = course.root / "solutions" / "mini"
    shown = list(run(with_progress(mini.solved()), folder).values())
    assert shown[-1].endswith("\n\nAll exercises of this unit are right.")
    assert "2 of 2 exercises, 5 of 5 points" in shown[-1]
    assert not list(course.root.rglob(logbook.FILE))


def test_after_the_last_exercise_the_next_unit_is_named(
    tmp_path: Path, kernel_of: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for unit in ("03_here", "04_there", "10_later"):
        (tmp_path / unit).mkdir()
        (tmp_path / unit / "x.ipynb").write_text(f'{{"unit": "{unit}"}}')
    for unit, last in (
        ("03_here", "All exercises of this unit are right. Next: unit 04_there"),
        ("10_later", "All exercises of this unit are right."),
    ):
        kernel_of(tmp_path / unit)
        logbook.note("a", True)
        progress(unit, {"a": 1})
        assert capsys.readouterr().out.splitlines()[-1] == last


def test_predictions_are_noted_and_counted_and_what_was_predicted_is_nobody_s_business(
    course: Course, kernel_of: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = course.root / "course"
    kernel_of(folder / "mini")
    assert not predicted((None, 2), "both_slopes")
    assert logbook.predictions(read(folder)) == frozenset()
    assert predicted((31337, 2), "both_slopes") and predicted(1, "both_slopes")
    assert predicted(1)  # a learner's own, without a name
    assert logbook.predictions(read(folder)) == {"both_slopes"}
    assert "31337" not in (folder / logbook.FILE).read_text()
    capsys.readouterr()
    progress("mini", {"mul_vjp": 2}, predictions=["both_slopes", "order"])
    assert "1 of 2 predictions made" in capsys.readouterr().out
    append(folder, {"fresh": "mini", "exercises": ["mul_vjp"], "predictions": ["both_slopes"]})
    assert logbook.predictions(read(folder)) == frozenset()


@pytest.mark.parametrize(
    "damaged", [{"prediction": ["x"]}, {"fresh": "u", "predictions": [[], 3]}, {"fresh": 1}]
)
def test_a_damaged_note_of_a_prediction_costs_only_itself(damaged: dict[str, Any]) -> None:
    assert logbook.predictions([{"prediction": "a"}, damaged]) == {"a"}


def test_progress_is_drawn_with_a_mark_for_each_state_and_goes_on_with_a_link() -> None:
    points = {"a": 1, "b": 2, "c": 1, "<d>": 0}
    states = {"a": RIGHT, "b": WRONG, "c": BROKEN}
    html = drawn(Standing("03_x", points, states, ["p", "q"], frozenset({"q"}), None))
    for chip in ("✓ a · 1", "✗ b · 2", "! c · 1", "○ &lt;d&gt;"):
        assert f">{chip}</span>" in html
    assert "○ ● 1 of 2 predictions made" in html
    assert "width: 25%" in html and "1 of 4 points" in html
    assert f"Next: <b>b</b> ({WRONG})" in html
    done = drawn(
        Standing("03_x", {"a": 1}, {"a": RIGHT}, [], frozenset(), Path("course/04_a unit/a b.ipynb"))
    )
    assert '<a href="../04_a%20unit/a%20b.ipynb">unit 04_a unit</a>' in done
    # An untrusted notebook keeps nothing else.
    assert set(re.findall(r"<(\w+)", html + done)) == {"div", "span", "b", "a"}
    assert "class=" not in html and "<script" not in html


@pytest.mark.parametrize(("variable", "plain"), [("", False), ("1", True)], ids=["colours", "NO_COLOR"])
def test_who_wants_no_colours_gets_the_marks_alone(
    variable: str, plain: bool, course: Course, mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", variable)
    notebook = mini.solved({"mul_vjp": WRONG_ANSWER, "unbox": mini.exercise("unbox").solution}, others="stub")
    shown = run(notebook, course.root / "course" / "mini")
    assert ("\x1b" not in shown["mul_vjp_check"] + shown["unbox_check"]) == plain
    assert "✗ mul_vjp" in shown["mul_vjp_check"]
    assert "✓ unbox" in shown["unbox_check"]


def test_a_stub_in_a_class_is_named_with_its_class_and_other_exceptions_are_left_alone() -> None:
    class Value:
        def __mul__(self, other: object) -> object:
            raise NotImplementedError("your answer goes here")

    def told(function: Any) -> str:
        try:
            function()
        except Exception as error:
            return unfinished.told(error, error.__traceback__)
        raise AssertionError

    def own() -> None:
        raise NotImplementedError("a learner's own")

    assert told(lambda: Value() * 2).startswith("`Value.__mul__` is not written yet")
    assert told(own) == ""
    assert told(lambda: 1 / 0) == ""
    code = compile('raise NotImplementedError("your answer goes here")', "<cell>", "exec")
    assert told(lambda: exec(code)).startswith("This answer is not written yet")


CELLS = {
    "set-up": "import autograder\nimport matplotlib.pyplot as plots\nfrom autograder.lesson.unfinished import MESSAGE",
    "answer": "def halve(x):\n    raise NotImplementedError(MESSAGE)",
    "example": "FOUND, n = {}, 1\nfor k in (1, 2):\n    FOUND[k] = halve(k)",
    "figure": "def figure():\n    n = plots.figure()\n    n.gca().plot(FOUND[1], FOUND[2])\n\n\nfigure()",
    "next example": "LAST = FOUND[1] if FOUND else halve(0)",
    "by name": "print(LAST)",
    "a learner's own": "FOUND[1]",
    "item added": "FOUND[3] = 3",
    "figure again": "plots.plot(FOUND[1])",
    "set": "FOUND = {}",
    "another error": "plots.plot(FOUND[1])",
}


def test_a_figure_of_an_example_that_stopped_at_a_stub_says_so_in_one_line(tmp_path: Path) -> None:
    cells = [
        nbformat.v4.new_code_cell(source, id=name.replace(" ", "-").replace("'", ""))
        for name, source in CELLS.items()
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    shown = dict(zip(CELLS, run(notebook, tmp_path).values(), strict=True))
    assert "`halve` is not written yet" in shown["example"]
    line = "This cell needs `{}` of an example above, which needs `halve`: that is not written yet."
    assert shown["figure"] == shown["figure again"] == line.format("FOUND")
    assert shown["by name"] == line.format("LAST")
    assert not any("image/png" in o.get("data", {}) for cell in cells for o in cell.outputs)
    for own in ("a learner's own", "another error"):
        assert "KeyError" in shown[own] and "Traceback" in shown[own]


def test_notes_of_several_threads_are_whole_lines(tmp_path: Path) -> None:
    threads = [
        threading.Thread(target=append, args=(tmp_path, {"exercise": "é" * i, "passed": True}))
        for i in range(1, 30)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(states(tmp_path)) == 29
