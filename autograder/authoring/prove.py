"""Proves a unit's tests: every wrong answer of the bank earns nothing, every right one everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..lesson import likely
from ..lesson.echo import SEED
from ..lesson.failures import MISSING, PASSED
from ..lesson.probes import Call
from ..referee import bank
from ..referee.judge import grade
from ..referee.matching import Memory
from ..referee.report import Outcome, Report
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment
from ..unit.ingest import Submission
from .fingerprints import fingerprint_of, sentences_of
from .parallel import each
from .trial import seed_mattered, stopped_by

#: What a wrong answer is told.
OWN, OTHER, GENERIC = "its own sentence", "another sentence", "a generic diagnosis"


@dataclass(frozen=True)
class Trial:
    """One submission of the proof, and which exercises have to pass and so to earn their points."""

    exercise: str
    label: str
    answers: dict[str, str]
    passes: frozenset[str]
    entry: bank.Entry | None = None


@dataclass
class Proof:
    """What a trial showed."""

    trial: Trial
    good: bool
    #: what ended a wrong answer: "visible", "hidden", or empty
    caught: str
    #: what the proof's table says about it
    said: str
    #: what a learner's notebook says to a wrong answer that a visible check ends; otherwise empty
    told: str = ""
    #: whether it ends so at every seed: a check ended it before anything was drawn
    settled: bool = False

    @property
    def sort_key(self) -> tuple[int, str]:
        return (0 if self.trial.entry is None else 1, self.trial.label)


def trials(assignment: Assignment, entries: Sequence[bank.Entry]) -> Iterator[Trial]:
    """The stub, the solution, each exercise alone, and the bank."""
    exercises = assignment.exercises
    stubs = {e.name: e.stub for e in exercises}
    solutions = {e.name: e.solution for e in exercises}
    nothing: frozenset[str] = frozenset()
    yield Trial("", "the released notebook", stubs, nothing)
    yield Trial("", "the solution", solutions, frozenset(solutions))
    for e in exercises:
        yield Trial(e.name, f"{e.name} alone", stubs | {e.name: e.solution}, frozenset({e.name}))
    for entry in entries:
        e = assignment.exercise(entry.exercise)
        # Alone as well: a bank's answer must be judged by its own check, whatever the rest of the notebook does.
        answers = stubs | {e.name: entry.answer(e.solution)}
        yield Trial(e.name, entry.name, answers, frozenset({e.name}) if entry.right else nothing, entry)


def gaps(assignment: Assignment, entries: Sequence[bank.Entry]) -> Iterator[str]:
    """Which exercises have too few entries: at least three wrong ones and one right one each.

    Of a part, one that loses it and one that keeps it: else nobody has seen that its points are lost and kept alone.
    """
    for e in assignment.exercises:
        wrong = sum(not entry.right for entry in entries if entry.exercise == e.name)
        right = sum(entry.right for entry in entries if entry.exercise == e.name)
        if wrong < 3 or right < 1:
            yield f"{e.name} has {wrong} wrong and {right} other right answers in mistakes.py; it needs 3 and 1."
        for part in e.parts:
            keeps = [
                part.name in entry.keeps for entry in entries if entry.exercise == e.name and not entry.right
            ]
            for what, there in (("loses", not all(keeps)), ("keeps", any(keeps))):
                if not there:
                    yield f"No wrong answer in mistakes.py {what} the part {part.name!r} of {e.name}; it needs one."


def prove(
    assignment: Assignment,
    sandbox: Sandbox,
    *,
    seed: int | None = None,
    jobs: int | None = None,
    done: Callable[[Proof], None] = lambda proof: None,
    left_out: frozenset[bank.Entry] = frozenset(),
) -> list[Proof]:
    """Run all trials but those left out; in the order of the notebook.

    One that is stopped by an exception is not good, and says why.
    """
    entries = bank.load_bank(assignment)
    order = [trial for trial in trials(assignment, entries) if trial.entry not in left_out]
    known = likely.read(assignment.path.parent / likely.FILE)
    # As a class is graded: what a visible check ends, the build has run already.
    memory = Memory(sentences_of(assignment))
    needed = _Needed(assignment, sandbox, seed, entries, known, memory)
    # What a limit stops takes longest, so it goes first: at the end the other processes would wait for it.
    turns = sorted(range(len(order)), key=lambda i: (entry := order[i].entry) is None or entry.ends)
    found: dict[int, Proof] = {}
    for turn, proof in each(_run, needed, [order[i] for i in turns], jobs):
        found[turns[turn]] = proof
        done(proof)
    return [found[i] for i in range(len(order))]


@dataclass(frozen=True)
class _Needed:
    """What all trials of a unit need."""

    assignment: Assignment
    sandbox: Sandbox
    seed: int | None
    entries: Sequence[bank.Entry]
    #: what a learner's notebook says, by what an answer does
    known: Mapping[str, str]
    #: what the bank's answers gave in the trials before, in each process its own; as for the submissions of a class
    memory: Memory = field(default_factory=Memory)


def _run(needed: _Needed, trial: Trial) -> Proof:
    try:
        return _shown(needed, trial)
    except Exception as error:
        return Proof(trial, False, "", stopped_by(error))


def _shown(needed: _Needed, trial: Trial) -> Proof:
    assignment, sandbox, entry = needed.assignment, needed.sandbox, trial.entry
    if entry is not None and not entry.ends:
        sandbox = sandbox.within(0.0)  # as soon as a class is stopped
    # Of the other exercises the stubs are there, of which the released notebook's trial tells.
    only = trial.exercise if entry is not None else ""
    submission = Submission(answers=trial.answers)
    asked: dict[str, Sequence[Call]] = {}
    report = grade(
        assignment,
        submission,
        sandbox,
        seed=needed.seed,
        entries=needed.entries,
        memory=needed.memory,
        only=only,
        heard=asked.__setitem__,
    )
    proof = judge(trial, report)
    if entry is not None:
        proof.settled = not seed_mattered(report, trial.answers[entry.exercise])
    # Where a visible check draws, it asks a learner other questions than here.
    if (
        entry is not None
        and proof.caught == "visible"
        and not (report.outcomes[0].drawn and needed.seed != SEED)
    ):
        (outcome,) = report.outcomes
        graded = (outcome, asked[entry.exercise]) if entry.exercise in asked else None
        sentence = needed.known.get(fingerprint_of(assignment, entry, sandbox, graded), "")
        proof.told = OWN if sentence == entry.sentence else OTHER if sentence else GENERIC
    return proof


def in_the_notebook(proofs: Sequence[Proof]) -> str:
    """How many wrong answers a learner's own notebook recognises, as a sentence."""
    told = [proof.told for proof in proofs if proof.told]
    return (
        f"{told.count(OWN)} of the {len(told)} wrong answers that a visible check ends, whatever is drawn, "
        "are told their own sentence in the notebook, too."
    )


