"""Single numbers: `Value`, reverse mode, with its functions. `dual` has forward mode, `rules` what both compute."""

from .rules import RULES, cos, exp, log, relu, sigmoid, sin, sqrt, tanh
from .value import Value

__all__ = ["RULES", "Value", "cos", "exp", "log", "relu", "sigmoid", "sin", "sqrt", "tanh"]
