"""Convolution in the learner's own engine: unit 14's answers under `nn.Conv2d`, and nothing of them before unit 14."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_ref as reference
from autograder import mine
from autograder.learner.own_engine.pictures import PICTURE_PARTS, UNIT
from autograder.unit.notebook import write_text

from .test_own_engine import COURSE, UNITS, write_units


def write_all(root: Path, answers: Mapping[str, str] = {}, stubs: tuple[str, ...] = ()) -> Path:
    """A learner's folder with unit 14 in it, too."""
    write_units(root, {}, stubs)
    unit = COURSE.assignment(UNIT)
    (root / UNIT).mkdir()
    notebook = unit.solved(dict(answers), "stub" if UNIT in stubs else "solution")
    (root / UNIT / f"{unit.name}.ipynb").write_text(write_text(notebook), encoding="utf-8")
    return root


def curve(engine: Any, dtype: str = "float64", steps: int = 6) -> tuple[np.ndarray, set[Any]]:
    """The losses of a small network that convolves, with a stride and without; and the dtypes of its gradients."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((10, 2, 9, 7)).astype(dtype), rng.integers(0, 3, 10)
    nn = engine.nn
    nn.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(2, 4, (3, 2), padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 5, 3, stride=2, padding=1),
        nn.Tanh(),
        nn.Flatten(),
        nn.Linear(5 * 2 * 2, 3),
    ).to(dtype)
    optimizer = engine.optim.AdamW(model.parameters(), lr=0.02)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = engine.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses), {p.grad.data.dtype for p in model.parameters()}


@pytest.fixture(scope="module", params=["solved", "not written", "not there"])
def own(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> mine.Engine:
    root = tmp_path_factory.mktemp("own") / "course"
    if request.param == "not there":
        return mine.engine(write_units(root))
    return mine.engine(write_all(root, stubs=(UNIT,) if request.param == "not written" else ()))


def test_a_network_that_convolves_has_the_curve_of_the_reference(own: mine.Engine) -> None:
    (ours, _), (theirs, _) = curve(own), curve(reference)
    assert np.abs(ours - theirs).max() < 1e-8
    assert theirs[-1] < theirs[0]


def test_float32_stays_float32_through_a_convolution(own: mine.Engine) -> None:
    losses, dtypes = curve(own, "float32")
    assert dtypes == {np.dtype("float32")}
    assert np.abs(losses - curve(reference, "float32")[0]).max() < 1e-4


WRONG = {
    "patches": ("stride * rows : stride, j", "stride * rows : stride, 0 * j"),
    "patch_product_rule": ("-1).T @ g", "-1).T @ abs(g)"),
    "scatter": ("stride] += g", "stride] = g"),
    "max_pool": ("chosen * g", "chosen * abs(g)"),
}


@pytest.mark.parametrize("exercise", WRONG)
def test_a_wrong_answer_gives_another_curve(exercise: str, tmp_path: Path) -> None:
    right, wrong = WRONG[exercise]
    solution = COURSE.assignment(UNIT).exercise(exercise).solution
    assert right in solution
    answer = solution.replace(right, wrong).replace("0 * j : j +", "0 * j : 0 * j +")
    engine = mine.engine(write_all(tmp_path / "course", {exercise: answer}))
    assert not np.allclose(curve(engine)[0], curve(reference)[0], rtol=1e-4)


def test_the_table_tells_of_unit_14_once_it_is_begun(tmp_path: Path, capsys: Any) -> None:
    solution = COURSE.assignment(UNIT).exercise("scatter").solution
    exercises = [part.exercise for part in PICTURE_PARTS]
    mine.engine(write_all(tmp_path / "a", stubs=(*UNITS, UNIT)))
    assert UNIT not in capsys.readouterr().out
    mine.engine(write_all(tmp_path / "b", {"scatter": solution}, stubs=(UNIT,)))
    told = [line.split() for line in capsys.readouterr().out.splitlines() if UNIT in line]
    assert [line[0] for line in told] == exercises
    assert [line[2:] == ["yours"] for line in told] == [name == "scatter" for name in exercises]
