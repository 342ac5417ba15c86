"""Grades for other systems: the gradebook as one table for a spreadsheet, for Canvas or for Moodle.

Scores are the gradebook's own: what people gave by hand counts, and late penalties are taken off. A student who
has handed in nothing has empty cells: whether that is a zero is not for the export to say.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)

from ...errors import UserError
from ...sandbox.walls import UNPROTECTED
from .. import held
from ..listed import Listed, listed_of
from ..receipts import known_receipts
from .roster import Person, on_roster
from .table import Cell, csv_text

Row = list[Cell]


@dataclass
class Grades:
    """What one student earned in one unit."""

    points: dict[str, float] = field(default_factory=dict)
    raw: float = 0.0
    penalty: float = 0.0
    needs_look: bool = False
    #: whether it was graded behind a wall
    protected: bool = True
    #: what is said of an exercise, where something is
    said: dict[str, str] = field(default_factory=dict)
    #: of what was graded
    receipt: str = ""

    @property
    def total(self) -> float:
        """As nbgrader counts it: a penalty takes no more than there is."""
        return max(0.0, self.raw - self.penalty)


@dataclass
class Unit:
    """A unit in the gradebook: what its exercises are worth, and who earned what."""

    name: str
    exercises: dict[str, float]
    max_score: float
    grades: dict[str, Grades]
    #: until when its results are held back, where they are
    held: datetime | None = None

    @property
    def protected(self) -> bool:
        """Whether all of it was graded behind a wall."""
        return all(grades.protected for grades in self.grades.values())


def read_gradebook(
    db_url: str, course_id: str, unit: str | None = None
) -> tuple[list[Person], list[Unit], dict[str, Listed]]:
    """The students and the units of a gradebook, and its roster. Raises UserError when there is nothing to export."""
    if db_url.startswith("sqlite:///") and not Path(db_url.removeprefix("sqlite:///")).is_file():
        raise UserError("There is no gradebook yet: `autograder grade UNIT` makes it.")
    with Gradebook(db_url, course_id) as gradebook:
        people = [
            Person(s.id, s.last_name or "", s.first_name or "", s.email or "", s.lms_user_id or "")
            for s in sorted(gradebook.students, key=lambda s: s.id)
        ]
        names = sorted(assignment.name for assignment in gradebook.assignments)
        if unit is not None and unit not in names:
            raise UserError(f"The gradebook has no unit {unit!r}; it has {', '.join(names) or 'none yet'}.")
        units = [_unit(gradebook, name) for name in names if unit in (None, name)]
        return people, units, listed_of(gradebook)


def _unit(gradebook: Gradebook, name: str) -> Unit:
    """Three queries a unit, whatever the size of the class."""
    assignment = gradebook.find_assignment(name)
    exercises = {
        cell.name.removesuffix("_check"): cell.max_score
        for notebook in assignment.notebooks
        for cell in notebook.grade_cells
    }
    grades = {
        row["student"]: Grades(raw=row["score"], needs_look=bool(row["needs_manual_grade"]))
        for row in gradebook.submission_dicts(name)
    }

    def of_each(*columns: object) -> object:
        query = gradebook.db.query(Student.id, *columns).select_from(SubmittedAssignment)
        return query.join(SubmittedNotebook).join(Assignment).join(Student).filter(Assignment.name == name)

    for student, penalty in of_each(SubmittedNotebook.late_submission_penalty):  # type: ignore[attr-defined]
        grades.setdefault(student, Grades()).penalty += penalty or 0.0
    scores = of_each(GradeCell.name, Grade.score).join(Grade).join(GradeCell)  # type: ignore[attr-defined]
    for student, cell, score in scores:
        grades[student].points[cell.removesuffix("_check")] = score
    texts = of_each(SolutionCell.name, Comment.auto_comment, Comment.manual_comment)
    for student, cell, auto, manual in texts.join(Comment).join(SolutionCell):  # type: ignore[attr-defined]
        if auto and auto.startswith(UNPROTECTED):
            grades[student].protected = False
            auto = auto.removeprefix(UNPROTECTED).strip()
        if manual or auto:
            grades[student].said[cell] = manual or _brief(auto)
    for (student, receipt), graded in known_receipts(gradebook, name).items():
        if graded and student in grades:
            grades[student].receipt = receipt
    until = held.held_until(gradebook, name)
    until = None if until is None or held.is_over(until) else until
    return Unit(name, exercises, float(assignment.max_score), grades, until)


def _brief(comment: str) -> str:
    """The verdict of an automatic comment, and what the mistake probably is."""
    lines = [line for line in comment.split("\n") if not re.match(r"`{3}|~{3}", line)]
    likely = [line.split("likely", 1)[1].strip() for line in lines if line.startswith("  likely ")]
    first = re.sub(r"^✗ [^:]*: ", "", lines[0]) if lines else ""
    return ": ".join([first.rstrip(":"), *likely[:1]])


# -- Formats ----------------------------------------------------------------------------------------------------------


def as_table(people: Sequence[Person], units: Sequence[Unit]) -> list[Row]:
    """One row a student, one column an exercise, and what all of it comes to."""
    head: Row = ["student", "last name", "first name", "email"]
    for unit in units:
        head += [f"{unit.name}: {name} (of {_number(points)})" for name, points in unit.exercises.items()]
        head += [
            f"{unit.name}: receipt",
            f"{unit.name}: late penalty",
            f"{unit.name}: total (of {_number(unit.max_score)})",
        ]
        head += [f"{unit.name}: needs a look"]
        head += [f"{unit.name}: protected"] if not unit.protected else []
    rows: list[Row] = [head]
    for person in people:
        row: Row = [person.id, person.last_name, person.first_name, person.email]
        for unit in units:
            grades = unit.grades.get(person.id)
            if grades is None:
                row += [""] * (len(unit.exercises) + 4 + (not unit.protected))
                continue
            row += [grades.points.get(name) for name in unit.exercises]
            row += [grades.receipt, grades.penalty, grades.total, "yes" if grades.needs_look else ""]
            row += [] if unit.protected else ["yes" if grades.protected else "no"]
        rows.append(row)
    return rows


def for_canvas(
    people: Sequence[Person],
    units: Sequence[Unit],
    listed: Mapping[str, Listed] = MappingProxyType({}),
    assignment: str | None = None,
) -> list[Row]:
    """What Canvas' gradebook imports: who, one column an assignment, and above all students what each is worth.

    Canvas finds a student by its own number (ID); who has none is in no row, since Canvas would look for the login and
    the name, and offer to make a new student where it finds neither. `listed` has the login and the section as Canvas'
    roster had them. Beside the section stands what was graded without a wall. `assignment` is what Canvas calls the
    one unit.
    """
    names = [assignment] if assignment is not None else [unit.name for unit in units]
    head: Row = ["Student", "ID", "SIS Login ID", "Section", *names]
    rows: list[Row] = [head, ["    Points Possible", "", "", "", *(unit.max_score for unit in units)]]
    numbers = canvas_numbers(people)
    for person in people:
        if person.id not in numbers:
            continue
        name = ", ".join(filter(None, [person.last_name, person.first_name])) or person.id
        number = numbers[person.id]
        scores = [unit.grades[person.id].total if person.id in unit.grades else None for unit in units]
        open_ = [u.name for u in units if person.id in u.grades and not u.grades[person.id].protected]
        row = listed.get(person.id, Listed())
        section = "; ".join(
            filter(None, [row.section, f"not protected: {', '.join(open_)}" if open_ else ""])
        )
        shown = int(number) if number.isascii() and number.isdigit() else number
        rows.append([name, shown, row.login or person.id, section, *scores])
    return rows


def canvas_numbers(people: Sequence[Person]) -> dict[str, str]:
    """Canvas's numbers of those who have one.

    A login may end with a classmate's number: what is only read from a name is nobody's when it is another's.
    """
    numbers = {person.id: person.number or _number_in(person.id) for person in people}
    holders = Counter(numbers.values())
    return {
        person.id: numbers[person.id]
        for person in people
        if person.number or (numbers[person.id] and holders[numbers[person.id]] == 1)
    }


def _number_in(student: str) -> str:
    """The number with which a folder ends that `autograder collect` made of an archive from Canvas."""
    made = re.fullmatch(r".+-(\d{3,})", student)
    return made[1] if made else ""


def for_moodle(people: Sequence[Person], units: Sequence[Unit]) -> list[Row]:
    """What Moodle's grade import takes, with the column names of its own export: who, a grade and a feedback a unit."""
    head: Row = ["First name", "Last name", "ID number", "Email address", "Username"]
    for unit in units:
        head += [f"{unit.name} (Real)", f"{unit.name} (Feedback)"]
    rows: list[Row] = [head]
    for person in people:
        row: Row = [person.first_name, person.last_name, person.number, person.email, person.id]
        for unit in units:
            grades = unit.grades.get(person.id)
            row += [grades.total, _feedback(unit, grades)] if grades else ["", ""]
        rows.append(row)
    return rows


