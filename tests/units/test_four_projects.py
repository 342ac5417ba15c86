"""Unit 17, part two: one of four projects is judged, and nothing that the others hold earns or costs anything."""

from __future__ import annotations

import io
import linecache
from contextlib import redirect_stdout
from typing import Any

import matplotlib
import numpy as np
import pytest

from autograder import exercise
from autograder.lesson.failures import CheckFailed
from autograder.lesson.probes import LocalBoundary, Session, use_session
from autograder.referee.bank import load_bank

from .claims import notebook
from .test_units import assignment_of

matplotlib.use("Agg")

UNIT = "17_from_an_empty_page"
BANK = {entry.name: entry for entry in load_bank(assignment_of(UNIT)) if entry.exercise == "project"}
CELLS = {cell.id: cell.source for cell in notebook(UNIT).cells if cell.cell_type == "code"}
RIGHT = [name for name, entry in BANK.items() if entry.right]
#: a right and a wrong answer of each project
PROJECTS = {
    "ball": ("ball_matrices", "ball_half"),
    "forward": ("forward_nested", "forward_order"),
    "operation": ("operation_convolution", "operation_edges"),
    "machine": ("machine_parts", "machine_no_fma"),
}


def written(*answers: str) -> dict[str, Any]:
    """A notebook's names after these answers and the probes."""
    probes = CELLS["project_probes"]
    linecache.cache["<probes>"] = (len(probes), None, probes.splitlines(True), "<probes>")
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda shown: None}
    exec(compile(CELLS["imports"], "imports", "exec"), names)
    for answer in answers:
        exec(compile(answer, "answer", "exec"), names)
    exec(compile(probes, "<probes>", "exec"), names)
    return names


def asked(names: dict[str, Any], seed: int = 3) -> str:
    """What the check says: nothing when all is right."""
    with use_session(Session(LocalBoundary(names), seed=seed, quiet=True)):
        try:
            exec(compile(CELLS["project_check"], "check", "exec"), names)
        except CheckFailed as failed:
            return str(failed) or "failed"
    return ""


@pytest.mark.parametrize("project", PROJECTS)
def test_a_wrong_project_costs_nothing_while_another_is_named(project: str) -> None:
    right = BANK[PROJECTS[project][0]].source
    wrong = [BANK[name].source for other, (_, name) in PROJECTS.items() if other != project]
    assert asked(written(*wrong, right, f"project = {project!r}")) == ""


@pytest.mark.parametrize("project", PROJECTS)
def test_a_right_project_earns_nothing_while_a_wrong_one_is_named(project: str) -> None:
    wrong = BANK[PROJECTS[project][1]].source
    right = [BANK[name].source for other, (name, _) in PROJECTS.items() if other != project]
    assert "not right yet" in asked(written(*right, wrong, f"project = {project!r}"))


@pytest.mark.parametrize("project", ["Ball", ["ball"], None, 1, "ball, forward"])
def test_a_project_that_is_none_of_the_four_is_told_the_four(project: Any) -> None:
    every = [BANK[right].source for right, _ in PROJECTS.values()]
    names = written(*every, f"project = {project!r}")
    assert "project is one of ball, forward, operation, machine" in asked(names)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(CELLS["figure_project"], "figure", "exec"), names)
    assert printed.getvalue() == "No picture: `project` is none of ball, forward, operation, machine\n"


@pytest.mark.parametrize("project", PROJECTS)
def test_a_project_of_which_nothing_is_written_is_told_what_is_missing(project: str) -> None:
    names = written(f"project = {project!r}")
    first = names["_PROJECT_NAMES"][project][0][0]
    assert f"not written yet: `{first}`" in asked(names)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(CELLS["figure_project"], "figure", "exec"), names)
    assert printed.getvalue().startswith(f"No picture yet. Still to be written: {first}")


@pytest.mark.parametrize("name", ["the model answer", *RIGHT])
def test_each_right_answer_has_its_picture(name: str) -> None:
    import matplotlib.pyplot as plt

    names = written(CELLS["project"], *([BANK[name].source] if name in BANK else []))
    plt.close("all")
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(CELLS["figure_project"], "figure", "exec"), names)
    axes = [ax for number in plt.get_fignums() for ax in plt.figure(number).axes]
    curves = [{line.get_label(): np.array(line.get_xydata()) for line in ax.get_lines()} for ax in axes]
    if names["project"] == "ball":
        landings = [np.hypot(*(curves[0][f"after {k}"][-1] - [14, 2])) for k in (0, 1, 2, 4, 12)]
        assert landings == sorted(landings, reverse=True) and np.argmax(-np.diff(landings)) == 0
        assert float(printed.getvalue().split()[2]) < 1.0
        matters = curves[1]["by the wind"][:, 1]
        assert matters.argmax() < 5 and matters[:60].min() > matters[60:].max()
    elif names["project"] == "forward":
        for k, line in enumerate(curves[0].values()):
            assert np.count_nonzero(np.diff(np.sign(line[:, 1]))) == k
        wanted = [f"frequency {2 * np.sin(k * np.pi / 62):.3f}" for k in (1, 2, 3)]
        assert list(curves[0]) == wanted
    elif names["project"] == "operation":
        by_rule, by_differences = (np.asarray(axes[k].images[0].get_array()) for k in (0, 1))
        assert np.allclose(by_rule, by_differences, atol=1e-6)
        off = [np.square(curves[2][at][:, 1]).sum() for at in ("start", "fit")]
        assert off[1] < 0.01 * off[0]
    else:
        bars: list[Any] = list(axes[0].patches)
        naive, usual, least, yours = (bar.get_width() for bar in bars)
        assert naive > 3 * yours and usual > 1.5 * yours and least <= yours <= least + 2
    plt.close("all")


