"""Probes and checks for notebooks, and the referee that grades them.

A notebook imports `exercise`, `probe` and `yours`, and the kinds of random input. The grading side (referee,
sandbox, gradebook) is imported only by the `autograder` command and by nbgrader.
"""

from .checks import CheckFailed, exercise
from .draw import array, integer, number, numbers, numerical_gradient, one_of, positive
from .logbook import progress
from .predict import predicted
from .probes import probe, yours
from .unfinished import install

__all__ = [
    "CheckFailed",
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
    "yours",
]

install()