def _feedback(unit: Unit, grades: Grades) -> str:
    """A few sentences; Moodle shows them as HTML, so what looks like markup is escaped."""
    parts = [f"{_number(grades.total)} of {_number(unit.max_score)} points."]
    if not grades.protected:
        parts.append(UNPROTECTED)
    if grades.penalty:
        parts.append(f"Late penalty: {_number(grades.penalty)}.")
    for name, points in unit.exercises.items():
        earned = grades.points.get(name, 0.0)
        if earned < points or name in grades.said:
            said = f": {grades.said[name]}" if name in grades.said else ""
            parts.append(f"{name} {_number(earned)}/{_number(points)}{said}")
    parts += [f"Receipt of what was graded: {grades.receipt}."] if grades.receipt else []
    return html.escape("\n".join(parts), quote=False)


def _number(value: float) -> str:
    return f"{value:g}"


FORMATS: dict[str, Callable[..., list[Row]]] = {
    "csv": as_table,
    "canvas": for_canvas,
    "moodle": for_moodle,
}


def export(
    db_url: str,
    course_id: str,
    to: str,
    unit: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
    anyway: bool = False,
    assignment: str | None = None,
) -> str:
    """The text of a CSV file in a format; `tell` hears of scores that are not protected, and of students who are not on
    the roster. `assignment` is what Canvas calls the one unit. Raises UserError.

    Units whose results are held back are in no table for a platform, where students would see them, but `anyway`.
    """
    people, units, listed = read_gradebook(db_url, course_id, unit)
    if to != "csv" and not anyway:
        for one in units:
            if one.held is not None:
                tell(f"{held.told(one.name, one.held)} It is left out: --anyway takes it in.")
        if units and not (units := [one for one in units if one.held is None]):
            raise UserError("All of it is held back, so there is nothing to export: --anyway exports it.")
    if not units:
        raise UserError("The gradebook has no unit yet: grade one with `autograder grade UNIT`.")
    for graded in units:
        if not graded.protected:
            count = sum(not grades.protected for grades in graded.grades.values())
            tell(
                f"{graded.name}: {count} of {len(graded.grades)} scores were got without a wall. {UNPROTECTED}"
            )
        if to != "csv" and (look := sorted(name for name, g in graded.grades.items() if g.needs_look)):
            # The plain table has a column for it; a platform would show a file that was cut off as a 0 like any other.
            tell(
                f"{graded.name}: look at {len(look)} of {len(graded.grades)} scores before students see them: "
                f"{', '.join(look)}. `autograder report {graded.name}` says why."
            )
    if to == "canvas":
        people = _known_to_canvas(people, tell)
    roster = on_roster(people, listed)
    if roster and (others := [person.id for person in people if person.id not in roster]):
        tell(f"Not in the roster, and in the file all the same: {', '.join(others)}.")
    if to == "canvas":
        return csv_text(for_canvas(people, units, listed, assignment))
    return csv_text(FORMATS[to](people, units))


def _known_to_canvas(people: Sequence[Person], tell: Callable[[str], None]) -> list[Person]:
    """Those who have Canvas's number; `tell` hears of the others. Raises UserError where nobody has one."""
    numbers = canvas_numbers(people)
    how = "Import Canvas's own export of its gradebook, which has them: `autograder students import ROSTER.csv`."
    if people and not numbers:
        raise UserError(f"Of no student the gradebook has Canvas's number (its ID). {how}")
    if without := [person.id for person in people if person.id not in numbers]:
        tell(
            f"Left out, since the gradebook has no number of Canvas's (its ID) for them: {', '.join(without)}. {how}"
        )
    return [person for person in people if person.id in numbers]
