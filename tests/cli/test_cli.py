"""The commands, as a person or a script meets them: what they print, what they return, what they leave alone."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from rich.console import Console
from rich.progress import TextColumn, TimeRemainingColumn

from autograder.authoring import prove as prove_module
from autograder.authoring.build import build_likely
from autograder.authoring.proved import choose, read_proved
from autograder.authoring.seeds import further_seeds
from autograder.cli import app as cli
from autograder.cli import authors, instructors, learners, tables, terminal
from autograder.cli import grading as grading_command
from autograder.cli.terminal import line
from autograder.errors import UserError
from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox import second_wall
from autograder.sandbox.walls import UNPROTECTED, Sandbox
from autograder.unit.assignment import Assignment, Course, unit_named

pytestmark = pytest.mark.usefixtures("bubblewrap")

RIGHT = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"


@dataclass
class Said:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    """Run a command in this process, as the console script does."""

    def command(*arguments: object, cwd: Path | None = None) -> Said:
        monkeypatch.setattr(sys, "argv", ["autograder", *map(str, arguments)])
        for console in ("console", "errors"):
            own = Console(highlight=False, stderr=console == "errors", width=300)
            for module in (cli, authors, grading_command, instructors, learners, tables, terminal):
                monkeypatch.setattr(module, console, own, raising=False)
        with monkeypatch.context() as patch:
            patch.chdir(cwd or Path.cwd())
            with pytest.raises(SystemExit) as ended:
                cli.main()
        told = capsys.readouterr()
        return Said(int(ended.value.code or 0), told.out, told.err)

    return command


@pytest.fixture
def course(mini_course: Course, tmp_path: Path) -> Course:
    """A copy that a test may change."""
    shutil.copytree(mini_course.root, tmp_path / "course")
    with (tmp_path / "course" / "nbgrader_config.py").open("a") as file:
        file.write("\nc.Sandbox.call_seconds = 1.0\n")
    return Course(tmp_path / "course")


@pytest.fixture
def submission(mini: Assignment, tmp_path: Path) -> Path:
    """One right answer and one that raises."""
    path = tmp_path / "my work.ipynb"
    raising = "def unbox(boxes):\n    raise KeyError('\\x1b[2J\\ud800')\n"
    path.write_text(nbformat.writes(mini.solved({"mul_vjp": RIGHT, "unbox": raising}, others="stub")))
    return path


def test_score_as_json_keeps_its_contract(
    run: Callable[..., Said], mini_course: Course, submission: Path
) -> None:
    said = run("score", submission, "--json", "--seed", 7, cwd=mini_course.root)
    assert (said.code, said.err.strip()) == (0, "")
    result = json.loads(said.out)
    assert list(result) == [
        "unit",
        "score",
        "max_score",
        "seed",
        "sandboxed",
        "wall",
        "protected",
        "receipt",
        "exercises",
        "notes",
    ]
    assert {key: result[key] for key in ("unit", "score", "max_score", "seed", "sandboxed", "notes")} == {
        "unit": "mini", "score": 2, "max_score": 5, "seed": 7, "sandboxed": True, "notes": [],
    }  # fmt: skip
    for exercise in result["exercises"]:
        assert list(exercise) == ["name", "points", "max_points", "status", "message", "diagnosis"]
        assert all(type(exercise[key]) is str for key in ("name", "status", "message", "diagnosis"))
    brief = [(e["name"], e["points"], e["max_points"], e["status"]) for e in result["exercises"]]
    assert brief == [("mul_vjp", 2, 2, "passed"), ("unbox", 0, 3, "error")]
    assert "\x1b" not in result["exercises"][1]["message"]


def test_score_says_the_same_to_people_and_writes_nothing(
    run: Callable[..., Said], course: Course, submission: Path
) -> None:
    before = sorted(p for p in course.root.parent.rglob("*") if "__pycache__" not in p.parts)
    said = run("score", submission, "--solutions", course.solutions, cwd=submission.parent)
    assert said.code == 0
    assert "✓ mul_vjp: right" in said.out
    assert "✗ unbox: your code raised KeyError" in said.out
    assert "2 of 5 points (seed " in said.out
    assert "\x1b[2J" not in said.out
    assert sorted(p for p in course.root.parent.rglob("*") if "__pycache__" not in p.parts) == before


def test_the_seed_that_was_reported_repeats_the_result(
    run: Callable[..., Said], mini_course: Course, mini: Assignment, tmp_path: Path
) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(nbformat.writes(mini.solved({"unbox": "def unbox(boxes): return 1.0"}, others="stub")))
    first = json.loads(run("score", path, "--json", cwd=mini_course.root).out)
    second = json.loads(run("score", path, "--json", "--seed", first["seed"], cwd=mini_course.root).out)
    assert first == second
    assert first["exercises"][1]["status"] == "failed"


def empty(root: Path) -> list[object]:
    (root / "empty").mkdir()
    return [root / "my work.ipynb", "--solutions", root / "empty"]


def no_unit(root: Path) -> list[object]:
    (root / "n.ipynb").write_text('{"cells": []}')
    return [root / "n.ipynb"]


def strange_name(root: Path) -> list[object]:
    (root / "n.ipynb").write_text('{"cells": [], "metadata": {"autograder": {"unit": "nothing_of_ours"}}}')
    return [root / "n.ipynb"]


def broken_key(root: Path) -> list[object]:
    (root / "key" / "mini").mkdir(parents=True)
    (root / "key" / "mini" / "mini.ipynb").write_text("{")
    return [root / "my work.ipynb", "--solutions", root / "key"]


def escapes(root: Path) -> list[object]:
    path = root / "\x1b[2J.ipynb"
    path.write_text("{")
    return [path]


REFUSED: dict[str, tuple[Callable[[Path], list[object]], str]] = {
    "a missing file": (lambda root: [root / "none.ipynb"], "There is no file"),
    "a folder": (lambda root: [root], "is a folder: name its unit"),
    "no notebook": (lambda root: [Path(__file__)], "not JSON"),
    "a unit that does not exist": (
        lambda root: [root / "my work.ipynb", "--unit", "other"],
        "no unit 'other'",
    ),
    "a unit that is a path": (
        lambda root: [root / "my work.ipynb", "--unit", "../x"],
        "not the name of a unit",
    ),
    "a notebook that names no unit": (no_unit, "--unit"),
    "a notebook that names an unknown unit": (strange_name, "no unit 'nothing_of_ours'"),
    "an empty answer key": (empty, "no unit 'mini'"),
    "an answer key that is not there": (
        lambda root: [root / "my work.ipynb", "--solutions", root / "no"],
        "no folder",
    ),
    "a broken answer key": (broken_key, "cannot be read as a notebook"),
    "a file name with escapes": (escapes, "not JSON"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_be_graded_is_one_sentence_on_stderr_and_exit_code_2(
    name: str, run: Callable[..., Said], mini_course: Course, submission: Path
) -> None:
    arguments, reason = REFUSED[name]
    said = run("score", "--json", *arguments(submission.parent), cwd=mini_course.root)
    assert (said.code, said.out) == (2, "")
    assert reason in said.err
    assert said.err.startswith("autograder: ")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    assert "\x1b" not in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["score"],
        ["score", "x", "--seed", "-1"],
        ["score", "x", "--seed", "one"],
        ["score", "--sed"],
        ["grade"],
        ["wat"],
    ],
)
def test_bad_options_are_told_without_a_traceback(arguments: list[str], run: Callable[..., Said]) -> None:
    said = run(*arguments)
    assert (said.code, said.out) == (2, "")
    assert "Traceback" not in said.err


@pytest.mark.parametrize(("least", "code"), [("0", 0), ("2", 0), ("2.5", 1), ("5", 1)])
def test_too_few_points_are_a_status_for_ci(
    run: Callable[..., Said],
    course: Course,
    mini: Assignment,
    tmp_path: Path,
    bubblewrap: None,
    least: str,
    code: int,
) -> None:
    path = tmp_path / "half.ipynb"
    nbformat.write(mini.solved({"unbox": mini.exercise("unbox").stub}), path)
    said = run("score", path, "--json", "--fail-under", least, cwd=course.root)
    assert (said.code, json.loads(said.out)["score"]) == (code, 2)


def test_without_a_course_or_a_sandbox_the_remedy_is_named(
    run: Callable[..., Said], course: Course, submission: Path
) -> None:
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write("\nc.Sandbox.bwrap = 'no-such-bubblewrap'\n")
    said = run("score", submission, "--json", cwd=course.root)
    assert (said.code, said.out) == (2, "")
    assert "apt-get install bubblewrap" in said.err
    assert "--unsandboxed" in said.err
    allowed = run("score", submission, "--json", "--unsandboxed", cwd=course.root)
    result = json.loads(allowed.out)
    assert (allowed.code, result["sandboxed"], result["score"]) == (0, False, 2)
    assert (result["wall"], result["protected"]) == ("landlock", True)
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write("\nc.Sandbox.landlock = False\n")
    refused = run("score", submission, "--unsandboxed", cwd=course.root)
    assert (refused.code, refused.out) == (2, "")
    assert "say --unprotected-scores: then a submission can read the answer key" in refused.err
    open_ = run("score", submission, "--json", "--unprotected-scores", cwd=course.root)
    result = json.loads(open_.out)
    assert (result["wall"], result["protected"], result["notes"]) == ("none", False, [UNPROTECTED])
    told = run("score", submission, "--unprotected-scores", cwd=course.root)
    assert "NOT PROTECTED" in told.out and UNPROTECTED in told.out


def test_a_broken_configuration_is_one_sentence(
    run: Callable[..., Said], course: Course, submission: Path
) -> None:
    (course.root / "nbgrader_config.py").write_text("c = get_config(\n")
    said = run("score", submission, cwd=course.root)
    assert said.code == 2
    assert "nbgrader_config.py is broken" in said.err
    assert said.err.count("\n") == 1


def test_a_folder_with_nothing_to_collect_is_one_sentence(
    course: Course, tmp_path: Path, run: Callable[..., Said]
) -> None:
    (tmp_path / "empty").mkdir()
    said = run("collect", tmp_path / "empty", cwd=course.root)
    told = f"{tmp_path / 'empty'} holds nothing to collect: no notebook, and no archive of notebooks."
    assert (said.code, said.out, said.err) == (2, "", f"autograder: {told}\n")


def test_collect_ends_with_status_1_when_something_was_skipped(
    course: Course, submission: Path, tmp_path: Path, run: Callable[..., Said]
) -> None:
    folder = tmp_path / "class"
    for name in ("Ada Lovelace", "bob"):
        (folder / name).mkdir(parents=True)
        shutil.copy(submission, folder / name / "mini.ipynb")
    said = run("collect", folder, "--unit", "mini", cwd=course.root)
    assert (said.code, said.err) == (0, "")
    receipt = run("receipt", submission).out[:5]
    assert [row.split() for row in said.out.splitlines()[1:3]] == [
        ["Ada-Lovelace", "mini", receipt, "new"],
        ["bob", "mini", receipt, "new"],
    ]
    assert said.out.endswith("2 collected, 0 skipped, 0 missing.\n")
    (folder / "bob!").mkdir()
    shutil.copy(submission, folder / "bob!" / "mini.ipynb")
    (folder / "bob!" / "mini.ipynb").write_bytes(submission.read_bytes() + b"\n")
    said = run("collect", folder, cwd=course.root)
    assert said.code == 1
    assert "skipped  bob!/mini.ipynb: 'bob!', 'bob' would all be the student bob" in said.out
    assert (course.root / "submitted/bob/mini/mini.ipynb").read_bytes() == submission.read_bytes()


def test_students_are_imported_and_a_dry_run_says_what_would_be_done(
    course: Course, tmp_path: Path, run: Callable[..., Said]
) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("Username,First name,Last name\nada,Ada,Lovelace\nbob,Bob,B\ncy,C,C\ncy,C,D\n")
    for option in (["--dry-run"], []):
        said = run("students", "import", roster, *option, cwd=course.root)
        assert (said.code, said.err) == (1, "")
        assert "line 5: line 4 has the same username" in said.out
        assert "2 added, 0 changed, 0 unchanged, 2 refused" in said.out
        assert ("nothing was written" in said.out) == bool(option)
    roster.write_text("Username,First name,Last name\nada,Ada,Lovelace\n")
    said = run("students", "import", roster, cwd=course.root)
    assert said.out == "not in the roster, and kept: bob\n0 added, 0 changed, 1 unchanged, 0 refused.\n"
    assert said.code == 0


def test_the_version_is_printed(run: Callable[..., Said]) -> None:
    assert re.fullmatch(r"autograder [0-9]+[0-9.]*\n", run("--version").out)


def test_the_list_of_commands_says_whose_each_is(run: Callable[..., Said]) -> None:
    told = run("--help").out
    listed = {part.partition(":\n")[0]: part for part in told.split("\n\n")}
    groups = {
        name.partition(",")[0]: set(re.findall(r"^  ([a-z0-9]+) ", part, re.M))
        for name, part in listed.items()
    }
    assert list(groups)[-4:] == ["For learners", "For instructors", "For authors", "For everyone"]
    assert {"start", "lab", "progress", "fresh"} <= groups["For learners"]
    assert {"grade", "score", "students", "site", "export"} <= groups["For instructors"]
    assert {"init", "new", "build", "prove"} <= groups["For authors"] and groups["For everyone"] == {"doctor"}


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("derivative", ": did you mean 01_derivatives?"),
        ("Tensors", ": did you mean 05_tensors?"),
        ("05_tensor", ": did you mean 05_tensors?"),
        ("revers_mode", ": did you mean 03_reverse_mode?"),
        ("mode", ": did you mean 02_forward_mode or 03_reverse_mode?"),
        ("7", "; there is 01_derivatives, 02_forward_mode, 03_reverse_mode, 05_tensors."),
        ("no_such", "; there is 01_derivatives, 02_forward_mode, 03_reverse_mode, 05_tensors."),
    ],
)
def test_a_name_that_is_nearly_a_unit_s_is_answered_with_it(wanted: str, told: str) -> None:
    known = ["01_derivatives", "02_forward_mode", "03_reverse_mode", "05_tensors"]
    with pytest.raises(UserError) as error:
        unit_named(known, wanted)
    assert str(error.value) == f"There is no unit {wanted!r}{told}"


@pytest.mark.parametrize("command", ["progress", "fresh", "score"])
def test_each_command_asks_whether_another_unit_was_meant(
    command: str, run: Callable[..., Said], course: Course, submission: Path
) -> None:
    released = course.root / "course" / "mini"
    if not list(released.glob("*.ipynb")):
        released.mkdir(parents=True, exist_ok=True)
        shutil.copy(course.assignment("mini").path, released)
    words = [submission, "--unit", "minni"] if command == "score" else ["minni"]
    said = run(command, *words, cwd=course.root)
    assert (said.code, said.err) == (2, "autograder: There is no unit 'minni': did you mean mini?\n")


@pytest.mark.parametrize("command", [[], ["students"]])
def test_help_is_wrapped_and_not_cut(command: list[str], run: Callable[..., Said]) -> None:
    told = run(*command, "--help").out
    assert "..." not in told.replace("[ARGS]...", "")
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.parametrize(
    ("known", "wanted", "unit"),
    [
        (["01_a", "03_b"], "3", "03_b"),
        (["01_a", "03_b"], "03", "03_b"),
        (["01_a", "03_b"], "03_b", "03_b"),
        (["01_a", "10_b"], "1", "01_a"),
        (["3", "03_b"], "3", "3"),
        (["03_a", "03_b"], "3", ""),
        (["03_a"], "-3", ""),
        (["03_a"], "³", ""),
        (["03_a"], "9" * 5000, ""),
        (["mini"], "0", ""),
    ],
)
def test_a_unit_is_named_by_its_number(known: list[str], wanted: str, unit: str) -> None:
    if unit:
        assert unit_named(known, wanted) == unit
        return
    with pytest.raises(UserError, match="There is no unit"):
        unit_named(known, wanted)


def test_grade_says_when_a_source_was_edited_and_not_built(
    course: Course, submission: Path, run: Callable[..., Said]
) -> None:
    folder = course.root / "submitted" / "ada" / "mini"
    folder.mkdir(parents=True)
    shutil.copy(submission, folder / "mini.ipynb")
    source = course.solutions / "mini" / "mini.py"
    later = time.time() + 60
    os.utime(source, (later, later))  # as a copy may leave it
    assert run("grade", "mini", cwd=course.root).err == ""
    text = source.read_text(encoding="utf-8")
    for edited in (text.replace("return", "return ", 1), "# no header any more"):
        source.write_text(edited, encoding="utf-8")
        os.utime(source, (later, later))
        said = run("grade", "mini", cwd=course.root)
        assert said.code == 0 and "(unchanged)" in said.out
        assert said.err == (
            "mini.py was edited after mini.ipynb was built from it. The built one is what is graded with: "
            "`autograder build mini` takes the change in.\n"
        )


def test_grade_ends_with_a_table_and_keeps_what_has_not_changed(
    run: Callable[..., Said], course: Course, submission: Path
) -> None:
    none = run("grade", "mini", cwd=course.root)
    assert (none.code, none.out) == (2, "")
    assert "Nothing has been handed in" in none.err
    for student in ("ada", "bob"):
        folder = course.root / "submitted" / student / "mini"
        folder.mkdir(parents=True)
        shutil.copy(submission, folder / "mini.ipynb")
    first = run("grade", "mini", "--student", "ada", "--student", "ada", cwd=course.root)
    assert first.code == 0
    assert first.out.count("ada") == 1
    assert "bob" not in first.out
    assert "2 / 5" in first.out
    second = run("grade", "mini", "--jobs", 1, cwd=course.root)
    ada, bob = (next(line for line in second.out.splitlines() if name in line) for name in ("ada", "bob"))
    assert "(unchanged)" in ada
    assert "(unchanged)" not in bob
    unknown = run("grade", "mini", "--student", "zoe", cwd=course.root)
    assert (unknown.code, unknown.out) == (2, "")
    assert "zoe has handed in nothing" in unknown.err


#: What a folder may be called on Linux, and with it a student: escapes, rich's markup, lines, no UTF-8.
NAMES = ["\x1b[2J[red]\x9b31meve", "ada\n✓ bob: 5 of 5\u202e", os.fsdecode(b"\xffmal"), "zoe"]


def test_names_of_students_and_files_do_nothing_to_the_terminal_or_to_the_other_rows(
    run: Callable[..., Said],
    course: Course,
    mini: Assignment,
    submission: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in NAMES:
        folder = course.root / "submitted" / name / "mini"
        folder.mkdir(parents=True)
        shutil.copy(submission, folder / "\x1b]0;x\x07\n[bold]mini.ipynb")
    (folder / "mini.ipynb").write_text(nbformat.writes(mini.solved()))
    monkeypatch.setenv("FORCE_COLOR", "1")  # so that the progress bar is drawn as well
    monkeypatch.setenv("TERM", "xterm")
    said = run("grade", "mini", "--jobs", 1, cwd=course.root)
    plain = re.sub(r"\x1b\[\d*(;\d+)*m", "", said.out)  # the table's own colours
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", plain)
    rows = [line.split("  ")[0].strip() for line in plain.splitlines() if " / 5  " in line]
    assert rows == [line(name).plain for name in sorted(NAMES)]
    assert sum(" 2 / 5  " in row for row in plain.splitlines()) == len(NAMES) - 2
    (zoe,) = (row for row in plain.splitlines() if row.startswith(" zoe"))
    assert " 5 / 5  " in zoe
    # The gradebook has no room for a name that is no text: this one failed, and says what to do.
    assert said.code == 1
    told = " ".join(plain.split())
    assert told.count("has a folder whose name is not UTF-8, which no gradebook can hold: rename it") == 1
    assert "on this machine" not in told
    assert "Traceback" not in said.err
    assert "\x1b[2J" not in said.err
    again = run("grade", "mini", "--student", "\x1b[2Jx", cwd=course.root)
    assert again.code == 2
    assert "\x1b[2J" not in again.err


@pytest.mark.parametrize("name", ["grade", "prove", "build"])
def test_a_unit_that_does_not_exist_is_one_sentence(
    name: str, run: Callable[..., Said], mini_course: Course
) -> None:
    said = run(name, "other", cwd=mini_course.root)
    assert (said.code, said.out) == (2, "")
    assert "no unit 'other'" in said.err
    assert said.err.count("\n") == 1


def test_prove_passes_a_unit_whose_tests_hold(run: Callable[..., Said], course: Course) -> None:
    said = run("prove", "mini", "--seed", 3, "--jobs", 1, cwd=course.root)
    assert said.code == 0, said.out
    assert "mini: proved; 7 wrong and 2 right answers" in said.out
    assert (
        "0 of the 6 wrong answers that a visible check ends, whatever is drawn, are told their own"
        in said.out
    )
    build_likely(course, "mini", print)
    said = run("prove", "mini", "--seed", 3, cwd=course.root)
    assert (
        "6 of the 6 wrong answers that a visible check ends, whatever is drawn, are told their own"
        in said.out
    )


def test_prove_shows_its_further_seeds_which_the_seed_repeats(
    run: Callable[..., Said], course: Course
) -> None:
    said = run("prove", "mini", "--seed", 3, "--seeds", 1, cwd=course.root)
    assert said.code == 0, said.out
    (seed,) = further_seeds(1, 3)
    assert f"mini: 6 runs at the further seeds {seed}; 0 wrong answers passed" in said.out
    assert "6 more would have ended as before, since nothing had been drawn" in said.out
    assert (
        "All ran at seed 3, which chose the tenth of the mutants, too, and the further seeds follow"
        in said.out
    )


def test_prove_grades_right_answers_at_more_seeds(run: Callable[..., Said], course: Course) -> None:
    said = run("prove", "mini", "--seed", 3, "--seeds", 1, "--right-seeds", 12, cwd=course.root)
    assert said.code == 0, said.out
    one, *more = further_seeds(13, 3)
    assert f"mini: 6 runs at the further seeds {one}; 0 wrong answers passed" in said.out
    told = f"runs of right answers alone at the further seeds {more[0]}, {more[1]}, ..., 12 of them; 0 were refused"
    assert told in said.out


def test_prove_draws_one_seed_and_says_it(
    run: Callable[..., Said], course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[dict[str, Any]] = []

    def noted(*args: Any, **settings: Any) -> Report:
        given.append(settings)
        return grade(*args, **settings)

    monkeypatch.setattr("autograder.authoring.prove.grade", noted)
    said = run("prove", "mini", "--jobs", 1, cwd=course.root)
    assert said.code == 0, said.out
    (seed,) = {call["seed"] for call in given}
    assert f"All ran at seed {seed}, " in said.out
    assert f": --seed {seed} repeats it." in said.out
    # What the bank's answers gave is asked for once, and not in each trial again.
    assert len({id(call["memory"]) for call in given}) == 1
    assert given[0]["memory"].replies


def test_prove_writes_which_check_ends_which_answer(
    run: Callable[..., Said], course: Course, tmp_path: Path
) -> None:
    edit(
        course.solutions / "mini" / "mini.ipynb",
        "check.close(sum_of_logs([]), 0.0,",
        "check.close(sum_of_logs([1.0]) * 0, 0.0,",
    )
    said = run("prove", "mini", "--matrix", tmp_path / "matrix.csv", cwd=course.root)
    assert said.code == 0, said.out
    assert (
        "ends nothing: check.close(sum_of_logs([1.0]) * 0, 0.0," not in said.out
    )  # a None cannot be multiplied
    assert "mini: 5 checks" in said.out
    lines = (tmp_path / "matrix.csv").read_text().splitlines()
    assert lines[0] == "unit,exercise,answer,kind,line,part,check,ends it"
    assert all(line.startswith("mini,") for line in lines[1:])
    assert len(lines) > 200


def test_prove_lists_the_sentences_that_others_hear_too(run: Callable[..., Said], course: Course) -> None:
    """Of the logarithms of 1 and e, who multiplies them gives 0, and so does who leaves the last one out."""
    notebook = course.solutions / "mini" / "mini.ipynb"
    # With 1.0 the call that is made again, with other numbers, tells the two apart.
    said = run("prove", "mini", "--alike", cwd=course.root)
    assert "with the last round of the loop left out" not in said.out
    edit(notebook, "sum_of_logs([1.0, math.e]), 1.0,", "sum_of_logs([1, math.e]), 1.0,")
    said = run("prove", "mini", "--alike", cwd=course.root)
    assert said.code == 0, said.out
    assert "unbox, product: The logarithms are to be added." in said.out
    assert "also with the last round of the loop left out (another result in" in said.out
    edit(notebook, "sum_of_logs([1, math.e]), 1.0,", "sum_of_logs([math.e, math.e**3]), 4.0,")
    said = run("prove", "mini", "--alike", cwd=course.root)
    assert "with the last round of the loop left out" not in said.out


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def loose(root: Path) -> str:
    """A check that lets everything through."""
    edit(
        root / "solutions/mini/mini.ipynb", "check.close(sum_of_logs([1.0, math.e]), 1.0,", "check.true(True,"
    )
    edit(
        root / "solutions/mini/mini.ipynb",
        "check.close(sum_of_logs([a, b, c]), math.log(a * b * c),",
        "check.true(True,",
    )
    return "log10"


def strict(root: Path) -> str:
    """A right answer that the check refuses: it is worth a point less than nothing."""
    with (root / "solutions/mini/mistakes.py").open("a") as file:
        file.write('\n\n@right("mul_vjp", "not right at all")\ndef mul_vjp(g, a, b):\n    return 0.0, 0.0\n')
    return "not right at all"


def faulty(root: Path) -> str:
    """A check that fails by itself."""
    edit(root / "solutions/mini/mini.ipynb", "check.close(sum_of_logs([]), 0.0,", "check.close(1 / 0, 0.0,")
    return "the solution"


def thin(root: Path) -> str:
    """Too few wrong answers."""
    edit(
        root / "solutions/mini/mistakes.py",
        '@wrong("mul_vjp", "forgot_return", "The result is computed and not returned.")',
        "#",
    )
    return "mul_vjp has 2 wrong and 1 other right answers"


@pytest.mark.parametrize("harm", [loose, strict, faulty, thin])
def test_prove_fails_a_unit_whose_tests_or_bank_are_broken(
    harm: Callable[[Path], str], run: Callable[..., Said], course: Course
) -> None:
    culprit = harm(course.root)
    said = run("prove", "mini", "--jobs", 2, cwd=course.root)
    assert said.code == 1
    assert "NOT proved" in said.out
    lines = said.out.splitlines()
    assert any(culprit in line and "✗" in line for line in lines), said.out
    # Once more at the very end: of fifteen units the table is thousands of lines.
    (again,) = [i for i, line in enumerate(lines) if re.fullmatch(r"\d+ problems?:", line.strip())]
    assert any(culprit in line for line in lines[again:])
    assert all(line.startswith("✗ mini: ") for line in lines[again + 1 :] if line.strip())


def test_an_exception_in_one_trial_is_a_sentence_and_the_others_are_proved(
    run: Callable[..., Said], course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = prove_module.grade

    def fragile(assignment: Any, submission: Any, *more: Any, **options: Any) -> Any:
        if "log10" in submission.answers["unbox"]:
            raise RuntimeError("no more threads\ncan be started")
        return real(assignment, submission, *more, **options)

    monkeypatch.setattr(prove_module, "grade", fragile)
    said = run("prove", "mini", "--jobs", 1, cwd=course.root)
    assert said.code == 1
    assert "Traceback" not in said.out + said.err
    line, again = [line for line in said.out.splitlines() if "✗" in line]  # in the table, and at the end
    assert all(word in line for word in ("unbox", "log10", "RuntimeError", "no more threads can be started"))
    assert again.startswith("✗ mini: log10: ")
    assert sum("✓" in line for line in said.out.splitlines()) == 12
    assert "mini: NOT proved: 1 problem" in said.out


#: What mutants of `mini` do that its checks let pass.
NO_FAULTS = """
["*"]
"which writes into `a`" = "Numbers cannot be written into."
"which writes into `b`" = "Numbers cannot be written into."
"which empties `boxes`" = "The boxes are the probe's own."
"with the loop in the opposite order" = "The order of a sum does not count."
"""


def test_prove_runs_mutants_where_there_are_verdicts_and_fails_for_a_survivor(
    run: Callable[..., Said], course: Course
) -> None:
    said = run("prove", "mini", "--seed", 3, cwd=course.root)
    assert "mini: no verdicts on mutants yet" in said.out
    (course.solutions / "mini" / "equivalents.toml").write_text(NO_FAULTS)
    said = run("mutants", "mini", cwd=course.root)
    assert said.code == 0, said.out
    kept = course.solutions / "mini" / "mutants.json"
    before = kept.read_bytes()
    said = run("prove", "mini", "--seed", 3, cwd=course.root)
    assert said.code == 0, said.out
    assert "of 2 unchanged exercises a tenth" in said.out
    assert "All ran at seed 3, which chose the tenth of the mutants, too: --seed 3 repeats it." in said.out
    assert "no verdicts" not in said.out
    edit(
        course.root / "solutions/mini/mini.ipynb",
        "check.close(sum_of_logs([a, b, c]), math.log(a * b * c),",
        "check.true(True,",
    )
    said = run("prove", "mini", "--seed", 3, cwd=course.root)
    assert said.code == 1
    assert "of 1 unchanged exercises a tenth" in said.out
    assert "✗ unbox: a mutant passes" in said.out
    assert kept.read_bytes() == before


def test_what_was_proved_at_further_seeds_is_kept_where_asked_and_where_it_held(
    run: Callable[..., Said], course: Course
) -> None:
    proved = course.solutions / "mini" / "proved.json"
    said = run("prove", "mini", "--keep", cwd=course.root)
    assert said.code != 0
    assert "say at how many, for example --seeds 5" in " ".join((said.out + said.err).split())
    assert not proved.exists()
    said = run("prove", "mini", "--seeds", 1, "--keep", "--seed", 3, cwd=course.root)
    assert said.code == 0 and "a tenth" not in said.out
    (all_runs,) = re.findall(r"(\d+) runs\.", said.out)
    assert re.search(r"mini took \d+ s: the bank \d+ s, further seeds \d+ s, mutants 0 s", said.out)
    before = proved.read_bytes()
    assert any(one["settled"] for one in json.loads(before).values())
    left_out = "more wrong answers were proved before, and nothing changed"
    # At this seed the tenth at the further one holds a settled answer that is left out here: it runs at neither.
    mini = course.assignment("mini")
    seed, chosen = next(
        (seed, chosen)
        for seed in range(1000)
        if (chosen := choose(mini, 1, read_proved(mini), seed)).settled & set(chosen.entries)
    )
    said = run("prove", "mini", "--seeds", 1, "--seed", seed, cwd=course.root)
    assert said.code == 0 and left_out in said.out and "Of 2 unchanged exercises a tenth." in said.out
    (fewer,) = re.findall(r"(\d+) runs\. \d+ more wrong answers", said.out)
    assert int(fewer) == int(all_runs) - len(chosen.left_out)
    (spared,) = re.findall(r"(\d+) more would have ended as before", said.out)
    assert int(spared) >= len(chosen.settled & set(chosen.entries))
    said = run("prove", "mini", "--seed", 3, cwd=course.root)
    assert said.code == 0 and left_out not in said.out
    said = run("prove", "mini", "--seeds", 1, "--all", "--seed", 3, cwd=course.root)
    assert said.code == 0 and "a tenth" not in said.out and left_out not in said.out
    strict(course.root)
    said = run("prove", "mini", "--seeds", 1, "--keep", "--seed", 3, cwd=course.root)
    assert said.code == 1 and "Of 1 unchanged exercises a tenth." in said.out
    assert proved.read_bytes() == before


@pytest.fixture(scope="module")
def built(mini_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The course with its notebook executed by `build`."""
    root = tmp_path_factory.mktemp("built") / "course"
    shutil.copytree(mini_course.root, root)
    from autograder.authoring.build import build

    assert build(Course(root), ["mini"], check=False, say=lambda text: None)
    return Course(root)


