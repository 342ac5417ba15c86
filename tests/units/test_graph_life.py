# ruff: noqa: E501  (an attack stays on its line)
"""Unit 12 counts memory where the check is: who says that an array is held no more gives it up, and gains nothing."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from autograder.referee.judge import grade
from autograder.sandbox.walls import Sandbox
from autograder.unit.ingest import Submission

from .test_units import assignment_of

UNIT = "12_graph_life"

KEEP_ALL = """
def {name}(layers, x, slope, every=1):
    inputs = [x]
    for layer in layers:
        inputs.append(layer(inputs[-1]))
        {lie}
    g = slope(inputs[-1])
    for layer, h in zip(reversed(layers), inputs[-2::-1]):
        g = layer.backward(h, g)
    return g
"""

RETAINED = """
def mended_leaks(loss_of, step, w, batches, held_out):
    history, mean, lowest, best = [], 0.0, np.inf, None
    for batch in batches:
        loss = loss_of(batch)
        loss.backward(retain_graph=True)
        step()
        history.append(loss.item())
        mean = 0.9 * mean + 0.1 * loss.item()
        {lie}
        with no_grad():
            check = loss_of(held_out).item()
        if check < lowest:
            lowest, best = check, w.data.copy()
    return history, mean, best
"""

CYCLE = """
{before}
def tanh_node(x):
    out = Node(np.tanh(x.data), (x,))
    out.back = lambda g: g * (1.0 - out.data * out.data)
    {lie}
    return out
"""

NO_DEL = "type(inputs[-1]).__del__ = lambda self: None"

#: An exercise, and an answer that holds what it should not, and says that it does not.
LIES = {
    "keeps all": ("checkpointed", KEEP_ALL.format(name="checkpointed", lie="pass")),
    "keeps all, and says that it is gone": ("checkpointed", KEEP_ALL.format(name="checkpointed", lie="layer.link.gone.append(inputs[-1].number)")),
    "keeps all, says that it is gone, and says it once": ("checkpointed", KEEP_ALL.format(name="checkpointed", lie=f"{NO_DEL}; layer.link.gone.append(inputs[-1].number)")),
    "keeps all in little memory": ("in_little_memory", KEEP_ALL.format(name="in_little_memory", lie=f"{NO_DEL}; layer.link.gone.append(inputs[-1].number)")),
    "gives the input back": ("checkpointed", "def checkpointed(layers, x, slope, every):\n    return x\n"),
    "gives the slope back": ("in_little_memory", "def in_little_memory(layers, x, slope):\n    for layer in layers:\n        x = layer(x)\n    return slope(x)\n"),
    "gives another number": ("checkpointed", "def checkpointed(layers, x, slope, every):\n    x.number = True\n    return x\n"),
    "a graph retained": ("mended_leaks", RETAINED.format(lie="pass")),
    "a graph retained, and said to be gone": ("mended_leaks", RETAINED.format(lie="loss.link.gone.append(loss.number)")),
    "a graph retained, said to be gone once": ("mended_leaks", RETAINED.format(lie="type(loss).__del__ = lambda self: None; loss.link.gone.append(loss.number)")),
    "a cycle": ("tanh_node", CYCLE.format(before="", lie="pass")),
    "a cycle, and said to be gone": ("tanh_node", CYCLE.format(before="", lie="hasattr(out.data, 'link') and out.data.link.gone.append(out.data.number)")),
    "a cycle, and the collector": ("tanh_node", CYCLE.format(before="", lie="__import__('gc').collect()")),
    "a cycle, and the collector of the young": ("tanh_node", CYCLE.format(before="", lie="__import__('gc').collect(0)")),
    "a cycle, and the collector switched on": ("tanh_node", CYCLE.format(before="", lie="__import__('gc').enable(); __import__('gc').set_threshold(1)")),
    "a cycle, and a weakref that lies": ("tanh_node", CYCLE.format(before="import weakref, gc\nweakref.ref = lambda thing, *rest: lambda: None\ngc.get_objects = lambda *rest: []", lie="pass")),
    "a cycle, and a count that lies": ("tanh_node", CYCLE.format(before="import sys\nsys.getrefcount = lambda thing: 1", lie="pass")),
    "a saved value that is not let go of": ("Saved", "class Saved:\n    kept = []\n    def __init__(self, c):\n        self.c, self.v = c, c.version\n        self.kept.append(c.data)\n    def get(self):\n        if self.c is None:\n            raise RuntimeError('retain_graph')\n        if self.c.version != self.v:\n            raise RuntimeError(f'{self.c.version} {self.v}')\n        return self.c.data\n    def free(self):\n        self.c = None\n"),
    "the caller's own list of bytes": ("bytes_kept", "def bytes_kept(tensors):\n    import sys\n    names = sys._getframe(1).f_locals\n    return sum(t.data.nbytes for t in names.get('made', tensors))\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_no_word_of_the_pupil_s_own_makes_up_for_what_it_holds(name: str, sandbox: Sandbox) -> None:
    exercise, text = LIES[name]
    assignment = assignment_of(UNIT)
    given = {e.name: e.stub for e in assignment.exercises} | {exercise: text}
    report = grade(assignment, Submission(answers=given), sandbox, seed=3, entries=[])
    (outcome,) = (o for o in report.outcomes if o.name == exercise)
    assert (outcome.points, outcome.status in ("failed", "error")) == (0, True), outcome
    assert not any("at fault" in note for note in report.notes), report.notes


def far_loss(number: float) -> tuple[dict[str, Any], Any, dict[int, float]]:
    """The names of the unit's machine, a loss there, and what that machine holds."""
    names: dict[str, Any] = {}
    for cell in assignment_of(UNIT).cells:
        if cell.name in ("imports", "losses"):
            exec(cell.source, names)
    arrays, numbers = {0: number}, count(1)

    def ask(question: Any) -> float:
        _, kind, sent, which, gone = question
        parts = [arrays[n] if far else n for n, far in zip(sent, which, strict=True)]
        for n in gone:
            del arrays[n]
        if kind == "item":
            return float(parts[0])
        made = next(numbers)
        arrays[made] = names["FAR_OPERATIONS"][kind](*parts)
        return made

    return names, names["FarLoss"](names["Link"](ask), 0), arrays


def test_a_loss_that_is_changed_in_place_tells_its_new_number() -> None:
    _, mean, _ = far_loss(3.0)
    assert (mean.item(), mean.item()) == (3.0, 3.0)
    mean *= 0.5
    assert mean.item() == 1.5 and float(mean) == 1.5


@pytest.mark.parametrize(
    "do",
    [
        "far[np.array([0, 1])]",
        "far[1]",
        "far[0:1]",
        "far > 1",
        "np.sum(far)",
        "np.add.reduce(far)",
        "far.shape",
    ],
)
def test_what_an_array_elsewhere_does_not_know_is_refused_in_a_sentence(do: str) -> None:
    names, loss, _ = far_loss(3.0)
    names["far"] = names["Far"](loss.link, 0)
    with pytest.raises(names["Refused"], match="an array on another machine knows arithmetic"):
        eval(do, names)


@pytest.mark.parametrize("do", ["far[...]", "far[:]", "far.astype(float, copy=False)", "far.copy()", "+far"])
def test_what_takes_all_of_an_array_elsewhere_is_allowed(do: str) -> None:
    names, loss, arrays = far_loss(3.0)
    names["far"] = names["Far"](loss.link, 0)
    result = eval(do, names)
    assert isinstance(result, names["Far"]) and arrays[result.number] == 3.0
    assert (result.number == 0) == do.startswith("far[")  # a copy is another one
