"""What is said to a prediction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder import predicted
from autograder.lesson import guesses, logbook
from autograder.lesson.guesses import answer, fits, read

ABOUT = {
    "right": [5, "80..88", "huge"],
    "told": [
        [[4, "_", "_"], "Four is another one."],
        [["_", "<50", "_"], "Chance reads more."],
        [[4, 10, "_"], "Never said, since the first speaks."],
    ],
}


@pytest.mark.parametrize(
    ("part", "guess", "fit"),
    [
        (5, 5, True),
        (5, 5.01, True),
        (5, 5.1, False),
        (5, "5", True),
        (0, 0.0, True),
        (0, 1e-4, False),
        (5, np.float64(5.0).item(), True),
        (5, None, False),
        ("80..88", 80, True),
        ("80..88", 88.0, True),
        ("80..88", 88.1, False),
        ("80..88", "85 %", True),
        ("80..88", "many", False),
        ("80..88", True, False),
        ("-1e-3..-.5", -0.7, False),
        ("-0.5..1e-3", -0.4, True),
        ("<30", 29, True),
        ("<30", 30, False),
        (">-2", -1.5, True),
        (">90", "more", False),
        ("moves away", " Moves away", True),
        ("moves away", "moves", False),
        ("a tie", "Tie", True),
        ("tie", " the tie", True),
        ("a tie", "attie", False),
        (True, True, True),
        (True, 1, False),
        (True, "True", False),
        (1, True, False),
        ("_", object(), True),
    ],
)
def test_a_part_of_a_guess_fits(part: Any, guess: Any, fit: bool) -> None:
    assert fits(part, guess) is fit


@pytest.mark.parametrize(
    ("prediction", "right", "sentence"),
    [
        ((5, 83, "huge"), 3, ""),
        ([5.0, [80], "HUGE"], 3, ""),
        ({"a": 5, "b": {"c": 84, "d": "huge"}}, 3, ""),
        ((np.array([5.0, 83.0]), "huge"), 3, ""),
        ((4, 10, "huge"), 1, "Four is another one."),
        ((5, 10, "huge"), 2, "Chance reads more."),
        ((5, 60, "huge"), 2, ""),
        ((6, 60, "small"), 0, ""),
        ((5, 83), 0, ""),
        ((5, 83, "huge", 1), 0, ""),
    ],
)
def test_the_first_guess_that_fits_answers(prediction: Any, right: int, sentence: str) -> None:
    found = answer(ABOUT, prediction)
    assert found is not None and (found.right, found.parts, found.sentence) == (right, 3, sentence)


@pytest.mark.parametrize(
    "about", [None, [], 3, {}, {"right": 3, "told": []}, {"right": [5]}, {"right": [1], "told": [3]}]
)
def test_nothing_is_said_where_the_file_makes_no_sense(about: Any) -> None:
    assert answer(about, 5) is None


TOO_LARGE = json.dumps({"guesses": {"one": ABOUT}, "texts": ["." * 1_000_000]})


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"guesses": 3}', '{"sentences": {}}', "[" * 100_000, TOO_LARGE, None]
)
def test_a_damaged_file_says_nothing(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "likely.json").write_text(text)
    assert read(tmp_path / "likely.json") == {}


def test_a_notebook_answers_from_the_file_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "likely.json").write_text(json.dumps({"guesses": {"three": ABOUT}}))
    monkeypatch.setattr(logbook, "started_in", lambda: tmp_path)
    guesses._read_once.cache_clear()
    for prediction in ((5, 83, "huge"), (4, 83, "huge"), (5, 60, "huge"), (1, 2, 3)):
        assert predicted(prediction, "three")
    assert predicted(7, "another") and predicted(8)
    assert capsys.readouterr().out.splitlines() == [
        "your prediction: (5, 83, 'huge') ✓",
        "your prediction: (4, 83, 'huge') (2 of 3 right)",
        "→ Four is another one.",
        "your prediction: (5, 60, 'huge') (2 of 3 right)",
        "your prediction: (1, 2, 3)",
        "→ Chance reads more.",
        "your prediction: 7",
        "your prediction: 8",
    ]
    guesses._read_once.cache_clear()