def forged(body: str) -> str:
    """An answer to the machine with this body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"project = 'machine'\ndef plan(ask, inputs, steps, wanted):\n{lines}"


@pytest.mark.parametrize(
    "body",
    [
        "return [0.0 for place in wanted]",
        "return [True for place in wanted]",
        "return [-1 for place in wanted]",
        "return [10**6 for place in wanted]",
        "return wanted",
        "return 'ab'[: len(wanted)]",
        "return None",
        "return [[1.0, 2.0] for place in wanted]",
        "return {place: place for place in wanted}",
    ],
)
def test_the_machine_takes_no_numbers_of_arrays_that_it_does_not_hold(body: str) -> None:
    assert asked(written(forged(body)))


@pytest.mark.parametrize(
    "question",
    [
        "('read', 0)", "('add', 0)", "('add', 0, 1, 1)", "('add', 0, 99)", "('add', 0, -1)", "('add', True, 0)",
        "('add', [1.0], [2.0])", "'ones'", "()", "None", "(['add'], 0, 0)", "('ones', 0)", "('mul', 0.0, 1)",
    ],
)  # fmt: skip
def test_the_machine_refuses_what_is_no_instruction_and_counts_nothing(question: str) -> None:
    machine = written()["_ArrayMachine"]([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match=r"no instruction|takes"):
        machine.answer(eval(question))
    assert machine.count == 0


def test_the_machine_counts_what_it_is_asked_whatever_becomes_of_it() -> None:
    machine = written()["_ArrayMachine"]([[1.0, 2.0], [3.0, 4.0]])
    made = [machine.answer(question) for question in (("mul", 0, 1), ["fma", 0, 2, 1], ("ones",))]
    assert made == [2, 3, 4]
    assert machine.count == 3
    assert [a.tolist() for a in machine.arrays[2:]] == [[3.0, 8.0], [6.0, 20.0], [1.0, 1.0]]


def test_a_call_of_the_machine_has_nothing_of_the_arrays_but_their_numbers() -> None:
    """What the answer is given, all of it, holds no array and none of the values."""
    told: list[Any] = []
    names = written(forged("told.append((ask(('mul', 0, 1)), inputs, steps, wanted))\nreturn wanted"))
    names["told"] = told
    asked(names)
    assert told[0] == (2, 2, [("mul", 0, 1)], [0, 1])


#: operations that are right, and hard to measure: steep, flat beside others, of another shape
OPERATIONS = {
    "steep": (
        "np.tanh(8 * (x[:, None] - x)).sum(axis=1)",
        "(s := 8 * (1 - np.tanh(8 * (x[:, None] - x)) ** 2), g * s.sum(1) - g @ s)[1]",
    ),
    "a matrix": (
        "np.outer(np.cumsum(x), [1.0, -30.0])",
        "np.cumsum((g @ [1.0, -30.0])[::-1])[::-1]",
    ),
    "running sums": ("np.cumsum(x) * 1e-4", "np.cumsum(g[::-1])[::-1] * 1e-4"),
    "large numbers": ("np.cumsum(x) ** 2 + 1e6", "np.cumsum((2 * g * np.cumsum(x))[::-1])[::-1]"),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("n", [8, 16])
def test_a_rule_is_measured_as_exactly_as_its_operation_allows(name: str, n: int) -> None:
    forward, back = OPERATIONS[name]
    rng = np.random.default_rng(0)
    x, g = rng.uniform(-3, 3, n), rng.standard_normal(5)

    def judge(off: float) -> None:
        rule = f"def rule(g, x):\n    return (1 + {off}) * ({back})"
        names = written(f"def operation(x):\n    return {forward}\n{rule}")
        with use_session(Session(LocalBoundary(names), quiet=True)), exercise("project") as check:
            names["_asked_operation"](check, x, g)

    judge(0.0)
    with pytest.raises(CheckFailed, match="differences of your operation"):
        judge(1e-5)
