"""A learner's notebook says the bank's sentence to a wrong answer, and holds nothing of the bank but digests."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from autograder.authoring.build import build_likely, likely_paths
from autograder.authoring.explain import tell
from autograder.authoring.fingerprints import as_text, fingerprint_of, made_from, make, sentences_of
from autograder.authoring.guesses import read_guesses
from autograder.authoring.mutation import run_mutants, write_verdicts
from autograder.authoring.told import told_of
from autograder.lesson import echo, exceptions, likely, locked, logbook, probes
from autograder.lesson.failures import CheckFailed
from autograder.lesson.likely import fingerprint
from autograder.lesson.probes import AnswerError, AnswerTimeout, Call, LocalBoundary, Probe, Session
from autograder.lesson.wire import Opaque
from autograder.referee.bank import Entry, load_bank
from autograder.referee.check_cells import remember, setup_names
from autograder.referee.judge import grade
from autograder.referee.matching import Matcher, Memory
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.cell import grade_id
from autograder.unit.ingest import Submission
from autograder.unit.notebook import visible_part

from ..conftest import REPOSITORY

COURSE = Course(REPOSITORY)
F = Probe("f")


# -- digests ------------------------------------------------------------------------------------------------------


def digest(value: Any) -> str:
    return fingerprint("it", [Call(F, (1.0,), value)])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            "matmul: a mismatch (size 3 is different from 2)",
            "matmul: a mismatch (size 3 is different from 4)",
            False,
        ),
        ("'list' object has no attribute 'shape'", "'list' object has no attribute 'T'", False),
        ("the shape (2, 3) at 0x7f3a10", "the shape (2, 3) at 0x55aa90", True),
        ("axis 1 has the step 0.25", "axis 1 has the step 0.125", True),
        ("12 are too many", "13 are too many", True),  # a learner's own words, of nothing that is known
    ],
)
def test_an_exception_is_another_one_when_it_names_others(one: str, other: str, same: bool) -> None:
    calls = [[Call(F, (1.0,), error=AnswerError("ValueError", message))] for message in (one, other)]
    assert (fingerprint("it", calls[0]) == fingerprint("it", calls[1])) == same


def test_which_arguments_were_changed_is_a_part_of_what_an_answer_does() -> None:
    x, v = np.ones(2), np.zeros(2)
    ways = [Call(F, (x, v), 1.0, changed) for changed in ((), (0,), (1,), (0, 1))]
    assert len({fingerprint("it", [call]) for call in ways}) == 4
    assert fingerprint("it", [Call(F, (x, v), 1.0, (1, 0))]) == fingerprint("it", [ways[-1]])


def test_large_and_long_values_are_digested_or_given_up_in_no_time() -> None:
    deep: Any = [1.5] * 1_000_000
    for _ in range(35):
        deep = {"a": deep}
    start = time.process_time()  # a busy machine has no part in it
    assert fingerprint("e", [Call(F, (), deep)]) == ""
    assert fingerprint("e", [Call(F, (), {i: [1.5] * 1000 for i in range(1000)})]) == ""
    assert fingerprint("e", [Call(F, (), 10**100_000)]) == fingerprint("e", [Call(F, (), math.inf)])
    assert time.process_time() - start < 1
    # The item of a number in long double precision is that number again.
    assert fingerprint("e", [Call(F, (), np.clongdouble(1j))]) == fingerprint("e", [Call(F, (), 1j)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (0.0, -0.0),
        (0.1 + 0.2, 0.3),
        (1e-17, 0.0),
        (math.nan, -math.nan),
        ([1.0, 2.0], (1.0, 2.0)),
        (np.float64(2.5), 2.5),
        (np.array(3), 3.0),
        (np.True_, True),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array([0.1 + 0.2]), np.array([0.3])),
        (np.array([1.0, 3.0], dtype=np.float32) / 3, np.array([1 / 3, 1.0], dtype=np.float32)),
        ({"a": 1, "b": [2]}, {"b": (2.0,), "a": 1.0}),
        (1j, 1j + 1e-15),
        (np.complex128(1j), 1j),
        (Opaque("Dual", "Dual(1)"), Opaque("Dual", "Dual(2)")),
        (10**400, math.inf),
    ],
    ids=repr,
)
def test_what_a_comparison_takes_for_equal_has_one_digest(one: Any, other: Any) -> None:
    assert digest(one) == digest(other)


DIFFERENT = [
    None, True, False, 0, 1, 1.000001, -1, math.nan, math.inf, -math.inf, "1", "", 1j, [], [1], [[1]], [1, 1], [None],
    {}, {"a": 1}, {"a": 2}, {1: "a"}, np.array([1.0]), np.array([[1.0]]), np.zeros((0, 3)), np.zeros((3, 0)),
    np.array([True]), np.array([1j]), Opaque("Dual"), Opaque("Value"), "a Dual", "raised TypeError", ["items 1", 1],
]  # fmt: skip


def test_all_else_has_a_digest_of_its_own() -> None:
    assert len({digest(value) for value in DIFFERENT}) == len(DIFFERENT)


def test_calls_count_by_exercise_name_arguments_order_and_exceptions() -> None:
    call, other = Call(F, (1.0,), 2.0), Call(F, (2.0,), 2.0)

    def raised(name: str, text: str = "", missing: str = "") -> Call:
        return Call(F, (1.0,), error=AnswerError(name, text, name=missing))

    rows = [
        fingerprint("it", [call]),
        fingerprint("that", [call]),
        fingerprint("it", [other]),
        fingerprint("it", [Call(Probe("g"), (1.0,), 2.0)]),
        fingerprint("it", [call, other]),
        fingerprint("it", [other, call]),
        fingerprint("it", []),
        fingerprint("it", [raised("TypeError")]),
        fingerprint("it", [raised("ValueError")]),
        fingerprint("it", [raised("ValueError", "'matmul' cannot combine shapes (2, 3) and (2, 3)")]),
        fingerprint("it", [raised("ValueError", "A tensor of shape (2,) is neither true nor false")]),
        fingerprint("it", [raised("TypeError", "the rule takes arrays, and got a Tensor")]),
        fingerprint("it", [raised("TypeError", "the rule takes the state as a tuple, and got a list")]),
        fingerprint("it", [raised("TypeError", "unsupported operand type(s) for +: 'NoneType' and 'float'")]),
        fingerprint("it", [raised("NameError", missing="x")]),
        fingerprint("it", [raised("NameError", missing="y")]),
        fingerprint("it", [call], endless=True),
        fingerprint("it", [call, other], endless=True),
    ]
    assert len(set(rows)) == len(rows)
    assert all(re.fullmatch("[0-9a-f]{16}", row) for row in rows)
    assert fingerprint("it", [raised("TypeError", "one")]) == fingerprint("it", [raised("TypeError", "two")])


def test_very_large_values_get_no_digest() -> None:
    assert digest([1.0] * (likely.MOST + 1)) == ""
    assert digest(np.zeros(likely.MOST + 1)) == ""
    assert digest(np.zeros(100)) != ""


# -- the file -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '{"sentences": {"a": 0}}',
        '{"sentences": {"a": 1}, "texts": ["one"]}',
        '{"sentences": {"a": "0"}, "texts": ["one"]}',
        '{"sentences": ["a"], "texts": ["one"]}',
        '{"sentences": {"a": 0}, "texts": [1]}',
        '{"sentences": {"a": 0}, "texts": "one"}',
        "[" * 100_000,
        "\udcff",
        " " * 2_000_000 + '{"sentences": {"a": 0}, "texts": ["one"]}',
    ],
    ids=lambda content: content[:40].strip(),
)
def test_a_damaged_file_says_nothing(content: str, tmp_path: Path) -> None:
    path = tmp_path / likely.FILE
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert likely.read(path) == {}
    assert likely.read(tmp_path / "not there") == likely.read(tmp_path) == {}


def test_of_answers_that_do_the_same_the_first_is_told_and_of_endless_ones_neither() -> None:
    wrong = [Entry("it", name, name, "", right=False, ends=name[0] != "e") for name in ("a", "b", "e1", "e2")]
    about = json.loads(as_text("v", wrong, ["1", "1", "2", "2"]))
    assert about == {"made_from": "v", "sentences": {"1": 0}, "texts": ["a"]}
    assert json.loads(as_text("v", wrong, ["1", "", "2", "3"]))["texts"] == ["a", "e1", "e2"]


def solution_lines(assignment: Assignment) -> Iterator[str]:
    for exercise in assignment.exercises:
        for part in re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", exercise.solution, re.DOTALL):
            yield from (line.strip().removeprefix("return ") for line in part.splitlines() if line.strip())


@pytest.mark.parametrize("unit", COURSE.units())
def test_the_file_holds_digests_and_sentences_of_the_bank_and_nothing_else(unit: str) -> None:
    own, released = likely_paths(COURSE, unit)
    assert own.read_bytes() == released.read_bytes()
    about = json.loads(released.read_bytes())
    assert sorted({"mutants": {}} | about) == ["guesses", "made_from", "mutants", "sentences", "texts"]
    about = {"mutants": {}} | about
    assert released.stat().st_size < 150_000
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in about["mutants"])
    assert not about["mutants"].keys() & about["sentences"].keys()
    # Nothing of a locked text can be read, and its length says next to nothing.
    assert all(re.fullmatch("[A-Za-z0-9+/]{32,}", text) for text in about["mutants"].values())
    assert len({len(text) for text in about["mutants"].values()}) <= 6
    assert re.fullmatch("[0-9a-f]{16}", about["made_from"])
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in about["sentences"])
    assert set(about["sentences"].values()) == set(range(len(about["texts"])))
    assignment = COURSE.assignment(unit)
    bank = load_bank(assignment)
    assert set(about["texts"]) <= {entry.sentence for entry in bank if not entry.right}
    guesses = read_guesses(assignment)
    assert about["guesses"] == {
        name: {part: said[part] for part in ("right", "also", "told") if part in said}
        for name, said in guesses.items()
    }
    texts = about["texts"] + [text for said in guesses.values() for _, text in said["told"]]
    for line in solution_lines(assignment):
        if len(line) > 12:  # a shorter one may be a name that the text needs
            assert not [text for text in texts if line in text], line


@pytest.mark.parametrize("unit", COURSE.units())
def test_who_opens_every_text_by_guessing_reads_no_answer(unit: str) -> None:
    """The most that an attacker can come to: every digest with its key, as only the authors have them."""
    assignment = COURSE.assignment(unit)
    told = told_of(assignment)
    texts = json.loads(likely_paths(COURSE, unit)[1].read_bytes()).get("mutants", {})
    opened = {locked.unlock(digest, texts[digest[:16]]) for digest in told if digest[:16] in texts}
    assert opened <= set(told.values())
    lines = {line for line in solution_lines(assignment) if len(line) > 12}
    for text in opened:
        for quoted in re.findall("`([^`]*)`", text):
            assert re.fullmatch(r"[\w.]+(=[\w.-]+)?|[^\w\s()]{1,2}=?|is not|not in", quoted), text
        assert not [line for line in lines if line in text], text
    # And with a digest of another answer, or the part by which it is looked up, none is opened.
    for digest in list(told)[:20]:
        text = texts.get(digest[:16], "")
        for wrong in (digest[:16], digest[:16] + "0" * 16, hashlib.sha256(digest.encode()).hexdigest()[:32]):
            assert locked.unlock(wrong, text) not in told.values()


def explained_verdicts(mini: Assignment, sandbox: Sandbox) -> dict[str, dict[str, Any]]:
    """The verdicts on a unit's mutants, and what learners hear of them."""
    kept = run_mutants(mini, sandbox, jobs=2).kept
    tell(mini, sandbox, kept, jobs=2)
    return kept


