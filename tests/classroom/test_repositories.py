"""Students' repositories: the adapter run as Classroom 50 runs it, the workflow's own commands, and no key."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

from autograder.authoring.fingerprints import fingerprint_of
from autograder.classroom.platforms.github import CHECKS, classroom50
from autograder.errors import UserError
from autograder.lesson.likely import FILE
from autograder.referee.bank import load_bank
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course, Exercise

from ..cli.test_cli import Said, run
from ..conftest import REPOSITORY

__all__ = ["run"]

Run = Callable[..., Said]
WRONG = "def mul_vjp(g, a, b):\n    return b, a"
#: Right where the visible check looks, and nowhere else.
SHALLOW = "def mul_vjp(g, a, b):\n    return 30.0, 20.0"
ABOUT = {
    "CLASSROOM": "calculus",
    "ASSIGNMENT": "rules",
    "USERNAME": "ada",
    "SUBMISSION_TAG": "submit/2026-11-19T10-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://github.com/org/calculus-rules-ada/commit/a1b2c3d",
    "RELEASE_URL": "https://github.com/org/calculus-rules-ada/releases/tag/submit",
    "REVIEW_URL": "https://github.com/org/calculus-rules-ada/compare/0...a1b2c3d",
}


@pytest.fixture
def bundle(run: Run, mini_course: Course, tmp_path: Path) -> Path:
    """What the runner has unpacked."""
    out = tmp_path / "bundle"
    said = run("classroom50", "mini", "--out", out, cwd=mini_course.root)
    assert said.code == 0, said.err
    return out


@pytest.fixture
def student(tmp_path: Path) -> Path:
    """A checkout of a student's repository."""
    folder = tmp_path / "calculus-rules-ada"
    (folder / ".git").mkdir(parents=True)
    (folder / ".classroom50.yaml").write_text("classroom: calculus\n")
    (folder / "README.md").write_text("# rules\n")
    return folder


