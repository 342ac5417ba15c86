"""The questions at the top of a unit: what is right is told, and nothing before there is an answer."""

from __future__ import annotations

import ast
import itertools
import re
from typing import Any

import numpy as np
import pytest

from autograd_ref import Tensor
from autograder import recall
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY

COURSE = Course(REPOSITORY)

SAME = {
    "a number": (2.0, 2),
    "three digits": (0.4082, 0.41),
    "a row in another form": ((1, 2), np.array([[1.0], [2.0]])),
    "a Tensor": ([3.0, 4], Tensor([3.0, 4.0])),
    "a text in capitals": ("Yes ", "yes"),
    "NumPy's own number": (np.float64(0.5), 0.5),
    "a text for a number": ("5", 5),
    "True": (True, True),
}
OTHER = {
    "a number": (2.0, 3),
    "a sign": (-1.0, 1.0),
    "a shorter row": ([1.0], [1.0, 1.0]),
    "a row in another order": ([1, 2], [2, 1]),
    "a text for a row": ("1, 2", [1, 2]),
    "a text": ("no", "yes"),
    "nearly": (0.42, 0.41),
    "something else": (object(), 1.0),
}


@pytest.mark.parametrize(("answer", "right"), SAME.values(), ids=SAME)
def test_an_answer_that_says_the_same_is_right(answer: Any, right: Any, capsys: Any) -> None:
    recall({"unit 01": answer}, {"unit 01": lambda: right})
    assert capsys.readouterr().out.startswith("✓ unit 01: ")


@pytest.mark.parametrize(("answer", "right"), OTHER.values(), ids=OTHER)
def test_another_answer_is_told_what_is_right(answer: Any, right: Any, capsys: Any) -> None:
    recall({"unit 01": answer}, {"unit 01": lambda: right})
    said = capsys.readouterr().out
    assert said.startswith("✗ unit 01: you wrote ") and said.endswith(". Look there again.\n")


@pytest.mark.parametrize("empty", [None, "", "?"])
def test_what_is_not_answered_is_neither_computed_nor_told(empty: Any, capsys: Any) -> None:
    recall({"unit 01": empty}, {"unit 01": lambda: pytest.fail("computed")})
    assert capsys.readouterr().out == "· unit 01: not answered yet\n"


def test_answers_to_other_questions_are_an_error() -> None:
    with pytest.raises(KeyError, match="unit 02"):
        recall({"unit 01": 1}, {"unit 02": lambda: 1})


#: each unit's cell that takes answers, with the one right below, which looks at them
ASKING = [
    (unit, "\n\n".join(cell.source for cell in pair), pair)
    for unit in COURSE.units()
    for pair in itertools.pairwise(COURSE.assignment(unit).release.cells)
    if re.search(r"^recall\(", pair[1].source, re.M)
]
NAMES = [unit for unit, *_ in ASKING]


def test_a_unit_asks_at_most_once() -> None:
    assert NAMES and len(NAMES) == len(set(NAMES))


@pytest.mark.parametrize(("unit", "source", "pair"), ASKING, ids=NAMES)
def test_the_right_answers_are_folded(unit: str, source: str, pair: tuple[Any, Any]) -> None:
    asking, looking = pair
    assert asking.source.count("\n") == 1 and "answers = {" in asking.source
    assert not asking.metadata.get("jupyter", {}).get("source_hidden")
    assert looking.metadata.jupyter.source_hidden and "answers = " not in looking.source


@pytest.mark.parametrize(("unit", "source", "pair"), ASKING, ids=NAMES)
def test_a_unit_asks_three_open_questions_about_units_two_or_three_before(
    unit: str, source: str, pair: Any
) -> None:
    answers = ast.literal_eval(source.split("answers = ")[1].split("\n")[0])
    assert len(answers) == 3 and set(answers.values()) == {None}
    asked = {int(re.match(r"unit (\d\d)\b", name)[1]) for name in answers}  # type: ignore[index]
    assert asked <= {int(unit[:2]) - 2, int(unit[:2]) - 3}
    prose = " ".join(
        cell.source for cell in COURSE.assignment(unit).release.cells if cell.cell_type == "markdown"
    )
    for name in answers:
        assert f"*{name}*: " in prose


@pytest.mark.parametrize(("unit", "source", "pair"), ASKING, ids=NAMES)
def test_every_question_has_an_answer_that_the_cell_computes(
    unit: str, source: str, pair: Any, capsys: Any
) -> None:
    cells = [cell for cell in COURSE.assignment(unit).release.cells if cell.cell_type == "code"]
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(next(cell.source for cell in cells if cell.id == "imports"), names)
    exec(source.replace("None", "-12345.0"), names)
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 3
    assert all(re.search(r"you wrote -1\.23\de\+04, and it is .+\.", line) for line in said), said
