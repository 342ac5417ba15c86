"""Takes a roster into the gradebook: Canvas' export of its gradebook, Moodle's of participants or grades, or a table.

Students are added and completed, never removed, never renamed, and never changed into somebody else: where a row could
mean two students, or an address or a number is another's, the row is refused with a sentence, and the others are taken.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from ...errors import UserError
from ...lesson.wire import printable
from ...unit.raw import read_bytes
from .roster import Person, folder_name, run_together, same_name, words

MAX_ROWS = 20_000
MAX_CHARS = 120

#: What a column is called, without case, spaces and signs. Canvas: `lib/gradebook_exporter.rb` of canvas-lms. Moodle:
#: the participants' table, `grade/export` and the grading worksheet (`mod/assign/gradingtable.php`).
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "login": ("username", "sisloginid", "loginid", "login", "user", "studentid", "id"),
    "last_name": ("lastname", "surname", "familyname"),
    "first_name": ("firstname", "givenname"),
    "full_name": ("fullname", "name", "student", "studentname"),
    "email": ("emailaddress", "email", "mail"),
    "number": ("lmsuserid", "number", "idnumber", "canvasid"),
    "participant": ("identifier",),
}


@dataclass(frozen=True)
class Entry:
    """A row of a roster: whom it describes, as far as it says. `id` is empty where no column names one."""

    line: int
    person: Person
    section: str = ""


@dataclass
class Change:
    """What became of a row: "added", "changed", "unchanged" or "refused"; and the details in words."""

    line: int
    student: str
    what: str
    told: str = ""
    person: Person | None = None


@dataclass
class Import:
    """What a roster changes."""

    changes: list[Change] = field(default_factory=list)
    #: students of the gradebook of whom the roster has no row; they stay
    absent: list[str] = field(default_factory=list)

    def count(self, what: str) -> int:
        return sum(change.what == what for change in self.changes)


# -- Reading ----------------------------------------------------------------------------------------------------------


def read_roster(path: Path) -> list[Entry]:
    """The rows of a table of students. Raises UserError when it is none."""
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is no file: export the roster as a CSV file, and name that.")
    text = _decoded(read_bytes(path))
    rows = list(_rows(text, path))
    head, *body = rows or [(1, [])]
    places = _places(head[1])
    plain = [_plain(cell) for cell in head[1]]
    is_canvas = {"id", "section", "sisloginid"} <= set(plain)
    if is_canvas:
        places["number"] = plain.index("id")
    if (
        "login" not in places and "last_name" in places and "student" in plain
    ):  # as `autograder export` writes it
        places["login"] = plain.index("student")
    if "full_name" not in places and "last_name" not in places and "login" not in places:
        wanted = "a name (`First name` and `Last name`, `Full name`, or Canvas' `Student`) or a `Username`"
        found = ", ".join(repr(printable(cell, 40)) for cell in head[1][:8]) or "nothing"
        raise UserError(f"{path} has no column of {wanted}; its first row holds {found}.")
    section = plain.index("section") if "section" in plain else len(plain)
    entries = [
        Entry(line, _person(row, places), "".join(row[section : section + 1]))
        for line, row in body
        if any(row)
    ]
    if is_canvas:  # points, hidden columns; and the student that Canvas makes for looking at a course
        entries = [
            e
            for e in entries
            if e.person.number and (e.person.first_name, e.person.last_name) != ("Test", "Student")
        ]
    return entries


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _rows(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows with the numbers of their lines."""
    if "\0" in text:
        raise UserError(f"{path} is no table of text: export the roster as a CSV file.")
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            if reader.line_num > MAX_ROWS:
                raise UserError(f"{path} has more than {MAX_ROWS} lines: that is no roster of a class.")
            yield reader.line_num, [_tidy(cell) for cell in row]
    except csv.Error as error:
        raise UserError(
            f"{path} is no CSV file that can be read: {error}, in line {reader.line_num}."
        ) from None


def _tidy(cell: str) -> str:
    """A cell as it is kept: one line without control characters; the apostrophe that guards a formula goes."""
    plain = " ".join(printable(unicodedata.normalize("NFC", cell), MAX_CHARS).split())
    return plain[1:] if re.match(r"'[=+\-@＝＋－＠]", plain) else plain


def _plain(cell: str) -> str:
    return run_together(cell)


def _places(head: Sequence[str]) -> dict[str, int]:
    """Where each field stands: the first column of the best name."""
    plain = [_plain(cell) for cell in head]
    places = {}
    for name, titles in COLUMNS.items():
        found = [plain.index(title) for title in titles if title in plain]
        if found:
            places[name] = found[0]
    return places


def _person(row: Sequence[str], places: Mapping[str, int]) -> Person:
    cells = {name: row[place] if place < len(row) else "" for name, place in places.items()}
    first, last = cells.get("first_name", ""), cells.get("last_name", "")
    if not (first or last) and (full := cells.get("full_name", "")):
        if "," in full:
            last, _, first = (part.strip() for part in full.partition(","))
        else:
            first, _, last = full.rpartition(" ")
    login, email = cells.get("login", ""), cells.get("email", "")
    if not email and re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", login):
        email = login
    return Person(login, last, first, email, cells.get("number", ""))


# -- Comparing --------------------------------------------------------------------------------------------------------


#: So often a roster is gone through: what stood in one row's way may be gone when another one has been taken.
PASSES = 8


