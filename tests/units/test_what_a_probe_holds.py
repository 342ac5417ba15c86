"""What a probe holds while it calls an answer is never the answer.

An answer can read its callers' frames, and with `gc` whatever these lead to. Here thieves do that: the function of an
exercise does its work as the solution does, and then gives what had lain at one place of the probe that called it. Only
where there is no such place it gives what it has computed. Every place is tried that once held something of the right
form. No thief may pass the check.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FrameType, FunctionType
from typing import Any

import numpy as np
import pytest

from autograder.lesson.failures import CheckFailed
from autograder.lesson.probes import LocalBoundary, Probe, Reply, Session, use_session
from autograder.referee.check_cells import compiled, remember, setup_names
from autograder.unit.assignment import Assignment, Exercise

from .test_units import COURSE, assignment_of

MOST_PLACES, MOST_ITEMS, DEEPEST = 500, 100, 3


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "exercise_of" in metafunc.fixturenames:
        every = [(unit, e.name) for unit in COURSE.units() for e in assignment_of(unit).exercises]
        metafunc.parametrize("exercise_of", every, ids=[f"{unit[:2]}-{name}" for unit, name in every])


def variants(value: Any) -> Iterator[tuple[str, Any]]:
    """A value, and what a short line of code makes of it."""
    yield "", value
    if isinstance(value, dict):
        yield ".values()", list(value.values())
        yield ".values() reversed", list(value.values())[::-1]
        yield ".keys()", list(value)
        yield ".keys() reversed", list(value)[::-1]
    if isinstance(value, (list, tuple)):
        yield " reversed", list(value)[::-1]
        if all(isinstance(x, (int, float)) for x in value):
            yield " as an array", np.array(value)
            yield " sorted", sorted(value)
    if isinstance(value, (list, tuple, dict, set)):
        yield " counted", len(value)


def places(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """All that the frames of a probe lead to, by the way to it."""
    seen: set[int] = set()
    count = 0
    waiting: list[tuple[str, Any, int]] = []
    while frame is not None and frame.f_code.co_name != "call_plainly":
        for name, value in frame.f_locals.items():
            waiting.append((f"{frame.f_code.co_name}: {name}", value, 0))
        frame = frame.f_back
    while waiting and count < MOST_PLACES:
        way, value, depth = waiting.pop(0)
        count += 1
        for how, made in variants(value):
            yield way + how, made
        if depth >= DEEPEST or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
                try:
                    waiting.append((f"{way}.{name}", cell.cell_contents, depth + 1))
                except ValueError:  # not filled yet
                    continue
        elif isinstance(value, dict) and len(value) <= MOST_ITEMS:
            waiting += [(f"{way}[{k!r}]", v, depth + 1) for k, v in value.items()]
        elif isinstance(value, (list, tuple)) and len(value) <= MOST_ITEMS:
            waiting += [(f"{way}[{i}]", v, depth + 1) for i, v in enumerate(value)]
        elif hasattr(value, "__dict__") and not isinstance(value, (type, type(sys))):
            waiting += [(f"{way}.{k}", v, depth + 1) for k, v in vars(value).items()]


def alike(found: Any, right: Any) -> bool:
    """Whether a value has the form of what is asked for."""
    if isinstance(right, (int, float, np.number)) and not isinstance(right, bool):
        return isinstance(found, (int, float, np.number)) and not isinstance(found, bool)
    if isinstance(right, np.ndarray):
        return isinstance(found, np.ndarray) and found.shape == right.shape
    if isinstance(right, (list, tuple, dict)):
        same = isinstance(found, dict) is isinstance(right, dict)
        return isinstance(found, (list, tuple, dict)) and same and len(found) == len(right)
    return right is not None and type(found) is type(right)


class Watched(LocalBoundary):
    """Calls probes as a notebook does; while a probe runs, the exercise's functions may look around."""

    def __init__(self, assignment: Assignment, exercise: Exercise) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        for cell in assignment.trusted_cells():
            exec(compiled(cell.source, f"<cell {cell.id}>"), self.names)
        super().__init__(self.names)
        self.around = False
        for node in ast.parse(exercise.solution).body:
            if isinstance(node, ast.FunctionDef):
                self.names[node.name] = self.replaced(node.name, self.names[node.name])
            elif isinstance(node, ast.ClassDef):
                owner = self.names[node.name]
                for method in (x for x in node.body if isinstance(x, ast.FunctionDef)):
                    name, made = f"{node.name}.{method.name}", vars(owner)[method.name]
                    if not isinstance(made, property):  # that reads what its object keeps, and so may it
                        setattr(owner, method.name, self.replaced(name, made))

    def call(
        self, probe: Probe, args: tuple[Any, ...], *, twice: bool = False, seconds: float | None = None
    ) -> Reply:
        # A direct call has no frame between the pupil's own and the answer's.
        self.around = probe.function is not None
        self.begin()
        return super().call(probe, args, twice=twice, seconds=seconds)

    def begin(self) -> None:
        """A probe is called."""

    def replaced(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not self.around:
                return function(*args, **kwargs)
            self.around = False  # what the function calls itself is its own affair
            try:
                return self.act(name, function, args, kwargs, sys._getframe(1))
            finally:
                self.around = True

        return call

    def act(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any, frame: FrameType
    ) -> Any:
        raise NotImplementedError


def vars_of(values: Iterable[Any]) -> list[Any]:
    """What these objects hold by name."""
    return [x for value in values for x in getattr(value, "__dict__", {}).values()]


#: Checks that count what lives: `f_locals` keeps what it has shown alive (until Python 3.13), so who looks has failed.
LOOKING_IS_SEEN = {"tanh_node", "Tensor"}


class Scout(Watched):
    """Solves the exercise, and notes which places could be taken for the answer."""

    def __init__(self, assignment: Assignment, exercise: Exercise) -> None:
        super().__init__(assignment, exercise)
        self.found: dict[tuple[str, str], None] = {}

    def act(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any, frame: FrameType
    ) -> Any:
        given = [*args, *kwargs.values()]
        for x in (*args[:1], *vars_of(args[:1])):  # and what its object keeps
            given += vars_of([x])
        own = {id(x) for x in given}
        around = list(places(frame))
        # An argument in another form is no more than the argument.
        its = {way for way, value in around if id(value) in own}
        right = function(*args, **kwargs)
        for way, value in around:
            if id(value) not in own and way.removesuffix(" as an array") not in its and alike(value, right):
                self.found.setdefault((name, way))
        return right


class Thief(Watched):
    """Gives what lay at one place, and solves the exercise where there is no such place.

    A place has to be there when the probe calls the function first: later it may hold what the function itself gave.
    """

    def __init__(self, assignment: Assignment, exercise: Exercise, name: str, way: str) -> None:
        super().__init__(assignment, exercise)
        self.name, self.way = name, way
        self.stolen: list[str] = []
        self.empty = False

    def begin(self) -> None:
        self.empty = False

    def act(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any, frame: FrameType
    ) -> Any:
        loot = []
        if name == self.name and not self.empty:
            loot = [value for way, value in places(frame) if way == self.way]
            self.empty = not loot
        right = function(*args, **kwargs)
        if not loot:
            return right
        self.stolen.append(repr(loot[0]))
        return loot[0]


def check_with(watched: Watched, assignment: Assignment, exercise: Exercise) -> bool:
    """Whether an exercise's whole check passes."""
    filename = f"<check {assignment.unit} {exercise.name}>"
    remember(filename, exercise.check)
    try:
        with use_session(Session(watched, 7, quiet=True)):
            exec(compiled(exercise.check, filename), setup_names(assignment))
    except CheckFailed:
        return False
    return True


def test_nobody_passes_with_what_lies_around_in_a_probe(exercise_of: tuple[str, str]) -> None:
    unit, exercise_name = exercise_of
    assignment = assignment_of(unit)
    exercise = assignment.exercise(exercise_name)
    scout = Scout(assignment, exercise)
    if not check_with(scout, assignment, exercise):
        assert exercise_name in LOOKING_IS_SEEN and sys.version_info < (3, 13)
        return
    leaks = []
    for name, way in scout.found:
        thief = Thief(assignment, exercise, name, way)
        # What is the same in every call is a worked number, and printed in the notebook.
        if check_with(thief, assignment, exercise) and len(set(thief.stolen)) > 1:
            leaks.append(f"{name} gives {way}")
    assert leaks == []