def test_what_can_be_tried_says_which_mistake_a_value_is_and_not_which_value_is_right(
    mini: Assignment, sandbox: Sandbox
) -> None:
    """An attacker tries every pair of whole numbers up to 60 as the result of a visible call, and functions.

    A value alone opens nothing, since a mistake is known by what it gives for other numbers, too.
    """
    told = explained_verdicts(mini, sandbox)["mul_vjp"]["told"]
    about = json.loads(as_text("v", [], [], told))["mutants"]
    call = Call(Probe("mul_vjp"), (10.0, 2.0, 3.0))
    for values in itertools.product(range(-60, 60), repeat=2):
        assert locked.whole_digest("mul_vjp", [replace(call, value=values)])[:16] not in about

    def found(function: Callable[..., Any]) -> str:
        first = replace(call, value=function(*call.args))
        calls = [first, *echo.echoes(LocalBoundary({"mul_vjp": function}), [first])]
        digest = locked.whole_digest("mul_vjp", calls)
        return locked.unlock(digest, about.get(digest[:16], ""))

    assert found(lambda g, a, b: (g * b, g * a)) == ""
    wrong = [
        found(lambda g, a, b: (b, g * a)),
        found(lambda g, a, b: (g * b, a)),
        found(lambda g, a, b: (g + b, g * a)),
    ]
    assert any(wrong)
    assert set(wrong) - {""} <= set(told.values())


