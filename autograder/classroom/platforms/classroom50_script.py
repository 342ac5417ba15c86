"""Grades one submission for Classroom 50, and always leaves a result. Standard library only.

`autograder classroom50` puts it, as `autograder.py`, beside `unit.json` and the unit's notebook as students have it.
The runner starts it in a student's repository. A missing result would count as a pass: so one of 0 points is there
first, and only a grading that came to its end takes its place.
"""

from __future__ import annotations

import contextlib
import datetime
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: Seconds for all of it, the installation as well.
SECONDS = 900
NO_END = (
    "The grader did not come to its end, which says nothing of your answers: your instructor has to look."
)


def main() -> int:
    """Grade what is in the working folder; gives the exit code."""
    repository = Path.cwd()
    unit = json.loads((HERE / "unit.json").read_text(encoding="utf-8"))
    none = [one | {"passed": False, "score": 0} for one in unit["tests"]]
    _leave(repository, none, NO_END)
    try:
        found, status = _graded(unit, repository), ""
        tests, told = _tests(found), _told(unit, found)
    except _NotGraded as problem:
        tests, told, status = none, f"Nothing could be graded.\n\n{_block(str(problem))}", "failure"
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        tests, told, status = none, NO_END, "error"
    _leave(repository, tests, told)
    earned, most = sum(one["score"] for one in tests), sum(one["max-score"] for one in tests)
    status = status or ("success" if all(one["passed"] for one in tests) else "failure")
    _say(status, f"{earned} of {most} points by the checks that students see")
    return 0


class _NotGraded(Exception):
    """There is nothing to grade; the text is for the student."""


def _graded(unit: dict[str, Any], repository: Path) -> dict[str, Any]:
    """What `autograder score --json` says."""
    with tempfile.TemporaryDirectory() as empty:
        python = _python(unit["version"], Path(empty) / "venv")
        # -I, and a folder of our own: nothing in the repository is imported.
        command = [
            python,
            "-I",
            "-c",
            "from autograder.cli.app import main; main()",
            "score",
            str(repository),
        ]
        command += ["--unit", unit["unit"], "--solutions", str(HERE), "--json", "--unsandboxed"]
        done = subprocess.run(
            command,
            cwd=empty,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    if done.returncode == 2 and done.stderr.startswith("autograder: There is no notebook"):
        raise _NotGraded(done.stderr.removeprefix("autograder: ").strip())
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    found = json.loads(done.stdout)
    if not isinstance(found, dict):
        raise TypeError("the grader gave no object")
    return found


def _python(version: str, folder: Path) -> str:
    """A Python that has the course's package: this one, or one of our own with what has to be installed."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        if importlib.metadata.version("autograd-course") == version:
            return sys.executable
    quiet: dict[str, Any] = {"check": True, "timeout": SECONDS, "stdout": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-I", "-m", "venv", str(folder)], **quiet)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    package = f"autograd-course[grade]=={version}"
    subprocess.run([str(python), "-I", "-m", "pip", "install", "--quiet", package], **quiet)
    return str(python)


def _tests(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The exercises as Classroom 50's tests; one with parts is a test for each."""
    tests = []
    for exercise in found["exercises"]:
        for part in exercise.get("parts") or [exercise]:
            name = exercise["name"] if part is exercise else f"{exercise['name']}: {part['name']}"
            passed = part["status"] == "passed"
            row = {
                "test-name": name,
                "passed": passed,
                "score": part["points"],
                "max-score": part["max_points"],
            }
            tests.append(row)
    return tests


def _told(unit: dict[str, Any], found: dict[str, Any]) -> str:
    """The text of the release."""
    lines = []
    for exercise in found["exercises"]:
        lines.append(exercise["message"])
        if exercise["diagnosis"] and exercise["diagnosis"] not in exercise["message"]:
            lines.append(f"  likely    {exercise['diagnosis']}")
    notes = "".join(f"\n\n{_block(note)}" for note in found["notes"])
    return (
        f"**{found['score']} of {found['max_score']} points of {unit['unit']}** by the checks of your notebook. "
        f"Your instructor may grade with more of them.\n\n{_block(chr(10).join(lines))}{notes}"
    )


def _block(text: str) -> str:
    """Markdown that shows a text as it is."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def _leave(repository: Path, tests: list[dict[str, Any]], told: str) -> None:
    """Write the result and the release's text, whatever of these names is there."""
    said = os.environ.get
    result = {
        "schema": "classroom50/result/v1",
        "classroom": said("CLASSROOM", ""),
        "assignment": said("ASSIGNMENT", ""),
        "usernames": [said("USERNAME", "")],
        "submission": said("SUBMISSION_TAG", ""),
        "commit": said("COMMIT_URL", ""),
        "release": said("RELEASE_URL", ""),
        "review": said("REVIEW_URL") or said("COMMIT_URL", ""),
        "datetime": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),  # noqa: UP017
        "score": sum(one["score"] for one in tests),
        "max-score": sum(one["max-score"] for one in tests),
        "tests": tests,
    }
    texts = {"result.json": json.dumps(result, indent=2), "release-body.md": told}
    for name, text in texts.items():
        path = repository / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        path.write_text(text + "\n", encoding="utf-8")


def _say(status: str, summary: str) -> None:
    """Tell the runner."""
    print(f"{status}: {summary}")
    if output := os.environ.get("GITHUB_OUTPUT"):
        with open(output, "a", encoding="utf-8") as file:
            file.write(f"status={status}\nsummary={summary}\n")


if __name__ == "__main__":
    raise SystemExit(main())
