"""Random inputs for checks.

A kind of input is a small object with a `sample(rng)`; `check.cases(20, number(), positive())` draws from them.
Numbers are never special by accident: `number()` stays away from 0, 1 and from round values, because a rule that
is wrong is often right at 0, at 1 or where both inputs are equal. What can be counted is taken in turn: of
`one_of` and of a short `integer` each value comes once, in a random order, before any comes again. Of numbers that
are drawn together every combination of signs comes: a rule may be wrong only where two of them are negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random


@dataclass(frozen=True)
class Kind:
    """A kind of random input: `sample(rng)` gives one, `draw_some` many: each of `values` before any again."""

    name: str
    sample: Callable[[random.Random], Any]
    values: Sequence[Any] = ()
    #: for one that has both, its numbers below zero, and those above
    sides: tuple[Kind, ...] = ()

    def draw_some(self, count: int, rng: random.Random) -> Iterator[Any]:
        """`count` inputs. Those of a kind with at most `count` values hold each of these at least once.

        >>> import random
        >>> sorted(integer(2, 5).draw_some(4, random.Random(1)))
        [2, 3, 4, 5]
        """
        if not 0 < len(self.values) <= count:
            return (self.sample(rng) for _ in range(count))
        drawn: list[Any] = []
        while len(drawn) < count:
            drawn += rng.sample(self.values, len(self.values))
        return iter(drawn[:count])

    def __repr__(self) -> str:
        return self.name


def draw_together(count: int, kinds: Sequence[Kind], rng: random.Random) -> Iterator[tuple[Any, ...]]:
    """`count` tuples, one of each kind, in which every combination of signs comes, or as many as there is room for.

    >>> import random
    >>> drawn = draw_together(4, [number(), positive(), number()], random.Random(1))
    >>> sorted((a > 0, c > 0) for a, b, c in drawn)
    [(False, False), (False, True), (True, False), (True, True)]
    """
    signed = sum(bool(kind.sides) for kind in kinds)
    # Beyond these the signs are what they happen to be.
    turns: list[int | None] = list(rng.sample(range(2**signed), min(count, 2**signed)))
    turns += [None] * (count - len(turns))
    rng.shuffle(turns)  # or the signs of the first would tell those of the next
    columns = []
    bit = 0  # of a turn, the sign of this kind
    for kind in kinds:
        columns.append(list(kind.draw_some(count, rng)))
        if kind.sides:
            for i, turn in enumerate(turns):
                if turn is not None:
                    columns[-1][i] = kind.sides[turn >> bit & 1].sample(rng)
            bit += 1
    yield from zip(*columns, strict=True)


def number(low: float = -3.0, high: float = 3.0) -> Kind:
    """A float in [low, high], at least 0.1 away from 0 unless the whole range is nearer.

    Raises ValueError when the range has no length.

    >>> import random
    >>> 0.01 < number(0.01, 0.1).sample(random.Random(1)) < 0.1
    True
    >>> number(3, 1)
    Traceback (most recent call last):
    ValueError: A number is drawn from low to high, and 3 is not below 1.
    """
    if not low < high:
        raise ValueError(f"A number is drawn from low to high, and {low} is not below {high}.")
    near = low >= -0.1 and high <= 0.1

    def sample(rng: random.Random) -> float:
        while True:
            x = rng.uniform(low, high)
            if near or abs(x) >= 0.1:
                return x

    sides = (number(low, -0.1), number(0.1, high)) if low < -0.1 and high > 0.1 else ()
    return Kind(f"number({low}, {high})", sample, sides=sides)


def positive(low: float = 0.2, high: float = 3.0) -> Kind:
    """A positive float."""
    return number(low, high)


def integer(low: int, high: int) -> Kind:
    """An int, both ends included."""
    return Kind(f"integer({low}, {high})", lambda rng: rng.randint(low, high), range(low, high + 1))


def one_of(choices: Sequence[Any]) -> Kind:
    """One of the given values."""
    return Kind(f"one_of({list(choices)!r})", lambda rng: rng.choice(choices), choices)


def numbers(count: int, low: float = -3.0, high: float = 3.0) -> Kind:
    """A list of `count` floats as `number` draws them."""
    one = number(low, high)
    return Kind(f"numbers({count})", lambda rng: [one.sample(rng) for _ in range(count)])


def array(*shape: int, low: float = -3.0, high: float = 3.0) -> Kind:
    """A float64 array of the given shape, its entries as `number` draws them."""

    def sample(rng: random.Random) -> Any:
        import numpy as np

        one = number(low, high)
        size = int(np.prod(shape)) if shape else 1
        return np.array([one.sample(rng) for _ in range(size)]).reshape(shape)

    return Kind(f"array{shape}", sample)


def numerical_gradient(f: Callable[..., float], *args: float, step: float = 1e-3) -> tuple[float, ...]:
    """The partial derivatives of `f` at `args` by a five-point central difference.

    The error is of order step**4: about 1e-11 for functions of ordinary size. (Abramowitz and Stegun,
    Handbook of Mathematical Functions, 25.3.6.)

    >>> [round(d, 9) for d in numerical_gradient(lambda a, b: a * b, 2.0, 3.0)]
    [3.0, 2.0]
    """
    gradient = []
    for i, x in enumerate(args):
        h = step * max(1.0, abs(x))

        def at(value: float, i: int = i) -> float:
            return f(*args[:i], value, *args[i + 1 :])

        gradient.append((at(x - 2 * h) - 8 * at(x - h) + 8 * at(x + h) - at(x + 2 * h)) / (12 * h))
    return tuple(gradient)