def test_a_text_is_opened_by_its_own_digest_alone() -> None:
    digest = locked.whole_digest("it", [Call(F, (1.0,), 2.0)])
    other = locked.whole_digest("it", [Call(F, (1.0,), 3.0)])
    assert fingerprint("it", [Call(F, (1.0,), 2.0)]) == digest[:16]
    for text in ("without the factor `g`", "with `π` where `e` belongs, or without the term `x`" * 2):
        closed = locked.lock(digest, text)
        assert locked.unlock(digest, closed) == text
        assert locked.unlock(other, closed) != text
        assert len(locked.lock(digest, "x")) == len(locked.lock(digest, "x" * 24))
    for damaged in ("", "!", "abc", "////", "\udcff"):
        locked.unlock(digest, damaged)


@pytest.mark.parametrize("lost", [math.nan, np.array([2.5, math.nan]), (np.ones(2), [math.nan])])
def test_an_answer_that_gave_nan_is_told_no_fault_of_a_mutant(lost: Any) -> None:
    # 0 / 0, 0 times inf, the log of what is below 0: all of them end there, and one would be told the fault of another.
    for value, said in (
        (lost, ""),
        (2.5, "Your answer gives here what a right one would give with 2 where 1 belongs."),
    ):
        calls = [Call(F, (1.0,), 3.5), Call(F, (2.0,), value)]
        digest = locked.whole_digest("it", calls)
        known = {digest[:16]: locked.lock(digest, "with 2 where 1 belongs")}
        assert locked.sentence_in(known, "it", calls) == said


