"""What a class's records say, as data: scores, mistakes, and what to look at; and the table behind the page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...lesson.failures import PASSED, TIMEOUT
from ...referee.bank import Entry
from ...unit.assignment import Assignment
from ...unit.cell import ANSWER
from ...unit.folder import RENAMED
from ..platforms.table import Cell, csv_text
from ..records import Record, Records
from .similar import Group, near_identical

#: The notes that more than this share of a class have say something of the class, not of a student.
COMMON = 0.5
GROUP = "Nearly the same as others: group "


@dataclass(frozen=True)
class Mistake:
    """A mistake of the bank, or one that is recognised everywhere (`name` is empty then), and who made it."""

    exercise: str
    name: str
    sentence: str
    students: tuple[str, ...]


@dataclass
class Findings:
    """What the page says, as data."""

    assignment: Assignment
    records: Records
    mistakes: list[Mistake]
    groups: list[Group]
    #: what to look at, by student
    looks: dict[str, list[str]]
    #: notes that most of the class have
    common_notes: list[tuple[str, int]]

    @property
    def graded(self) -> list[Record]:
        return self.records.graded


def findings(assignment: Assignment, entries: Iterable[Entry], records: Records) -> Findings:
    """Work out what a class's records say."""
    graded = records.graded
    template = [cell.source for cell in assignment.released if cell.kind == ANSWER]
    groups = near_identical({record.student: record.code for record in graded}, template)
    counts = Counter(note for record in graded for note in set(record.notes))
    often = [(note, n) for note, n in counts.most_common() if n > 3 and n > COMMON * len(graded)]
    looks: dict[str, list[str]] = defaultdict(list)
    for record in graded:
        found = looks[record.student]
        late = [kept.name for kept in record.exercises if kept.status == TIMEOUT]
        if late:
            found.append(f"Time ran out: {', '.join(late)}.")
        doubtful = [kept.name for kept in record.exercises if kept.doubtful]
        if doubtful:
            every = len(doubtful) == len(record.exercises)
            found.append(f"Needs manual grading: {'everything' if every else ', '.join(doubtful)}.")
        common = {note for note, _ in often}
        found += [note for note in record.notes if note not in common and not note.startswith(RENAMED)]
    for number, group in enumerate(groups, start=1):
        for student in group.students:
            looks[student].append(f"{GROUP}{number}.")
    looks = {student: found for student, found in looks.items() if found}
    return Findings(assignment, records, mistakes_of(graded, entries), groups, looks, often)


def mistakes_of(graded: Sequence[Record], entries: Iterable[Entry]) -> list[Mistake]:
    """The mistakes of a class, the most frequent first."""
    sentences = {(entry.exercise, entry.name): entry.sentence for entry in entries}
    made: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for record in graded:
        for kept in record.exercises:
            if kept.status != PASSED and (kept.mistake or kept.diagnosis):
                sentence = sentences.get((kept.name, kept.mistake), kept.diagnosis)
                made[kept.name, kept.mistake, sentence].append(record.student)
    found = [Mistake(*what, tuple(students)) for what, students in made.items()]
    return sorted(found, key=lambda m: (-len(m.students), m.exercise, m.name))


def table(found: Findings) -> str:
    """The table behind the page, a row a submission, as the text of a CSV file."""
    head: list[Cell] = ["student", "score", "max_score", "seconds", "protected"]
    for exercise in found.assignment.exercises:
        head += [f"{exercise.name} {what}" for what in ("points", "status", "mistake")]
        head += [f"{exercise.name}: {part.name}" for part in exercise.parts]
    rows: list[list[Cell]] = [[*head, "look", "notes"]]
    for record in found.graded:
        row: list[Cell] = [record.student, record.score, record.max_score, record.seconds]
        row.append("yes" if record.protected else "no")
        for kept, exercise in zip(record.exercises, found.assignment.exercises, strict=True):
            row += [kept.points, kept.status, kept.mistake or kept.diagnosis]
            row += [kept.parts.get(part.name) for part in exercise.parts]
        rows.append([*row, " ".join(found.looks.get(record.student, [])), " ".join(record.notes)])
    return csv_text(rows)
