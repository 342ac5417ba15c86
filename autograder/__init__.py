"""Probes and checks for notebooks, and the referee that grades them.

A notebook imports `exercise`, `probe` and `yours`, and the kinds of random input. The grading side (referee,
sandbox, gradebook) is imported only by the `autograder` command and by nbgrader.
"""

from .lesson.checks import exercise
from .lesson.draw import array, integer, number, numbers, numerical_gradient, one_of, positive
from .lesson.failures import CheckFailed
from .lesson.own_line import keep_line
from .lesson.predict import predicted
from .lesson.probes import probe, yours
from .lesson.progress import progress
from .lesson.recall import recall
from .lesson.suspects import Suspect
from .lesson.unfinished import install

__all__ = [
    "CheckFailed",
    "Suspect",
    "array",
    "exercise",
    "integer",
    "keep_line",
    "number",
    "numbers",
    "numerical_gradient",
    "one_of",
    "positive",
    "predicted",
    "probe",
    "progress",
    "recall",
    "yours",
]

install()


def __getattr__(name: str) -> object:
    """The learner's own engine, `mine`, and the page of what they have built: more than a check needs."""
    if name in ("mine", "certificate"):
        from importlib import import_module

        room = import_module(f".learner.{'own_engine' if name == 'mine' else name}", __name__)
        return room if name == "mine" else room.certificate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
