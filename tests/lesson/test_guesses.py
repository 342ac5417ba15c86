"""What is said to a prediction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder import predicted
from autograder.lesson import guesses, logbook
from autograder.lesson.guesses import Answer, answer, fits, read

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
        ((5, 60, "huge"), 2, "The second is too small."),
        ((6, 160, "small"), 0, "The first is too large, the second too large, the third not so."),
        ((6, "many", "huge"), 1, "The first is too large, the second not a number."),
        (("huge", 83, 5), 1, "These are the right ones, in another order."),
        ((83, "huge", 7), 0, "The first is too large, the second not a number, the third not so."),
    ],
)
def test_the_first_guess_that_fits_answers(prediction: Any, right: int, sentence: str) -> None:
    found = answer(ABOUT, prediction)
    assert found is not None and (found.right, found.parts, found.sentence) == (right, 3, sentence)


@pytest.mark.parametrize(("prediction", "parts"), [((5, 83), 2), ((5, 83, "huge", 1), 4), (5, 1), ([], 0)])
def test_a_prediction_of_other_parts_is_not_counted(prediction: Any, parts: int) -> None:
    assert answer(ABOUT, prediction) == Answer(0, 0, f"The answer has 3 parts, and yours {parts}.")


@pytest.mark.parametrize(
    ("right", "guess", "sentence"),
    [
        (14, 8, "Too small: the answer is 1.75 times that."),
        (14, "56", "Too large: that is 4 times the answer."),
        (14, 12.6, "Too small, by 10.0%."),
        (14, 15.4, "Too large, by 10.0%."),
        (14, -14, "Of the wrong sign."),
        (14, 0, "Too small."),
        (0, 3, "Too large."),
        (-14, -7, "Too near to 0: the answer is 2 times that."),
        (-14, -28, "Too far from 0: that is 2 times the answer."),
        (-14, 14, "Of the wrong sign."),
        (-14, 0, "Too near to 0."),
        (14, "many", "Not a number."),
        (14, True, "Not a number."),
        ("33..39", 40, "Too large."),
        ("33..39", 3, "Too small."),
        ("-2..-1", -3, "Too far from 0."),
        ("-0.5..0.5", -3, "Too small."),
        ("huge", "tiny", "Not so."),
        ("huge", 7, "Not so."),
        (True, False, "Not so."),
        (14, 14, ""),
    ],
)
def test_a_guess_that_nobody_foresaw_hears_how_far_it_is_off(right: Any, guess: Any, sentence: str) -> None:
    found = answer({"right": [right], "told": []}, guess)
    assert found == Answer(int(not sentence), 1, sentence)


@pytest.mark.parametrize("prediction", [(2, 85), ("two", "85 %"), ("two", "most")])
def test_the_same_in_other_words_is_right_too(prediction: Any) -> None:
    about = {
        "right": [2, "80..90"],
        "also": [["two", "80..90"], ["two", "most"]],
        "told": [[["two", "_"], "No."]],
    }
    assert answer(about, prediction) == Answer(2, 2, "")
    assert answer(about, ("two", 70)) == Answer(0, 2, "No.")


def test_of_many_wrong_parts_the_count_is_enough() -> None:
    assert answer({"right": [1] * 9, "told": []}, [1] * 4 + [2] * 5) == Answer(4, 9, "")


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
    for prediction in ((5, 83, "huge"), (4, 83, "huge"), (5, 60, "huge"), (1, 2, 3), (5, 83)):
        assert predicted(prediction, "three")
    assert predicted(7, "another") and predicted(8)
    assert capsys.readouterr().out.splitlines() == [
        "your prediction: (5, 83, 'huge') ✓",
        "your prediction: (4, 83, 'huge') (2 of 3 right)",
        "→ Four is another one.",
        "your prediction: (5, 60, 'huge') (2 of 3 right)",
        "→ The second is too small.",
        "your prediction: (1, 2, 3) (0 of 3 right)",
        "→ Chance reads more.",
        "your prediction: (5, 83)",
        "→ The answer has 3 parts, and yours 2.",
        "your prediction: 7",
        "your prediction: 8",
    ]
    guesses._read_once.cache_clear()
