"""Answers that take what lies around in the pupil, in the sandbox, by every way that leads there."""

from __future__ import annotations

import pytest

from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.ingest import Submission

from .test_units import assignment_of

#: Ways to the local names of whoever called. Each defines `seen()`, which gives them, the nearest caller's first.
WAYS = {
    "frames": """
import sys
def seen():
    frame, found = sys._getframe(2), []
    while frame is not None:
        found.append(frame.f_locals)
        frame = frame.f_back
    return found
""",
    "inspect": """
import inspect
def seen():
    return [each.frame.f_locals for each in inspect.stack()[2:]]
""",
    "a traceback": """
def seen():
    try:
        raise ValueError
    except ValueError as error:
        frame, found = error.__traceback__.tb_frame.f_back.f_back, []
    while frame is not None:
        found.append(frame.f_locals)
        frame = frame.f_back
    return found
""",
    "a tracer": """
import sys
caught = []
def tracer(frame, event, argument):
    caught.append(frame)
    return None
sys.setprofile(lambda frame, event, argument: caught.append(frame) if event == "call" else None)
def seen():
    found, frames = [], caught[-200:]
    for frame in reversed(frames):
        while frame is not None:
            found.append(frame.f_locals)
            frame = frame.f_back
    del caught[:]
    return found
""",
    "the garbage collector": """
import gc, types
def seen():
    every = [o for o in gc.get_objects() if isinstance(o, types.FunctionType) and o.__closure__]
    found = []
    for function in every:
        names = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__):
            try:
                names[name] = cell.cell_contents
            except ValueError:
                pass
        found.append(names)
    values = [o for o in gc.get_objects() if type(o).__name__ in ("Value", "Watchful")]
    dicts = [o for o in gc.get_objects() if type(o) is dict and o]
    found.append({"made": {id(v): v for v in values}, "names": {v: 1 for v in values}})
    found += [{"arrays": o} for o in dicts if all(type(v).__name__ == "ndarray" for v in o.values())]
    return found
""",
}

FIRST = """
def first(*names):
    for names_there in seen():
        for name in names:
            if name in names_there:
                return names_there[name]
    raise LookupError(names)
"""

#: By unit and exercise, answers that work honestly where there is nothing to take.
THIEVES = {
    "02_forward_mode": {
        "derivative": """
honest = derivative
def derivative(f, x):
    right = honest(f, x)
    try:
        return first("slope", "factors")
    except LookupError:
        return right
""",
        "forward_gradient": """
honest = forward_gradient
def forward_gradient(f, xs):
    right = honest(f, xs)
    try:
        return list(first("slopes", "factors"))
    except LookupError:
        return right
""",
    },
    "03_reverse_mode": {
        "topological_order": """
honest = topological_order
def topological_order(root):
    try:
        made = first("made")
    except LookupError:
        return honest(root)
    return list(made.values()) if isinstance(made, dict) else list(made)
""",
        "derived": """
def neg(a):
    numbers = [x for x in vars(a).values() if isinstance(x, (int, float))]
    return type(a)(-numbers[0])
def sub(a, b):
    x, y = vars(a), vars(b)
    return type(a)(*[x[k] - y[k] for k in x if isinstance(x[k], (int, float))][:1])
def div(a, b):
    x, y = vars(a), vars(b)
    return type(a)(*[x[k] / y[k] for k in x if isinstance(x[k], (int, float))][:1])
""",
    },
    "10_training": {
        "state_dict": """
honest = state_dict
def state_dict(module):
    try:
        found = {name: array.copy() for name, array in first("arrays").items()}
    except LookupError:
        return honest(module)
    honest(module)
    return found
""",
    },
}


def graded(unit: str, sandbox: Sandbox, **answers: str) -> Report:
    assignment = assignment_of(unit)
    given = {e.name: e.solution for e in assignment.exercises} | answers
    return grade(assignment, Submission(answers=given), sandbox, seed=3, entries=[])


#: A dict of numbers' arrays is nothing that the garbage collector keeps a list of.
CASES = [
    (unit, way) for unit in THIEVES for way in WAYS if (unit, way) != ("10_training", "the garbage collector")
]


@pytest.mark.parametrize(("unit", "way"), CASES)
def test_what_is_taken_from_a_probe_is_worth_nothing(unit: str, way: str, sandbox: Sandbox) -> None:
    assignment = assignment_of(unit)
    answers = {
        name: f"{assignment.exercise(name).solution}\n{WAYS[way]}\n{FIRST}\n{thief}"
        for name, thief in THIEVES[unit].items()
    }
    report = graded(unit, sandbox, **answers)
    assert {o.name: o.points for o in report.outcomes if o.name in answers} == dict.fromkeys(answers, 0)
    (told,) = report.looks
    assert all(f"{name}, line " in told or "more" in told for name in answers if name != "derived")


#: Writes into its argument, and then into the pupil's own account of what was sent.
FORGER = """
import sys
def mean_rule(g, out, a, axis=None, keepdims=False):
    from autograder.lesson import wire
    g /= a.size / out.size
    frame = sys._getframe()
    while frame is not None:
        sent = frame.f_locals.get("args")
        if isinstance(sent, dict) and "v" in sent and frame.f_code.co_name == "call":
            sent["v"][0] = wire.pack(g)
        frame = frame.f_back
    return sum_rule(g, out, a, axis, keepdims)
"""


def test_a_forged_account_of_the_arguments_does_not_hide_what_was_written_into_them(sandbox: Sandbox) -> None:
    unit = "06_shapes_and_matmul"
    report = graded(
        unit, sandbox, sum_and_mean=assignment_of(unit).exercise("sum_and_mean").solution + FORGER
    )
    (outcome,) = (o for o in report.outcomes if o.name == "sum_and_mean")
    assert (outcome.points, outcome.status) == (0, "failed"), outcome.text
    assert "changed" in outcome.text or "second call" in outcome.text


#: Trains in the mode in which the model is, and writes "in training mode" into the probe's notes.
BUSY = """
import gc, sys
honest = train_epoch
def train_epoch(model, optimizer, loss_fn, x, y, cut):
    total = 0.0
    for part in cut:
        optimizer.zero_grad()
        loss = loss_fn(model(x[part]), y[part])
        loss.backward()
        optimizer.step()
        total += len(part) * loss.item()
    notes = sys._getframe(1).f_locals["modes"]
    notes[:] = [True] * len(notes)
    return total / sum(len(part) for part in cut)
"""


def test_notes_of_a_probe_that_are_written_over_do_not_change_what_came_out(sandbox: Sandbox) -> None:
    unit = "10_training"
    report = graded(unit, sandbox, train_epoch=assignment_of(unit).exercise("train_epoch").solution + BUSY)
    (outcome,) = (o for o in report.outcomes if o.name == "train_epoch")
    assert (outcome.points, outcome.status) == (0, "failed"), outcome.text