def graded(bundle: Path, student: Path, **more: str) -> tuple[dict[str, Any], str, dict[str, str]]:
    """Run the adapter; gives its result, the release's text, and what it told the runner."""
    output = student.parent / "github_output"
    output.write_text("")
    env = {**os.environ, **ABOUT, "GITHUB_OUTPUT": str(output), **more}
    command = [sys.executable, str(bundle / "autograder.py")]
    done = subprocess.run(
        command, cwd=student, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((student / "result.json").read_text())
    said = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return result, (student / "release-body.md").read_text(), said


def hand_in(student: Path, mini: Assignment, name: str = "mini.ipynb", **answers: str) -> None:
    nbformat.write(nbformat.from_dict(mini.solved(answers)), student / name)


def test_a_push_is_graded_by_the_visible_checks(bundle: Path, student: Path, mini: Assignment) -> None:
    hand_in(student, mini, mul_vjp=WRONG)
    result, told, said = graded(bundle, student)
    assert result == result | {
        "schema": "classroom50/result/v1",
        "classroom": "calculus",
        "assignment": "rules",
        "usernames": ["ada"],
        "submission": ABOUT["SUBMISSION_TAG"],
        "commit": ABOUT["COMMIT_URL"],
        "release": ABOUT["RELEASE_URL"],
        "review": ABOUT["REVIEW_URL"],
        "score": 3,
        "max-score": 5,
        "tests": [
            {"test-name": "mul_vjp", "passed": False, "score": 0, "max-score": 2},
            {"test-name": "unbox", "passed": True, "score": 3, "max-score": 3},
        ],
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", result["datetime"])
    assert all(type(number) is int for number in (result["score"], result["max-score"]))
    assert "d(ab)/da is b, and it is multiplied by g" in told
    assert said == {"status": "failure", "summary": "3 of 5 points by the checks that students see"}
    hand_in(student, mini, mul_vjp=SHALLOW)
    result, _, said = graded(bundle, student, REVIEW_URL="")
    assert (result["score"], said["status"], result["review"]) == (5, "success", ABOUT["COMMIT_URL"])


def test_a_mistake_is_told_as_in_the_student_s_own_notebook(
    bundle: Path, student: Path, mini: Assignment, sandbox: Sandbox
) -> None:
    entry = load_bank(mini)[0]
    hand_in(student, mini, "my answers.ipynb", mul_vjp=WRONG)
    _, told, _ = graded(bundle, student)
    assert entry.sentence not in told and "my answers.ipynb" in told  # this course has no sentences yet
    digest = fingerprint_of(mini, entry, sandbox)
    about = {"made_from": "", "sentences": {digest: 0}, "texts": [entry.sentence]}
    (bundle / FILE).write_text(json.dumps(about))
    _, told, _ = graded(bundle, student)
    assert f"likely    {entry.sentence}" in told


@pytest.mark.parametrize(
    "broken", ["no notebook", "no grader", "a grader without an end", "a grader that says nonsense"]
)
def test_there_is_always_a_result_and_never_a_pass(
    broken: str, bundle: Path, student: Path, mini: Assignment
) -> None:
    (student / "result.json").symlink_to("/etc/hostname")  # nothing of the student's own stands in its way
    (student / "release-body.md").mkdir()
    script = (bundle / "autograder.py").read_text()
    if broken != "no notebook":
        hand_in(student, mini)
    if broken == "no grader":
        (bundle / "mini.ipynb").write_text("{")
    if broken == "a grader without an end":
        script = script.replace("SECONDS = 900", "SECONDS = 0.01")
    if broken == "a grader that says nonsense":
        script = script.replace('"from autograder.cli.app import main; main()"', '"print([])"')
    (bundle / "autograder.py").write_text(script)
    result, told, said = graded(bundle, student)
    assert (result["score"], result["max-score"]) == (0, 5)
    assert [(t["test-name"], t["passed"]) for t in result["tests"]] == [("mul_vjp", False), ("unbox", False)]
    nothing = broken == "no notebook"
    assert said["status"] == ("failure" if nothing else "error")
    assert ("There is no notebook" in told) == nothing and ("did not come to its end" in told) != nothing


def test_a_grader_that_is_killed_has_left_a_result(bundle: Path, student: Path, mini: Assignment) -> None:
    hand_in(student, mini)
    script = (bundle / "autograder.py").read_text()
    script = script.replace(
        "        found, status = _graded", "        os.kill(os.getpid(), 9)\n        found, status = _graded"
    )
    (bundle / "autograder.py").write_text(script)
    done = subprocess.run([sys.executable, bundle / "autograder.py"], cwd=student, timeout=60, check=False)
    assert done.returncode == -9
    result = json.loads((student / "result.json").read_text())
    assert result["score"] == 0 and not any(test["passed"] for test in result["tests"])


def test_nothing_in_a_repository_runs_in_the_grader(bundle: Path, student: Path, mini: Assignment) -> None:
    hand_in(student, mini, mul_vjp=WRONG)
    for name in ("json.py", "autograder.py", "sitecustomize.py", "numpy.py"):
        (student / name).write_text("open('ran', 'w'); raise SystemExit(0)")
    assert graded(bundle, student)[0]["score"] == 3
    assert not list(student.parent.rglob("ran"))


def test_neither_answers_nor_hidden_tests_are_in_what_students_can_read(
    run: Run, bundle: Path, mini_course: Course, mini: Assignment, tmp_path: Path
) -> None:
    out = tmp_path / "template"
    assert run("repository", "mini", "--out", out, cwd=mini_course.root).code == 0
    for folder in (bundle, out):
        text = "\n".join(path.read_text() for path in folder.rglob("*") if path.is_file())
        for secret in (
            "HIDDEN TESTS",
            "the numerical gradient, times g",
            "return g * b, g * a",
            "no_upstream",
        ):
            assert secret not in text, (folder, secret)
        assert "d(ab)/da is b" in text
    said = run("repository", "mini", "--out", out, cwd=mini_course.root)
    assert said.code == 2 and "is there already" in said.err


def test_the_workflow_of_a_repository_fails_below_all_points(
    run: Run, mini_course: Course, mini: Assignment, tmp_path: Path
) -> None:
    out = tmp_path / "template"
    assert run("repository", "mini", "--out", out, cwd=mini_course.root).code == 0
    workflow = yaml.safe_load((out / ".github" / "workflows" / "check.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    commands = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    version = importlib.metadata.version("autograd-course")
    assert commands[0] == f'pip install "autograd-course[grade]=={version}"'
    words = shlex.split(commands[1])
    assert words[0] == "autograder" and words[-2:] == ["--fail-under", "5"]
    codes = []
    for answers in ({"mul_vjp": mini.exercise("mul_vjp").stub}, {"mul_vjp": SHALLOW}):
        hand_in(out, mini, **answers)
        codes.append(run(*words[1:], cwd=out).code)
    assert codes == [1, 0] and (out / CHECKS / "mini.ipynb").is_file()


def test_points_that_are_no_whole_numbers_and_units_of_practice_are_refused(mini_course: Course) -> None:
    mini = mini_course.assignment("mini")
    first = mini.exercises[0]
    mini.exercises[:] = [Exercise(first.name, 1.5, first.check_id, "", "", first.check)]
    with pytest.raises(UserError, match=r"counts whole points, and mul_vjp of mini has 1\.5"):
        classroom50(mini)
    with pytest.raises(UserError, match="for practice"):
        classroom50(Course(REPOSITORY).assignment("0"))


def test_the_page_s_workflow_keeps_what_a_form_says_out_of_the_shell() -> None:
    page = (REPOSITORY / "docs" / "repositories.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)
    workflow = yaml.safe_load(text)
    assert list(workflow[True]) == ["workflow_dispatch"]  # `on` is a yes to YAML
    steps = workflow["jobs"]["grade"]["steps"]
    assert not any("${{" in step.get("run", "") for step in steps)
    assert steps[1]["with"]["persist-credentials"] is False


def test_with_the_key_what_only_looks_right_earns_nothing(
    run: Run, mini_course: Course, mini: Assignment, student: Path, bubblewrap: None
) -> None:
    hand_in(student, mini, mul_vjp=SHALLOW)
    said = run("score", student, "--unit", "mini", "--unsandboxed", "--json", cwd=mini_course.root)
    assert said.code == 0 and json.loads(said.out)["score"] == 3
