"""What a unit's submissions have in common is compiled before the forks, and no result shows it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from autograder.lesson.probes import Probe
from autograder.referee.bank import load_bank
from autograder.referee.check_cells import known_probes
from autograder.referee.judge import grade
from autograder.referee.rebuild import known_cells
from autograder.referee.report import Report
from autograder.sandbox import forkserver
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import AddedCell, Submission

from ..conftest import REPOSITORY

#: The server's own trees are there no more: a cell runs if it was compiled before.
NO_TREES = "import ast; ast.parse = None"


@pytest.fixture
def pupil(bubblewrap: None, request: pytest.FixtureRequest) -> Callable[..., PupilProcess]:
    """Prepares a warm interpreter of this test's own, and forks a pupil from it."""

    def run(cells: list[str | None], probes: list[tuple[str, str]]) -> PupilProcess:
        walls = Sandbox(hidden_paths=[f"/{request.node.name}"])
        forkserver.prepare(walls, (), cells, probes)
        process = PupilProcess(walls, (), time.monotonic() + 60)
        request.addfinalizer(process.close)
        return process

    return run


def test_a_cell_is_taken_as_it_was_compiled_in_its_own_place_only(pupil: Callable[..., PupilProcess]) -> None:
    cells = [NO_TREES, None, "print('third')"]
    process = pupil(cells, [])
    assert process.run_cell(NO_TREES).error is None
    assert process.run_cell("print('third')").error is not None  # the second
    process = pupil(cells, [])
    process.run_cell("an = 'answer'")
    process.run_cell("another = 'answer'")
    process.run_cell("import ast, builtins; builtins.compile = None")
    assert process.run_cell("print('third')").error is not None  # the fourth


def test_cells_in_their_places_run_as_ever(pupil: Callable[..., PupilProcess]) -> None:
    cells = [NO_TREES, "print('second')\n6 * 7", "1 / 0", "def four():\n    return 4"]
    process = pupil(cells, [("twice", "def twice(x):\n    return 2 * four() * x")])
    results = [process.run_cell(source) for source in cells]
    assert [result.text.split("\n")[0] for result in results[:2]] == ["", "second"]
    assert "42" in results[1].text
    assert results[2].error is not None and results[2].error.place == "line 1: 1 / 0"
    assert "In[4]" in results[2].text  # the interpreter has run one itself
    twice = Probe("twice")
    twice.__dict__["source"] = "def twice(x):\n    return 2 * four() * x"
    assert process.call(twice, (3,)).value == 24


def test_what_is_too_long_for_a_message_is_compiled_by_each_fork(pupil: Callable[..., PupilProcess]) -> None:
    long = "x = 1\n" * 20_000
    process = pupil([NO_TREES, long], [])
    assert process.run_cell(long + "print(x)").text == "1\n"


def told(report: Report) -> str:
    """All of a report, but for addresses in memory."""
    text = "\n".join(map(repr, (*report.outcomes, *report.outputs.items(), *report.notes)))
    return re.sub(r"\b0x[0-9a-f]+", "0x", text)


def submissions(unit: Assignment) -> list[Submission]:
    """The solution; nothing written, so that examples raise; wrong answers; cells in front, in between and behind."""
    right = {exercise.name: exercise.solution for exercise in unit.exercises}
    wrong = [entry for entry in load_bank(unit) if not entry.right and entry.ends]
    places = [cell.id for cell in unit.released]
    warns = "import warnings\nwarnings.warn('odd')\nhere"
    return [
        Submission(answers=right),
        Submission(answers={exercise.name: exercise.stub for exercise in unit.exercises}),
        Submission(answers=right | {e.exercise: e.answer(right[e.exercise]) for e in wrong[::3]}),
        Submission(answers=right, added=[AddedCell("", "code", warns)]),
        Submission(
            answers=right, added=[AddedCell(place, "code", "%who\nimport math") for place in places[3::9]]
        ),
        Submission(answers=right | {unit.exercises[0].name: "import nothing_of_this_name\n1 +"}),
    ]


@pytest.mark.parametrize("name", ["03_reverse_mode", "05_tensors", "12_graph_life"])
def test_a_unit_s_results_are_the_same_with_and_without(name: str, bubblewrap: None) -> None:
    unit = Course(REPOSITORY).assignment(name)
    plain, ready = (Sandbox(hidden_paths=[f"/{kind}/{name}"]) for kind in ("plain", "ready"))
    cells, probes = known_cells(unit), known_probes(unit)
    assert sum(cell is not None for cell in cells) > 20 and len(probes) > 5
    forkserver.prepare(ready, unit.allowed, cells, probes)
    for submission in submissions(unit):
        first, second = (grade(unit, submission, walls, seed=5, entries=()) for walls in (plain, ready))
        assert told(first) == told(second)
        assert len(first.outcomes) == len(unit.exercises)
