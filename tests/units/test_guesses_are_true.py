"""Every prediction is answered, and what it is told is so."""

from __future__ import annotations

import pytest

from autograder.authoring.guesses import predictions_shown, read_guesses, untrue
from autograder.lesson.predict import predictions_of
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY

COURSE = Course(REPOSITORY)
#: A learner reads it between their guess and what is so.
LONGEST = 200


@pytest.mark.parametrize("unit", COURSE.units())
def test_a_prediction_that_is_filled_in_shows_the_answer_and_what_it_is_told_is_so(unit: str) -> None:
    # The built notebooks hold empty predictions, so nothing else runs these lines.
    assignment = COURSE.assignment(unit)
    guesses = read_guesses(assignment)
    for shown in predictions_shown(assignment):
        said = shown.printed.partition("your prediction: ")[2].splitlines()
        assert len(said) > 1, shown.prediction
        assert list(untrue(guesses[shown.prediction], shown)) == []


@pytest.mark.parametrize("unit", COURSE.units())
def test_every_prediction_has_answers_to_usual_wrong_guesses(unit: str) -> None:
    assignment = COURSE.assignment(unit)
    found = read_guesses(assignment)
    assert list(found) == predictions_of(cell.source for cell in assignment.cells)
    for name, about in found.items():
        sentences = [sentence for _, sentence in about["told"]]
        assert len(set(sentences)) >= 2, name
        for sentence in sentences:
            assert len(sentence) <= LONGEST and sentence.rstrip()[-1] in ".?)", (name, sentence)
