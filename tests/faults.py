"""Grades a small class over and over, and disturbs it in another way each time: run by test_nothing_lost.

    python -c "from tests.faults import main; main()" COURSE TRIALS SEED

(not -m: each worker process would import this module, and nbgrader with it). Prints one JSON object: the undisturbed
gradebook, and for each trial what was done, when, and the gradebook after the run that followed.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
from nbgrader import api
from nbgrader.api import Gradebook

from autograder.classroom.classroom import Classroom
from autograder.classroom.gradebook import opened
from autograder.classroom.grader import Grader
from autograder.classroom.run import grade_class
from autograder.classroom.workers import ahead, waiting
from autograder.errors import UserError
from autograder.referee.bank import load_bank
from autograder.unit.assignment import Course
from autograder.unit.notebook import read_notebook

JOBS = 2
#: What is ended or broken, in turn.
FAULTS = ("parent", "worker", "warm interpreter", "disk", "gradebook")


def grade_all(course: Course) -> int:
    """One run over the whole class, as `autograder grade` makes it; gives its exit status."""
    klass = Classroom(course)
    mini = course.assignment("mini")
    sandbox = klass.sandbox()
    expected = waiting(klass.config, course.root, "mini", force=False)
    try:
        with ahead(lambda: Grader.of(mini, load_bank(mini), sandbox), expected, JOBS) as pool:
            rows = grade_class(klass, mini, klass.students("mini"), sandbox=sandbox, jobs=JOBS, pool=pool)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    for row in rows:
        if row.state == "failed":
            print(f"{row.student}: {row.summary}", file=sys.stderr)
    return int(any(row.state == "failed" for row in rows))


def all_of(course: Course, url: str | None = None) -> dict[str, Any]:
    """What the gradebook and the autograded notebooks say, but for random numbers."""
    klass = Classroom(course)
    found: dict[str, Any] = {}
    with Gradebook(url or klass.folders.db_url, klass.folders.course_id) as gradebook:
        for row in gradebook.submission_dicts("mini"):
            student = row["student"]
            notebook = gradebook.find_submission_notebook("mini", "mini", student)
            path = klass.folder("autograded", student, "mini") / "mini.ipynb"
            cells = read_notebook(path).cells if path.is_file() else []
            about = read_notebook(path).metadata["autograder"] if path.is_file() else {}
            found[student] = {
                "score": row["score"],
                "grades": sorted([g.name, g.auto_score, g.needs_manual_grade] for g in notebook.grades),
                "comments": sorted(
                    [c.name, (c.auto_comment or "").split("\n")[:2][-1]] for c in notebook.comments
                ),
                "autograded": [about.get("score"), about.get("summary")],
                "outputs": [
                    (output.get("evalue") or output.get("text", "")).split("\n")[0]
                    for cell in cells
                    for output in cell.get("outputs", [])
                ],
            }
    return found


def graded(course: Course) -> int:
    """How many autograded notebooks there are."""
    return sum(1 for _ in (course.root / "autograded").glob("*/mini/mini.ipynb"))


def moment(course: Course, after: int, seconds: float) -> None:
    """Wait for so many graded students, and then for so many seconds."""
    until = time.monotonic() + 20
    while graded(course) < after and time.monotonic() < until:
        time.sleep(0.002)
    time.sleep(seconds)


def disturbed(course: Course, fault: str = "", after: int = 0, seconds: float = 0.0, seed: int = 0) -> int:
    """Grade in a fork, and at some moment do something to it. Gives the fork's exit status."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            if fault == "disk":
                threading.Thread(target=fill_disk, args=(course, after, seconds), daemon=True).start()
            status = grade_all(course)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        finally:
            sys.stderr.flush()
            os._exit(status)
    if fault not in ("", "disk"):
        moment(course, after, seconds)
        _do(course, child, fault, random.Random(seed))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def fill_disk(course: Course, after: int, seconds: float) -> None:
    """From some moment on, no file of this process can grow."""
    moment(course, after, seconds)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def _do(course: Course, child: int, fault: str, rng: random.Random) -> None:
    if fault == "gradebook":
        for path in course.root.glob("gradebook.db*"):
            path.unlink(missing_ok=True)
    try:
        process = psutil.Process(child)
        if fault == "parent":
            process.kill()
        workers = [p for p in process.children(recursive=True) if "spawn_main" in " ".join(p.cmdline())]
        if fault == "worker" and workers:
            rng.choice(workers).kill()
        if fault == "warm interpreter" and workers:
            # bubblewrap's two processes, and the interpreter; its forks, the pupils, are younger.
            below = rng.choice(workers).children(recursive=True)
            rng.choice(sorted(below, key=lambda p: (p.create_time(), p.pid))[:3]).kill()
    except (psutil.Error, IndexError):
        pass  # it was gone already


def forget(course: Course, empty: bytes | None) -> None:
    """The class as it was before it was graded, with no gradebook or with an empty one."""
    shutil.rmtree(course.root / "autograded", ignore_errors=True)
    for path in course.root.glob("gradebook.db*"):
        path.unlink()
    if empty is not None:
        (course.root / "gradebook.db").write_bytes(empty)


def left_running() -> int:
    """How many processes below this one are still there, after a moment."""
    until = time.monotonic() + 5
    while True:
        found = [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]
        if not found or time.monotonic() > until:
            return len(found)
        time.sleep(0.02)


def main() -> None:
    course, trials, rng = Course(Path(sys.argv[1])), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    klass = Classroom(course)
    forget(course, None)
    with opened(klass.folders.db_url, klass.folders.course_id):
        pass
    empty = (course.root / "gradebook.db").read_bytes()
    forget(course, empty)
    start = time.monotonic()
    status = disturbed(course)
    whole = time.monotonic() - start
    result: dict[str, Any] = {
        "undisturbed": all_of(course), "status": status, "seconds": whole, "trials": []
    }  # fmt: skip
    # It takes nbgrader two seconds to find out its own version whenever it makes a gradebook.
    version, real = api.get_alembic_version(), api.get_alembic_version
    for i in range(trials):
        api.get_alembic_version = real if i == 3 else lambda: version
        forget(course, None if i % 4 == 3 else empty)
        fault = FAULTS[i % len(FAULTS)]
        # Half of the moments lie anywhere, half between the first student's grade and the last one's; the very first
        # one where most of the work is still to be done.
        after, seconds = (0, rng.uniform(0, whole)) if i % 2 else (rng.randrange(1, 9), rng.uniform(0, 0.03))
        if i == 0:
            after, seconds = 1 + after % 4, 0.0
        first = disturbed(course, fault, after, seconds, i)
        so_far = graded(course)
        between = all_of(course) if (course.root / "gradebook.db").is_file() else {}
        second = disturbed(course)
        result["trials"].append(
            {
                "fault": fault,
                "moment": [after, seconds],
                "status": [first, second],
                "graded before": so_far,
                "between": {name: row["grades"] for name, row in between.items()},
                "after both": all_of(course),
                "left running": left_running(),
                "seconds": time.monotonic() - start,
            }
        )
    print(json.dumps(result))
