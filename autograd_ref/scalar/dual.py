"""Forward mode on single numbers: a `Dual` carries its derivative along with its value.

Seed the inputs with a direction, run the function once, and the output's tangent is the derivative in that
direction (the Jacobian-vector product, JVP). A gradient takes one run per input: cheap for few inputs, and
the reason for reverse mode when there are many.

The table of e = (a b)(b + 1) at a = 2, b = 3, once with the direction of a and once with that of b:

    >>> def table(a, b):
    ...     c = a * b
    ...     d = b + 1
    ...     for name, x in {"a": a, "b": b, "c": c, "d": d, "e": c * d}.items():
    ...         print(f"{name}  {x.primal:4g}  {x.tangent:4g}")
    >>> table(Dual(2.0, 1.0), Dual(3.0, 0.0))
    a     2     1
    b     3     0
    c     6     3
    d     4     0
    e    24    12
    >>> table(Dual(2.0, 0.0), Dual(3.0, 1.0))
    a     2     0
    b     3     1
    c     6     2
    d     4     1
    e    24    14
"""

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

from .rules import (
    RULES,
    Arithmetic,
    as_float,
    cos,
    exp,
    log,
    relu,
    sigmoid,
    sin,
    sqrt,
    tanh,
)

__all__ = [
    "RULES",
    "Dual",
    "cos",
    "derivative",
    "exp",
    "gradient",
    "jvp",
    "log",
    "relu",
    "sigmoid",
    "sin",
    "sqrt",
    "tanh",
]


class Dual(Arithmetic):
    """A number `primal` and its derivative `tangent` in the direction that the inputs were seeded with.

    A plain number in an expression is a constant: its tangent is 0. Raises TypeError unless both are real
    numbers.

    >>> x = Dual(3.0, 1.0)
    >>> x * x + 2
    Dual(primal=11.0, tangent=6.0)
    >>> (1 / x).tangent == -1 / 9
    True
    """

    __slots__ = ("primal", "tangent")

    def __init__(self, primal: float, tangent: float = 0.0) -> None:
        self.primal = as_float(primal, "primal")
        self.tangent = as_float(tangent, "tangent")

    def __repr__(self) -> str:
        return f"Dual(primal={self.primal!r}, tangent={self.tangent!r})"

    @staticmethod
    def _apply(op: str, *arguments: Any) -> Any:
        duals = []
        for argument in arguments:
            if not isinstance(argument, Dual | Real):
                return NotImplemented
            duals.append(argument if isinstance(argument, Dual) else Dual(float(argument)))
        primal, *partials = RULES[op](*(x.primal for x in duals))
        tangent = 0.0
        for partial, x in zip(partials, duals, strict=True):
            # An argument that does not move adds nothing, even where the derivative by it is inf or nan:
            # (-2) ** 3 has a derivative by its base, though none by its exponent.
            if x.tangent != 0.0:
                tangent += partial * x.tangent
        return Dual(primal, tangent)


def derivative(f: Callable[[Any], Any], x: float) -> float:
    """Return f'(x) by one run of `f` on a dual number.

    >>> derivative(lambda x: x**3 + sin(x), 0.0)
    1.0
    """
    return jvp(f, (x,), (1.0,))[1]


def jvp(f: Callable[..., Any], xs: Sequence[float], vs: Sequence[float]) -> tuple[float, float]:
    """Return `f(*xs)` and its derivative in the direction `vs`, by one run of `f`.

    Raises ValueError unless there is one direction component for each argument, TypeError if `f` returns
    something other than one number.

    >>> jvp(lambda a, b: (a * b) * (b + 1), (2.0, 3.0), (1.0, 10.0))
    (24.0, 152.0)
    """
    if len(xs) != len(vs):
        raise ValueError(
            f"vs must have one number for each of xs, but xs has {len(xs)} and vs has {len(vs)}: "
            "make them equally long."
        )
    result = f(*(Dual(x, v) for x, v in zip(xs, vs, strict=True)))
    if isinstance(result, Dual):
        return result.primal, result.tangent
    return as_float(result, "the result of f"), 0.0  # a plain number: f does not depend on its arguments


def gradient(f: Callable[..., Any], xs: Sequence[float]) -> tuple[float, ...]:
    """Return the derivatives of `f(*xs)` by each argument, by as many runs of `f` as there are arguments.

    Raises TypeError if `f` returns something other than one number.

    >>> gradient(lambda a, b: (a * b) * (b + 1), (2.0, 3.0))
    (12.0, 14.0)
    """
    return tuple(jvp(f, xs, [float(i == j) for j in range(len(xs))])[1] for i in range(len(xs)))
