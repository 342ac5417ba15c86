"""Of several hand-ins of a student the one that counts: the last, or the best, as the class has set it for a unit.

An earlier hand-in is what `collect` has kept beside a newer one. The best has the most points after what its own
lateness takes off; of equal ones the later counts. All are graded with the one seed of the class.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import parse_utc
from sqlalchemy import Column, String, Table, delete, insert, select
from traitlets.config import Config

from ..errors import UserError
from ..lesson.wire import printable
from ..referee.report import tidy
from ..sandbox.walls import NO_WALL
from ..unit.assignment import Assignment
from ..unit.folder import pick_file, side_files
from ..unit.notebook import read_notebook
from ..unit.raw import read_bytes
from .classroom import Classroom
from .grader import Graded, Job, Result, fingerprint
from .late import penalty_at
from .state import TABLES, with_tables

LAST, BEST = "last", "best"
RULES = Table(
    "autograder_rules",
    TABLES,
    Column("unit", String(128), primary_key=True),
    Column("rule", String(8), nullable=False),
)


def rule_of(gradebook: Gradebook, unit: str) -> str:
    """Which of several hand-ins counts, LAST or BEST."""
    query = select(RULES.c.rule).where(RULES.c.unit == unit)
    return with_tables(gradebook, lambda: gradebook.db.execute(query).scalar()) or LAST


def set_rule(gradebook: Gradebook, unit: str, rule: str) -> None:
    """Keep which of several hand-ins counts."""
    rule_of(gradebook, unit)  # makes the table
    gradebook.db.execute(delete(RULES).where(RULES.c.unit == unit))
    gradebook.db.execute(insert(RULES).values(unit=unit, rule=rule))
    gradebook.db.commit()


@dataclass
class Attempts:
    """What one student has handed in: the jobs of those that are graded, the last one last."""

    rule: str
    #: how many there are
    count: int
    jobs: list[Job]
    results: list[Result] = field(default_factory=list)

    @classmethod
    def of(cls, classroom: Classroom, assignment: Assignment, student: str, rule: str) -> Attempts:
        """Those in a student's folder. What cannot be read is a job, too: grading it says why."""
        last = job_of(classroom, assignment, student)
        try:
            earlier = earlier_files(classroom.folder("submitted", student, assignment.unit), assignment)
        except OSError:
            earlier = []
        if rule == LAST or not earlier:
            return cls(LAST, len(earlier) + 1, [last])
        return cls(BEST, len(earlier) + 1, [*(_earlier(student, path) for path in earlier), last])

    def known(self, about: Mapping[str, Any], key: str) -> bool:
        """Whether these are the files that an autograded notebook is of, by the same rule."""
        prints = [fingerprint(key, job) for job in self.jobs]
        if self.rule == BEST:
            return bool(about.get("attempts")) and [one[1] for one in about["attempts"]] == prints
        same_rule = about.get("rule", LAST) == LAST and about.get("of", self.count) == self.count
        return same_rule and bool(about["fingerprint"] == prints[-1])


def earlier_files(folder: Path, assignment: Assignment) -> list[Path]:
    """The hand-ins that a newer one took the place of, the oldest first."""
    found = []
    for path in folder.glob("*.earlier-*"):
        name = re.fullmatch(rf"{re.escape(assignment.name)}\.ipynb\.earlier-([0-9]{{1,9}})", path.name)
        if name and path.is_file() and not path.is_symlink():
            found.append((int(name[1]), path))
    return [path for _, path in sorted(found)]


def job_of(classroom: Classroom, assignment: Assignment, student: str) -> Job:
    """The last hand-in of a student."""
    folder = classroom.folder("submitted", student, assignment.unit)
    try:
        path, note = pick_file(folder, assignment.name, assignment)
        if path is None:
            return Job(student, None, note)
        expected = {
            *classroom.released(assignment.unit),
            "submission_secret.txt",
        }  # which nbgrader's exchange puts there
        note = "\n".join(filter(None, [side_files(folder, expected, path), note]))
    except OSError as error:  # one student's permissions are in nobody else's way
        return Job(student, None, f"The folder {folder.name} cannot be read: {error.strerror}.")
    try:
        return Job(student, read_bytes(path), note)
    except UserError as error:
        return Job(student, None, printable(str(error), 500))