def compare(entries: Iterable[Entry], people: Iterable[Person]) -> Import:
    """What a roster changes in a gradebook of these students, whatever the order of its rows.

    It is gone through until nothing changes any more, so that a second import has nothing left to do.
    """
    there = {person.id: person for person in people}
    entries = list({entry.person: entry for entry in reversed(list(entries))}.values())[::-1]
    done: dict[int, Change] = {}
    for _ in range(PASSES):
        found = _pass(entries, there)
        new = {change.student: change.person for change in found if change.what in ("added", "changed")}
        for change in found:
            if (
                change.what in ("added", "changed")
                or change.line not in done
                or done[change.line].person is None
            ):
                done[change.line] = change
        there |= {student: person for student, person in new.items() if person}
        if not new:
            break
    for change in done.values():
        if change.person:
            change.person = there[change.student]
    kept = {change.student for change in done.values() if change.person}
    return Import([done[line] for line in sorted(done)], sorted(there.keys() - kept))


def _pass(entries: Sequence[Entry], there: Mapping[str, Person]) -> list[Change]:
    """What each row changes by itself; rows that mean the same student are refused."""
    clashes = _clashes(entries)
    found = [clashes.get(entry.line) or _change(entry, there) for entry in entries]
    rows: dict[str, list[int]] = {}
    for change in found:
        if change.person:
            rows.setdefault(change.student, []).append(change.line)
    for change in found:
        same = [line for line in rows.get(change.student, ()) if line != change.line]
        if change.person and same:
            change.what, change.told, change.person = (
                "refused",
                f"line {same[0]} is {change.student}, too",
                None,
            )
    return found


def _clashes(entries: Sequence[Entry]) -> dict[int, Change]:
    """The rows that give several people one username, number or address: nobody knows which is right."""
    found = {}
    for name in ("id", "number", "email"):
        lines: dict[str, list[int]] = {}
        for entry in entries:
            if value := getattr(entry.person, name).casefold():
                lines.setdefault(value, []).append(entry.line)
        for entry in entries:
            same = lines.get(getattr(entry.person, name).casefold(), [])
            if len(same) > 1:
                title = {"id": "username", "email": "address"}.get(name, name)
                other = next(line for line in same if line != entry.line)
                told = f"line {other} has the same {title}"
                found[entry.line] = Change(entry.line, _id_of(entry.person), "refused", told)
    return found


def _change(entry: Entry, there: Mapping[str, Person]) -> Change:
    new = entry.person
    if not (new.id or new.name or new.email):
        return Change(entry.line, "", "refused", "it names nobody")
    found = _found(new, there.values())
    if len(found) > 1:
        ids = ", ".join(f"{student} ({how})" for student, how in sorted(found.items()))
        return Change(entry.line, _id_of(new), "refused", f"it could be each of {ids}")
    if not found:
        student = _id_of(new)
        if not student:
            return Change(entry.line, "", "refused", "it has no name that could be a folder's")
        same = [known for known in there if known.casefold() == student.casefold()]
        if same:
            return Change(
                entry.line, student, "refused", f"the gradebook has another student {same[0]}: add a Username"
            )
        return Change(entry.line, student, "added", _shown(new), replace(new, id=student))
    (student,) = found
    old = there[student]
    if old.name and new.name and not set(words(old.name)) & set(words(new.name)):
        told = f"the gradebook's {student} is called {old.name}, and not {new.name}"
        return Change(entry.line, student, "refused", told)
    if old.number and new.number and old.number != new.number and found[student] in ("name", "address"):
        told = f"the gradebook's {student} has the number {old.number}, and not {new.number}"
        return Change(entry.line, student, "refused", told)
    merged = Person(student, *(getattr(new, f.name) or getattr(old, f.name) for f in fields(Person)[1:]))
    told = ", ".join(
        f"{f.name.replace('_', ' ')} {getattr(old, f.name) or 'none'} → {getattr(merged, f.name)}"
        for f in fields(Person)[1:]
        if getattr(old, f.name) != getattr(merged, f.name)
    )
    return Change(entry.line, student, "changed" if told else "unchanged", told, merged)


def _found(new: Person, people: Iterable[Person]) -> dict[str, str]:
    """The students whom a row may mean, and by what: what says most is asked first."""
    people = list(people)
    tests = {
        "username": lambda p: bool(new.id) and p.id == _id_of(new),
        "number": lambda p: bool(new.number) and (p.number == new.number or _made_by_collect(p, new)),
        "address": lambda p: bool(new.email) and p.email.casefold() == new.email.casefold(),
    }
    found = {p.id: how for how, test in reversed(tests.items()) for p in people if test(p)}
    if found:
        return found
    return {p.id: "name" for p in people if _same_by_name(p, new)}


def _same_by_name(old: Person, new: Person) -> bool:
    """Whether a student is this one by the name alone: nothing else may say that they are two."""
    if not new.name or (old.email and new.email) or (old.number and new.number):
        return False
    return words(old.name or old.id) == words(new.name)


def _made_by_collect(old: Person, new: Person) -> bool:
    """Whether a student without a name is one that `collect` made of Canvas' name and number."""
    made = re.fullmatch(r"(.+)-(\d+)", old.id)
    return bool(
        made
        and not old.name
        and made[2] == new.number
        and same_name(made[1], f"{new.last_name}, {new.first_name}")
    )


def _id_of(new: Person) -> str:
    """The id of a new student: the login; else the address' name; else the name."""
    login = new.id if re.fullmatch(r"[\w-][\w.@+-]{0,99}", new.id) else folder_name(new.id)
    return login or folder_name(new.email.partition("@")[0]) or folder_name(new.name)


def _shown(person: Person) -> str:
    parts = (person.name, person.email, person.number)
    return ", ".join(filter(None, parts))
