"""Probes and checks for notebooks, and the referee that grades them.

A notebook imports `exercise`, `probe` and `yours`, and the kinds of random input. The grading side (referee,
sandbox, gradebook) is imported only by the `autograder` command and by nbgrader.
"""

from .lesson.checks import exercise
from .lesson.draw import array, integer, number, numbers, numerical_gradient, one_of, positive
from .lesson.failures import CheckFailed
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
    """`from autograder import mine`: the learner's own engine, which is more than a check needs."""
    if name == "mine":
        from importlib import import_module

        return import_module(".learner.own_engine", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
