"""Attention in the learner's own engine: unit 15's answers under `self_attention`, and nothing of it before that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_ref as reference
from autograder import mine
from autograder.learner.own_engine.attention import ATTENTION_PARTS, UNIT
from autograder.unit.notebook import write_text

from .test_own_engine import COURSE, UNITS, write_units


def write_all(root: Path, answers: Mapping[str, str] = {}, stubs: tuple[str, ...] = ()) -> Path:
    """A learner's folder with unit 15 in it, too."""
    write_units(root, {}, stubs)
    unit = COURSE.assignment(UNIT)
    (root / UNIT).mkdir()
    notebook = unit.solved(dict(answers), "stub" if UNIT in stubs else "solution")
    (root / UNIT / f"{unit.name}.ipynb").write_text(write_text(notebook), encoding="utf-8")
    return root


def answer(exercise: str) -> str:
    return COURSE.assignment(UNIT).exercise(exercise).solution


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> mine.Engine:
    return mine.engine(write_all(tmp_path_factory.mktemp("own") / "course"))


def self_attended(engine: Any, dtype: str = "float64") -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    qkv = engine.Tensor(rng.standard_normal((2, 5, 24)).astype(dtype), requires_grad=True)
    out = engine.functional.self_attention(qkv, 4, is_causal=True)
    (out * rng.standard_normal(out.shape).astype(dtype)).sum().backward()
    return [out.data, qkv.grad.data]


def attended(engine: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    given = [engine.Tensor(rng.standard_normal((2, 3, 4, n)), requires_grad=True) for n in (5, 5, 2)]
    out = engine.functional.scaled_dot_product_attention(*given, is_causal=True)
    (out * rng.standard_normal(out.shape)).sum().backward()
    return [out.data, *(x.grad.data for x in given)]


@pytest.mark.parametrize("way", [self_attended, attended])
def test_attention_and_its_gradients_are_those_of_the_reference(own: mine.Engine, way: Any) -> None:
    for ours, theirs in zip(way(own), way(reference), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_float32_stays_float32_through_attention(own: mine.Engine) -> None:
    assert [x.dtype for x in self_attended(own, "float32")] == [np.dtype("float32")] * 2


WRONG = {
    "causal_softmax": ("np.tri(scores.shape[-1], dtype", "np.tri(scores.shape[-1], k=1, dtype"),
    "scaled_scores": (" / np.sqrt(q.shape[-1])", ""),
    "attention_rule": (".sum(axis=-1, keepdims=True))", ".sum(axis=-2, keepdims=True))"),
    "mended_split": (
        "x.reshape(b, t, heads, width // heads)",
        "x.reshape(b, t, width // heads, heads).swapaxes(2, 3)",
    ),
}


@pytest.mark.parametrize("exercise", WRONG)
def test_a_wrong_answer_gives_other_numbers(exercise: str, tmp_path: Path) -> None:
    right, wrong = WRONG[exercise]
    solution = answer(exercise)
    assert right in solution
    engine = mine.engine(write_all(tmp_path / "course", {exercise: solution.replace(right, wrong)}))
    pairs = zip(self_attended(engine), self_attended(reference), strict=True)
    assert not all(np.allclose(ours, theirs, rtol=1e-4) for ours, theirs in pairs)


def test_who_has_not_begun_unit_15_has_no_such_operation_and_hears_nothing(
    tmp_path: Path, capsys: Any
) -> None:
    engine = mine.engine(write_all(tmp_path / "a", stubs=(UNIT,)))
    assert UNIT not in capsys.readouterr().out
    assert getattr(engine.functional, "self_attention", None) is None
    without = mine.engine(write_units(tmp_path / "b"))
    assert getattr(without.functional, "self_attention", None) is None


def test_the_table_says_whose_each_part_is_once_unit_15_is_begun(tmp_path: Path, capsys: Any) -> None:
    engine = mine.engine(
        write_all(tmp_path / "c", {"attention_rule": answer("attention_rule")}, stubs=(*UNITS, UNIT))
    )
    told = [line.split() for line in capsys.readouterr().out.splitlines() if UNIT in line]
    assert [line[0] for line in told] == [part.exercise for part in ATTENTION_PARTS]
    assert [line[2:] == ["yours"] for line in told] == [line[0] == "attention_rule" for line in told]
    for ours, theirs in zip(self_attended(engine), self_attended(reference), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_an_answer_that_raises_in_attention_is_named(tmp_path: Path) -> None:
    source = answer("attention_rule").replace("to_p * p", "to_p * pp")
    engine = mine.engine(write_all(tmp_path / "course", {"attention_rule": source}))
    with pytest.raises(NameError) as raised:
        self_attended(engine)
    assert f"Your `attention_rule` of unit {UNIT}" in raised.value.__notes__[0]


def test_what_it_cannot_do_is_said_in_a_sentence(own: mine.Engine) -> None:
    x = np.zeros((1, 2, 6))
    with pytest.raises(ValueError, match="is causal, as in unit 15: pass is_causal=True"):
        own.functional.self_attention(x, 1)
    with pytest.raises(ValueError, match="as many queries as keys, not 1 and 2"):
        own.functional.scaled_dot_product_attention(x[:, :1], x, x, is_causal=True)
    with pytest.raises(ValueError, match="D a multiple of 4"):
        own.functional.self_attention(x, 4, is_causal=True)
