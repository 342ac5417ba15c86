"""Runs many programs, keeps count of what they show, and prints what is new: the shortest program and both values."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .agreed import KNOWN, judged
from .language import OURS, THEIRS, Program, Statement, many_programs, printed
from .running import Difference, difference, is_unsteady
from .shrinking import shrunk
from .writing import Writer


def unmeant(program: Program) -> Difference | None:
    """The first difference of a program, if it is not a meant one."""
    found = difference(program)
    return None if found is None or judged(program, found) or is_unsteady(program, found) else found


@dataclass
class Tally:
    """What many programs showed."""

    programs: int = 0
    statements: int = 0
    #: Differences that are meant or known, by name; "rounding" is what no tolerance can tell.
    seen: Counter[str] = field(default_factory=Counter)
    #: New ones: the seed, the shrunk program, the difference.
    new: list[tuple[int, list[Statement], Difference]] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def run(self, seeds: Iterable[int], most: int = 5) -> Tally:
        """Write and run one program for each seed; stop after so many new differences."""
        with many_programs():
            for seed in seeds:
                self.one(seed)
                if len(self.new) >= most:
                    break
        return self

    def one(self, seed: int) -> None:
        """One program."""
        writer = Writer(seed)
        program = writer.write()
        self.programs += 1
        self.statements += len(program)
        found = writer.found
        if found is None:
            return
        meant = judged(program, found)
        if meant is not None:
            self.seen[meant.name] += 1
        elif is_unsteady(program, found):
            self.seen["rounding"] += 1
        else:
            self.new.append((seed, *shrunk(program, found, unmeant)))

    def __str__(self) -> str:
        return "\n".join([self.counts(), *(shown(*new) for new in self.new)])

    def counts(self) -> str:
        """How many programs, and which differences that are meant or known."""
        seconds = time.monotonic() - self.began
        lines = [
            f"{self.programs} programs of {self.statements / max(self.programs, 1):.1f} statements in {seconds:.0f} s, "
            f"{len(self.new)} new differences"
        ]
        known = {k.name for k in KNOWN}
        for name, count in self.seen.most_common():
            lines.append(f"  {count} x {'known: ' if name in known else ''}{name}")
        return "\n".join(lines)


def shown(seed: int, program: Program, found: Difference) -> str:
    """A difference for people: where it comes from, the program for both engines, both values."""
    return "\n".join(
        [
            f"\n# seed {seed}",
            printed(program, OURS),
            "\n# the same in PyTorch",
            printed(program, THEIRS),
            f"\n{found}",
        ]
    )
