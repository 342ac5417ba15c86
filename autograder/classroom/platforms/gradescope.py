"""Gradescope: the zip file that it builds its grader from, and a result in the form that it reads.

Its form is described at https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import importlib.metadata
import io
import secrets
import zipfile
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ...errors import UserError
from ...lesson.failures import PASSED
from ...referee.report import Outcome, PartOutcome, Report, tidy
from ...unit.assignment import Assignment

SETUP = """#!/usr/bin/env bash
# Run once, when Gradescope builds the image.
set -euo pipefail
apt-get update -qq
apt-get install -y -qq bubblewrap python3-pip
python3 -m pip install -q uv || python3 -m pip install -q --break-system-packages uv
python3 -m uv venv --python 3.12 /autograder/venv
python3 -m uv pip install --python /autograder/venv "autograd-course[grade]=={version}"
"""

RUN = """#!/usr/bin/env bash
# Run for each submission. What ends without a result is shown to the instructor as a failure of the grader.
set -euo pipefail
root=${{AUTOGRADER_ROOT:-/autograder}}
exec "$root/venv/bin/autograder" score "$root/submission" --unit {unit} --solutions "$root/source/solutions" \\
    --seed {seed} --gradescope "$root/results/results.json"{held}
"""


def results(report: Report, exam: bool = False, held: bool = False) -> dict[str, Any]:
    """What Gradescope shows of a report. The names of the bank, the seed and the looks are not for students.

    Of an exam, nothing until its grades are published, and then what is right. What is held back, students see when
    its grades are published, too: a result does not change by itself when its time has come.
    """
    shown = {"visibility": "after_published" if exam or held else "visible"}
    tests = [test | shown for outcome in report.outcomes for test in _tests(outcome)]
    if exam:
        tests = [test | {"output": "right" if test["status"] == "passed" else "not right"} for test in tests]
    receipt = [f"Receipt of what was graded: {report.receipt}"] if report.receipt else []
    return shown | {
        "score": tidy(report.score),
        "output": "\n".join([*report.notes, *receipt]),
        "output_format": "text",
        "tests": tests,
    }


def _tests(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """An exercise as a row of the platform; one with parts as a row for each, the first that failed with its text."""
    whole = PartOutcome("", outcome.points, outcome.max_points, outcome.status)
    text = outcome.text
    for part in outcome.parts or (whole,):
        passed = part.status == PASSED
        said = text
        if outcome.parts:
            said, text = ("", text) if passed and outcome.status != PASSED else (text, "")
        yield {
            "name": f"{outcome.name}: {part.name}" if part.name else outcome.name,
            "score": tidy(part.points),
            "max_score": tidy(part.max_points),
            "status": "passed" if passed else "failed",
            "output": said,
            "output_format": "text",
        }


def package(assignment: Assignment, held: datetime | None = None) -> bytes:
    """The zip file for one unit, with its answer key. Every submission is graded with the one seed in it.

    What is handed in before `held` is shown to nobody until grades are published.
    """
    if not assignment.graded:
        raise UserError(f"{assignment.unit} is for practice and has no points, so there is nothing to grade.")
    words = {
        "version": importlib.metadata.version("autograd-course"),
        "unit": assignment.unit,
        "seed": str(secrets.randbits(62) | 1 << 62),
        "held": f" --held-until {held.isoformat(timespec='seconds')}" if held else "",
    }
    folder = assignment.path.parent
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("setup.sh", SETUP), ("run_autograder", RUN)):
            about = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about.external_attr = 0o100755 << 16
            archive.writestr(about, text.format(**words))
        for path in sorted(folder.iterdir()):
            if path.suffix in (".ipynb", ".py", ".json") and path.is_file():
                archive.write(path, f"solutions/{folder.name}/{path.name}")
    return out.getvalue()
