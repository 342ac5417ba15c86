"""Exercises in which the learner writes the test: it is given right and wrong subjects, and says which are which.

What a subject computes is computed where the check is (`Probe.asking`), so that nothing but its replies can tell a
wrong one from a right one: no name, no source, no order, no memory address.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .probes import AnswerError, Call, Probe, Subject, current_session

#: So many kinds of fault are named at a time.
MOST_KINDS = 6


@dataclass(frozen=True)
class Suspect:
    """Something that a learner's test has to judge.

    `about` says for a wrong one what kind of fault it has, for a right one what is unusual about it: it is what the
    learner is told when the test misjudges it. `args` are plain data that the probe gets besides it, before a seed.
    """

    about: str
    right: bool
    subject: Subject
    args: tuple[Any, ...] = ()


@dataclass
class Misjudged:
    """What a test got wrong."""

    #: how many there were to find, and to leave alone
    wrong: int = 0
    right: int = 0
    accused: list[tuple[Suspect, Call]] = field(default_factory=list)
    missed: list[tuple[Suspect, Call]] = field(default_factory=list)
    #: something else than True or False
    strange: Call | None = None

    def headline(self, right: str, wrong: str) -> str:
        """The first line of a failure; the words say what the suspects are."""
        if self.strange is not None:
            return "the answer is neither True nor False"
        if self.accused:
            return f"not right yet: {len(self.accused)} of {self.right} {right} accused"
        return f"not right yet: {len(self.missed)} of {self.wrong} {wrong} not found"

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Which, in words: those that were accused first, for an accusation of what is right is the worse mistake."""
        if self.strange is not None:
            return []
        kinds = Counter(suspect.about for suspect, _ in self.accused or self.missed)
        told = [f"{kind} ({count} times)" if count > 1 else kind for kind, count in kinds.items()]
        left = len(told) - MOST_KINDS
        more = [f"and {left} more {'kind' if left == 1 else 'kinds'}"] if left > 0 else []
        return [("accused" if self.accused else "missed", "\n".join([*told[:MOST_KINDS], *more]))]

    @property
    def call(self) -> Call | None:
        """One of the calls that went wrong."""
        return self.strange or next((call for _, call in self.accused or self.missed), None)


def judged(verdict: Probe, suspects: Sequence[Suspect], rng: random.Random) -> Misjudged | None:
    """What a learner's test says of each suspect, in a random order; None when all of it is true.

    The probe gives True for what it finds right, and gets a seed of its own for each call. By bad luck a good test may
    misjudge a suspect, with the numbers that it has drawn: so each is asked until two verdicts agree, three times at
    most. It is never asked again *because* a verdict was wrong: that would tell the answer. A test that fails with an
    exception has found something.
    """
    calls = current_session().calls
    found = Misjudged()
    for suspect in rng.sample(suspects, len(suspects)):
        found.right += suspect.right
        found.wrong += not suspect.right
        said: list[bool] = []
        while len(said) < 2 or (len(said) == 2 and said[0] != said[1]):
            one = _said(verdict, suspect, rng.randrange(2**31))
            if one is None:
                found.strange = calls[-1]
                return found
            said.append(one)
            if one != suspect.right:
                misjudging = calls[-1]
        if said[-1] != suspect.right:
            (found.accused if suspect.right else found.missed).append((suspect, misjudging))
    return found if found.accused or found.missed else None


def _said(verdict: Probe, suspect: Suspect, seed: int) -> bool | None:
    try:
        said = verdict.asking(suspect.subject)(*suspect.args, seed)
    except AnswerError as error:
        if suspect.right or error.unfinished or error.type_name == "NameError":
            raise
        return False
    if type(said) is bool:
        return said
    return bool(said) if getattr(said, "shape", None) == () and said.dtype.kind == "b" else None
