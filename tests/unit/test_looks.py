"""What looks around is told with its line, and nothing else is."""

from __future__ import annotations

import pytest

from autograder.referee import bank
from autograder.unit.assignment import Course
from autograder.unit.ingest import AddedCell, Submission
from autograder.unit.looks import looks, words

from ..conftest import REPOSITORY

COURSE = Course(REPOSITORY)

SUSPICIOUS = {
    "main, fetched": ('import sys\nm = sys.modules["__main__"]', [(2, "__main__")]),
    "the caller's frame": (
        "import sys\nmade = sys._getframe(1).f_locals",
        [(2, "_getframe"), (2, "f_locals")],
    ),
    "through a text": ('import sys\nf = getattr(sys, "_getframe")(1)', [(2, "_getframe")]),
    "inspect": ("import inspect as i\ni.stack()", [(1, "inspect")]),
    "inspect, a part of it": ("from inspect import stack", [(1, "inspect")]),
    "the garbage collector": ("import gc\ngc.get_objects()", [(1, "gc"), (2, "get_objects")]),
    "imported by a call": ('__import__("gc")', [(1, "gc")]),
    "a traceback": (
        "try:\n    raise ValueError\nexcept ValueError as e:\n    f = e.__traceback__.tb_frame.f_back",
        [(4, "__traceback__"), (4, "f_back"), (4, "tb_frame")],
    ),
    "a tracer": ("import sys\n\n\nsys.settrace(print)", [(4, "settrace")]),
    "C": ("import ctypes\nctypes.string_at(id(1))", [(1, "ctypes")]),
    "its memory": ('open("/proc/self/mem", "rb")', [(1, "/proc/")]),
    "a closure": ("f.__closure__[0].cell_contents", [(1, "__closure__"), (1, "cell_contents")]),
    "all classes": ("object.__subclasses__()", [(1, "__subclasses__")]),
    "the wire": ("from autograder.lesson import wire\nwire.pack = repr", [(1, "autograder.lesson")]),
    "the probes": ("import autograder.lesson.probes as p", [(1, "autograder.lesson")]),
    "in a cell with a magic": ("%matplotlib inline\nimport gc", [(2, "gc")]),
}

HARMLESS = {
    "a file's own test": 'if __name__ == "__main__":\n    print(1)',
    "a gradient called gc": "gc = g * c\nda = gc + 1",
    "words in a docstring": '"""Look at the frame, inspect it, and collect the gc."""',
    "a comment": "x = 1  # sys._getframe\n%magic",
    "the standard library": "import math, itertools, functools, copy, random\nfrom collections import deque",
    "numpy": "import numpy as np\nfrom numpy.lib import stride_tricks\nnp.add.at(a, i, g)",
    "the course": "from autograder import exercise, yours, probe\nfrom autograd_ref import Tensor",
    "a class of one's own": "class A:\n    def __init__(self):\n        self.__dict__['x'] = type(self).__name__",
}


@pytest.mark.parametrize("name", SUSPICIOUS)
def test_a_name_that_looks_around_is_found_with_its_line(name: str) -> None:
    source, expected = SUSPICIOUS[name]
    assert sorted(set(words(source))) == sorted(expected)


@pytest.mark.parametrize("name", HARMLESS)
def test_ordinary_code_is_not_suspected(name: str) -> None:
    assert list(words(HARMLESS[name])) == []


@pytest.mark.parametrize("unit", COURSE.units())
def test_no_right_answer_of_the_course_is_suspected(unit: str) -> None:
    assignment = COURSE.assignment(unit)
    answers = {e.name: e.solution for e in assignment.exercises}
    assert looks(Submission(answers=answers)) == []
    for entry in bank.load_bank(assignment):
        assert looks(Submission(answers={entry.exercise: entry.answer("")})) == [], entry.name


def test_a_look_names_the_cell_and_the_line_and_not_too_many_of_them() -> None:
    peeping = "def f(x):\n    import sys\n    return sys._getframe(1).f_locals"
    added = [AddedCell("", "markdown", "import gc"), AddedCell("", "code", "import gc")]
    (told,) = looks(Submission(answers={"f": peeping}, added=added))
    assert told == (
        "Looks around (f, line 3: _getframe leads to the frames of its callers; "
        "f, line 3: f_locals leads to the frames of its callers; "
        "added cell 2, line 1: gc leads to objects in memory). That changed no score."
    )
    (told,) = looks(Submission(answers={f"f{i}": "import gc" for i in range(9)}))
    assert told.count("gc leads to") == 5 and "; and 4 more)" in told