@pytest.mark.parametrize("mutants", ["[]", "null", '{"a": 1}', '"a"'])
def test_damaged_locked_sentences_say_nothing(mutants: str, tmp_path: Path) -> None:
    (tmp_path / likely.FILE).write_text(f'{{"sentences": {{}}, "texts": [], "mutants": {mutants}}}')
    assert locked.read(tmp_path / likely.FILE) == {}
    assert locked.read(tmp_path / "not there") == {}


def test_of_too_many_sentences_the_shortest_are_told(
    mini_course: Course, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(mini_course.root, tmp_path / "course")
    mini = Course(tmp_path / "course").assignment("mini")
    (mini.path.parent / "equivalents.toml").unlink(missing_ok=True)
    write_verdicts(mini, explained_verdicts(mini, sandbox))
    every = told_of(mini)
    monkeypatch.setattr("autograder.authoring.told.MOST_SENTENCES", 3)
    assert sorted(map(len, told_of(mini).values())) == sorted(map(len, every.values()))[:3]
    assert told_of(mini).items() < every.items()


def test_a_notebook_is_told_what_a_mutant_of_the_right_answer_does(
    mini_course: Course, sandbox: Sandbox, tmp_path: Path, notebook_in: Callable[[Path, Any], Session]
) -> None:
    shutil.copytree(mini_course.root, tmp_path / "course")
    mini = Course(tmp_path / "course").assignment("mini")
    (mini.path.parent / "equivalents.toml").unlink(missing_ok=True)
    write_verdicts(mini, explained_verdicts(mini, sandbox))
    (tmp_path / likely.FILE).write_text(make(mini, sandbox), encoding="utf-8")
    notebook_in(tmp_path, {})
    answers = {
        "lambda g, a, b: (g * b, g + a)": "with `+` where `*` belongs",
        "lambda g, a, b: (b, a)": "",  # the bank's own sentence
        "lambda g, a, b: (g * b, g / a)": "with `/` where `*` belongs",
        "lambda g, a, b: (g * b + 0.123, g * a)": "",  # nobody knows
    }
    for source, wanted in answers.items():
        entry = Entry("mul_vjp", "", "", f"mul_vjp = {source}", right=False)
        said = told(mini, entry)
        assert said is not None
        if wanted:
            assert said == f"Your answer gives here what a right one would give {wanted}."
        else:
            assert "a right one would give" not in said
    (own,) = (entry for entry in load_bank(mini) if entry.name == "no_upstream")
    assert told(mini, own) == own.sentence
    # The grader says the same, at a seed of its own.
    shutil.copy(tmp_path / likely.FILE, mini.path.parent)
    for source, wanted in answers.items():
        report = grade(mini, Submission(answers={"mul_vjp": f"mul_vjp = {source}"}), sandbox, seed=8)
        said = report.outcomes[0].diagnosis
        assert (said == f"Your answer gives here what a right one would give {wanted}.") == bool(wanted), said


# -- in a notebook ------------------------------------------------------------------------------------------------


@pytest.fixture
def notebook_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, Any], Session]:
    """Pretend that this process is the kernel of a notebook in a folder."""

    def pretend(folder: Path, namespace: Any) -> Session:
        likely._read_once.cache_clear()
        locked._read_once.cache_clear()
        monkeypatch.setattr(logbook, "_here", folder)
        monkeypatch.setattr(logbook, "_unwritten", [])
        session = Session(LocalBoundary(namespace))
        monkeypatch.setattr(probes, "_notebook_session", session)
        return session

    return pretend


