"""What authors say to predictions, in `guesses.toml`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.build import build_likely, check_likely, likely_paths
from autograder.authoring.fingerprints import made_from
from autograder.authoring.guesses import predictions_shown, read_guesses, untrue, with_guesses
from autograder.errors import UserError
from autograder.unit.assignment import Assignment, Course

from ..conftest import make_course

PREDICTION = """prediction = {"twice": None, "word": ""}  # two
from autograder import predicted

if predicted(prediction, "doubled"):
    two = 2 * 21
    print(two)
"""
GOOD = """[doubled]
cell = "(two, 'even')"
right = [42, "even"]
told = [[[21, "_"], "Once, and twice is asked for."]]
"""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course whose unit ends with a prediction."""
    made = make_course(tmp_path)
    path = made.assignment("mini").path
    notebook = nbformat.read(path, 4)
    notebook.cells.append(nbformat.v4.new_code_cell(PREDICTION, id="predicted"))
    nbformat.write(notebook, path)
    return made


@pytest.fixture
def unit(course: Course) -> Callable[[str], Assignment]:
    """A function of the text of `guesses.toml`: the unit with that file."""

    def with_file(text: str) -> Assignment:
        assignment = course.assignment("mini")
        (assignment.path.parent / "guesses.toml").write_text(text)
        return assignment

    return with_file


def problems(assignment: Assignment) -> list[str]:
    """What `autograder guesses` finds."""
    guesses = read_guesses(assignment)
    return [
        told for shown in predictions_shown(assignment) for told in untrue(guesses[shown.prediction], shown)
    ]


def test_guesses_are_read_and_found_true(unit: Callable[[str], Assignment]) -> None:
    assignment = unit(GOOD)
    assert read_guesses(assignment)["doubled"]["right"] == [42, "even"]
    assert problems(assignment) == []
    (shown,) = predictions_shown(assignment)
    assert shown.printed == "your prediction: {'twice': 42, 'word': 'even'}\n42\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("right = [42,", "right = [43,", "says that [43, 'even'] is right, and it is [42, even]"),
        ("right = [42,", 'right = ["<42",', "says that ['<42', 'even'] is right"),
        ('[[21, "_"]', '[["40..50", "_"]', "which is so, would be told “Once, and twice is asked for.”"),
        ("(two, 'even')", "two", "and it is [42]"),
    ],
)
def test_what_is_not_so_is_found(old: str, new: str, told: str, unit: Callable[[str], Assignment]) -> None:
    assert old in GOOD
    (problem,) = problems(unit(GOOD.replace(old, new)))
    assert told in problem and problem.startswith("[doubled]")


def test_the_same_in_other_words_reaches_the_learner_s_file(unit: Callable[[str], Assignment]) -> None:
    also = [["42 of them", "even"]]
    guesses = read_guesses(unit(GOOD.replace("told =", f"also = {json.dumps(also)}\ntold =")))
    assert json.loads(with_guesses("{}", guesses))["guesses"]["doubled"]["also"] == also
    assert "also" not in json.loads(with_guesses("{}", read_guesses(unit(GOOD))))["guesses"]["doubled"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[doubled", "cannot be read"),
        (GOOD.replace("[doubled]", "[halved]"), "[halved] is no prediction of mini"),
        (GOOD.replace("cell =", "sell ="), "there should be `cell`, `right` and `told`"),
        (GOOD + "more = 1\n", "there should be `cell`, `right` and `told`"),
        (GOOD.replace("right = [42,", "right = [[42],"), "`right` is not a list of numbers and words"),
        (GOOD.replace('right = [42, "even"]', "right = 42"), "`right` is not a list"),
        (
            GOOD.replace('"Once, and twice is asked for."', '" "'),
            "should be a guess, part by part, and a sentence",
        ),
        (GOOD.replace('[21, "_"]', '[42, "even"]'), "is told something wrong, and it is right"),
        (GOOD.replace("\"(two, 'even')\"", "3"), "`cell` is not a text"),
        (GOOD.replace("told = [[", "told = 3 #"), "`told` is not a list"),
        ("doubled = 3", "there should be"),
        (GOOD.replace("told =", "also = 42\ntold ="), "`also` is not a list of guesses"),
        (GOOD.replace("told =", 'also = [42, "even"]\ntold ='), "`also` is not a list of guesses"),
    ],
)
def test_a_broken_file_is_refused(text: str, told: str, unit: Callable[[str], Assignment]) -> None:
    with pytest.raises(UserError) as caught:
        read_guesses(unit(text))
    assert told in str(caught.value) and "guesses.toml" in str(caught.value)


def test_what_cannot_be_computed_is_told_and_a_cell_that_fails_is_named(
    unit: Callable[[str], Assignment], course: Course
) -> None:
    (problem,) = problems(unit(GOOD.replace("(two,", "(three,")))
    assert problem == "[doubled]: `cell` ends in NameError(\"name 'three' is not defined\")."
    path = course.assignment("mini").path
    path.write_text(path.read_text().replace("two = 2 * 21", "two = 2 / 0"))
    with pytest.raises(UserError, match="the cell predicted ends in ZeroDivisionError"):
        problems(unit(GOOD))


def test_a_unit_that_says_nothing_is_run_with_anything_filled_in(course: Course) -> None:
    (shown,) = predictions_shown(course.assignment("mini"))
    assert shown.printed == "your prediction: {'twice': 7, 'word': 7}\n42\n"


def test_the_build_takes_them_in_and_asks_for_no_run_of_answers(
    unit: Callable[[str], Assignment], course: Course
) -> None:
    assignment = unit(GOOD)
    paths = likely_paths(course, "mini")
    old = {"made_from": made_from(assignment), "sentences": {"0123456789abcdef": 0}, "texts": ["So."]}
    for path in paths:
        path.write_text(json.dumps(old, indent=1) + "\n")
    (behind,) = check_likely(course, "mini")
    assert "says something else to predictions than guesses.toml" in behind
    said: list[str] = []
    build_likely(course, "mini", said.append)
    wanted = {"doubled": {"right": [42, "even"], "told": [[[21, "_"], "Once, and twice is asked for."]]}}
    for path in paths:
        assert json.loads(path.read_text()) == {**old, "guesses": wanted}
    assert not any("running its wrong answers" in line for line in said)
    unit(GOOD.replace("Once,", "One time,"))
    (behind,) = check_likely(course, "mini")
    assert "says something else to predictions than guesses.toml" in behind
    (assignment.path.parent / "guesses.toml").unlink()
    build_likely(course, "mini", said.append)
    assert json.loads(paths[1].read_text()) == old and not list(check_likely(course, "mini"))
