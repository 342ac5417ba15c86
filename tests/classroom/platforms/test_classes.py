"""Random classes, as Canvas, Moodle and folders hand them out: nobody's work is lost, merged or given to another."""

from __future__ import annotations

import io
import json
import os
import unicodedata
import zipfile
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import pytest

from autograder.classroom.platforms.collect import Collected, collect
from autograder.classroom.platforms.roster import Person
from autograder.lesson.wire import printable

UNITS = {"03_reverse_mode": "reverse_mode", "01_derivatives": "derivatives"}
SEEDS = int(os.environ.get("CLASSES", "40"))

FIRST = ["Ada", "Zoe", "Émmy", "Jean-Luc", "An Na", "Anna", "李", "Conan", "O_o", "Zo_e", "Bob", "ada"]
LAST = ["Lovelace", "Noether", "O'Brien", "van Gogh", "Lee", "Smith_1", "Hopper", "Straße", "Ng", "Љубав"]
#: How one name becomes several that come out as the same folder.
ALIKE = [
    lambda name: name + "!",
    lambda name: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name),
    lambda name: name.replace(" ", "-"),
    lambda name: name.upper(),
    lambda name: unicodedata.normalize("NFD", name) + " ",
    lambda name: f"({name})",
]


@dataclass
class Student:
    """Somebody of the class, as they are; who they are to the platforms is made of it."""

    mark: int
    first: str
    last: str
    number: str
    #: the folder's name in a class of folders
    folder: str
    known: Person | None = None
    #: Moodle's number of each assignment
    moodle: dict[str, str] = field(default_factory=dict)


def notebook(student: Student, unit: str, copy: int, named: bool = True) -> bytes:
    cells = [{"cell_type": "code", "id": "a", "metadata": {}, "source": f"{student.mark} {copy}"}]
    metadata = {"autograder": {"unit": unit}} if named else {}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}).encode()


def mark_of(data: bytes) -> int:
    return int(json.loads(data)["cells"][0]["source"].split()[0])