def told(assignment: Assignment, entry: Entry) -> str | None:
    """The line `likely` of the visible check in a notebook that is right but for one answer; None: it passed."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in assignment.trusted_cells():
        own = cell.name == entry.exercise
        exec(entry.answer(cell.source) if own else cell.source, namespace)
    probes._notebook_session.boundary = LocalBoundary(namespace)
    check = visible_part(assignment.exercise(entry.exercise).check)
    filename = f"<visible {entry.exercise}>"
    remember(filename, check)
    try:
        exec(compile(check, filename, "exec"), setup_names(assignment))
    except CheckFailed as error:
        return error.failure.diagnosis
    return None


def ending(assignment: Assignment) -> list[Entry]:
    return [entry for entry in load_bank(assignment) if not entry.right and entry.ends]


def test_in_unit_03_nine_of_ten_wrong_answers_are_told_their_own_sentence(
    notebook_in: Callable[[Path, Any], Session], capsys: pytest.CaptureFixture[str]
) -> None:
    notebook_in(REPOSITORY / "course" / "03_reverse_mode", {})
    assignment = COURSE.assignment("03_reverse_mode")
    said = {(e.exercise, e.name): (told(assignment, e), e.sentence) for e in ending(assignment)}
    caught = {name: pair for name, pair in said.items() if pair[0] is not None}
    others = [name for name, (diagnosis, own) in caught.items() if diagnosis != own]
    assert len(caught) > 90
    assert len(others) <= 0.1 * len(caught), others


#: Wrong answers that do what another one of the bank does, and what may not be said to them.
ALIKE = {
    "a difference that ignores h": (
        "01_derivatives", "difference_quotients", "library",
        "def central_difference(f, x, h):\n    return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5",
    ),
    "a gradient that ignores h": (
        "01_derivatives", "array_gradient", "library",
        """
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += 1e-5
        down[i] -= 1e-5
        grad[i] = (f(up) - f(down)) / 2e-5
    return grad
""",
    ),
    "parts of the first attribute alone, without a loop": (
        "08_layers", "owned", "`return` stands",
        """
def owned(module):
    name, value = next(iter(vars(module).items()))
    items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
    found = {n: x for n, x in items.items() if isinstance(x, (Parameter, Module))}
    for n, x in items.items():
        found |= {f"{n}.{m}": y for m, y in owned(x).items()} if isinstance(x, Module) else {}
    return found
""",
    ),
    "right rows, in a list": (
        "13_second_derivatives", "hessian_by_rows", "without a copy",
        """
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return [gradient(g[i], x).data for i in range(len(x.data))]
""",
    ),
    "a rule that writes into out": (
        "07_losses", "softmax_rule", "into the caller's g",
        """
