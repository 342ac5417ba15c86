"""The working side of a course: nbgrader's folders, and who is in the gradebook."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from ..errors import UserError
from ..lesson import likely
from ..sandbox.walls import Sandbox
from ..unit.assignment import Course
from ..unit.settings import configured_sandbox, load_config
from .gradebook import one_transaction, opened
from .listed import Listed, listed_of, note_listed
from .platforms.roster import Person, on_roster


class Classroom:
    """The working side of a course: nbgrader's folders, its gradebook, and the walls that its configuration sets."""

    def __init__(self, course: Course) -> None:
        self.course = course

    @cached_property
    def config(self) -> Config:
        """The settings in nbgrader_config.py. Raises UserError when that file is broken."""
        return load_config(self.course.root)

    @cached_property
    def folders(self) -> CourseDirectory:
        return CourseDirectory(config=self.config, root=str(self.course.root))

    def sandbox(self, unsandboxed: bool = False, unprotected_scores: bool = False) -> Sandbox:
        """The walls as configured. Raises SandboxError when this machine has none and none was waived."""
        return configured_sandbox(self.config, self.course.root, unsandboxed, unprotected_scores)

    def folder(self, kind: str, student: str, unit: str) -> Path:
        """A student's folder of a unit, of kind "submitted", "autograded" or "feedback"."""
        return Path(self.folders.format_path(getattr(self.folders, f"{kind}_directory"), student, unit))

    def released(self, unit: str) -> set[str]:
        """The names of the files that students get with the unit's notebook."""
        folder = Path(self.folders.format_path(self.folders.release_directory, ".", unit))
        return {likely.FILE, *(path.name for path in folder.glob("*"))}

    def students(self, unit: str, kind: str = "submitted") -> list[str]:
        """Who has handed in something for the unit, or has a folder of another kind for it."""
        root = self.folder(kind, "*", unit)
        above = Path(*root.parts[: root.parts.index("*")])
        names = [p.name for p in above.glob("*") if p.is_dir() and not p.name.startswith(".")]
        return sorted(name for name in names if _is_there(self.folder(kind, name, unit)))


def refuse_our_own(source: Path, classroom: Classroom) -> None:
    """Raises UserError for a folder that holds the course, or is one of its own: all in it would be students' work."""
    there, root = Path(os.path.realpath(source)), classroom.course.root.resolve()
    own = [classroom.folder(kind, "*", "*") for kind in ("submitted", "autograded", "feedback")]
    own = [Path(*folder.parts[: folder.parts.index("*")]) for folder in own]
    own += [classroom.course.solutions, root / classroom.folders.release_directory]
    if root.is_relative_to(there) or any(there.is_relative_to(folder.resolve()) for folder in own):
        told = (
            "Name your platform's archive, or a folder that holds what students handed in and nothing else."
        )
        raise UserError(f"{source} is this course's own folder, or holds it. {told}")


def _is_there(folder: Path) -> bool:
    try:
        return folder.is_dir()
    except PermissionError:  # who cannot be looked at is told, not passed over
        return True


def known_students(classroom: Classroom) -> tuple[list[Person], dict[str, datetime]]:
    """The students in the gradebook, and when each unit is due that has a due date."""
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        people = [
            Person(s.id, s.last_name or "", s.first_name or "", s.email or "", str(s.lms_user_id or ""))
            for s in gradebook.students
        ]
        due = {a.name: a.duedate.replace(tzinfo=UTC) for a in gradebook.assignments if a.duedate is not None}
        return people, due


def known_roster(classroom: Classroom) -> set[str]:
    """Who is on this class's list; empty where there is none."""
    people, _ = known_students(classroom)
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        return on_roster(people, listed_of(gradebook))


def write_students(
    classroom: Classroom, people: Sequence[Person], listed: Mapping[str, Listed] = MappingProxyType({})
) -> None:
    """Add students to the gradebook, or complete them, and note who is on the roster, all or none. Grades stay."""
    with opened(classroom.folders.db_url, classroom.folders.course_id) as gradebook:
        listed_of(gradebook)  # makes its table, which ends a transaction
        with one_transaction(gradebook):
            for person in people:
                gradebook.update_or_create_student(
                    person.id,
                    first_name=person.first_name or None,
                    last_name=person.last_name or None,
                    email=person.email or None,
                    lms_user_id=person.number or None,
                )
            note_listed(gradebook, listed)