SOURCE, SOLUTION, RELEASE = "solutions/mini/mini.py", "solutions/mini/mini.ipynb", "course/mini/mini.ipynb"
CHANGES = {
    "nothing": lambda root: None,
    "the source": lambda root: edit(root / SOURCE, "The rule of a product.", "The rule of products."),
    "the source's points": lambda root: edit(root / SOURCE, "points=2", "points=20"),
    "the solution": lambda root: edit(root / SOLUTION, "return g * b, g * a", "return g * a, g * b"),
    "the solution's outputs": lambda root: edit(
        root / SOLUTION, '"execution_count": 2', '"execution_count": null'
    ),
    "the release": lambda root: edit(root / RELEASE, "The rule of a product.", "The rule."),
    "the release, a solution in it": lambda root: edit(root / RELEASE, "your answer goes here", "g * b"),
    "a release that is not there": lambda root: (root / RELEASE).unlink(),
    "a solution that is not there": lambda root: (root / SOLUTION).unlink(),
    "the bank": lambda root: edit(
        root / "solutions/mini/mistakes.py", "Think of an empty list.", "Is the list empty?"
    ),
    "no digests": lambda root: (root / "solutions/mini/likely.json").unlink(),
    "no digests for learners": lambda root: (root / "course/mini/likely.json").unlink(),
    "digests cut off": lambda root: (root / "solutions/mini/likely.json").write_text('{"made'),
}