def softmax_rule(g, out, logits):
    average = (g * out).sum(axis=-1, keepdims=True)
    out *= g - average
    return (out,)
""",
    ),
    "a parameter that is missing for another reason": (
        "08_layers", "owned", "its first name only",
        """
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, Parameter) and n != "w" or isinstance(x, Module):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("unit", "name", "untrue", "source"), ALIKE.values(), ids=ALIKE)
def test_what_two_different_mistakes_give_is_not_put_down_to_one_of_them(
    unit: str, name: str, untrue: str, source: str, notebook_in: Callable[[Path, Any], Session]
) -> None:
    notebook_in(REPOSITORY / "course" / unit, {})
    said = told(COURSE.assignment(unit), Entry(name, "alike", "", source.strip(), right=False))
    assert said is not None
    assert untrue not in said


@pytest.mark.parametrize(("unit", "name", "untrue", "source"), ALIKE.values(), ids=ALIKE)
def test_nor_by_the_grader(unit: str, name: str, untrue: str, source: str, sandbox: Sandbox) -> None:
    assignment = COURSE.assignment(unit)
    report = grade(assignment, Submission({name: source}), sandbox, seed=3, entries=load_bank(assignment))
    (found,) = (outcome for outcome in report.outcomes if outcome.name == name)
    assert not found.points
    assert untrue not in found.text


@pytest.mark.parametrize("unit", COURSE.units())
def test_no_sentence_accuses(unit: str) -> None:
    for entry in load_bank(COURSE.assignment(unit)):
        assert not re.search(r"taken from the grader|grader's|cheat|copied from", entry.sentence), entry


def test_in_the_mini_unit_all_are_and_without_the_file_none(
    mini: Assignment, sandbox: Sandbox, tmp_path: Path, notebook_in: Callable[[Path, Any], Session]
) -> None:
    (tmp_path / likely.FILE).write_text(make(mini, sandbox), encoding="utf-8")
    notebook_in(tmp_path, {})
    sentences = {entry.name: (told(mini, entry), entry.sentence) for entry in ending(mini)}
    assert sentences.pop("no_empty")[0] is None  # only a hidden test ends it
    assert len(sentences) == 5
    assert all(diagnosis == own for diagnosis, own in sentences.values()), sentences
    notebook_in(tmp_path / "elsewhere", {})
    generic = {entry.name: told(mini, entry) for entry in ending(mini)}
    assert generic["no_upstream"] == (
        "Every number lacks the factor 10.0, which is the first argument of the call."
    )
    assert not {text for text in generic.values() if text} & {own for _, own in sentences.values()}


def test_an_endless_answer_is_told_its_sentence_too(
    mini: Assignment,
    sandbox: Sandbox,
    tmp_path: Path,
    notebook_in: Callable[[Path, Any], Session],
) -> None:
    (endless,) = (entry for entry in load_bank(mini) if not entry.ends)
    text = as_text("v", [endless], [fingerprint_of(mini, endless, sandbox)])
    (tmp_path / likely.FILE).write_text(text, encoding="utf-8")
    session = notebook_in(tmp_path, {})

    class Late(LocalBoundary):
        def call(self, probe: Probe, args: tuple[Any, ...], **how: Any) -> Any:
            raise AnswerTimeout("too late")

    session.boundary = Late({})
    with pytest.raises(CheckFailed) as failed:
        exec(visible_part(mini.exercise("unbox").check).partition("\n\n\n")[2], _with_probe(mini))
    assert failed.value.failure.diagnosis == "The loop never gets to its end."


def test_what_a_visible_check_drew_for_a_class_is_asked_again_as_a_notebook_asks_it(sandbox: Sandbox) -> None:
    """Of a unit whose learners write the tests: its visible checks draw numbers, at a class's seed other ones."""
    unit = COURSE.assignment("11_testing_gradients")
    entry = next(e for e in load_bank(unit) if e.exercise == "dot_product_test" and not e.right)
    answers = {e.name: e.stub for e in unit.exercises}
    answers[entry.exercise] = entry.answer(unit.exercise(entry.exercise).solution)
    heard: dict[str, Any] = {}
    report = grade(
        unit,
        Submission(answers=answers),
        sandbox,
        seed=9,
        entries=(),
        only=entry.exercise,
        heard=heard.__setitem__,
    )
    (outcome,) = report.outcomes
    assert outcome.drawn and not outcome.hidden
    in_a_notebook = fingerprint_of(unit, entry, sandbox)
    assert in_a_notebook != fingerprint(entry.exercise, heard[entry.exercise])
    assert fingerprint_of(unit, entry, sandbox, (outcome, heard[entry.exercise])) == in_a_notebook


