"""The call that failed, made again with other numbers: a mistake is known by what it does there, too.

In one call two mistakes may give the same by chance: of 2 and 8 the quotient is the square of 2. So a sentence on a
mistake is looked up by what the answer gave in the check, and by what it gives here. What an answer gives here is
right or wrong for nobody.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .answers import AnswerError, AnswerLost, AnswerTimeout
from .parts import telling

if TYPE_CHECKING:
    from .probes import Boundary, Call, Session

#: The seed of a learner's own notebook.
SEED = 0
#: A call with more numbers than these is not made again: it may be a whole training, where nothing agrees by chance.
MOST_NUMBERS = 400
#: Wall time for each of the two calls, in seconds.
SECONDS = 2.0


def with_echoes(session: Session, wrong: bool) -> list[Call]:
    """The calls that tell of the mistake that was made; where a value was `wrong`, with their echoes."""
    calls = session.calls[telling(session.parts)]
    drawn = next((part.drawn for part in session.parts if part.failure is not None), session.drawn)
    # What was drawn for a class, no learner's notebook has seen.
    if wrong and not (drawn and session.seed != SEED):
        session.echoes += echoes(session.boundary, calls)
    return [*calls, *session.echoes]


def echoes(boundary: Boundary, calls: Sequence[Call]) -> Iterator[Call]:
    """The last of these calls that was given numbers with a point, twice more with others.

    Once all are a tenth nearer to 0: what was 0, equal or in order stays so. Once each moves by itself, and those of an
    array or a list stand in the opposite order: the last one is no longer also the largest.
    Of calls that ask questions comes nothing, and nothing more when one does not come to its end in time.
    """
    last = next((call for call in reversed(calls) if _can_move(call)), None)
    if last is None:
        return
    draw = random.Random(1).random
    ways: tuple[tuple[Callable[[float], float], bool], ...] = (
        (lambda x: 0.9 * x, False),
        (lambda x: x * (1 - draw() / 10) + draw() / 50, True),
    )
    for way, backwards in ways:
        args = tuple(moved(arg, way, backwards) for arg in last.args)
        try:
            reply = boundary.call(last.probe, args, seconds=SECONDS)
            yield replace(last, args=args, value=reply.value, mutated=reply.mutated, error=None)
        except AnswerError as error:
            yield replace(last, args=args, value=None, mutated=(), error=error)
        except (AnswerTimeout, AnswerLost):
            return


def _can_move(call: Call) -> bool:
    count = sum(map(_numbers, call.args))
    return call.probe.subject is None and 0 < count <= MOST_NUMBERS


def _numbers(value: Any) -> int:
    """How many numbers with a point a value holds."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return int(value.size) if dtype.kind == "f" else 0
    if isinstance(value, float):
        return 1
    if isinstance(value, (list, tuple)):
        return sum(map(_numbers, value))
    return sum(map(_numbers, value.values())) if isinstance(value, dict) else 0


def moved(value: Any, way: Callable[[float], float], backwards: bool = False) -> Any:
    """Plain data with all numbers that have a point moved in a way; those without, NaN and infinity stay.

    `backwards`, what stands in an array of such numbers, or in a list of nothing else, is turned around.

    >>> moved([2.0, (1, "n", math.inf)], lambda x: 0.5 * x)
    [1.0, (1, 'n', inf)]
    >>> moved([[1.0, 2.0], (1.0, 2.0), [1, 2]], lambda x: x, backwards=True)
    [[2.0, 1.0], (1.0, 2.0), [1, 2]]
    """
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        if dtype.kind != "f":
            return value
        out = value.copy()
        if not hasattr(out, "__setitem__"):  # a number of NumPy's
            return dtype.type(moved(float(value), way))
        flat = out.reshape(-1)
        numbers = flat.tolist()
        for i, item in enumerate(reversed(numbers) if backwards else numbers):
            flat[i] = moved(item, way)
        return out
    if isinstance(value, float):
        return way(value) if math.isfinite(value) else value
    if isinstance(value, (list, tuple)):
        if backwards and isinstance(value, list) and all(isinstance(item, float) for item in value):
            value = value[::-1]
        return type(value)([moved(item, way, backwards) for item in value])
    if isinstance(value, dict):
        return {key: moved(item, way, backwards) for key, item in value.items()}
    return value
