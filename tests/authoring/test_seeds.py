"""The bank at further seeds: an answer that slips at some draws only is found, and a run that sees nothing fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from autograder.authoring import seeds as seeds_module
from autograder.authoring.prove import prove
from autograder.authoring.seeds import at_seeds, further_seeds
from autograder.referee.bank import Entry, load_bank
from autograder.referee.judge import grade
from autograder.referee.rebuild import rebuild
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.cell import CHECK
from autograder.unit.ingest import Submission

#: Right where g is positive: at about every other seed, the one draw shows no fault.
LUCKY = "def mul_vjp(g, a, b):\n    return (g * b, g * a) if g > 0 else (0.0, 0.0)"
#: Right, and refused by a check that asks for too much at some of its draws.
EXACT = "def mul_vjp(g, a, b):\n    return (g * b, g * a)"
ONE_DRAW = """with exercise('mul_vjp') as check:
    check.close(yours.mul_vjp(10.0, 2.0, 3.0), (30.0, 20.0), "b and a, times g")
    ### BEGIN HIDDEN TESTS
    for g, a, b in check.cases(1, number(), number(), number()):
        {statement}
    ### END HIDDEN TESTS
"""
#: At the first, for which a right answer is planted as wrong, g is positive.
SEEDS = further_seeds(12, 6)


def wrong(name: str, body: str) -> Entry:
    return Entry("mul_vjp", name, "", f"def mul_vjp(g, a, b):\n    {body}", right=False)


#: Ended by a check before it draws, by chance, after it has drawn, and not at all.
FOUR = [
    wrong("visible", "return (g * a, g * b)"),
    wrong("chance", "import random; return (g * a, g * random.random())"),
    wrong("hidden", "return (30.0, 20.0)"),
    Entry("mul_vjp", "exact", "", EXACT, right=True),
]


@pytest.fixture
def weak(mini_course: Course, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Assignment]:
    """The unit `mini` with one draw in a check, and one more answer in its bank."""

    def make(statement: str, *more: Entry) -> Assignment:
        assignment = mini_course.assignment("mini")
        bank = [*load_bank(assignment), *more]
        names = {entry.name for entry in more}

        def asked(entry: Entry) -> bool:
            return entry.ends and (entry.name in names or not names)

        check = ONE_DRAW.format(statement=statement)
        assignment.exercises[:] = [
            replace(e, check=check) if e.name == "mul_vjp" else e for e in assignment.exercises
        ]
        monkeypatch.setattr(seeds_module, "load_bank", lambda assignment: [e for e in bank if asked(e)])
        monkeypatch.setattr("autograder.referee.bank.load_bank", lambda assignment: bank)
        return assignment

    return make


def test_a_wrong_answer_that_passes_at_some_seeds_only_is_found_with_its_seed_and_the_command(
    weak: Callable[..., Assignment], sandbox: Sandbox
) -> None:
    lucky = Entry("mul_vjp", "lucky", "It looks at the sign of g.", LUCKY, right=False)
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')", lucky)
    result = at_seeds(assignment, sandbox, SEEDS, jobs=2)
    assert not result.faults
    assert {slip.run.name for slip in result.slips} == {"lucky"}
    at = [slip.run.seed for slip in result.slips]
    assert 0 < len(at) < len(SEEDS)  # at one seed alone it may be dead or alive
    told = result.slips[0].told("mini")
    assert f"is wrong and passes at seed {at[0]}" in told
    assert told.endswith(f"autograder prove mini --seed {at[0]}")


def test_the_command_at_that_seed_shows_the_same(weak: Callable[..., Assignment], sandbox: Sandbox) -> None:
    lucky = Entry("mul_vjp", "lucky", "It looks at the sign of g.", LUCKY, right=False)
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')", lucky)
    at = {slip.run.seed for slip in at_seeds(assignment, sandbox, SEEDS, jobs=2).slips}
    for seed in (min(at), next(seed for seed in SEEDS if seed not in at)):
        (proof,) = [p for p in prove(assignment, sandbox, seed=seed, jobs=2) if p.trial.label == "lucky"]
        assert proof.good == (seed not in at)


def test_a_right_answer_that_is_refused_at_some_seeds_only_is_found(
    weak: Callable[..., Assignment], sandbox: Sandbox
) -> None:
    exact = Entry("mul_vjp", "exact", "", EXACT, right=True)
    assignment = weak("check.true(yours.mul_vjp(g, a, b)[0] * g * b >= 0 and a > 0, 'a is large')", exact)
    result = at_seeds(assignment, sandbox, SEEDS, jobs=2)
    for name in ("exact", "the model answer"):  # the same code in both
        refused = [slip for slip in result.slips if slip.run.name == name]
        assert 0 < len(refused) < len(SEEDS)
        assert refused[0].told("mini").startswith(f"mul_vjp: {name} is right and refused at seed")


def test_right_answers_alone_are_graded_at_as_many_seeds_as_one_likes(
    weak: Callable[..., Assignment], sandbox: Sandbox
) -> None:
    exact = Entry("mul_vjp", "exact", "", EXACT, right=True)
    lucky = Entry("mul_vjp", "lucky", "It looks at the sign of g.", LUCKY, right=False)
    assignment = weak("check.true(g > 0 or yours.mul_vjp(g, a, b)[0] != g * b, 'another')", exact, lucky)
    result = at_seeds(assignment, sandbox, SEEDS, only_right=True, jobs=2)
    assert not result.faults
    assert {slip.run.name for slip in result.slips} == {"exact", "the model answer"}
    assert result.runs == 2 * len(SEEDS) + 2  # with the two that are planted


def test_a_solution_that_nobody_graded_is_a_fault(
    weak: Callable[..., Assignment], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that sees no outcome shows nothing: it once looked as if all were well."""
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')")
    real: Any = seeds_module.grade
    monkeypatch.setattr(seeds_module, "grade", lambda *a, only, **k: real(*a, only=only or None, **k))
    result = at_seeds(assignment, sandbox, SEEDS[:1], jobs=1)
    assert [fault for fault in result.faults if "was not graded" in fault]


