"""A run that is disturbed at any moment, by anything, is finished by the next one, and nobody's grade is lost."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from typing import Any

import pytest

from autograder.referee.autograded import write_notebook
from autograder.referee.bank import load_bank
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY

#: Every fault at both kinds of moment.
TRIALS = 10


def class_of_ten(course: Course) -> None:
    """Ten students who hand in: right, wrong in known ways, a file that was cut off, nothing written."""
    mini = course.assignment("mini")
    wrong = [entry for entry in load_bank(mini) if not entry.right and entry.ends]
    for i in range(10):
        path = course.root / "submitted" / f"s{i}" / "mini" / "mini.ipynb"
        if i == 3:
            path.parent.mkdir(parents=True)
            path.write_text("{ cut off")
            continue
        answers = {}
        if i % 2:
            entry = wrong[i % len(wrong)]
            answers = {entry.exercise: entry.answer(mini.exercise(entry.exercise).solution)}
        write_notebook(path, mini.solved(answers, others="stub" if i == 4 else "solution"))


@pytest.fixture(scope="module")
def result(mini_course: Course, tmp_path_factory: pytest.TempPathFactory, bubblewrap: None) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("faults") / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    class_of_ten(Course(root))
    # Other moments in every run; a failure tells the seed that has them again.
    seed = secrets.randbelow(2**31)
    done = subprocess.run(
        [sys.executable, "-c", "from tests.faults import main; main()", str(root), str(TRIALS), str(seed)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, (seed, done.stderr[-3000:])
    return {"seed": seed, **json.loads(done.stdout)}


def test_the_undisturbed_run_grades_everybody(result: dict[str, Any]) -> None:
    assert result["status"] == 0
    assert sorted(result["undisturbed"]) == [f"s{i}" for i in range(10)]
    assert len({row["score"] for row in result["undisturbed"].values()}) > 2
    assert len(result["trials"]) == TRIALS


def test_the_run_after_a_fault_ends_with_the_undisturbed_gradebook_and_notebooks(
    result: dict[str, Any],
) -> None:
    for trial in result["trials"]:
        assert trial["status"][1] == 0, (result["seed"], trial)
        assert trial["after both"] == result["undisturbed"], (result["seed"], trial["fault"])


def test_between_the_two_runs_nobody_has_a_score_that_the_undisturbed_run_does_not_give(
    result: dict[str, Any],
) -> None:
    for trial in result["trials"]:
        for student, grades in trial["between"].items():
            assert grades == result["undisturbed"][student]["grades"], (
                result["seed"],
                trial["fault"],
                student,
            )


def test_the_faults_fell_into_the_middle_of_the_work(result: dict[str, Any]) -> None:
    killed = [t["graded before"] for t in result["trials"] if t["fault"] == "parent" and t["status"][0] == -9]
    assert any(0 < count < 10 for count in killed), (result["seed"], killed)


def test_a_lost_worker_or_warm_interpreter_is_made_up_for_in_the_same_run(result: dict[str, Any]) -> None:
    others = [t for t in result["trials"] if t["fault"] in ("worker", "warm interpreter")]
    assert [(t["status"][0], t["graded before"]) for t in others] == [(0, 10)] * len(others), result["seed"]


def test_a_full_disk_or_a_lost_gradebook_is_told_by_the_exit_status(result: dict[str, Any]) -> None:
    for trial in result["trials"]:
        if trial["fault"] in ("disk", "gradebook") and trial["graded before"] < 10:
            assert trial["status"][0] in (1, 2), (result["seed"], trial)


def test_nothing_is_left_running(result: dict[str, Any]) -> None:
    assert [t["left running"] for t in result["trials"]] == [0] * TRIALS, result["seed"]
