"""Makes a program that shows a difference as short as it gets: delta debugging over its statements (Zeller 1999)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from . import forms
from .language import Program, Statement
from .running import Difference, closed, difference

Test = Callable[[Program], Difference | None]


def shrunk(
    program: Program, found: Difference, test: Test = difference
) -> tuple[list[Statement], Difference]:
    """The shortest program reached that still has a difference of the same kind, and that difference."""
    best = list(program[: found.at + 1])
    shown = found

    def try_(candidate: list[Statement]) -> bool:
        nonlocal best, shown
        if _cost(candidate) >= _cost(best):
            return False
        now = test(candidate)
        if now is None or now.signature != found.signature:
            return False
        best, shown = candidate[: now.at + 1], now
        return True

    changed = True
    while changed:
        changed = False
        size = max(1, len(best) // 2)
        while size:
            at = len(best) - size
            while at >= 0:
                kept = closed(best[:at] + best[at + size :])
                if len(kept) < len(best) and try_(kept):
                    changed = True
                    at = min(at, len(best))
                at -= size
            size //= 2
        for change in (_bypassed, _simpler):
            for at in range(len(best) - 1, -1, -1):
                if at < len(best):
                    for candidate in change(best, at):
                        if try_(candidate):
                            changed = True
                            break
    return best, shown


def _cost(program: Program) -> tuple[int, int]:
    """What shrinking makes smaller: the number of statements, then how much there is in them."""
    return len(program), sum(_weight(s) for s in program)


def _weight(s: Statement) -> int:
    given = dict(s.options)
    numbers = set(_NUMBER.findall(str(given.get("data", ""))))
    rank = {"1.0": 1, "2.0": 2, "0.0": 3}.get(numbers.pop(), 9) if len(numbers) == 1 else 9 * bool(numbers)
    plain = (
        bool(s.mode)
        + bool(given.get("wants"))
        + (given.get("dtype") == "float32")
        + bool(given.get("options"))
    )
    return rank + plain + 2 * (s.form is not _TWICE) + len(s.args)


def _bypassed(program: list[Statement], at: int) -> list[list[Statement]]:
    """Without one statement, its argument taking the place of its result."""
    gone = program[at]
    if not gone.to:
        return []
    out = []
    for arg in dict.fromkeys(gone.args):
        later = [
            replace(s, args=tuple(arg if a == gone.to else a for a in s.args)) for s in program[at + 1 :]
        ]
        out.append([*program[:at], *later])
    return out


_NUMBER = re.compile(r"-?\d+\.\d+")


def _simpler(program: list[Statement], at: int) -> list[list[Statement]]:
    """With one statement made plainer: outside of no_grad, with rounder numbers, or as a plain product."""
    s = program[at]
    options: list[Statement] = []
    if s.mode:
        options.append(replace(s, mode=""))
    given = dict(s.options)
    if "data" in given:
        text = str(given["data"])
        for number in ("1.0", "0.0", "2.0"):
            options.append(replace(s, options=tuple({**given, "data": _NUMBER.sub(number, text)}.items())))
        if given.get("dtype") == "float32":
            options.append(replace(s, options=tuple({**given, "dtype": "float64"}.items())))
        if given.get("wants"):
            options.append(replace(s, options=tuple({**given, "wants": False}.items())))
    if s.form is forms.WEIGHED:
        options.append(replace(s, form=forms.WHOLE[0], options=()))
    if given.get("options"):
        options.append(replace(s, options=tuple({**given, "options": ""}.items())))
    if s.to and len(s.args) == 1 and s.effect == "value" and s.form is not _TWICE and "data" not in given:
        options.append(replace(s, form=_TWICE, options=()))
    return [[*program[:at], option, *program[at + 1 :]] for option in options if option != s]


_TWICE = forms.form("{0} * 2.0")
