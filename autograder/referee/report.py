"""What grading one submission gives: an outcome for each exercise, and the report of them all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..lesson.failures import row
from ..sandbox.process import CellResult
from ..sandbox.walls import BUBBLEWRAP, NO_WALL


@dataclass(frozen=True)
class PartOutcome:
    """What a part of an exercise earned."""

    name: str
    points: float
    max_points: float
    status: str
    #: what its mistake probably is, as far as a general diagnosis tells
    diagnosis: str = ""


@dataclass
class Outcome:
    """What one exercise earned, and why."""

    name: str
    points: float
    max_points: float
    status: str
    message: str
    diagnosis: str = ""
    #: the bank's entry that the answer behaves like, for reports
    mistake: str = ""
    #: True when the failing check was a hidden one
    hidden: bool = False
    #: True when a person should look: the check itself was at fault, or the file could not be used
    doubtful: bool = False
    #: whether the check had drawn anything when it ended: if not, the seed has no part in this outcome
    drawn: bool = True
    #: what each part earned; none where the exercise is all or nothing
    parts: tuple[PartOutcome, ...] = ()

    @property
    def kept(self) -> set[str]:
        """The names of the parts that earned their points."""
        return {part.name for part in self.parts if part.points}

    @property
    def text(self) -> str:
        """What the student reads."""
        if not self.diagnosis or self.diagnosis in self.message:
            return self.message
        lines = self.message.split("\n")
        last = len(lines) - lines[-1].startswith("  next ")  # what to do next stays the last line
        return "\n".join([*lines[:last], row("likely", self.diagnosis), *lines[last:]])


@dataclass
class Report:
    """The result of grading one submission."""

    unit: str
    seed: int
    #: the wall that the submission was behind, as `Sandbox.wall` names it
    wall: str
    outcomes: list[Outcome] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: for the instructor alone: what the submission's code looks around for
    looks: list[str] = field(default_factory=list)
    #: what the student's cells printed, by cell id
    outputs: dict[str, CellResult] = field(default_factory=dict)
    #: CPU seconds of the submission's processes, all together
    cpu: float = 0.0
    #: the receipt of the file that was graded; empty where it was no notebook
    receipt: str = ""
    #: whether something timed out for want of a processor, which says nothing of the answer
    overloaded: bool = False

    @property
    def score(self) -> float:
        return sum(outcome.points for outcome in self.outcomes)

    @property
    def max_score(self) -> float:
        return sum(outcome.max_points for outcome in self.outcomes)

    @property
    def sandboxed(self) -> bool:
        """Whether it was in bubblewrap."""
        return self.wall == BUBBLEWRAP

    @property
    def protected(self) -> bool:
        """Whether the submission had no way to the answer key and to the scores."""
        return self.wall != NO_WALL

    def as_json(self) -> dict[str, Any]:
        """The contract of `autograder score --json`."""
        return {
            "unit": self.unit,
            "score": tidy(self.score),
            "max_score": tidy(self.max_score),
            "seed": self.seed,
            "sandboxed": self.sandboxed,
            "wall": self.wall,
            "protected": self.protected,
            "receipt": self.receipt,
            "exercises": [
                {
                    "name": outcome.name,
                    "points": tidy(outcome.points),
                    "max_points": tidy(outcome.max_points),
                    "status": outcome.status,
                    "message": outcome.message,
                    "diagnosis": outcome.diagnosis,
                }
                | ({"parts": [_as_json(part) for part in outcome.parts]} if outcome.parts else {})
                for outcome in self.outcomes
            ],
            "notes": [*self.notes, *self.looks],
        }


def _as_json(part: PartOutcome) -> dict[str, Any]:
    points, most = tidy(part.points), tidy(part.max_points)
    return {"name": part.name, "points": points, "max_points": most, "status": part.status}


def tidy(number: float) -> int | float:
    """A score without a needless `.0`."""
    return int(number) if float(number).is_integer() else float(number)
