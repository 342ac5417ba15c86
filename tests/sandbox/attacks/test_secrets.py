# ruff: noqa: E501  (an attack stays on its line)
"""The course, the host, other students, the seed, the tests and the answers: none can be read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import PUPIL, Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import AddedCell, Submission

from ...conftest import REPOSITORY
from .lab import (
    INSIDE,
    RIGHT,
    alive,
    dedent,
    said,
)

#: Prints what a submission has no business with. `SECRETS` is set by the test.
SNOOP = """
import os
for path in SECRETS:
    try:
        print("SEEN", path, os.listdir(path) if os.path.isdir(path) else len(open(path, "rb").read()))
    except OSError:
        pass
for top, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if (top, f) not in {("/", "proc"), ("/", "sys")}]
    for file in files:
        if file.endswith((".ipynb", "gradebook.db")) or file in {"mistakes.py", "referee.py", "shadow"}:
            if not top.startswith("/usr/lib"):
                print("FOUND", os.path.join(top, file))
try: processes = os.listdir("/proc")
except OSError: processes = []
for pid in filter(str.isdigit, processes):
    for name in ("environ", "cmdline"):
        try: text = open(f"/proc/{pid}/{name}", "rb").read()
        except OSError: continue
        if b"pytest" in text or b"TEST_SECRET" in text:
            print("PROCESS", pid, name)