def _with_probe(mini: Assignment) -> dict[str, Any]:
    return setup_names(mini) | {"sum_of_logs": Probe("sum_of_logs")}


def test_the_file_is_read_once_and_never_under_the_referee(
    mini: Assignment,
    tmp_path: Path,
    notebook_in: Callable[[Path, Any], Session],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads: list[Path] = []
    monkeypatch.setattr(likely, "read", lambda path: reads.append(path) or {"x": "y"})
    monkeypatch.setattr(locked, "read", lambda path: {})
    entries = ending(mini)[:3]
    notebook_in(tmp_path, {})
    for entry in entries:
        assert told(mini, entry)
    assert reads == [tmp_path / likely.FILE]
    likely._read_once.cache_clear()
    namespace = {"mul_vjp": lambda g, a, b: (b, a)}
    with probes.use_session(Session(LocalBoundary(namespace), quiet=True)), pytest.raises(CheckFailed):
        exec(visible_part(mini.exercise("mul_vjp").check), setup_names(mini))
    assert len(reads) == 1


def test_an_unfinished_answer_is_told_as_such_whatever_the_file_says(
    mini: Assignment, tmp_path: Path, notebook_in: Callable[[Path, Any], Session]
) -> None:
    stub = Entry("mul_vjp", "stub", "", mini.exercise("mul_vjp").stub, right=False)
    call = Call(Probe("mul_vjp"), (10.0, 2.0, 3.0), error=AnswerError("NotImplementedError"))
    about = {"sentences": {fingerprint("mul_vjp", [call]): 0}, "texts": ["A sentence."]}
    (tmp_path / likely.FILE).write_text(json.dumps(about), encoding="utf-8")
    notebook_in(tmp_path, {})
    assert told(mini, stub) == ""


def test_a_real_kernel_finds_the_file_beside_a_copy_of_the_notebook(
    mini_course: Course, sandbox: Sandbox, tmp_path: Path
) -> None:
    folder = tmp_path / "my own copy"
    shutil.copytree(mini_course.root / "course" / "mini", folder)
    (folder / likely.FILE).write_text(make(mini_course.assignment("mini"), sandbox), encoding="utf-8")
    notebook = nbformat.read(folder / "mini.ipynb", as_version=4)
    for cell in notebook.cells:
        if grade_id(cell) == "mul_vjp":
            cell.source = "import os\nos.chdir('/')\ndef mul_vjp(g, a, b):\n    return g * a, g * b\n"
    client = NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute()
    said = [o for cell in notebook.cells for o in cell.get("outputs", []) if o.output_type == "error"]
    shown = "\n".join(line for output in said for line in output.traceback)
    assert "  likely    Each input's gradient has the other input in it." in shown


# -- the build ----------------------------------------------------------------------------------------------------


def test_without_a_sandbox_the_build_says_so_and_keeps_the_old_file(
    mini_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = Course(tmp_path / "course")
    shutil.copytree(mini_course.root, course.root)
    monkeypatch.setattr(Sandbox, "why_not", lambda self: "There are no walls here.")
    lines: list[str] = []
    build_likely(course, "mini", lines.append)
    assert lines == [
        "! solutions/mini/likely.json is not made anew, there is none now. There are no walls here."
    ]
    own, released = likely_paths(course, "mini")
    own.write_text("old")
    build_likely(course, "mini", lines.append)
    assert "the old one is kept. There are no walls here." in lines[-1]
    assert own.read_text() == "old" and not released.exists()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: np.ones(2)[np.array([x])], lambda x: [][0]),
        (lambda x: [*x], lambda x: x[0]),
        (lambda x: list(x), lambda x: x[0]),
        (lambda x: len(x), lambda x: list(x)),
        (lambda x: min([]), lambda x: float("no number")),
        (lambda x: np.max(np.ones(0)), lambda x: np.random.default_rng().choice(3, p=[1.0])),
        (lambda x: "a" + [x][:0], lambda x: "a" * x),
        (lambda x: quiet_no_more(np.log, 0.0), lambda x: quiet_no_more(np.divide, x, 0.0)),
        (lambda x: quiet_no_more(np.exp, 1e4), lambda x: quiet_no_more(np.sqrt, -x)),
        (lambda x: quiet_no_more(np.exp, 1e4), lambda x: quiet_no_more(np.exp, -1e4)),
    ],
)
def test_two_causes_of_one_type_of_exception_are_two(
    one: Callable[[float], Any], other: Callable[[float], Any]
) -> None:
    def digest(function: Callable[[float], Any]) -> str:
        with pytest.raises(AnswerError) as caught:
            LocalBoundary({"f": function}).call(probes.Probe("f"), (2.5,))
        return fingerprint("f", [Call(probes.Probe("f"), (2.5,), error=caught.value)])

    assert digest(one) == digest(one) != digest(other)


