"""The cells in which a learner predicts a result before it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder import predicted

REQUEST = "your prediction: none yet. Fill it in, then run this cell again.\n"


@pytest.mark.parametrize(
    "prediction", [None, "", "?", (1, None), [None, None], {"a": 1, "b": ""}, (2, (3, None)), ("?", 4.0)]
)
def test_an_empty_place_is_asked_for(prediction: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert predicted(prediction) is False
    assert capsys.readouterr().out == REQUEST


@pytest.mark.parametrize(
    "prediction", [0, 0.0, False, "huge", (1, 2), {0.07: "about 1"}, [0.5, -1], np.zeros(3), (np.ones(2), 1)]
)
def test_any_other_prediction_is_repeated(prediction: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert predicted(prediction) is True
    assert capsys.readouterr().out == f"your prediction: {prediction}\n"