def judge(trial: Trial, report: Report) -> Proof:
    """Compare what passed with what had to pass. The points follow, where there are any."""
    wrong = [o for o in report.outcomes if not as_it_should(trial, o)]
    faults = [note for note in report.notes if "at fault" in note]
    good = not wrong and not faults
    if not good:
        told = faults + [
            f"{o.name} earned {o.points:g} of {o.max_points:g} ({_earned(o)}): {o.text}" for o in wrong
        ]
        return Proof(trial, False, "", "\n".join(told))
    if trial.entry is None:
        silent = all(o.status in (PASSED, MISSING) for o in report.outcomes)
        noisy = "" if silent else "some stubs end with another status than missing"
        return Proof(trial, silent, "", noisy)
    outcome = next(o for o in report.outcomes if o.name == trial.exercise)
    if trial.entry.right:
        return Proof(trial, True, "", "")
    return Proof(trial, True, "hidden" if outcome.hidden else "visible", _says(trial.entry, outcome))


def as_it_should(trial: Trial, outcome: Outcome) -> bool:
    """Whether an outcome is what the trial asks for: everything, or nothing but the parts that the bank names."""
    if outcome.name in trial.passes:
        return outcome.status == PASSED and outcome.points == outcome.max_points
    kept = (
        set(trial.entry.keeps) if trial.entry is not None and trial.entry.exercise == outcome.name else set()
    )
    worth = sum(part.max_points for part in outcome.parts if part.name in kept)
    return outcome.status != PASSED and outcome.kept == kept and outcome.points == worth


def _earned(outcome: Outcome) -> str:
    """The status, and which parts were earned."""
    if not outcome.parts:
        return outcome.status
    return f"{outcome.status}, keeps {', '.join(sorted(outcome.kept)) or 'no part'}"


def _says(entry: bank.Entry, outcome: Outcome) -> str:
    if outcome.mistake == entry.name:
        return OWN
    if outcome.mistake:
        return f"the sentence of {outcome.mistake}"
    return outcome.status if not outcome.diagnosis else GENERIC
