"""What the doctor says of the walls around student code: it takes what comes with `[grade]`."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ..sandbox import second_wall
from ..sandbox.process import PupilProcess
from ..sandbox.walls import Sandbox, SandboxError

#: What, whether it works, and what to do if not.
Found = tuple[str, bool, str]


def walls() -> Iterator[Found]:
    """Which walls there are. Every pupil, as it starts, tries something that is allowed and something that is not."""
    first, second = Sandbox(), Sandbox(unsandboxed=True)
    problem, further = first.why_not(), second.why_no_second_wall()
    yield "sandbox", not problem, problem or "bubblewrap works"
    told = f"Landlock {second_wall.version()}, for where bubblewrap does not start (--unsandboxed)"
    yield "second wall", not further or not problem, further or told
    for what, sandbox, missing in (("pupil", first, problem), ("pupil 2", second, further)):
        if not missing:
            yield _pupil(what, sandbox)
    if problem and further:
        yield "scores", False, "without a wall no score is protected (--unprotected-scores)"


def _pupil(what: str, sandbox: Sandbox) -> Found:
    start = time.monotonic()
    try:
        process = PupilProcess(sandbox, (), start + 60)
        result = process.run_cell("6 * 7")
        process.close()
    except SandboxError as error:
        return what, False, str(error)
    good = result.text.strip() == "42"
    return what, good, f"ran a cell behind {sandbox.wall()}, which refused what it has to refuse"