def test_seeds_are_many_and_different_and_repeat() -> None:
    assert len(set(further_seeds(50, 1))) == 50
    assert further_seeds(5, 1) == further_seeds(5, 1) != further_seeds(5, 2)


def test_the_bank_of_the_small_unit_holds_and_every_answer_runs_at_every_seed(
    weak: Callable[..., Assignment], sandbox: Sandbox
) -> None:
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')")
    planned: list[int] = []
    result = at_seeds(assignment, sandbox, SEEDS[:3], jobs=2, plan=planned.append)
    assert result.good, (result.slips, result.faults)
    assert planned == [result.runs + result.spared] == [3 + 8 * 3 + 2]
    assert result.spared > 0


def test_only_what_ended_before_anything_was_drawn_is_run_once(
    weak: Callable[..., Assignment], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')", *FOUR)
    ran: list[tuple[str, int]] = []
    real: Any = seeds_module.grade

    def counted(assignment: Any, submission: Any, *more: Any, **options: Any) -> Any:
        source = submission.answers["mul_vjp"]
        ran.extend((e.name, options["seed"]) for e in FOUR if source.endswith(e.source))
        return real(assignment, submission, *more, **options)

    monkeypatch.setattr(seeds_module, "grade", counted)
    result = at_seeds(assignment, sandbox, SEEDS[:4], jobs=1)
    assert result.good, (result.slips, result.faults)
    count = {entry.name: sum(name == entry.name for name, _ in ran) for entry in FOUR}
    assert count == {"visible": 1, "chance": 4, "hidden": 4, "exact": 4}
    assert (result.runs, result.spared) == (4 + 1 + 4 + 4 + 4 + 2, 3)


def test_what_the_proof_saw_end_before_anything_was_drawn_is_not_run_again(
    weak: Callable[..., Assignment], sandbox: Sandbox
) -> None:
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')", *FOUR)
    proofs = prove(assignment, sandbox, seed=4, jobs=1)
    settled = {p.trial.entry for p in proofs if p.trial.entry in FOUR and p.settled}
    assert settled == {FOUR[0]}
    seen: list[str] = []
    result = at_seeds(
        assignment, sandbox, SEEDS[:4], settled=settled, jobs=1, done=lambda run: seen.append(run.name)
    )
    assert result.good, (result.slips, result.faults)
    assert "visible" not in seen and {"chance", "hidden", "exact"} < set(seen)
    assert (result.runs, result.spared) == (4 + 4 + 4 + 4 + 2, 4)


def test_only_the_answers_that_are_chosen_are_graded(
    weak: Callable[..., Assignment], sandbox: Sandbox
) -> None:
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')", *FOUR)
    seen: set[str] = set()
    result = at_seeds(
        assignment, sandbox, SEEDS[:1], among=FOUR[2:], jobs=1, done=lambda run: seen.add(run.name)
    )
    assert result.good, (result.slips, result.faults)
    assert {name for name in seen if "planted" not in name} == {"the model answer", "hidden", "exact"}


def test_what_ends_after_something_was_drawn_is_not_settled(
    weak: Callable[..., Assignment], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = FOUR[0]
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')")
    drawn = "with exercise('mul_vjp') as check:\n    check.rng.random()"
    assignment.exercises[:] = [
        replace(e, check=e.check.replace("with exercise('mul_vjp') as check:", drawn))
        for e in assignment.exercises
        if e.name == "mul_vjp"
    ]
    monkeypatch.setattr("autograder.referee.bank.load_bank", lambda assignment: [turned])
    # What a notebook says of it, which draws at another seed, is asked there alone.
    for seed, told in ((4, ""), (0, "its own sentence")):
        (proof,) = (p for p in prove(assignment, sandbox, seed=seed, jobs=1) if p.trial.entry)
        assert proof.good and not proof.settled
        assert proof.told == told


def test_an_answer_that_does_not_end_gets_the_shortest_time_that_a_class_may_have(
    weak: Callable[..., Assignment], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = "def mul_vjp(g, a, b):\n    while True:\n        pass"
    endless = Entry("mul_vjp", "endless", "It does not end.", loop, right=False, ends=False)
    exact = Entry("mul_vjp", "exact", "", EXACT, right=True)
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')")
    monkeypatch.setattr(seeds_module, "load_bank", lambda assignment: [endless, exact])
    sandbox.least_call_seconds = 0.5
    limits: dict[bool, set[float]] = {True: set(), False: set()}
    real: Any = seeds_module.grade

    def noted(assignment: Any, submission: Any, walls: Sandbox, **options: Any) -> Any:
        limits["while True" in submission.answers["mul_vjp"]].add(walls.call_seconds)
        return real(assignment, submission, walls, **options)

    monkeypatch.setattr(seeds_module, "grade", noted)
    result = at_seeds(assignment, sandbox, SEEDS[:2], jobs=1)
    assert result.good, (result.slips, result.faults)
    assert limits == {True: {0.5}, False: {sandbox.call_seconds}} and sandbox.call_seconds > 0.5


def test_what_stands_after_an_exercise_is_not_run_for_it(
    weak: Callable[..., Assignment], sandbox: Sandbox
) -> None:
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')")
    steps = [step for step in rebuild(assignment, Submission()) if step.kind != CHECK and step.source.strip()]
    answers = {exercise.name: exercise.solution for exercise in assignment.exercises}
    first, last = assignment.exercises[0].name, assignment.exercises[-1].name
    ran = {
        only: set(grade(assignment, Submission(answers=answers), sandbox, seed=1, only=only).outputs)
        for only in (first, last)
    }
    assert ran[first] < ran[last]
    assert {step.label for step in steps if step.name == last}.isdisjoint(ran[first])
    # Each is judged as in the whole.
    whole = {o.name: o for o in grade(assignment, Submission(answers=answers), sandbox, seed=1).outcomes}
    for only in (first, last):
        (alone,) = grade(assignment, Submission(answers=answers), sandbox, seed=1, only=only).outcomes
        assert alone == whole[only]


def test_a_run_that_ends_early_or_finds_nothing_fails(
    weak: Callable[..., Assignment], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = weak("check.close(yours.mul_vjp(g, a, b), (g * b, g * a), 'times g')")
    real: Any = seeds_module.grade

    def stopped(assignment: Any, submission: Any, *more: Any, **options: Any) -> Any:
        if "log10" in submission.answers["unbox"]:
            raise RuntimeError("no room")
        return real(assignment, submission, *more, **options)

    monkeypatch.setattr(seeds_module, "grade", stopped)
    result = at_seeds(assignment, sandbox, SEEDS[:1], jobs=1)
    assert not result.good
    assert any("log10" in fault and "RuntimeError" in fault for fault in result.faults)

    def blind(assignment: Any, submission: Any, *more: Any, **options: Any) -> Any:
        """Nothing passes, as when every check is broken."""
        submission.answers[options["only"]] = ""
        return real(assignment, submission, *more, **options)

    monkeypatch.setattr(seeds_module, "grade", blind)
    result = at_seeds(assignment, sandbox, SEEDS[:1], jobs=1)
    assert any("planted as wrong, was not found" in fault for fault in result.faults)