print("VARIABLES", [k for k in os.environ if "SECRET" in k])
print("WALKED")
"""


@pytest.fixture
def secrets(mini_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("AUTOGRADER_TEST_SECRET", "token")
    other = tmp_path / "submitted" / "ada" / "mini"
    other.mkdir(parents=True)
    (other / "mini.ipynb").write_text("{}")
    (tmp_path / "gradebook.db").write_text("grades")
    return [
        *map(
            str,
            (tmp_path / "gradebook.db", other / "mini.ipynb", Path(__file__), REPOSITORY / "autograd_ref"),
        ),
        *map(str, (mini_course.root, mini_course.solutions / "mini" / "mini.py", Path.home() / ".ssh")),
        *(
            "/etc/passwd",
            "/etc/hostname",
            "/proc/1/root/etc/passwd",
            "/var",
            "/root/.bashrc",
        ),
        *("/sys/kernel", "/run", "/mnt", "/work", "/boot"),
    ]


def test_nothing_of_the_course_the_host_or_other_students_can_be_read(
    attack: Callable[..., Report], secrets: list[str], walls: Sandbox
) -> None:
    # It walks through all there is, which takes its time on a slow machine.
    patient = Sandbox(**walls.trait_values(config=True) | {"call_seconds": 60.0})
    text = said(attack(f"SECRETS = {secrets!r}\n{SNOOP}", patient))
    assert text.splitlines() == ["VARIABLES []", "WALKED"]


def test_the_first_process_of_the_sandbox_tells_nothing_of_the_host(attack: Callable[..., Report]) -> None:
    look = """
    try:
        print("FOUND", open("/proc/1/environ").read().replace(chr(0), ""))
    except OSError:
        print("FOUND")  # another user's
    """
    assert said(attack(dedent(look))).strip() in ("FOUND", "FOUND PATH=/usr/bin:/bin")


def test_the_same_search_without_a_sandbox_does_find_things(secrets: list[str]) -> None:
    """So the test above can fail."""
    open_ = Sandbox(unsandboxed=True, landlock=False, unprotected_scores=True, call_seconds=30)
    process = PupilProcess(open_, (), time.monotonic() + 60)
    try:
        text = process.run_cell(f"SECRETS = {secrets!r}\n{SNOOP.partition('for top')[0]}").text
    finally:
        process.close()
    assert f"SEEN {secrets[0]} 6" in text
    assert "SEEN /etc/passwd" in text


def test_of_the_pupil_s_own_package_the_sources_are_seen_and_nothing_that_names_the_host(
    attack: Callable[..., Report],
) -> None:
    look = """
        import os
        for folder in ("/pupil/pupil", "/pupil"):
            try: print(*sorted(os.listdir(folder)))
            except OSError: print("closed")
    """
    report = attack(dedent(look))
    own = sorted(path.name for path in PUPIL.parent.glob("*.py"))
    seen = [" ".join(own), "library pupil site"] if report.wall == "bubblewrap" else ["closed"] * 2
    assert said(report).splitlines() == seen


@pytest.mark.parametrize(
    "module",
    ["autograd_ref.scalar", "autograd_ref.dual", "autograder.referee.judge", "autograder.referee.bank"],
)
def test_the_answer_key_and_the_grading_side_cannot_be_imported(
    module: str, attack: Callable[..., Report]
) -> None:
    code = f"""
        import sys
        tried = 0
        for turn in range(2):
            try:
                __import__("{module}")
                print("IMPORTED")
            except ImportError as problem:
                print(problem)
            sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "Guard"]
    """
    lines = said(attack(dedent(code))).splitlines()
    assert len(lines) == 2
    assert "may not import it" in lines[0]
    assert "No module named" in lines[1]


def test_nothing_in_the_pupil_tells_the_seed(mini: Assignment, walls: Sandbox) -> None:
    hunt = """
        import gc, os, sys
        needle = 1834627152 + 1
        seen = [o for o in gc.get_objects() if type(o) is dict and o is not globals() and needle in list(o.values())]
        texts = [str(needle) in part for part in (" ".join(sys.orig_argv), repr(dict(os.environ)), repr(inside))]
        print(len(seen), any(texts))
    """
    added = [AddedCell("", "code", INSIDE + dedent(hunt))]
    report = grade(mini, Submission(answers={"mul_vjp": RIGHT}, added=added), walls, seed=1834627153)
    assert said(report).split() == ["0", "False"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into a pupil")
def test_nothing_in_the_memory_of_the_process_tells_the_seed_the_tests_or_the_answers(
    mini: Assignment, mini_course: Course, kind: dict[str, bool]
) -> None:
    """All memory is searched, at the last moment: while a hidden test asks. From outside, since a pupil has no /proc."""
    seed = 1834627153
    low, high = seed % 2**30, seed >> 30  # as Python keeps an int
    key = mini.exercise("unbox")
    needles = {
        "planted": b"a text that is there",
        "seed as text": str(seed).encode(),
        "seed as an int": low.to_bytes(4, "little") + high.to_bytes(4, "little"),
        "seed as eight bytes": seed.to_bytes(8, "little"),
        "hidden test": b"the logarithm of the product",
        "answer": b"math.log(box.value) for box",
        "exercise": f"{key.points} points".encode(),
    }
    assert needles["hidden test"].decode() in key.check
    assert needles["answer"].decode() in key.solution
    waiting = """
        calls = []
        def unbox(boxes):
            import time
            calls.append(" ".join(["a", "text", "that", "is", "there"]))
            if len(calls) == 2:
                time.sleep(4)
            return sum(math.log(b.value) for b in boxes)
    """
    walls = Sandbox(hidden_paths=[str(mini_course.root)], **kind)
    submission = Submission(answers={"mul_vjp": RIGHT, "unbox": dedent(waiting)})
    found: set[str] = set()
    with ThreadPoolExecutor(1) as threads:
        grading = threads.submit(grade, mini, submission, walls, seed=seed)
        while not grading.done():
            for pid in alive(walls):
                found |= {
                    name for name, needle in needles.items() if any(needle in part for part in memory(pid))
                }
            time.sleep(0.2)
        assert grading.result().outcomes[1].status == "passed"
    assert found == {"planted"}


def memory(pid: int) -> Iterator[bytes]:
    """All that a process may write to."""
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
            for line in maps:
                place, rights = line.split()[:2]
                start, end = (int(x, 16) for x in place.split("-"))
                if rights.startswith("rw"):
                    file.seek(start)
                    yield file.read(end - start)
    except OSError:  # it has ended
        return
