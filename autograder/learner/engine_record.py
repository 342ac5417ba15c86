"""What `autograder mine engine.py` writes into the learner's own record, for their certificate.

Their progress is that of the notebooks, which alone are handed in: a file adds nothing to it, and takes nothing away.
"""

from __future__ import annotations

from pathlib import Path

from ..lesson import logbook
from ..lesson.failures import MISSING, PASSED
from ..referee.report import Report
from .progress import MARK


def note_check(file: Path, report: Report) -> Path | None:
    """Note what the check said of the engine in a file: right, wrong, or that nothing is written yet.

    Gives the folder whose record it is: that of the units among which the file lies. None where it lies in none, where
    nothing can be written, or where the check itself was at fault, which says nothing of the engine. The line names the
    file, so that a certificate can say what was checked.
    """
    if any(outcome.doubtful for outcome in report.outcomes):
        return None
    folder = _units_around(file.resolve().parent)
    if folder is None:
        return None
    try:
        for outcome in report.outcomes:
            passed = None if outcome.status == MISSING else outcome.status == PASSED
            told = {"exercise": outcome.name, "passed": passed, "date": logbook.now(), "file": file.name}
            logbook.append(folder, told)
    except OSError:
        return None
    return folder


def _units_around(start: Path) -> Path | None:
    """The folder of units that a folder is or lies in; no other, as the installed course's would be."""
    for place in (start, *start.parents):
        if (place / logbook.FILE).is_file() or (place / MARK).is_file():
            return place
        if found := logbook.units_folder(place):
            return found
    return None