def packed(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def a_class(random: Random) -> list[Student]:
    """Some students; names are shared, alike, and numbers those of others."""
    students: list[Student] = []
    folders: set[str] = set()
    for mark in range(random.randrange(1, 9)):
        first, last = random.choice(FIRST), random.choice(LAST)
        if students and random.random() < 0.3:
            first, last = random.choice(students).first, random.choice([last, random.choice(students).last])
        folder = f"{first} {last}" if random.random() < 0.5 else first
        if folders and random.random() < 0.4:
            folder = random.choice(ALIKE)(random.choice(sorted(folders)))
        while (
            folder in folders or not folder.strip() or unicodedata.normalize("NFC", folder).strip() in folders
        ):
            folder += "x"
        folders.add(folder)
        students.append(Student(mark, first, last, str(1000 + mark), folder))
    numbers = [student.number for student in students]
    for unit in UNITS:
        # Of a range that Canvas' numbers are in, too.
        for student, number in zip(
            students, random.sample([*numbers, *map(str, range(1, 50))], len(students)), strict=True
        ):
            student.moodle[unit] = number
    for student in students:
        if random.random() < 0.6:
            student.known = Person(
                f"u{student.mark}",
                *((student.last, student.first) if random.random() < 0.8 else ("", "")),
                f"u{student.mark}@example.org" if random.random() < 0.5 else "",
                student.number if random.random() < 0.7 else "",
            )
    named = [(s.first, s.last) for s in students if s.known is None or not s.known.name]
    for student in students:
        # A roster that has one of two people of a name, and not the other, cannot be seen through.
        if student.known and (student.first, student.last) in named:
            student.known = replace(student.known, first_name="", last_name="")
    return students


def canvas_name(student: Student) -> str:
    """As `lib/content_zipper.rb` makes it of the sortable name."""
    import re

    name = re.sub(r"_(\d+)_", r"\1", f"{student.last}, {student.first}").lower()
    return re.sub(r"[^\w]", "", name)


def handed_out(random: Random, form: str, students: list[Student], unit: str) -> dict[str, bytes]:
    """The entries of an archive of a class, in one platform's form."""
    entries: dict[str, bytes] = {}
    for student in students:
        name = UNITS[unit]
        for copy in range(random.choice([1, 1, 1, 2, 3])):
            own = random.choice([name, f"my_{name}", "12_34_x", "Untitled"]) + (f"-{copy}" if copy else "")
            own += random.choice([".ipynb", ".ipynb", ".IPYNB", ".ipynb.txt"])
            data = notebook(student, unit, copy, named=True)
            if random.random() < 0.15:
                own, data = f"work{copy}.zip", packed({f"inner/{name}.ipynb": data})
            late = random.choice(["", "", "_LATE"])
            if form == "Canvas":
                path = (
                    f"{canvas_name(student)}{late}_{student.number}_{9000 + 10 * student.mark + copy}_{own}"
                )
            elif form == "Moodle":
                who = f"{student.first} {student.last}".replace("_", " ")
                path = f"{who}_{student.moodle[unit]}_assignsubmission_file_/{own}"
            elif form == "Moodle, files":
                who = f"{student.first} {student.last}".replace("_", " ")
                path = f"{who}_{student.moodle[unit]}_assignsubmission_file_{own}"
            else:
                path = f"{student.folder}/{random.choice([unit + '/', ''])}{own}"
            entries[path] = data
    if random.random() < 0.3:
        entries = {f"hw3/{path}": data for path, data in entries.items()}
    return entries


FORMS = ["Canvas", "Moodle", "Moodle, files", "folders"]


class Course:
    """Where a class is collected, and what is true of it whatever comes."""

    def __init__(self, root: Path, students: list[Student]) -> None:
        self.root, self.students = root, students
        self.people = [student.known for student in students if student.known]

    def take(self, entries: dict[str, bytes]) -> Collected:
        source = self.root.parent / "all.zip"
        source.write_bytes(packed(entries))
        return collect(source, UNITS, lambda s, u: self.root / s / u, people=self.people)

    def files(self) -> dict[str, bytes]:
        return {
            p.relative_to(self.root).as_posix(): p.read_bytes()
            for p in sorted(self.root.rglob("*"))
            if p.is_file()
        }

    def check(self, entries: dict[str, bytes], result: Collected, unit: str) -> None:
        """Every notebook is in one place, under its own student, or named; nobody is two, and no two are one."""
        places: dict[bytes, list[str]] = defaultdict(list)
        people: dict[str, set[int]] = defaultdict(set)
        folders: dict[int, set[str]] = defaultdict(set)
        for path, data in self.files().items():
            if ".ipynb" not in path:
                continue
            student = path.split("/")[0]
            people[student].add(mark_of(data))
            folders[mark_of(data)].add(student)
            places[data].append(path)
        assert all(len(marks) == 1 for marks in people.values()), people
        assert all(len(names) == 1 for names in folders.values()), folders
        owners = {student.known.id: student.mark for student in self.students if student.known}
        for folder, (mark, *_) in people.items():
            assert owners.get(folder, mark) == mark, f"{folder} got the work of student {mark}"
        for path, data in entries.items():
            inside = {path: data}
            if path.endswith(".zip"):
                with zipfile.ZipFile(io.BytesIO(data)) as archive:
                    inside = {f"{path}/{name}": archive.read(name) for name in archive.namelist()}
            for where, content in inside.items():
                told = [reason for reason in result.skipped if printable(where, 300) in reason]
                assert bool(told) != bool(places[content]), (where, told, places[content])
                assert len(places[content]) <= 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_notebook_is_at_one_place_under_its_own_student_or_named(
    form: str, seed: int, tmp_path: Path
) -> None:
    random = Random(f"{form} {seed}")
    students = a_class(random)
    course = Course(tmp_path / "submitted", students)
    for unit in UNITS:
        entries = handed_out(random, form, students, unit)
        result = course.take(entries)
        course.check(entries, result, unit)
        before = course.files()
        again = course.take(entries)
        assert course.files() == before
        assert set(again.placed.values()) <= {"unchanged"}
        assert (sorted(again.skipped), again.missing) == (sorted(result.skipped), result.missing)
        mixed = list(entries.items())
        random.shuffle(mixed)
        course.take(dict(mixed))
        assert course.files() == before
    fresh = Course(tmp_path / "fresh", students)
    fresh.take(dict(mixed))
    assert fresh.files() == {p: d for p, d in before.items() if f"/{unit}/" in p}


def test_the_random_classes_have_what_they_are_for() -> None:
    """Most notebooks are collected, some are not clear: else the test above would say little."""
    import tempfile

    placed = skipped = 0
    for form in FORMS:
        for seed in range(SEEDS):
            random = Random(f"{form} {seed}")
            students = a_class(random)
            with tempfile.TemporaryDirectory() as folder:
                entries = handed_out(random, form, students, "03_reverse_mode")
                result = Course(Path(folder) / "submitted", students).take(entries)
            placed += len(result.placed)
            skipped += len(result.skipped)
    assert placed > 300
    assert skipped > 50
