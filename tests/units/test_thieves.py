"""Answers that take what lies around in the pupil, in the sandbox, by every way that leads there."""

from __future__ import annotations

import copy
import dataclasses

import pytest

from autograder.referee.judge import grade
from autograder.referee.report import Outcome, Report
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


# -- unit 17: an engine that looks around -------------------------------------------------------------------------

ENGINE, SEED = "17_from_an_empty_page", 918273645
#: What only the hidden tests say.
SENTENCES = (
    "as the reference gives",
    "a graph that was drawn",
    "from autograd_ref import Tensor as Reference",
)

#: Before each `backward` it takes down what numbers, texts and seeds lie around; then it computes, and raises if a
#: gradient had been there already. What it was given and what it has computed itself does not count. Frames are looked
#: through each time, modules and what the garbage collector knows at every twentieth.
SPY = """
import gc, sys, types
honest, asked, told = Tensor.backward, [0], set()
GIVEN = ("leaves", "made", "text", "slopes", "slope", "rows", "points", "labels")  # what it may know

def inside(value, numbers, words, depth=0):
    kind = type(value)
    if kind is float or kind is int:
        numbers.append(value)
    elif kind is str:
        words.append(value)
    elif kind is np.ndarray and value.dtype.kind in "iuf" and value.size < 1000:
        numbers.extend(value.ravel().tolist())
    elif depth < 3 and kind in (list, tuple, set, dict) and len(value) < 1000:
        for item in [*value, *(value.values() if kind is dict else ())]:
            inside(item, numbers, words, depth + 1)
    elif depth < 3 and kind is types.FunctionType:
        inside([*(value.__defaults__ or ()), *map(getattr_contents, value.__closure__ or ())], numbers, words, depth)

def getattr_contents(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None

def around(frame):
    numbers, words, given = [], [], []
    while frame is not None:
        for name, value in frame.f_locals.items():
            inside(value, *((given, words) if name in GIVEN else (numbers, words)))
        inside(list(frame.f_globals.values()), numbers, words, 1)
        frame = frame.f_back
    asked[0] += 1
    if asked[0] % 20 == 0:
        for module in list(sys.modules.values()):
            inside(list(vars(module).values()), numbers, words, 1)
        for thing in gc.get_objects():
            if type(thing) in (list, tuple, dict, types.FunctionType):
                inside(thing, numbers, words, 2)
    return numbers, words, given

def backward(self):
    if self.data.size > 1 or any(x.data.size > 1000 for x in self.order()):
        return honest(self)
    numbers, words, given = around(sys._getframe(1))
    leaves = [x for x in self.order() if not x.ways and x.requires_grad]
    fresh = all(x.grad is None for x in leaves)
    own = [*given, *(n for x in self.order() for n in x.data.ravel().tolist())]
    honest(self)
    for word in words:
        if word is not secret and any(part[::-1] in word for part in SECRET):
            raise RuntimeError("found a text: " + word[:80])
    if (MASKED ^ 0x5A5A5A5A) in numbers:
        raise RuntimeError("found the seed")
    if fresh:
        for wanted in (g for x in leaves for g in x.grad.ravel().tolist()):
            known = np.isclose(own, wanted, rtol=1e-9, atol=0).any()
            if known or wanted == round(wanted, 6) or round(wanted, 9) in told:
                continue
            told.add(round(wanted, 9))
            if np.isclose(np.array(numbers, dtype=float), wanted, rtol=1e-9, atol=0).any():
                raise RuntimeError("found a gradient: " + repr(wanted))
    else:
        told.update(round(g, 9) for x in leaves for g in x.grad.ravel().tolist())

secret = ""
Tensor.backward = backward
"""


def spied(sandbox: Sandbox, *changes: tuple[str, str]) -> Outcome:
    """The outcome of the engine that looks around, under the check of unit 17 with these changes."""
    notebook = copy.deepcopy(assignment_of(ENGINE).notebook)
    cells = [cell for cell in notebook.cells if cell.id in ("Tensor_probes", "Tensor_check")]
    for old, new in changes:
        assert any(old in cell.source for cell in cells), old
        for cell in cells:
            cell.source = cell.source.replace(old, new)
    assignment = dataclasses.replace(assignment_of(ENGINE), notebook=notebook)
    solution = assignment.exercise("Tensor").solution
    secrets = f"SECRET = {[sentence[::-1] for sentence in SENTENCES]}\nMASKED = {SEED ^ 0x5A5A5A5A}\n"
    answers = {e.name: e.stub for e in assignment.exercises} | {"Tensor": f"{solution}\n{secrets}{SPY}"}
    report = grade(assignment, Submission(answers=answers), sandbox, seed=SEED, entries=[], only="Tensor")
    (outcome,) = report.outcomes
    return outcome


def test_an_engine_that_looks_around_finds_nothing_of_the_referee_s(sandbox: Sandbox) -> None:
    outcome = spied(sandbox)
    assert (outcome.points, outcome.status) == (17, "passed"), outcome.text


TAKES = ("your_gradients(text, leaves, times=1):", "your_gradients(text, leaves, times=1, more=None):")
MADE = "    made = _leaves_of(leaves, Tensor)\n"


def sends(what: str) -> tuple[str, str]:
    return (
        "_arrived(your_gradients(text, leaves, times), wanted), wanted, why, rtol",
        f"_arrived(your_gradients(text, leaves, times, {what}), wanted), wanted, why, rtol",
    )


PLANTED = {
    "an argument": ([TAKES, sends("key(text, leaves, times)")], "found a gradient"),
    "a global": (
        [
            TAKES,
            sends("key(text, leaves, times)"),
            (MADE, f"{MADE}    globals()['kept'], more = more, None\n"),
        ],
        "found a gradient",
    ),
    "a module": (
        [
            TAKES,
            sends("key(text, leaves, times)"),
            (MADE, f"{MADE}    import math\n    math.kept, more = more, None\n"),
        ],
        "found a gradient",
    ),
    "garbage that was not collected yet": (
        [
            TAKES,
            sends("key(text, leaves, times)"),
            (MADE, f"{MADE}    ring = [more]\n    ring.append(ring)\n    ring = more = None\n"),
        ],
        "found a gradient",
    ),
    "a sentence of the hidden tests": ([TAKES, sends("[why]")], "found a text"),
    "the seed": ([TAKES, sends(str(SEED))], "found the seed"),
}


@pytest.mark.parametrize("where", PLANTED)
def test_that_engine_finds_what_is_planted_as(where: str, sandbox: Sandbox) -> None:
    """Else the test above would prove nothing."""
    changes, told = PLANTED[where]
    outcome = spied(sandbox, *changes)
    assert outcome.points < 17 and told in outcome.text, outcome.text
