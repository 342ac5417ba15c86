"""What was proved at further seeds is kept as long as nothing that it depends on changes, and no longer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import proved
from autograder.authoring.proved import (
    DRAWN,
    PROVED,
    SAMPLE,
    choose,
    digest,
    read_proved,
    to_keep,
    write_proved,
)
from autograder.referee.bank import Entry, load_bank
from autograder.unit.assignment import Assignment, Course

from ..conftest import REPOSITORY

#: As `.ci/run` asks for.
SEEDS = 5
COURSE = Course(REPOSITORY)


@pytest.fixture
def mini(mini_course: Course) -> Assignment:
    return mini_course.assignment("mini")


def kept_of(assignment: Assignment) -> dict[str, object]:
    return dict(choose(assignment, SEEDS, {}, 1).kept)


def test_what_was_never_proved_is_graded_whole(mini: Assignment) -> None:
    found = choose(mini, SEEDS, {}, 1)
    assert found.entries == sorted(load_bank(mini), key=order_in(mini))
    assert not found.sampled
    assert {one["seeds"] for one in found.kept.values()} == {SEEDS}


def order_in(assignment: Assignment) -> Callable[[Entry], int]:
    names = [exercise.name for exercise in assignment.exercises]
    return lambda entry: names.index(entry.exercise)


def test_of_what_has_not_changed_a_tenth_is_drawn_each_time_another(mini: Assignment) -> None:
    known = kept_of(mini)
    drawn = [choose(mini, SEEDS, known, chance) for chance in range(60)]
    everything = load_bank(mini)
    assert all(one.sampled == [exercise.name for exercise in mini.exercises] for one in drawn)
    assert all(one.kept == known for one in drawn)
    share = sum(len(one.entries) for one in drawn) / len(everything) / len(drawn)
    assert 0.5 / SAMPLE < share < 2 / SAMPLE
    assert {entry for one in drawn for entry in one.entries} == set(everything)  # none is left out for ever
    assert choose(mini, SEEDS, known, 7).entries == choose(mini, SEEDS, known, 7).entries


#: What may change of an answer in the bank.
CHANGES: dict[str, Callable[[Entry], Entry]] = {
    "a wrong answer": lambda entry: replace(entry, source=entry.source + "\n# another"),
    "a right answer": lambda entry: replace(entry, source=entry.source + "\n# another"),
    "whether it is right": lambda entry: replace(entry, right=not entry.right),
    "whether it ends": lambda entry: replace(entry, ends=not entry.ends),
    "what it keeps": lambda entry: replace(entry, keeps=("a part",)),
}


@pytest.mark.parametrize("what", ["check", "solution", *CHANGES, "one answer more", "what draws"])
def test_whatever_a_verdict_depends_on_asks_for_the_whole_exercise(
    what: str, mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = kept_of(mini)
    first = mini.exercises[0]
    bank = load_bank(mini)
    expected = {first.name}
    if what in ("check", "solution"):
        mini.exercises[0] = replace(first, **{what: getattr(first, what) + "\n1"})
    elif what == "one answer more":
        bank.append(Entry(first.name, "one_more", "", "x = 1", right=False))
    elif what == "what draws":
        monkeypatch.setattr(proved, "_drawing", lambda: "drawn in another way")
        expected = {exercise.name for exercise in mini.exercises}
    else:
        i = next(
            i
            for i, e in enumerate(bank)
            if e.exercise == first.name and e.right == (what == "a right answer")
        )
        bank[i] = CHANGES[what](bank[i])
    monkeypatch.setattr(proved, "load_bank", lambda assignment: bank)
    found = choose(mini, SEEDS, known, 3)
    assert set(found.kept) - set(found.sampled) >= expected
    assert [e for e in found.entries if e.exercise in expected] == [e for e in bank if e.exercise in expected]
    if what != "what draws":
        others = {e.name for e in mini.exercises} - expected
        # The model answer of an earlier exercise may be one of the things that a later one reaches.
        assert what == "solution" or others == set(found.sampled)


def test_fewer_seeds_than_are_asked_for_are_not_enough(mini: Assignment) -> None:
    known = kept_of(mini)
    assert not choose(mini, SEEDS + 1, known, 1).sampled
    assert choose(mini, SEEDS - 1, known, 1).sampled
    assert choose(mini, SEEDS - 1, known, 1).kept == known  # what was proved is not forgotten


def settled_in(assignment: Assignment) -> tuple[frozenset[Entry], dict[str, Any]]:
    """Some answers of each exercise as settled ones, and what is kept of a run that found them so."""
    bank = load_bank(assignment)
    settled = frozenset(bank[::2])
    return settled, to_keep(assignment, choose(assignment, SEEDS, {}, 1), settled)


@pytest.mark.parametrize("were_settled", [True, False])
def test_of_wrong_answers_most_are_left_out_each_time_others_and_no_right_one(
    were_settled: bool, mini: Assignment
) -> None:
    settled, known = settled_in(mini)
    wrong = {entry for entry in load_bank(mini) if not entry.right}
    among = wrong & settled if were_settled else wrong - settled
    every = SAMPLE if were_settled else DRAWN
    drawn = [choose(mini, SEEDS, known, chance) for chance in range(60)]
    assert all(one.left_out <= wrong and one.settled == one.left_out & settled for one in drawn)
    share = 1 - sum(len(one.left_out & among) for one in drawn) / len(among) / len(drawn)
    assert 0.5 / every < share < 2 / every
    # None is left out for ever, and what runs at further seeds is drawn by itself.
    assert frozenset.intersection(*(one.left_out for one in drawn)) == frozenset()
    assert any(one.left_out & set(one.entries) for one in drawn)


@pytest.mark.parametrize("what", ["the grader", "the check", "broken"])
def test_whatever_changed_nothing_is_left_out(
    what: str, mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, known = settled_in(mini)
    assert choose(mini, SEEDS, known, 3).left_out
    if what == "the grader":
        monkeypatch.setattr(proved, "grader", lambda: "another one")
    elif what == "the check":
        mini.exercises[:] = [replace(exercise, check=exercise.check + "\n1") for exercise in mini.exercises]
    else:
        known = {name: {**one, "settled": "all"} for name, one in known.items()}
    found = choose(mini, SEEDS, known, 3)
    assert not found.left_out
    assert (what == "the check") == (not found.sampled)


def test_a_run_that_left_some_out_keeps_what_was_found_settled_before(mini: Assignment) -> None:
    _, known = settled_in(mini)
    chosen = choose(mini, SEEDS, known, 3)
    left_out = {entry.exercise for entry in chosen.left_out}
    assert left_out
    kept = to_keep(mini, chosen, frozenset())
    assert all(kept[name] == known[name] for name in left_out)
    whole = to_keep(mini, replace(choose(mini, SEEDS, known, 3), left_out=frozenset()), frozenset())
    assert all(one["settled"] == [] for one in whole.values())  # of what was graded whole, what was found now


def test_the_grader_is_all_that_decides_on_a_verdict() -> None:
    rooms = REPOSITORY / "autograder"
    names = {str(path.relative_to(rooms)) for path in proved.grader_files()}
    lesson = {"checks", "compare", "diagnose", "draw", "echo", "parts", "probes", "suspects", "wire"}
    assert {f"lesson/{name}.py" for name in lesson} <= names
    assert {"referee/judge.py", "sandbox/process.py", "sandbox/pupil/start.py", "unit/assignment.py"} <= names
    assert not {"lesson/predict.py", "lesson/recall.py", "lesson/progress.py", "cli/app.py"} & names


@pytest.mark.parametrize("file", ["autograder/lesson/compare.py", "autograd_ref/rules/products.py"])
def test_the_grader_s_digest_changes_with_it_and_with_the_reference(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = proved.grader()
    changed = REPOSITORY / file
    read = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda self, *args, **names: read(self, *args, **names) + "\n" * (self == changed)
    )
    proved.grader.cache_clear()
    try:
        assert proved.grader() != before
    finally:
        proved.grader.cache_clear()


def test_a_sentence_that_is_worded_anew_asks_for_no_new_proof(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = kept_of(mini)
    bank = [
        replace(entry, sentence="In other words.", name=f"{entry.name}, too") for entry in load_bank(mini)
    ]
    monkeypatch.setattr(proved, "load_bank", lambda assignment: bank)
    assert len(choose(mini, SEEDS, known, 1).sampled) == len(mini.exercises)


@pytest.mark.parametrize(
    "broken", ["", "[1]", '{"unbox": 3}', '{"unbox": {"digest": 3, "seeds": "many"}}', "\x00"]
)
def test_a_broken_file_proves_nothing(broken: str, mini: Assignment, tmp_path: Any) -> None:
    elsewhere = replace(mini, path=tmp_path / "mini.ipynb")
    (tmp_path / PROVED).write_text(broken)
    (tmp_path / "mistakes.py").write_bytes((mini.path.parent / "mistakes.py").read_bytes())
    assert not choose(elsewhere, SEEDS, read_proved(elsewhere), 1).sampled


def test_what_is_written_is_read(mini: Assignment, tmp_path: Any) -> None:
    elsewhere = replace(mini, path=tmp_path / "mini.ipynb")
    known = kept_of(mini)
    write_proved(elsewhere, known)
    assert read_proved(elsewhere) == known
    assert digest(mini, mini.exercises[0], load_bank(mini)) == known[mini.exercises[0].name]["digest"]  # type: ignore[index]


@pytest.mark.parametrize("unit", COURSE.units())
def test_every_unit_of_the_course_was_proved_as_it_is_now(unit: str) -> None:
    """Else the CI grades it again in full, at each push."""
    assignment = COURSE.assignment(unit)
    found = choose(assignment, SEEDS, read_proved(assignment), 0)
    assert sorted(found.kept) == sorted(found.sampled), f"autograder prove {unit} --seeds {SEEDS} --keep"