@pytest.mark.parametrize("name", CHANGES)
def test_build_check_finds_every_difference_and_changes_nothing(
    name: str, run: Callable[..., Said], built: Course, tmp_path: Path
) -> None:
    root = tmp_path / "course"
    shutil.copytree(built.root, root)
    CHANGES[name](root)
    before = {p: p.read_bytes() for p in root.rglob("*") if p.is_file()}
    said = run("build", "--check", cwd=root)
    assert said.code == (0 if name == "nothing" else 1), said.out
    assert ("✓ mini: up to date" in said.out) == (name == "nothing")
    assert {p: p.read_bytes() for p in root.rglob("*") if p.is_file()} == before


def test_a_command_that_is_stopped_says_what_is_kept(
    run: Callable[..., Said], mini_course: Course, submission: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("autograder.referee.judge.grade", stop)
    said = run("score", submission, cwd=mini_course.root)
    assert said.code == 130
    assert "what was finished is kept" in said.err


def test_the_doctor_names_what_does_not_work(
    run: Callable[..., Said], mini_course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    well = run("doctor", cwd=mini_course.root)
    assert "✓ sandbox" in well.out
    assert "✓ pupil        ran a cell behind bubblewrap, which refused what it has to refuse" in well.out
    monkeypatch.setattr(Sandbox, "why_not", lambda self: "there is none")
    ill = run("doctor", cwd=mini_course.root)
    assert ill.code == 1
    assert "✗ sandbox      there is none" in ill.out
    if second_wall.version():
        assert "✓ pupil 2      ran a cell behind landlock, which refused what it has to refuse" in ill.out
    monkeypatch.setattr(second_wall, "version", lambda: 0)
    worse = run("doctor", cwd=mini_course.root)
    assert "✗ second wall  The kernel has no Landlock" in worse.out
    assert "✗ scores       without a wall no score is protected (--unprotected-scores)" in worse.out


def test_the_doctor_sees_a_wall_that_refuses_nothing(
    run: Callable[..., Said], mini_course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "The process for a submission did not start: The wall does not refuse start.py: it is no wall."
    made = second_wall.Wall.__init__

    def make(self: second_wall.Wall, readable: Any, *args: Any) -> None:
        made(self, ["/"], *args)

    monkeypatch.setattr(second_wall.Wall, "__init__", make)
    ill = run("doctor", cwd=mini_course.root)
    assert ill.code == 1
    assert f"✗ pupil 2      {said}" in ill.out


def test_printed_text_is_stored_in_one_piece_wherever_the_kernel_cut_it() -> None:
    from autograder.authoring.build import _join_streams

    def piece(text: str, name: str = "stdout") -> nbformat.NotebookNode:
        return nbformat.v4.new_output("stream", name=name, text=text)

    picture = nbformat.v4.new_output("display_data", data={"text/plain": "a"})
    found = _join_streams([piece("a"), piece("\n"), picture, piece("b"), piece("c", "stderr")])
    assert found == [piece("a\n"), picture, piece("b"), piece("c", "stderr")]


SLOW = "import time\ntime.sleep(0.4)\n" + RIGHT


def graded(course: Course) -> list[str]:
    return sorted(path.parent.parent.name for path in (course.root / "autograded").glob("*/mini/mini.ipynb"))


def processes_of(mark: str) -> list[psutil.Process]:
    """What still runs of a command, its sandboxes among them, which have sessions of their own."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("AUTOGRADER_TEST") == mark:
                found.append(process)
        except psutil.Error:
            pass
    return found


def nobody_is_left(mark: str) -> None:
    until = time.monotonic() + 10
    while processes_of(mark) and time.monotonic() < until:
        time.sleep(0.2)
    assert processes_of(mark) == []


def slow_class(course: Course, mini: Assignment, count: int) -> None:
    """Students whose submissions take half a second each."""
    for i in range(count):
        folder = course.root / "submitted" / f"s{i:02}" / "mini"
        folder.mkdir(parents=True)
        (folder / "mini.ipynb").write_text(nbformat.writes(mini.solved({"mul_vjp": SLOW})))


def grading(course: Course, temporary: Path, *options: str) -> tuple[subprocess.Popen[str], str, list[str]]:
    """`autograder grade mini` in a process group of its own, the mark of its processes, and its command."""
    mark = str(time.monotonic_ns())
    command = [sys.executable, "-c", "from autograder.cli.app import main; main()", "grade", "mini", *options]
    process = subprocess.Popen(
        command,
        cwd=course.root,
        env=os.environ | {"AUTOGRADER_TEST": mark, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return process, mark, command


@pytest.mark.parametrize(
    ("jobs", "unsandboxed"),
    [(1, False), (2, False), (2, True)],
    ids=["in threads", "in processes", "in processes without a sandbox"],
)
def test_an_interrupt_keeps_what_is_graded_and_says_which_command_goes_on(
    jobs: int, unsandboxed: bool, course: Course, mini: Assignment, tmp_path: Path
) -> None:
    slow_class(course, mini, 8)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    options = ["--jobs", str(jobs), *["--unsandboxed"] * unsandboxed]
    process, mark, command = grading(course, temporary, *options)
    try:
        until = time.monotonic() + 60
        while len(graded(course)) < 2 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.1)  # the row that was just written is counted
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: every process of the command gets it
        began = time.monotonic()
        out, err = process.communicate(timeout=60)
        took = time.monotonic() - began
    finally:
        process.kill()
    kept = graded(course)
    assert process.returncode == 130
    assert out == ""
    assert err == (
        f"autograder: stopped; {len(kept)} of 8 are graded and kept. `autograder grade mini` goes on with the rest.\n"
    )
    assert 2 <= len(kept) < 8
    assert took < 30
    nobody_is_left(mark)
    assert [p.name for p in temporary.iterdir() if p.name.startswith(("pupil-", "learner-library-"))] == []
    rest = subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=300)
    assert (rest.returncode, rest.stdout.count("5 / 5"), rest.stdout.count("(unchanged)")) == (
        0,
        8,
        len(kept),
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
@pytest.mark.parametrize("seconds", [0, 0.2, 0.5, 1])
def test_an_interrupt_while_everything_starts_is_one_line_and_leaves_nobody(
    course: Course, mini: Assignment, tmp_path: Path, bubblewrap: None, seconds: float
) -> None:
    slow_class(course, mini, 6)
    process, mark, _ = grading(course, tmp_path, "--jobs", "2")
    try:
        while len(processes_of(mark)) < 2 and process.poll() is None:  # the first worker is there
            time.sleep(0.01)
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert out == ""
    assert re.fullmatch(r"autograder: stopped; .* kept\..*\n", err)
    nobody_is_left(mark)


def test_an_interrupt_names_the_options_that_were_given(
    run: Callable[..., Said], course: Course, submission: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    folder = course.root / "submitted" / "ada" / "mini"
    folder.mkdir(parents=True)
    shutil.copy(submission, folder / "mini.ipynb")
    monkeypatch.setattr("autograder.classroom.run.grade_class", stop)
    said = run("grade", "mini", "--student", "ada", "--force", cwd=course.root)
    assert (said.code, said.out) == (130, "")
    assert said.err == (
        "autograder: stopped; 0 of 1 are graded and kept. "
        "`autograder grade mini --student ada --force` begins again.\n"
    )


def test_progress_shows_how_fast_it_goes_and_how_long_it_will_take(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    clock = iter(range(10_000))
    monkeypatch.setattr(terminal, "errors", Console(file=out, width=120, force_terminal=True))
    bar = terminal.progress_bar(terminal.Rate(), TextColumn("left"), TimeRemainingColumn())
    bar.get_time = lambda: float(next(clock))
    task = bar.add_task("ada [bold]", total=100)
    assert terminal.Rate().render(bar.tasks[0]).plain == ""
    for _ in range(10):
        bar.update(task, advance=1)
    told = "".join(segment.text for segment in bar.console.render(bar.get_renderable()))
    assert "ada [bold]" in told
    assert "10/100" in told
    assert re.search(r"\d+/min left \d:\d\d:\d\d|\d\.\d/s left \d:\d\d:\d\d", told), told