def _earlier(student: str, path: Path) -> Job:
    try:
        return Job(student, read_bytes(path), file=path.name)
    except UserError as error:
        return Job(student, None, printable(str(error), 500), file=path.name)


def read_timestamp(path: Path) -> datetime | None:
    """When something was handed in, as a `timestamp.txt` says; None when it does not say.

    nbgrader's own reader ends the process, and with it the whole class, when the text is no time.
    """
    try:
        return parse_utc(read_bytes(path)[:100].decode("ascii").strip())
    except Exception:  # the parser has many kinds: some numbers end in an InvalidOperation of decimal's
        return None


def time_of(folder: Path, file: str = "") -> datetime | None:
    """When a hand-in was handed in, as the file beside it says: an earlier one's, or the last one's."""
    _, earlier, number = file.rpartition(".earlier-")
    return read_timestamp(folder / f"timestamp.txt{earlier}{number if earlier else ''}")


def best(
    gradebook: Gradebook,
    unit: str,
    student: str,
    folder: Path,
    scores: Sequence[tuple[str, float]],
    config: Config,
) -> int:
    """Which of these files, with their scores, is the best: the one that keeps the most, the later of equal ones."""
    try:
        extension = gradebook.find_submission(unit, student).extension
    except MissingEntry:
        extension = None
    due = gradebook.find_assignment(unit).duedate
    due = due + extension if due is not None and extension is not None else due
    kept = []
    for file, score in scores:
        when = time_of(folder, file)
        late = max(0.0, (when - due).total_seconds()) if when is not None and due is not None else 0.0
        kept.append(score - penalty_at(gradebook, unit, student, score, late, config))
    return max(range(len(kept)), key=lambda number: (round(kept[number], 9), number))


def counting(attempts: Attempts, number: int) -> Result:
    """The result that counts, with what its notebook says of the others."""
    results = attempts.results
    chosen = results[number]
    assert chosen.row is not None
    scores = [result.row.score for result in results if result.row is not None]
    if attempts.count == 1:
        return chosen
    if attempts.rule == LAST:
        chosen.row.hand_in = f"the last of {attempts.count} hand-ins"
        said = f"You handed in {attempts.count} times: the last one counts."
    else:
        chosen.row.hand_in = f"the best of {attempts.count} hand-ins: number {number + 1}"
        earned = ", ".join(str(tidy(score)) for score in scores)
        said = (
            f"You handed in {attempts.count} times: the best one counts, which is number {number + 1}. In order they "
            f"earned {earned} points, before what lateness takes off."
        )
    notebook = json.loads(chosen.notebook)
    notebook["metadata"]["autograder"] |= {
        "rule": attempts.rule,
        "of": attempts.count,
        "file": chosen.job.file,
        "hand_in": chosen.row.hand_in,
        "counted": said,
    }
    if attempts.rule == BEST:
        prints = [json.loads(r.notebook)["metadata"]["autograder"]["fingerprint"] for r in results]
        notebook["metadata"]["autograder"]["attempts"] = [
            [result.job.file, printed, score]
            for result, printed, score in zip(results, prints, scores, strict=True)
        ]
    chosen.notebook = json.dumps(notebook, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
    return chosen


def output_of(classroom: Classroom, assignment: Assignment, student: str) -> Path:
    """A student's autograded notebook."""
    return classroom.folder("autograded", student, assignment.unit) / f"{assignment.name}.ipynb"


def about_of(classroom: Classroom, assignment: Assignment, student: str) -> dict[str, Any] | None:
    """What the autograded notebook says of itself; None when there is none, or it is not ours, or an older one."""
    try:
        about = read_notebook(output_of(classroom, assignment, student)).metadata["autograder"]
        kept_row(student, about)
        return dict(about) if isinstance(about["fingerprint"], str) else None
    except Exception:  # then it is graded again
        return None


def kept_row(student: str, about: Mapping[str, Any]) -> Graded:
    """The row of a student whose hand-ins have not changed."""
    return Graded(
        student,
        about["score"],
        about["max_score"],
        about["summary"],
        "kept",
        list(about["mistakes"]),
        protected=about.get("wall") != NO_WALL,
        receipt=about.get("receipt", ""),
        hand_in=about.get("hand_in", ""),
    )
