"""The rules of scalar differentiation: one row per primitive, for reverse and forward mode alike.

A rule takes the arguments as floats and returns the value, then the local derivative by each argument.
Nothing else in the engine knows calculus: `scalar.Value` multiplies local derivatives from the output
back to the inputs, `dual.Dual` from the inputs on to the output, and both read this table.
"""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any


def _exp(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        raise OverflowError(
            f"exp({a!r}) is too large for a float: the argument may be at most about 709.78, "
            "so scale it down or subtract the largest exponent first."
        ) from None


def _log(a: float) -> float:
    if a <= 0.0:
        raise ValueError(
            f"log({a!r}) is not a real number: the argument must be positive, "
            "so check its sign or add a small number such as 1e-12 to it first."
        )
    return math.log(a)


def _sqrt(a: float) -> float:
    if a < 0.0:
        raise ValueError(
            f"sqrt({a!r}) is not a real number: the argument must be at least 0, so check its sign first."
        )
    return math.sqrt(a)


def _wave(function: Callable[[float], float], a: float) -> float:
    if math.isinf(a):
        raise ValueError(
            f"{function.__name__}({a!r}) has no value: the argument must be finite, "
            "so find the operation that overflowed first."
        )
    return function(a)


def _sigmoid(a: float) -> float:
    # exp only ever sees a negative argument, so it cannot overflow, however large |a| is.
    if a >= 0.0:
        return 1.0 / (1.0 + math.exp(-a))
    e = math.exp(a)
    return e / (1.0 + e)


def _divide(a: float, b: float) -> float:
    if b == 0.0:
        raise ZeroDivisionError(
            f"{a!r} / {b!r} divides by zero: the divisor must not be 0, "
            "so check it or add a small number to it first."
        )
    return a / b


def _power(a: float, b: float) -> float:
    if a == 0.0 and b < 0.0:
        raise ZeroDivisionError(
            f"{a!r} ** {b!r} divides by zero: the base of a negative power must not be 0, so check it first."
        )
    if a < 0.0 and math.isfinite(b) and b != math.floor(b):
        raise ValueError(
            f"({a!r}) ** {b!r} is not a real number: a negative base needs a whole exponent, "
            "so make the base positive or round the exponent."
        )
    try:
        return float(a**b)
    except OverflowError:
        raise OverflowError(
            f"({a!r}) ** {b!r} is too large for a float, so scale the base or the exponent down."
        ) from None


def _power_by_base(a: float, b: float) -> float:
    if b == 0.0:  # a ** 0 is the constant 1, at a = 0 too
        return 0.0
    if a == 0.0 and b < 1.0:
        return math.inf  # the limit from the right, as for sqrt
    try:
        return b * float(a ** (b - 1.0))
    except OverflowError:  # the value itself is fine, so a gradient of inf is no reason to stop
        return math.copysign(math.inf, b if a > 0.0 or (b - 1.0) % 2.0 == 0.0 else -b)


def _power_by_exponent(a: float, b: float, y: float) -> float:
    if a > 0.0:
        return y * math.log(a)
    # 0 ** b is the constant 0 to the right of b = 0; a negative base has no powers between the whole ones.
    return 0.0 if a == 0.0 else math.nan


Rule = Callable[..., tuple[float, ...]]

# Value and derivatives come from one call, because derivatives often reuse the value y. Edge cases are
# PyTorch's: relu'(0) = 0, sqrt'(0) = inf, (d/da) a ** 0 = 0, (d/db) 0 ** b = 0, and nan where a < 0.
RULES: dict[str, Rule] = {
    # primitive              value                   d / da                 d / db
    "+":       lambda a, b: (a + b,                  1.0,                   1.0),
    "*":       lambda a, b: (a * b,                  b,                     a),
    "/":       lambda a, b: (y := _divide(a, b),     1.0 / b,               -y / b),
    "**":      lambda a, b: (y := _power(a, b),      _power_by_base(a, b),  _power_by_exponent(a, b, y)),
    "exp":     lambda a:    (y := _exp(a),           y),
    "log":     lambda a:    (_log(a),                1.0 / a),
    "sin":     lambda a:    (_wave(math.sin, a),     math.cos(a)),
    "cos":     lambda a:    (_wave(math.cos, a),     -math.sin(a)),
    "sqrt":    lambda a:    (y := _sqrt(a),          0.5 / y if y else math.inf),
    "tanh":    lambda a:    (y := math.tanh(a),      1.0 - y * y),
    "sigmoid": lambda a:    (y := _sigmoid(a),       y * (1.0 - y)),
    "relu":    lambda a:    (0.0 if a <= 0.0 else a, 0.0 if a <= 0.0 else 1.0),
}  # fmt: skip


def as_float(number: Any, name: str) -> float:
    """Return a real number as a Python float; `name` is what an error calls it.

    Raises TypeError for anything that is not a real number, text and arrays included.

    >>> as_float(2, "data")
    2.0
    """
    if isinstance(number, Real):
        return float(number)
    raise TypeError(
        f"{name} must be a real number, but it is of type {type(number).__name__}: pass an int or a float."
    )


class Arithmetic:
    """Operators and functions for a class of numbers that says what applying one rule means.

    A subclass defines `_apply(op, *arguments)`, where at least one argument is its own and the others may be
    plain numbers; it returns NotImplemented for arguments that it cannot work with. There is no
    `__float__`, because `math.sin(x)` would then work and lose the derivative without a word.
    """

    __slots__ = ()
    __array_ufunc__ = None  # makes a NumPy number on the left leave `np.float64(2) * x` to `x.__rmul__`

    @staticmethod
    def _apply(op: str, *arguments: Any) -> Any:
        raise NotImplementedError

    # Primitives: one row of the table each.
    def __add__(self, other: Any) -> Any:
        return self._apply("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._apply("+", self, other)

    def __mul__(self, other: Any) -> Any:
        return self._apply("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._apply("*", self, other)

    def __truediv__(self, other: Any) -> Any:
        return self._apply("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._apply("/", other, self)

    def __pow__(self, other: Any) -> Any:
        return self._apply("**", self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._apply("**", other, self)

    def exp(self) -> Any:
        """e to the power of this number."""
        return self._apply("exp", self)

    def log(self) -> Any:
        """The natural logarithm; ValueError unless the number is positive."""
        return self._apply("log", self)

    def sin(self) -> Any:
        """The sine of an angle in radians."""
        return self._apply("sin", self)

    def cos(self) -> Any:
        """The cosine of an angle in radians."""
        return self._apply("cos", self)

    def sqrt(self) -> Any:
        """The square root, with derivative inf at 0; ValueError for a negative number."""
        return self._apply("sqrt", self)

    def tanh(self) -> Any:
        """The hyperbolic tangent."""
        return self._apply("tanh", self)

    def sigmoid(self) -> Any:
        """1 / (1 + e ** -x), without overflow at either end."""
        return self._apply("sigmoid", self)

    def relu(self) -> Any:
        """The larger of 0 and the number, with derivative 0 at 0."""
        return self._apply("relu", self)

    # Derived operations: no rules, and rounded as Python rounds them. Division is not among them, because
    # `a * b ** -1` is rounded twice: 5 / 3 would end in ...665 and not in ...667.
    def __neg__(self) -> Any:
        return self * -1.0

    def __pos__(self) -> Any:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, Arithmetic | Real) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other


def _function(op: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        if isinstance(x, Arithmetic):
            return getattr(x, op)()
        return RULES[op](as_float(x, f"the argument of {op}"))[0]

    function.__name__ = function.__qualname__ = op
    function.__doc__ = f"Return {op} of a Value or a Dual, or of a plain number as a float."
    return function


# The same function of x can so be run on floats, in forward mode and in reverse mode.
exp = _function("exp")
log = _function("log")
sin = _function("sin")
cos = _function("cos")
sqrt = _function("sqrt")
tanh = _function("tanh")
sigmoid = _function("sigmoid")
relu = _function("relu")
