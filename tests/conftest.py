"""What the tests share: a course of one small unit, built once per process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.authoring.build import Product, release
from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import Submission
from autograder.unit.source import read_source

#: A course of its own, not tests.
collect_ignore_glob = ["mini/*"]

REPOSITORY = Path(__file__).resolve().parent.parent
MINI = Path(__file__).resolve().parent / "mini"


#: The modules that take longest. They begin first: at the end the other workers would wait for them.
LONGEST = (
    "tests/classroom/site/test_in_a_browser.py",
    "tests/cli/test_cli.py",
    "tests/classroom/test_nothing_lost.py",
    "tests/units/test_units.py",
    "tests/classroom/test_workers.py",
    "tests/units/test_nothing_stays_behind.py",
    "tests/classroom/test_ways_in.py",
    "tests/units/test_guesses_are_true.py",
    "tests/units/test_what_a_probe_holds.py",
    "tests/units/test_testing_gradients.py",
    "tests/classroom/test_cluster.py",
    "tests/learner/test_own_engine.py",
    "tests/learner/test_seen.py",
    "tests/units/test_numerical_rules.py",
    "tests/learner/test_arrival.py",
    "tests/cli/test_pages.py",
    "tests/learner/test_jupyterlab.py",
    "tests/classroom/site/test_site.py",
    "tests/sandbox/test_meter.py",
    "tests/authoring/test_frames.py",
    "tests/learner/test_review.py",
    "tests/sandbox/test_sandbox.py",
    "tests/sandbox/attacks/test_bombs.py",
    "tests/sandbox/attacks/test_endings.py",
    "tests/sandbox/attacks/test_replies.py",
    "tests/learner/test_own_scalars.py",
    "tests/classroom/test_hogs.py",
    "tests/authoring/test_handbook.py",
    "tests/learner/test_switches.py",
    "tests/referee/test_ready.py",
)


def pytest_configure() -> None:
    """A suite that was started behind a `&` ignores Ctrl-C, and so would every command whose end by it is tested."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest modules first, then those of most tests; within a module nothing changes."""

    def module(item: pytest.Item) -> str:
        return item.nodeid.partition("::")[0]

    counts = Counter(map(module, items))
    place = {name: i for i, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (place.get(module(item), len(place)), -counts[module(item)], module(item)))


@pytest.fixture(scope="session")
def mini_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course folder with the unit `mini`, its notebooks built (not executed)."""
    return make_course(tmp_path_factory.mktemp("mini-course"))


def make_course(root: Path) -> Course:
    """Make that course in an empty folder."""
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    shutil.copytree(
        MINI / "solutions", root / "solutions", ignore=shutil.ignore_patterns("*.ipynb", "__pycache__")
    )
    source = root / "solutions" / "mini" / "mini.py"
    notebook = read_source(source)
    source.with_suffix(".ipynb").write_text(Product(source, notebook).text, encoding="utf-8")
    released = root / "course" / "mini" / "mini.ipynb"
    released.parent.mkdir(parents=True)
    released.write_text(Product(released, release(notebook)).text, encoding="utf-8")
    return Course(root)


@pytest.fixture(scope="session")
def mini(mini_course: Course) -> Assignment:
    """The unit `mini`."""
    return mini_course.assignment("mini")


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    """Python's own limit for every test: wrong answers that raise it run in this process, too."""
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


@pytest.fixture(autouse=True)
def pytorchs_draws() -> None:
    """What a test draws from PyTorch's own generator does not depend on the tests that ran before it, here or there."""
    if torch := sys.modules.get("torch"):
        # Not `torch.manual_seed`: it also puts a seed, with the stack as text, aside for each kind of device.
        torch.random.default_generator.manual_seed(0)


@pytest.fixture(scope="session")
def bubblewrap() -> None:
    """For tests that need the sandbox: CI must have it; elsewhere they are skipped, with the remedy as the reason."""
    problem = Sandbox().why_not()
    if problem and not os.environ.get("CI"):
        pytest.skip(problem)
    assert not problem, problem


@pytest.fixture(scope="session")
def sandbox(mini_course: Course, bubblewrap: None) -> Sandbox:
    """The sandbox with short limits."""
    return Sandbox(call_seconds=3.0, hidden_paths=[str(mini_course.root)])


@pytest.fixture(scope="session")
def grade_answers(mini: Assignment, sandbox: Sandbox) -> Callable[..., Report]:
    """Grade answers to `mini`, given as text; an exercise that is not named keeps its stub."""

    def run(seed: int | None = 1, **answers: str) -> Report:
        stubs = {exercise.name: exercise.stub for exercise in mini.exercises}
        return grade(mini, Submission(answers=stubs | answers), sandbox, seed=seed)

    return run


@pytest.fixture
def crowd() -> Iterator[None]:
    """More processes that spin than this machine has processors, by far."""
    code = f"import os\nprint(flush=True)\nwhile os.getppid() == {os.getpid()}: sum(range(1000))"
    many = [
        # A session each: a kernel that shares the processors out among sessions would else count them as one.
        subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, start_new_session=True)
        for _ in range(12 * (os.cpu_count() or 1))
    ]
    for one in many:
        assert one.stdout
        one.stdout.readline()
    yield
    for one in many:
        one.kill()
    for one in many:
        one.communicate()
