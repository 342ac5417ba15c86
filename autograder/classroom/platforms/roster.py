"""Who is who: the students of the gradebook, and which of them a platform's name means.

A student is recognised by what belongs to the person: Canvas' number together with the name, an e-mail address, a
name that one student has. Where that is not clear nobody is chosen, and a sentence says what is missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .names import CANVAS, FOLDER, MOODLE, Owner


@dataclass(frozen=True)
class Person:
    """A student in the gradebook."""

    id: str
    last_name: str = ""
    first_name: str = ""
    email: str = ""
    #: the learning platform's number
    number: str = ""

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()


def on_roster(people: Iterable[Person], listed: Iterable[str] = ()) -> set[str]:
    """Who is on the class's list; empty where there is none, and students are only those who have handed in.

    `listed` are those of imported rosters. Who has a name, an address or a number in the gradebook was put there by
    somebody, too: grading makes an id alone.
    """
    return {*listed, *(person.id for person in people if person.name or person.email or person.number)}


@dataclass(frozen=True)
class Match:
    """The student whom a name means; or why that is not clear. `sure` when the roster says so."""

    student: str = ""
    problem: str = ""
    sure: bool = False


def words(name: str) -> tuple[str, ...]:
    """The words of a name in a fixed order, without case, accents and punctuation.

    >>> words("Noether, Émmy") == words("emmy noether")
    True
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return tuple(sorted(re.findall(r"[^\W_]+", plain.casefold())))


def run_together(name: str) -> str:
    """A name as Canvas writes it, in the order that it has."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "", plain.casefold())


def folder_name(name: str, number: str = "") -> str:
    """The name of a student's folder: letters, digits, `-` and `_`, so that no name can be a path or a hidden file."""
    plain = unicodedata.normalize("NFKC", name)
    plain = re.sub(r"[^\w-]+", "-", plain).strip("-_")[:60]
    plain = plain.encode()[:200].decode(errors="ignore")  # with a number, a file's name has room for it
    return "-".join(filter(None, [plain, number])) if plain else ""


def same_name(one: str, other: str) -> bool:
    """Whether two names mean one person, as far as platforms write them differently: order, case, accents, spaces."""
    return (
        words(one) == words(other)
        or run_together(one) in _orders(other)
        or run_together(other) in _orders(one)
    )


def _orders(name: str) -> set[str]:
    """A name run together with its first or its last word, or what stands behind a comma, in front."""
    parts = name.split(",") if "," in name else name.split()
    cuts = range(len(parts))
    return {run_together(" ".join(parts[cut:] + parts[:cut])) for cut in cuts} if name.strip() else set()


class Roster:
    """The known students, found by what a platform tells of somebody."""

    def __init__(self, people: Iterable[Person] = ()) -> None:
        self.people: Sequence[Person] = list(people)
        self.by_id = {person.id: person for person in self.people}
        self.numbers: dict[str, list[Person]] = defaultdict(list)
        self.mails: dict[str, list[Person]] = defaultdict(list)
        self.names: dict[tuple[str, ...], list[Person]] = defaultdict(list)
        self.joined: dict[str, list[Person]] = defaultdict(list)
        for person in self.people:
            if person.number:
                self.numbers[person.number].append(person)
            if person.email:
                self.mails[person.email.casefold()].append(person)
            if words(person.name):
                self.names[words(person.name)].append(person)
            for order in _orders(person.name) - {""}:
                self.joined[order].append(person)

    def knows(self, name: str) -> bool:
        """Whether a folder's name means a student for sure."""
        return self.find(Owner(name, "", "")).sure

    def find(self, owner: Owner) -> Match:
        """The student whom a platform's name means."""
        if owner.platform == CANVAS:
            return self._by_number(owner)
        if owner.platform in (MOODLE, FOLDER):
            return self._by_name(owner)
        return _new(owner.name)

    def _by_number(self, owner: Owner) -> Match:
        """Canvas' number is one person's in all of its courses; the name has to agree."""
        if owner.other_number in self.numbers:
            return Match(problem=f"its name can be read as {owner.number}'s and as {owner.other_number}'s")
        holders = self.numbers.get(owner.number, [])
        if len(holders) > 1:
            ids = ", ".join(sorted(person.id for person in holders))
            return Match(problem=f"the number {owner.number} belongs to several students ({ids})")
        if holders:
            (person,) = holders
            if not person.name or same_name(person.name, owner.name):
                return Match(person.id, sure=True)
            return Match(
                problem=f"its number, {owner.number}, is that of {person.id}, who is called {person.name}: mend the "
                "number or the name in the gradebook (`autograder students import ROSTER.csv`)"
            )
        same = self.joined.get(run_together(owner.name), [])
        if len(same) == 1 and not same[0].number:
            return Match(same[0].id, sure=True)
        if same:
            ids = ", ".join(f"{person.id} ({person.number or 'no number'})" for person in same)
            return Match(
                problem=f"its name is that of {ids}, and its number is {owner.number}: give each their number on the "
                "platform (`autograder students import ROSTER.csv`)"
            )
        return _new(owner.name, owner.number)

    def _by_name(self, owner: Owner) -> Match:
        """Moodle's number says nothing of a person, and a folder has none: the id, the e-mail address, the name."""
        if owner.platform == FOLDER and owner.name in self.by_id:
            return Match(owner.name, sure=True)
        for holders, what in (
            (self.mails.get(owner.name.casefold(), []), "the address"),
            (self.names.get(words(owner.name), []), "the name"),
        ):
            if len(holders) == 1:
                return Match(holders[0].id, sure=True)
            if holders:
                ids = ", ".join(sorted(person.id for person in holders))
                return Match(
                    problem=f"{what} {owner.name!r} is that of several students ({ids}): {_SAY_WHOSE}"
                )
        new = folder_name(owner.name)
        there = self.by_id.get(new)
        if there is not None and there.name:
            return Match(
                problem=f"the gradebook's {there.id} is called {there.name}, and not {owner.name}: add this student "
                "under another name"
            )
        return _new(owner.name)


_SAY_WHOSE = "put the notebook into the right one's folder by hand"


def _new(name: str, number: str = "") -> Match:
    new = folder_name(name, number)
    return Match(new) if new else Match(problem="its name does not say whose it is")