def quiet_no_more(function: Callable[..., Any], *args: float) -> Any:
    with np.errstate(all="raise"):
        return function(*args)


def test_what_a_file_was_made_from_holds_the_code_that_makes_its_digests(
    mini: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = made_from(mini)
    for module in (likely, exceptions, echo):
        with monkeypatch.context() as changed:
            other = tmp_path / "other.py"
            other.write_text(Path(module.__file__).read_text() + "\n# more")
            changed.setattr(module, "__file__", str(other))
            assert made_from(mini) != before
    assert made_from(mini) == before


def test_the_wrong_answers_run_again_only_when_something_has_changed(
    mini_course: Course, tmp_path: Path, bubblewrap: None
) -> None:
    course = Course(tmp_path / "course")
    shutil.copytree(mini_course.root, course.root)
    lines: list[str] = []
    build_likely(course, "mini", lines.append)
    assert lines[0] == "… mini: running its wrong answers"
    own, released = likely_paths(course, "mini")
    before = own.read_bytes()
    assert released.read_bytes() == before
    lines.clear()
    build_likely(course, "mini", lines.append)
    assert lines == ["✓ solutions/mini/likely.json (unchanged)", "✓ course/mini/likely.json (unchanged)"]
    bank = course.solutions / "mini" / "mistakes.py"
    bank.write_text(bank.read_text().replace("That is the logarithm to base 10.", "This is log10."))
    build_likely(course, "mini", lines.append)
    assert "This is log10." in own.read_text()
    assert json.loads(own.read_bytes())["made_from"] != json.loads(before)["made_from"]


def test_the_referee_knows_the_files_mistakes_without_running_the_bank(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = COURSE.assignment("03_reverse_mode")
    bank = load_bank(unit)
    sentences = sentences_of(unit)
    seen = set(sentences.values())
    chosen = {e.exercise: e for e in bank if e.sentence in seen and e.ends}  # the last of each exercise
    assert len(sentences) > 100
    answers = {n: e.answer(unit.exercise(n).solution) for n, e in chosen.items()}

    def mistakes(memory: Memory | None) -> dict[str, str]:
        told = {}
        for name, answer in answers.items():
            report = grade(unit, Submission({name: answer}), sandbox, seed=3, entries=bank, memory=memory)
            told[name] = next(o.diagnosis for o in report.outcomes if o.name == name)
        return told

    slowly = mistakes(None)
    monkeypatch.setattr(Matcher, "_agrees", lambda *_: False)
    assert mistakes(Memory(sentences)) == slowly == {n: e.sentence for n, e in chosen.items()}
    assert mistakes(None) != slowly


def test_a_file_of_other_checks_is_not_used(mini_course: Course, tmp_path: Path) -> None:
    shutil.copytree(mini_course.root, tmp_path / "course")
    unit = Course(tmp_path / "course").assignment("mini")
    file = unit.path.parent / likely.FILE
    file.write_text(json.dumps({"made_from": made_from(unit), "sentences": {"0" * 16: 0}, "texts": ["You."]}))
    assert sentences_of(unit) == {"0" * 16: "You."}
    mistakes = unit.path.parent / "mistakes.py"
    mistakes.write_text(mistakes.read_text() + "\n# another bank\n")
    assert sentences_of(unit) == {}
