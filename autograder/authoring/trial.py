"""One answer through one check, in the sandbox: what a proof, a mutant and a fingerprint have in common."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..lesson.failures import ERROR, PASSED, TIMEOUT, CheckFailed, Failure
from ..lesson.parts import telling
from ..lesson.probes import AnswerLost, AnswerTimeout, Call, Session
from ..referee.check_cells import checking, compiled, line_of, remember, setup_names
from ..referee.matching import CALL_SECONDS
from ..referee.report import Report
from ..sandbox.process import PupilProcess
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Exercise

#: Wall time for one answer, in seconds.
SECONDS = 60.0
#: What makes an answer another one each time that it runs.
_UNSTEADY = re.compile(r"random|rng|shuffle|secrets|urandom|uuid|time|\bid\(|hash|\bset\(")


@dataclass(frozen=True)
class Ending:
    """How a check ended."""

    #: "passed", "failed", ...: a status of `lesson.checks`
    status: str
    #: those that tell of the mistake, and their echoes
    calls: Sequence[Call]
    failure: Failure | None = None
    #: the line of the check cell that ended it; 0 when it passed
    line: int = 0

    @property
    def passed(self) -> bool:
        return self.status == PASSED


def seed_mattered(report: Report, answer: str) -> bool:
    """Whether an answer with this report may end in another way at another seed, or when it runs again."""
    return any(outcome.drawn for outcome in report.outcomes) or _UNSTEADY.search(answer) is not None


def run_check(
    assignment: Assignment,
    exercise: Exercise,
    answer: str,
    check: str,
    sandbox: Sandbox,
    seed: int = 0,
    first_ends: bool = False,
) -> Ending:
    """Run the unit's code with this answer in the place of its own, then the check.

    Where only the verdict counts, the first part that fails may end the check: the others are not asked.
    Raises what a check raises that is itself at fault, and SandboxError.
    """
    filename = f"<trial {assignment.unit} {exercise.name} {hash(check)}>"
    remember(filename, check)
    process = PupilProcess(sandbox, assignment.allowed, time.monotonic() + SECONDS)
    process.call_seconds = min(CALL_SECONDS, sandbox.call_seconds)
    session = Session(process, seed, quiet=True)
    session.first_ends = first_ends
    try:
        for cell in assignment.trusted_cells():
            # What stands on a wrong answer may break with it; that is no reason to stop.
            process.run_cell(answer if cell.name == exercise.name else cell.source)
        with checking(session):
            exec(compiled(check, filename), setup_names(assignment))
    except CheckFailed as error:
        calls = [*session.calls[telling(session.parts)], *session.echoes]
        return Ending(error.failure.status, calls, error.failure, line_of(error, filename))
    except AnswerTimeout as error:
        return Ending(TIMEOUT, session.calls, None, line_of(error, filename))
    except AnswerLost as error:
        return Ending(ERROR, session.calls, None, line_of(error, filename))
    finally:
        process.close()
    return Ending(PASSED, session.calls)


def stopped_by(error: Exception) -> str:
    """What stopped a trial that should have come to a verdict, and where, as a sentence: one fault hides no other."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at line {frames[-1].lineno} of {Path(frames[-1].filename).name}" if frames else ""
    told = " ".join(str(error).split())
    return f"the trial itself was stopped by {type(error).__name__}{place}{': ' if told else ''}{told}"
